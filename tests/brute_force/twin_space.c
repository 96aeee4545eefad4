/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_space.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "twin_bytes.h"

/* Section 5: chips that share the features of an attention have whole heads, of keys too. */
static bool has_whole_heads(const twin_system *system, const twin_node *node,
                            const twin_parallelism parallelism) {
  const double nm = twin_layout_of(system, parallelism).nm;
  return !twin_is_attention(node) ||
         (fmod(node->groups, nm) < 1 && fmod(node->operand_groups, nm) < 1);
}

/* Section 3, and section 11 of the rulings: layers that can only use data. */
static bool is_wanted(const twin_system *system, const twin_node *node,
                      const twin_parallelism parallelism, const twin_options options) {
  const bool is_simple = parallelism == TWIN_DATA || parallelism == TWIN_MODEL;
  return (size_t)parallelism < twin_parallelism_count(system) && (options.hybrid || is_simple) &&
         (options.parallelism_mask >> parallelism & 1U) != 0 &&
         has_whole_heads(system, node, parallelism);
}

bool twin_parallelism_is_allowed(const twin_system *system, const twin_node *node,
                                 const twin_parallelism parallelism, const twin_options options) {
  if (node->kind == TWIN_MATMUL || (node->groups > 1 && !twin_is_attention(node))) {
    return parallelism == TWIN_DATA;
  }
  bool is_any_wanted = false; /* an attention whose heads nothing divides has data */
  for (int other = 0; other < TWIN_PARALLELISM_COUNT; other++) {
    is_any_wanted |= is_wanted(system, node, (twin_parallelism)other, options);
  }
  const bool is_left = twin_is_attention(node) && !is_any_wanted;
  return is_left ? parallelism == TWIN_DATA : is_wanted(system, node, parallelism, options);
}

static size_t last_use_of(const twin_workload *workload, const size_t layer) {
  size_t last = layer;
  for (size_t i = layer + 1; i < workload->node_count; i++) {
    last = twin_is_used_from(workload, layer, i, true) ? i : last;
  }
  return last;
}

static bool has_one_timestep(const twin_workload *workload, const size_t first, const size_t last) {
  for (size_t i = first; i <= last; i++) {
    if (workload->nodes[i].timesteps > 1) {
      return false;
    }
  }
  return true;
}

/* Section 8: powers of two that divide the minibatch and leave every chip a sample. */
static void list_factors(twin_space *space) {
  const size_t minibatch = (size_t)space->context.workload->minibatch;
  const double chips = twin_chips(space->context.system);
  for (size_t f = 1; f <= minibatch; f *= 2) {
    const bool divides = minibatch % f == 0 && (double)(minibatch / f) >= chips;
    if (f == 1 || (space->options.dysm && divides)) {
      assert(space->factor_count < TWIN_MAX_FACTORS);
      space->factors[space->factor_count++] = f;
    }
  }
}

twin_space twin_space_make(const twin_context *context, const twin_options options) {
  const twin_workload *const workload = context->workload;
  twin_space space = {.context = *context, .options = options};
  for (size_t i = 0; i < workload->node_count; i++) {
    for (int j = TWIN_DATA; j < TWIN_PARALLELISM_COUNT; j++) {
      space.allowed[i][j] = twin_parallelism_is_allowed(context->system, &workload->nodes[i],
                                                        (twin_parallelism)j, options);
    }
    const size_t last = last_use_of(workload, i);
    space.last_use[i] = last;
    space.is_holdable[i] = last > i && has_one_timestep(workload, i, last);
  }
  list_factors(&space);
  return space;
}

bool twin_passes_may_differ(const twin_space *space) {
  return space->options.per_pass && !space->options.inference;
}

bool twin_may_hoist(const twin_space *space, const size_t layer) {
  const twin_node *const node = &space->context.workload->nodes[layer];
  return space->options.hoist && !space->options.inference && node->kind == TWIN_LSTM &&
         node->timesteps > 1;
}

bool twin_factor_is_allowed(const twin_space *space, const size_t layer, const size_t factor) {
  const twin_node *const node = &space->context.workload->nodes[layer];
  const bool has_choice =
      node->timesteps <= 1 && (!space->context.system->dysm_uniform || twin_is_convolution(node));
  if (factor == 1 || !has_choice) {
    return factor == 1;
  }
  for (size_t i = 0; i < space->factor_count; i++) {
    if (space->factors[i] == factor) {
      return true;
    }
  }
  return false;
}

uint32_t twin_live_held(const twin_space *space, const twin_mapping *mapping, const size_t layer) {
  uint32_t live = 0;
  for (size_t j = 0; j < layer; j++) {
    if (mapping->layers[j].is_held && space->last_use[j] >= layer) {
      live |= UINT32_C(1) << j;
    }
  }
  return live;
}

/* Bytes of a chip of `elements` a sample, in an invocation of the layer. */
static double layer_bytes(const twin_space *space, const twin_mapping *mapping, const size_t layer,
                          const double elements) {
  const twin_workload *const workload = space->context.workload;
  const twin_decision *const decision = &mapping->layers[layer];
  const twin_layout layout =
      twin_layout_of(space->context.system, decision->parallelism[TWIN_FORWARD]);
  const double samples = workload->minibatch / (double)decision->factor;
  return elements * twin_samples_per_chip(layout, samples) * workload->element_bytes / layout.nm;
}

double twin_held_bytes(const twin_space *space, const twin_mapping *mapping, const size_t layer) {
  const twin_workload *const workload = space->context.workload;
  const uint32_t live = twin_live_held(space, mapping, layer);
  double elements = 0;
  for (size_t j = 0; j < layer; j++) {
    elements += (live >> j & 1U) != 0 ? twin_stored_size(workload, &workload->nodes[j]) : 0;
  }
  elements +=
      mapping->layers[layer].is_held ? twin_stored_size(workload, &workload->nodes[layer]) : 0;
  return layer_bytes(space, mapping, layer, elements);
}

double twin_holding_bytes(const twin_space *space, const twin_mapping *mapping,
                          const size_t layer) {
  const twin_node *const node = &space->context.workload->nodes[layer];
  const double pooled_bytes = node->pool_window > 0
                                  ? layer_bytes(space, mapping, layer, twin_out_elements(node)) *
                                        node->out_bytes / space->context.workload->element_bytes
                                  : 0;
  return twin_held_bytes(space, mapping, layer) + pooled_bytes;
}

bool twin_is_in_group(const twin_mapping *mapping, const size_t layer) {
  for (size_t i = 0; i < mapping->group_count; i++) {
    const twin_group *const group = &mapping->groups[i];
    if (layer >= group->first && layer < group->first + group->count) {
      return true;
    }
  }
  return false;
}

/* Is a name's whole set of layers first .. first + count - 1? */
static bool is_whole_set(const twin_workload *workload, const size_t first, const size_t count) {
  const char *const name = workload->nodes[first].pipeline_name;
  for (size_t i = 0; i < workload->node_count; i++) {
    const bool is_member = workload->nodes[i].pipeline_rule == TWIN_PIPELINE_NAMED &&
                           strcmp(workload->nodes[i].pipeline_name, name) == 0;
    if (is_member != (i >= first && i < first + count)) {
      return false;
    }
  }
  return true;
}

bool twin_keeps_kernel(const twin_space *space, const size_t layer) {
  const twin_node *const node = &space->context.workload->nodes[layer];
  const bool is_kept = node->kind != TWIN_EMBEDDING && /* other rows in each timestep */
                       (!twin_is_product(node) || space->context.system->resident_operands);
  return space->options.reuse && node->timesteps > 1 && is_kept;
}

bool twin_columns_are_allowed(const twin_system *system, const size_t columns) {
  const size_t all = (size_t)twin_row_chips(system);
  const bool may_differ = system->pipeline_columns && system->axis_count == 2;
  return columns == all || (may_differ && columns > 0 && all % columns == 0);
}

double twin_chain_rows(const twin_system *system, const size_t columns) {
  return twin_row_chips(system) / (double)columns * twin_last_axis(system)->chips;
}

static double most_rows(const twin_system *system) {
  const bool may_be_narrow = twin_columns_are_allowed(system, 1);
  return twin_chain_rows(system, may_be_narrow ? 1 : (size_t)twin_row_chips(system));
}

bool twin_group_is_allowed(const twin_space *space, const size_t first, const size_t count) {
  const twin_workload *const workload = space->context.workload;
  if (!space->options.pipeline || count < 2 || first + count > workload->node_count ||
      (double)count > most_rows(space->context.system)) {
    return false;
  }
  const twin_node *const head = &workload->nodes[first];
  for (size_t i = first; i < first + count; i++) {
    const twin_node *const node = &workload->nodes[i];
    if (node->kind != TWIN_LSTM || node->pipeline_rule == TWIN_PIPELINE_NEVER ||
        node->pipeline_rule != head->pipeline_rule || node->timesteps != head->timesteps) {
      return false;
    }
  }
  return head->pipeline_rule == TWIN_PIPELINE_FREE || is_whole_set(workload, first, count);
}

/* Section 7: what a layer must obey while something is on chip. */
static const char *holding_fault(const twin_space *space, const twin_mapping *mapping,
                                 const size_t layer, const twin_pass_kind last_pass) {
  const twin_system *const system = space->context.system;
  const twin_decision *const decision = &mapping->layers[layer];
  const uint32_t live = twin_live_held(space, mapping, layer);
  if (live == 0 && !decision->is_held) {
    return NULL;
  }
  for (int pass = TWIN_FORWARD; pass <= (int)last_pass; pass++) {
    if (decision->parallelism[pass] != decision->parallelism[TWIN_FORWARD]) {
      return "something is held by a layer whose passes differ";
    }
  }
  for (size_t j = 0; j < layer; j++) {
    const twin_decision *const maker = &mapping->layers[j];
    if ((live >> j & 1U) != 0 &&
        (maker->parallelism[TWIN_FORWARD] != decision->parallelism[TWIN_FORWARD] ||
         maker->factor != decision->factor)) {
      return "parallelism or factor changes in the life of a held output";
    }
  }
  const double held_bytes = twin_holding_bytes(space, mapping, layer);
  if (system->shared_bytes > 0) {
    return held_bytes > system->shared_bytes * (1 + TWIN_TIE_RATIO)
               ? "held outputs do not fit the shared memory"
               : NULL;
  }
  const double need_bytes = held_bytes + system->cores * system->streaming_buffer_bytes;
  if (need_bytes > system->cores * system->scratchpad_bytes * (1 + TWIN_TIE_RATIO)) {
    return "held outputs do not fit the scratchpads";
  }
  return NULL;
}

/* A held output has a layout only where that is a decision. */
static bool parts_are_allowed(const twin_system *system, const twin_decision *decision) {
  const twin_parts *const parts = &decision->parts;
  const double product =
      (double)parts->features * (double)parts->positions * (double)parts->samples;
  const bool is_due = decision->is_held && system->layout_move == TWIN_MOVE_EXACT;
  return product == (is_due ? system->cores : 0);
}

const char *twin_layer_fault(const twin_space *space, const twin_mapping *mapping,
                             const size_t layer, const twin_pass_kind last_pass) {
  const twin_decision *const decision = &mapping->layers[layer];
  for (int pass = TWIN_FORWARD; pass <= (int)last_pass; pass++) {
    const twin_parallelism parallelism = decision->parallelism[pass];
    if (!space->allowed[layer][parallelism]) {
      return "parallelism is not allowed";
    }
    if (parallelism != decision->parallelism[TWIN_FORWARD] && !twin_passes_may_differ(space)) {
      return "passes differ";
    }
  }
  if (!twin_factor_is_allowed(space, layer, decision->factor)) {
    return "DySM factor is not allowed";
  }
  if (decision->is_hoisted && !twin_may_hoist(space, layer)) {
    return "input products cannot be hoisted";
  }
  const twin_workload *const workload = space->context.workload;
  for (size_t j = 0; j < layer && space->context.system->dysm_uniform; j++) {
    if (twin_is_convolution(&workload->nodes[j]) && twin_is_convolution(&workload->nodes[layer]) &&
        mapping->layers[j].factor != decision->factor) {
      return "DySM factors of convolutions differ";
    }
  }
  if (decision->is_held && !(space->options.reuse && space->is_holdable[layer])) {
    return "output cannot be held";
  }
  if (!parts_are_allowed(space->context.system, decision)) {
    return "layout of a held output";
  }
  return holding_fault(space, mapping, layer, last_pass);
}

const char *twin_group_fault(const twin_space *space, const twin_mapping *mapping,
                             const twin_group *group) {
  if (!twin_group_is_allowed(space, group->first, group->count)) {
    return "layers cannot be a pipeline group";
  }
  const twin_system *const system = space->context.system;
  if (!twin_columns_are_allowed(system, group->columns)) {
    return "a pipeline group has a wrong number of columns";
  }
  size_t rows = 0;
  for (size_t stage = 0; stage < group->count; stage++) {
    const size_t layer = group->first + stage;
    const twin_decision *const decision = &mapping->layers[layer];
    if (twin_live_held(space, mapping, layer) != 0 || decision->is_held) {
      return "something is held in a pipeline group";
    }
    for (int pass = TWIN_FORWARD; pass < TWIN_PASS_COUNT; pass++) {
      if (!space->allowed[layer][decision->parallelism[pass]] ||
          decision->parallelism[pass] != decision->parallelism[TWIN_FORWARD]) {
        return "parallelism of a stage is not allowed";
      }
    }
    if (decision->factor != 1 || decision->is_hoisted || group->rows[stage] < 1 ||
        (double)group->rows[stage] > twin_last_axis(system)->chips) {
      return "a stage has a DySM factor, no row, or too many, or is hoisted";
    }
    rows += group->rows[stage];
  }
  return (double)rows > twin_chain_rows(system, group->columns)
             ? "a pipeline group has too many rows"
             : NULL;
}

const char *twin_mapping_fault(const twin_space *space, const twin_mapping *mapping) {
  if (mapping->layer_count != space->context.workload->node_count) {
    return "number of layers";
  }
  size_t end = 0; /* of the groups so far */
  for (size_t i = 0; i < mapping->group_count; i++) {
    const twin_group *const group = &mapping->groups[i];
    if (group->first < end || group->first + group->count > mapping->layer_count) {
      return "pipeline groups overlap";
    }
    end = group->first + group->count;
    const char *const fault = twin_group_fault(space, mapping, group);
    if (fault != NULL) {
      return fault;
    }
  }
  for (size_t i = 0; i < mapping->layer_count; i++) {
    const char *const fault =
        twin_is_in_group(mapping, i) ? NULL : twin_layer_fault(space, mapping, i, TWIN_UPDATE);
    if (fault != NULL) {
      return fault;
    }
  }
  return NULL;
}

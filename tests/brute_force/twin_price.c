/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_price.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "twin_between_cores.h"
#include "twin_bytes.h"
#include "twin_reductions.h"
#include "twin_tied.h"
#include "twin_types.h"

static const double unknown = -1;

static bool refs_are_held(const twin_refs *refs, const uint32_t live) {
  for (size_t i = 0; i < refs->count; i++) {
    const int layer = refs->layers[i];
    if (layer == TWIN_NETWORK_INPUT || (live >> layer & 1U) == 0) {
      return false;
    }
  }
  return refs->count > 0;
}

/* Section 7: the circumstances in which a layer's invocations run. */
static twin_condition condition_of(const twin_space *space, const twin_mapping *mapping,
                                   const size_t layer, const twin_invocation_kind kind) {
  const twin_context *const context = &space->context;
  const twin_system *const system = context->system;
  const twin_node *const node = &context->workload->nodes[layer];
  const twin_decision *const decision = &mapping->layers[layer];
  const uint32_t live = twin_live_held(space, mapping, layer);
  twin_condition condition = twin_plain_condition(context, node);
  condition.samples = context->workload->minibatch / (double)decision->factor;
  condition.is_input_held = refs_are_held(&node->inputs, live);
  condition.is_shortcut_held = refs_are_held(&node->shortcut, live);
  condition.is_output_held = decision->is_held;
  if (layer > 0 && mapping->layers[layer - 1].is_held && !context->inference) {
    condition.deferred_elements =
        twin_stored_size(context->workload, &context->workload->nodes[layer - 1]);
  }
  if (live != 0 || decision->is_held) {
    const double held_bytes = twin_held_bytes(space, mapping, layer);
    condition.free_bytes = fmax(0, system->shared_bytes - held_bytes);
    condition.cap_bytes = system->shared_bytes > 0
                              ? system->scratchpad_bytes
                              : fmax(system->scratchpad_bytes - held_bytes / system->cores,
                                     system->scratchpad_bytes / 16);
  }
  if (kind == TWIN_INVOCATION_ACCUMULATE) {
    condition.accumulates = system->dysm_accumulate_in_memory;
  }
  return condition;
}

static size_t factor_index(const twin_space *space, const size_t factor) {
  size_t index = 0;
  while (space->factors[index] != factor) {
    index++;
    assert(index < space->factor_count);
  }
  return index;
}

/* The circumstances of an invocation as an index of the memo. */
static size_t memo_index(const twin_space *space, const twin_mapping *mapping, const size_t layer,
                         const twin_pass_kind pass, const twin_invocation_kind kind) {
  const twin_decision *const decision = &mapping->layers[layer];
  size_t index = layer * TWIN_PASS_COUNT + pass;
  index = index * TWIN_PARALLELISM_COUNT + decision->parallelism[pass];
  index = index * TWIN_MAX_FACTORS + factor_index(space, decision->factor);
  index = index * TWIN_LIVE_SETS + twin_live_held(space, mapping, layer);
  index = index * 2 + (decision->is_held ? 1 : 0);
  return index * TWIN_INVOCATION_KIND_COUNT + kind;
}

/* All splits of an invocation, layouts of held tensors aside. */
static const twin_candidates *candidates_of(const twin_pricer *pricer, const twin_mapping *mapping,
                                            const size_t layer, const twin_pass_kind pass,
                                            const twin_invocation_kind kind) {
  const twin_space *const space = &pricer->space;
  twin_candidates **const known =
      &pricer->candidates[memo_index(space, mapping, layer, pass, kind)];
  if (*known == NULL) {
    const twin_condition condition = condition_of(space, mapping, layer, kind);
    twin_candidates list;
    twin_enumerate_invocations(&list, &space->context, &space->context.workload->nodes[layer], pass,
                               mapping->layers[layer].parallelism[pass], &condition);
    const size_t size = offsetof(twin_candidates, items) + list.count * sizeof list.items[0];
    *known = malloc(size);
    assert(*known != NULL);
    memcpy(*known, &list, size);
  }
  return *known;
}

/* The least of these, with what the held tensors of the mapping move in each. */
static double least_laid_out_cycles(const twin_pricer *pricer, const twin_mapping *mapping,
                                    const size_t layer, const twin_pass_kind pass,
                                    const twin_condition *condition, const twin_candidates *list) {
  const twin_context *const context = &pricer->space.context;
  const twin_node *const node = &context->workload->nodes[layer];
  const twin_node as_read = twin_as_read(context, node, pass);
  const twin_layout layout =
      twin_layout_of(context->system, mapping->layers[layer].parallelism[pass]);
  const twin_traffic bytes =
      twin_traffic_of(context, &as_read, layout, list->items[0].split, condition);
  twin_parts layouts[TWIN_MAX_LAYERS];
  for (size_t i = 0; i < mapping->layer_count; i++) {
    layouts[i] = mapping->layers[i].parts;
  }
  double least = HUGE_VAL;
  for (size_t i = 0; i < list->count; i++) {
    const double moves = twin_layout_move_cycles(context, node, pass, list->items[i].split, &bytes,
                                                 condition, layouts);
    least = fmin(least, list->items[i].total + moves);
  }
  return least;
}

/* Do held tensors of the mapping move where a split does not fit their layout? */
static bool has_layouts(const twin_context *context, const twin_condition *condition) {
  return context->system->layout_move == TWIN_MOVE_EXACT &&
         (condition->is_input_held || condition->is_output_held);
}

/* Cycles of one invocation under the split that is asked for. */
static double given_split_cycles(const twin_pricer *pricer, const twin_mapping *mapping,
                                 const size_t layer, const twin_pass_kind pass,
                                 const twin_invocation_kind kind) {
  const twin_context *const context = &pricer->space.context;
  const twin_condition condition = condition_of(&pricer->space, mapping, layer, kind);
  const size_t *const given = kind == TWIN_INVOCATION_ACCUMULATE
                                  ? pricer->splits->accumulating[layer]
                                  : pricer->splits->first[layer][pass];
  double split[TWIN_DIM_COUNT];
  for (size_t dim = 0; dim < TWIN_DIM_COUNT; dim++) {
    split[dim] = (double)given[dim];
  }
  twin_candidates only;
  only.count = 1;
  only.items[0] = twin_invocation_of(context, &context->workload->nodes[layer], pass,
                                     mapping->layers[layer].parallelism[pass], split, &condition);
  return has_layouts(context, &condition)
             ? least_laid_out_cycles(pricer, mapping, layer, pass, &condition, &only)
             : only.items[0].total;
}

/* Cycles of one invocation under its best split. */
static double invocation_cycles(const twin_pricer *pricer, const twin_mapping *mapping,
                                const size_t layer, const twin_pass_kind pass,
                                const twin_invocation_kind kind) {
  const twin_space *const space = &pricer->space;
  if (pricer->splits != NULL && space->context.workload->nodes[layer].timesteps <= 1) {
    return given_split_cycles(pricer, mapping, layer, pass, kind);
  }
  if (space->context.system->layout_move == TWIN_MOVE_EXACT) {
    const twin_condition condition = condition_of(space, mapping, layer, kind);
    if (has_layouts(&space->context, &condition)) {
      return least_laid_out_cycles(pricer, mapping, layer, pass, &condition,
                                   candidates_of(pricer, mapping, layer, pass, kind));
    }
  }
  const twin_parallelism parallelism = mapping->layers[layer].parallelism[pass];
  double *const known = &pricer->memo->best[memo_index(space, mapping, layer, pass, kind)];
  if (*known < 0) {
    const twin_condition condition = condition_of(space, mapping, layer, kind);
    twin_invocation best = {.total = HUGE_VAL};
    (void)twin_best_invocation(&best, &space->context, &space->context.workload->nodes[layer], pass,
                               parallelism, &condition, HUGE_VAL);
    *known = best.total;
  }
  return *known;
}

/* Cycles of a later timestep; HUGE_VAL where it cannot find its kernel on chip. */
static double steady_cycles(const twin_pricer *pricer, const size_t layer,
                            const twin_pass_kind pass, const twin_parallelism parallelism) {
  const twin_context *const context = &pricer->space.context;
  double *const known = &pricer->memo->steady[layer][pass][parallelism];
  if (*known < 0) {
    twin_invocation best = {.total = HUGE_VAL};
    *known = twin_best_steady_invocation(&best, context, &context->workload->nodes[layer], pass,
                                         parallelism)
                 ? best.total
                 : HUGE_VAL;
  }
  return *known;
}

/* The best of all invocations of a layer's loops with so many samples. */
static double best_cycles(const twin_context *context, const twin_node *node,
                          const twin_pass_kind pass, const twin_parallelism parallelism,
                          const double samples) {
  twin_condition condition = twin_plain_condition(context, node);
  twin_invocation best = {.total = HUGE_VAL};
  condition.samples = samples;
  condition.accumulates = false;
  (void)twin_best_invocation(&best, context, node, pass, parallelism, &condition, HUGE_VAL);
  return best.total;
}

/* A pass with hoisted input products, without what is paid once: those of all timesteps at once,
 * then the timesteps; in update two products of all samples of all timesteps. */
static double hoisted_cycles(const twin_pricer *pricer, const size_t layer,
                             const twin_pass_kind pass, const twin_parallelism parallelism) {
  const twin_context *const context = &pricer->space.context;
  const twin_node *const lstm = &context->workload->nodes[layer];
  const twin_node input = twin_hoisted_input(lstm);
  const twin_node step = twin_hoisted_step(lstm);
  const double minibatch = context->workload->minibatch;
  const double nd = twin_layout_of(context->system, parallelism).nd;
  const double all = lstm->timesteps * ceil(minibatch / nd) * nd;
  double *const known = &pricer->memo->hoisted[layer][pass][parallelism];
  if (*known >= 0) {
    return *known;
  }
  *known = best_cycles(context, &input, pass, parallelism, all);
  if (pass == TWIN_UPDATE) {
    *known += best_cycles(context, &step, pass, parallelism, all);
    return *known;
  }
  const double first = best_cycles(context, &step, pass, parallelism, minibatch);
  twin_invocation steady = {.total = HUGE_VAL};
  double steps = lstm->timesteps * first;
  if (twin_keeps_kernel(&pricer->space, layer) &&
      twin_best_steady_invocation(&steady, context, &step, pass, parallelism)) {
    steps = fmin(steps, first + (lstm->timesteps - 1) * steady.total);
  }
  *known += steps;
  return *known;
}

/* Sections 5 and 11: what the update pass pays once a step. */
static double update_once_cycles(const twin_pricer *pricer, const twin_mapping *mapping,
                                 const size_t layer) {
  const twin_context *const context = &pricer->space.context;
  const twin_workload *const workload = context->workload;
  const twin_node *const node = &workload->nodes[layer];
  const twin_parallelism *const p = mapping->layers[layer].parallelism;
  double *const known =
      &pricer->memo->exchange[layer][p[TWIN_FORWARD]][p[TWIN_BACKWARD]][p[TWIN_UPDATE]];
  if (*known < 0) {
    const double samples = workload->minibatch * node->timesteps;
    const double input_bytes = twin_in_elements(node) * samples * node->in_bytes;
    const double error_bytes = twin_stored_elements(node) * samples * node->out_bytes;
    *known = twin_weight_exchange_cycles(context, node, p) +
             twin_move_cycles(context->system, input_bytes, p[TWIN_FORWARD], p[TWIN_UPDATE]) +
             twin_move_cycles(context->system, error_bytes, p[TWIN_BACKWARD], p[TWIN_UPDATE]);
  }
  return *known;
}

double twin_price_pass(const twin_pricer *pricer, const twin_mapping *mapping, const size_t layer,
                       const twin_pass_kind pass) {
  const twin_space *const space = &pricer->space;
  const twin_node *const node = &space->context.workload->nodes[layer];
  if (!twin_has_pass(node, pass, space->context.inference)) {
    return 0;
  }
  if (mapping->layers[layer].is_hoisted) {
    return hoisted_cycles(pricer, layer, pass, mapping->layers[layer].parallelism[pass]) +
           (pass == TWIN_UPDATE ? update_once_cycles(pricer, mapping, layer) : 0);
  }
  const double factor = (double)mapping->layers[layer].factor;
  const double first = invocation_cycles(pricer, mapping, layer, pass, TWIN_INVOCATION_FIRST);
  double once = 0;
  if (pass == TWIN_UPDATE) {
    once = update_once_cycles(pricer, mapping, layer);
  }
  if (pass == TWIN_UPDATE && factor > 1) {
    const double accumulate =
        invocation_cycles(pricer, mapping, layer, pass, TWIN_INVOCATION_ACCUMULATE);
    return first + (factor - 1) * accumulate + once;
  }
  const double timesteps = node->timesteps;
  double cycles = timesteps * first;
  if (twin_keeps_kernel(space, layer)) {
    const double steady =
        steady_cycles(pricer, layer, pass, mapping->layers[layer].parallelism[pass]);
    cycles = fmin(cycles, first + (timesteps - 1) * steady);
  }
  const double operands = twin_is_product(node) && pass == TWIN_BACKWARD ? 2 : 1;
  return operands * factor * cycles + once;
}

double twin_price_boundary(const twin_pricer *pricer, const twin_mapping *mapping,
                           const size_t layer, const twin_pass_kind pass) {
  const bool is_crossed = pass == TWIN_FORWARD || pass == TWIN_BACKWARD;
  if (!is_crossed || layer == 0 || twin_is_in_group(mapping, layer) ||
      twin_is_in_group(mapping, layer - 1)) {
    return 0;
  }
  const twin_parallelism before = mapping->layers[layer - 1].parallelism[pass];
  const twin_parallelism after = mapping->layers[layer].parallelism[pass];
  double *const known = &pricer->memo->relayout[layer][before][after];
  if (*known < 0) {
    *known = twin_relayout_cycles(&pricer->space.context, layer, before, after);
  }
  return *known; /* the same in both directions */
}

double twin_price_transient(const twin_pricer *pricer, const twin_mapping *mapping,
                            const size_t layer) {
  const twin_context *const context = &pricer->space.context;
  const twin_parallelism *const p = mapping->layers[layer].parallelism;
  const double bytes = twin_transient_bytes(context, layer, p[TWIN_FORWARD], p[TWIN_BACKWARD]);
  const bool has_input = context->inference && twin_input_is_live(context->workload, layer);
  return bytes + (has_input ? twin_network_input_bytes(context, p[TWIN_FORWARD]) : 0);
}

bool twin_fits(const twin_space *space, const double need_bytes) {
  return need_bytes <= space->context.system->capacity_bytes * (1 + TWIN_TIE_RATIO);
}

static void price_one_layer(const twin_pricer *pricer, const twin_mapping *mapping,
                            const size_t layer, twin_cost *cost, double *largest_transient) {
  const twin_parallelism forward = mapping->layers[layer].parallelism[TWIN_FORWARD];
  for (int i = TWIN_FORWARD; i < TWIN_PASS_COUNT; i++) {
    const twin_pass_kind pass = (twin_pass_kind)i;
    if (pass == TWIN_FORWARD || !pricer->space.context.inference) {
      cost->pass_cycles[layer][pass] = twin_price_pass(pricer, mapping, layer, pass);
      cost->boundary_cycles[layer][pass] = twin_price_boundary(pricer, mapping, layer, pass);
      cost->cycles += cost->pass_cycles[layer][pass] + cost->boundary_cycles[layer][pass];
    }
  }
  cost->memory_bytes += twin_kept_bytes(&pricer->space.context, layer, forward);
  if (mapping->layers[layer].is_hoisted) {
    cost->memory_bytes += twin_hoisted_bytes(&pricer->space.context, layer, forward);
  }
  *largest_transient = fmax(*largest_transient, twin_price_transient(pricer, mapping, layer));
}

/* What passes of layers do not have by themselves. */
static void add_reductions(const twin_pricer *pricer, const twin_mapping *mapping,
                           const double *after_forward, twin_cost *cost) {
  twin_summed_layer layers[TWIN_MAX_LAYERS];
  double cycles[TWIN_MAX_LAYERS];
  for (size_t i = 0; i < mapping->layer_count; i++) {
    memcpy(layers[i].parallelism, mapping->layers[i].parallelism, sizeof layers[i].parallelism);
    layers[i].is_grouped = twin_is_in_group(mapping, i);
    layers[i].update_cycles =
        layers[i].is_grouped ? after_forward[i] : cost->pass_cycles[i][TWIN_UPDATE];
    layers[i].backward_cycles = layers[i].is_grouped ? 0 : cost->pass_cycles[i][TWIN_BACKWARD];
    if (!layers[i].is_grouped && i + 1 < mapping->layer_count) {
      const bool has_backward = twin_has_backward(&pricer->space.context.workload->nodes[i]);
      *(has_backward ? &layers[i].backward_cycles : &layers[i].update_cycles) +=
          cost->boundary_cycles[i + 1][TWIN_BACKWARD];
    }
  }
  for (size_t i = 0; i < mapping->layer_count; i++) {
    layers[i].update_cycles += twin_tied_cycles(&pricer->space.context, layers, i);
  }
  twin_price_reductions(cycles, &pricer->space.context, layers);
  for (size_t i = 0; i < mapping->layer_count; i++) {
    const double tied = twin_tied_cycles(&pricer->space.context, layers, i);
    cost->pass_cycles[i][TWIN_UPDATE] += cycles[i] + tied;
    cost->cycles += cycles[i] + tied;
    cost->memory_bytes += twin_tied_bytes(&pricer->space.context, layers, i);
  }
}

twin_cost twin_price(const twin_pricer *pricer, const twin_mapping *mapping) {
  twin_cost cost = {.memory_bytes = 0};
  double largest_transient = 0;
  double after_forward[TWIN_MAX_LAYERS] = {0}; /* of groups */
  for (size_t i = 0; i < mapping->layer_count; i++) {
    if (!twin_is_in_group(mapping, i)) {
      price_one_layer(pricer, mapping, i, &cost, &largest_transient);
    }
  }
  for (size_t i = 0; i < mapping->group_count; i++) {
    const twin_group *const group = &mapping->groups[i];
    twin_stage stages[TWIN_MAX_LAYERS];
    twin_fetching fetching[TWIN_MAX_LAYERS];
    for (size_t j = 0; j < group->count; j++) {
      const unsigned place = (j == 0 ? (unsigned)TWIN_STAGE_FIRST : 0) |
                             (j + 1 == group->count ? (unsigned)TWIN_STAGE_LAST : 0);
      stages[j] =
          twin_price_stage(pricer, group->first + j, group->columns, group->rows[j],
                           mapping->layers[group->first + j].parallelism[TWIN_FORWARD], place);
      memcpy(fetching[j].passes, mapping->layers[group->first + j].fetches,
             sizeof fetching[j].passes);
    }
    const twin_group_price price =
        twin_price_group(pricer, group->first, group->count, stages, fetching);
    cost.group_cycles[i] = price.cycles;
    after_forward[group->first] = price.after_forward_cycles;
    cost.cycles += price.cycles;
    cost.memory_bytes += price.kept_bytes;
    largest_transient = fmax(largest_transient, price.transient_bytes);
  }
  add_reductions(pricer, mapping, after_forward, &cost);
  cost.memory_bytes += largest_transient;
  cost.fits = twin_fits(&pricer->space, cost.memory_bytes);
  return cost;
}

bool twin_pricer_make(twin_pricer *out, const twin_context *context, const twin_options options) {
  const bool has_layouts = context->system->layout_move == TWIN_MOVE_EXACT;
  *out = (twin_pricer){.space = twin_space_make(context, options),
                       .memo = malloc(sizeof(twin_memo)),
                       .candidates =
                           has_layouts ? calloc(TWIN_MEMO_SIZE, sizeof *out->candidates) : NULL};
  if (out->memo == NULL || (has_layouts && out->candidates == NULL)) {
    twin_pricer_free(out);
    return false;
  }
  double *const cells = (double *)out->memo; /* of nothing but doubles */
  for (size_t i = 0; i < sizeof(twin_memo) / sizeof *cells; i++) {
    cells[i] = unknown;
  }
  return true;
}

void twin_pricer_free(twin_pricer *pricer) {
  for (size_t i = 0; pricer->candidates != NULL && i < TWIN_MEMO_SIZE; i++) {
    free(pricer->candidates[i]);
  }
  free(pricer->candidates);
  free(pricer->memo);
  *pricer = (twin_pricer){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resolve.c: from declared layers to primary layers.
 *
 * Walks the declared layers in order. A layer may use only layers before it, so the order of the
 * description is an order of execution and the graph has no cycle. Each relation between a layer
 * and its producers is checked here, and each quantity of docs/model.md, section 1, derived.
 *
 * Layers that are wrong by themselves take part too, as far as they can: references to them and by
 * them are checked, what they deliver is not.
 */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "workload/resolver.h"
#include "workload/shape.h"
#include "workload/siblings.h"
#include "workload/unconnected.h"

static bool is_fed_only_by_network(const dsm_layer_spec *spec, size_t index) {
  for (size_t i = 0; i < spec->input_count; i++) {
    if (spec->inputs[i] == NULL || !dsm__is_network_input(spec->inputs[i])) {
      return false;
    }
  }
  return spec->input_count > 0 || index == 0;
}

/* The network's input, where it is not stated, is what the first layer fed by it alone needs. */
static void infer_input(dsm__resolver *r) {
  dsm_workload *const workload = r->workload;
  r->input_definer = SIZE_MAX;
  r->is_input_wrong = workload->is_input_stated &&
                      (workload->input_features == 0 || workload->input_size.rows == 0 ||
                       workload->input_size.columns == 0);
  for (size_t i = 0; i < workload->spec_count && !workload->is_input_stated; i++) {
    const dsm_layer_spec *const spec = &workload->specs[i];
    const bool is_pooled = dsm__find_pool(spec, true) != NULL;
    if (!is_fed_only_by_network(spec, i) || dsm__input_count(spec) != 1 || is_pooled) {
      continue;
    }
    r->is_input_wrong = dsm__is_wrong_layer(r, i);
    if (!dsm__is_wrong_layer(r, i)) {
      const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
      workload->input_features = spec->in;
      workload->input_size = kind->is_grown
                                 ? kind->least_input(spec)
                                 : (dsm_size2){spec->feature.rows * spec->stride.rows,
                                               spec->feature.columns * spec->stride.columns};
      r->input_definer = i;
      return;
    }
  }
}

/* A side may be as long as feature times stride, so that the product must be checked first of all.
 */
static void check_input(dsm__resolver *r) {
  dsm_workload *const workload = r->workload;
  const dsm_size2 size = workload->input_size;
  uint64_t elements = 0;
  if (!dsm__bounded_product(&elements, workload->input_features, size.rows, size.columns, 1)) {
    const dsm__json_node stated = dsm__json_member(&r->builder->root, "input");
    dsm__json_error(workload->is_input_stated ? &stated
                                              : &r->builder->layers.items[r->input_definer].node,
                    NULL,
                    "expected a network's input of at most 2^53 elements, found %llu x %llu x %llu "
                    "(features, rows, columns)",
                    (unsigned long long)workload->input_features, (unsigned long long)size.rows,
                    (unsigned long long)size.columns);
    r->is_input_wrong = true;
  }
  if (r->is_input_wrong) {
    workload->input_features = 0; /* not known, like what a wrong producer delivers */
  }
}

/* The primary layers behind so many inputs; NULL: memory was out, which was noted. */
static const size_t *primaries_of(const dsm__resolver *r, const size_t *spec_indices, size_t count,
                                  size_t *primary_count) {
  size_t *const primaries = dsm__new_indices(r, DSM__PRIMARIES_MAX * count);
  *primary_count = 0;
  for (size_t i = 0; primaries != NULL && i < count; i++) {
    if (spec_indices[i] == DSM_NETWORK_INPUT) {
      primaries[(*primary_count)++] = DSM_NETWORK_INPUT;
    } else {
      *primary_count += dsm__append_primaries(r, spec_indices[i], &primaries[*primary_count]);
    }
  }
  return primaries;
}

/* Adds the primary layers of a declared layer, with their names. */
static bool add_primaries(dsm__resolver *r, const dsm__layer_entry *layer, const dsm_layer *made) {
  const size_t count = dsm__primary_count_of(layer->spec);
  r->first_primary[layer->index] = r->layer_count;
  for (size_t i = 0; i < count; i++) {
    dsm_layer *const out = &r->layers[r->layer_count];
    *out = made[i];
    out->name = layer->spec->name;
    if (count > 1) {
      out->name = dsm__arena_printf(r->workload->arena, "%s.%s", layer->spec->name, made[i].name);
    }
    if (dsm__json_lacks_memory(r->doc, out->name == NULL)) {
      return false;
    }
    if (count > 1 && dsm__name_index_find(&r->names, out->name) != SIZE_MAX) {
      const dsm__json_node name = dsm__json_member(layer->node, "name");
      dsm__json_error(&name, NULL,
                      "expected no other layer with the name of this one's direction, found \"%s\"",
                      out->name);
    }
    r->layer_count++;
  }
  return true;
}

static bool check_in(const dsm__layer_entry *layer, uint64_t delivered) {
  if (delivered == layer->spec->in) {
    return true;
  }
  const dsm__json_node node = dsm__json_member(layer->node, "in");
  dsm__json_error(&node, NULL, "expected %llu, which the layer's inputs deliver, found %llu",
                  (unsigned long long)delivered, (unsigned long long)layer->spec->in);
  return false;
}

static bool check_operand_elements(const dsm__resolver *r, const dsm__layer_entry *layer) {
  const dsm_workload *const workload = r->workload;
  const char *const operand = layer->spec->operand;
  if (operand == NULL || workload->minibatch == 0 || dsm__is_wrong_layer(r, layer->index)) {
    return true; /* a minibatch of 0 was wrong, and reported */
  }
  const size_t from = workload->is_list ? 0 : dsm__name_index_find(&r->names, operand);
  return dsm__operand_elements_check(layer, workload->is_list ? NULL : &r->deliveries[from],
                                     workload->specs[from].timesteps, workload->minibatch);
}

/* The primary layers of a declared one with their quantities; what of these is too many, or NULL.
 * Auxiliary operations work on what the layer delivers. */
static const char *lower_layer(const dsm__lowering *lowering, dsm_layer *made) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  const dsm_size2 read = lowering->gathered.size;
  const char *too_many = NULL;
  kind->lower(lowering, made);
  for (size_t i = 0; i < dsm__primary_count_of(spec) && too_many == NULL; i++) {
    const bool has_own = made[i].experts > 0 || kind->reads_parts;
    const dsm__layer_positions positions = {
        .input = kind->reads_positions ? read.rows * read.columns : made[i].ij,
        .output = has_own ? made[i].ij : spec->feature.rows * spec->feature.columns,
        .stored = has_own ? made[i].ij : lowering->stored.rows * lowering->stored.columns};
    const uint64_t rows = spec->feature.rows;
    const bool is_of_features = rows * spec->feature.columns == made[i].ij;
    made[i].rows = made[i].rows > 0 ? made[i].rows : is_of_features ? rows : made[i].ij;
    too_many = dsm__layer_derive_quantities(&made[i], &positions);
    if (too_many == NULL && i >= dsm__first_output_of(spec)) {
      too_many = dsm__auxiliary_derive(lowering, &made[i]);
    }
    made[i].mask_elements = made[i].has_op[DSM_AUX_DROPOUT] ? made[i].output_elements : 0;
    if (made[i].is_score) { /* its dropout is behind its softmax */
      made[i].kept_results = made[i].mask_elements;
    }
  }
  return too_many;
}

/* Sizes behind what works on the input. */
static bool derive_input_size(dsm__lowering *lowering) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const dsm_aux *const pool = dsm__find_pool(spec, true);
  const dsm_aux *const upsample = dsm__find_op(spec, DSM_AUX_UPSAMPLE);
  lowering->input = lowering->gathered.size;
  if (upsample != NULL) {
    lowering->input.rows *= upsample->factor.rows;
    lowering->input.columns *= upsample->factor.columns;
    lowering->upsampled = lowering->input;
    if (lowering->input.rows > DSM_SIDE_MAX || lowering->input.columns > DSM_SIDE_MAX) {
      dsm__json_error(lowering->layer->node, NULL,
                      "expected an upsampled input of at most %d rows and columns, found "
                      "%llu x %llu",
                      DSM_SIDE_MAX, (unsigned long long)lowering->input.rows,
                      (unsigned long long)lowering->input.columns);
      return false;
    }
  }
  return pool == NULL ||
         dsm__pool_derive_size(lowering->layer, pool, lowering->input, &lowering->input);
}

/* Checks `in`, pools and sizes against what the producers deliver; fills the loops and quantities
 * of its primary layers. */
static bool derive_layer(const dsm__resolver *r, const dsm__layer_entry *layer,
                         dsm__delivery gathered, const dsm__delivery *parts, dsm_layer *made) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  dsm__lowering lowering = {
      .layer = layer,
      .gathered = gathered,
      .parts = parts,
      .part_count = dsm__input_count(spec),
      .stored = r->deliveries[layer->index].size,
      .is_definer = r->input_definer == layer->index,
      .is_input_inferred =
          r->input_definer != SIZE_MAX && is_fed_only_by_network(spec, layer->index),
  };
  if (!derive_input_size(&lowering)) {
    return false;
  }
  const bool is_flattened = !kind->reads_positions && dsm__find_pool(spec, true) != NULL;
  const uint64_t flattened = is_flattened ? lowering.input.rows * lowering.input.columns : 1;
  uint64_t delivered = 0;
  const char *too_many = "input features";
  if (dsm__bounded_product(&delivered, gathered.features, flattened, 1, 1)) {
    const bool is_in_good =
        (kind->states_features & DSM__STATES_IN) == 0 || check_in(layer, delivered);
    const bool is_size_good = kind->check == NULL || kind->check(&lowering);
    if (!is_in_good || !is_size_good) {
      return false;
    }
    too_many = lower_layer(&lowering, made);
  }
  if (too_many != NULL) {
    dsm__json_error(layer->node, NULL, "expected at most 2^53 %s per sample, found more", too_many);
  }
  return too_many == NULL;
}

/* What a layer delivers: known before anything else of it is checked, so that the layers behind a
 * wrong one are still checked against what it declares. */
static void derive_delivery(dsm__resolver *r, const dsm__layer_entry *layer) {
  const dsm_aux *const pool = dsm__find_pool(layer->spec, false);
  dsm__delivery *const own = &r->deliveries[layer->index];
  if (dsm__is_wrong_layer(r, layer->index)) {
    return;
  }
  const size_t first = dsm__first_output_of(layer->spec);
  own->size = layer->spec->feature;
  own->has_positions = layer->spec->has_positions;
  if (pool == NULL || dsm__pool_derive_size(layer, pool, layer->spec->feature, &own->size)) {
    own->features = layer->spec->out * (dsm__primary_count_of(layer->spec) - first);
  }
}

/* What is behind bits of dsm__links. Inputs that are not told apart are in the last one. NULL:
 * memory was out, which was noted. */
static const size_t *linked(const dsm__resolver *r, const dsm__layer_entry *layer,
                            const size_t *inputs, unsigned links, size_t *count) {
  const size_t last = dsm__input_count(layer->spec) - 1;
  size_t *const list = dsm__new_indices(r, (size_t)(DSM__MADE + 1) * DSM__PRIMARIES_MAX);
  *count = 0;
  for (size_t bit = 0; bit < DSM__MADE + DSM__PRIMARIES_MAX && list != NULL; bit++) {
    const size_t input = inputs[bit < last ? bit : last];
    if ((links & (1U << bit)) == 0) {
      continue;
    }
    if (bit >= DSM__MADE) {
      list[(*count)++] = r->layer_count + bit - DSM__MADE;
    } else if (input == DSM_NETWORK_INPUT) {
      list[(*count)++] = DSM_NETWORK_INPUT;
    } else {
      *count += dsm__append_primaries(r, input, &list[*count]);
    }
  }
  return list;
}

/* Producers and operands of the primary layers of a kind whose inputs have roles. */
static bool join_parts(const dsm__resolver *r, const dsm__layer_entry *layer, const size_t *inputs,
                       dsm_layer made[DSM__PRIMARIES_MAX]) {
  const dsm__links *const links = dsm__layer_kind_of(layer->spec->type)->links(made);
  bool is_good = true;
  for (size_t i = 0; i < dsm__primary_count_of(layer->spec) && is_good; i++) {
    dsm_layer *const one = &made[i];
    one->producers = linked(r, layer, inputs, links[i].inputs, &one->producer_count);
    one->operands = linked(r, layer, inputs, links[i].operands, &one->operand_count);
    is_good = one->producers != NULL && one->operands != NULL;
    if (is_good && one->operand_count > 0 && one->operands[0] == DSM_NETWORK_INPUT) {
      one->operand_count = 0;
    }
  }
  return is_good;
}

/* What the graph says of the primary layers of a declared one. */
static bool join_graph(const dsm__resolver *r, const dsm__layer_entry *layer, const size_t *inputs,
                       const dsm_layer *graph, dsm_layer made[DSM__PRIMARIES_MAX]) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  size_t producer_count = 0;
  const size_t *const producers =
      kind->reads_parts ? NULL : primaries_of(r, inputs, dsm__input_count(spec), &producer_count);
  if (kind->reads_parts ? !join_parts(r, layer, inputs, made) : producers == NULL) {
    return false;
  }
  for (size_t i = 0; i < dsm__primary_count_of(spec); i++) {
    made[i].spec_index = layer->index;
    made[i].has_backward =
        !kind->never_backward && (kind->starts_backward || r->workload->is_list ||
                                  !is_fed_only_by_network(spec, layer->index));
    made[i].parameters = dsm__layer_derive_parameters(&made[i]);
    made[i].bytes.weights = graph->bytes.weights;
    made[i].casts = graph->casts;
    dsm__layer_derive_own_bytes(r->workload, spec, &made[i]);
    if (!kind->reads_parts) {
      made[i].producers = producers;
      made[i].producer_count = producer_count;
      made[i].operands = graph->operands;
      made[i].operand_count = graph->operand_count;
    }
    if (i >= dsm__first_output_of(spec)) {
      made[i].shortcuts = graph->shortcuts;
      made[i].shortcut_count = graph->shortcut_count;
    }
  }
  return true;
}

static void resolve_layer(dsm__resolver *r, const dsm__layer_entry *layer) {
  const dsm_layer_spec *const spec = layer->spec;
  const size_t count = dsm__input_count(spec);
  dsm_layer graph = {.name = NULL};
  dsm_layer made[DSM__PRIMARIES_MAX] = {{.name = NULL}};
  dsm__delivery gathered = {.features = 0};
  size_t *const inputs = dsm__new_indices(r, count);
  dsm__delivery *const parts = dsm__arena_array(r->workload->arena, count, sizeof *parts);
  if (dsm__json_lacks_memory(r->doc, inputs == NULL || parts == NULL)) {
    return;
  }
  const bool is_found = dsm__find_inputs(r, layer, inputs, parts);
  if (is_found) {
    dsm__settle_positions(r, layer, parts);
  }
  const bool is_positioned = is_found || spec->has_positions || !r->has_positions ||
                             !dsm__layer_kind_of(spec->type)->keeps_positions;
  if (is_positioned) {
    derive_delivery(r, layer);
  }
  const bool is_gathered = is_found && (dsm__layer_kind_of(spec->type)->reads_parts ||
                                        dsm__gather_inputs(r, layer, parts, &gathered));
  const bool is_referenced = dsm__resolve_references(r, layer, &graph);
  const bool is_derived = is_gathered && r->deliveries[layer->index].features > 0 &&
                          derive_layer(r, layer, gathered, parts, made);
  if (is_derived && is_referenced && check_operand_elements(r, layer) &&
      join_graph(r, layer, inputs, &graph, made)) {
    for (size_t i = 0; i < dsm__primary_count_of(spec) && r->workload->is_list; i++) {
      made[i].live_elements = dsm__list_read_elements(&made[i], spec, &parts[0]);
    }
    add_primaries(r, layer, made);
  }
}

static void check_duplicate_names(const dsm__resolver *r) {
  for (size_t i = 1; i < r->names.count; i++) {
    const dsm__name_entry *const entry = &r->names.entries[i];
    if (strcmp(entry->name, r->names.entries[i - 1].name) == 0) {
      const dsm__json_node name =
          dsm__json_member(&r->builder->layers.items[entry->index].node, "name");
      dsm__json_error(&name, NULL, "expected a name that no other layer has, found a second \"%s\"",
                      entry->name);
    }
  }
}

static bool init_resolver(dsm__resolver *r) {
  const dsm_workload *const workload = r->workload;
  const size_t count = workload->spec_count;
  dsm__arena *const arena = workload->arena;
  r->names.entries = dsm__arena_array(arena, count, sizeof r->names.entries[0]);
  r->first_primary = dsm__arena_array(arena, count, sizeof r->first_primary[0]);
  r->deliveries = dsm__arena_array(arena, count, sizeof r->deliveries[0]);
  r->layers = dsm__arena_array(arena, DSM__PRIMARIES_MAX * count, sizeof r->layers[0]);
  if (r->names.entries == NULL || r->first_primary == NULL || r->deliveries == NULL ||
      r->layers == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (workload->specs[i].name != NULL) {
      r->names.entries[r->names.count++] = (dsm__name_entry){workload->specs[i].name, i};
    }
    r->has_positions = r->has_positions || workload->specs[i].has_positions;
  }
  dsm__name_index_sort(&r->names);
  return true;
}

/* The name of a layer that reads one; NULL if none does. */
static const char *reader_of(const dsm__resolver *r, size_t spec_index) {
  for (size_t i = 0; i < r->layer_count; i++) {
    const dsm_layer *const layer = &r->layers[i];
    const size_t last =
        layer->last_use != DSM_NEVER_USED ? layer->last_use : layer->last_operand_use;
    const bool is_read_by_other =
        last != DSM_NEVER_USED && r->layers[last].spec_index != spec_index;
    if (layer->spec_index == spec_index && is_read_by_other) {
      return r->workload->specs[r->layers[last].spec_index].name;
    }
  }
  return NULL;
}

/* A loss is the end of what leads to it. */
static void check_losses(const dsm__resolver *r) {
  for (size_t i = 0; i < r->workload->spec_count; i++) {
    const dsm_layer_spec *const spec = &r->workload->specs[i];
    const dsm__json_node list = dsm__json_member(&r->builder->layers.items[i].node, "aux");
    for (size_t a = 0; a < spec->aux_count; a++) {
      const char *const reader = spec->aux[a].op == DSM_AUX_CROSS_ENTROPY ? reader_of(r, i) : NULL;
      if (reader != NULL) {
        const dsm__json_node aux = dsm__json_item(&list, a);
        const dsm__json_node op = dsm__json_member(&aux, "op");
        dsm__json_error(&op, NULL,
                        "expected \"cross_entropy\" in a layer that no other reads, found it in "
                        "\"%s\", which \"%s\" reads",
                        spec->name, reader);
      }
    }
  }
}

void dsm__workload_resolve(const dsm__workload_builder *builder) {
  dsm_workload *const workload = builder->workload;
  dsm__json_doc *const doc = builder->root.doc;
  dsm__resolver r = {.builder = builder, .workload = workload, .doc = doc};
  if (dsm__json_lacks_memory(doc, !init_resolver(&r))) {
    return;
  }
  check_duplicate_names(&r);
  dsm__list_check(builder);
  dsm__pipeline_groups_check(builder);
  r.input_definer = SIZE_MAX;
  if (!workload->is_list) {
    infer_input(&r);
    check_input(&r);
  }
  for (size_t i = 0; i < workload->spec_count; i++) {
    const dsm__declared_layer *const declared = &builder->layers.items[i];
    const dsm__layer_entry layer = {&workload->specs[i], &declared->node, i};
    dsm__json_doc_set_subject(doc, declared->is_repeated ? workload->specs[i].name : NULL);
    resolve_layer(&r, &layer);
    if (dsm__json_doc_is_out_of_memory(doc)) {
      return;
    }
  }
  dsm__json_doc_set_subject(doc, NULL);
  if (dsm__json_lacks_memory(doc, dsm__json_doc_error_count(doc) == 0 && !dsm__siblings_join(&r))) {
    return;
  }
  workload->layers = r.layers;
  workload->layer_count = r.layer_count;
  if (dsm__json_doc_error_count(doc) == 0) {
    dsm__workload_derive_lives(workload, r.layers, &builder->list);
    check_losses(&r);
    dsm__recurrence_check(builder);
    if (!dsm__workload_derive_hoisted(workload, r.layers)) {
      dsm__json_set_out_of_memory(doc);
    }
  }
}

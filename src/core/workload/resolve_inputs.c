/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resolve_inputs.c: which layers one reads, and whether what they deliver goes together. */
#include "workload/resolver.h"
#include "workload/unconnected.h"

/* The declared layer behind one input, or DSM_NETWORK_INPUT; false (reported) if there is none. */
static bool find_input(const dsm__resolver *r, const dsm__layer_entry *layer,
                       const dsm__json_node *node, size_t position, size_t *producer) {
  if (layer->spec->input_count == 0) {
    *producer = layer->index == 0 ? DSM_NETWORK_INPUT : layer->index - 1;
    return true;
  }
  const char *const name = layer->spec->inputs[position];
  if (name == NULL) {
    return false; /* no string: reported when it was read */
  }
  *producer =
      dsm__is_network_input(name) ? DSM_NETWORK_INPUT : dsm__find_earlier(r, layer, node, name);
  return *producer != SIZE_MAX || dsm__is_network_input(name);
}

/* How what several inputs deliver goes together. */
typedef enum gathering {
  FLATTENED,   /* features times size */
  BY_SIZE,     /* features of one size */
  BY_POSITIONS /* features of equally many positions, however they lie */
} gathering;

/* Adds what one input delivers. */
static bool add_delivery(const dsm__json_node *node, gathering how, dsm__delivery one,
                         dsm__delivery *sum) {
  const uint64_t positions = how == FLATTENED ? one.size.rows * one.size.columns : 1;
  const dsm_size2 size =
      how == BY_POSITIONS ? (dsm_size2){one.size.rows * one.size.columns, 1} : one.size;
  uint64_t features = 0;
  if (!dsm__bounded_product(&features, one.features, positions, 1, 1) ||
      !dsm__bounded_product(&sum->features, sum->features + features, 1, 1, 1)) {
    dsm__json_error(node, NULL, "expected at most 2^53 input features, found more");
    return false;
  }
  const bool is_first = sum->size.rows == 0;
  if (how != FLATTENED && !is_first &&
      (size.rows != sum->size.rows || size.columns != sum->size.columns)) {
    dsm__json_error(node, NULL,
                    "expected features of the same size from all inputs, found %llu x %llu "
                    "beside %llu x %llu",
                    (unsigned long long)size.rows, (unsigned long long)size.columns,
                    (unsigned long long)sum->size.rows, (unsigned long long)sum->size.columns);
    return false;
  }
  sum->size = size;
  return true;
}

bool dsm__find_inputs(const dsm__resolver *r, const dsm__layer_entry *layer, size_t *producers,
                      dsm__delivery *parts) {
  const dsm__json_node inputs = dsm__json_member(layer->node, "inputs");
  const bool is_listed = layer->spec->input_count > 0;
  if (r->workload->is_list) {
    producers[0] = DSM_NETWORK_INPUT;
    return !dsm__is_wrong_layer(r, layer->index) && dsm__input_count(layer->spec) == 1 &&
           dsm__list_input(layer, &parts[0]);
  }
  dsm__json_node item = dsm__json_item(&inputs, 0);
  bool is_known = true;
  for (size_t i = 0; i < dsm__input_count(layer->spec); i++, item = dsm__json_next(&item)) {
    const dsm__json_node *const node = is_listed ? &item : layer->node;
    if (!find_input(r, layer, node, i, &producers[i])) {
      is_known = false;
      continue;
    }
    const bool is_network = producers[i] == DSM_NETWORK_INPUT;
    const dsm__delivery network = {r->workload->input_features, r->workload->input_size, false};
    parts[i] = is_network ? network : r->deliveries[producers[i]];
    if (is_network && parts[i].features == 0 && !r->is_input_wrong &&
        !dsm__is_wrong_layer(r, layer->index)) {
      dsm__json_error(node, "such as \"input\": {\"features\": 3, \"feature\": [224, 224]}",
                      "expected the network's input to be stated beside \"layers\", as no layer "
                      "tells its size, found no \"input\"");
    }
    is_known = is_known && parts[i].features > 0;
  }
  return is_known;
}

/* Sums what all inputs deliver; false (reported) if they do not go together. */
static bool gather_parts(const dsm__layer_entry *layer, gathering how, const dsm__delivery *parts,
                         dsm__delivery *gathered) {
  /* A node knows the one that it is a member of, which has to outlive it. */
  const dsm__json_node inputs = dsm__json_member(layer->node, "inputs");
  const bool is_listed = layer->spec->input_count > 0;
  dsm__json_node item = dsm__json_item(&inputs, 0);
  bool is_good = true;
  for (size_t i = 0; i < dsm__input_count(layer->spec) && is_good;
       i++, item = dsm__json_next(&item)) {
    is_good = add_delivery(is_listed ? &item : layer->node, how, parts[i], gathered);
  }
  return is_good;
}

static bool has_positions(const dsm_layer_spec *spec, const dsm__delivery *parts) {
  bool is_any = false;
  for (size_t i = 0; i < dsm__input_count(spec); i++) {
    is_any = is_any || parts[i].has_positions;
  }
  return is_any;
}

void dsm__settle_positions(dsm__resolver *r, const dsm__layer_entry *layer,
                           const dsm__delivery *parts) {
  dsm_layer_spec *const spec = &r->builder->specs[layer->index];
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  const dsm_aux *const select = dsm__find_op(spec, DSM_AUX_SELECT);
  const bool is_pooled = dsm__find_pool(spec, true) != NULL; /* and so flattened */
  if (!kind->keeps_positions || spec->has_positions || is_pooled ||
      (!kind->reads_parts && select == NULL && !has_positions(spec, parts))) {
    return;
  }
  spec->has_positions = true;
  spec->feature.rows =
      select != NULL ? select->positions : parts[0].size.rows * parts[0].size.columns;
}

static gathering gathering_of(const dsm__resolver *r, const dsm__layer_entry *layer) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  /* Nothing is said of how the inputs of a wrong layer go together: its type may be what is wrong.
   */
  if (dsm__is_wrong_layer(r, layer->index)) {
    return FLATTENED;
  }
  if (kind->reads_positions || dsm__find_pool(spec, true) != NULL) {
    return BY_SIZE;
  }
  const bool is_by_positions =
      kind->keeps_positions && !kind->reads_numbers &&
      (spec->feature.rows > 1 || dsm__find_op(spec, DSM_AUX_SELECT) != NULL);
  return is_by_positions ? BY_POSITIONS : FLATTENED;
}

/* So many of the positions that are read go on. */
static bool select_positions(const dsm__layer_entry *layer, dsm__delivery *gathered) {
  const dsm_aux *const select = dsm__find_op(layer->spec, DSM_AUX_SELECT);
  if (select == NULL) {
    return true;
  }
  if (select->positions > gathered->size.rows) {
    const dsm__json_node list = dsm__json_member(layer->node, "aux");
    const dsm__json_node aux = dsm__json_item(&list, (size_t)(select - layer->spec->aux));
    const dsm__json_node node = dsm__json_member(&aux, "positions");
    dsm__json_error(&node, NULL, "expected at most the %llu positions of the input, found %llu",
                    (unsigned long long)gathered->size.rows, (unsigned long long)select->positions);
    return false;
  }
  gathered->size.rows = select->positions;
  return true;
}

static bool check_positions(const dsm__layer_entry *layer, dsm__delivery gathered) {
  const dsm_layer_spec *const spec = layer->spec;
  if (gathered.size.rows == spec->feature.rows) {
    return true;
  }
  const dsm__json_node node = dsm__layer_entry_member(layer, "positions");
  dsm__json_error(&node, "\"positions\": 1 takes all positions of the input as features of one",
                  "expected %llu, which the layer's inputs have, found %llu",
                  (unsigned long long)gathered.size.rows, (unsigned long long)spec->feature.rows);
  return false;
}

bool dsm__gather_inputs(const dsm__resolver *r, const dsm__layer_entry *layer,
                        const dsm__delivery *parts, dsm__delivery *gathered) {
  const gathering how = gathering_of(r, layer);
  return gather_parts(layer, how, parts, gathered) &&
         (how != BY_POSITIONS ||
          (select_positions(layer, gathered) && check_positions(layer, *gathered)));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_norms.c: norms of the input. Of several layers that read the same input one has the norm,
 * and those of the others may be from it. */
#include "workload/resolver.h"

bool dsm__is_input_norm(const dsm_aux *aux) {
  return aux->is_on_input && (aux->op == DSM_AUX_LAYER_NORM || aux->op == DSM_AUX_RMS_NORM);
}

const dsm_aux *dsm__find_input_norm(const dsm_layer_spec *spec) {
  for (size_t i = 0; i < spec->aux_count; i++) {
    if (dsm__is_input_norm(&spec->aux[i])) {
      return &spec->aux[i];
    }
  }
  return NULL;
}

bool dsm__is_shared_norm(const dsm_aux *aux) {
  return dsm__is_input_norm(aux) && aux->from != NULL;
}

/* The declared layer behind an input; SIZE_MAX: what stands there is no name. */
static size_t producer_of(const dsm__resolver *r, size_t index, size_t input) {
  const dsm_layer_spec *const spec = &r->workload->specs[index];
  if (spec->input_count == 0) {
    return index == 0 ? DSM_NETWORK_INPUT : index - 1;
  }
  const char *const name = spec->inputs[input];
  return name == NULL                  ? SIZE_MAX
         : dsm__is_network_input(name) ? DSM_NETWORK_INPUT
                                       : dsm__name_index_find(&r->names, name);
}

/* How many positions go on; 0: all. */
static uint64_t selected(const dsm_layer_spec *spec) {
  const dsm_aux *const select = dsm__find_op(spec, DSM_AUX_SELECT);
  return select == NULL ? 0 : select->positions;
}

static bool read_the_same(const dsm__resolver *r, size_t one, size_t other) {
  const dsm_layer_spec *const specs = r->workload->specs;
  const size_t count = dsm__input_count(&specs[one]);
  bool is_same =
      count == dsm__input_count(&specs[other]) && selected(&specs[one]) == selected(&specs[other]);
  for (size_t i = 0; i < count && is_same; i++) {
    is_same = producer_of(r, one, i) == producer_of(r, other, i);
  }
  return is_same;
}

bool dsm__resolve_shared_norm(const dsm__resolver *r, const dsm__layer_entry *layer,
                              size_t aux_index) {
  const dsm_aux *const aux = &layer->spec->aux[aux_index];
  const dsm__json_node list = dsm__json_member(layer->node, "aux");
  const dsm__json_node item = dsm__json_item(&list, aux_index);
  const dsm__json_node node = dsm__json_member(&item, "from");
  const size_t from = dsm__find_earlier(r, layer, &node, aux->from);
  if (from == SIZE_MAX || dsm__is_wrong_layer(r, from) || dsm__is_wrong_layer(r, layer->index)) {
    return false;
  }
  const dsm_aux *const norm = dsm__find_input_norm(&r->workload->specs[from]);
  if (norm != NULL && norm->op == aux->op && !dsm__is_shared_norm(norm) &&
      read_the_same(r, layer->index, from)) {
    return true;
  }
  dsm__json_error(&node, NULL,
                  "expected an earlier layer with the same inputs and a %s on them, found \"%s\"",
                  dsm_aux_op_name(aux->op), aux->from);
  return false;
}

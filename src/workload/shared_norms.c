/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shared_norms.c: norms of an input that several layers read, which one of them has. */
#include <string.h>

#include "workload/layers/layer_kind.h"
#include "workload/workload_internal.h"

/* The declared layer behind an input whose names are known to be good. */
static size_t producer_of(const dsm_layer_spec *specs, const dsm__name_index *names, size_t index,
                          size_t input) {
  const dsm_layer_spec *const spec = &specs[index];
  if (spec->input_count == 0) {
    return index == 0 ? DSM_NETWORK_INPUT : index - 1;
  }
  const char *const name = spec->inputs[input];
  return strcmp(name, DSM__INPUT_NAME) == 0 ? DSM_NETWORK_INPUT : dsm__name_index_find(names, name);
}

static size_t input_count(const dsm_layer_spec *spec) {
  return spec->input_count > 0 ? spec->input_count : 1;
}

/* How many positions go on; 0: all. */
static uint64_t selected(const dsm_layer_spec *spec) {
  for (size_t i = 0; i < spec->aux_count; i++) {
    if (spec->aux[i].op == DSM_AUX_SELECT) {
      return spec->aux[i].positions;
    }
  }
  return 0;
}

static bool read_the_same(const dsm_layer_spec *specs, const dsm__name_index *names, size_t one,
                          size_t other) {
  bool is_same = input_count(&specs[one]) == input_count(&specs[other]) &&
                 selected(&specs[one]) == selected(&specs[other]);
  for (size_t i = 0; i < input_count(&specs[one]) && is_same; i++) {
    is_same = producer_of(specs, names, one, i) == producer_of(specs, names, other, i);
  }
  return is_same;
}

bool dsm__is_shared_norm(const dsm_aux *aux) {
  return aux->is_on_input && aux->from != NULL;
}

bool dsm__shared_norm_check(const dsm_layer_spec *specs, const dsm__name_index *names,
                            const dsm__layer_entry *layer, size_t aux_index, size_t from) {
  const dsm_aux *const aux = &layer->spec->aux[aux_index];
  for (size_t i = 0; i < specs[from].aux_count; i++) {
    const dsm_aux *const one = &specs[from].aux[i];
    if (one->op == aux->op && one->is_on_input && one->from == NULL &&
        read_the_same(specs, names, layer->index, from)) {
      return true;
    }
  }
  const dsm__json_node list = dsm__json_member(layer->node, "aux");
  const dsm__json_node item = dsm__json_item(&list, aux_index);
  const dsm__json_node node = dsm__json_member(&item, "from");
  dsm__json_error(&node, NULL,
                  "expected an earlier layer with the same inputs and a %s on them, found \"%s\"",
                  dsm_aux_op_name(aux->op), aux->from);
  return false;
}

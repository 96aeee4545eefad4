/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resolver.c: what all steps of resolving a workload ask of its declared layers. */
#include "workload/resolver.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"

size_t dsm__input_count(const dsm_layer_spec *spec) {
  return spec->input_count > 0 ? spec->input_count : 1;
}

bool dsm__is_wrong_layer(const dsm__resolver *r, size_t index) {
  return r->builder->layers.items[index].is_wrong;
}

bool dsm__is_network_input(const char *name) {
  return strcmp(name, DSM__INPUT_NAME) == 0;
}

size_t dsm__find_earlier(const dsm__resolver *r, const dsm__layer_entry *layer,
                         const dsm__json_node *node, const char *name) {
  const size_t found = dsm__name_index_find(&r->names, name);
  if (found != SIZE_MAX && found < layer->index) {
    return found;
  }
  if (found == layer->index) {
    dsm__json_error(node, NULL, "expected an earlier layer, found the layer itself, \"%s\"", name);
  } else if (found != SIZE_MAX) {
    dsm__json_error(node, "layers are listed in order of execution and form no cycle",
                    "expected an earlier layer, found \"%s\", which comes later", name);
  } else {
    enum { LOOKED_AT = 1000 };
    char hint[64 + DSM_NAME_BYTES_MAX] = "";
    if (dsm__is_network_input(name)) {
      (void)snprintf(hint, sizeof hint,
                     "no layer makes the network's input, which is \"" DSM__BEFORE_NAME
                     "\" of a block that comes first");
    } else if (dsm__json_doc_keeps_findings(r->doc)) {
      const char *nearby[LOOKED_AT];
      size_t count = 0;
      for (size_t i = layer->index; i-- > 0 && count < LOOKED_AT;) {
        nearby[count++] = r->workload->specs[i].name;
      }
      dsm__nearest_hint(name, nearby, count, hint, sizeof hint);
    }
    dsm__json_error(node, hint, "expected the name of an earlier layer, found \"%s\"", name);
  }
  return SIZE_MAX;
}

size_t dsm__append_primaries(const dsm__resolver *r, size_t spec_index, size_t *list) {
  const dsm_layer_spec *const spec = &r->workload->specs[spec_index];
  const size_t first = dsm__first_output_of(spec);
  const size_t count = dsm__primary_count_of(spec) - first;
  for (size_t i = 0; i < count; i++) {
    list[i] = r->first_primary[spec_index] + first + i;
  }
  return count;
}

size_t *dsm__new_indices(const dsm__resolver *r, size_t count) {
  size_t *const indices = dsm__arena_array(r->workload->arena, count, sizeof *indices);
  if (indices == NULL) {
    dsm__json_set_out_of_memory(r->doc);
  }
  return indices;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* types_json.c: types of elements by use, read and written. */
#include "workload/workload_internal.h"

DSM__OBJECT(dsm__types_object, "types", {.name = "weights"}, {.name = "activations"},
            {.name = "operands"}, {.name = "cache"}, {.name = "gradients"}, {.name = "optimizer"});

static void read_word(dsm_element_type *type, const dsm__json_node *node, const char *key) {
  const dsm__json_node member = dsm__json_member(node, key);
  size_t word = DSM_ELEMENT_TYPE_ANY;
  if (dsm__json_is_present(&member) && dsm__json_enum(&member, &dsm__element_type_words, &word)) {
    *type = (dsm_element_type)word;
  }
}

void dsm__types_read(dsm_types *types, const dsm__json_node *node) {
  for (size_t use = 0; use < DSM_USE_COUNT; use++) {
    read_word(&types->of[use], node, dsm__word_key(&dsm__use_words, use));
  }
}

/* Keys that say the bytes of a use alone; those of activations are of all that says nothing else.
 */
static const char *const bytes_keys[DSM_USE_COUNT] = {
    [DSM_USE_WEIGHTS] = "weight_bytes",
    [DSM_USE_CACHE] = "cache_bytes",
    [DSM_USE_GRADIENTS] = "gradient_bytes",
};

void dsm__type_bytes_take(double *bytes, const dsm_types *types, dsm_use use,
                          const dsm__json_node *node) {
  const dsm_element_type type = types->of[use];
  if (type == DSM_ELEMENT_TYPE_ANY) {
    return;
  }
  const double own = dsm_element_type_bytes(type);
  if (node != NULL && bytes_keys[use] != NULL && (*bytes < own || *bytes > own)) {
    const dsm__json_node stated = dsm__json_member(node, bytes_keys[use]);
    if (dsm__json_is_present(&stated)) {
      dsm__json_note(&stated, NULL, "\"types\" say %s, whose elements have %g bytes, not %g",
                     dsm_element_type_name(type), own, *bytes);
    }
  }
  *bytes = own;
}

/* One for all: then operands and weights alone are of a type that is narrower than activations. */
static void read_element_type(dsm_workload *workload, const dsm__json_node *root) {
  const dsm__json_node node = dsm__json_member(root, "element_type");
  read_word(&workload->element_type, root, "element_type");
  const dsm_element_type type = workload->element_type;
  if (dsm__is_narrow(type, workload->element_bytes) && !(workload->weight_bytes > 0)) {
    workload->weight_bytes = dsm_element_type_bytes(type);
    dsm__json_note(&node, "\"types\" say otherwise",
                   "operands of products and weights are %s, activations have their %g bytes",
                   dsm_element_type_name(type), workload->element_bytes);
  }
}

void dsm__workload_types_read(dsm_workload *workload, const dsm__json_node *root) {
  dsm_types *const types = &workload->types;
  const dsm__json_node node = dsm__json_member(root, "types");
  if (dsm__json_is_present(&node) && dsm__object_only(&node, &dsm__types_object, 0)) {
    dsm__types_read(types, &node);
  }
  dsm__type_bytes_take(&workload->weight_bytes, types, DSM_USE_WEIGHTS, root);
  dsm__type_bytes_take(&workload->element_bytes, types, DSM_USE_ACTIVATIONS, root);
  dsm__type_bytes_take(&workload->cache_bytes, types, DSM_USE_CACHE, root);
  dsm__type_bytes_take(&workload->gradient_bytes, types, DSM_USE_GRADIENTS, root);
  read_element_type(workload, root);
}

void dsm__types_write(const dsm_types *types, dsm__json_writer *writer) {
  bool is_any = false;
  for (size_t use = 0; use < DSM_USE_COUNT; use++) {
    if (types->of[use] == DSM_ELEMENT_TYPE_ANY) {
      continue;
    }
    if (!is_any) {
      dsm__json_put_object(writer, "types", true);
    }
    is_any = true;
    dsm__json_put_string(writer, dsm__word_key(&dsm__use_words, use),
                         dsm_element_type_name(types->of[use]));
  }
  if (is_any) {
    dsm__json_end_object(writer);
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_members.c: members of objects read at once, and documents read as a whole. */
#include "base/diag_add.h"
#include "base/json_read.h"
#include "dsm/limits.h"

bool dsm__json_read_name(const dsm__json_node *object, const char *expected, dsm__arena *arena,
                         const char **name) {
  const dsm__json_node node = dsm__json_member(object, "name");
  return dsm__json_require(&node, expected) &&
         dsm__json_name(&node, DSM_NAME_BYTES_MAX, arena, name);
}

void dsm__json_read_source(const dsm__json_node *object, dsm__arena *arena, const char **source) {
  const dsm__json_node node = dsm__json_member(object, "source");
  if (dsm__json_is_present(&node)) {
    dsm__json_string(&node, 0, DSM_TEXT_BYTES_MAX, arena, source);
  }
}

bool dsm__json_required_double(const dsm__json_node *object, const char *key, const char *expected,
                               dsm__json_range range, double *value) {
  const dsm__json_node node = dsm__json_member(object, key);
  return dsm__json_require(&node, expected) && dsm__json_double(&node, range, value);
}

bool dsm__json_required_double_or_zero(const dsm__json_node *object, const char *key,
                                       const char *expected, dsm__json_range range, double *value) {
  const dsm__json_node node = dsm__json_member(object, key);
  return dsm__json_require(&node, expected) && dsm__json_double_or_zero(&node, range, value);
}

bool dsm__json_required_u64(const dsm__json_node *object, const char *key, const char *expected,
                            uint64_t min, uint64_t max, uint64_t *value) {
  const dsm__json_node node = dsm__json_member(object, key);
  return dsm__json_require(&node, expected) && dsm__json_u64(&node, min, max, value);
}

void dsm__json_optional_double(const dsm__json_node *object, const char *key, dsm__json_range range,
                               double fallback, double *value) {
  const dsm__json_node node = dsm__json_member(object, key);
  *value = fallback;
  if (dsm__json_is_present(&node)) {
    dsm__json_double(&node, range, value);
  }
}

void dsm__json_optional_u64(const dsm__json_node *object, const char *key, uint64_t min,
                            uint64_t max, uint64_t fallback, uint64_t *value) {
  const dsm__json_node node = dsm__json_member(object, key);
  *value = fallback;
  if (dsm__json_is_present(&node)) {
    dsm__json_u64(&node, min, max, value);
  }
}

void dsm__json_optional_bool(const dsm__json_node *object, const char *key, bool fallback,
                             bool *value) {
  const dsm__json_node node = dsm__json_member(object, key);
  *value = fallback;
  if (dsm__json_is_present(&node)) {
    dsm__json_bool(&node, value);
  }
}

dsm_status dsm__json_doc_read(const dsm__json_input *input, dsm_diags *diags,
                              void (*read)(void *made, const dsm__json_node *root), void *made) {
  dsm__json_doc *doc = NULL;
  dsm_status status = made == NULL
                          ? dsm__out_of_memory(diags)
                          : dsm__json_doc_parse(&doc, input->text, input->length, input->file,
                                                input->overrides, input->override_count, diags);
  if (status == DSM_OK) {
    const dsm__json_node root = dsm__json_root(doc);
    read(made, &root);
    status = dsm__json_doc_finish(doc);
  }
  dsm__json_doc_free(doc);
  return status;
}

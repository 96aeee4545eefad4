/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_fixture.h"

#include <check.h>
#include <string.h>

void json_open(json_fixture *json, const char *text, const dsm_override *overrides,
               size_t override_count, dsm_status expected) {
  *json = (json_fixture){.diags = dsm_diags_new(100)};
  ck_assert_ptr_nonnull(json->diags);
  const dsm_status status = dsm__json_doc_parse(&json->doc, text, strlen(text), "t.json", overrides,
                                                override_count, json->diags);
  ck_assert_int_eq(status, expected);
  ck_assert_int_eq(json->doc != NULL, expected == DSM_OK);
  if (json->doc != NULL)
    json->root = dsm__json_root(json->doc);
}

void json_close(json_fixture *json) {
  dsm__json_doc_free(json->doc);
  dsm_diags_free(json->diags);
}

void json_expect_count(json_fixture *json, size_t count) {
  if (json->doc != NULL) {
    (void)!dsm__json_doc_finish(json->doc);
    ck_assert_uint_eq(dsm__json_doc_error_count(json->doc), count);
  }
  ck_assert_uint_eq(dsm_diags_count(json->diags), count);
}

void json_expect(const json_fixture *json, size_t index, const char *rendered) {
  ck_assert_uint_lt(index, dsm_diags_count(json->diags));
  char text[2048];
  (void)dsm_diag_render(dsm_diags_get(json->diags, index), false, text, sizeof text);
  ck_assert_str_eq(text, rendered);
}

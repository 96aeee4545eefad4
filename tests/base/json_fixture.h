/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_fixture.h: a document open for reading, for test_json_read.c and test_json_override.c. */
#ifndef DSM_TESTS_BASE_JSON_FIXTURE_H
#define DSM_TESTS_BASE_JSON_FIXTURE_H

#include "base/json_read.h"

typedef struct json_fixture {
  dsm_diags *diags;
  dsm__json_doc *doc; /* NULL if parsing failed */
  dsm__json_node root;
} json_fixture;

/** Parses text, named t.json, which must give `expected`. To be closed. */
void json_open(json_fixture *json, const char *text, const dsm_override *overrides,
               size_t override_count, dsm_status expected);
void json_close(json_fixture *json);

/** Sorts the findings; they must be as many. */
void json_expect_count(json_fixture *json, size_t count);

/** Finding number `index` must be this: "file:line:column: path: error: message (hint)". */
void json_expect(const json_fixture *json, size_t index, const char *rendered);

#endif

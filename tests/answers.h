/* SPDX-License-Identifier: GPL-3.0-or-later */
/* answers.h: an answer's text in a form, as dsm_answer_print makes it. */
#ifndef DSM_TESTS_ANSWERS_H
#define DSM_TESTS_ANSWERS_H

#include <string.h>

#include "dsm/answer.h"

static inline char *as_table(dsm_answer answer, dsm_table_style style) {
  return dsm_answer_print(answer, DSM_FORM_TABLE, &style);
}

static inline char *as_json(dsm_answer answer) {
  return dsm_answer_print(answer, DSM_FORM_JSON, NULL);
}

static inline char *as_csv(dsm_answer answer) {
  return dsm_answer_print(answer, DSM_FORM_CSV, NULL);
}

static inline char *as_page(dsm_answer answer) {
  return dsm_answer_print(answer, DSM_FORM_PAGE, NULL);
}

static inline char *as_trace(dsm_answer answer) {
  return dsm_answer_print(answer, DSM_FORM_TRACE, NULL);
}

/** Reads a text as an answer of a kind; `made` points to the pointer that it gets. */
static inline dsm_status parsed_as(const dsm_answer_kind *kind, void *made, const char *text,
                                   size_t length, const char *file, dsm_diags *diags) {
  dsm_answer answer;
  const dsm_status status = dsm_answer_parse(&answer, kind, text, length, file, diags);
  memcpy(made, &answer.owned, sizeof answer.owned);
  return status;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "edited.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *edited_text(const dsm_plan *plan, const char *before, const char *after) {
  char *const text = dsm_plan_print(plan);
  const char *const at = strstr(text, before);
  ck_assert_ptr_nonnull(at);
  const size_t size = strlen(text) + strlen(after) + 1;
  char *const edited = malloc(size);
  (void)snprintf(edited, size, "%.*s%s%s", (int)(at - text), text, after, at + strlen(before));
  free(text);
  return edited;
}

void expect_edited_refused(const dsm_plan *plan, const char *before, const char *after,
                           const char *message) {
  char *const edited = edited_text(plan, before, after);
  dsm_diags *const diags = dsm_diags_new(8);
  dsm_plan *read = NULL;
  ck_assert_int_eq(dsm_plan_parse(&read, edited, strlen(edited), NULL, NULL, diags),
                   DSM_ERROR_INVALID);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, message);
  dsm_diags_free(diags);
  free(edited);
}

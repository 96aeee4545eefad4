/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_diff.c: diff.h and its reports. */
#include "subject.h"

static uint64_t digest_diff(const dsm_diff *diff) {
  uint64_t digest = digest_double(DIGEST_START, diff->difference_seconds);
  for (size_t i = 0; i < diff->input_count; i++) {
    digest = digest_text(digest, diff->inputs[i].path);
    digest = digest_text(digest, diff->inputs[i].a == NULL ? "" : diff->inputs[i].a);
    digest = digest_text(digest, diff->inputs[i].b == NULL ? "" : diff->inputs[i].b);
  }
  for (size_t i = 0; i < diff->layer_count; i++) {
    digest = digest_text(digest, diff->layers[i].layer);
  }
  for (size_t i = 0; i < diff->decision_count; i++) {
    digest = digest_text(digest, diff->decisions[i].layer);
    digest = digest_text(digest, diff->decisions[i].after);
  }
  for (size_t i = 0; i < diff->pass_count; i++) {
    digest = digest_text(digest, diff->passes[i].layer);
    digest = digest_double(digest, diff->passes[i].difference_seconds);
  }
  return digest;
}

static attempt derive(const dsm_plan *a, const dsm_plan *b, dsm_diags *diags) {
  static dsm_diff poison;
  dsm_diff *diff = &poison;
  const dsm_status status = dsm_diff_derive(&diff, a, b, diags);
  const attempt made = attempt_of_status(status, diff, status == DSM_OK ? digest_diff(diff) : 0);
  if (diff != &poison) {
    dsm_diff_free(diff);
  }
  return made;
}

static attempt derive_same_layers(const subject *s, dsm_diags *diags) {
  return derive(s->base_plan, s->plan, diags);
}

static attempt derive_other_layers(const subject *s, dsm_diags *diags) {
  return derive(s->small_plan, s->pipelined_plan, diags);
}

static attempt free_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_diff_free(NULL);
  return (attempt){.status = DSM_OK};
}

static dsm_diffed shown(const subject *s) {
  return (dsm_diffed){.a_file = "a.json", .b_file = "b.json", .diff = s->diff, .row_limit = 2};
}

FORM_CASES(diff, DSM_ANSWER(diff, ((const dsm_diffed[]){shown(s)})))

const faulty_case diff_cases[] = {
    {"dsm_diff_derive", derive_same_layers, DSM_OK, NULL},
    {"dsm_diff_derive, other layers", derive_other_layers, DSM_OK, NULL},
    {"dsm_diff_free", free_nothing, DSM_OK, NULL},
    FORM_ROWS(diff),
};
const size_t diff_case_count = sizeof diff_cases / sizeof diff_cases[0];

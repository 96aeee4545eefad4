/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_baseline.c: any bytes as a baseline, and as a question; what parses can be compared with a
 * new exploration, and shown in every form. */
#include <math.h>
#include <stdlib.h>

#include "answers.h"
#include "fuzz.h"

static void check_moved(const dsm_moved *moved) {
  FUZZ_CHECK(isfinite(moved->before) && moved->before >= 0);
  FUZZ_CHECK(isfinite(moved->after) && moved->after >= 0);
  FUZZ_CHECK(!isnan(moved->change) && moved->change >= -1);
}

static void check_drift(const dsm_drift *drift) {
  check_moved(&drift->step_seconds);
  check_moved(&drift->utilization);
  for (size_t i = 0; i < drift->pass_count; i++) {
    check_moved(&drift->passes[i].seconds);
    check_moved(&drift->passes[i].cycles);
    check_moved(&drift->passes[i].utilization);
  }
  const dsm_checked items[] = {{.file = "b.json", .drift = drift, .is_failed = true},
                               {.file = "c.json", .drift = drift}};
  const dsm_table_style style = {.width = 100, .color = false};
  fuzz_check_table(as_table(DSM_ANSWERS(check, items, 2), style));
  fuzz_check_text(as_json(DSM_ANSWERS(check, items, 2)));
  fuzz_check_text(as_csv(DSM_ANSWERS(check, items, 2)));
  fuzz_check_text(dsm_answer_print(DSM_ANSWERS(check, items, 2), DSM_FORM_JUNIT, NULL));
}

static void explore_again(const dsm_baseline *baseline) {
  dsm_drift *drift = NULL;
  const dsm_check_request request = {.baseline = baseline, .tolerance = DSM_TOLERANCE_DEFAULT};
  const dsm_status status = dsm_check(&drift, &request, NULL);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  FUZZ_CHECK((status == DSM_OK) == (drift != NULL));
  if (drift != NULL) {
    check_drift(drift);
  }
  dsm_drift_free(drift);
}

/* What is a baseline is a question. */
static void read_question(const char *text, size_t size, dsm_status of_baseline) {
  dsm_diags *const diags = fuzz_diags();
  dsm_baseline *question = NULL;
  const dsm_status status = dsm_question_parse(&question, text, size, "p.json", NULL, 0, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (question != NULL));
  FUZZ_CHECK(status == DSM_OK || of_baseline != DSM_OK);
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  dsm_baseline_free(question);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_baseline *baseline = NULL;
  const dsm_status status = dsm_baseline_parse(&baseline, text, size, "b.json", NULL, 0, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (baseline != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  if (status == DSM_OK && fuzz_is_small(baseline->workload, baseline->system)) {
    explore_again(baseline);
  }
  dsm_baseline_free(baseline);
  read_question(text, size, status);
  free(text);
  return 0;
}

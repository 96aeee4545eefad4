/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_plan.c: any bytes as a plan; what parses is a whole plan, and no better than the bound. */
#include <math.h>
#include <stdlib.h>

#include "answers.h"
#include "fuzz.h"

static void check_explanation(const dsm_plan *plan, size_t layer_index) {
  dsm_explanation *explanation = NULL;
  const dsm_table_style style = {.width = 100, .color = false};
  FUZZ_CHECK(dsm_explain(&explanation, plan, layer_index, 2, NULL) == DSM_OK);
  const dsm_explanation *const list[] = {explanation};
  fuzz_check_table(as_table(DSM_ANSWER(explanation, &((dsm_explained){plan, list, 1})), style));
  fuzz_check_text(as_json(DSM_ANSWER(explanation, &((dsm_explained){plan, list, 1}))));
  fuzz_check_text(as_csv(DSM_ANSWER(explanation, &((dsm_explained){plan, list, 1}))));
  dsm_explanation_free(explanation);
}

/* The plan beside itself, and beside the best of its question: only decisions may differ. */
static void check_difference(const dsm_plan *plan) {
  dsm_plan *best = NULL;
  dsm_diff *diff = NULL;
  const dsm_table_style style = {.width = 100, .color = false};
  FUZZ_CHECK(dsm_diff_derive(&diff, plan, plan, NULL) == DSM_OK);
  FUZZ_CHECK(!diff->is_different);
  dsm_diff_free(diff);
  FUZZ_CHECK(dsm_explore(&best, plan->workload, plan->system, &plan->options, NULL) == DSM_OK);
  FUZZ_CHECK(dsm_diff_derive(&diff, plan, best, NULL) == DSM_OK);
  FUZZ_CHECK(diff->input_count == 0 && diff->layer_count == 0);
  FUZZ_CHECK(diff->difference_seconds <= 0);
  const dsm_diffed of = {.a_file = "a", .b_file = "b", .diff = diff, .row_limit = 3};
  fuzz_check_table(as_table(DSM_ANSWER(diff, &of), style));
  fuzz_check_text(as_json(DSM_ANSWER(diff, &of)));
  fuzz_check_text(as_csv(DSM_ANSWER(diff, &of)));
  dsm_diff_free(diff);
  dsm_plan_free(best);
}

/* Whatever numbers a good plan records, adding them up ends with findings or without. */
static void check_sums(const dsm_plan *plan, const char *text, size_t size) {
  dsm_diags *const diags = fuzz_diags();
  const dsm_status status = dsm_plan_validate_text(text, size, "p.json", diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK(dsm_plan_compare_text(plan, text, size, "p.json", diags) == DSM_OK);
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_plan *plan = NULL;
  double recorded = -1;
  const dsm_status status = dsm_plan_parse(&plan, text, size, "p.json", &recorded, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID || status == DSM_ERROR_INFEASIBLE);
  FUZZ_CHECK((status == DSM_OK) == (plan != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  if (status == DSM_OK) {
    FUZZ_CHECK(isfinite(recorded) && recorded >= 0);
    check_sums(plan, text, size);
    fuzz_check_workload(plan->workload);
    fuzz_check_system(plan->system);
    if (fuzz_is_small(plan->workload, plan->system)) {
      /* The plan fits the memory and is of the searched space: so something does, and the search
       * finds nothing worse. */
      FUZZ_CHECK(dsm_plan_bound(plan, NULL) == DSM_OK);
      FUZZ_CHECK(plan->result.lower_bound_cycles > 0);
      fuzz_check_plan(plan);
      check_explanation(plan, size % plan->layer_count);
      check_difference(plan);
    }
  }
  dsm_plan_free(plan);
  free(text);
  return 0;
}

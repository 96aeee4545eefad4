/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_pim.c: any bytes as a plan of cores in memory, with its workload and system; what is read is
 * predicted, written, read again and chosen anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { CORES_MAX = 5000 };

static void check_cost(const dsm_pim_cost *cost) {
  FUZZ_CHECK(isfinite(cost->seconds) && cost->seconds >= 0);
  FUZZ_CHECK(isfinite(cost->joules) && isfinite(cost->utilization));
  FUZZ_CHECK(isfinite(cost->roofline.intensity));
}

static void check_written(const dsm_pim_plan *plan) {
  char *const text = dsm_pim_plan_print(plan);
  dsm_pim_plan *again = NULL;
  double recorded = 0;
  FUZZ_CHECK(text != NULL);
  FUZZ_CHECK(dsm_pim_plan_parse(&again, &recorded, text, strlen(text), "p.json", NULL) == DSM_OK);
  FUZZ_CHECK(recorded >= plan->cost.seconds && recorded <= plan->cost.seconds);
  FUZZ_CHECK(again->curve_count == plan->curve_count);
  dsm_diags *const diags = fuzz_diags();
  FUZZ_CHECK(dsm_pim_plan_compare_text(again, text, strlen(text), "p.json", diags) == DSM_OK);
  FUZZ_CHECK(dsm_diags_count(diags) == 0);
  dsm_diags_free(diags);
  dsm_pim_plan_free(again);
  free(text);
}

/* No choice is better than the best. */
static void check_best(const dsm_pim_plan *plan) {
  dsm_pim_plan *best = NULL;
  const dsm_status status = dsm_pim(&best, plan->workload, plan->system, NULL, NULL);
  FUZZ_CHECK(status == DSM_OK);
  FUZZ_CHECK(best->cost.seconds <= plan->cost.seconds * (1 + 1e-9));
  dsm_pim_plan_free(best);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_pim_plan *plan = NULL;
  const dsm_status status = dsm_pim_plan_parse(&plan, NULL, text, size, "p.json", diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID || status == DSM_ERROR_INFEASIBLE);
  FUZZ_CHECK((status == DSM_OK) == (plan != NULL));
  if (status == DSM_ERROR_INFEASIBLE) {
    dsm_diags_free(diags); /* the finding is at no line */
  } else {
    fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  }
  if (plan != NULL) {
    check_cost(&plan->cost);
    check_written(plan);
    if (plan->system->cores <= CORES_MAX) {
      check_best(plan);
    }
  }
  dsm_pim_plan_free(plan);
  free(text);
  return 0;
}

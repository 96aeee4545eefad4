/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stage_twin.h"

#include <math.h>

#include "plan/step_stages.h"
#include "suites.h"

static void predict(stage_twin *twin) {
  dsm_plan *plan = NULL;
  twin->decisions.stages.first_layers = twin->firsts;
  ck_assert_int_eq(
      dsm__plan_make(&plan, twin->workload, twin->system, twin->options, &twin->decisions, NULL),
      DSM_OK);
  const double capacity_bytes = twin->system->chip.memory.capacity_GB * 1e9;
  const bool fits = plan->result.memory.total_bytes <= capacity_bytes;
  twin->best = fits ? fmin(twin->best, plan->result.step_cycles) : twin->best;
  dsm_plan_free(plan);
}

/* Every place of the runs from one on. */
static void cut_from(stage_twin *twin, size_t run) {
  if (run == dsm__stage_run_count(&twin->decisions.stages)) {
    predict(twin);
    return;
  }
  for (size_t i = twin->firsts[run - 1] + 1; i < twin->workload->layer_count; i++) {
    if (twin->is_cut[i - 1]) {
      twin->firsts[run] = i;
      cut_from(twin, run + 1);
    }
  }
}

void stage_twin_cut(stage_twin *twin) {
  twin->best = HUGE_VAL;
  cut_from(twin, 1);
}

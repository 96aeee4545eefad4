/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options.c: more that may be done is never slower. */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "physics.h"

enum { OPTION_SETS = 1 << DSM_OPTIMIZATION_COUNT };

/* What a set of options leads to: the answer, and what no answer is below. */
typedef struct outcome {
  double step_cycles; /* infinite: nothing fits */
  double bound_cycles;
} outcome;

static outcome explore_with(physics_log *log, const physics_case *one, dsm_optimization_set set) {
  physics_case with = *one;
  with.options.optimizations = set;
  dsm_plan *const plan = physics_explore(&with, &with.system);
  if (plan == NULL) {
    return (outcome){HUGE_VAL, HUGE_VAL};
  }
  physics_log_plan(log, &with, plan);
  const outcome found = {plan->result.step_cycles, plan->result.lower_bound_cycles};
  dsm_plan_free(plan);
  return found;
}

/* Every set of options that the mode has, and each with one option more; sets that differ by
 * several follow. An answer that says that it may be off is compared by its bound. */
void physics_options(physics_log *log, const physics_case *one) {
  const dsm_optimization_set all = dsm_mode_optimizations(one->options.mode);
  outcome outcomes[OPTION_SETS];
  for (dsm_optimization_set set = 0; set < OPTION_SETS; set++) {
    if ((set & ~all) == 0) {
      outcomes[set] = explore_with(log, one, set);
    }
  }
  for (dsm_optimization_set set = 0; set < OPTION_SETS; set++) {
    for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
      const dsm_optimization_set more = set | DSM_OPTIMIZATION_BIT(o);
      if ((more & ~all) != 0 || more == set) {
        continue;
      }
      char where[64];
      (void)snprintf(where, sizeof where, "options %u and, with one more, %u", set, more);
      const double before = outcomes[set].step_cycles;
      const outcome after = outcomes[more];
      physics_expect(log, one, where, physics_at_most(after.bound_cycles, before),
                     after.bound_cycles, before);
      if (!physics_is_close(after.bound_cycles, after.step_cycles)) {
        physics_excuse(log, one, where, physics_at_most(after.step_cycles, before),
                       after.step_cycles, before);
      }
    }
  }
}

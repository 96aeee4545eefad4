/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose.c: the best choice, found by trying all.
 *
 * Tasklets are chosen before all else: they change nothing but the cycles of an update, and every
 * time and energy grows with these (Equations 3 to 5). What is left is two ways of transfers for
 * each number of cores. tests/pim/test_choice.c tries all combinations.
 */
#include "pim/choose.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/order.h"
#include "pim/kernel.h"

/* Of the curve over tasklets: less than this much more is as good as the least. */
static const double knee_slack = 0.01;

void dsm_pim_options_init(dsm_pim_options *options) {
  *options =
      (dsm_pim_options){.transfers = DSM_PIM_TRANSFERS_COUNT, .objective = DSM_PIM_LEAST_TIME};
}

/* ---- lists ---- */

DSM__ORDER_OF(compare_numbers, uint64_t, dsm__order_whole(*a, *b));

bool dsm__pim_sorted(const uint64_t **list, size_t *count, dsm__arena *arena) {
  uint64_t *const made = dsm__arena_array(arena, *count, sizeof *made);
  size_t kept = 0;
  if (made == NULL) {
    return false;
  }
  if (*count > 0) {
    memcpy(made, *list, *count * sizeof *made);
    qsort(made, *count, sizeof *made, compare_numbers);
  }
  for (size_t i = 0; i < *count; i++) {
    if (kept == 0 || made[i] != made[kept - 1]) {
      made[kept++] = made[i];
    }
  }
  *list = made;
  *count = kept;
  return true;
}

/* ---- choices ---- */

static double value_of(const dsm_pim_plan *plan, const dsm_pim_cost *cost) {
  return plan->options.objective == DSM_PIM_LEAST_ENERGY ? cost->joules : cost->seconds;
}

/* Is one better? What does not fit is no better than anything. */
static bool is_better(const dsm_pim_plan *plan, const dsm_pim_cost *one,
                      const dsm_pim_cost *other) {
  return one->is_feasible && (!other->is_feasible || value_of(plan, one) < value_of(plan, other));
}

/* The best with some cores and tasklets. */
static dsm_pim_cost cost_of(const dsm_pim_plan *plan, uint64_t cores, uint64_t tasklets) {
  const dsm_pim_transfers given = plan->options.transfers;
  dsm_pim_cost best;
  dsm_pim_predict(
      &best, plan->workload, plan->system,
      (dsm_pim_choice){.cores = cores,
                       .tasklets = tasklets,
                       .transfers = given == DSM_PIM_TRANSFERS_COUNT ? DSM_PIM_SERIAL : given});
  if (given == DSM_PIM_TRANSFERS_COUNT) {
    dsm_pim_cost other;
    dsm_pim_predict(&other, plan->workload, plan->system,
                    (dsm_pim_choice){cores, tasklets, DSM_PIM_PARALLEL});
    best = is_better(plan, &other, &best) ? other : best;
  }
  return best;
}

static double cycles_with(const dsm_pim_plan *plan, uint64_t tasklets) {
  dsm_pim_update update;
  dsm_pim_update_cost(&update, plan->workload, plan->system, tasklets);
  return update.cycles;
}

/* Number `index` of those that may be chosen. */
static uint64_t tasklets_at(const dsm_pim_plan *plan, size_t index) {
  return plan->options.tasklet_count > 0 ? plan->options.tasklets[index] : index + 1;
}

static size_t tasklet_count(const dsm_pim_plan *plan) {
  return plan->options.tasklet_count > 0 ? plan->options.tasklet_count
                                         : (size_t)plan->system->tasklets;
}

/* The fewest whose updates take at most `slack` more than the least. */
static uint64_t fewest_tasklets(const dsm_pim_plan *plan, double slack) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < tasklet_count(plan); i++) {
    least = fmin(least, cycles_with(plan, tasklets_at(plan, i)));
  }
  size_t index = 0;
  while (cycles_with(plan, tasklets_at(plan, index)) > least * (1 + slack)) {
    index++;
  }
  return tasklets_at(plan, index);
}

/* As many cores as there is work for. */
static uint64_t most_cores(const dsm_pim_plan *plan) {
  return dsm_pim_working_cores(plan->workload, plan->system->cores);
}

static void choose(dsm_pim_plan *plan) {
  const dsm_pim_options *const options = &plan->options;
  const uint64_t tasklets = fewest_tasklets(plan, 0);
  const size_t count = options->core_count > 0 ? options->core_count : (size_t)most_cores(plan);
  for (size_t i = 0; i < count; i++) {
    const uint64_t cores = options->core_count > 0 ? options->cores[i] : i + 1;
    const dsm_pim_cost cost = cost_of(plan, cores, tasklets);
    plan->cost = i == 0 || is_better(plan, &cost, &plan->cost) ? cost : plan->cost;
  }
}

/* ---- curves ---- */

/* Powers of two, the best and all, or what was asked for; with the best in any case. */
static bool list_cores(const dsm_pim_plan *plan, const uint64_t **list, size_t *count) {
  enum { POWERS_MAX = 64 };
  const size_t given = plan->options.core_count;
  uint64_t *const all = dsm__arena_array(plan->arena, given + POWERS_MAX + 2, sizeof *all);
  if (all == NULL) {
    return false;
  }
  *count = 0;
  for (size_t i = 0; i < given; i++) {
    all[(*count)++] = plan->options.cores[i];
  }
  if (given == 0) {
    const uint64_t most = most_cores(plan);
    for (uint64_t cores = 1; cores <= most; cores *= 2) {
      all[(*count)++] = cores;
    }
    all[(*count)++] = most;
  }
  all[(*count)++] = plan->cost.choice.cores;
  *list = all;
  return dsm__pim_sorted(list, count, plan->arena);
}

static bool fill_curve(dsm_pim_plan *plan) {
  const uint64_t *cores = NULL;
  size_t count = 0;
  dsm_pim_cost *curve = NULL;
  if (!list_cores(plan, &cores, &count) || !DSM__RESERVE(plan->arena, curve, count)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const bool is_best = cores[i] == plan->cost.choice.cores;
    curve[i] = is_best ? plan->cost : cost_of(plan, cores[i], plan->cost.choice.tasklets);
  }
  plan->curve = curve;
  plan->curve_count = count;
  return true;
}

static bool fill_tasklet_curve(dsm_pim_plan *plan) {
  dsm_pim_cost *curve = NULL;
  const size_t count = tasklet_count(plan);
  if (!DSM__RESERVE(plan->arena, curve, count)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    dsm_pim_choice choice = plan->cost.choice;
    choice.tasklets = tasklets_at(plan, i);
    dsm_pim_predict(&curve[i], plan->workload, plan->system, choice);
  }
  plan->tasklet_curve = curve;
  plan->tasklet_curve_count = count;
  plan->knee_tasklets = fewest_tasklets(plan, knee_slack);
  return true;
}

bool dsm__pim_plan_finish(dsm_pim_plan *plan) {
  return fill_curve(plan) && fill_tasklet_curve(plan);
}

/* ---- plans ---- */

/* A number that the system does not have; 0: there is none. */
static uint64_t find_bad(const uint64_t *list, size_t count, uint64_t most) {
  for (size_t i = 0; i < count; i++) {
    if (list[i] < 1 || list[i] > most) {
      return list[i] == 0 ? UINT64_MAX : list[i];
    }
  }
  return 0;
}

static dsm_status check_list(const uint64_t *list, size_t count, uint64_t most, const char *what,
                             const dsm_pim_system *system, dsm_diags *diags) {
  const uint64_t bad = find_bad(list, count, most);
  return bad == 0 ? DSM_OK
                  : dsm__refuse(diags, DSM_ERROR_USAGE,
                                "expected 1 to %" PRIu64 " %s, as many as %s has, found %" PRIu64,
                                most, what, system->name, bad == UINT64_MAX ? 0 : bad);
}

static dsm_status check(const dsm_pim_system *system, const dsm_pim_options *options,
                        dsm_diags *diags) {
  const dsm_status status =
      check_list(options->cores, options->core_count, system->cores, "cores", system, diags);
  return status != DSM_OK ? status
                          : check_list(options->tasklets, options->tasklet_count, system->tasklets,
                                       "tasklets", system, diags);
}

dsm_status dsm__pim_refuse_memory(const dsm_rl_workload *workload, const dsm_pim_system *system,
                                  uint64_t cores, dsm_diags *diags) {
  const uint64_t fewest = dsm_pim_fewest_cores(workload, system);
  const double capacity = dsm__pim_core_memory_bytes(system);
  const double bytes = dsm_pim_core_bytes(workload, cores);
  if (fewest == 0) {
    return dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                       "%s on %s: a core would have %.0f bytes, and its memory holds %.0f: %s",
                       workload->name, system->name, bytes, capacity,
                       workload->agents > 0 ? "the data set of an agent and its table do not fit"
                                            : "a table and one transition do not fit");
  }
  return dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                     "%s on %s: each of %" PRIu64 " core%s would have %.0f bytes, %.0f more than "
                     "its memory holds: expected at least %" PRIu64 " cores%s",
                     workload->name, system->name, cores, cores == 1 ? "" : "s", bytes,
                     bytes - capacity, fewest,
                     fewest > system->cores ? ", more than there are" : "");
}

/* A plan without a choice yet: options, with lists of its own, and the fewest cores. NULL if out of
 * memory. */
static dsm_pim_plan *begin(const dsm_rl_workload *workload, const dsm_pim_system *system,
                           const dsm_pim_options *options) {
  dsm_pim_plan *const plan = DSM__ARENA_OWNER(dsm_pim_plan);
  if (plan == NULL) {
    return NULL;
  }
  plan->workload = workload;
  plan->system = system;
  plan->options = *options;
  plan->dsm_version = dsm_version();
  plan->fewest_cores = dsm_pim_fewest_cores(workload, system);
  if (!dsm__pim_sorted(&plan->options.cores, &plan->options.core_count, plan->arena) ||
      !dsm__pim_sorted(&plan->options.tasklets, &plan->options.tasklet_count, plan->arena)) {
    dsm_pim_plan_free(plan);
    return NULL;
  }
  return plan;
}

dsm_status dsm_pim(dsm_pim_plan **plan, const dsm_rl_workload *workload,
                   const dsm_pim_system *system, const dsm_pim_options *options, dsm_diags *diags) {
  dsm_pim_options defaults;
  dsm_pim_options_init(&defaults);
  const dsm_pim_options *const asked = options == NULL ? &defaults : options;
  *plan = NULL;
  dsm_status status = check(system, asked, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm_pim_plan *const made = begin(workload, system, asked);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  choose(made);
  if (!made->cost.is_feasible) {
    const size_t count = made->options.core_count;
    status = dsm__pim_refuse_memory(
        workload, system, count > 0 ? made->options.cores[count - 1] : most_cores(made), diags);
  } else if (!dsm__pim_plan_finish(made)) {
    status = dsm__out_of_memory(diags);
  }
  if (status != DSM_OK) {
    dsm_pim_plan_free(made);
    return status;
  }
  *plan = made;
  return DSM_OK;
}

void dsm_pim_plan_free(dsm_pim_plan *plan) {
  if (plan != NULL) {
    dsm_rl_workload_free(plan->own_workload);
    dsm_pim_system_free(plan->own_system);
    dsm__arena_free(plan->arena);
  }
}

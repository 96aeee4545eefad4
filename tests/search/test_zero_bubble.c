/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stages whose gradients of weights fill the times in which they wait. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "plan/segments.h"
#include "plan/step_stages.h"
#include "plan/zero_bubble.h"
#include "random_numbers.h"
#include "stage_twin.h"
#include "suites.h"

/* ---- the schedule ---- */

enum { STAGES_MAX = 5, BATCHES_MAX = 14, KINDS = 3 };

/* Whole times of the passes of a stage: back, forward, gradients of weights. */
typedef struct lengths {
  int of[KINDS];
} lengths;

typedef struct stage {
  size_t begun[KINDS];
  int ends[KINDS][BATCHES_MAX];
  int free_at;
} stage;

/* Has a pass ended by a time? */
static bool is_done(const stage *of, int kind, size_t micro_batch, int now) {
  return micro_batch < of->begun[kind] && of->ends[kind][micro_batch] <= now;
}

static bool may_begin(const stage *stages, size_t count, size_t at, int kind, size_t batches,
                      int now) {
  const stage *const own = &stages[at];
  const size_t i = own->begun[kind];
  if (i == batches) {
    return false;
  }
  if (kind == 1) {
    size_t kept = own->begun[1] - own->begun[2];
    return kept < 2 * count - 1 && (at == 0 || is_done(&stages[at - 1], 1, i, now));
  }
  if (kind == 2) {
    return is_done(own, 0, i, now);
  }
  return is_done(own, 1, i, now) && (at + 1 == count || is_done(&stages[at + 1], 0, i, now));
}

/* Tick by tick each stage that is free takes what it may, the way back first. */
static int simulate(const lengths *of, size_t count, size_t batches) {
  stage stages[STAGES_MAX] = {{.free_at = 0}};
  size_t left = KINDS * count * batches;
  int end = 0;
  for (int now = 0; left > 0; now++) {
    ck_assert_int_lt(now, 100000);
    for (size_t at = 0; at < count; at++) {
      stage *const own = &stages[at];
      int kind = 0;
      while (kind < KINDS && !may_begin(stages, count, at, kind, batches, now)) {
        kind++;
      }
      if (own->free_at <= now && kind < KINDS) {
        own->free_at = own->ends[kind][own->begun[kind]++] = now + of[at].of[kind];
        end = own->free_at > end ? own->free_at : end;
        left--;
      }
    }
  }
  return end;
}

static double scheduled(const lengths *of, size_t count, size_t batches) {
  dsm__stage_cost costs[STAGES_MAX] = {{.once = 0}};
  for (size_t s = 0; s < count; s++) {
    costs[s] = (dsm__stage_cost){
        .forward = of[s].of[1], .backward = of[s].of[0] + of[s].of[2], .update = of[s].of[2]};
  }
  const dsm__interleaving question = {count, 1, batches, DSM_SCHEDULE_ZERO_BUBBLE};
  return dsm__stages_step_cycles(costs, &question);
}

/* Stages of any lengths: the same as the simulation, and no less than the bound of the search. */
START_TEST(test_schedule_is_that_of_a_simulation) {
  uint64_t state = 5;
  for (int trial = 0; trial < 2000; trial++) {
    lengths of[STAGES_MAX];
    const size_t count = 2 + (size_t)random_below(&state, STAGES_MAX - 1);
    const size_t batches = 1 + (size_t)random_below(&state, BATCHES_MAX);
    double sum = 0;
    for (size_t s = 0; s < count; s++) {
      for (int k = 0; k < KINDS; k++) {
        of[s].of[k] = 1 + (int)random_below(&state, 9);
        sum += of[s].of[k];
      }
    }
    const double step = scheduled(of, count, batches);
    ck_assert_double_eq(step, simulate(of, count, batches));
    ck_assert_double_ge(step, (double)batches * sum / (double)count);
  }
}
END_TEST

/* Qi et al. 2023, section 2: with F = B = W and 2 p - 1 micro-batches in flight each of p stages is
 * busy from its first pass to its last: the last one begins (p - 1) F after the first. 1F1B waits
 * (p - 1) (F + B + W). */
START_TEST(test_equal_stages_wait_for_the_first_pass_alone) {
  static const lengths equal = {{4, 4, 4}};
  for (size_t count = 2; count <= STAGES_MAX; count++) {
    const lengths of[STAGES_MAX] = {equal, equal, equal, equal, equal};
    ck_assert_double_eq(scheduled(of, count, 12), 12.0 * 12 + ((double)count - 1) * 4);
    ck_assert_uint_eq(dsm__zero_bubble_in_flight(count, 100), 2 * count - 1);
    ck_assert_uint_eq(dsm__zero_bubble_in_flight(count, 2), 2);
  }
}
END_TEST

/* ---- plans ---- */

static dsm_workload *workload;
static dsm_system *chips;
static dsm_explore_options options;

static void set_up(void) {
  const dsm_override overrides[] = {{"system.chips_x", "1", NULL}, {"system.chips_y", "4", NULL}};
  workload = bundled_workload("resnet18", "16");
  chips = bundled_system_with("torus64", overrides, 2);
  dsm_explore_options_init(&options);
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE) |
                          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES);
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  options.schedule = DSM_SCHEDULE_ZERO_BUBBLE;
}

static void tear_down(void) {
  dsm_workload_free(workload);
  dsm_system_free(chips);
}

/* Every cut is predicted; in the second case the memory binds, which has 3 micro-batches in flight
 * where 1F1B has 2 and 1. */
START_TEST(test_cuts_are_the_best) {
  static const double capacities[] = {8, 0.06};
  chips->chip.memory.capacity_GB = capacities[_i];
  dsm__arena *const arena = dsm__arena_new();
  bool *is_cut = NULL;
  ck_assert(dsm__segments_find(workload, arena, &is_cut));
  for (uint64_t stages = 2; stages <= 4; stages += 2) {
    options.stages = stages;
    options.micro_batches = 8;
    dsm_plan *plan = NULL;
    stage_twin twin = {
        .workload = workload, .system = chips, .options = &options, .is_cut = is_cut};
    ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
    ck_assert(dsm__decisions_of_plan(plan, arena, &twin.decisions));
    stage_twin_cut(&twin);
    ck_assert_double_le_tol(plan->result.lower_bound_cycles, twin.best, 1e-9 * twin.best);
    ck_assert_double_ge_tol(plan->result.step_cycles, twin.best, 1e-9 * twin.best);
    ck_assert_double_le(plan->result.step_cycles, 1.05 * twin.best);
    dsm_plan_free(plan);
  }
  dsm__arena_free(arena);
}
END_TEST

/* The plan is read back as it was; passes add up to the step, and what stages wait is less than in
 * 1F1B with the same cuts. */
START_TEST(test_plan_is_read_back) {
  options.stages = 2;
  options.micro_batches = 8;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  ck_assert_int_eq(plan->stages.schedule, DSM_SCHEDULE_ZERO_BUBBLE);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  char *const text = dsm_plan_print(plan);
  dsm_plan *again = NULL;
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), NULL, NULL, NULL), DSM_OK);
  ck_assert_int_eq(again->options.schedule, DSM_SCHEDULE_ZERO_BUBBLE);
  ck_assert_double_eq(again->result.step_cycles, plan->result.step_cycles);
  ck_assert_double_eq(again->result.memory.total_bytes, plan->result.memory.total_bytes);
  dsm__arena *const arena = dsm__arena_new();
  dsm__decisions decisions;
  dsm_plan *turns = NULL;
  ck_assert(dsm__decisions_of_plan(plan, arena, &decisions));
  decisions.stages.schedule = options.schedule = DSM_SCHEDULE_1F1B;
  ck_assert_int_eq(dsm__plan_make(&turns, workload, chips, &options, &decisions, NULL), DSM_OK);
  ck_assert_double_lt(plan->result.step_cycles, turns->result.step_cycles);
  ck_assert_double_gt(plan->result.memory.total_bytes, turns->result.memory.total_bytes);
  dsm_plan_free(turns);
  dsm_plan_free(again);
  dsm_plan_free(plan);
  dsm__arena_free(arena);
  free(text);
}
END_TEST

Suite *suite_zero_bubble(void) {
  Suite *const suite = suite_create("zero_bubble");
  TCase *const schedule = tcase_create("schedule");
  tcase_add_test(schedule, test_schedule_is_that_of_a_simulation);
  tcase_add_test(schedule, test_equal_stages_wait_for_the_first_pass_alone);
  suite_add_tcase(suite, schedule);
  TCase *const tests = tcase_create("plans");
  tcase_set_timeout(tests, 60);
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_loop_test(tests, test_cuts_are_the_best, 0, 2);
  tcase_add_test(tests, test_plan_is_read_back);
  suite_add_tcase(suite, tests);
  return suite;
}

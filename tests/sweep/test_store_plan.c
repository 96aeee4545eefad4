/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_store_plan.c: plans of points, as recorded and explored again. */
#include <math.h>
#include <string.h>

#include "bundled_sweep.h"
#include "dsm/sweep_run.h"
#include "scratch.h"
#include "suites.h"

static dsm_sweep *sweep;

/* Points: 0 and 1 are good, 2 and 3 infeasible. */
static dsm_sweep *four_points(dsm_record record) {
  return bundled_sweep("'workloads': ['raider'], 'systems': ['chip1'],"
                       "'axes': [{'path': 'system.chip.memory.capacity_GB', 'values': [8, 1e-9]},"
                       "{'path': 'workload.minibatch', 'values': [4, 8]}]",
                       record);
}

static void enter(void) {
  scratch_enter();
  sweep = NULL;
}

static void leave(void) {
  dsm_sweep_free(sweep);
  scratch_leave();
}

/* A database of the four points, explored but for those that are left out. */
static void make(dsm_record record, bool is_run) {
  sweep = four_points(record);
  dsm_store *const store = scratch_open("a.sqlite", sweep);
  if (is_run) {
    dsm_sweep_run_options options;
    dsm_sweep_progress progress;
    dsm_sweep_run_options_init(&options);
    ck_assert_int_eq(dsm_sweep_run(store, sweep, &options, &progress, NULL), DSM_OK);
  }
  dsm_store_close(store);
}

static dsm_status plan_of(size_t point, dsm_plan **plan, double *recorded) {
  dsm_store *const store = scratch_read("a.sqlite");
  *plan = (dsm_plan *)plan;
  *recorded = -1;
  const dsm_status status = dsm_store_plan(store, point, plan, recorded, scratch_diags());
  ck_assert((status == DSM_OK) == (*plan != NULL));
  dsm_store_close(store);
  return status;
}

static const struct {
  dsm_record record;
  bool is_run;
} databases[] = {{DSM_RECORD_POINTS, true},
                 {DSM_RECORD_LAYERS, true},
                 {DSM_RECORD_PLANS, true},
                 {DSM_RECORD_PLANS, false}};

START_TEST(test_a_point_has_the_same_plan_however_it_is_found) {
  make(databases[_i].record, databases[_i].is_run);
  for (size_t point = 0; point < 2; point++) {
    dsm_plan *plan;
    double recorded;
    ck_assert_int_eq(plan_of(point, &plan, &recorded), DSM_OK);
    ck_assert_str_eq(plan->workload->name, "raider");
    ck_assert_uint_eq(plan->workload->minibatch, point == 0 ? 4 : 8);
    ck_assert_double_eq(recorded, databases[_i].is_run ? plan->result.step_cycles : 0);
    dsm_plan_free(plan);
  }
}
END_TEST

START_TEST(test_an_infeasible_point_has_none) {
  make(databases[_i].record, databases[_i].is_run);
  dsm_plan *plan;
  double recorded;
  ck_assert_int_eq(plan_of(2, &plan, &recorded), DSM_ERROR_INFEASIBLE);
  scratch_expect("point 2 has no plan, it is infeasible: memory capacity");
}
END_TEST

START_TEST(test_an_unknown_point_has_none) {
  static const size_t numbers[] = {4, SIZE_MAX};
  make(DSM_RECORD_POINTS, false);
  dsm_plan *plan;
  double recorded;
  ck_assert_int_eq(plan_of(numbers[_i], &plan, &recorded), DSM_ERROR_USAGE);
  scratch_expect("expected a point of 0 .. 3, found ");
}
END_TEST

START_TEST(test_rows_that_dsm_does_not_write) {
  static const struct {
    const char *sql;
    const char *finding;
  } changes[] = {
      {"UPDATE point_row SET status='good' WHERE point=1", "a row holds what dsm does not write"},
      {"UPDATE point_row SET status=x'00' WHERE point=1", "a row holds what dsm does not write"},
      {"UPDATE plan_text SET plan=CAST(x'C0AF' AS TEXT) WHERE point=1",
       "a row holds what dsm does not write"},
      {"UPDATE plan_text SET plan='{' WHERE point=1", ""},
  };
  make(DSM_RECORD_PLANS, true);
  scratch_sql("a.sqlite", changes[_i].sql);
  dsm_plan *plan;
  double recorded;
  ck_assert_int_eq(plan_of(1, &plan, &recorded), DSM_ERROR_INVALID);
  scratch_expect(changes[_i].finding);
}
END_TEST

START_TEST(test_a_store_gives_plans_one_after_the_other) {
  make(DSM_RECORD_PLANS, true);
  dsm_store *const store = scratch_read("a.sqlite");
  static const size_t order[] = {1, 2, 0, 1};
  for (int i = 0; i < COUNT_OF(order); i++) {
    dsm_plan *plan;
    const dsm_status status = dsm_store_plan(store, order[i], &plan, NULL, NULL);
    ck_assert_int_eq(status, order[i] == 2 ? DSM_ERROR_INFEASIBLE : DSM_OK);
    dsm_plan_free(plan);
  }
  dsm_point_table *table;
  ck_assert_int_eq(dsm_store_points(store, &table, NULL), DSM_OK);
  dsm_point_table_free(table);
  dsm_store_close(store);
}
END_TEST

Suite *suite_store_plan(void) {
  Suite *const suite = suite_create("store_plan");
  TCase *const tests = tcase_create("store_plan");
  tcase_add_checked_fixture(tests, enter, leave);
  tcase_add_loop_test(tests, test_a_point_has_the_same_plan_however_it_is_found, 0,
                      COUNT_OF(databases));
  tcase_add_loop_test(tests, test_an_infeasible_point_has_none, 0, COUNT_OF(databases));
  tcase_add_loop_test(tests, test_an_unknown_point_has_none, 0, 2);
  tcase_add_loop_test(tests, test_rows_that_dsm_does_not_write, 0, 4);
  tcase_add_test(tests, test_a_store_gives_plans_one_after_the_other);
  suite_add_tcase(suite, tests);
  return suite;
}

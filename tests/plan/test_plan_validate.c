/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk over a plan's invariants finds each one that is broken. */
#include <string.h>

#include "explored.h"
#include "suites.h"

static explored made;
static dsm_diags *diags;

static void set_up(void) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  made = explore_bundled("raider", "torus16", "256", &options);
  diags = dsm_diags_new(100);
  ck_assert_ptr_nonnull(diags);
}

static void tear_down(void) {
  dsm_diags_free(diags);
  explored_free(&made);
}

START_TEST(test_explored_plan_keeps_every_invariant) {
  ck_assert_int_eq(dsm_plan_validate(made.plan, diags), DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
}
END_TEST

/* ---- one broken invariant a case ---- */

static dsm_pass_plan *conv1_forward(void) {
  return &made.plan->layers[0].passes[DSM_PASS_FORWARD];
}

static void split_product(void) {
  conv1_forward()->first.split.n[DSM_DIM_MB] *= 2;
}
static void split_over_a_loop(void) { /* 32 parts of 1 input feature */
  conv1_forward()->first.split = (dsm_loops){{32, 1, 1, 1, 1}};
}
static void parallelism_not_allowed(void) {
  made.plan->options.parallelisms = 0;
}
static void missing_pass(void) {
  made.plan->layers[0].passes[DSM_PASS_UPDATE].exists = false;
}
static void surplus_pass(void) { /* conv1 sends no errors to the network's input */
  made.plan->layers[0].passes[DSM_PASS_BACKWARD] = *conv1_forward();
}
static void sum_of_pass(void) {
  conv1_forward()->cycles.total *= 1.001;
}
static void negative_component(void) {
  conv1_forward()->cycles.auxiliary = -1;
}
static void group_time(void) {
  conv1_forward()->group_cycles[DSM_GROUP_STREAM] *= 1.001;
}
static void sum_of_result(void) {
  made.plan->result.cycles.primary += 1;
}
static void step(void) {
  made.plan->result.step_cycles *= 1.001;
}
static void lower_bound(void) {
  made.plan->result.lower_bound_cycles = made.plan->result.step_cycles + 1;
}

typedef struct broken_case {
  void (*break_it)(void);
  const char *path; /* of the first finding */
} broken_case;

static const broken_case broken[] = {
    {split_product, "$.layers[0].passes.forward"},
    {split_over_a_loop, "$.layers[0].passes.forward"},
    {parallelism_not_allowed, "$.layers[0].passes.forward"},
    {missing_pass, "$.layers[0].passes.update"},
    {surplus_pass, "$.layers[0].passes.backward"},
    {sum_of_pass, "$.layers[0].passes.forward"},
    {negative_component, "$.layers[0].passes.forward"},
    {group_time, "$.layers[0].passes.forward"},
    {sum_of_result, "$.result"},
    {step, "$.result"},
    {lower_bound, "$.result"},
};

START_TEST(test_broken_invariant_is_found_where_it_is) {
  broken[_i].break_it();
  ck_assert_int_eq(dsm_plan_validate(made.plan, diags), DSM_ERROR_INVALID);
  ck_assert_uint_ge(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, broken[_i].path);
}
END_TEST

START_TEST(test_need_over_capacity_is_infeasible) {
  made.plan->result.memory.total_bytes = made.plan->result.memory.capacity_bytes * 1.001;
  ck_assert_int_eq(dsm_plan_validate(made.plan, diags), DSM_ERROR_INFEASIBLE);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, "$.result.memory");
}
END_TEST

START_TEST(test_findings_may_be_left_out) {
  step();
  ck_assert_int_eq(dsm_plan_validate(made.plan, NULL), DSM_ERROR_INVALID);
}
END_TEST

Suite *suite_plan_validate(void) {
  Suite *const suite = suite_create("plan_validate");
  TCase *const tcase = tcase_create("invariants");
  tcase_add_checked_fixture(tcase, set_up, tear_down);
  tcase_add_test(tcase, test_explored_plan_keeps_every_invariant);
  tcase_add_loop_test(tcase, test_broken_invariant_is_found_where_it_is, 0, COUNT_OF(broken));
  tcase_add_test(tcase, test_need_over_capacity_is_infeasible);
  tcase_add_test(tcase, test_findings_may_be_left_out);
  suite_add_tcase(suite, tcase);
  return suite;
}

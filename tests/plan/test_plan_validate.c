/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk over a plan's invariants finds each one that is broken. */
#include <math.h>
#include <string.h>

#include "explored.h"
#include "made.h"
#include "suites.h"

static explored found;
static dsm_diags *diags;

static void set_up(void) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  found = explore_bundled("raider", "torus16", "256", &options);
  diags = dsm_diags_new(100);
  ck_assert_ptr_nonnull(diags);
}

static void tear_down(void) {
  dsm_diags_free(diags);
  explored_free(&found);
}

START_TEST(test_explored_plan_keeps_every_invariant) {
  ck_assert_int_eq(dsm_plan_validate(found.plan, diags), DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
}
END_TEST

/* ---- one broken invariant a case ---- */

static dsm_pass_plan *conv1_forward(void) {
  return &found.plan->layers[0].passes[DSM_PASS_FORWARD];
}

static void split_product(void) {
  conv1_forward()->decisions.core_split.n[DSM_DIM_MB] *= 2;
}
static void split_of_invocation(void) { /* is not that of the pass */
  conv1_forward()->invocations[0].split.n[DSM_DIM_MB] *= 2;
}
static void split_over_a_loop(void) { /* 32 parts of 1 input feature */
  conv1_forward()->decisions.core_split = (dsm_loops){{32, 1, 1, 1, 1}};
}
static void parallelism_not_allowed(void) {
  found.plan->options.parallelisms = 0;
}
static void missing_pass(void) {
  found.plan->layers[0].passes[DSM_PASS_UPDATE].exists = false;
}
static void surplus_pass(void) { /* conv1 sends no errors to the network's input */
  found.plan->layers[0].passes[DSM_PASS_BACKWARD] = *conv1_forward();
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
  found.plan->result.cycles.primary += 1;
}
static void step(void) {
  found.plan->result.step_cycles *= 1.001;
}
static void seconds(void) {
  found.plan->result.step_seconds *= 1.001;
}
static void rate(void) {
  found.plan->result.samples_per_second *= 1.001;
}
static void move_left_out(void) { /* part of the invocation's total alone */
  conv1_forward()->invocations[0].cost.layout_move += 100;
}
static void sum_over_invocations(void) {
  conv1_forward()->invocations[0].cost.primary += 100;
  conv1_forward()->invocations[0].cost.total += 100;
}
static void more_visible_than_overlapped(void) {
  found.plan->result.cycles.overlapped = found.plan->result.cycles.overlapped_visible / 2;
}
static void utilization_of_pass(void) {
  conv1_forward()->utilization *= 1.001;
}
static void ideal_cycles(void) {
  conv1_forward()->ideal_cycles *= 1.001;
}
static void sum_of_memory(void) {
  found.plan->result.memory.errors_bytes += 1;
}
static void no_number(void) {
  conv1_forward()->invocations[0].cost.total = (double)INFINITY;
}
static void lower_bound(void) {
  found.plan->result.lower_bound_cycles = found.plan->result.step_cycles + 1;
}

typedef struct broken_case {
  void (*break_it)(void);
  const char *path; /* of the first finding */
} broken_case;

static const broken_case broken[] = {
    {split_product, "$.layers[0].passes.forward.core_split"},
    {split_of_invocation, "$.layers[0].passes.forward"},
    {split_over_a_loop, "$.layers[0].passes.forward.core_split.in"},
    {parallelism_not_allowed, "$.options.parallelisms"},
    {missing_pass, "$.layers[0].passes.update"},
    {surplus_pass, "$.layers[0].passes.backward"},
    {sum_of_pass, "$.layers[0].passes.forward.cycles.total"},
    {negative_component, "$.layers[0].passes.forward"},
    {group_time, "$.layers[0].passes.forward"},
    {sum_of_result, "$.result.cycles.primary"},
    {step, "$.result"},
    {lower_bound, "$.result"},
    {seconds, "$.result"},
    {rate, "$.result"},
    {move_left_out, "$.layers[0].passes.forward.invocations[0].cycles.total"},
    {sum_over_invocations, "$.layers[0].passes.forward.cycles.primary"},
    {more_visible_than_overlapped, "$.result.cycles.overlapped"},
    {utilization_of_pass, "$.layers[0].passes.forward.utilization"},
    {ideal_cycles, "$.layers[0].passes.forward.utilization"},
    {sum_of_memory, "$.result.memory.total_bytes"},
    {no_number, "$.layers[0].passes.forward"},
};

START_TEST(test_broken_invariant_is_found_where_it_is) {
  broken[_i].break_it();
  ck_assert_int_eq(dsm_plan_validate(found.plan, diags), DSM_ERROR_INVALID);
  ck_assert_uint_ge(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, broken[_i].path);
}
END_TEST

START_TEST(test_need_over_capacity_is_infeasible) {
  found.plan->result.memory.capacity_bytes = found.plan->result.memory.total_bytes / 1.001;
  ck_assert_int_eq(dsm_plan_validate(found.plan, diags), DSM_ERROR_INFEASIBLE);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, "$.result.memory");
}
END_TEST

START_TEST(test_findings_may_be_left_out) {
  step();
  ck_assert_int_eq(dsm_plan_validate(found.plan, NULL), DSM_ERROR_INVALID);
}
END_TEST

/* ---- pipelines, and passes with two kinds of invocation ---- */

static made m; /* lstm1 and lstm2 in a pipeline, lstm3 keeps its kernel */

static void make_pipeline(void) {
  static const uint64_t rows[] = {2, 2};
  m = made_of(made_lstms, DSM_MODE_TRAINING, NULL);
  made_add_group(&m, "g", 0, 2, rows);
  made_keep_kernel(&m, 2, DSM_PASS_FORWARD, (dsm_loops){{1, 2, 1, 1, 2}});
  made_predict(&m);
  diags = dsm_diags_new(100);
  ck_assert_ptr_nonnull(diags);
}

static void free_pipeline(void) {
  dsm_diags_free(diags);
  made_free(&m);
}

static dsm_pass_plan *forward_of(size_t layer) {
  return &m.plan->layers[layer].passes[DSM_PASS_FORWARD];
}

static void cycles_of_a_group(void) {
  static dsm_pipeline_plan changed;
  changed = m.plan->pipelines[0];
  changed.cycles *= 1.001;
  m.plan->pipelines = &changed;
}
static void group_without_columns(void) {
  static dsm_pipeline_plan changed;
  changed = m.plan->pipelines[0];
  changed.columns = 0;
  m.plan->pipelines = &changed;
}
static void layer_outside_its_group(void) {
  m.plan->layers[1].pipeline = DSM_NO_PIPELINE;
}
static void layer_in_no_such_group(void) {
  m.plan->layers[4].pipeline = 0;
}
static void count_of_invocations(void) {
  forward_of(2)->invocations[1].count++;
}
static void kind_of_invocations(void) {
  forward_of(3)->invocations[0].kind = DSM_INVOCATION_WRITE;
}
static void cost_of_an_invocation(void) {
  forward_of(2)->invocations[1].cost.primary *= 1.001;
}
static void share_of_a_pipeline(void) {
  forward_of(1)->cycles.primary *= 1.001;
}
static void group_faster_than_its_links(void) {
  forward_of(2)->group_cycles[DSM_GROUP_STREAM] *= 0.5;
}
static void group_slower_than_its_transfers(void) {
  forward_of(2)->group_cycles[DSM_GROUP_STREAM] *= 100;
}

static const broken_case broken_pipelines[] = {
    {cycles_of_a_group, "$.pipeline[0].cycles"},
    {group_without_columns, "$.pipeline[0].columns"},
    {layer_outside_its_group, "$.layers[1]"},
    {layer_in_no_such_group, "$.layers[4]"},
    {count_of_invocations, "$.layers[2].passes.forward"},
    {kind_of_invocations, "$.layers[3].passes.forward"},
    {cost_of_an_invocation, "$.layers[2].passes.forward.invocations[1].cycles.total"},
    {share_of_a_pipeline, "$.layers[1].passes.forward.cycles.total"},
    {group_faster_than_its_links, "$.layers[2].passes.forward"},
    {group_slower_than_its_transfers, "$.layers[2].passes.forward"},
};

START_TEST(test_broken_pipeline_is_found_where_it_is) {
  ck_assert_int_eq(dsm_plan_validate(m.plan, diags), DSM_OK);
  broken_pipelines[_i].break_it();
  ck_assert_int_eq(dsm_plan_validate(m.plan, diags), DSM_ERROR_INVALID);
  ck_assert_uint_ge(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, broken_pipelines[_i].path);
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
  TCase *const pipelines = tcase_create("pipelines");
  tcase_add_checked_fixture(pipelines, make_pipeline, free_pipeline);
  tcase_add_loop_test(pipelines, test_broken_pipeline_is_found_where_it_is, 0,
                      COUNT_OF(broken_pipelines));
  suite_add_tcase(suite, pipelines);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "report/step_timeline.h"
#include "subjects.h"

static dsm__step_timeline derive(const dsm_plan *plan, dsm__arena *arena) {
  dsm__step_timeline timeline;
  ck_assert(dsm__step_timeline_derive(&timeline, plan, arena));
  return timeline;
}

/* Where a pass of a layer stands; fails unless it is there exactly once. */
static size_t place_of(const dsm__step_timeline *timeline, size_t layer, dsm_pass pass) {
  size_t place = SIZE_MAX;
  for (size_t i = 0; i < timeline->span_count; i++) {
    if (timeline->spans[i].layer == layer && timeline->spans[i].pass == pass) {
      ck_assert_uint_eq(place, SIZE_MAX);
      place = i;
    }
  }
  ck_assert_uint_ne(place, SIZE_MAX);
  return place;
}

START_TEST(test_spans_follow_each_other_to_the_end_of_the_step) {
  const subject made = bundled_subject(_i);
  dsm__arena *const arena = dsm__arena_new();
  const dsm__step_timeline timeline = derive(made.plan, arena);
  size_t pass_count = 0;
  for (size_t layer = 0; layer < made.plan->layer_count; layer++) {
    for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
      pass_count += made.plan->layers[layer].passes[pass].exists;
    }
  }
  ck_assert_uint_eq(timeline.span_count, pass_count);
  double end = 0;
  for (size_t i = 0; i < timeline.span_count; i++) {
    const dsm__step_span *const span = &timeline.spans[i];
    ck_assert_double_eq(span->begin_cycles, end);
    ck_assert_double_eq(span->cycles,
                        made.plan->layers[span->layer].passes[span->pass].cycles.total);
    end = span->begin_cycles + span->cycles;
  }
  ck_assert_double_eq_tol(end, made.plan->result.step_cycles,
                          1e-11 * made.plan->result.step_cycles);
  dsm__arena_free(arena);
}
END_TEST

/* A layer runs after those that make what it uses; on the way back it is the other way round. */
static void expect_after(const dsm__step_timeline *timeline, size_t user, const size_t *makers,
                         size_t count) {
  const dsm_plan *const plan = timeline->plan;
  for (size_t i = 0; i < count; i++) {
    if (makers[i] == DSM_NETWORK_INPUT) {
      continue;
    }
    ck_assert_uint_lt(place_of(timeline, makers[i], DSM_PASS_FORWARD),
                      place_of(timeline, user, DSM_PASS_FORWARD));
    for (int pass = DSM_PASS_BACKWARD; pass < DSM_PASS_COUNT; pass++) {
      if (plan->layers[user].passes[DSM_PASS_BACKWARD].exists &&
          plan->layers[makers[i]].passes[pass].exists) {
        ck_assert_uint_lt(place_of(timeline, user, DSM_PASS_BACKWARD),
                          place_of(timeline, makers[i], (dsm_pass)pass));
      }
    }
  }
}

START_TEST(test_nothing_runs_before_what_it_needs) {
  const subject made = bundled_subject(_i);
  dsm__arena *const arena = dsm__arena_new();
  const dsm__step_timeline timeline = derive(made.plan, arena);
  for (size_t user = 0; user < made.plan->layer_count; user++) {
    const dsm_layer *const layer = made.plan->layers[user].layer;
    expect_after(&timeline, user, layer->producers, layer->producer_count);
    expect_after(&timeline, user, layer->shortcuts, layer->shortcut_count);
    expect_after(&timeline, user, layer->operands, layer->operand_count);
  }
  dsm__arena_free(arena);
}
END_TEST

/* Five layers: the first has no backward, 2 and 3 are a group, 4 has no update. */
START_TEST(test_the_order_of_a_step) {
  static const struct {
    size_t layer;
    dsm_pass pass;
  } order[] = {
      {0, DSM_PASS_FORWARD}, {1, DSM_PASS_FORWARD},  {2, DSM_PASS_FORWARD},  {3, DSM_PASS_FORWARD},
      {4, DSM_PASS_FORWARD}, {4, DSM_PASS_BACKWARD}, {3, DSM_PASS_BACKWARD}, {2, DSM_PASS_BACKWARD},
      {3, DSM_PASS_UPDATE},  {2, DSM_PASS_UPDATE},   {1, DSM_PASS_UPDATE},   {1, DSM_PASS_BACKWARD},
      {0, DSM_PASS_UPDATE},
  };
  dsm_layer_plan layers[5] = {{.layer = NULL}};
  for (size_t layer = 0; layer < 5; layer++) {
    layers[layer].pipeline = layer == 2 || layer == 3 ? 0 : DSM_NO_PIPELINE;
    for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
      layers[layer].passes[pass].exists = true;
      layers[layer].passes[pass].cycles.total = 1;
    }
  }
  layers[0].passes[DSM_PASS_BACKWARD].exists = false;
  layers[4].passes[DSM_PASS_UPDATE].exists = false;
  const dsm_pipeline_plan group = {.first_layer = 2, .layer_count = 2};
  const dsm_plan plan = {
      .layers = layers, .layer_count = 5, .pipelines = &group, .pipeline_count = 1};
  dsm__arena *const arena = dsm__arena_new();
  const dsm__step_timeline timeline = derive(&plan, arena);
  ck_assert_uint_eq(timeline.span_count, COUNT_OF(order));
  for (size_t i = 0; i < timeline.span_count; i++) {
    ck_assert_uint_eq(timeline.spans[i].layer, order[i].layer);
    ck_assert_int_eq(timeline.spans[i].pass, order[i].pass);
    ck_assert_double_eq(timeline.spans[i].begin_cycles, (double)i);
  }
  dsm__arena_free(arena);
}
END_TEST

Suite *suite_step_timeline(void) {
  Suite *const suite = suite_create("step_timeline");
  TCase *const bundled = tcase_create("bundled");
  tcase_add_unchecked_fixture(bundled, bundled_set_up, NULL);
  tcase_add_loop_test(bundled, test_spans_follow_each_other_to_the_end_of_the_step, 0,
                      BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(bundled, test_nothing_runs_before_what_it_needs, 0,
                      BUNDLED_EXPLORATION_COUNT);
  suite_add_tcase(suite, bundled);
  TCase *const order = tcase_create("order");
  tcase_add_test(order, test_the_order_of_a_step);
  suite_add_tcase(suite, order);
  return suite;
}

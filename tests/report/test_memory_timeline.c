/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "suites.h"

#include "report/memory_timeline.h"
#include "subjects.h"

typedef struct derived {
  dsm__arena *arena;
  dsm__step_timeline step;
  dsm__memory_timeline memory;
} derived;

static derived derive(const dsm_plan *plan) {
  derived both = {.arena = dsm__arena_new()};
  ck_assert(dsm__step_timeline_derive(&both.step, plan, both.arena));
  ck_assert(dsm__memory_timeline_derive(&both.memory, &both.step, both.arena));
  ck_assert_uint_eq(both.memory.use_count, both.step.span_count);
  return both;
}

static void expect_near(double value, double expected) {
  ck_assert_double_le(fabs(value - expected), 1e-11 * expected);
}

START_TEST(test_the_most_of_each_kind_is_what_the_plan_says) {
  const subject made = bundled_subject(_i);
  const dsm_plan_memory *const memory = &made.plan->result.memory;
  const derived both = derive(made.plan);
  const double stated[DSM__MEMORY_KIND_COUNT] = {
      [DSM__MEMORY_WEIGHTS] = memory->weights_bytes,
      [DSM__MEMORY_GRADIENTS] = memory->gradients_bytes,
      [DSM__MEMORY_OPTIMIZER] = memory->optimizer_bytes,
      [DSM__MEMORY_ACTIVATIONS] = memory->activations_bytes,
      [DSM__MEMORY_ERRORS] = memory->errors_bytes,
  };
  for (int k = 0; k < DSM__MEMORY_KIND_COUNT; k++) {
    expect_near(both.memory.most.bytes[k], stated[k]);
  }
  ck_assert_double_le(both.memory.most.total_bytes, memory->total_bytes * (1 + 1e-11));
  if (made.plan->options.mode == DSM_MODE_INFERENCE) {
    expect_near(both.memory.most.total_bytes, memory->total_bytes);
  }
  dsm__arena_free(both.arena);
}
END_TEST

START_TEST(test_kinds_add_up_in_each_span) {
  const subject made = bundled_subject(_i);
  const derived both = derive(made.plan);
  for (size_t i = 0; i < both.memory.use_count; i++) {
    double sum = 0;
    for (int kind = 0; kind < DSM__MEMORY_KIND_COUNT; kind++) {
      ck_assert_double_ge(both.memory.uses[i].bytes[kind], 0);
      sum += both.memory.uses[i].bytes[kind];
    }
    expect_near(both.memory.uses[i].total_bytes, sum);
  }
  dsm__arena_free(both.arena);
}
END_TEST

/* Activations grow on the way forward and shrink to the input and the first layer's own on the way
 * back; errors exist on the way back only. */
START_TEST(test_activations_come_and_go) {
  const subject made = bundled_subject(_i);
  if (made.plan->options.mode == DSM_MODE_INFERENCE) {
    return;
  }
  const derived both = derive(made.plan);
  const double input = made.plan->layers[0].memory.input_bytes;
  for (size_t i = 1; i < both.memory.use_count; i++) {
    const double before = both.memory.uses[i - 1].bytes[DSM__MEMORY_ACTIVATIONS];
    const double now = both.memory.uses[i].bytes[DSM__MEMORY_ACTIVATIONS];
    const bool is_forward = both.step.spans[i].pass == DSM_PASS_FORWARD;
    ck_assert(is_forward ? now >= before : now <= before);
    ck_assert(!is_forward || both.memory.uses[i].bytes[DSM__MEMORY_ERRORS] == 0);
  }
  const dsm__step_unit first = dsm__step_unit_of(made.plan, 0);
  double own = 0;
  for (size_t k = 0; k < first.layer_count; k++) {
    own += made.plan->layers[k].memory.activations_bytes;
  }
  expect_near(both.memory.uses[0].bytes[DSM__MEMORY_ACTIVATIONS], input + own);
  expect_near(both.memory.uses[both.memory.use_count - 1].bytes[DSM__MEMORY_ACTIVATIONS],
              input + own);
  dsm__arena_free(both.arena);
}
END_TEST

/* Two fc layers, 4 to 8 to 2 features, of 64 samples on 64 chips with data parallelism: by hand,
 * one sample a chip. */
START_TEST(test_a_small_network_by_hand) {
  static const char text[] =
      "{\"format\": \"dsm-workload/1\", \"name\": \"small\", \"minibatch\": 64, \"layers\": ["
      "{\"name\": \"a\", \"type\": \"fc\", \"in\": 4, \"out\": 8},"
      "{\"name\": \"b\", \"type\": \"fc\", \"in\": 8, \"out\": 2}]}";
  subject made = subject_explore_text(text, "torus64");
  const dsm_plan *const plan = made.plan;
  for (size_t layer = 0; layer < 2; layer++) {
    ck_assert_int_eq(plan->layers[layer].passes[DSM_PASS_FORWARD].share.parallelism,
                     DSM_PARALLELISM_DATA);
  }
  static const double activations[] = {8 + 16, 8 + 16 + 4, 8 + 16 + 4, 8 + 16 + 4, 8 + 16};
  static const double errors[] = {0, 0, 4, 4 + 16, 16};
  const derived both = derive(plan);
  ck_assert_uint_eq(both.memory.use_count, COUNT_OF(errors));
  for (size_t i = 0; i < both.memory.use_count; i++) {
    const double *const bytes = both.memory.uses[i].bytes;
    expect_near(bytes[DSM__MEMORY_WEIGHTS], (32 + 16) * 2);
    expect_near(bytes[DSM__MEMORY_GRADIENTS], (32 + 16) * 2);
    ck_assert_double_eq(bytes[DSM__MEMORY_OPTIMIZER], 0);
    expect_near(bytes[DSM__MEMORY_ACTIVATIONS], activations[i]);
    ck_assert_double_eq(bytes[DSM__MEMORY_ERRORS], errors[i]);
  }
  dsm__arena_free(both.arena);
  subject_free(&made);
}
END_TEST

Suite *suite_memory_timeline(void) {
  Suite *const suite = suite_create("memory_timeline");
  TCase *const bundled = tcase_create("bundled");
  tcase_add_unchecked_fixture(bundled, bundled_set_up, NULL);
  tcase_add_loop_test(bundled, test_the_most_of_each_kind_is_what_the_plan_says, 0,
                      BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(bundled, test_kinds_add_up_in_each_span, 0, BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(bundled, test_activations_come_and_go, 0, BUNDLED_EXPLORATION_COUNT);
  suite_add_tcase(suite, bundled);
  TCase *const small = tcase_create("small");
  tcase_add_test(small, test_a_small_network_by_hand);
  suite_add_tcase(suite, small);
  return suite;
}

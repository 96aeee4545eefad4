/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <math.h>

#include "report/roofline.h"
#include "subjects.h"

START_TEST(test_the_roof_is_that_of_a_chip) {
  const subject made = bundled_subject(_i);
  const dsm__roof roof = dsm__roof_of(made.plan);
  const dsm_system *const system = made.plan->system;
  const double chips = (double)system->system.axes[0].chips * (double)system->system.axes[1].chips;
  const dsm_memory *const memory = &system->chip.memory;
  ck_assert_double_eq_tol(roof.peak_flops * chips, dsm_system_peak_flops(system),
                          1e-9 * dsm_system_peak_flops(system));
  ck_assert_double_eq_tol(roof.bytes_per_second,
                          memory->bandwidth_GBps * 1e9 * memory->efficiency_ratio,
                          1e-9 * roof.bytes_per_second);
}
END_TEST

/* The sum over all passes is what the workload says. */
START_TEST(test_all_points_together_do_the_work_of_a_step) {
  const subject made = bundled_subject(_i);
  const dsm_plan *const plan = made.plan;
  double macs = 0;
  double seconds = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (!plan->layers[i].passes[p].exists) {
        continue;
      }
      const dsm__roofline_point point = dsm__roofline_point_of(plan, i, (dsm_pass)p);
      ck_assert_double_eq_tol(point.flop, 2 * point.macs, 1e-9 * point.flop);
      macs += point.macs;
      seconds += point.flop / point.flops;
    }
  }
  const dsm__roof roof = dsm__roof_of(plan);
  const double expected = plan->result.utilization * plan->result.step_seconds * roof.peak_flops;
  ck_assert_double_eq_tol(2 * macs, expected, 1e-9 * expected);
  ck_assert_double_eq_tol(seconds, plan->result.step_seconds, 1e-9 * seconds);
}
END_TEST

/* Every layer is in one class, whose first layer has the same points. */
START_TEST(test_equal_layers_are_counted_once) {
  const subject made = bundled_subject(_i);
  const dsm_plan *const plan = made.plan;
  dsm__arena *const arena = dsm__arena_new();
  const size_t *const equal = dsm__roofline_equal_layers(plan, arena);
  size_t count = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    size_t before = 0;
    size_t alike = 0;
    for (size_t k = 0; k < plan->layer_count; k++) {
      bool is_equal = true;
      for (int p = 0; p < DSM_PASS_COUNT && is_equal; p++) {
        is_equal = plan->layers[i].passes[p].exists == plan->layers[k].passes[p].exists;
        if (is_equal && plan->layers[i].passes[p].exists) {
          const dsm__roofline_point a = dsm__roofline_point_of(plan, i, (dsm_pass)p);
          const dsm__roofline_point b = dsm__roofline_point_of(plan, k, (dsm_pass)p);
          is_equal = a.flop == b.flop && a.memory_bytes == b.memory_bytes && a.flops == b.flops;
        }
      }
      alike += is_equal ? 1 : 0;
      before += is_equal && k < i ? 1 : 0;
    }
    ck_assert_uint_eq(equal[i], before == 0 ? alike : 0);
    count += equal[i];
  }
  ck_assert_uint_eq(count, plan->layer_count);
  dsm__arena_free(arena);
}
END_TEST

/* Nothing is faster than its roof, but for layers of a pipeline, whose times are shares. */
START_TEST(test_no_point_is_above_the_roof) {
  const subject made = bundled_subject(_i);
  const dsm_plan *const plan = made.plan;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (!plan->layers[i].passes[p].exists || plan->layers[i].pipeline != DSM_NO_PIPELINE) {
        continue;
      }
      const dsm__roofline_point point = dsm__roofline_point_of(plan, i, (dsm_pass)p);
      ck_assert_double_gt(point.flops, 0);
      ck_assert_double_gt(point.intensity, 0);
      ck_assert_double_le(point.flops, point.roof_flops * (1 + 1e-9));
      ck_assert(isfinite(point.roof_flops));
    }
  }
}
END_TEST

Suite *suite_roofline(void) {
  Suite *const suite = suite_create("roofline");
  TCase *const tests = tcase_create("roofline");
  tcase_set_timeout(tests, 120);
  tcase_add_unchecked_fixture(tests, bundled_set_up, NULL);
  tcase_add_loop_test(tests, test_the_roof_is_that_of_a_chip, 0, BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(tests, test_all_points_together_do_the_work_of_a_step, 0,
                      BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(tests, test_equal_layers_are_counted_once, 0, BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(tests, test_no_point_is_above_the_roof, 0, BUNDLED_EXPLORATION_COUNT);
  suite_add_tcase(suite, tests);
  return suite;
}

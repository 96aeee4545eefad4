/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step that makes the sum of sizes of linear residuals least. */
#include "calibrate/linear_step.h"

#include "suites.h"

static const double tolerance = 1e-6;

/* Two lines that meet: x + y = 3, x - y = 1. */
START_TEST(test_a_solution) {
  static const double start[] = {-3, -1};
  static const double slopes[] = {1, 1, 1, -1};
  const dsm__linear_model model = {start, slopes, 2, 2};
  double x[DSM_CALIBRATION_CONSTANTS_MAX];
  dsm__linear_step(&model, x);
  ck_assert_double_eq_tol(x[0], 2, tolerance);
  ck_assert_double_eq_tol(x[1], 1, tolerance);
}
END_TEST

/* The least sum of distances from numbers is at their median, not at their mean. */
START_TEST(test_a_median) {
  static const double start[] = {-1, -2, -100};
  static const double slopes[] = {1, 1, 1};
  const dsm__linear_model model = {start, slopes, 3, 1};
  double x[DSM_CALIBRATION_CONSTANTS_MAX];
  dsm__linear_step(&model, x);
  ck_assert_double_eq_tol(x[0], 2, 1e-3);
}
END_TEST

/* What one sum fixes is shared; what nothing depends on does not move. */
START_TEST(test_what_is_not_fixed) {
  static const double start[] = {-4};
  static const double slopes[] = {1, 1, 0};
  const dsm__linear_model model = {start, slopes, 1, 3};
  double x[DSM_CALIBRATION_CONSTANTS_MAX];
  dsm__linear_step(&model, x);
  ck_assert_double_eq_tol(x[0], 2, 1e-3);
  ck_assert_double_eq_tol(x[1], 2, 1e-3);
  ck_assert_double_eq_tol(x[2], 0, tolerance);
}
END_TEST

Suite *suite_linear_step(void) {
  Suite *const suite = suite_create("linear_step");
  TCase *const tests = tcase_create("linear_step");
  tcase_add_test(tests, test_a_solution);
  tcase_add_test(tests, test_a_median);
  tcase_add_test(tests, test_what_is_not_fixed);
  suite_add_tcase(suite, tests);
  return suite;
}

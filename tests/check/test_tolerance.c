/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/check.h"
#include "suites.h"

/* ---- reading ---- */

static const struct {
  const char *text;
  double tolerance;
} readable[] = {
    {"0", 0},    {"0%", 0}, {"0.5%", 0.005},  {"0.005", 0.005},   {"5e-3", 0.005},
    {"100%", 1}, {"1", 1},  {"12.5%", 0.125}, {"1e-300", 1e-300},
};

START_TEST(test_a_ratio_or_a_percentage_is_read) {
  double tolerance = -1;
  ck_assert(dsm_tolerance_parse(readable[_i].text, &tolerance));
  ck_assert_double_eq(tolerance, readable[_i].tolerance);
}
END_TEST

static const char *const unreadable[] = {
    "",    "%",     "-1",   "-0.1%", "1.001", "100.1%", "nan",  "NaN", "inf",  "1e999", "1e999%",
    "5%%", "0.5 %", " 0.5", "0,5",   "0x1",   "+1",     "00.5", ".5",  "half", "0.5%x", "1e5",
};

START_TEST(test_anything_else_is_refused_and_leaves_the_tolerance) {
  double tolerance = 7;
  ck_assert_msg(!dsm_tolerance_parse(unreadable[_i], &tolerance), "%s", unreadable[_i]);
  ck_assert_double_eq(tolerance, 7);
}
END_TEST

Suite *suite_tolerance(void) {
  Suite *const suite = suite_create("tolerance");
  TCase *const reading = tcase_create("reading");
  tcase_add_loop_test(reading, test_a_ratio_or_a_percentage_is_read, 0, COUNT_OF(readable));
  tcase_add_loop_test(reading, test_anything_else_is_refused_and_leaves_the_tolerance, 0,
                      COUNT_OF(unreadable));
  suite_add_tcase(suite, reading);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equations of docs/budget.md, against its check values, which were computed outside the program.
 */
#include <math.h>

#include "dsm/technology.h"
#include "random_numbers.h"
#include "suites.h"

/* Half of the last digit that a check value has. */
#define DIGITS_4 5e-5

START_TEST(dies_and_yield_are_those_of_published_dies) {
  static const struct {
    double mm2;
    double wafer_dollars;
    double defects;
    double dies;
    double yield;
    double dollars;
  } cases[] = {
      {826, 9346, .15, 62.3879, .3545, 422.6217},  {826, 9346, .09, 62.3879, .5147, 291.0450},
      {814, 16988, .20, 63.4792, .2724, 982.4878}, {814, 16988, .10, 63.4792, .4867, 549.9069},
      {400, 9346, .09, 143.3930, .7118, 91.5697},  {200, 16988, .10, 306.3053, .8240, 67.3091}};
  const double dies = dsm_dies_per_wafer(cases[_i].mm2, 300);
  const double yield = dsm_die_yield(&(dsm_die){.mm2 = cases[_i].mm2}, cases[_i].defects, 3);
  ck_assert_double_eq_tol(dies, cases[_i].dies, DIGITS_4);
  ck_assert_double_eq_tol(yield, cases[_i].yield, DIGITS_4);
  ck_assert_double_eq_tol(cases[_i].wafer_dollars / (dies * yield), cases[_i].dollars, DIGITS_4);
}
END_TEST

START_TEST(spare_cores_save_dies) {
  static const double yields[] = {.35447, .56269, .64373};
  const dsm_die die = {.mm2 = 826, .cores = 128, .core_mm2 = 4.31, .spare_cores = (uint64_t)_i};
  ck_assert_double_eq_tol(dsm_die_yield(&die, .15, 3), yields[_i], DIGITS_4);
}
END_TEST

/* Of an exponential distribution (alpha 1) the mean of q^n (one core, the other spare) is closed:
 * with rate a of the rest and c of a core, two cores, one spare:
 * 2 / (1 + a + c) - 1 / (1 + a + 2 c). */
START_TEST(one_spare_of_two_cores_has_a_closed_form) {
  static const double alphas[] = {.5, 1, 3, 40, 900};
  const double alpha = alphas[_i];
  const double defects = .3;
  const dsm_die die = {.mm2 = 500, .cores = 2, .core_mm2 = 150, .spare_cores = 1};
  const double rest = 200 * defects / (100 * alpha);
  const double core = 150 * defects / (100 * alpha);
  const double exact = 2 * pow(1 + rest + core, -alpha) - pow(1 + rest + 2 * core, -alpha);
  ck_assert_double_eq_tol(dsm_die_yield(&die, defects, alpha), exact, 1e-9);
}
END_TEST

START_TEST(making_dies_emits_what_ACT_says) {
  const dsm_carbon n7 = {.fab_kWh_per_cm2 = 2.15,
                         .gas_g_per_cm2 = 275,
                         .material_g_per_cm2 = 500,
                         .fab_g_per_kWh = 583};
  const dsm_carbon n5 = {.fab_kWh_per_cm2 = 2.75,
                         .gas_g_per_cm2 = 327.5,
                         .material_g_per_cm2 = 500,
                         .fab_g_per_kWh = 583};
  ck_assert_double_eq_tol(dsm_die_kg(&n7, 826, .875), 19.1486, DIGITS_4);
  ck_assert_double_eq_tol(dsm_die_kg(&n5, 814, .875), 22.6129, DIGITS_4);
}
END_TEST

START_TEST(goodput_is_that_of_young) {
  const dsm_failures failures = {.chip_mtbf_hours = 50677, .restart_seconds = 600};
  dsm_goodput goodput;
  ck_assert(dsm_goodput_of(&goodput, &failures, 16384, 60));
  ck_assert_double_eq_tol(goodput.mtbf_seconds / 3600, 3.0931, DIGITS_4);
  ck_assert_double_eq_tol(goodput.interval_seconds, 1155.95, 5e-3);
  ck_assert_double_eq_tol(goodput.ratio, .84231, 5e-6);
  ck_assert(!dsm_goodput_of(&goodput, &failures, 16384, goodput.mtbf_seconds / 2));
  ck_assert(dsm_goodput_of(&goodput, &failures, 16384, goodput.mtbf_seconds / 2 - 1));
  ck_assert(!dsm_goodput_of(&goodput, &(dsm_failures){0}, 16384, 60));
}
END_TEST

/* By hand: 48 MiB are 96 units of 512 KiB; 192 KiB fit 256 KiB; 100 KiB would be smaller as 129. */
START_TEST(memory_is_the_least_macro_that_fits) {
  ck_assert_double_eq_tol(dsm_sram_mm2(48 * 1048576.0, .17), 48 * 1048576.0 * 8 * .17e-6 / .602,
                          1e-9);
  ck_assert_double_eq_tol(dsm_sram_mm2(192 * 1024.0, .17), 192 * 1024.0 * 8 * .17e-6 / .526, 1e-9);
  ck_assert_double_eq_tol(dsm_sram_mm2(4 * 1024.0, .17), 4 * 1024.0 * 8 * .17e-6 / .142, 1e-9);
  ck_assert_double_eq(dsm_sram_mm2(0, .17), 0);
}
END_TEST

START_TEST(more_memory_is_never_smaller) {
  uint64_t state = 7;
  for (int i = 0; i < 20000; i++) {
    const double bytes = pow(2, 24.0 * (double)random_below(&state, 1000000) / 1e6);
    const double more = bytes * (1 + (double)random_below(&state, 1000) / 1e3);
    ck_assert_double_le(dsm_sram_mm2(bytes, .17), dsm_sram_mm2(more, .17) * (1 + 1e-12));
  }
}
END_TEST

START_TEST(larger_dies_cost_more) {
  double previous = 0;
  for (double mm2 = 1; mm2 < 11000; mm2 *= 1.02) {
    const double dies = dsm_dies_per_wafer(mm2, 300);
    const double cost = 1 / (dies * dsm_die_yield(&(dsm_die){.mm2 = mm2}, .1, 3));
    ck_assert(dies > 0);
    ck_assert_double_gt(cost, previous);
    previous = cost;
  }
}
END_TEST

Suite *suite_equations(void) {
  Suite *const suite = suite_create("equations");
  TCase *const tests = tcase_create("equations");
  tcase_add_loop_test(tests, dies_and_yield_are_those_of_published_dies, 0, 6);
  tcase_add_loop_test(tests, spare_cores_save_dies, 0, 3);
  tcase_add_loop_test(tests, one_spare_of_two_cores_has_a_closed_form, 0, 5);
  tcase_add_test(tests, making_dies_emits_what_ACT_says);
  tcase_add_test(tests, goodput_is_that_of_young);
  tcase_add_test(tests, memory_is_the_least_macro_that_fits);
  tcase_add_test(tests, more_memory_is_never_smaller);
  tcase_add_test(tests, larger_dies_cost_more);
  suite_add_tcase(suite, tests);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "report/table/number_style.h"

static const struct {
  uint64_t value;
  const char *text;
} counts[] = {
    {0, "0"},
    {999, "999"},
    {1000, "1,000"},
    {12345, "12,345"},
    {123456, "123,456"},
    {1000000, "1,000,000"},
    {15470264320, "15,470,264,320"},
    {UINT64_MAX, "18,446,744,073,709,551,615"},
};

START_TEST(test_counts_have_thousands_separators) {
  ck_assert_str_eq(dsm__figure_count(counts[_i].value).text, counts[_i].text);
}
END_TEST

static const struct {
  double value;
  int decimals;
  const char *text;
} fixed_figures[] = {
    {0, 0, "0"},
    {0, 2, "0.00"},
    {0.0049, 2, "0.00"},
    {0.0051, 2, "0.01"},
    {1234.5678, 1, "1,234.6"},
    {999.96, 1, "1,000.0"},
    {9.999999999e17, 0, "999,999,999,900,000,000"},
    {1e18, 0, "1e+18"},
    {2.5e300, 0, "2.5e+300"},
};

START_TEST(test_fixed_figures_are_rounded_and_grouped) {
  ck_assert_str_eq(dsm__figure_fixed(fixed_figures[_i].value, fixed_figures[_i].decimals).text,
                   fixed_figures[_i].text);
}
END_TEST

static const struct {
  double value;
  int digits;
  const char *text;
  const char *short_text; /* without zeros at the end */
} significant[] = {
    {0, 3, "0.00", "0"},
    {2, 4, "2.000", "2"},
    {2.5, 4, "2.500", "2.5"},
    {1.9375, 4, "1.938", "1.938"}, /* to even: 1.9375 is exact in binary */
    {0.00456, 2, "0.0046", "0.0046"},
    {54937.4, 4, "54,937", "54,937"},
    {100, 3, "100", "100"},
    {640, 4, "640.0", "640"},
    {1e-12, 3, "1.00e-12", "1.00e-12"},
    {2e-8, 3, "0.000000020", "0.00000002"},
    {1e18, 3, "1e+18", "1e+18"},
};

START_TEST(test_figures_have_about_the_wanted_digits) {
  ck_assert_str_eq(dsm__figure_digits(significant[_i].value, significant[_i].digits).text,
                   significant[_i].text);
}
END_TEST

START_TEST(test_short_figures_end_in_no_zero_of_a_fraction) {
  ck_assert_str_eq(dsm__figure_short(significant[_i].value, significant[_i].digits).text,
                   significant[_i].short_text);
}
END_TEST

static const struct {
  double share;
  const char *text;
} percentages[] = {
    {0, "-"},      {-0.0, "-"},     {0.6123, "61.2"},  {1, "100.0"},
    {1e-9, "0.0"}, {-1e-17, "0.0"}, {25.5, "2,550.0"},
};

START_TEST(test_percentages_have_one_decimal_and_a_dash_for_nothing) {
  ck_assert_str_eq(dsm__figure_percent(percentages[_i].share).text, percentages[_i].text);
}
END_TEST

static const struct {
  double value;
  const char *unit;
  const char *text;
} scaled[] = {
    {0, "B", "0 B"},
    {8, "B", "8 B"},
    {999, "B", "999 B"},
    {1000, "B", "1 kB"},
    {8192, "B", "8.19 kB"},
    {8.388608e15, "FLOP/s", "8.39 PFLOP/s"},
    {131.072e12, "FLOP/s", "131 TFLOP/s"},
    {8e9, "B", "8 GB"},
    {1e21, "B", "1,000 EB"},
    {0.25, "B", "0.25 B"},
};

START_TEST(test_scaled_figures_have_a_prefix_and_three_digits) {
  ck_assert_str_eq(dsm__figure_scaled(scaled[_i].value, scaled[_i].unit).text, scaled[_i].text);
}
END_TEST

/* What rounds to a thousand of a prefix is one of the next: nobody writes 1,000 kB. */
static const struct {
  double value;
  const char *text;
} carried[] = {
    {999.4, "999 B"}, {999.6, "1 kB"}, {999499, "999 kB"}, {999500, "1 MB"}, {999.9e15, "1 EB"},
};

START_TEST(test_scaled_figures_that_round_to_a_thousand_take_the_next_prefix) {
  ck_assert_str_eq(dsm__figure_scaled(carried[_i].value, "B").text, carried[_i].text);
}
END_TEST

Suite *suite_figures(void) {
  Suite *const suite = suite_create("figures");
  TCase *const figures = tcase_create("figures");
  tcase_add_loop_test(figures, test_counts_have_thousands_separators, 0, COUNT_OF(counts));
  tcase_add_loop_test(figures, test_fixed_figures_are_rounded_and_grouped, 0,
                      COUNT_OF(fixed_figures));
  tcase_add_loop_test(figures, test_figures_have_about_the_wanted_digits, 0, COUNT_OF(significant));
  tcase_add_loop_test(figures, test_short_figures_end_in_no_zero_of_a_fraction, 0,
                      COUNT_OF(significant));
  tcase_add_loop_test(figures, test_percentages_have_one_decimal_and_a_dash_for_nothing, 0,
                      COUNT_OF(percentages));
  tcase_add_loop_test(figures, test_scaled_figures_have_a_prefix_and_three_digits, 0,
                      COUNT_OF(scaled));
  tcase_add_loop_test(figures, test_scaled_figures_that_round_to_a_thousand_take_the_next_prefix, 0,
                      COUNT_OF(carried));
  suite_add_tcase(suite, figures);
  return suite;
}

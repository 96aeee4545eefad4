/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/figure/plot_maker.h"

static dsm__plot_maker begin(void) {
  dsm__plot_maker maker;
  ck_assert_int_eq(dsm__plot_begin(&maker, NULL), DSM_OK);
  maker.height = 100;
  return maker;
}

static void discard(dsm__plot_maker *maker) {
  dsm_plot *plot = NULL;
  dsm__text_puts(&maker->body, "");
  ck_assert_int_eq(dsm__plot_finish(maker, &plot, NULL), DSM_OK);
  dsm_plot_free(plot);
}

START_TEST(test_text_is_as_wide_as_its_letters) {
  ck_assert_double_eq(dsm__plot_text_width("", 10), 0);
  ck_assert_double_eq_tol(dsm__plot_text_width("il", 10), 5.56, 1e-9);
  ck_assert_double_eq_tol(dsm__plot_text_width("W0", 20), 2 * 9.89 + 2 * 6.37, 1e-9);
  ck_assert_double_eq_tol(dsm__plot_text_width("\xE2\x80\xA6\xC3\xA9", 10), 20, 1e-9);
}
END_TEST

START_TEST(test_long_names_lose_their_middle) {
  dsm__plot_maker maker = begin();
  ck_assert_str_eq(dsm__plot_fit(&maker, "conv1_1", 10, 100), "conv1_1");
  const char *const fitted = dsm__plot_fit(&maker, "stage0_block10_conv2_and_more", 10, 80);
  ck_assert_double_le(dsm__plot_text_width(fitted, 10), 80);
  ck_assert_ptr_nonnull(strstr(fitted, "\xE2\x80\xA6"));
  ck_assert_int_eq(strncmp(fitted, "stage", 5), 0);
  ck_assert_str_eq(fitted + strlen(fitted) - 4, "more");
  ck_assert_str_eq(dsm__plot_fit(&maker, "a\nb\tc", 10, 100), "a?b?c");
  ck_assert_str_eq(dsm__plot_fit(&maker, "abc", 10, 1), "");
  discard(&maker);
}
END_TEST

START_TEST(test_names_of_a_list_never_read_the_same) {
  static const char *const names[] = {"stage0_block10_conv1_and_more",
                                      "stage0_block11_conv1_and_more",
                                      "stage0_block12_conv1_and_more",
                                      "conv",
                                      "conv",
                                      "conv (2)"};
  enum { COUNT = sizeof names / sizeof *names };
  dsm__plot_maker maker = begin();
  const char *const *const fitted = dsm__plot_fit_all(&maker, names, COUNT, 10, 80);
  ck_assert_str_eq(fitted[0], dsm__plot_fit(&maker, names[0], 10, 80));
  ck_assert_str_eq(fitted[0], dsm__plot_fit(&maker, names[1], 10, 80));
  for (size_t i = 0; i < COUNT; i++) {
    ck_assert_double_le(dsm__plot_text_width(fitted[i], 10), 80);
    for (size_t k = 0; k < i; k++) {
      ck_assert_str_ne(fitted[i], fitted[k]);
    }
  }
  ck_assert_str_eq(fitted[2] + strlen(fitted[2]) - 4, " (3)");
  ck_assert_str_eq(fitted[4], "conv (2)");
  discard(&maker);
}
END_TEST

/* One by one: the same text reads the same, another one does not. */
START_TEST(test_texts_of_a_figure_read_apart) {
  dsm__plot_maker maker = begin();
  const char *const first = dsm__plot_fit_apart(&maker, "stage0_block10_conv1_and_more", 10, 80);
  const char *const other = dsm__plot_fit_apart(&maker, "stage0_block11_conv1_and_more", 10, 80);
  ck_assert_str_eq(first, dsm__plot_fit(&maker, "stage0_block10_conv1_and_more", 10, 80));
  ck_assert_str_eq(first, dsm__plot_fit(&maker, "stage0_block11_conv1_and_more", 10, 80));
  ck_assert_str_eq(other + strlen(other) - 4, " (2)");
  ck_assert_double_le(dsm__plot_text_width(other, 10), 80);
  ck_assert_str_eq(dsm__plot_fit_apart(&maker, "stage0_block10_conv1_and_more", 10, 80), first);
  ck_assert_str_eq(dsm__plot_fit_apart(&maker, "stage0_block11_conv1_and_more", 10, 80), other);
  ck_assert_str_eq(dsm__plot_fit_apart(&maker, "conv", 10, 80), "conv");
  discard(&maker);
}
END_TEST

START_TEST(test_strings_are_quoted_for_gnuplot) {
  static const char *const pairs[][2] = {{"", "''"},
                                         {"plain", "'plain'"},
                                         {"it's", "'it'.\"'\".'s'"},
                                         {"'q'", "''.\"'\".'q'.\"'\".''"},
                                         {"''", "''.\"'\".''.\"'\".''"},
                                         {"a\\n`b`", "'a\\n`b`'"},
                                         {"line\nend", "'line?end'"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    dsm__plot_maker maker = begin();
    dsm__plot_quote(&maker, pairs[i][0]);
    ck_assert_str_eq(maker.body.text, pairs[i][1]);
    discard(&maker);
  }
}
END_TEST

START_TEST(test_axes_end_at_round_numbers) {
  const dsm__panel_axis linear = dsm__axis_round((dsm__panel_axis){.low = 0, .high = 4.3});
  ck_assert_double_eq(linear.low, 0);
  ck_assert_double_ge(linear.high, 4.3);
  ck_assert_double_le(linear.high, 5);
  const dsm__panel_axis log =
      dsm__axis_round((dsm__panel_axis){.low = 3, .high = 1200, .is_log = true});
  ck_assert_double_eq_tol(log.low, 1, 1e-9);
  ck_assert_double_eq_tol(log.high, 10000, 1e-6);
  ck_assert_double_eq_tol(dsm__axis_share(&log, 100), 0.5, 1e-9);
  const dsm__panel_axis point = dsm__axis_round((dsm__panel_axis){.low = 7, .high = 7});
  ck_assert_double_lt(point.low, point.high);
  const dsm__panel_axis power =
      dsm__axis_round((dsm__panel_axis){.low = 10, .high = 10, .is_log = true});
  ck_assert_double_lt(power.low, power.high);
}
END_TEST

START_TEST(test_numbers_of_data_read_back) {
  dsm__text_buffer data = {0};
  dsm__plot_put_number(&data, 0.1);
  dsm__plot_put_number(&data, 8253054.3921875);
  dsm__plot_put_number(&data, HUGE_VAL);
  ck_assert_str_eq(data.text, "0.1\t8253054.3921875\tNaN\t");
  dsm__text_fini(&data);
}
END_TEST

/* The number behind the last ` name="` of a picture. */
static double last_number(const dsm__text_buffer *picture, const char *name) {
  const char *found = NULL;
  for (const char *at = strstr(picture->text, name); at != NULL; at = strstr(at + 1, name)) {
    found = at;
  }
  ck_assert_ptr_nonnull(found);
  return strtod(found + strlen(name), NULL);
}

START_TEST(test_labels_find_places_of_their_own) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__plot_maker maker = dsm__svg_begin(arena, 720);
  dsm__places places;
  ck_assert(dsm__places_init(&places, (dsm__area){100, 50, 400, 300}, arena));
  dsm__area taken[60];
  size_t count = 0;
  while (count < 60 && dsm__places_label(&places, &maker, (dsm__point){300, 200}, "label")) {
    const double width = dsm__plot_text_width("label", 10);
    taken[count++] = (dsm__area){last_number(&maker.labels, " x=\""),
                                 last_number(&maker.labels, " y=\"") - 5, width, 10};
  }
  ck_assert_uint_gt(count, 3);
  ck_assert_uint_lt(count, 60);
  for (size_t i = 0; i < count; i++) {
    ck_assert_double_ge(taken[i].left, 100);
    ck_assert_double_ge(taken[i].top, 50);
    ck_assert_double_le(taken[i].left + taken[i].width, 500);
    ck_assert_double_le(taken[i].top + taken[i].height, 350);
    for (size_t k = 0; k < i; k++) {
      ck_assert(taken[i].left >= taken[k].left + taken[k].width ||
                taken[k].left >= taken[i].left + taken[i].width ||
                taken[i].top >= taken[k].top + taken[k].height ||
                taken[k].top >= taken[i].top + taken[i].height);
    }
  }
  dsm__plot_free_texts(&maker);
  dsm__arena_free(arena);
}
END_TEST

START_TEST(test_a_heading_is_smaller_before_it_is_cut) {
  static const char below[] =
      "training, minibatch 16; step 2,484 ms, utilization 46.8 %; labels are cut";
  dsm__plot_maker maker = begin();
  maker.width = 2 * DSM__PLOT_MARGIN + dsm__plot_text_width(below, DSM__SIZE_SMALL) + 1;
  dsm__plot_heading(&maker, "title", below);
  ck_assert_ptr_nonnull(strstr(maker.body.text, below));
  discard(&maker);
}
END_TEST

START_TEST(test_a_legend_breaks_its_lines) {
  dsm__plot_maker maker = begin();
  static const dsm__legend_entry entries[] = {
      {"#000000", "some words"}, {"#000000", "some words"}, {"#000000", "some words"}};
  const double top = dsm__plot_heading_height(&maker);
  ck_assert_double_eq(dsm__plot_legend(&maker, entries, 0), top);
  ck_assert_uint_eq(maker.body.length, 0);
  const double line = dsm__plot_legend(&maker, entries, 3) - top;
  maker.width = 110;
  ck_assert_double_eq_tol(dsm__plot_legend(&maker, entries, 3) - top, 3 * line, 1e-9);
  ck_assert_ptr_nonnull(strstr(maker.body.text, "set label 'some words'"));
  discard(&maker);
}
END_TEST

Suite *suite_plot_maker(void) {
  Suite *const suite = suite_create("plot_maker");
  TCase *const tests = tcase_create("plot_maker");
  tcase_add_test(tests, test_text_is_as_wide_as_its_letters);
  tcase_add_test(tests, test_long_names_lose_their_middle);
  tcase_add_test(tests, test_names_of_a_list_never_read_the_same);
  tcase_add_test(tests, test_texts_of_a_figure_read_apart);
  tcase_add_test(tests, test_strings_are_quoted_for_gnuplot);
  tcase_add_test(tests, test_axes_end_at_round_numbers);
  tcase_add_test(tests, test_numbers_of_data_read_back);
  tcase_add_test(tests, test_labels_find_places_of_their_own);
  tcase_add_test(tests, test_a_heading_is_smaller_before_it_is_cut);
  tcase_add_test(tests, test_a_legend_breaks_its_lines);
  suite_add_tcase(suite, tests);
  return suite;
}

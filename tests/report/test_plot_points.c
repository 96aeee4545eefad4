/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_plot_points.c: what figures of points show, as data and script. */
#include <stdlib.h>
#include <string.h>

#include "made_points.h"
#include "suites.h"

static made_points made;
static dsm_diags *diags;

static void set_up(void) {
  diags = dsm_diags_new(4);
  ck_assert_ptr_nonnull(diags);
}

static void tear_down(void) {
  dsm_diags_free(diags);
}

static dsm_plot *plot_of(dsm_points_figure figure, const dsm_points_view *view) {
  dsm_plot *plot = NULL;
  const dsm_status status = dsm_plot_points(&plot, &made.table, figure, view, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "");
  ck_assert_ptr_nonnull(plot);
  return plot;
}

static size_t count_of(const char *text, const char *part) {
  size_t count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
    count++;
  }
  return count;
}

static void expect(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

static void expect_failure(dsm_points_figure figure, const dsm_points_view *view,
                           dsm_status expected, const char *message, const char *hint) {
  dsm_plot *plot = NULL;
  dsm_diags_clear(diags);
  ck_assert_int_eq(dsm_plot_points(&plot, &made.table, figure, view, diags), expected);
  ck_assert_ptr_null(plot);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  expect(dsm_diags_get(diags, 0)->message, message);
  if (hint != NULL) {
    expect(dsm_diags_get(diags, 0)->hint, hint);
  }
}

START_TEST(test_words_of_figures_are_read_back) {
  for (size_t i = 0; i < DSM_POINTS_FIGURE_COUNT; i++) {
    dsm_points_figure figure = DSM_POINTS_FIGURE_COUNT;
    ck_assert(dsm_points_figure_parse(dsm_points_figure_name((dsm_points_figure)i), &figure));
    ck_assert_uint_eq(figure, i);
  }
  dsm_points_figure figure = DSM_POINTS_FIGURE_LADDER;
  ck_assert(!dsm_points_figure_parse("line", &figure));
  ck_assert_uint_eq(figure, DSM_POINTS_FIGURE_LADDER);
}
END_TEST

/* Networks have panels, and other columns where they are named. */
START_TEST(test_lines_have_the_panels_that_are_named) {
  made_points_product(&made);
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){0});
  ck_assert_str_eq(plot->title, "made: samples/s over system.core.scratchpad_MiB");
  ck_assert_uint_eq(count_of(plot->marks, "# "), 36);
  expect(plot->marks, "# vgg16: refined, minibatch 512, hybrid\n"
                      "0.5\t1052\t\n1\t1053\t\n2\t1054\t\n4\t1055\t\n");
  ck_assert_uint_eq(count_of(plot->body, "\nplot $marks index"), 2);
  expect(plot->body, "set label 'gnmt' at");
  expect(plot->body, "set logscale x");
  dsm_plot_free(plot);
  const dsm_points_view view = {.panels = "workload,system"};
  dsm_plot *const more = plot_of(DSM_POINTS_FIGURE_LINES, &view);
  expect(more->marks, "# vgg16, refined: minibatch 512, hybrid\n");
  ck_assert_uint_eq(count_of(more->body, "\nplot $marks index"), 4);
  expect(more->body, "set label 'gnmt, torus64' at");
  dsm_plot_free(more);
}
END_TEST

/* The last axis of numbers is horizontal, however few values it has: here the minibatch. */
START_TEST(test_axes_are_chosen_by_their_place_and_not_by_their_values) {
  made_points_init(&made);
  for (int i = 0; i < 12; i++) {
    made_points_add(&made, i < 6 ? "a" : "b", i % 6 < 3 ? "t" : "u", 1 << i % 3, "none", 1, 10 + i);
  }
  dsm_plot *const lines = plot_of(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){0});
  ck_assert_str_eq(lines->title, "made: samples/s over workload.minibatch");
  dsm_plot_free(lines);
  dsm_plot *const cells = plot_of(DSM_POINTS_FIGURE_HEATMAP, &(dsm_points_view){0});
  ck_assert_str_eq(cells->title, "made: samples/s over minibatch and system");
  dsm_plot_free(cells);
}
END_TEST

START_TEST(test_means_are_over_networks) {
  made_points_init(&made);
  for (int i = 0; i < 4; i++) {
    made_points_add(&made, i < 2 ? "a" : "b", i % 2 == 0 ? "t" : "u", 64, "none", 1, i < 2 ? 2 : 8);
  }
  made.table.point_count = 4;
  const dsm_points_view view = {.are_means = true};
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_LINES, &view);
  expect(plot->body, "geometric means over 2 workloads; 2 of 2 systems have all");
  expect(plot->marks, "0\t4\t");
  dsm_plot_free(plot);
  static const char *const where = "workload=a";
  expect_failure(DSM_POINTS_FIGURE_LINES,
                 &(dsm_points_view){.are_means = true, .wheres = &where, .where_count = 1},
                 DSM_ERROR_USAGE, "expected points of several networks", NULL);
}
END_TEST

START_TEST(test_points_do_not_hide_each_other) {
  made_points_product(&made);
  static const char message[] = "several points have one place, where they differ in \"system\", "
                                "\"options.optimize\"";
  expect_failure(DSM_POINTS_FIGURE_HEATMAP, &(dsm_points_view){0}, DSM_ERROR_USAGE, message,
                 "--panels");
  expect_failure(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){.series = "workload.minibatch"},
                 DSM_ERROR_USAGE, message, "--where");
  expect_failure(DSM_POINTS_FIGURE_LADDER, &(dsm_points_view){0}, DSM_ERROR_USAGE,
                 "where they differ in \"system\", \"workload.minibatch\"", "--panels");
}
END_TEST

START_TEST(test_lines_are_as_wanted) {
  made_points_product(&made);
  static const char *const wheres[] = {"workload=vgg16", "system=torus64",
                                       "workload.minibatch=512,1024"};
  const dsm_points_view view = {.x = "workload.minibatch",
                                .y = "step_seconds",
                                .series = "system.core.scratchpad_MiB",
                                .panels = "options.optimize",
                                .wheres = wheres,
                                .where_count = 3};
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_LINES, &view);
  ck_assert_str_eq(plot->title, "made: step (ms) over workload.minibatch");
  ck_assert_uint_eq(count_of(plot->marks, "# "), 12); /* three panels with four lines */
  expect(plot->marks, "# none: scratchpad_MiB 0.5\n512\t");
  expect(plot->body, "set label 'hybrid' at");
  dsm_plot_free(plot);
}
END_TEST

START_TEST(test_points_without_a_result_are_gaps) {
  made_points_init(&made);
  made_points_add(&made, "a", "t", 256, "none", 1, 10);
  made_points_add(&made, "a", "t", 300, "none", 1, 0);
  made_points_add(&made, "a", "t", 512, "none", 1, 30);
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){0});
  expect(plot->marks, "256\t10\t\n300\tNaN\t\n512\t30\t\n");
  expect(plot->body, "1 of 3 points has no result (\xC3\x97): minibatch 300");
  expect(plot->body, "point pt 2");
  expect(plot->body, "unset logscale x"); /* the numbers do not double */
  dsm_plot_free(plot);
}
END_TEST

/* What all points have in common is cut for it. */
START_TEST(test_a_heading_says_whole_which_point_has_no_result) {
  static const char common[] = "hybrid+reuse+dysm+pipeline+per_pass+preload+hoist+spatial+tensor";
  made_points_init(&made);
  made_points_add(&made, "a network of a long name", "t", 256, common, 1, 10);
  made_points_add(&made, "a network of a long name", "t", 300, common, 1, 0);
  made_points_add(&made, "a network of a long name", "t", 512, common, 1, 0);
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){0});
  expect(plot->body, "2 of 3 points have no result (\xC3\x97), the first: minibatch 300; ");
  dsm_plot_free(plot);
}
END_TEST

START_TEST(test_points_without_a_result_have_no_place_over_results) {
  made_points_init(&made);
  made_points_add(&made, "a", "t", 256, "none", 1, 10);
  made_points_add(&made, "a", "t", 300, "none", 1, 0);
  made_points_add(&made, "a", "t", 512, "none", 1, 40);
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){.x = "step_seconds"});
  expect(plot->marks, "12.8\t40\t\n25.6\t10\t\n");
  ck_assert_uint_eq(count_of(plot->marks, "NaN"), 0);
  dsm_plot_free(plot);
}
END_TEST

START_TEST(test_zero_and_negative_numbers_have_linear_axes) {
  made_points_init(&made);
  for (int i = -2; i < 6; i++) {
    made_points_add(&made, "a", "t", i < 0 ? -i : 1, "none", i, 10);
    made.cells[(size_t)(i + 2) * MADE_POINTS_COLUMNS + 11].number = i == 3 ? -5 : 1e6 * (i + 3);
  }
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){.series = "workload"});
  ck_assert_uint_eq(count_of(plot->body, "\nset logscale"), 0);
  ck_assert_uint_eq(count_of(plot->body, "; set logscale"), 0);
  dsm_plot_free(plot);
}
END_TEST

/* The first rung has a system of its own, which is part of the ladder. */
START_TEST(test_a_ladder_climbs_from_its_first_rung) {
  made_points_ladder(&made);
  static const char *const where = "system=symmetric,torus64";
  dsm_points_view view = {.wheres = &where, .where_count = 1};
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_LADDER, &view);
  ck_assert_str_eq(plot->title, "made: speed-up (samples_per_second) over none at minibatch 256");
  const char *const data = plot->marks;
  ck_assert_uint_eq(count_of(data, "# "), 1);
  expect(data, "\t0\t1\t0x999999\tnone, 256: 100 samples/s\n");
  expect(data, "\t0\t1.5\t0x999999\tnone, 512: 150 samples/s\n");
  expect(data, "\t0\t4.5\t0xD55E00\thybrid+reuse, 512: 450 samples/s\n");
  expect(plot->body, "'+ reuse'");
  dsm_plot_free(plot);
  /* Times are compared at the same place. */
  view.y = "step_seconds";
  dsm_plot *const times = plot_of(DSM_POINTS_FIGURE_LADDER, &view);
  ck_assert_str_eq(times->title, "made: speed-up (step_seconds) over none");
  ck_assert_uint_eq(count_of(times->marks, "\t0\t3\t"), 2);
  dsm_plot_free(times);
}
END_TEST

START_TEST(test_a_ladder_without_its_first_rung_has_no_bars) {
  made_points_init(&made);
  made_points_add(&made, "a", "t", 256, "none", 1, 0);
  made_points_add(&made, "a", "t", 256, "all", 1, 20);
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_LADDER, &(dsm_points_view){0});
  ck_assert_str_eq(plot->marks, "");
  expect(plot->body, "'no result'");
  dsm_plot_free(plot);
}
END_TEST

START_TEST(test_a_heat_map_has_a_cell_a_point) {
  made_points_product(&made);
  const dsm_points_view view = {.value = "utilization",
                                .panels = "workload,system,options.optimize"};
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_HEATMAP, &view);
  ck_assert_str_eq(plot->title, "made: utilization over scratchpad_MiB and minibatch");
  ck_assert_uint_eq(count_of(plot->marks, "0x"), 144);
  ck_assert_uint_eq(count_of(plot->marks, "# "), 12);
  expect(plot->marks, "-0.5\t0.5\t-0.5\t0.5\t0xF7FBFF\t0.5, 256: 0.00100\n");
  expect(plot->marks, "2.5\t3.5\t1.5\t2.5\t0x08306B\t4, 1024: 0.00114\n");
  /* One scale for all panels. */
  ck_assert_uint_eq(count_of(plot->marks, "0xF7FBFF"), 1);
  ck_assert_uint_eq(count_of(plot->marks, "0x08306B"), 1);
  dsm_plot_free(plot);
}
END_TEST

START_TEST(test_a_front_has_labels) {
  made_points_init(&made);
  made_points_add(&made, "a", "t", 256, "none", 1, 10);
  made_points_add(&made, "a", "t", 256, "all", 1, 20);
  made_points_add(&made, "a", "t", 256, "hybrid", 2, 30);
  made_points_add(&made, "a", "t", 256, "none", 2, 5);
  made_points_add(&made, "a", "t", 256, "all", 4, 0);
  dsm_plot *const plot = plot_of(DSM_POINTS_FIGURE_PARETO, &(dsm_points_view){0});
  ck_assert_str_eq(plot->title, "made: Pareto front of max samples_per_second, min scratchpad_MiB");
  expect(plot->marks, "# front\n1\t20\t\n2\t20\t\n2\t30\t\n");
  expect(plot->marks, "1\t20\t0xD55E00\tall\n2\t30\t0xD55E00\thybrid\n");
  expect(plot->body, "set label 'hybrid' at");
  dsm_plot_free(plot);
  const dsm_points_view view = {.pareto = "max:memory_bytes,max:samples_per_second"};
  dsm_plot *const other = plot_of(DSM_POINTS_FIGURE_PARETO, &view);
  expect(other->marks, "# front\n");
  dsm_plot_free(other);
}
END_TEST

START_TEST(test_what_is_unknown_is_named) {
  made_points_product(&made);
  expect_failure(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){.x = "workload.minibach"},
                 DSM_ERROR_USAGE, "expected a column of the points, found \"workload.minibach\"",
                 "did you mean \"workload.minibatch\"?");
  expect_failure(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){.y = "system"}, DSM_ERROR_USAGE,
                 "found \"system\", which holds words", NULL);
  expect_failure(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){.series = "system,modes"},
                 DSM_ERROR_USAGE, "found \"modes\"", "\"mode\"");
  expect_failure(DSM_POINTS_FIGURE_HEATMAP, &(dsm_points_view){.value = "utilisation"},
                 DSM_ERROR_USAGE, "found \"utilisation\"", "\"utilization\"");
  expect_failure(DSM_POINTS_FIGURE_PARETO, &(dsm_points_view){.pareto = "min:step_seconds"},
                 DSM_ERROR_USAGE, "expected at least two objectives", NULL);
  static const char *const wheres[] = {"workload=vgg17", "workload", "=1", "nothing=1"};
  static const char *const messages[] = {"expected a value that \"workload\" has, found \"vgg17\"",
                                         "expected COLUMN=VALUE", "expected COLUMN=VALUE",
                                         "expected a column of the points, found \"nothing\""};
  for (size_t i = 0; i < 4; i++) {
    expect_failure(DSM_POINTS_FIGURE_LINES,
                   &(dsm_points_view){.wheres = &wheres[i], .where_count = 1}, DSM_ERROR_USAGE,
                   messages[i], NULL);
  }
}
END_TEST

START_TEST(test_what_means_nothing_is_refused) {
  made_points_product(&made);
  expect_failure(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){.series = "system,workload,system"},
                 DSM_ERROR_USAGE, "expected another column, found \"system\" again", NULL);
  expect_failure(DSM_POINTS_FIGURE_HEATMAP, &(dsm_points_view){.x = "system", .y = "system"},
                 DSM_ERROR_USAGE, "expected another column, found \"system\" again", NULL);
  static const char *const wheres[] = {"workload=vgg16", "workload=gnmt"};
  expect_failure(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){.wheres = wheres, .where_count = 2},
                 DSM_ERROR_USAGE, "\"workload=gnmt\" holds for none that are left before it",
                 "commas");
}
END_TEST

START_TEST(test_too_much_is_refused) {
  made_points_init(&made);
  for (int i = 0; i < 150; i++) {
    const int minibatch = 1 + i / 3;
    made_points_add(&made, "a", "t", minibatch, "none", 1 + i % 3, 10);
  }
  expect_failure(DSM_POINTS_FIGURE_LINES,
                 &(dsm_points_view){.x = "workload",
                                    .series = "workload.minibatch",
                                    .panels = "system.core.scratchpad_MiB"},
                 DSM_ERROR_USAGE, "expected at most 40 series, found 50", "--where");
  expect_failure(DSM_POINTS_FIGURE_HEATMAP,
                 &(dsm_points_view){.x = "workload",
                                    .y = "system.core.scratchpad_MiB",
                                    .panels = "workload.minibatch"},
                 DSM_ERROR_USAGE, "expected at most 24 panels, found 50", "--where");
}
END_TEST

START_TEST(test_nothing_to_draw_says_why) {
  made_points_init(&made);
  expect_failure(DSM_POINTS_FIGURE_LINES, &(dsm_points_view){0}, DSM_ERROR_INFEASIBLE,
                 "of 160 points of made none is recorded yet", NULL);
  made_points_add(&made, "a", "t", 256, "none", 1, 0);
  for (size_t i = 0; i < DSM_POINTS_FIGURE_COUNT; i++) {
    expect_failure((dsm_points_figure)i, &(dsm_points_view){0}, DSM_ERROR_INFEASIBLE,
                   "is infeasible: it needs 9 GB of the 8 GB that there are", NULL);
  }
}
END_TEST

START_TEST(test_one_point_is_a_figure) {
  made_points_init(&made);
  made_points_add(&made, "a", "t", 256, "none", 1, 10);
  for (size_t i = 0; i < DSM_POINTS_FIGURE_COUNT; i++) {
    if (i == DSM_POINTS_FIGURE_LADDER) {
      expect_failure(DSM_POINTS_FIGURE_LADDER, &(dsm_points_view){0}, DSM_ERROR_USAGE,
                     "a ladder needs points that differ in \"options.optimize\"", "--series");
      continue;
    }
    dsm_plot *const plot = plot_of((dsm_points_figure)i, &(dsm_points_view){0});
    expect(plot->body, "1 of 160 points recorded");
    ck_assert(plot->height > 100 && plot->height < 500);
    char *const program = dsm_plot_script(plot, NULL, DSM_PLOT_SVG);
    ck_assert_ptr_nonnull(program);
    free(program);
    dsm_plot_free(plot);
  }
}
END_TEST

Suite *suite_plot_points(void) {
  Suite *const suite = suite_create("plot_points");
  TCase *const tests = tcase_create("plot_points");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, test_words_of_figures_are_read_back);
  tcase_add_test(tests, test_lines_have_the_panels_that_are_named);
  tcase_add_test(tests, test_axes_are_chosen_by_their_place_and_not_by_their_values);
  tcase_add_test(tests, test_means_are_over_networks);
  tcase_add_test(tests, test_points_do_not_hide_each_other);
  tcase_add_test(tests, test_lines_are_as_wanted);
  tcase_add_test(tests, test_points_without_a_result_are_gaps);
  tcase_add_test(tests, test_a_heading_says_whole_which_point_has_no_result);
  tcase_add_test(tests, test_points_without_a_result_have_no_place_over_results);
  tcase_add_test(tests, test_zero_and_negative_numbers_have_linear_axes);
  tcase_add_test(tests, test_a_ladder_climbs_from_its_first_rung);
  tcase_add_test(tests, test_a_ladder_without_its_first_rung_has_no_bars);
  tcase_add_test(tests, test_a_heat_map_has_a_cell_a_point);
  tcase_add_test(tests, test_a_front_has_labels);
  tcase_add_test(tests, test_what_is_unknown_is_named);
  tcase_add_test(tests, test_what_means_nothing_is_refused);
  tcase_add_test(tests, test_too_much_is_refused);
  tcase_add_test(tests, test_nothing_to_draw_says_why);
  tcase_add_test(tests, test_one_point_is_a_figure);
  suite_add_tcase(suite, tests);
  return suite;
}

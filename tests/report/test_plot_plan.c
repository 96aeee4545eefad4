/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "dsm/plot.h"
#include "subjects.h"

static dsm_plot *plot_of(const dsm_plan *plan, int figure) {
  dsm_plot *plot = NULL;
  ck_assert_int_eq(dsm_plot_plan(&plot, plan, (dsm_plan_figure)figure, false, NULL), DSM_OK);
  ck_assert_ptr_nonnull(plot);
  return plot;
}

/* The plan as if its data came from storage: that stalls, that suffices, and in which all fits. */
static dsm_plan fed(const dsm_plan *of, int how) {
  static const double fast_bytes[] = {500, 500, 2000};
  static const double repeats[] = {1.5, 40, 1};
  dsm_plan plan = *of;
  plan.result.storage.job = (dsm_storage_job){.samples = 100,
                                              .sample_bytes = 10,
                                              .samples_per_second = 8,
                                              .demand_bytes_per_second = 80,
                                              .fast_bytes = fast_bytes[how],
                                              .fast_bytes_per_second = 160,
                                              .capacity_bytes_per_second = 3};
  const uint64_t mini_epochs = dsm_storage_mini_epochs(&plan.result.storage.job);
  plan.result.storage.state =
      dsm_storage_steady(&plan.result.storage.job, mini_epochs,
                         plan.options.mode == DSM_MODE_INFERENCE ? 1 : repeats[how]);
  return plan;
}

START_TEST(test_figures_of_storage_are_of_plans_with_storage) {
  const subject made = bundled_subject(0);
  dsm_plot *plot = NULL;
  dsm_diags *const diags = dsm_diags_new(2);
  ck_assert_int_eq(dsm_plot_plan(&plot, made.plan, (dsm_plan_figure)_i, false, diags),
                   DSM_ERROR_USAGE);
  ck_assert_ptr_null(plot);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  dsm_diags_free(diags);
}
END_TEST

/* All bundled networks, in each figure. */
START_TEST(test_figures_are_pages_with_data) {
  const subject made = bundled_subject(_i / DSM_PLAN_FIGURE_COUNT);
  const dsm_plan plan = fed(made.plan, _i % 3);
  dsm_plot *const plot = plot_of(&plan, _i % DSM_PLAN_FIGURE_COUNT);
  ck_assert_double_eq(plot->width, 720);
  ck_assert_double_gt(plot->height, 100);
  ck_assert_double_lt(plot->height, 3 * plot->width);
  const bool has_marks = _i % DSM_PLAN_FIGURE_COUNT != DSM_PLAN_FIGURE_MINI_EPOCHS;
  ck_assert_uint_eq(plot->data_count, has_marks ? 1 : 0);
  ck_assert_int_eq(strchr(plot->data[0].text, '\n') != NULL, has_marks);
  ck_assert_ptr_null(strstr(plot->data[0].text, "nan"));
  ck_assert_ptr_null(strstr(plot->body, "nan"));
  dsm_plot_free(plot);
}
END_TEST

START_TEST(test_the_same_plan_has_the_same_texts) {
  const subject made = bundled_subject(0);
  const dsm_plan plan = fed(made.plan, 0);
  dsm_plot *const one = plot_of(&plan, _i);
  dsm_plot *const other = plot_of(&plan, _i);
  char *const first = dsm_plot_program(one, DSM_PLOT_SVG);
  char *const second = dsm_plot_program(other, DSM_PLOT_SVG);
  ck_assert_str_eq(first, second);
  free(first);
  free(second);
  dsm_plot_free(one);
  dsm_plot_free(other);
}
END_TEST

START_TEST(test_scripts_differ_from_programs_in_where_data_and_picture_are) {
  const subject made = bundled_subject(0);
  dsm_plot *const plot = plot_of(made.plan, DSM_PLAN_FIGURE_LOSS);
  char *const script = dsm_plot_script(plot, "name", DSM_PLOT_PDF);
  char *const program = dsm_plot_program(plot, DSM_PLOT_PDF);
  char *const file = dsm_plot_data_file(plot, "name", 0);
  ck_assert_str_eq(file, "name.marks.dat");
  ck_assert_ptr_nonnull(strstr(script, "set output 'name.pdf'\nmarks = 'name.marks.dat'\n"));
  ck_assert_ptr_null(strstr(script, plot->data[0].text));
  ck_assert_ptr_nonnull(strstr(program, plot->data[0].text));
  ck_assert_ptr_null(strstr(program, "set output"));
  ck_assert_ptr_nonnull(strstr(script, plot->body));
  ck_assert_ptr_nonnull(strstr(program, plot->body));
  free(file);
  free(program);
  free(script);
  dsm_plot_free(plot);
}
END_TEST

START_TEST(test_forms_have_terminals_of_their_own) {
  static const char *const terminals[] = {
      [DSM_PLOT_SVG] = "set terminal svg size 720,",
      [DSM_PLOT_PNG] = "set terminal pngcairo size 1440,",
      [DSM_PLOT_PDF] = "set terminal pdfcairo size 6.6667in,",
  };
  const subject made = bundled_subject(0);
  dsm_plot *const plot = plot_of(made.plan, DSM_PLAN_FIGURE_SPLITS);
  char *const program = dsm_plot_program(plot, (dsm_plot_form)_i);
  ck_assert_ptr_nonnull(strstr(program, terminals[_i]));
  ck_assert_ptr_nonnull(strstr(program, " noenhanced "));
  free(program);
  dsm_plot_free(plot);
}
END_TEST

/* As many layers as a workload may have still make a picture of bounded size. */
START_TEST(test_a_picture_of_many_layers_is_bounded) {
  const subject made = bundled_subject(0);
  dsm_plan plan = *made.plan;
  const size_t repeats = DSM_LAYERS_MAX / plan.layer_count;
  dsm_layer_plan *const layers = calloc(repeats * plan.layer_count, sizeof *layers);
  ck_assert_ptr_nonnull(layers);
  for (size_t i = 0; i < repeats * plan.layer_count; i++) {
    layers[i] = plan.layers[i % plan.layer_count];
  }
  plan.layer_count *= repeats;
  plan.layers = layers;
  dsm_plot *const plot = plot_of(&plan, _i);
  ck_assert_double_lt(plot->height, 4 * plot->width);
  dsm_plot_free(plot);
  free(layers);
}
END_TEST

START_TEST(test_words_read_back) {
  for (int f = 0; f < DSM_PLAN_FIGURE_COUNT; f++) {
    dsm_plan_figure figure = DSM_PLAN_FIGURE_COUNT;
    ck_assert(dsm_plan_figure_parse(dsm_plan_figure_name((dsm_plan_figure)f), &figure));
    ck_assert_int_eq(figure, f);
  }
  dsm_plan_figure figure = DSM_PLAN_FIGURE_MEMORY;
  ck_assert(!dsm_plan_figure_parse("los", &figure));
  ck_assert_int_eq(figure, DSM_PLAN_FIGURE_MEMORY);
}
END_TEST

Suite *suite_plot_plan(void) {
  Suite *const suite = suite_create("plot_plan");
  TCase *const tests = tcase_create("plot_plan");
  tcase_set_timeout(tests, 120);
  tcase_add_unchecked_fixture(tests, bundled_set_up, NULL);
  tcase_add_loop_test(tests, test_figures_are_pages_with_data, 0,
                      BUNDLED_EXPLORATION_COUNT * DSM_PLAN_FIGURE_COUNT);
  tcase_add_loop_test(tests, test_figures_of_storage_are_of_plans_with_storage,
                      DSM_PLAN_FIGURE_STORAGE, DSM_PLAN_FIGURE_COUNT);
  tcase_add_loop_test(tests, test_the_same_plan_has_the_same_texts, 0, DSM_PLAN_FIGURE_COUNT);
  tcase_add_test(tests, test_scripts_differ_from_programs_in_where_data_and_picture_are);
  tcase_add_loop_test(tests, test_forms_have_terminals_of_their_own, 0, DSM_PLOT_FORM_COUNT);
  tcase_add_loop_test(tests, test_a_picture_of_many_layers_is_bounded, 0, DSM_PLAN_FIGURE_MEMORY);
  tcase_add_test(tests, test_words_read_back);
  suite_add_tcase(suite, tests);
  return suite;
}

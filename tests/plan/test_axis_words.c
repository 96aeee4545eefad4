/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans of systems that name their axes: words with the names, the minor version that says so, and
 * plans with the words that count the axes. */
#include <stdlib.h>
#include <string.h>

#include "explored.h"
#include "model/axis_words.h"
#include "suites.h"

static const char *const two_names[DSM_AXES_MAX] = {"gpu", "node"};
static const char *const three_names[DSM_AXES_MAX] = {"x", "y", "pod"};

static const dsm_system two = {
    .system = {.topology = DSM_TOPOLOGY_AXES,
               .axis_count = 2,
               .axes = {{.name = "gpu", .chips = 8}, {.name = "node", .chips = 4}}}};

START_TEST(test_words_have_the_names_of_axes) {
  static const struct {
    const dsm__words *list;
    size_t value;
    const char *of_two;
    const char *of_three;
  } cases[] = {
      {&dsm__parallelism_words, DSM_PARALLELISM_MODEL, "model", "model"},
      {&dsm__parallelism_words, DSM_PARALLELISM_DATA_X_MODEL_Y, "data_gpu_model_node",
       "data_x_model_y_model_pod"},
      {&dsm__parallelism_words, DSM_PARALLELISM_MODEL_X_DATA_Y, "model_gpu_data_node",
       "model_x_data_y_model_pod"},
      {&dsm__link_words, DSM_LINK_AXIS, "link_gpu", "link_x"},
      {&dsm__link_words, DSM_LINK_RING, "ring", "ring"},
      {&dsm__bound_words, DSM_BOUND_AXIS + 1, "link_node", "link_y"},
      {&dsm__bound_words, DSM_BOUND_MEMORY, "memory", "memory"},
  };
  dsm__arena *const arena = dsm__arena_new();
  const dsm__renaming *const by_two = dsm__axis_words(two_names, 2, true, NULL, arena);
  const dsm__renaming *const by_three = dsm__axis_words(three_names, 3, true, NULL, arena);
  ck_assert_str_eq(dsm__word_key(dsm__words_in(by_two, cases[_i].list), cases[_i].value),
                   cases[_i].of_two);
  ck_assert_str_eq(dsm__word_key(dsm__words_in(by_three, cases[_i].list), cases[_i].value),
                   cases[_i].of_three);
  ck_assert_str_eq(dsm__word_key(dsm__words_in(by_three, &dsm__move_words),
                                 dsm__move_of(DSM_TRANSFER_ROTATE, 2)),
                   "rotate_pod");
  dsm__arena_free(arena);
}
END_TEST

/* Of systems with and without names of axes; the other links of cores keep their words. */
START_TEST(test_a_label_names_the_link_of_the_cores) {
  static const struct {
    dsm_chip chip;
    dsm_link link;
    const char *word;
    const char *of_ring;
  } cases[] = {
      {{.cores = 4, .interconnect_label = DSM_INTERCONNECT_LABEL_L2_CACHE},
       DSM_LINK_RING,
       "l2_cache",
       "l2_cache"},
      {{.cores = 4,
        .interconnect = DSM_INTERCONNECT_CROSSBAR,
        .interconnect_label = DSM_INTERCONNECT_LABEL_LAST_LEVEL_CACHE},
       DSM_LINK_CORES,
       "last_level_cache",
       "ring"},
  };
  dsm__arena *const arena = dsm__arena_new();
  for (int are_named = 0; are_named < 2; are_named++) {
    const dsm__renaming *const made =
        dsm__axis_words(two_names, 2, are_named == 1, &cases[_i].chip, arena);
    const dsm__words *const bounds = dsm__words_in(made, &dsm__bound_words);
    const size_t bound = (size_t)dsm_bound_of_link(cases[_i].link);
    size_t value = 0;
    ck_assert_str_eq(dsm__word_key(bounds, bound), cases[_i].word);
    ck_assert_str_eq(dsm__word_key(bounds, DSM_BOUND_RING), cases[_i].of_ring);
    ck_assert_str_eq(dsm__word_key(dsm__words_in(made, &dsm__link_words), cases[_i].link),
                     cases[_i].word);
    ck_assert(dsm__words_find(bounds, dsm_bound_name((dsm_bound)bound), &value));
    ck_assert_uint_eq(value, bound);
    ck_assert_str_eq(dsm__word_key(bounds, DSM_BOUND_AXIS), are_named == 1 ? "link_gpu" : "link_x");
  }
  dsm__arena_free(arena);
}
END_TEST

START_TEST(test_words_of_all_systems_are_read_too) {
  dsm__arena *const arena = dsm__arena_new();
  const dsm__words *const words =
      dsm__words_in(dsm__axis_words(two_names, 2, true, NULL, arena), &dsm__parallelism_words);
  static const char *const both[] = {"data_gpu_model_node", "data_x_model_y"};
  size_t value = 0;
  ck_assert(dsm__words_find(words, both[_i], &value));
  ck_assert_uint_eq(value, DSM_PARALLELISM_DATA_X_MODEL_Y);
  ck_assert(!dsm__words_find(words, "data_node_model_gpu", &value));
  dsm__arena_free(arena);
}
END_TEST

START_TEST(test_parallelism_of_a_system_is_read_back) {
  const dsm_axes_word word = dsm_system_parallelism_name(&two, (dsm_parallelism)_i);
  dsm_parallelism found = DSM_PARALLELISM_COUNT;
  ck_assert(dsm_system_parallelism_parse(&two, word.text, &found));
  ck_assert_int_eq((int)found, _i);
  ck_assert(dsm_system_parallelism_parse(&two, dsm_parallelism_name((dsm_parallelism)_i), &found));
  ck_assert_int_eq((int)found, _i);
  ck_assert(!dsm_system_parallelism_parse(&two, "data_gpu", &found));
}
END_TEST

START_TEST(test_renamings_agree_by_their_names) {
  dsm__arena *const arena = dsm__arena_new();
  const dsm__renaming *const a = dsm__axis_words(two_names, 2, true, NULL, arena);
  const dsm__renaming *const b = dsm__axis_words(two_names, 2, true, NULL, arena);
  const dsm__renaming *const c = dsm__axis_words(three_names, 2, true, NULL, arena);
  ck_assert(dsm__renamings_agree(a, b));
  ck_assert(!dsm__renamings_agree(a, c));
  ck_assert(!dsm__renamings_agree(a, NULL));
  ck_assert(dsm__renamings_agree(NULL, NULL));
  dsm__arena_free(arena);
}
END_TEST

/* ---- plans ---- */

static explored explore_named(void) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  return explore_bundled("alexnet", "dgx_a100", "256", &options);
}

START_TEST(test_plan_says_its_axes_by_name) {
  explored made = explore_named();
  char *const text = dsm_plan_print(made.plan);
  ck_assert_ptr_nonnull(strstr(text, "\"format\": \"dsm-plan/1.1\""));
  ck_assert_ptr_nonnull(strstr(text,
                               "{\"name\": \"sum_of_gradients\", \"axis\": \"node\", \"group\": "
                               "\"sum_of_gradients\", \"link\": \"link_node\""));
  ck_assert_ptr_null(strstr(text, "link_x"));
  ck_assert_str_eq(dsm_plan_parallelism_name(made.plan, DSM_PARALLELISM_MODEL_X_DATA_Y),
                   "model_gpu_data_node");
  ck_assert_str_eq(dsm_plan_link_name(made.plan, DSM_LINK_AXIS + 1), "link_node");
  ck_assert_str_eq(dsm_plan_bound_name(made.plan, DSM_BOUND_AXIS), "link_gpu");
  ck_assert_str_eq(dsm_plan_transfer_name(made.plan, DSM_TRANSFER_RELAYOUT, 1), "relayout_node");
  free(text);
  explored_free(&made);
}
END_TEST

/* Reads a plan's text and prints it again. */
static void expect_the_same(const char *text, const char *expected) {
  reading read = read_plan(text);
  ck_assert_int_eq(read.status, DSM_OK);
  char *const again = dsm_plan_print(read.plan);
  ck_assert_str_eq(again, expected);
  free(again);
  reading_free(&read);
}

/* As plans were before axes had names in them. */
START_TEST(test_words_that_count_the_axes_are_read) {
  static const edit old[] = {
      {"format", "\"dsm-plan/1\""},
      {"options.parallelisms", "[\"data\", \"model\", \"data_x_model_y\", \"model_x_data_y\"]"}};
  explored made = explore_named();
  char *const text = dsm_plan_print(made.plan);
  char *const counted = edited(text, old, COUNT_OF(old));
  reading of_text = read_plan(text);
  ck_assert_int_eq(of_text.status, DSM_OK);
  char *const again = dsm_plan_print(of_text.plan); /* a loaded plan knows no bound */
  expect_the_same(counted, again);
  free(again);
  reading_free(&of_text);
  free(counted);
  free(text);
  explored_free(&made);
}
END_TEST

START_TEST(test_findings_have_the_names) {
  static const edit wrong[] = {{"layers.0.passes.forward.parallelism", "\"model_gpu_data_nod\""}};
  explored made = explore_named();
  char *const text = dsm_plan_print(made.plan);
  char *const changed = edited(text, wrong, COUNT_OF(wrong));
  reading read = read_plan(changed);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  const dsm_diag *const diag = dsm_diags_get(read.diags, 0);
  ck_assert_ptr_nonnull(strstr(diag->message, "\"data\", \"model\", \"data_gpu_model_node\" or "
                                              "\"model_gpu_data_node\", or as "
                                              "\"gpu=column,node=data\", found"));
  reading_free(&read);
  free(changed);
  free(text);
  explored_free(&made);
}
END_TEST

Suite *suite_axis_words(void) {
  Suite *const suite = suite_create("axis words");
  TCase *const words = tcase_create("words");
  tcase_add_loop_test(words, test_words_have_the_names_of_axes, 0, 7);
  tcase_add_loop_test(words, test_a_label_names_the_link_of_the_cores, 0, 2);
  tcase_add_loop_test(words, test_words_of_all_systems_are_read_too, 0, 2);
  tcase_add_loop_test(words, test_parallelism_of_a_system_is_read_back, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_test(words, test_renamings_agree_by_their_names);
  suite_add_tcase(suite, words);
  TCase *const plans = tcase_create("plans");
  tcase_add_test(plans, test_plan_says_its_axes_by_name);
  tcase_add_test(plans, test_words_that_count_the_axes_are_read);
  tcase_add_test(plans, test_findings_have_the_names);
  suite_add_tcase(suite, plans);
  return suite;
}

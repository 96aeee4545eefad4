/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "suites.h"

#include "dsm/mapping.h"
#include "dsm/model.h"
#include "model/names.h"

/* The words as the formats have them (docs/formats.md), in the order of the enumerations. */

static const char *const dims[] = {"in", "out", "ij", "kij", "mb"};
static const char *const modes[] = {"training", "inference"};
static const char *const passes[] = {"forward", "backward", "update"};
static const char *const parallelisms[] = {"data",
                                           "model",
                                           "data_x_model_y",
                                           "model_x_data_y",
                                           "data_x_data_y_model_z",
                                           "model_x_model_y_data_z",
                                           "data_x_model_y_data_z",
                                           "model_x_data_y_data_z"};
static const char *const roles[] = {
    "data",        "spatial", "model",  "model_out", "column",  "row",           "gather_column",
    "row_scatter", "heads",   "expert", "whole",     "context", "gather_context"};
static const char *const links[] = {"link_x", "link_y",     "link_z",        "memory",
                                    "ring",   "core_links", "shared_memory", "auxiliary_memory"};
static const char *const groups[] = {
    "stream",        "partial_sum",  "layout_move",      "rotation",
    "collective",    "hand_over",    "sum_of_gradients", "broadcast_weights",
    "weight_update", "tied_weights", "relayout",         "overhead",
    "issue",         "recompute",    "bubble",           "auxiliary"};
static const char *const moves[] = {
    "fetch_input",
    "fetch_kernel",
    "fetch_shortcut",
    "write_output",
    "write_deferred",
    "save_state",
    "fetch_error",
    "fetch_fork",
    "fetch_state",
    "fetch_statistics",
    "write_error",
    "fetch_mask",
    "write_gradient",
    "spill_sums",
    "partial_sum_accumulate",
    "sum_of_statistics",
    "layout_move",
    "rotate_x",
    "rotate_y",
    "rotate_z",
    "rotate_output_x",
    "rotate_output_y",
    "rotate_output_z",
    "all_gather_x",
    "all_gather_y",
    "all_gather_z",
    "reduce_scatter_x",
    "reduce_scatter_y",
    "reduce_scatter_z",
    "all_reduce_x",
    "all_reduce_y",
    "all_reduce_z",
    "all_to_all_x",
    "all_to_all_y",
    "all_to_all_z",
    "halo_x",
    "halo_y",
    "halo_z",
    "hand_over_x",
    "hand_over_y",
    "hand_over_z",
    "sum_of_gradients_x",
    "sum_of_gradients_y",
    "sum_of_gradients_z",
    "broadcast_weights_x",
    "broadcast_weights_y",
    "broadcast_weights_z",
    "weight_update",
    "tied_gradients_x",
    "tied_gradients_y",
    "tied_gradients_z",
    "tied_weights_x",
    "tied_weights_y",
    "tied_weights_z",
    "relayout_x",
    "relayout_y",
    "relayout_z",
    "auxiliary_traffic",
};

START_TEST(test_dim_has_its_word) {
  ck_assert_str_eq(dsm_dim_name((dsm_dim)_i), dims[_i]);
}
END_TEST

START_TEST(test_mode_has_its_word) {
  ck_assert_str_eq(dsm_mode_name((dsm_mode)_i), modes[_i]);
}
END_TEST

START_TEST(test_pass_has_its_word) {
  ck_assert_str_eq(dsm_pass_name((dsm_pass)_i), passes[_i]);
}
END_TEST

START_TEST(test_parallelism_has_its_word) {
  ck_assert_str_eq(dsm_parallelism_name((dsm_parallelism)_i), parallelisms[_i]);
}
END_TEST

START_TEST(test_role_has_its_word) {
  dsm_role role = DSM_ROLE_COUNT;
  ck_assert_str_eq(dsm_role_name((dsm_role)_i), roles[_i]);
  ck_assert(dsm_role_parse(roles[_i], &role));
  ck_assert_int_eq(role, _i);
  ck_assert(!dsm_role_parse("columns", &role));
}
END_TEST

/* Narrow columns have one letter an axis: no two roles have the same. */
START_TEST(test_role_has_a_letter_of_its_own) {
  const char *const letter = dsm__word_brief(&dsm__role_words, (size_t)_i);
  ck_assert_uint_eq(strlen(letter), 1);
  for (int other = 0; other < _i; other++) {
    ck_assert_str_ne(letter, dsm__word_brief(&dsm__role_words, (size_t)other));
  }
}
END_TEST

START_TEST(test_link_has_its_word) {
  ck_assert_str_eq(dsm_link_name((dsm_link)_i), links[_i]);
}
END_TEST

START_TEST(test_group_has_its_word) {
  ck_assert_str_eq(dsm_group_name((dsm_group)_i), groups[_i]);
}
END_TEST

START_TEST(test_move_has_its_word) {
  ck_assert_str_eq(dsm__word_key(&dsm__move_words, (size_t)_i), moves[_i]);
}
END_TEST

START_TEST(test_every_enumeration_is_listed) {
  ck_assert_int_eq(COUNT_OF(dims), DSM_DIM_COUNT);
  ck_assert_int_eq(COUNT_OF(modes), DSM_MODE_COUNT);
  ck_assert_int_eq(COUNT_OF(passes), DSM_PASS_COUNT);
  ck_assert_int_eq(COUNT_OF(parallelisms), DSM_PARALLELISM_COUNT);
  ck_assert_int_eq(COUNT_OF(roles), DSM_ROLE_COUNT);
  ck_assert_int_eq(COUNT_OF(links), DSM_LINK_COUNT);
  ck_assert_int_eq(COUNT_OF(groups), DSM_GROUP_COUNT);
  ck_assert_int_eq(COUNT_OF(moves), DSM__MOVE_COUNT);
}
END_TEST

static const dsm__words *const lists[] = {
    &dsm__dim_words,   &dsm__mode_words,  &dsm__pass_words,     &dsm__parallelism_words,
    &dsm__link_words,  &dsm__bound_words, &dsm__transfer_words, &dsm__move_words,
    &dsm__group_words, &dsm__role_words};

START_TEST(test_no_two_values_are_called_the_same) {
  const dsm__words *const words = lists[_i];
  for (size_t a = 0; a < words->count; a++) {
    for (size_t b = 0; b < a; b++) {
      ck_assert_str_ne(dsm__word_key(words, a), dsm__word_key(words, b));
      ck_assert_str_ne(dsm__word_text(words, a), dsm__word_text(words, b));
      ck_assert_str_ne(dsm__word_brief(words, a), dsm__word_brief(words, b));
    }
  }
}
END_TEST

START_TEST(test_split_names_its_loops) {
  const dsm_loops split = {{[DSM_DIM_IN] = 1,
                            [DSM_DIM_OUT] = 2,
                            [DSM_DIM_IJ] = 8,
                            [DSM_DIM_KIJ] = 1,
                            [DSM_DIM_MB] = UINT64_MAX}};
  const dsm_loops whole = {{1, 1, 1, 1, 1}};
  ck_assert_str_eq(dsm__split_text_of(&split, "-").text, "out 2 ij 8 mb 18446744073709551615");
  ck_assert_str_eq(dsm__split_text_of(&whole, "-").text, "-");
}
END_TEST

START_TEST(test_mode_is_read_back) {
  dsm_mode mode = DSM_MODE_COUNT;
  ck_assert(dsm_mode_parse(dsm_mode_name((dsm_mode)_i), &mode));
  ck_assert_int_eq((int)mode, _i);
}
END_TEST

START_TEST(test_parallelism_is_read_back) {
  dsm_parallelism parallelism = DSM_PARALLELISM_COUNT_OF(2);
  ck_assert(dsm_parallelism_parse(dsm_parallelism_name((dsm_parallelism)_i), &parallelism));
  ck_assert_int_eq((int)parallelism, _i);
}
END_TEST

static const char *const no_words[] = {
    "",    "train", "Training", "training ",       " inference",    "forward",
    "dat", "DATA",  "data_x",   "data_x_model_y_", "model-x-data-y"};

START_TEST(test_other_text_is_no_mode) {
  dsm_mode mode = DSM_MODE_INFERENCE;
  ck_assert(!dsm_mode_parse(no_words[_i], &mode));
  ck_assert_int_eq(mode, DSM_MODE_INFERENCE);
}
END_TEST

START_TEST(test_other_text_is_no_parallelism) {
  dsm_parallelism parallelism = DSM_PARALLELISM_MODEL_X_DATA_Y;
  ck_assert(!dsm_parallelism_parse(no_words[_i], &parallelism));
  ck_assert_int_eq(parallelism, DSM_PARALLELISM_MODEL_X_DATA_Y);
}
END_TEST

Suite *suite_names(void) {
  Suite *const suite = suite_create("names");
  TCase *const words = tcase_create("words");
  tcase_add_loop_test(words, test_no_two_values_are_called_the_same, 0, COUNT_OF(lists));
  tcase_add_test(words, test_split_names_its_loops);
  tcase_add_loop_test(words, test_dim_has_its_word, 0, COUNT_OF(dims));
  tcase_add_loop_test(words, test_mode_has_its_word, 0, COUNT_OF(modes));
  tcase_add_loop_test(words, test_pass_has_its_word, 0, COUNT_OF(passes));
  tcase_add_loop_test(words, test_parallelism_has_its_word, 0, COUNT_OF(parallelisms));
  tcase_add_loop_test(words, test_role_has_its_word, 0, COUNT_OF(roles));
  tcase_add_loop_test(words, test_role_has_a_letter_of_its_own, 0, COUNT_OF(roles));
  tcase_add_loop_test(words, test_link_has_its_word, 0, COUNT_OF(links));
  tcase_add_loop_test(words, test_group_has_its_word, 0, COUNT_OF(groups));
  tcase_add_loop_test(words, test_move_has_its_word, 0, COUNT_OF(moves));
  tcase_add_test(words, test_every_enumeration_is_listed);
  suite_add_tcase(suite, words);
  TCase *const reading = tcase_create("reading");
  tcase_add_loop_test(reading, test_mode_is_read_back, 0, DSM_MODE_COUNT);
  tcase_add_loop_test(reading, test_parallelism_is_read_back, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(reading, test_other_text_is_no_mode, 0, COUNT_OF(no_words));
  tcase_add_loop_test(reading, test_other_text_is_no_parallelism, 0, COUNT_OF(no_words));
  suite_add_tcase(suite, reading);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_point_axes.c: the axes of points, and the groups that they make. */
#include "made_points.h"
#include "report/figure/points.h"
#include "suites.h"

static made_points made;
static dsm__arena *arena;

static void set_up(void) {
  arena = dsm__arena_new();
  ck_assert_ptr_nonnull(arena);
}

static void tear_down(void) {
  dsm__arena_free(arena);
}

static dsm__point_axis axis_of(const char *column) {
  dsm__point_axis axis;
  ck_assert(dsm__point_axis_make(&axis, arena, &made.table, dsm__points_find(&made.table, column)));
  return axis;
}

START_TEST(test_numbers_ascend_and_words_keep_their_order) {
  made_points_init(&made);
  made_points_add(&made, "b", "t", 512, "none", 1, 1);
  made_points_add(&made, "a", "t", 256, "all", 1, 1);
  made_points_add(&made, "b", "t", 1024, "hybrid", 1, 1);
  made_points_add(&made, "a", "t", 256, "none", 1, 1);
  const dsm__point_axis numbers = axis_of("workload.minibatch");
  ck_assert(numbers.is_number);
  ck_assert_uint_eq(numbers.value_count, 3);
  ck_assert_str_eq(numbers.texts[0], "256");
  ck_assert_str_eq(numbers.texts[2], "1024");
  ck_assert_uint_eq(numbers.of_row[0], 1);
  ck_assert_str_eq(numbers.name, "minibatch");
  const dsm__point_axis words = axis_of("workload");
  ck_assert(!words.is_number);
  ck_assert_uint_eq(words.value_count, 2);
  ck_assert_str_eq(words.texts[0], "b");
  ck_assert_uint_eq(words.of_row[1], 1);
  ck_assert_uint_eq(words.of_row[3], 1);
}
END_TEST

START_TEST(test_cells_without_a_value_are_one_value) {
  made_points_init(&made);
  made_points_add(&made, "a", "t", 512, "none", 1, 0);
  made_points_add(&made, "a", "t", 256, "none", 1, 7);
  made_points_add(&made, "a", "t", 256, "none", 1, 0);
  const dsm__point_axis rates = axis_of("samples_per_second");
  ck_assert_uint_eq(rates.value_count, 2);
  ck_assert(!rates.is_number);
  ck_assert_str_eq(rates.texts[0], "");
  ck_assert_str_eq(rates.texts[1], "7");
  ck_assert_uint_eq(rates.of_row[2], 0);
}
END_TEST

START_TEST(test_a_table_without_rows_has_axes_without_values) {
  made_points_init(&made);
  const dsm__point_axis axis = axis_of("system");
  ck_assert_uint_eq(axis.value_count, 0);
  ck_assert(!axis.is_number);
  dsm__point_groups groups;
  const dsm__point_axis *const axes[] = {&axis};
  ck_assert(dsm__point_groups_make(&groups, arena, axes, 1, 0));
  ck_assert_uint_eq(groups.count, 0);
}
END_TEST

START_TEST(test_groups_are_in_the_order_of_values) {
  made_points_product(&made);
  const dsm__point_axis minibatch = axis_of("workload.minibatch");
  const dsm__point_axis optimize = axis_of("options.optimize");
  const dsm__point_axis *const axes[] = {&optimize, &minibatch};
  dsm__point_groups groups;
  ck_assert(dsm__point_groups_make(&groups, arena, axes, 2, made.table.row_count));
  ck_assert_uint_eq(groups.count, 9);
  for (size_t g = 0; g < groups.count; g++) {
    const size_t row = groups.example[g];
    ck_assert_uint_eq(optimize.of_row[row], g / 3);
    ck_assert_uint_eq(minibatch.of_row[row], g % 3);
  }
  ck_assert_str_eq(dsm__point_label(arena, axes, 2, groups.example[4]), "hybrid, minibatch 512");
  ck_assert_str_eq(dsm__point_label(arena, axes, 0, 0), "");
  ck_assert(dsm__point_groups_make(&groups, arena, axes, 0, made.table.row_count));
  ck_assert_uint_eq(groups.count, 1);
}
END_TEST

Suite *suite_point_axes(void) {
  Suite *const suite = suite_create("point_axes");
  TCase *const tests = tcase_create("point_axes");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, test_numbers_ascend_and_words_keep_their_order);
  tcase_add_test(tests, test_cells_without_a_value_are_one_value);
  tcase_add_test(tests, test_a_table_without_rows_has_axes_without_values);
  tcase_add_test(tests, test_groups_are_in_the_order_of_values);
  suite_add_tcase(suite, tests);
  return suite;
}

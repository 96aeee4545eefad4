/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>

#include "suites.h"
#include "workload/name_index.h"

START_TEST(test_each_name_is_found_with_its_index) {
  dsm__name_entry entries[] = {{"pear", 0}, {"apple", 1}, {"quince", 2}, {"fig", 3}};
  dsm__name_index names = {entries, 4};
  dsm__name_index_sort(&names);
  ck_assert_uint_eq(dsm__name_index_find(&names, "pear"), 0);
  ck_assert_uint_eq(dsm__name_index_find(&names, "apple"), 1);
  ck_assert_uint_eq(dsm__name_index_find(&names, "quince"), 2);
  ck_assert_uint_eq(dsm__name_index_find(&names, "fig"), 3);
}
END_TEST

START_TEST(test_absent_names_are_not_found) {
  static const char *const absent[] = {"", "a", "app", "apple2", "Apple", "z"};
  dsm__name_entry entries[] = {{"pear", 0}, {"apple", 1}};
  dsm__name_index names = {entries, 2};
  dsm__name_index_sort(&names);
  ck_assert_uint_eq(dsm__name_index_find(&names, absent[_i]), SIZE_MAX);
}
END_TEST

START_TEST(test_of_equal_names_the_smallest_index_is_found) {
  dsm__name_entry entries[] = {{"b", 4}, {"a", 3}, {"b", 1}, {"b", 2}, {"c", 0}};
  dsm__name_index names = {entries, 5};
  dsm__name_index_sort(&names);
  ck_assert_uint_eq(dsm__name_index_find(&names, "b"), 1);
}
END_TEST

START_TEST(test_nothing_is_found_among_no_names) {
  dsm__name_index names = {NULL, 0};
  ck_assert_uint_eq(dsm__name_index_find(&names, "a"), SIZE_MAX);
}
END_TEST

Suite *suite_name_index(void) {
  Suite *const suite = suite_create("name_index");
  TCase *const names = tcase_create("names");
  tcase_add_test(names, test_each_name_is_found_with_its_index);
  tcase_add_loop_test(names, test_absent_names_are_not_found, 0, 6);
  tcase_add_test(names, test_of_equal_names_the_smallest_index_is_found);
  tcase_add_test(names, test_nothing_is_found_among_no_names);
  suite_add_tcase(suite, names);
  return suite;
}

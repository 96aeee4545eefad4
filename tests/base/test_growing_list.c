/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/growing_list.h"

START_TEST(test_items_stay_while_a_list_grows) {
  dsm__arena *const arena = _i == 0 ? NULL : dsm__arena_new();
  DSM__LIST(uint32_t) list = {NULL, 0, 0};
  for (uint32_t i = 0; i < 10000; i++) {
    ck_assert(_i == 0 ? DSM__LIST_RESERVE(&list, 1) : DSM__LIST_RESERVE_IN(&list, 1, arena));
    list.items[list.count++] = i * i;
  }
  for (uint32_t i = 0; i < 10000; i++)
    ck_assert_uint_eq(list.items[i], i * i);
  ck_assert_uint_lt(list.capacity, 4 * list.count);
  if (arena == NULL)
    free(list.items);
  dsm__arena_free(arena);
}
END_TEST

START_TEST(test_no_arena_has_no_room) {
  DSM__LIST(uint32_t) list = {NULL, 0, 0};
  ck_assert(!DSM__LIST_RESERVE_IN(&list, 1, NULL));
  ck_assert_ptr_null(list.items);
  ck_assert_ptr_null(dsm__arena_alloc(NULL, 1));
}
END_TEST

START_TEST(test_room_for_many_is_made_at_once) {
  DSM__LIST(double) list = {NULL, 0, 0};
  ck_assert(DSM__LIST_RESERVE(&list, 1000));
  ck_assert_uint_ge(list.capacity, 1000);
  const double *const items = list.items;
  ck_assert(DSM__LIST_RESERVE(&list, 1000));
  ck_assert_ptr_eq(list.items, items);
  free(list.items);
}
END_TEST

START_TEST(test_more_than_memory_can_have_is_refused) {
  DSM__LIST(double) list = {NULL, 0, 0};
  ck_assert(DSM__LIST_RESERVE(&list, 1));
  list.items[list.count++] = 3;
  ck_assert(!DSM__LIST_RESERVE(&list, SIZE_MAX));
  ck_assert(!DSM__LIST_RESERVE(&list, SIZE_MAX / sizeof(double)));
  ck_assert(!DSM__LIST_RESERVE(&list, SIZE_MAX / sizeof(double) - 1));
  ck_assert_uint_eq(list.count, 1);
  ck_assert_double_eq(list.items[0], 3);
  free(list.items);
}
END_TEST

Suite *suite_growing_list(void) {
  Suite *suite = suite_create("growing_list");
  TCase *tests = tcase_create("growing_list");
  tcase_add_loop_test(tests, test_items_stay_while_a_list_grows, 0, 2);
  tcase_add_test(tests, test_no_arena_has_no_room);
  tcase_add_test(tests, test_room_for_many_is_made_at_once);
  tcase_add_test(tests, test_more_than_memory_can_have_is_refused);
  suite_add_tcase(suite, tests);
  return suite;
}

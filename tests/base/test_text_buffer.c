/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <string.h>

#include "base/text_buffer.h"

static dsm__text_buffer buffer;

static void set_up(void) {
  buffer = (dsm__text_buffer){0};
}

static void tear_down(void) {
  dsm__text_fini(&buffer);
}

START_TEST(test_appended_texts_follow_each_other) {
  dsm__text_puts(&buffer, "ab");
  dsm__text_append(&buffer, "cdX", 2);
  dsm__text_printf(&buffer, "-%d-%s", 42, "e");
  dsm__text_repeat(&buffer, '!', 3);
  ck_assert_str_eq(buffer.text, "abcd-42-e!!!");
  ck_assert_uint_eq(buffer.length, 12);
  ck_assert(!buffer.failed);
}
END_TEST

START_TEST(test_appending_nothing_makes_an_empty_text) {
  dsm__text_append(&buffer, NULL, 0);
  ck_assert_str_eq(buffer.text, "");
  ck_assert_uint_eq(buffer.length, 0);
}
END_TEST

START_TEST(test_nul_bytes_are_appended) {
  dsm__text_append(&buffer, "a\0b", 3);
  ck_assert_uint_eq(buffer.length, 3);
  ck_assert_mem_eq(buffer.text, "a\0b", 4);
}
END_TEST

START_TEST(test_text_grows_far_beyond_its_first_capacity) {
  for (int i = 0; i < 10000; i++)
    dsm__text_printf(&buffer, "%04d", i);
  ck_assert_uint_eq(buffer.length, 40000);
  ck_assert_uint_eq(strlen(buffer.text), 40000);
  ck_assert_int_eq(strncmp(buffer.text + 4 * 1234, "12341235", 8), 0);
}
END_TEST

START_TEST(test_text_over_the_limit_fails_and_keeps_what_is_there) {
  dsm__text_puts(&buffer, "x");
  dsm__text_repeat(&buffer, 'y', DSM__TEXT_BUFFER_MAX);
  ck_assert(buffer.failed);
  ck_assert_str_eq(buffer.text, "x");
  dsm__text_puts(&buffer, "ignored");
  dsm__text_printf(&buffer, "%d", 1);
  dsm__text_repeat(&buffer, 'z', 1);
  ck_assert_str_eq(buffer.text, "x");
  ck_assert_uint_eq(buffer.length, 1);
}
END_TEST

START_TEST(test_finished_buffer_is_empty_and_usable) {
  dsm__text_puts(&buffer, "x");
  dsm__text_repeat(&buffer, 'y', DSM__TEXT_BUFFER_MAX);
  dsm__text_fini(&buffer);
  ck_assert_ptr_null(buffer.text);
  ck_assert(!buffer.failed);
  dsm__text_puts(&buffer, "again");
  ck_assert_str_eq(buffer.text, "again");
}
END_TEST

Suite *suite_text_buffer(void) {
  Suite *const suite = suite_create("text_buffer");
  TCase *const text = tcase_create("text");
  tcase_add_checked_fixture(text, set_up, tear_down);
  tcase_add_test(text, test_appended_texts_follow_each_other);
  tcase_add_test(text, test_appending_nothing_makes_an_empty_text);
  tcase_add_test(text, test_nul_bytes_are_appended);
  tcase_add_test(text, test_text_grows_far_beyond_its_first_capacity);
  tcase_add_test(text, test_text_over_the_limit_fails_and_keeps_what_is_there);
  tcase_add_test(text, test_finished_buffer_is_empty_and_usable);
  suite_add_tcase(suite, text);
  return suite;
}

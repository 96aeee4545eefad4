/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "base/words.h"

enum { RED, GREEN, COLOR_COUNT };

static const dsm__word color_words[] = {
    [RED] = {"red", "a warm red", "r"},
    [GREEN].key = "green",
};
static DSM__WORDS(colors, "color", color_words, COLOR_COUNT);

START_TEST(test_word_has_a_key_and_texts) {
  ck_assert_str_eq(colors.what, "color");
  ck_assert_str_eq(dsm__word_key(&colors, RED), "red");
  ck_assert_str_eq(dsm__word_text(&colors, RED), "a warm red");
  ck_assert_str_eq(dsm__word_brief(&colors, RED), "r");
}
END_TEST

START_TEST(test_word_without_texts_is_read_as_its_key) {
  ck_assert_str_eq(dsm__word_text(&colors, GREEN), "green");
  ck_assert_str_eq(dsm__word_brief(&colors, GREEN), "green");
}
END_TEST

START_TEST(test_value_is_found_by_its_key_alone) {
  size_t value = 42;
  ck_assert(dsm__words_find(&colors, "green", &value));
  ck_assert_uint_eq(value, GREEN);
  ck_assert(!dsm__words_find(&colors, "a warm red", &value));
  ck_assert(!dsm__words_find(&colors, "", &value));
  ck_assert_uint_eq(value, GREEN);
}
END_TEST

START_TEST(test_keys_are_listed_in_order) {
  const char *keys[DSM__WORDS_MAX];
  ck_assert_uint_eq(dsm__words_keys(&colors, keys), COLOR_COUNT);
  ck_assert_str_eq(keys[RED], "red");
  ck_assert_str_eq(keys[GREEN], "green");
}
END_TEST

START_TEST(test_keys_of_a_set_are_joined) {
  ck_assert_str_eq(dsm__words_join(&colors, 3, "+").text, "red+green");
  ck_assert_str_eq(dsm__words_join(&colors, 2, ", ").text, "green");
  ck_assert_str_eq(dsm__words_join(&colors, 0, "+").text, "");
}
END_TEST

Suite *suite_words(void) {
  Suite *const suite = suite_create("words");
  TCase *const words = tcase_create("words");
  tcase_add_test(words, test_word_has_a_key_and_texts);
  tcase_add_test(words, test_word_without_texts_is_read_as_its_key);
  tcase_add_test(words, test_value_is_found_by_its_key_alone);
  tcase_add_test(words, test_keys_are_listed_in_order);
  tcase_add_test(words, test_keys_of_a_set_are_joined);
  suite_add_tcase(suite, words);
  return suite;
}

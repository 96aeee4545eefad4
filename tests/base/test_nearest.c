/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <string.h>

#include "base/words.h"

static const char *const keys[] = {"stride", NULL, "feature", "kernel", "in", "out", "Pad"};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* Near means: distance at most a third of the longer length. */
typedef struct nearest_case {
  const char *text;
  const char *nearest; /* NULL: none */
} nearest_case;

static const nearest_case nearest_cases[] = {
    {"stride", "stride"},   /* distance 0 */
    {"strid", "stride"},    /* 1 deletion of 6 */
    {"sttride", "stride"},  /* 1 insertion of 7 */
    {"stryde", "stride"},   /* 1 substitution of 6 */
    {"tsride", "stride"},   /* 1 swap of neighbours of 6 */
    {"stri", "stride"},     /* 2 of 6: just near */
    {"str", NULL},          /* 3 of 6: just not */
    {"Stride", "stride"},   /* half of 6 */
    {"STRIde", "stride"},   /* 4 halves of 6: just near */
    {"STRIDe", NULL},       /* 5 halves of 6 are 2.5: just not */
    {"pad", "Pad"},         /* half of 3 */
    {"padd", NULL},         /* 1.5 of 4, over 1.33 */
    {"feture", "feature"},  /* 1 of 7 */
    {"fetaure", "feature"}, /* 1 swap of 7 */
    {"on", NULL},           /* 1 of 2 */
    {"outt", "out"},        /* 1 of 4 */
    {"", NULL},
    {"bandwidth", NULL},
};

START_TEST(test_nearest_word_is_found_within_a_third) {
  const nearest_case *const each = &nearest_cases[_i];
  const char *const found = dsm__nearest(each->text, keys, KEY_COUNT);
  if (each->nearest == NULL)
    ck_assert_ptr_null(found);
  else
    ck_assert_str_eq(found, each->nearest);
}
END_TEST

START_TEST(test_first_of_equally_near_words_wins) {
  static const char *const words[] = {"bat", "cat", "hat"};
  ck_assert_ptr_eq(dsm__nearest("aat", words, 3), words[0]);
}
END_TEST

START_TEST(test_nearer_word_wins_over_earlier_one) {
  static const char *const words[] = {"strides", "stride"};
  ck_assert_ptr_eq(dsm__nearest("strid", words, 2), words[1]);
}
END_TEST

START_TEST(test_no_words_have_no_nearest) {
  ck_assert_ptr_null(dsm__nearest("stride", NULL, 0));
}
END_TEST

START_TEST(test_text_of_128_bytes_is_compared_and_of_129_is_not) {
  char text[130];
  memset(text, 'a', 129);
  text[129] = '\0';
  const char *const words[] = {text + 1};
  ck_assert_ptr_eq(dsm__nearest(text + 1, words, 1), words[0]);
  ck_assert_ptr_null(dsm__nearest(text, words, 1));
  const char *const long_words[] = {text};
  ck_assert_ptr_null(dsm__nearest(text + 1, long_words, 1));
}
END_TEST

START_TEST(test_hint_asks_for_the_nearest_word) {
  char hint[64];
  ck_assert_ptr_eq(dsm__nearest_hint("strid", keys, KEY_COUNT, hint, sizeof hint), hint);
  ck_assert_str_eq(hint, "did you mean \"stride\"?");
}
END_TEST

START_TEST(test_hint_is_empty_if_nothing_is_near) {
  char hint[64] = "old";
  ck_assert_str_eq(dsm__nearest_hint("bandwidth", keys, KEY_COUNT, hint, sizeof hint), "");
}
END_TEST

Suite *suite_nearest(void) {
  Suite *const suite = suite_create("nearest");
  TCase *const words = tcase_create("words");
  tcase_add_loop_test(words, test_nearest_word_is_found_within_a_third, 0, COUNT_OF(nearest_cases));
  tcase_add_test(words, test_first_of_equally_near_words_wins);
  tcase_add_test(words, test_nearer_word_wins_over_earlier_one);
  tcase_add_test(words, test_no_words_have_no_nearest);
  tcase_add_test(words, test_text_of_128_bytes_is_compared_and_of_129_is_not);
  tcase_add_test(words, test_hint_asks_for_the_nearest_word);
  tcase_add_test(words, test_hint_is_empty_if_nothing_is_near);
  suite_add_tcase(suite, words);
  return suite;
}

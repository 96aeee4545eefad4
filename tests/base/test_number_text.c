/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "dsm/number.h"

/* ---- double to text ---- */

typedef struct text_case {
  double value;
  const char *text;
} text_case;

static const text_case text_cases[] = {
    {0.0, "0"},
    {-0.0, "-0"},
    {1.0, "1"},
    {-2.5, "-2.5"},
    {0.1, "0.1"},
    {100000.0, "100000"},
    {123456789012345.0, "123456789012345"},   /* 15 digits: %.15g */
    {1e15, "1e+15"},                          /* 16 digits: %.15g takes the exponent */
    {1e-7, "1e-07"},                          /* %g: below 1e-4, two digits of exponent */
    {9007199254740992.0, "9007199254740992"}, /* 2^53: 16 digits are needed and enough */
    {1.0 / 3.0, "0.3333333333333333"},        /* 16 digits */
    {0.1 + 0.2, "0.30000000000000004"},       /* the well-known 17 digits */
    {DBL_MAX, "1.7976931348623157e+308"},     /* 17 digits */
    {-DBL_MAX, "-1.7976931348623157e+308"},   /* the longest ones have 24 characters */
    {DBL_MIN, "2.2250738585072014e-308"},     /* 17 digits */
};

START_TEST(test_double_is_written_with_the_digits_it_needs) {
  char text[DSM__NUMBER_TEXT_SIZE];
  const size_t length = dsm__double_to_text(text_cases[_i].value, text);
  ck_assert_str_eq(text, text_cases[_i].text);
  ck_assert_uint_eq(length, strlen(text));
}
END_TEST

static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state ^ (*state >> 33);
}

START_TEST(test_any_double_reads_back_as_itself) {
  uint64_t state = 20240229; /* the seed */
  for (int i = 0; i < 20000; i++) {
    const uint64_t bits = next_random(&state);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
      continue;
    char text[DSM__NUMBER_TEXT_SIZE];
    const size_t length = dsm__double_to_text(value, text);
    ck_assert_uint_lt(length, sizeof text);
    ck_assert_double_eq(strtod(text, NULL), value); /* the C library is the second opinion */
    double read_back = -1;
    ck_assert(dsm__text_to_double(text, length, &read_back));
    ck_assert_double_eq(read_back, value);
  }
}
END_TEST

/* ---- text to double ---- */

static const text_case double_cases[] = {
    {0.0, "0"},
    {0.0, "-0"},
    {-1500.0, "-1.5e3"},
    {100.0, "1E+2"},
    {0.25, "0.25"},
    {0.0, "1e-400"},
    {0.0, "0e999999999999999999"},
    {DBL_MAX, "1.7976931348623157e308"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {9007199254740992.0, "9007199254740993"},                                 /* halfway: to even */
    {1.0, "1.0000000000000000000000000000000000000000000000000000000000000"}, /* 63 bytes */
};

START_TEST(test_number_token_is_read) {
  double value = -1;
  ck_assert(dsm__text_to_double(double_cases[_i].text, strlen(double_cases[_i].text), &value));
  ck_assert_double_eq(value, double_cases[_i].value);
}
END_TEST

static const char *const no_doubles[] = {
    "",
    "-",
    "+1",
    "01",
    "-01",
    "1.",
    ".5",
    "1e",
    "1e+",
    "1.e5",
    "0x10",
    "1 ",
    " 1",
    "1,5",
    "1_0",
    "NaN",
    "Infinity",
    "inf",
    "--1",
    "1-",
    "1e5.5",
    "1e999",
    "-1e999",
    "1.7976931348623159e308", /* rounds up to infinity */
    "1e99999999999999999999",
    "1.000000000000000000000000000000000000000000000000000000000000000", /* 65 bytes */
};

START_TEST(test_what_is_no_finite_number_token_is_refused) {
  double value = 42;
  ck_assert(!dsm__text_to_double(no_doubles[_i], strlen(no_doubles[_i]), &value));
  ck_assert_double_eq(value, 42);
}
END_TEST

START_TEST(test_token_of_63_bytes_is_read_and_of_64_is_refused) {
  char digits[65];
  memset(digits, '1', 64);
  digits[64] = '\0';
  double value = 0;
  ck_assert(dsm__text_to_double(digits, 63, &value));
  ck_assert(!dsm__text_to_double(digits, 64, &value));
}
END_TEST

START_TEST(test_only_the_given_length_is_read) {
  double value = 0;
  ck_assert(dsm__text_to_double("123456", 3, &value));
  ck_assert_double_eq(value, 123);
}
END_TEST

/* ---- text to whole number ---- */

typedef struct whole_case {
  const char *text;
  uint64_t min;
  uint64_t max;
  bool is_good;
  uint64_t value;
} whole_case;

static const whole_case whole_cases[] = {
    {"0", 0, UINT64_MAX, true, 0},
    {"007", 0, UINT64_MAX, true, 7},
    {"18446744073709551615", 0, UINT64_MAX, true, UINT64_MAX},
    {"18446744073709551616", 0, UINT64_MAX, false, 0},
    {"99999999999999999999999999", 0, UINT64_MAX, false, 0},
    {"4", 5, 9, false, 0},
    {"5", 5, 9, true, 5},
    {"9", 5, 9, true, 9},
    {"10", 5, 9, false, 0},
    {"", 0, 9, false, 0},
    {"+1", 0, 9, false, 0},
    {"-1", 0, 9, false, 0},
    {" 1", 0, 9, false, 0},
    {"1 ", 0, 9, false, 0},
    {"1.0", 0, 9, false, 0},
    {"0x1", 0, 9, false, 0},
    {"1e0", 0, 9, false, 0},
    {"\xD9\xA1", 0, 9, false, 0}, /* an Arabic digit */
};

START_TEST(test_whole_number_is_read_in_its_range) {
  const whole_case *const each = &whole_cases[_i];
  uint64_t value = 42;
  ck_assert_int_eq(dsm__text_to_u64(each->text, each->min, each->max, &value), each->is_good);
  ck_assert_uint_eq(value, each->is_good ? each->value : 42);
}
END_TEST

/* ---- other locales ---- */

/* True if the machine has a locale whose decimal point is a comma (or, in the last ones, a sign of
 * two bytes), which then is set. */
static bool set_comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8", "fr_FR.utf8",
                                      "nl_NL.UTF-8", "ru_RU.UTF-8", "fa_IR.UTF-8", "ps_AF.UTF-8"};
  for (int i = 0; i < COUNT_OF(names); i++) {
    if (setlocale(LC_ALL, names[i]) != NULL && strcmp(localeconv()->decimal_point, ".") != 0)
      return true;
  }
  (void)fprintf(stderr, "number_text: no locale with a decimal comma here, tested in C only\n");
  return false;
}

START_TEST(test_decimal_point_does_not_depend_on_the_locale) {
  const bool is_comma_set = set_comma_locale();
  char text[DSM__NUMBER_TEXT_SIZE];
  char library_text[32];
  const size_t length = dsm__double_to_text(-1234.5e-30, text);
  double value = 0;
  const bool is_read = dsm__text_to_double("-2.5e-1", 7, &value);
  (void)snprintf(library_text, sizeof library_text, "%.1f", 0.5);
  (void)setlocale(LC_ALL, "C");
  ck_assert_str_eq(text, "-1.2345e-27");
  ck_assert_uint_eq(length, 11);
  ck_assert(is_read);
  ck_assert_double_eq(value, -0.25);
  ck_assert_int_eq(strcmp(library_text, "0.5") != 0, is_comma_set); /* the locale was really on */
}
END_TEST

START_TEST(a_number_of_a_user_lies_in_its_range) {
  double value = 7;
  ck_assert(dsm_number_parse("2.5e1", 1, 25, &value));
  ck_assert_double_eq(value, 25);
  ck_assert(dsm_number_parse("1", 1, 25, &value));
  ck_assert_double_eq(value, 1);
  static const char *const wrong[] = {"",   "0.9", "26",  "-2",  "2s",  " 2",
                                      "2 ", "+2",  "0x2", "inf", "nan", "1e999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ck_assert_msg(!dsm_number_parse(wrong[i], 1, 25, &value), "%s", wrong[i]);
    ck_assert_double_eq(value, 1);
  }
}
END_TEST

Suite *suite_number_text(void) {
  Suite *const suite = suite_create("number_text");
  TCase *const writing = tcase_create("double to text");
  tcase_add_loop_test(writing, test_double_is_written_with_the_digits_it_needs, 0,
                      COUNT_OF(text_cases));
  tcase_add_test(writing, test_any_double_reads_back_as_itself);
  suite_add_tcase(suite, writing);
  TCase *const reading = tcase_create("text to double");
  tcase_add_loop_test(reading, test_number_token_is_read, 0, COUNT_OF(double_cases));
  tcase_add_loop_test(reading, test_what_is_no_finite_number_token_is_refused, 0,
                      COUNT_OF(no_doubles));
  tcase_add_test(reading, test_token_of_63_bytes_is_read_and_of_64_is_refused);
  tcase_add_test(reading, test_only_the_given_length_is_read);
  suite_add_tcase(suite, reading);
  TCase *const whole = tcase_create("text to whole number");
  tcase_add_loop_test(whole, test_whole_number_is_read_in_its_range, 0, COUNT_OF(whole_cases));
  tcase_add_test(whole, a_number_of_a_user_lies_in_its_range);
  suite_add_tcase(suite, whole);
  TCase *const locale = tcase_create("locale");
  tcase_add_test(locale, test_decimal_point_does_not_depend_on_the_locale);
  suite_add_tcase(suite, locale);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_fixture.h"

#define TWO_TO_53 (UINT64_C(1) << 53)

/* ---- whole numbers ---- */

typedef struct whole_case {
  const char *text;
  uint64_t min;
  uint64_t max;
  const char *message; /* NULL: good */
  uint64_t value;
} whole_case;

static const whole_case whole_cases[] = {
    {"0", 0, 9, NULL, 0},
    {"9", 0, 9, NULL, 9},
    {"10", 0, 9, "expected a whole number from 0 to 9, found 10", 0},
    {"1", 2, 9, "expected a whole number from 2 to 9, found 1", 0},
    {"2", 2, 9, NULL, 2},
    {"-1", 0, 9, "expected a whole number from 0 to 9, found -1", 0},
    {"2.5", 1, 2147483647, "expected a whole number from 1 to 2147483647, found 2.5", 0},
    {"2.0", 0, 9, NULL, 2},
    {"1e2", 0, 100, NULL, 100},
    {"0.1e1", 0, 9, NULL, 1},
    {"1e-1", 0, 9, "expected a whole number from 0 to 9, found 1e-1", 0},
    {"1e300", 0, 9, "expected a whole number from 0 to 9, found 1e300", 0},
    {"\"3\"", 0, 9, "expected a whole number from 0 to 9, found string \"3\"", 0},
    {"true", 0, 9, "expected a whole number from 0 to 9, found true", 0},
    {"false", 0, 9, "expected a whole number from 0 to 9, found false", 0},
    {"null", 0, 9, "expected a whole number from 0 to 9, found null", 0},
    {"[1]", 0, 9, "expected a whole number from 0 to 9, found a list", 0},
    {"{}", 0, 9, "expected a whole number from 0 to 9, found an object", 0},
    /* around 2^53 = 9007199254740992 */
    {"9007199254740991", 0, TWO_TO_53, NULL, TWO_TO_53 - 1},
    {"9007199254740992", 0, TWO_TO_53, NULL, TWO_TO_53},
    {"9007199254740992", 0, TWO_TO_53 - 1,
     "expected a whole number from 0 to 9007199254740991, found 9007199254740992", 0},
    {"9007199254740993", 0, TWO_TO_53, /* as a double it is 2^53 */
     "expected a whole number from 0 to 9007199254740992, found 9007199254740993", 0},
    {"9007199254740994", 0, TWO_TO_53,
     "expected a whole number from 0 to 9007199254740992, found 9007199254740994", 0},
    {"18446744073709551616", 0, TWO_TO_53,
     "expected a whole number from 0 to 9007199254740992, found 18446744073709551616", 0},
};

START_TEST(test_whole_number_is_read_or_reported) {
  const whole_case *const each = &whole_cases[_i];
  char text[128];
  (void)snprintf(text, sizeof text, "{\"k\": %s}", each->text);
  json_fixture json;
  json_open(&json, text, NULL, 0, DSM_OK);
  const dsm__json_node k = dsm__json_member(&json.root, "k");
  uint64_t value = 42;
  ck_assert_int_eq(dsm__json_u64(&k, each->min, each->max, &value), each->message == NULL);
  ck_assert_uint_eq(value, each->message == NULL ? each->value : 42);
  json_expect_count(&json, each->message == NULL ? 0 : 1);
  if (each->message != NULL)
    ck_assert_str_eq(dsm_diags_get(json.diags, 0)->message, each->message);
  json_close(&json);
}
END_TEST

/* ---- real numbers ---- */

typedef struct real_case {
  const char *text;
  dsm__json_range range;
  const char *message; /* NULL: good */
  double value;
} real_case;

static const real_case real_cases[] = {
    {"0.5", {0, 1, false}, NULL, 0.5},
    {"0", {0, 1, false}, NULL, 0},
    {"1", {0, 1, false}, NULL, 1},
    {"1.0000001", {0, 1, false}, "expected a number from 0 to 1, found 1.0000001", 0},
    {"-0.1", {0, 1, false}, "expected a number from 0 to 1, found -0.1", 0},
    {"0", {0, 1, true}, "expected a number above 0 and at most 1, found 0", 0},
    {"1e-400", {0, 1, true}, "expected a number above 0 and at most 1, found 1e-400", 0},
    {"1e-300", {0, 1, true}, NULL, 1e-300},
    {"0", {0, HUGE_VAL, true}, "expected a number above 0, found 0", 0},
    {"1e308", {0, HUGE_VAL, true}, NULL, 1e308},
    {"0", {0.5, HUGE_VAL, false}, "expected a number of at least 0.5, found 0", 0},
    {"3", {-HUGE_VAL, 2.5, false}, "expected a number of at most 2.5, found 3", 0},
    {"-1e308", {-HUGE_VAL, HUGE_VAL, false}, NULL, -1e308},
    {"\"NaN\"", {-HUGE_VAL, HUGE_VAL, false}, "expected a number, found string \"NaN\"", 0},
    {"null", {0, 1, false}, "expected a number from 0 to 1, found null", 0},
};

START_TEST(test_real_number_is_read_or_reported) {
  const real_case *const each = &real_cases[_i];
  json_fixture json;
  json_open(&json, each->text, NULL, 0, DSM_OK);
  double value = 42;
  ck_assert_int_eq(dsm__json_double(&json.root, each->range, &value), each->message == NULL);
  ck_assert_double_eq(value, each->message == NULL ? each->value : 42);
  json_expect_count(&json, each->message == NULL ? 0 : 1);
  if (each->message != NULL)
    ck_assert_str_eq(dsm_diags_get(json.diags, 0)->message, each->message);
  json_close(&json);
}
END_TEST

START_TEST(test_numbers_are_read_in_a_locale_with_decimal_comma) {
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "fa_IR.UTF-8", "ps_AF.UTF-8"};
  bool is_set = false;
  for (int i = 0; i < COUNT_OF(names) && !is_set; i++)
    is_set = setlocale(LC_ALL, names[i]) != NULL && *localeconv()->decimal_point != '.';
  if (!is_set)
    (void)fprintf(stderr, "json_read: no locale with a decimal comma here, tested in C only\n");
  json_fixture json;
  json_open(&json, "{\"k\": 0.25}", NULL, 0, DSM_OK);
  const dsm__json_node k = dsm__json_member(&json.root, "k");
  double value = 0;
  const bool is_good = dsm__json_double(&k, (dsm__json_range){.max = 1}, &value);
  const bool is_still_set = *localeconv()->decimal_point != '.';
  (void)setlocale(LC_ALL, "C");
  ck_assert(is_good);
  ck_assert_double_eq(value, 0.25);
  ck_assert_int_eq(is_still_set, is_set);
  json_close(&json);
}
END_TEST

/* ---- words ---- */

START_TEST(test_truth_is_read) {
  json_fixture json;
  json_open(&json, "[true, false, 1, \"true\"]", NULL, 0, DSM_OK);
  bool value = false;
  dsm__json_node item = dsm__json_item(&json.root, 0);
  ck_assert(dsm__json_bool(&item, &value) && value);
  item = dsm__json_next(&item);
  ck_assert(dsm__json_bool(&item, &value) && !value);
  item = dsm__json_next(&item);
  ck_assert(!dsm__json_bool(&item, &value));
  item = dsm__json_next(&item);
  ck_assert(!dsm__json_bool(&item, &value));
  json_expect_count(&json, 2);
  json_expect(&json, 0, "t.json:1:15: $[2]: error: expected true or false, found number 1");
  json_expect(&json, 1, "t.json:1:18: $[3]: error: expected true or false, found string \"true\"");
  json_close(&json);
}
END_TEST

typedef struct string_case {
  const char *text;
  size_t min;
  size_t max;
  const char *message; /* NULL: good */
  const char *value;
} string_case;

static const string_case string_cases[] = {
    {"\"abc\"", 1, 3, NULL, "abc"},
    {"\"abc\"", 1, 2, "expected a string of 1 to 2 bytes, found one of 3", NULL},
    {"\"a\"", 1, 2, NULL, "a"},
    {"\"\"", 1, 2, "expected a string of 1 to 2 bytes, found \"\"", NULL},
    {"\"\"", 0, 2, NULL, ""},
    {"\"\"", 1, SIZE_MAX, "expected a string of at least 1 byte, found \"\"", NULL},
    {"\"\\u00e9\\n\\ud83d\\ude00\"", 7, 7, NULL, "\xC3\xA9\n\xF0\x9F\x98\x80"},
    {"3", 1, 64, "expected a string of 1 to 64 bytes, found number 3", NULL},
    {"3", 0, SIZE_MAX, "expected a string, found number 3", NULL},
    {"null", 0, SIZE_MAX, "expected a string, found null", NULL},
};

START_TEST(test_string_is_read_or_reported) {
  const string_case *const each = &string_cases[_i];
  json_fixture json;
  json_open(&json, each->text, NULL, 0, DSM_OK);
  dsm__arena *const arena = dsm__arena_new();
  const char *value = "untouched";
  const bool is_good = dsm__json_string(&json.root, each->min, each->max, arena, &value);
  ck_assert_int_eq(is_good, each->message == NULL);
  ck_assert_str_eq(value, is_good ? each->value : "untouched");
  json_expect_count(&json, is_good ? 0 : 1);
  if (!is_good)
    ck_assert_str_eq(dsm_diags_get(json.diags, 0)->message, each->message);
  json_close(&json);
  if (is_good) /* it is the arena's, not the document's */
    ck_assert_str_eq(value, each->value);
  dsm__arena_free(arena);
}
END_TEST

static const dsm__word kind_words[] = {{.key = "conv"}, {.key = "pool"}, {.key = "fc"}};
static const dsm__words kinds = {.what = "kind", .items = kind_words, .count = 3};

typedef struct enum_case {
  const char *text;
  const char *message; /* NULL: good */
  const char *hint;
  size_t value;
} enum_case;

static const enum_case enum_cases[] = {
    {"\"conv\"", NULL, NULL, 0},
    {"\"fc\"", NULL, NULL, 2},
    {"\"f\\u0063\"", NULL, NULL, 2},
    {"\"pol\"", "expected \"conv\", \"pool\" or \"fc\", found \"pol\"", "did you mean \"pool\"?",
     0},
    {"\"Conv\"", "expected \"conv\", \"pool\" or \"fc\", found \"Conv\"", "did you mean \"conv\"?",
     0},
    {"\"con\"", "expected \"conv\", \"pool\" or \"fc\", found \"con\"", "did you mean \"conv\"?",
     0},
    {"\"\"", "expected \"conv\", \"pool\" or \"fc\", found \"\"", "", 0},
    {"\"softmax\"", "expected \"conv\", \"pool\" or \"fc\", found \"softmax\"", "", 0},
    {"0", "expected \"conv\", \"pool\" or \"fc\", found number 0", "", 0},
};

START_TEST(test_name_of_a_list_is_read_or_reported) {
  const enum_case *const each = &enum_cases[_i];
  json_fixture json;
  json_open(&json, each->text, NULL, 0, DSM_OK);
  size_t value = 42;
  ck_assert_int_eq(dsm__json_enum(&json.root, &kinds, &value), each->message == NULL);
  ck_assert_uint_eq(value, each->message == NULL ? each->value : 42);
  json_expect_count(&json, each->message == NULL ? 0 : 1);
  if (each->message != NULL) {
    ck_assert_str_eq(dsm_diags_get(json.diags, 0)->message, each->message);
    ck_assert_str_eq(dsm_diags_get(json.diags, 0)->hint, each->hint);
  }
  json_close(&json);
}
END_TEST

typedef struct set_case {
  const char *text;
  size_t min_length;
  unsigned set;
  const char *message; /* NULL: good */
} set_case;

static const set_case set_cases[] = {
    {"[]", 0, 0, NULL},
    {"[\"fc\", \"conv\"]", 1, 5, NULL},
    {"[]", 1, 0, "expected a list of 1 to 100 items, found one of 0"},
    {"\"fc\"", 0, 0, "expected a list of at most 100 items, found string \"fc\""},
    {"[\"fc\", \"fc\"]", 0, 4, "expected each word once, found a second \"fc\""},
    {"[\"conv\", \"x\"]", 0, 1, "expected \"conv\", \"pool\" or \"fc\", found \"x\""},
};

START_TEST(test_set_of_words_is_read_or_reported) {
  const set_case *const each = &set_cases[_i];
  json_fixture json;
  json_open(&json, each->text, NULL, 0, DSM_OK);
  unsigned set = 42;
  ck_assert_int_eq(dsm__json_word_set(&json.root, &kinds, each->min_length, &set),
                   each->message == NULL);
  ck_assert_uint_eq(set, each->set);
  json_expect_count(&json, each->message == NULL ? 0 : 1);
  if (each->message != NULL) {
    ck_assert_str_eq(dsm_diags_get(json.diags, 0)->message, each->message);
  }
  json_close(&json);
}
END_TEST

START_TEST(test_long_list_of_names_is_cut_and_what_was_found_is_not) {
  dsm__word names[100];
  const dsm__words words = {.what = "name", .items = names, .count = 100};
  for (int i = 0; i < COUNT_OF(names); i++)
    names[i] = (dsm__word){.key = "a_rather_long_name"};
  json_fixture json;
  json_open(&json, "\"xyz\"", NULL, 0, DSM_OK);
  size_t value;
  ck_assert(!dsm__json_enum(&json.root, &words, &value));
  json_expect_count(&json, 1);
  const char *const message = dsm_diags_get(json.diags, 0)->message;
  const char *const end = " or ..., found \"xyz\"";
  ck_assert_uint_gt(strlen(message), strlen(end));
  ck_assert_str_eq(message + strlen(message) - strlen(end), end);
  json_close(&json);
}
END_TEST

START_TEST(test_long_string_is_shortened_in_messages) {
  char text[512] = "\"";
  for (size_t i = 0; i < 100; i++)
    memcpy(text + 1 + 2 * i, "\xC3\xA9", 2);
  memcpy(text + 201, "\"", 2);
  json_fixture json;
  json_open(&json, text, NULL, 0, DSM_OK);
  char found[128];
  (void)dsm__json_found(&json.root, found, sizeof found);
  const size_t length = strlen(found);
  ck_assert_uint_lt(length, 80);
  ck_assert_int_eq(strncmp(found, "string \"\xC3\xA9", 10), 0);
  ck_assert_str_eq(found + length - 6, "\xC3\xA9...\""); /* whole characters */
  json_close(&json);
}
END_TEST

/* ---- containers ---- */

START_TEST(test_unknown_keys_are_reported_with_the_nearest_known_one) {
  static const char *const known[] = {"stride", NULL, "kernel"};
  json_fixture json;
  json_open(&json, "{\"strid\": 1,\n \"kernel\": 2,\n   \"Kernel\": 3, \"zzz\": 4}", NULL, 0,
            DSM_OK);
  ck_assert(dsm__json_object_only(&json.root, known, 3));
  json_expect_count(&json, 3);
  json_expect(&json, 0,
              "t.json:1:2: $.strid: error: unknown key \"strid\" (did you mean \"stride\"?)");
  json_expect(&json, 1,
              "t.json:3:4: $.Kernel: error: unknown key \"Kernel\" (did you mean \"kernel\"?)");
  json_expect(&json, 2, "t.json:3:17: $.zzz: error: unknown key \"zzz\" (known: stride, kernel)");
  json_close(&json);
}
END_TEST

START_TEST(test_list_is_no_object) {
  json_fixture json;
  json_open(&json, "[]", NULL, 0, DSM_OK);
  ck_assert(!dsm__json_object_only(&json.root, NULL, 0));
  json_expect_count(&json, 1);
  json_expect(&json, 0, "t.json:1:1: $: error: expected an object, found a list");
  json_close(&json);
}
END_TEST

typedef struct list_case {
  const char *text;
  size_t min;
  size_t max;
  const char *message; /* NULL: good */
  size_t count;
} list_case;

static const list_case list_cases[] = {
    {"[]", 0, SIZE_MAX, NULL, 0},
    {"[1,2]", 2, 2, NULL, 2},
    {"[1]", 2, 2, "expected a list of 2 items, found one of 1", 0},
    {"[1,2,3]", 2, 2, "expected a list of 2 items, found one of 3", 0},
    {"[1,2]", 1, 1, "expected a list of 1 item, found one of 2", 0},
    {"[]", 1, SIZE_MAX, "expected a list of at least 1 item, found one of 0", 0},
    {"[1,2,3]", 0, 2, "expected a list of at most 2 items, found one of 3", 0},
    {"[]", 1, 2, "expected a list of 1 to 2 items, found one of 0", 0},
    {"{}", 0, SIZE_MAX, "expected a list, found an object", 0},
    {"\"ab\"", 2, 2, "expected a list of 2 items, found string \"ab\"", 0},
};

START_TEST(test_list_is_counted_or_reported) {
  const list_case *const each = &list_cases[_i];
  json_fixture json;
  json_open(&json, each->text, NULL, 0, DSM_OK);
  size_t count = 42;
  ck_assert_int_eq(dsm__json_array(&json.root, each->min, each->max, &count),
                   each->message == NULL);
  ck_assert_uint_eq(count, each->message == NULL ? each->count : 42);
  json_expect_count(&json, each->message == NULL ? 0 : 1);
  if (each->message != NULL)
    ck_assert_str_eq(dsm_diags_get(json.diags, 0)->message, each->message);
  json_close(&json);
}
END_TEST

/* ---- what is missing ---- */

START_TEST(test_missing_key_is_reported_at_its_parent) {
  json_fixture json;
  json_open(&json, "{\n \"layer\": {\"a\": 1}\n}", NULL, 0, DSM_OK);
  const dsm__json_node layer = dsm__json_member(&json.root, "layer");
  const dsm__json_node feature = dsm__json_member(&layer, "feature");
  const dsm__json_node stride = dsm__json_member(&layer, "stride");
  const dsm__json_node plain = dsm__json_member(&layer, "plain");
  uint64_t value;
  ck_assert(!dsm__json_require(&feature, "[rows, columns]"));
  ck_assert(!dsm__json_u64(&stride, 1, 9, &value));
  ck_assert(!dsm__json_require(&plain, NULL));
  ck_assert(dsm__json_require(&layer, NULL));
  json_expect_count(&json, 3);
  json_expect(&json, 0,
              "t.json:2:2: $.layer.feature: error: missing key \"feature\": expected [rows, "
              "columns]");
  json_expect(&json, 1,
              "t.json:2:2: $.layer.stride: error: missing key \"stride\": expected a whole number "
              "from 1 to 9");
  json_expect(&json, 2, "t.json:2:2: $.layer.plain: error: missing key \"plain\"");
  json_close(&json);
}
END_TEST

START_TEST(test_missing_item_is_reported_at_its_list) {
  json_fixture json;
  json_open(&json, "{\"list\": [true]}", NULL, 0, DSM_OK);
  const dsm__json_node list = dsm__json_member(&json.root, "list");
  const dsm__json_node item = dsm__json_item(&list, 1);
  bool value;
  ck_assert(!dsm__json_bool(&item, &value));
  json_expect_count(&json, 1);
  json_expect(&json, 0, "t.json:1:2: $.list[1]: error: missing item 1: expected true or false");
  json_close(&json);
}
END_TEST

/* One missing object is one finding, not one for each thing that should be in it. */
START_TEST(test_what_is_missing_in_the_missing_is_reported_once) {
  json_fixture json;
  json_open(&json, "{}", NULL, 0, DSM_OK);
  const dsm__json_node core = dsm__json_member(&json.root, "core");
  const dsm__json_node clock = dsm__json_member(&core, "clock");
  const dsm__json_node links = dsm__json_member(&core, "links");
  const dsm__json_node link = dsm__json_item(&links, 0);
  bool value;
  ck_assert(!dsm__json_bool(&clock, &value));
  ck_assert(!dsm__json_bool(&link, &value));
  json_expect_count(&json, 1);
  json_expect(&json, 0, "t.json:1:1: $.core: error: missing key \"core\": expected an object");
  json_close(&json);
}
END_TEST

START_TEST(test_what_is_missing_in_a_scalar_is_the_scalars_fault) {
  json_fixture json;
  json_open(&json, "{\"core\": 5, \"list\": {}}", NULL, 0, DSM_OK);
  const dsm__json_node core = dsm__json_member(&json.root, "core");
  const dsm__json_node clock = dsm__json_member(&core, "clock");
  const dsm__json_node list = dsm__json_member(&json.root, "list");
  const dsm__json_node item = dsm__json_item(&list, 0);
  bool value;
  ck_assert(!dsm__json_object_only(&core, NULL, 0));
  ck_assert(!dsm__json_bool(&clock, &value));
  ck_assert(!dsm__json_bool(&item, &value));
  json_expect_count(&json, 2);
  json_expect(&json, 0, "t.json:1:2: $.core: error: expected an object, found number 5");
  json_expect(&json, 1, "t.json:1:13: $.list: error: expected a list, found an object");
  json_close(&json);
}
END_TEST

Suite *suite_json_read(void) {
  Suite *const suite = suite_create("json_read");
  TCase *const numbers = tcase_create("numbers");
  tcase_add_loop_test(numbers, test_whole_number_is_read_or_reported, 0, COUNT_OF(whole_cases));
  tcase_add_loop_test(numbers, test_real_number_is_read_or_reported, 0, COUNT_OF(real_cases));
  tcase_add_test(numbers, test_numbers_are_read_in_a_locale_with_decimal_comma);
  suite_add_tcase(suite, numbers);
  TCase *const words = tcase_create("words");
  tcase_add_test(words, test_truth_is_read);
  tcase_add_loop_test(words, test_string_is_read_or_reported, 0, COUNT_OF(string_cases));
  tcase_add_loop_test(words, test_name_of_a_list_is_read_or_reported, 0, COUNT_OF(enum_cases));
  tcase_add_loop_test(words, test_set_of_words_is_read_or_reported, 0, COUNT_OF(set_cases));
  tcase_add_test(words, test_long_list_of_names_is_cut_and_what_was_found_is_not);
  tcase_add_test(words, test_long_string_is_shortened_in_messages);
  suite_add_tcase(suite, words);
  TCase *const containers = tcase_create("containers");
  tcase_add_test(containers, test_unknown_keys_are_reported_with_the_nearest_known_one);
  tcase_add_test(containers, test_list_is_no_object);
  tcase_add_loop_test(containers, test_list_is_counted_or_reported, 0, COUNT_OF(list_cases));
  suite_add_tcase(suite, containers);
  TCase *const missing = tcase_create("missing");
  tcase_add_test(missing, test_missing_key_is_reported_at_its_parent);
  tcase_add_test(missing, test_missing_item_is_reported_at_its_list);
  tcase_add_test(missing, test_what_is_missing_in_the_missing_is_reported_once);
  tcase_add_test(missing, test_what_is_missing_in_a_scalar_is_the_scalars_fault);
  suite_add_tcase(suite, missing);
  return suite;
}

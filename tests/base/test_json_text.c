/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"

/* Checks a copy that ends where the text ends, so that a sanitizer sees a step too far. */
static bool check_text(const char *text, size_t length, dsm__json_flaw *flaw) {
  char *const copy = malloc(length + (length == 0));
  ck_assert_ptr_nonnull(copy);
  memcpy(copy, text, length);
  const bool is_good = dsm__json_text_check(copy, length, flaw);
  free(copy);
  return is_good;
}

/* ---- what is JSON ---- */

static const char *const good_texts[] = {
    "0",
    "-0",
    "  -12.50e+03\t\r\n",
    "1E5",
    "1e-999", /* too small is 0 */
    "9007199254740993",
    "1.7976931348623157e308",
    "true",
    "false",
    "null",
    "\"\"",
    "[]",
    "{}",
    "[ ]",
    "{ }",
    "[1,[2],{\"a\":[]}]",
    "{\"a\":1,\"a\":2}", /* duplicate keys are the reader's business */
    "{\"\": {\"a\\n\": null} , \"b\" : [ true , \"x\" ]}",
    "\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9 \\uABcd\"",
    "\"\\ud83d\\ude00 \\uD800\\uDC00 \\uDBFF\\uDFFF\"", /* surrogate pairs, first and last */
    "\"\x7F \xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF\"",
    "\"\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF\"", /* U+10000 and U+10FFFF */
    "\"\xEF\xBB\xBF\"",                      /* inside a string it is no byte order mark */
    "\"// no comment, NaN, 'x'\"",
};

START_TEST(test_json_is_accepted) {
  dsm__json_flaw flaw = {.message = ""};
  ck_assert_msg(check_text(good_texts[_i], strlen(good_texts[_i]), &flaw), "%s: %s", good_texts[_i],
                flaw.message);
}
END_TEST

/* ---- what is not ---- */

typedef struct bad_case {
  const char *text;
  size_t offset;
  const char *message;
} bad_case;

static const bad_case bad_cases[] = {
    {"", 0, "expected a value, found the end of the text"},
    {" \n", 2, "expected a value, found the end of the text"},
    {"\xEF\xBB\xBF{}", 0, "expected a value, found a UTF-8 byte order mark"},
    /* numbers */
    {"01", 0, "expected a number without leading zeros, found \"01\""},
    {"[-007]", 1, "expected a number without leading zeros, found \"-007\""},
    {"1e999", 0, "expected a number below 1.8e308, found \"1e999\""},
    {"[1,-1e309]", 3, "expected a number below 1.8e308, found \"-1e309\""},
    {"1.", 0, "expected a digit after the decimal point, found \"1.\""},
    {"1.e5", 0, "expected a digit after the decimal point, found \"1.e5\""},
    {"1e", 0, "expected a digit in the exponent, found \"1e\""},
    {"1e+", 0, "expected a digit in the exponent, found \"1e+\""},
    {"-", 0, "expected a value, found \"-\""},
    {"--1", 0, "expected a value, found \"--1\""},
    {"+1", 0, "expected a value, found \"+1\""},
    {".5", 0, "expected a value, found \".5\""},
    {"0x10", 0, "expected a number, found \"0x10\""},
    {"1.5.2", 0, "expected a number, found \"1.5.2\""},
    {"NaN", 0, "expected a value, found NaN, which JSON does not have"},
    {"{\"a\": Infinity}", 6, "expected a value, found Infinity, which JSON does not have"},
    {"[-Infinity]", 1, "expected a value, found -Infinity, which JSON does not have"},
    /* words */
    {"True", 0, "expected a value, found \"True\""},
    {"nul", 0, "expected a value, found \"nul\""},
    {"nulll", 0, "expected a value, found \"nulll\""},
    {"[abcdefghijklmnopqrstuvwxyz]", 1, "expected a value, found \"abcdefghijklmnopqrstuvwx...\""},
    /* structure */
    {"1 2", 2, "expected the end of the text, found \"2\""},
    {"{} x", 3, "expected the end of the text, found \"x\""},
    {"[1]]", 3, "expected the end of the text, found \"]\""},
    {"[1,2,]", 4, "expected a value after \",\", found \"]\""},
    {"{\"a\":1 , }", 7, "expected a key after \",\", found \"}\""},
    {"[1 2]", 3, "expected \",\" or \"]\", found \"2\""},
    {"[1}", 2, "expected \",\" or \"]\", found \"}\""},
    {"{\"a\":1]", 6, "expected \",\" or \"}\", found \"]\""},
    {"{\"a\":1 \"b\":2}", 7, "expected \",\" or \"}\", found a string"},
    {"[,1]", 1, "expected a value, found \",\""},
    {"{,}", 1, "expected a key in double quotes or \"}\", found \",\""},
    {"{a:1}", 1, "expected a key in double quotes or \"}\", found \"a\""},
    {"{\"a\":1,2:3}", 7, "expected a key in double quotes, found \"2\""},
    {"{\"a\" 1}", 5, "expected \":\" after the key, found \"1\""},
    {"{\"a\":}", 5, "expected a value, found \"}\""},
    {"{\"a\"}", 4, "expected \":\" after the key, found \"}\""},
    {"[", 1, "expected a value, found the end of the text"},
    {"[1,", 3, "expected a value, found the end of the text"},
    {"}", 0, "expected a value, found \"}\""},
    {"// c\n1", 0, "expected a value, found a comment, which JSON does not have"},
    {"[1 /* c */]", 3, "expected \",\" or \"]\", found a comment, which JSON does not have"},
    {"# c", 0, "expected a value, found a comment, which JSON does not have"},
    {"['a']", 1, "expected a value, found a single quote: JSON has only double quotes"},
    {"[\x01]", 1, "expected a value, found control character 0x01"},
    {"[\f]", 1, "expected a value, found control character 0x0C"},
    {"[\xC2\xA0]", 1, "expected a value, found \"\xC2\xA0\""}, /* no-break space is no space */
    /* strings */
    {"\"abc", 4, "expected a closing quote, found the end of the text"},
    {"\"a\nb\"", 2,
     "expected a closing quote or an escape such as \\n in a string, found a line break"},
    {"\"a\tb\"", 2, "expected a closing quote or an escape such as \\n in a string, found a tab"},
    {"\"\\x\"", 1, "expected one of \" \\ / b f n r t u after a backslash, found \"x\""},
    {"\"\\", 1, "expected one of \" \\ / b f n r t u after a backslash, found the end of the text"},
    {"\"\\u12g4\"", 1, "expected four hexadecimal digits after \\u"},
    {"\"\\u12", 1, "expected four hexadecimal digits after \\u"},
    {"\"a\\u0000\"", 2, "expected no NUL character in a string, found \\u0000"},
    {"{\"\\u0000\":1}", 2, "expected no NUL character in a string, found \\u0000"},
    {"\"\\ud83d\"", 1, "expected \\uDC00 to \\uDFFF after \\uD83D, found it alone"},
    {"\"\\ud83dx\"", 1, "expected \\uDC00 to \\uDFFF after \\uD83D, found it alone"},
    {"\"\\ud83d\\n\"", 1, "expected \\uDC00 to \\uDFFF after \\uD83D, found it alone"},
    {"\"\\ud83d\\ud83d\"", 1, "expected \\uDC00 to \\uDFFF after \\uD83D, found it alone"},
    {"\"\\ude00\"", 1, "expected \\uD800 to \\uDBFF before \\uDE00, found it alone"},
    /* not UTF-8 */
    {"\"\x80\"", 1, "expected UTF-8 in a string, found byte 0x80, which is not UTF-8"},
    {"\"\xC0\xAF\"", 1, "expected UTF-8 in a string, found byte 0xC0, which is not UTF-8"},
    {"\"\xC1\xBF\"", 1, "expected UTF-8 in a string, found byte 0xC1, which is not UTF-8"},
    {"\"\xE0\x9F\xBF\"", 1, "expected UTF-8 in a string, found byte 0xE0, which is not UTF-8"},
    {"\"\xF0\x8F\xBF\xBF\"", 1, "expected UTF-8 in a string, found byte 0xF0, which is not UTF-8"},
    {"\"\xED\xA0\x80\"", 1, "expected UTF-8 in a string, found byte 0xED, which is not UTF-8"},
    {"\"\xED\xBF\xBF\"", 1, "expected UTF-8 in a string, found byte 0xED, which is not UTF-8"},
    {"\"\xF4\x90\x80\x80\"", 1, "expected UTF-8 in a string, found byte 0xF4, which is not UTF-8"},
    {"\"\xF5\x80\x80\x80\"", 1, "expected UTF-8 in a string, found byte 0xF5, which is not UTF-8"},
    {"\"\xC3\"", 1, "expected UTF-8 in a string, found byte 0xC3, which is not UTF-8"},
    {"\"\xE2\x82\"", 1, "expected UTF-8 in a string, found byte 0xE2, which is not UTF-8"},
    {"\"\xE2\x82", 1, "expected UTF-8 in a string, found byte 0xE2, which is not UTF-8"},
    {"\"\xF0\x9F\x98\"", 1, "expected UTF-8 in a string, found byte 0xF0, which is not UTF-8"},
    {"[\xFF]", 1, "expected a value, found byte 0xFF, which is not UTF-8"},
};

START_TEST(test_flaw_is_found_at_its_offset) {
  const bad_case *const each = &bad_cases[_i];
  dsm__json_flaw flaw = {.message = ""};
  ck_assert(!check_text(each->text, strlen(each->text), &flaw));
  ck_assert_str_eq(flaw.message, each->message);
  ck_assert_uint_eq(flaw.offset, each->offset);
}
END_TEST

START_TEST(test_nul_byte_is_refused_wherever_it_stands) {
  dsm__json_flaw flaw;
  ck_assert(!check_text("\"a\0b\"", 5, &flaw));
  ck_assert_uint_eq(flaw.offset, 2);
  ck_assert(!check_text("[1\0]", 4, &flaw));
  ck_assert_uint_eq(flaw.offset, 2);
  ck_assert(!check_text("1\0", 2, &flaw));
  ck_assert_uint_eq(flaw.offset, 1);
  ck_assert(!check_text("\0", 1, &flaw));
  ck_assert_uint_eq(flaw.offset, 0);
  ck_assert(!check_text("\"\\\0\"", 4, &flaw));
  ck_assert_uint_eq(flaw.offset, 1);
}
END_TEST

START_TEST(test_text_cut_anywhere_is_refused) {
  static const char sample[] =
      "{\"a\\n\": [1, -2.5e+3, \"x\\u00e9\\ud83d\\ude00\xC3\xA9\", true, false, null], \"b\": {}}";
  const size_t length = sizeof sample - 1;
  dsm__json_flaw flaw = {.message = ""};
  ck_assert(check_text(sample, length, &flaw));
  for (size_t cut = 0; cut < length; cut++) {
    ck_assert_msg(!check_text(sample, cut, &flaw), "cut at %zu", cut);
    ck_assert_uint_le(flaw.offset, cut);
  }
}
END_TEST

/* ---- limits ---- */

/* `depth` opening brackets, alternating as told, a value, and the closing ones. */
static bool check_nested(size_t depth, const char *kinds, dsm__json_flaw *flaw) {
  char text[512] = "";
  size_t used = 0;
  for (size_t i = 0; i < depth; i++) {
    const char *const opening = kinds[i % strlen(kinds)] == '[' ? "[" : "{\"k\":";
    memcpy(text + used, opening, strlen(opening));
    used += strlen(opening);
  }
  text[used++] = '1';
  for (size_t i = depth; i > 0; i--)
    text[used++] = kinds[(i - 1) % strlen(kinds)] == '[' ? ']' : '}';
  return check_text(text, used, flaw);
}

static const char *const nestings[] = {"[", "{", "[{"};

START_TEST(test_depth_of_32_is_legal_and_of_33_is_not) {
  dsm__json_flaw flaw = {.message = ""};
  ck_assert_msg(check_nested(32, nestings[_i], &flaw), "%s", flaw.message);
  ck_assert(!check_nested(33, nestings[_i], &flaw));
  ck_assert_str_eq(flaw.message, "expected at most 32 levels of nesting, found more");
}
END_TEST

START_TEST(test_depth_counts_what_is_open_not_what_was) {
  enum { COUNT = 100 };
  char text[3 * COUNT + 2] = "[";
  for (size_t i = 0; i < COUNT; i++)
    memcpy(text + 1 + 3 * i, "[],", 3);
  text[3 * COUNT] = ']'; /* over the last comma */
  dsm__json_flaw flaw = {.message = ""};
  ck_assert_msg(check_text(text, 3 * COUNT + 1, &flaw), "%s", flaw.message);
}
END_TEST

START_TEST(test_number_of_63_bytes_is_legal_and_of_64_is_not) {
  char digits[65];
  memset(digits, '1', sizeof digits);
  dsm__json_flaw flaw;
  ck_assert(check_text(digits, 63, &flaw));
  ck_assert(!check_text(digits, 64, &flaw));
  ck_assert_str_eq(flaw.message, "expected a number of at most 63 characters, found one of 64");
}
END_TEST

START_TEST(test_long_document_is_not_deep) {
  enum { COUNT = 100000 };
  char *const text = malloc(2 * COUNT + 1);
  ck_assert_ptr_nonnull(text);
  text[0] = '[';
  for (size_t i = 0; i < COUNT; i++) {
    text[1 + 2 * i] = '7';
    text[2 + 2 * i] = i + 1 < COUNT ? ',' : ']';
  }
  dsm__json_flaw flaw;
  ck_assert(dsm__json_text_check(text, 2 * COUNT + 1, &flaw));
  free(text);
}
END_TEST

Suite *suite_json_text(void) {
  Suite *const suite = suite_create("json_text");
  TCase *const grammar = tcase_create("grammar");
  tcase_add_loop_test(grammar, test_json_is_accepted, 0, COUNT_OF(good_texts));
  tcase_add_loop_test(grammar, test_flaw_is_found_at_its_offset, 0, COUNT_OF(bad_cases));
  tcase_add_test(grammar, test_nul_byte_is_refused_wherever_it_stands);
  tcase_add_test(grammar, test_text_cut_anywhere_is_refused);
  suite_add_tcase(suite, grammar);
  TCase *const limits = tcase_create("limits");
  tcase_add_loop_test(limits, test_depth_of_32_is_legal_and_of_33_is_not, 0, COUNT_OF(nestings));
  tcase_add_test(limits, test_depth_counts_what_is_open_not_what_was);
  tcase_add_test(limits, test_number_of_63_bytes_is_legal_and_of_64_is_not);
  tcase_add_test(limits, test_long_document_is_not_deep);
  suite_add_tcase(suite, limits);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdio.h>

#include "report/data/csv.h"

static dsm__text_buffer buffer;
static dsm__csv csv;

static void set_up(void) {
  buffer = (dsm__text_buffer){0};
  csv = (dsm__csv){.out = &buffer};
}

static void tear_down(void) {
  dsm__text_fini(&buffer);
}

/* RFC 4180, sections 2.5 to 2.7. */
static const struct {
  const char *text;
  const char *written;
} quoted[] = {
    {"plain", "plain"},
    {"", ""},
    {NULL, ""},
    {"a b", "a b"},
    {"a,b", "\"a,b\""},
    {"\"", "\"\"\"\""},
    {"say \"hi\"", "\"say \"\"hi\"\"\""},
    {"two\nlines", "\"two\nlines\""},
    {"carriage\rreturn", "\"carriage\rreturn\""},
    {"größe", "größe"},
    /* what spreadsheets would run, as OWASP's page "CSV Injection" lists it */
    {"=1+1", "'=1+1"},
    {"+a", "'+a"},
    {"-a", "'-a"},
    {"@a", "'@a"},
    {"\tb", "'\tb"},
    {"\rb", "\"'\rb\""},
    {"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
    {"a=1", "a=1"},
    {"-", "-"},
    /* numbers are no formulas */
    {"-1.5e3", "-1.5e3"},
    {"-1-1", "'-1-1"},
    /* what turns the direction, escapes of terminals, no UTF-8, no character */
    {"a\xE2\x80\xAE", "a\xEF\xBF\xBD"},
    {"a\x1B[m", "a\xEF\xBF\xBD[m"},
    {"\xFF", "\xEF\xBF\xBD"},
    {"\xEF\xBF\xBE", "\xEF\xBF\xBD"},
};

START_TEST(test_text_is_quoted_where_the_rfc_demands_it) {
  dsm__csv_text(&csv, quoted[_i].text);
  dsm__csv_end_row(&csv);
  char expected[64];
  (void)snprintf(expected, sizeof expected, "%s\r\n", quoted[_i].written);
  ck_assert_str_eq(buffer.text, expected);
}
END_TEST

START_TEST(test_fields_of_a_row_have_commas_between_them) {
  const char *const texts[] = {"a", "b"};
  dsm__csv_texts(&csv, texts, 2);
  dsm__csv_u64(&csv, UINT64_MAX);
  dsm__csv_double(&csv, 0.1);
  dsm__csv_bool(&csv, true);
  dsm__csv_bool(&csv, false);
  dsm__csv_empty(&csv, 2);
  dsm__csv_dotted(&csv, "chip", "in");
  dsm__csv_end_row(&csv);
  ck_assert_str_eq(buffer.text, "a,b,18446744073709551615,0.1,true,false,,,chip.in\r\n");
}
END_TEST

START_TEST(test_the_next_row_begins_anew) {
  dsm__csv_empty(&csv, 1);
  dsm__csv_text(&csv, "b");
  dsm__csv_end_row(&csv);
  dsm__csv_text(&csv, "c");
  dsm__csv_end_row(&csv);
  ck_assert_str_eq(buffer.text, ",b\r\nc\r\n");
}
END_TEST

Suite *suite_csv(void) {
  Suite *const suite = suite_create("csv");
  TCase *const fields = tcase_create("fields");
  tcase_add_checked_fixture(fields, set_up, tear_down);
  tcase_add_loop_test(fields, test_text_is_quoted_where_the_rfc_demands_it, 0, COUNT_OF(quoted));
  tcase_add_test(fields, test_fields_of_a_row_have_commas_between_them);
  tcase_add_test(fields, test_the_next_row_begins_anew);
  suite_add_tcase(suite, fields);
  return suite;
}

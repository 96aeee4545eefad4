/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/names.h"
#include "report/data/csv.h"
#include "report/data/records.h"

typedef struct subject {
  const char *text;
  uint64_t parts[DSM_DIM_COUNT];
  double real;
  bool flag;
} subject;

DSM__RECORD(own_record, subject, false, "What cells are made of.",
            DSM__FIELD(TEXT, subject, text, "text", DSM__FIELD_IS_COLUMN, .help = "A text."),
            DSM__FIELD(COUNTS, subject, parts, "parts", DSM__FIELD_IS_COLUMN,
                       .words = &dsm__dim_words, .help = "A number a word."),
            DSM__FIELD(REAL, subject, real, "real", DSM__FIELD_IS_COLUMN, .help = "A number."),
            DSM__FIELD(FLAG, subject, flag, "flag", 0, .help = "No column."));

static const subject first = {.text = "a", .parts = {1, 2, 3, 4, UINT64_MAX}, .real = 0.1};

static dsm__page page;
static dsm__csv csv;

static void set_up(void) {
  page = dsm__page_begin((dsm_table_style){.width = 0});
  csv = dsm__csv_begin(&page);
}

static void check_text(const char *expected) {
  dsm__csv_finish(&csv);
  char *const text = dsm__page_finish(&page);
  ck_assert_str_eq(text, expected);
  free(text);
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
  const subject of = {.text = quoted[_i].text};
  char expected[64];
  dsm__csv_column(&csv, &own_record, "text");
  DSM__CSV_ROW(&csv, {&own_record, &of});
  (void)snprintf(expected, sizeof expected, "text\r\n%s\r\n", quoted[_i].written);
  check_text(expected);
}
END_TEST

START_TEST(test_what_a_record_has_in_it_is_a_column_each) {
  dsm__csv_columns(&csv, &own_record);
  DSM__CSV_ROW(&csv, {&own_record, &first});
  check_text("text,parts.in,parts.out,parts.ij,parts.kij,parts.mb,real\r\n"
             "a,1,2,3,4,18446744073709551615,0.1\r\n");
}
END_TEST

START_TEST(test_cells_are_of_the_first_record_that_states_them) {
  const subject second = {.text = "b", .real = (double)NAN};
  dsm__csv_column(&csv, &own_record, "real");
  dsm__csv_columns(&csv, &own_record);
  DSM__CSV_ROW(&csv, {&own_record, &second}, {&own_record, NULL}, {&own_record, &first});
  check_text("real,text,parts.in,parts.out,parts.ij,parts.kij,parts.mb\r\n"
             "0.1,b,0,0,0,0,0\r\n");
}
END_TEST

START_TEST(test_a_document_without_rows_has_its_titles) {
  dsm__csv_column(&csv, &own_record, "text");
  dsm__csv_named_column(&csv, "other");
  check_text("text,other\r\n");
}
END_TEST

Suite *suite_csv(void) {
  Suite *const suite = suite_create("csv");
  TCase *const fields = tcase_create("fields");
  tcase_add_checked_fixture(fields, set_up, NULL);
  tcase_add_loop_test(fields, test_text_is_quoted_where_the_rfc_demands_it, 0, COUNT_OF(quoted));
  tcase_add_test(fields, test_what_a_record_has_in_it_is_a_column_each);
  tcase_add_test(fields, test_cells_are_of_the_first_record_that_states_them);
  tcase_add_test(fields, test_a_document_without_rows_has_its_titles);
  suite_add_tcase(suite, fields);
  return suite;
}

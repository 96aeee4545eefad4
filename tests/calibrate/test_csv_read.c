/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of RFC 4180, and texts that are none. */
#include "base/csv_read.h"

#include <stdio.h>
#include <string.h>

#include "suites.h"

/* All records in one line: fields in brackets, a bar before each record with its line. */
static void read_all(const char *text, char *out, size_t size) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__csv_reader reader = {.text = text, .length = strlen(text), .line = 1, .arena = arena};
  dsm__csv_record record;
  size_t used = 0;
  out[0] = '\0';
  while (dsm__csv_read(&reader, &record)) {
    used += (size_t)snprintf(out + used, size - used, "|%zu", record.line);
    for (size_t f = 0; f < record.count; f++) {
      used += (size_t)snprintf(out + used, size - used, "[%s]", record.fields[f]);
    }
  }
  if (reader.flaw != NULL) {
    (void)snprintf(out + used, size - used, "!%zu %s", reader.line, reader.flaw);
  }
  dsm__arena_free(arena);
}

static const struct {
  const char *text;
  const char *read;
} records[] = {
    {"", ""},
    {"\n\r\n", ""},
    {"a", "|1[a]"},
    {"a,b\n1,2\n", "|1[a][b]|2[1][2]"},
    {"a,b\r\n1,2", "|1[a][b]|2[1][2]"},
    {"\xEF\xBB\xBF"
     "a\n",
     "|1[a]"},
    {",\n", "|1[][]"},
    {"a\n\n\nb\n", "|1[a]|4[b]"},
    {"\"a,b\",\"\"\n", "|1[a,b][]"},
    {"\"a\"\"b\"\n", "|1[a\"b]"},
    {"\"a\nb\"\nc\n", "|1[a\nb]|3[c]"},
    {"\"a\"b\n", "!1 expected a comma or the end of the line behind the quotes"},
    {"x\na\"b\n", "|1[x]!2 expected quotes around the whole field, found some within"},
    {"\"a\nb", "!2 expected quotes at the end of the field, found the end of the file"},
    {"\"", "!1 expected quotes at the end of the field, found the end of the file"},
    {"\xFF\n", "!1 expected text in UTF-8"},
    {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33\n",
     "!1 expected at most 32 fields in a line"},
};

START_TEST(test_records) {
  char read[512];
  read_all(records[_i].text, read, sizeof read);
  ck_assert_str_eq(read, records[_i].read);
}
END_TEST

Suite *suite_csv_read(void) {
  Suite *const suite = suite_create("csv_read");
  TCase *const tests = tcase_create("csv_read");
  tcase_add_loop_test(tests, test_records, 0, COUNT_OF(records));
  suite_add_tcase(suite, tests);
  return suite;
}

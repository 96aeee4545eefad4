/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences with values. */
#include "suites.h"

#include <math.h>
#include <stdlib.h>

#include "report/value_text.h"
#include "subjects.h"

typedef struct thing {
  double bytes, seconds, share, endless;
  uint64_t count, one;
  const char *name, *empty;
} thing;

DSM__OWN_RECORD(record, thing, true, "A thing.", DSM__REAL(thing, bytes, "bytes", 0, "bytes", NULL),
                DSM__REAL(thing, seconds, "seconds", 0, "seconds", NULL),
                DSM__REAL(thing, share, "share", 0, "ratio", NULL), DSM__SAID(REAL, thing, endless),
                DSM__SAID(COUNT, thing, count), DSM__SAID(COUNT, thing, one),
                DSM__SAID(TEXT, thing, name), DSM__SAID(TEXT, thing, empty));

static const struct {
  const char *pattern;
  const char *text;
} cases[] = {
    {"{bytes}, {seconds}, {share}, {count}, {name}", "2.5 kB, 0.1250, 0.5, 1,234, fc|1"},
    {"{seconds:2} {seconds:.1} {seconds:m4} {seconds:~6}", "0.12 0.1 125.0 0.125"},
    {"{share:%} {share:%0} {share:+1} {share:>1} {count/bytes:%1} %", "50.0 50 -50.0 0.0 49.4 %"},
    {"{count*seconds:5} {count:op/s} {count:=}", "154.25 1.23 kop/s 1234"},
    {"{count} byte{count;s}, {one} byte{one;s}", "1,234 bytes, 1 byte"},
    {"{endless|none} {endless:4 ms|none} {seconds:4 ms|none}", "none none 0.1250 ms"},
    {"{one/endless|none}, {one<count?less|more} {count<one?less|more}", "none, less more"},
    {"{name?[{name}{empty? {bytes}|, {one}}]|-} {endless?{bytes}|-}", "[fc|1, 1] -"},
    {" {#0} {#1} {empty} ", "7 8"},
};

START_TEST(test_a_pattern) {
  const thing it = {2500, 0.125, 0.5, (double)INFINITY, 1234, 1, "fc|1", ""};
  const dsm__shown shown = {.type = &record, .record = &it, .row = 7};
  dsm__page page = dsm__page_begin(plain_style(80));
  ck_assert_str_eq(dsm__value_text(&page, &shown, cases[_i].pattern), cases[_i].text);
  free(dsm__page_finish(&page));
}
END_TEST

Suite *suite_value_text(void) {
  Suite *const suite = suite_create("value text");
  TCase *const patterns = tcase_create("patterns");
  tcase_add_loop_test(patterns, test_a_pattern, 0, COUNT_OF(cases));
  suite_add_tcase(suite, patterns);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdlib.h>

#include "report/data/xml.h"

static dsm__text_buffer buffer;

static void set_up(void) {
  buffer = (dsm__text_buffer){0};
}

static void tear_down(void) {
  dsm__text_fini(&buffer);
}

#define REPLACEMENT "\xEF\xBF\xBD"

/* XML 1.0, sections 2.2 (characters), 2.4 (escapes) and 3.3.3 (white space in attributes). */
static const struct {
  const char *text;
  const char *in_attribute;
  const char *in_element;
} escaped[] = {
    {"plain", "plain", "plain"},
    {"", "", ""},
    {"a & b < c > d \" e ' f", "a &amp; b &lt; c &gt; d &quot; e ' f",
     "a &amp; b &lt; c &gt; d &quot; e ' f"},
    {"&amp;", "&amp;amp;", "&amp;amp;"},
    {"]]>", "]]&gt;", "]]&gt;"},
    {"a\tb\nc\rd", "a&#9;b&#10;c&#13;d", "a&#9;b\nc&#13;d"},
    {"gr\xC3\xB6\xC3\x9F"
     "e \xF0\x9F\x98\x80",
     "gr\xC3\xB6\xC3\x9F"
     "e \xF0\x9F\x98\x80",
     "gr\xC3\xB6\xC3\x9F"
     "e \xF0\x9F\x98\x80"},
    {"\x01\x1F\x7F", REPLACEMENT REPLACEMENT REPLACEMENT, REPLACEMENT REPLACEMENT REPLACEMENT},
    {"\xC2\x85.", REPLACEMENT ".", REPLACEMENT "."},
    {"\xEF\xBF\xBD\xEF\xBF\xBE\xEF\xBF\xBF", REPLACEMENT REPLACEMENT REPLACEMENT,
     REPLACEMENT REPLACEMENT REPLACEMENT},
    {"\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8F", REPLACEMENT REPLACEMENT REPLACEMENT,
     REPLACEMENT REPLACEMENT REPLACEMENT},
    {"\xF0\x9F\xBF\xBE", REPLACEMENT, REPLACEMENT}, /* U+1FFFE */
    {"\xFF.\xC3", REPLACEMENT "." REPLACEMENT, REPLACEMENT "." REPLACEMENT},
    {"\xED\xA0\x80", REPLACEMENT REPLACEMENT REPLACEMENT, REPLACEMENT REPLACEMENT REPLACEMENT},
};

START_TEST(test_what_xml_cannot_hold_is_escaped_or_replaced) {
  dsm__xml_text(&buffer, escaped[_i].text);
  dsm__text_puts(&buffer, "");
  ck_assert_str_eq(buffer.text, escaped[_i].in_attribute);
}
END_TEST

START_TEST(test_an_element_keeps_its_lines) {
  dsm__xml_lines(&buffer, escaped[_i].text);
  dsm__text_puts(&buffer, "");
  ck_assert_str_eq(buffer.text, escaped[_i].in_element);
}
END_TEST

START_TEST(test_an_attribute_is_quoted) {
  dsm__xml_attribute(&buffer, "name", "\"x\"");
  ck_assert_str_eq(buffer.text, " name=\"&quot;x&quot;\"");
}
END_TEST

Suite *suite_xml(void) {
  Suite *const suite = suite_create("xml");
  TCase *const text = tcase_create("text");
  tcase_add_checked_fixture(text, set_up, tear_down);
  tcase_add_loop_test(text, test_what_xml_cannot_hold_is_escaped_or_replaced, 0, COUNT_OF(escaped));
  tcase_add_loop_test(text, test_an_element_keeps_its_lines, 0, COUNT_OF(escaped));
  tcase_add_test(text, test_an_attribute_is_quoted);
  suite_add_tcase(suite, text);
  return suite;
}

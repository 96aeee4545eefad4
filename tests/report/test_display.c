/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "report/table/display.h"

/* "e" and a combining acute accent: two characters, one column. */
#define E_ACUTE "e\xCC\x81"
#define ELLIPSIS "\xE2\x80\xA6"

static dsm__text_buffer buffer;
static dsm__arena *arena;

static void set_up(void) {
  buffer = (dsm__text_buffer){0};
  arena = dsm__arena_new();
  ck_assert_ptr_nonnull(arena);
}

static void tear_down(void) {
  dsm__text_fini(&buffer);
  dsm__arena_free(arena);
}

static const struct {
  const char *text;
  size_t width;
} widths[] = {
    {"", 0},          {"abc", 3},
    {"größe", 5},     {"網路", 4},
    {"한글", 4},      {"ａ", 2},               /* full width */
    {E_ACUTE, 1},     {"\xF0\x9F\x98\x80", 2}, /* a face */
    {"\xFF\xFE", 2},                           /* no UTF-8: one each */
    {"a\xE7\xB6", 3},                          /* cut off */
};

START_TEST(test_width_is_columns_not_bytes) {
  ck_assert_uint_eq(dsm__display_width(widths[_i].text), widths[_i].width);
}
END_TEST

static const struct {
  const char *text;
  const char *clean;
} dirty[] = {
    {"plain größe 網路", "plain größe 網路"},
    {"a\033[31mb", "a?[31mb"},
    {"a\nb\rc\td\x7F", "a?b?c?d?"},
    {"a\xC2\x9B", "a?"}, /* a control of 8 bits */
    {"a\xE2\x80\xAE"
     "b",
     "a?b"}, /* right-to-left override */
    {"a\xE2\x80\xA8"
     "b",
     "a?b"}, /* line separator */
    {"\xFFok\xC3", "?ok?"},
    {"\xD8\x9C\xE2\x80\x8E\xE2\x81\xA9",
     "???"},                                /* Arabic letter mark, left-to-right mark, isolate */
    {"\xEF\xBF\xBE\xF3\xA0\x81\x81", "??"}, /* no character, a tag */
    {"\xE2\x80\x8D\xEF\xB8\x8F", "\xE2\x80\x8D\xEF\xB8\x8F"}, /* a joiner, a variation */
};

START_TEST(test_clean_text_cannot_steer_a_terminal) {
  ck_assert_str_eq(dsm__display_clean(arena, dirty[_i].text), dirty[_i].clean);
}
END_TEST

static const struct {
  const char *text;
  size_t width;
  const char *shown;
} put[] = {
    {"abc", 5, "abc  "},
    {"", 2, "  "},
    {"abcdefgh", 8, "abcdefgh"},
    {"abcdefghi", 8, "abcd" ELLIPSIS "ghi"}, /* 8 = 4 + 1 + 3 */
    {"abcdefghi", 7, "abc" ELLIPSIS "ghi"},
    {"abcdefghi", 1, ELLIPSIS},
    {"abcdefghi", 0, ""},
    {"網路網路網路", 8, "網路" ELLIPSIS "路 "}, /* 4 + 1 + 2, and one over */
    {"網路網路網路", 12, "網路網路網路"},
    {"ab" E_ACUTE "xyz", 5, "ab" ELLIPSIS "yz"},
    {"abc" E_ACUTE "d", 4, "ab" ELLIPSIS "d"}, /* the accent goes with its letter */
};

START_TEST(test_text_is_padded_or_shortened_in_its_middle) {
  dsm__display_put(&buffer, put[_i].text, put[_i].width);
  ck_assert_str_eq(buffer.text == NULL ? "" : buffer.text, put[_i].shown);
}
END_TEST

static const struct {
  const char *text;
  size_t width;
  dsm__indent indent;
  const char *shown;
} wrapped[] = {
    {"one two three", 13, {0, 2}, "one two three"},
    {"one two three", 12, {0, 2}, "one two\n  three"},
    {"one two three", 7, {0, 0}, "one two\nthree"},
    {"one two three", 7, {1, 3}, "one\n   two\n   three"},
    {"step 12.5 %, 7 %", 11, {0, 2}, "step\n  12.5 %,\n  7 %"},
    {"  spaces   between  ", 20, {0, 0}, "spaces between"},
    {"a incomprehensibilities b", 8, {0, 1}, "a\n incomprehensibilities\n b"},
    {"網路 網路", 8, {0, 0}, "網路\n網路"},
    {"", 8, {0, 0}, ""},
};

START_TEST(test_text_is_wrapped_at_spaces) {
  dsm__display_wrap(&buffer, wrapped[_i].text, wrapped[_i].width, wrapped[_i].indent);
  ck_assert_str_eq(buffer.text == NULL ? "" : buffer.text, wrapped[_i].shown);
}
END_TEST

/* The limits in pairs: just good, just fair; just fair, just bad. */
static const struct {
  double utilization;
  dsm__text_style style;
} styles[] = {
    {1, DSM__STYLE_GOOD},    {0.7, DSM__STYLE_GOOD},   {0.6999, DSM__STYLE_FAIR},
    {0.35, DSM__STYLE_FAIR}, {0.3499, DSM__STYLE_BAD}, {0, DSM__STYLE_BAD},
};

START_TEST(test_utilization_has_a_tone) {
  ck_assert_int_eq(dsm__style_of_utilization(styles[_i].utilization), styles[_i].style);
}
END_TEST

START_TEST(test_tones_are_escapes_only_in_colour) {
  for (int style = 0; style < DSM__STYLE_COUNT; style++) {
    dsm__style_begin(&buffer, false, (dsm__text_style)style);
    dsm__style_end(&buffer, false, (dsm__text_style)style);
  }
  ck_assert_uint_eq(buffer.length, 0);
  dsm__style_begin(&buffer, true, DSM__STYLE_BAD);
  dsm__text_puts(&buffer, "x");
  dsm__style_end(&buffer, true, DSM__STYLE_BAD);
  ck_assert_str_eq(buffer.text, "\033[31mx\033[0m");
}
END_TEST

START_TEST(test_the_plain_tone_has_no_escapes) {
  dsm__style_begin(&buffer, true, DSM__STYLE_PLAIN);
  dsm__style_end(&buffer, true, DSM__STYLE_PLAIN);
  ck_assert_uint_eq(buffer.length, 0);
}
END_TEST

Suite *suite_display(void) {
  Suite *const suite = suite_create("display");
  TCase *const text = tcase_create("text");
  tcase_add_checked_fixture(text, set_up, tear_down);
  tcase_add_loop_test(text, test_width_is_columns_not_bytes, 0, COUNT_OF(widths));
  tcase_add_loop_test(text, test_clean_text_cannot_steer_a_terminal, 0, COUNT_OF(dirty));
  tcase_add_loop_test(text, test_text_is_padded_or_shortened_in_its_middle, 0, COUNT_OF(put));
  tcase_add_loop_test(text, test_text_is_wrapped_at_spaces, 0, COUNT_OF(wrapped));
  suite_add_tcase(suite, text);
  TCase *const style = tcase_create("styles");
  tcase_add_checked_fixture(style, set_up, tear_down);
  tcase_add_loop_test(style, test_utilization_has_a_tone, 0, COUNT_OF(styles));
  tcase_add_test(style, test_tones_are_escapes_only_in_colour);
  tcase_add_test(style, test_the_plain_tone_has_no_escapes);
  suite_add_tcase(suite, style);
  return suite;
}

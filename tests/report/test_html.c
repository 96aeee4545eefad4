/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "report/figure/plot_maker.h"
#include "report/page/html.h"

static dsm__text_buffer out;

static void set_up(void) {
  out = (dsm__text_buffer){0};
}

static void tear_down(void) {
  dsm__text_fini(&out);
}

START_TEST(test_texts_and_attributes_are_escaped) {
  dsm__html_element(&out, "td", "a < b & \"c\"", "class", "x", "title", "<\"&'>", NULL);
  ck_assert_str_eq(out.text, "<td class=\"x\" title=\"&lt;&quot;&amp;'&gt;\">a &lt; b &amp; "
                             "&quot;c&quot;</td>\n");
}
END_TEST

START_TEST(test_an_attribute_without_a_value_stands_alone) {
  dsm__html_begin(&out, "div", "id", "a", "hidden", "", NULL);
  dsm__html_end(&out, "div");
  ck_assert_str_eq(out.text, "<div id=\"a\" hidden></div>\n");
}
END_TEST

START_TEST(test_void_elements_have_no_end) {
  dsm__html_void(&out, "meta", "charset", "utf-8", NULL);
  ck_assert_str_eq(out.text, "<meta charset=\"utf-8\">\n");
}
END_TEST

START_TEST(test_what_no_document_may_contain_is_replaced) {
  dsm__html_text(&out, "a\x01"
                       "b\xFF");
  ck_assert_str_eq(out.text, "a\xEF\xBF\xBD"
                             "b\xEF\xBF\xBD");
}
END_TEST

static const struct {
  double value;
  const char *text;
} lengths[] = {
    {0, "0"},
    {-0.0, "0"},
    {12, "12"},
    {0.1, "0.10"},
    {1.005001, "1.01"},
    {-0.25, "-0.25"},
    {-3, "-3"},
    {0.004, "0"},
    {-0.004, "0"},
    {99.999, "100"},
    {1e20, "1000000000000"},
};

START_TEST(test_lengths_have_two_decimals) {
  ck_assert_str_eq(dsm__svg_length(lengths[_i].value).text, lengths[_i].text);
}
END_TEST

START_TEST(test_shapes_carry_their_tooltips) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__plot_maker maker = dsm__svg_begin(arena, 10);
  maker.height = 5.5;
  dsm__plot_label(&maker, (dsm__point){1, 2}, (dsm__label_style){.size = 10}, "&");
  dsm__plot_box(&maker, (dsm__area){1, 2, 3.25, 4}, "#009E73", "1 < 2");
  dsm__plot_line(&maker, (dsm__point){0, 0}, (dsm__point){1, 2}, "#DDDDDD");
  dsm__svg_end(&maker, &out, "figure", "what it is");
  dsm__arena_free(arena);
  ck_assert_str_eq(
      out.text,
      "<svg class=\"figure\" viewBox=\"0 0 10 5.50\" role=\"img\" aria-label=\"what it is\">\n"
      "<line class=\"c-DDDDDD\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"2\"></line>\n"
      "<rect class=\"c-009E73\" x=\"1\" y=\"2\" width=\"3.25\" height=\"4\"><title>1 &lt; "
      "2</title></rect>\n"
      "<text class=\"start\" font-size=\"10\" x=\"1\" y=\"2\">&amp;</text>\n"
      "</svg>\n");
}
END_TEST

Suite *suite_html(void) {
  Suite *const suite = suite_create("html");
  TCase *const cases = tcase_create("all");
  tcase_add_checked_fixture(cases, set_up, tear_down);
  tcase_add_test(cases, test_texts_and_attributes_are_escaped);
  tcase_add_test(cases, test_an_attribute_without_a_value_stands_alone);
  tcase_add_test(cases, test_void_elements_have_no_end);
  tcase_add_test(cases, test_what_no_document_may_contain_is_replaced);
  tcase_add_loop_test(cases, test_lengths_have_two_decimals, 0,
                      (int)(sizeof lengths / sizeof lengths[0]));
  tcase_add_test(cases, test_shapes_carry_their_tooltips);
  suite_add_tcase(suite, cases);
  return suite;
}

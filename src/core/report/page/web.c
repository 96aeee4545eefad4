/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/page/web.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "base/order.h"
#include "base/units.h"
#include "report/page/html.h"
#include "report/table/number_style.h"

/* ---- colours ---- */

typedef struct color {
  unsigned channels[3];
} color;

static unsigned hexadecimal(char digit) {
  return (unsigned)(digit <= '9' ? digit - '0' : digit - 'A' + 10);
}

/* Of "#RRGGBB". */
static color color_of(const char *text) {
  color made;
  for (size_t c = 0; c < 3; c++) {
    made.channels[c] = 16 * hexadecimal(text[1 + 2 * c]) + hexadecimal(text[2 + 2 * c]);
  }
  return made;
}

/* On a dark page black becomes white, as Okabe and Ito advise, and what is nearly as dark is mixed
 * with white. */
static color color_on_dark(color light) {
  static const unsigned darkest_seen = 60; /* mean of the channels */
  const unsigned mean = (light.channels[0] + light.channels[1] + light.channels[2]) / 3;
  color dark = light;
  for (size_t c = 0; c < 3 && mean < darkest_seen + 30; c++) {
    dark.channels[c] = mean == 0 ? 255 : (light.channels[c] * 60 + 255 * 40) / 100;
  }
  return dark;
}

/* A class of dsm__svg_class; lines have its colour too. */
static void put_color(dsm__text_buffer *out, const char *name, color (*shown)(color)) {
  const color value = shown(color_of(name));
  char text[8];
  (void)snprintf(text, sizeof text, "#%02X%02X%02X", value.channels[0] & 0xFFU,
                 value.channels[1] & 0xFFU, value.channels[2] & 0xFFU);
  dsm__text_printf(out, ".c-%s{fill:%s;background-color:%s;color:%s}\n", name + 1, text, text,
                   text);
}

/* Parts of a time have all colours of passes, and of series all but the last. */
static void put_colors(dsm__text_buffer *out, const dsm__layout *layout, const void *document,
                       color (*shown)(color)) {
  const int part_count = layout->part_count == NULL ? 0 : layout->part_count(document);
  const size_t first = part_count > 0 ? DSM__SERIES_COLORS - 1 : 0;
  for (int part = 0; part < part_count; part++) {
    put_color(out, dsm__color_of_part((dsm__time_part)part), shown);
  }
  for (size_t i = first; i < first + layout->series; i++) {
    put_color(out, dsm__color_of_series(i), shown);
  }
  put_color(out, DSM__COLOR_STRONG, shown);
  if (layout->has_leaders) {
    put_color(out, DSM__COLOR_LEADER, shown);
  }
}

static color unchanged(color light) {
  return light;
}

void dsm__web_colors(dsm__text_buffer *out, const dsm__layout *layout, const void *document) {
  put_colors(out, layout, document, unchanged);
  dsm__text_puts(out, "@media screen and (prefers-color-scheme: dark) {\n");
  put_colors(out, layout, document, color_on_dark);
  dsm__text_puts(out, "}\n");
}

/* ---- pieces of pages ---- */

void dsm__web_paragraph(dsm__page *page, const char *class, const char *text) {
  if (class == NULL) {
    dsm__html_element(&page->out, "p", text, NULL);
  } else {
    dsm__html_element(&page->out, "p", text, "class", class, NULL);
  }
}

void dsm__web_code(dsm__page *page, const char *id, const char *text) {
  dsm__html_begin(&page->out, "pre", "id", id, "tabindex", "0", NULL);
  dsm__html_begin(&page->out, "code", NULL);
  dsm__html_text(&page->out, text);
  dsm__text_puts(&page->out, "</code>");
  dsm__html_end(&page->out, "pre");
}

/* Begins what is scrolled where it is wider than the page. `name` says what scrolls, for assistive
 * technology. */
static void scroll_begin(dsm__page *page, const char *name) {
  dsm__html_begin(&page->out, "div", "class", "scroll", "tabindex", "0", "role", "region",
                  "aria-label", name, NULL);
  dsm__page_break(page);
}

static void scroll_end(dsm__page *page) {
  dsm__html_end(&page->out, "div");
}

void dsm__web_table_begin(dsm__page *page, const char *id, const char *name, const char *caption,
                          const dsm__web_title *titles, size_t count) {
  scroll_begin(page, name);
  dsm__html_begin(&page->out, "table", "id", id, NULL);
  dsm__html_element(&page->out, "caption", caption, NULL);
  dsm__html_begin(&page->out, "thead", NULL);
  dsm__html_begin(&page->out, "tr", NULL);
  for (size_t i = 0; i < count; i++) {
    dsm__html_element(&page->out, "th", titles[i].text, "scope", "col", "class",
                      titles[i].is_number ? "number" : "name", NULL);
  }
  dsm__html_end(&page->out, "tr");
  dsm__html_end(&page->out, "thead");
  dsm__html_begin(&page->out, "tbody", NULL);
}

void dsm__web_table_end(dsm__page *page) {
  dsm__html_end(&page->out, "tbody");
  dsm__html_end(&page->out, "table");
  scroll_end(page);
}

void dsm__web_number(dsm__page *page, const char *class, double exact, const char *text) {
  char digits[DSM__NUMBER_TEXT_SIZE];
  if (text[0] == '\0' || !isfinite(exact)) {
    dsm__html_element(&page->out, "td", text, "class", class, NULL);
    return;
  }
  (void)dsm__double_to_text(exact, digits);
  dsm__html_element(&page->out, "td", text, "class", class, "data-v", digits, NULL);
}

void dsm__web_figure(dsm__page *page, dsm__plot_maker *maker, const char *id, const char *label,
                     const char *caption) {
  dsm__text_buffer *const out = &page->out;
  dsm__html_begin(out, "figure", "id", id, NULL);
  dsm__page_break(page);
  if (maker->legend.length > 0) {
    dsm__html_begin(out, "ul", "class", "legend", NULL);
    dsm__text_puts(out, maker->legend.text);
    dsm__html_end(out, "ul");
  }
  scroll_begin(page, caption);
  dsm__svg_end(maker, out, "figure", label);
  scroll_end(page);
  dsm__html_element(out, "figcaption", caption, NULL);
  dsm__html_end(out, "figure");
}

/* Below this, times are in microseconds. */
static const double least_millisecond = 1e-3;

const char *dsm__web_time(dsm__page *page, const dsm_plan *plan, double cycles) {
  const double seconds = dsm__share(cycles, dsm__hertz(plan->system->core.frequency_GHz));
  return seconds < least_millisecond
             ? dsm__page_text(page, "%s \xC2\xB5s", dsm__figure_digits(1e6 * seconds, 4).text)
             : dsm__page_text(page, "%s ms", dsm__figure_digits(1e3 * seconds, 4).text);
}

const char *dsm__web_percent(dsm__page *page, double share) {
  static const double least_shown = 0.0005;
  return share > 0 && share < least_shown
             ? "under 0.1 %"
             : dsm__page_text(page, "%s %%",
                              dsm__figure_fixed(100 * (share > 0 ? share : 0), 1).text);
}

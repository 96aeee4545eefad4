/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/plot_maker.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "report/figure/plot_metrics.h"
#include "report/table/display.h"

/* The boxes of a legend. */
static const double box_side = 9;
static const double box_gap = 4;
static const double entry_gap = 14;

/* ---- beginning and end ---- */

dsm_status dsm__plot_begin(dsm__plot_maker *maker, dsm_diags *diags) {
  *maker = (dsm__plot_maker){.arena = dsm__arena_new(), .title = ""};
  return maker->arena == NULL ? dsm__out_of_memory(diags) : DSM_OK;
}

/* The figure itself, in the arena; NULL if out of memory. */
static dsm_plot *settle(dsm__plot_maker *maker) {
  dsm__arena *const arena = maker->arena;
  dsm_plot *const plot = dsm__arena_alloc(arena, sizeof *plot);
  dsm_plot_data *const data = dsm__arena_array(arena, maker->data_count, sizeof *data);
  bool is_whole = plot != NULL && data != NULL && !maker->body.failed && maker->body.text != NULL;
  for (size_t i = 0; is_whole && i < maker->data_count; i++) {
    const dsm__text_buffer *const text = &maker->data_texts[i];
    data[i].name = maker->data_names[i];
    data[i].text =
        text->failed ? NULL : dsm__arena_strdup(arena, text->text == NULL ? "" : text->text);
    is_whole = data[i].text != NULL;
  }
  if (!is_whole) {
    return NULL;
  }
  *plot = (dsm_plot){.title = maker->title,
                     .width = DSM__PLOT_WIDTH,
                     .height = maker->height,
                     .body = dsm__arena_strdup(arena, maker->body.text),
                     .data = data,
                     .data_count = maker->data_count,
                     .arena = arena};
  return plot->body == NULL ? NULL : plot;
}

static void free_texts(dsm__plot_maker *maker) {
  dsm__text_fini(&maker->body);
  for (size_t i = 0; i < maker->data_count; i++) {
    dsm__text_fini(&maker->data_texts[i]);
  }
}

void dsm__plot_abandon(dsm__plot_maker *maker) {
  free_texts(maker);
  dsm__arena_free(maker->arena);
}

dsm_status dsm__plot_finish(dsm__plot_maker *maker, dsm_plot **plot, dsm_diags *diags) {
  dsm_plot *const made = settle(maker);
  free_texts(maker);
  if (made == NULL) {
    dsm__arena_free(maker->arena);
    return dsm__out_of_memory(diags);
  }
  *plot = made;
  return DSM_OK;
}

/* ---- data and texts ---- */

dsm__text_buffer *dsm__plot_add_data(dsm__plot_maker *maker, const char *name) {
  const size_t index = maker->data_count++;
  maker->data_names[index] = name;
  maker->data_texts[index] = (dsm__text_buffer){0};
  return &maker->data_texts[index];
}

void dsm__plot_put_number(dsm__text_buffer *data, double value) {
  char text[DSM__NUMBER_TEXT_SIZE] = "NaN";
  if (isfinite(value)) {
    (void)dsm__double_to_text(value, text);
  }
  dsm__text_puts(data, text);
  dsm__text_puts(data, "\t");
}

/* A text without characters that steer, that is also without ends of lines and tabs; and without
 * what ends a CDATA section, because gnuplot writes a '>' into SVG as it is. */
static const char *clean(dsm__plot_maker *maker, const char *text) {
  char *const result = dsm__display_clean(maker->arena, text);
  for (char *end = result; end != NULL && (end = strstr(end, "]]>")) != NULL;) {
    end[2] = '?';
  }
  maker->body.failed = maker->body.failed || result == NULL;
  return result == NULL ? "" : result;
}

void dsm__plot_put_name(dsm__plot_maker *maker, dsm__text_buffer *data, const char *name) {
  dsm__text_puts(data, clean(maker, name));
  dsm__text_puts(data, "\n");
}

void dsm__plot_quote(dsm__plot_maker *maker, const char *text) {
  /* Between single quotes only these mean something to gnuplot. Doubled ones are misread by 5.4
   * where there are several, so that each is a string of its own. */
  dsm__text_puts(&maker->body, "'");
  for (const char *at = clean(maker, text); *at != '\0'; at++) {
    if (*at == '\'') {
      dsm__text_puts(&maker->body, "'.\"'\".'");
    } else {
      dsm__text_append(&maker->body, at, 1);
    }
  }
  dsm__text_puts(&maker->body, "'");
}

const char *dsm__plot_text(dsm__plot_maker *maker, const char *format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *const text = length < 0 ? NULL : dsm__arena_alloc(maker->arena, (size_t)length + 1);
  const bool is_made = text != NULL && vsnprintf(text, (size_t)length + 1, format, again) >= 0;
  va_end(again);
  maker->body.failed = maker->body.failed || !is_made;
  return is_made ? text : "";
}

const char *dsm__plot_fit(dsm__plot_maker *maker, const char *text, double size, double width) {
  const char *const shown = clean(maker, text);
  if (dsm__plot_text_width(shown, size) <= width) {
    return shown;
  }
  /* No letter is narrower than a quarter of its size, so that a long text need not be tried whole.
   */
  const size_t natural = dsm__display_width(shown);
  const size_t most = (size_t)fmax(0, 4 * width / size);
  for (size_t columns = natural < most ? natural : most; columns > 0; columns--) {
    dsm__text_buffer shorter = {0};
    dsm__display_put(&shorter, shown, columns, false);
    const char *const kept = shorter.failed ? NULL : dsm__arena_strdup(maker->arena, shorter.text);
    dsm__text_fini(&shorter);
    if (kept == NULL) {
      maker->body.failed = true;
      return "";
    }
    if (dsm__plot_text_width(kept, size) <= width) {
      return kept;
    }
  }
  return "";
}

/* ---- what is put on the page ---- */

/* A place of the page as gnuplot wants it: parts of the picture, from below. */
static void put_place(dsm__plot_maker *maker, dsm__point at) {
  dsm__text_printf(&maker->body, "screen %.6f,%.6f", at.x / DSM__PLOT_WIDTH,
                   1 - at.y / maker->height);
}

void dsm__plot_label(dsm__plot_maker *maker, dsm__point at, dsm__label_style style,
                     const char *text) {
  static const char *const anchors[] = {
      [DSM__ANCHOR_LEFT] = "left", [DSM__ANCHOR_CENTER] = "center", [DSM__ANCHOR_RIGHT] = "right"};
  dsm__text_puts(&maker->body, "set label ");
  dsm__plot_quote(maker, text);
  dsm__text_puts(&maker->body, " at ");
  put_place(maker, at);
  dsm__text_printf(&maker->body, " %s%s font ',%.4g' tc rgb '%s' front\n", anchors[style.anchor],
                   style.is_upward ? " rotate by 90" : "", style.size,
                   style.color == NULL ? "#000000" : style.color);
}

void dsm__plot_box(dsm__plot_maker *maker, dsm__area area, const char *color) {
  dsm__text_puts(&maker->body, "set object rectangle from ");
  put_place(maker, (dsm__point){area.left, area.top + area.height});
  dsm__text_puts(&maker->body, " to ");
  put_place(maker, (dsm__point){area.left + area.width, area.top});
  dsm__text_printf(&maker->body, " fc rgb '%s' fs solid noborder\n", color);
}

void dsm__plot_line(dsm__plot_maker *maker, dsm__point from, dsm__point to, const char *color) {
  dsm__text_puts(&maker->body, "set arrow from ");
  put_place(maker, from);
  dsm__text_puts(&maker->body, " to ");
  put_place(maker, to);
  dsm__text_printf(&maker->body, " nohead back lc rgb '%s' lw 0.75\n", color);
}

double dsm__plot_legend(dsm__plot_maker *maker, dsm__area area, const dsm__legend_entry *entries,
                        size_t count, bool is_drawn) {
  const double pitch = DSM__SIZE_TEXT * DSM__LINE_PITCH;
  double x = area.left;
  double y = area.top + pitch / 2;
  for (size_t i = 0; i < count; i++) {
    const double width = box_side + box_gap + dsm__plot_text_width(entries[i].text, DSM__SIZE_TEXT);
    if (x > area.left && x + width > area.left + area.width) {
      x = area.left;
      y += pitch;
    }
    if (is_drawn) {
      dsm__plot_box(maker, (dsm__area){x, y - box_side / 2, box_side, box_side}, entries[i].color);
      dsm__plot_label(maker, (dsm__point){x + box_side + box_gap, y},
                      (dsm__label_style){.size = DSM__SIZE_TEXT}, entries[i].text);
    }
    x += width + entry_gap;
  }
  return count == 0 ? 0 : y + pitch / 2 - area.top;
}

static const double heading_margin = 10;

double dsm__plot_heading_height(bool has_below) {
  return heading_margin + (DSM__SIZE_TITLE + (has_below ? DSM__SIZE_TEXT : 0)) * DSM__LINE_PITCH;
}

double dsm__plot_heading(dsm__plot_maker *maker, const char *title, const char *below) {
  const double room = DSM__PLOT_WIDTH - 2 * heading_margin;
  const double title_pitch = DSM__SIZE_TITLE * DSM__LINE_PITCH;
  const double top = heading_margin / 2;
  maker->title = clean(maker, title);
  dsm__plot_label(maker, (dsm__point){heading_margin, top + title_pitch / 2},
                  (dsm__label_style){.size = DSM__SIZE_TITLE},
                  dsm__plot_fit(maker, title, DSM__SIZE_TITLE, room));
  if (below != NULL) {
    const double y = top + title_pitch + DSM__SIZE_TEXT * DSM__LINE_PITCH / 2;
    dsm__plot_label(maker, (dsm__point){heading_margin, y},
                    (dsm__label_style){.size = DSM__SIZE_TEXT, .color = "#555555"},
                    dsm__plot_fit(maker, below, DSM__SIZE_TEXT, room));
  }
  return dsm__plot_heading_height(below != NULL);
}

/* ---- panels ---- */

void dsm__plot_panel(dsm__plot_maker *maker, dsm__area area, dsm__panel_axis x, dsm__panel_axis y) {
  char low[DSM__NUMBER_TEXT_SIZE];
  char high[DSM__NUMBER_TEXT_SIZE];
  dsm__text_printf(&maker->body, "set lmargin at screen %.6f; set rmargin at screen %.6f\n",
                   area.left / DSM__PLOT_WIDTH, (area.left + area.width) / DSM__PLOT_WIDTH);
  dsm__text_printf(&maker->body, "set tmargin at screen %.6f; set bmargin at screen %.6f\n",
                   1 - area.top / maker->height, 1 - (area.top + area.height) / maker->height);
  (void)dsm__double_to_text(x.low, low);
  (void)dsm__double_to_text(x.high, high);
  dsm__text_printf(&maker->body, "%s logscale x; set xrange [%s:%s]\n", x.is_log ? "set" : "unset",
                   low, high);
  (void)dsm__double_to_text(y.low, low);
  (void)dsm__double_to_text(y.high, high);
  dsm__text_printf(&maker->body, "%s logscale y; set yrange [%s:%s]\n", y.is_log ? "set" : "unset",
                   low, high);
}

void dsm__plot_panel_end(dsm__plot_maker *maker) {
  dsm__text_puts(&maker->body, "unset label; unset object; unset arrow\n\n");
}

void dsm__plot_empty_panel(dsm__plot_maker *maker) {
  static const dsm__panel_axis unit = {.low = 0, .high = 1};
  dsm__plot_panel(maker, (dsm__area){0, 0, DSM__PLOT_WIDTH, maker->height}, unit, unit);
  /* A line that is outside its panel: gnuplot draws labels only together with something. */
  dsm__text_puts(&maker->body, "unset border; plot 2; set border 15\n");
  dsm__plot_panel_end(maker);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/plot_maker.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "report/table/display.h"

/* Of figures for gnuplot. */
static const double page_width = 720;
/* The boxes of a legend. */
static const double box_side = 9;
static const double box_gap = 4;
static const double entry_gap = 14;

/* ---- beginning and end ---- */

dsm_status dsm__plot_begin(dsm__plot_maker *maker, dsm_diags *diags) {
  *maker = (dsm__plot_maker){
      .back_end = &dsm__gnuplot, .arena = dsm__arena_new(), .title = "", .width = page_width};
  return maker->arena == NULL ? dsm__out_of_memory(diags) : DSM_OK;
}

/* A text of the arena; NULL if there is none. */
static const char *kept(dsm__plot_maker *maker, const dsm__text_buffer *text) {
  return text->failed ? NULL
                      : dsm__arena_strdup(maker->arena, text->text == NULL ? "" : text->text);
}

/* Draws what was put on the page since the last panel. */
static void draw_rest(dsm__plot_maker *maker) {
  static const dsm__panel_axis unit = {.low = 0, .high = 1};
  dsm__plot_panel(maker, (dsm__area){0, 0, maker->width, maker->height}, unit, unit);
  dsm__text_puts(&maker->body, "unset border\n");
  dsm__plot_panel_end(maker);
}

/* The figure itself, in the arena; NULL if out of memory. */
static dsm_plot *settle(dsm__plot_maker *maker) {
  dsm__arena *const arena = maker->arena;
  draw_rest(maker);
  dsm_plot *const plot = dsm__arena_alloc(arena, sizeof *plot);
  if (plot == NULL) {
    return NULL;
  }
  *plot = (dsm_plot){.title = maker->title,
                     .width = maker->width,
                     .height = maker->height,
                     .body = kept(maker, &maker->body),
                     .marks = kept(maker, &maker->marks),
                     .arena = arena};
  return plot->body == NULL || plot->marks == NULL ? NULL : plot;
}

void dsm__plot_free_texts(dsm__plot_maker *maker) {
  dsm__text_buffer *const texts[] = {&maker->body,   &maker->legend, &maker->grid,
                                     &maker->labels, &maker->marks,  &maker->plots};
  for (size_t i = 0; i < DSM__COUNT_OF(texts); i++) {
    dsm__text_fini(texts[i]);
  }
}

dsm_status dsm__plot_finish(dsm__plot_maker *maker, dsm_plot **plot, dsm_diags *diags) {
  *plot = settle(maker);
  dsm__plot_free_texts(maker);
  if (*plot == NULL) {
    dsm__arena_free(maker->arena);
    return dsm__out_of_memory(diags);
  }
  return DSM_OK;
}

const char *dsm__plot_kept(dsm__plot_maker *maker, const char *text) {
  maker->body.failed = maker->body.failed || text == NULL;
  return text == NULL ? "" : text;
}

/* ---- data ---- */

void dsm__plot_put_number(dsm__text_buffer *data, double value) {
  char text[DSM__NUMBER_TEXT_SIZE] = "NaN";
  if (isfinite(value)) {
    (void)dsm__double_to_text(value, text);
  }
  dsm__text_puts(data, text);
  dsm__text_puts(data, "\t");
}

/* ---- texts ---- */

/* A text without characters that steer, that is also without ends of lines and tabs; and without
 * what ends a CDATA section, because gnuplot writes a '>' into SVG as it is. */
const char *dsm__plot_clean(dsm__plot_maker *maker, const char *text) {
  char *const result = dsm__display_clean(maker->arena, text);
  for (char *end = result; end != NULL && (end = strstr(end, "]]>")) != NULL;) {
    end[2] = '?';
  }
  return dsm__plot_kept(maker, result);
}

const char *dsm__plot_text(dsm__plot_maker *maker, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const char *const text = dsm__arena_vprintf(maker->arena, format, args);
  va_end(args);
  return dsm__plot_kept(maker, text);
}

const char *dsm__plot_fit(dsm__plot_maker *maker, const char *text, double size, double width) {
  const char *const shown = dsm__plot_clean(maker, text);
  if (dsm__plot_text_width(shown, size) <= width) {
    return shown;
  }
  /* No letter is narrower than a quarter of its size, so that a long text need not be tried whole.
   */
  const size_t natural = dsm__display_width(shown);
  const size_t most = (size_t)fmax(0, 4 * width / size);
  for (size_t columns = natural < most ? natural : most; columns > 0; columns--) {
    dsm__text_buffer shorter = {0};
    dsm__display_put(&shorter, shown, columns);
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

/* What fits with a number behind it. */
static const char *fit_numbered(dsm__plot_maker *maker, const char *text, size_t number,
                                double size, double width) {
  const char *const mark = dsm__plot_text(maker, " (%zu)", number);
  const double room = width - dsm__plot_text_width(mark, size);
  return dsm__plot_text(maker, "%s%s", dsm__plot_fit(maker, text, size, room), mark);
}

static bool is_shown(const dsm__plot_maker *maker, const char *text) {
  const dsm__shown_text *one = maker->shown;
  while (one != NULL && strcmp(one->shown, text) != 0) {
    one = one->next;
  }
  return one != NULL;
}

/* A text that reads as none of those that are noted, and is noted. */
static const char *fit_new(dsm__plot_maker *maker, const char *text, double size, double width) {
  const char *const fitted = dsm__plot_fit(maker, text, size, width);
  const char *shown = fitted;
  size_t number = 1;
  for (const dsm__shown_text *one = maker->shown; one != NULL; one = one->next) {
    number += strcmp(one->fitted, fitted) == 0 ? 1 : 0;
  }
  for (; shown[0] != '\0' && is_shown(maker, shown); number++) {
    shown = fit_numbered(maker, text, number, size, width);
  }
  dsm__shown_text *const more = dsm__arena_array(maker->arena, 1, sizeof *more);
  if (more == NULL) {
    maker->body.failed = true;
    return shown;
  }
  *more = (dsm__shown_text){maker->shown, text, fitted, shown, size, width};
  maker->shown = more;
  return shown;
}

const char *const *dsm__plot_fit_all(dsm__plot_maker *maker, const char *const *names, size_t count,
                                     double size, double width) {
  const dsm__shown_text *const others = maker->shown;
  const char **const shown = dsm__arena_array(maker->arena, count, sizeof *shown);
  if (shown == NULL) {
    maker->body.failed = true;
    return names;
  }
  maker->shown = NULL;
  for (size_t i = 0; i < count; i++) {
    shown[i] = fit_new(maker, names[i], size, width);
  }
  maker->shown = others;
  return shown;
}

const char *dsm__plot_fit_apart(dsm__plot_maker *maker, const char *text, double size,
                                double width) {
  for (const dsm__shown_text *one = maker->shown; one != NULL; one = one->next) {
    if (strcmp(one->text, text) == 0 && !(one->size < size || one->size > size) &&
        !(one->width < width || one->width > width)) {
      return one->shown;
    }
  }
  return fit_new(maker, text, size, width);
}

/* ---- what is put on the page ---- */

void dsm__plot_label(dsm__plot_maker *maker, dsm__point at, dsm__label_style style,
                     const char *text) {
  maker->back_end->label(maker, at, style, text);
}

void dsm__plot_box(dsm__plot_maker *maker, dsm__area area, const char *color, const char *about) {
  maker->back_end->box(maker, area, color, about);
}

void dsm__plot_line(dsm__plot_maker *maker, dsm__point from, dsm__point to, const char *color) {
  maker->back_end->line(maker, from, to, color);
}

double dsm__plot_legend(dsm__plot_maker *maker, const dsm__legend_entry *entries, size_t count) {
  const double top = dsm__plot_heading_height(maker);
  const double pitch = DSM__SIZE_TEXT * DSM__LINE_PITCH;
  const double right = maker->width - DSM__PLOT_MARGIN;
  double x = DSM__PLOT_MARGIN;
  double y = top + pitch / 2;
  for (size_t i = 0; i < count; i++) {
    const double width = box_side + box_gap + dsm__plot_text_width(entries[i].text, DSM__SIZE_TEXT);
    if (x > DSM__PLOT_MARGIN && x + width > right) {
      x = DSM__PLOT_MARGIN;
      y += pitch;
    }
    if (maker->is_in_page) {
      dsm__svg_legend(maker, &entries[i]);
    } else {
      dsm__plot_box(maker, (dsm__area){x, y - box_side / 2, box_side, box_side}, entries[i].color,
                    NULL);
      dsm__plot_label(maker, (dsm__point){x + box_side + box_gap, y},
                      (dsm__label_style){.size = DSM__SIZE_TEXT}, entries[i].text);
    }
    x += width + entry_gap;
  }
  return count == 0 || maker->is_in_page ? top : y + pitch / 2;
}

double dsm__plot_heading_height(const dsm__plot_maker *maker) {
  return DSM__PLOT_MARGIN +
         (maker->is_in_page ? 0 : (DSM__SIZE_TITLE + DSM__SIZE_TEXT) * DSM__LINE_PITCH);
}

void dsm__plot_heading(dsm__plot_maker *maker, const char *title, const char *below) {
  const double room = maker->width - 2 * DSM__PLOT_MARGIN;
  const double title_pitch = DSM__SIZE_TITLE * DSM__LINE_PITCH;
  const double top = DSM__PLOT_MARGIN / 2;
  if (maker->is_in_page) {
    return;
  }
  maker->title = dsm__plot_clean(maker, title);
  dsm__plot_label(maker, (dsm__point){DSM__PLOT_MARGIN, top + title_pitch / 2},
                  (dsm__label_style){.size = DSM__SIZE_TITLE},
                  dsm__plot_fit(maker, title, DSM__SIZE_TITLE, room));
  const double y = top + title_pitch + DSM__SIZE_TEXT * DSM__LINE_PITCH / 2;
  const double size =
      dsm__plot_text_width(below, DSM__SIZE_TEXT) > room ? DSM__SIZE_SMALL : DSM__SIZE_TEXT;
  dsm__plot_label(maker, (dsm__point){DSM__PLOT_MARGIN, y},
                  (dsm__label_style){.size = size, .color = DSM__COLOR_FAINT},
                  dsm__plot_fit(maker, below, size, room));
}

/* ---- panels ---- */

void dsm__plot_panel(dsm__plot_maker *maker, dsm__area area, dsm__panel_axis x, dsm__panel_axis y) {
  maker->panel = (dsm__panel){.area = area, .x = x, .y = y};
  maker->back_end->panel(maker);
}

void dsm__plot_panel_end(dsm__plot_maker *maker) {
  maker->back_end->panel_end(maker);
}

dsm__point dsm__plot_place(const dsm__plot_maker *maker, double x, double y) {
  const dsm__panel *const panel = &maker->panel;
  return (dsm__point){panel->area.left + panel->area.width * dsm__axis_share(&panel->x, x),
                      panel->area.top + panel->area.height * (1 - dsm__axis_share(&panel->y, y))};
}

void dsm__mark_box(dsm__plot_maker *maker, dsm__panel_axis x, dsm__panel_axis y, const char *color,
                   const char *about) {
  maker->back_end->mark_box(maker, x, y, color, about);
}

void dsm__mark_curve(dsm__plot_maker *maker, const dsm__point *points, size_t count,
                     const dsm__look *look, const char *about) {
  maker->back_end->mark_curve(maker, points, count, look, about);
}

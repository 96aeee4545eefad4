/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/plot_serving.h"

#include <math.h>
#include <string.h>

#include "dsm/serving.h"
#include "report/table/number_style.h"

static const double left_margin = 74;
static const double right_margin = 14;
static const double axis_height = 40;

bool dsm__serving_has_tokens(const void *serving) {
  return ((const dsm_serving *)serving)->best.user_tokens_per_second > 0;
}

static dsm__area begin(dsm__plot_maker *maker, const dsm_serving *serving, double top,
                       const char *what) {
  static const double height = 260;
  maker->height = ceil(top + height + axis_height + 4);
  if (!maker->is_in_page) {
    dsm__plot_heading(maker, dsm__plot_text(maker, "%s: %s", serving->name, what),
                      dsm__plot_text(maker, "%s tokens in, %s out; best: %s, %s requests at a time",
                                     dsm__figure_count(serving->options.input_tokens).text,
                                     dsm__figure_count(serving->options.output_tokens).text,
                                     serving->best.instance,
                                     dsm__figure_count(serving->best.requests).text));
  }
  return (dsm__area){left_margin, top, maker->width - left_margin - right_margin, height};
}

/* ---- the front ---- */

enum { LINES_MAX = 8 }; /* colours that can be told apart */

/* The first point with the instance of a point. */
static size_t first_of(const dsm_serving *serving, size_t point) {
  size_t first = 0;
  while (strcmp(serving->points[first].instance, serving->points[point].instance) != 0) {
    first++;
  }
  return first;
}

static void put_line(dsm__plot_maker *maker, const dsm_serving *serving, size_t first,
                     const char *color) {
  static const double side = 5;
  const char *const instance = serving->points[first].instance;
  dsm__point *const line = dsm__arena_array(maker->arena, serving->point_count, sizeof *line);
  size_t count = 0;
  maker->body.failed = maker->body.failed || line == NULL;
  for (size_t i = first; i < serving->point_count && !maker->body.failed; i++) {
    const dsm_serving_point *const point = &serving->points[i];
    if (first_of(serving, i) == first) {
      line[count] = (dsm__point){point->user_tokens_per_second, point->chip_tokens_per_second};
      const dsm__point at = dsm__plot_place(maker, line[count].x, line[count].y);
      const bool is_best = i + 1 == serving->point_count;
      dsm__plot_box(maker, (dsm__area){at.x - side / 2, at.y - side / 2, side, side},
                    is_best ? DSM__COLOR_STRONG : color,
                    dsm__plot_text(maker, "%s, %s requests: %s tokens/s a user, %s a chip",
                                   instance, dsm__figure_count(point->requests).text,
                                   dsm__figure_digits(line[count].x, 4).text,
                                   dsm__figure_digits(line[count].y, 4).text));
      count++;
    }
  }
  if (!maker->body.failed) {
    dsm__mark_curve(maker, line, count, &(dsm__look){.color = color, .width = 1.5}, instance);
  }
}

void dsm__plot_serving_front(dsm__plot_maker *maker, const void *of) {
  const dsm_serving *const serving = of;
  dsm__legend_entry legend[LINES_MAX];
  size_t firsts[LINES_MAX];
  size_t count = 0;
  dsm__panel_axis x = {.low = 0};
  dsm__panel_axis y = {.low = 0};
  for (size_t i = 0; i < serving->point_count; i++) {
    const dsm_serving_point *const point = &serving->points[i];
    x.high = fmax(x.high, point->user_tokens_per_second);
    y.high = fmax(y.high, point->chip_tokens_per_second);
    if (first_of(serving, i) == i && count < LINES_MAX) {
      legend[count] = (dsm__legend_entry){dsm__color_of_series(count), point->instance};
      firsts[count++] = i;
    }
  }
  x = dsm__axis_round(x);
  y = dsm__axis_round(y);
  const dsm__area area =
      begin(maker, serving, dsm__plot_legend(maker, legend, count) + 12, "users against chips");
  dsm__plot_panel(maker, area, x, y);
  dsm__plot_x_axis(maker, area, x, (dsm__axis_text){.title = "tokens/s of a user"});
  dsm__plot_y_axis(maker, area, y, (dsm__axis_text){.title = "tokens/s of a chip"});
  for (size_t line = 0; line < count; line++) {
    put_line(maker, serving, firsts[line], legend[line].color);
  }
  dsm__plot_panel_end(maker);
}

/* ---- where a token's time goes ---- */

enum { PARTS = 8, BARS_MAX = 24 };

static const char *const part_names[PARTS] = {
    "weights",           "cache", "products",          "collectives", "other operations",
    "starts of kernels", "host",  "prefills of others"};

static double part_of(const dsm_serving_point *point, size_t part) {
  const dsm_serving_parts *const parts = &point->parts;
  const double seconds[PARTS] = {parts->weights,  parts->cache,
                                 parts->products, parts->collectives,
                                 parts->others,   parts->overhead,
                                 parts->host,     point->tpot_seconds - point->decode_seconds};
  return 1e3 * seconds[part];
}

/* Takes some batches of the best instance, from few to many requests. */
static size_t choose_bars(const dsm_serving *serving, const dsm_serving_point *bars[BARS_MAX]) {
  size_t all = 0;
  size_t count = 0;
  for (size_t i = 0; i < serving->point_count; i++) {
    all += strcmp(serving->points[i].instance, serving->best.instance) == 0 ? 1 : 0;
  }
  const size_t most = all < BARS_MAX ? all : BARS_MAX;
  if (all == 0) { /* of an answer that was edited by hand: the best point is none of the front */
    bars[0] = &serving->best;
    return 1;
  }
  for (size_t i = 0, seen = 0; i < serving->point_count; i++) {
    if (strcmp(serving->points[i].instance, serving->best.instance) == 0) {
      seen++;
      if (seen * most / all > count) {
        bars[count++] = &serving->points[i];
      }
    }
  }
  return count;
}

static void put_bar(dsm__plot_maker *maker, const dsm_serving_point *point, size_t index) {
  static const double half = 0.4;
  const double place = (double)index + 1;
  const dsm__panel_axis x = {.low = place - half, .high = place + half};
  double bottom = 0;
  for (size_t part = 0; part < PARTS; part++) {
    const double ms = part_of(point, part);
    if (ms > 0) {
      dsm__mark_box(maker, x, (dsm__panel_axis){.low = bottom, .high = bottom + ms},
                    dsm__color_of_series(part),
                    dsm__plot_text(maker, "%s requests, %s: %s ms",
                                   dsm__figure_count(point->requests).text, part_names[part],
                                   dsm__figure_digits(ms, 4).text));
      bottom += ms;
    }
  }
}

/* Numbers of requests below the bars, as many as there is room for. */
static void put_requests(dsm__plot_maker *maker, const dsm_serving_point *const *bars, size_t count,
                         dsm__area area) {
  const double y = area.top + area.height + DSM__SIZE_SMALL;
  double free_from = 0;
  for (size_t i = 0; i < count; i++) {
    const char *const text = dsm__plot_text(maker, "%s", dsm__figure_count(bars[i]->requests).text);
    const double width = dsm__plot_text_width(text, DSM__SIZE_SMALL);
    const double x = dsm__plot_place(maker, (double)i + 1, 0).x;
    if (x - width / 2 >= free_from) {
      dsm__plot_label(maker, (dsm__point){x, y},
                      (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_CENTER},
                      text);
      free_from = x + width / 2 + 4;
    }
  }
  dsm__plot_label(
      maker, (dsm__point){area.left + area.width / 2, y + 2 + DSM__SIZE_TEXT * DSM__LINE_PITCH},
      (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER},
      dsm__plot_text(maker, "requests at a time on %s", bars[0]->instance));
}

void dsm__plot_serving_steps(dsm__plot_maker *maker, const void *of) {
  const dsm_serving *const serving = of;
  const dsm_serving_point *bars[BARS_MAX];
  dsm__legend_entry legend[PARTS];
  const size_t count = choose_bars(serving, bars);
  const dsm__panel_axis x = {.low = 0.5, .high = (double)count + 0.5};
  dsm__panel_axis y = {.low = 0};
  for (size_t part = 0; part < PARTS; part++) {
    legend[part] = (dsm__legend_entry){dsm__color_of_series(part), part_names[part]};
  }
  for (size_t i = 0; i < count; i++) {
    y.high = fmax(y.high, 1e3 * bars[i]->tpot_seconds);
  }
  y = dsm__axis_round(y);
  const dsm__area area = begin(maker, serving, dsm__plot_legend(maker, legend, PARTS) + 12,
                               "what a token takes over requests");
  dsm__plot_panel(maker, area, x, y);
  dsm__plot_y_axis(maker, area, y, (dsm__axis_text){.title = "ms between tokens"});
  for (size_t i = 0; i < count; i++) {
    put_bar(maker, bars[i], i);
  }
  put_requests(maker, bars, count, area);
  dsm__plot_panel_end(maker);
}

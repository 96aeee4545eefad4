/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_roofline.c: every pass of every layer under the roof of a chip. */
#include <math.h>

#include "base/number_text.h"
#include "report/figure/svg.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/roofline.h"
#include "report/table/number_style.h"

static const dsm__svg_box plot = {.x = 90, .y = 14, .width = DSM__WEB_WIDTH - 120, .height = 380};

/* What the axes reach over, in decimal logarithms. */
typedef struct extent {
  double x_least;
  double x_most;
  double y_least;
  double y_most;
} extent;

static bool is_finite_and_positive(double value) {
  return value > 0 && isfinite(value);
}

static extent extent_of(const dsm_plan *plan, const dsm__web_passes *passes,
                        const dsm__roof *roof) {
  static const double margin = 0.25;
  const double ridge = log10(roof->peak_flops / roof->bytes_per_second);
  extent found = {.x_least = isfinite(ridge) ? ridge : 0, .y_most = log10(roof->peak_flops)};
  found.x_most = found.x_least;
  found.y_least = found.y_most;
  for (size_t i = 0; i < passes->count; i++) {
    const dsm__web_pass *const shown = &passes->items[i];
    const dsm__roofline_point point = dsm__roofline_point_of(plan, shown->layer, shown->pass);
    if (is_finite_and_positive(point.intensity)) {
      found.x_least = fmin(found.x_least, log10(point.intensity));
      found.x_most = fmax(found.x_most, log10(point.intensity));
    }
    if (is_finite_and_positive(point.flops)) {
      found.y_least = fmin(found.y_least, log10(point.flops));
    }
  }
  return (extent){.x_least = found.x_least - margin,
                  .x_most = found.x_most + margin,
                  .y_least = found.y_least - margin,
                  .y_most = found.y_most + margin};
}

/* Where a point lies; what is beyond the axes (no memory traffic at all) lies on their ends. */
static dsm__svg_point place(const extent *shown, double intensity, double flops) {
  const double x = isfinite(intensity) ? log10(intensity) : shown->x_most;
  const double y = flops > 0 ? log10(flops) : shown->y_least;
  const double across = (x - shown->x_least) / (shown->x_most - shown->x_least);
  const double up = (y - shown->y_least) / (shown->y_most - shown->y_least);
  return (dsm__svg_point){.x = plot.x + plot.width * fmin(fmax(across, 0), 1),
                          .y = plot.y + plot.height * (1 - fmin(fmax(up, 0), 1))};
}

/* ---- axes and roof ---- */

/* Ticks of an axis: at 1, 2 and 5 of each decade where few are shown, else every so many decades.
 */
typedef struct ticks {
  int decades;
  int count; /* in a decade */
} ticks;

static ticks ticks_of(double least, double most) {
  static const double few = 2.5;
  static const double labels_max = 9;
  return most - least <= few
             ? (ticks){.decades = 1, .count = 3}
             : (ticks){.decades = (int)fmax(1, ceil((most - least) / labels_max)), .count = 1};
}

static void put_tick_across(dsm__page *page, const extent *shown, double value) {
  const double bottom = plot.y + plot.height;
  const double x = place(shown, value, 0).x;
  dsm__svg_line(&page->out, "grid", (dsm__svg_point){.x = x, .y = plot.y},
                (dsm__svg_point){.x = x, .y = bottom});
  dsm__svg_text(&page->out, "middle", (dsm__svg_point){.x = x, .y = bottom + 18},
                dsm__figure_short(value, 3).text);
}

static void put_tick_up(dsm__page *page, const extent *shown, double value) {
  const double y = place(shown, 1, value).y;
  dsm__svg_line(&page->out, "grid", (dsm__svg_point){.x = plot.x, .y = y},
                (dsm__svg_point){.x = plot.x + plot.width, .y = y});
  dsm__svg_text(&page->out, "end", (dsm__svg_point){.x = plot.x - 8, .y = y + 4},
                dsm__figure_scaled(value, "FLOP/s").text);
}

/* The ticks between two decimal logarithms. */
static void put_ticks(dsm__page *page, const extent *shown, double least, double most,
                      void (*put)(dsm__page *page, const extent *shown, double value)) {
  static const double factors[] = {1, 2, 5};
  const ticks made = ticks_of(least, most);
  for (int d = (int)floor(least); d <= (int)ceil(most); d += made.decades) {
    for (int i = 0; i < made.count; i++) {
      const double at = d + log10(factors[i]);
      if (at >= least && at <= most) {
        put(page, shown, factors[i] * pow(10, d));
      }
    }
  }
}

static void put_axes(dsm__page *page, const extent *shown) {
  put_ticks(page, shown, shown->x_least, shown->x_most, put_tick_across);
  put_ticks(page, shown, shown->y_least, shown->y_most, put_tick_up);
  dsm__svg_text(&page->out, "middle",
                (dsm__svg_point){.x = plot.x + plot.width / 2, .y = plot.y + plot.height + 40},
                "FLOP for each byte of memory traffic");
}

/* The text on the slope stands at its left, where no point is: beside its upper end, or above the
 * roof if there is no room. */
static void put_bandwidth(dsm__page *page, dsm__svg_point foot, dsm__svg_point corner,
                          const dsm__roof *roof) {
  static const double text_width = 150;
  static const double text_height = 18;
  static const double line_gap = 13; /* more than the radius of a point on the slope */
  const double across = (corner.x - foot.x) / fmax(foot.y - corner.y, 1); /* for each unit up */
  const dsm__svg_point end = {.x = corner.x - across * text_height - line_gap * hypot(1, across),
                              .y = corner.y + text_height - 4};
  const bool has_room = end.x - text_width > plot.x && end.y < plot.y + plot.height;
  const dsm__svg_point start = {.x = plot.x + 6, .y = plot.y + 12};
  dsm__svg_text(
      &page->out, has_room ? "end" : "start", has_room ? end : start,
      dsm__page_text(page, "memory: %s", dsm__figure_scaled(roof->bytes_per_second, "B/s").text));
}

static void put_roof(dsm__page *page, const extent *shown, const dsm__roof *roof) {
  const double right = pow(10, shown->x_most);
  const double ridge = roof->peak_flops / roof->bytes_per_second;
  const double left =
      fmax(pow(10, shown->x_least), dsm__share(pow(10, shown->y_least), roof->bytes_per_second));
  const dsm__svg_point corner = place(shown, ridge, roof->peak_flops);
  const dsm__svg_point foot = place(shown, left, left * roof->bytes_per_second);
  dsm__svg_line(&page->out, "roof", foot, corner);
  dsm__svg_line(&page->out, "roof", corner, place(shown, right, roof->peak_flops));
  dsm__svg_text(&page->out, "end",
                (dsm__svg_point){.x = plot.x + plot.width - 6, .y = corner.y - 6},
                dsm__page_text(page, "peak of a chip: %s",
                               dsm__figure_scaled(roof->peak_flops, "FLOP/s").text));
  put_bandwidth(page, foot, corner, roof);
}

/* ---- points ---- */

/* The point of some equal layers, of which `which` is the first. */
static void put_point(dsm__page *page, const dsm_plan *plan, const extent *shown, double longest,
                      const dsm__web_pass *which, size_t equal) {
  const dsm_layer_plan *const layer = &plan->layers[which->layer];
  const dsm__roofline_point point = dsm__roofline_point_of(plan, which->layer, which->pass);
  const double cycles = which->cycles * (double)equal;
  const char *const name =
      equal == 1 ? layer->layer->name
                 : dsm__page_text(page, "%s and %zu equal layer%s", layer->layer->name, equal - 1,
                                  dsm__plural((double)(equal - 1)));
  /* The area stands for the time of all. */
  const double radius = fmax(2.5, 10 * sqrt(dsm__share(cycles, longest)));
  const char *const traffic =
      isfinite(point.intensity)
          ? dsm__page_text(page, "%s FLOP/B", dsm__figure_short(point.intensity, 4).text)
          : "no memory traffic";
  dsm__svg_circle(
      &page->out, dsm__page_text(page, "point pass-%d", (int)which->pass),
      place(shown, point.intensity, point.flops), radius,
      dsm__page_text(page, "%s %s: %s, %s, %s of what the roof allows there; %s of the step", name,
                     dsm_pass_name(which->pass), dsm__figure_scaled(point.flops, "FLOP/s").text,
                     traffic, dsm__web_percent(page, dsm__share(point.flops, point.roof_flops)),
                     dsm__web_percent(page, dsm__share(cycles, plan->result.step_cycles))));
}

static void put_legend(dsm__page *page, const dsm_plan *plan) {
  dsm__html_begin(&page->out, "ul", "class", "legend", NULL);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (p == DSM_PASS_FORWARD || plan->options.mode == DSM_MODE_TRAINING) {
      dsm__web_legend_entry(page, dsm__page_text(page, "round pass-%d", p),
                            dsm_pass_name((dsm_pass)p));
    }
  }
  dsm__html_end(&page->out, "ul");
}

static const char *caption_of(dsm__page *page, const dsm_plan *plan,
                              const dsm__web_passes *passes) {
  return passes->left_out == 0
             ? "Areas of points stand for time. Point at one for its layer and pass."
             : dsm__page_text(page,
                              "Areas of points stand for time. Shown are the %s passes that take "
                              "longest; the other %s take %s of the step.",
                              dsm__figure_count(passes->count).text,
                              dsm__figure_count(passes->left_out).text,
                              dsm__web_percent(
                                  page, dsm__share(passes->left_cycles, plan->result.step_cycles)));
}

void dsm__web_roofline(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_plan *const plan = subject->plan;
  const dsm__roof roof = dsm__roof_of(plan->system);
  const size_t *const equal = dsm__roofline_equal_layers(plan, page->arena);
  if (equal == NULL) {
    page->out.failed = true;
    return;
  }
  const dsm__web_passes passes = dsm__web_longest_passes(page, plan, DSM__WEB_POINTS_MAX);
  const extent shown = extent_of(plan, &passes, &roof);
  dsm__web_paragraph(page, NULL,
                     "Each pass of each layer, by the work that it does for each byte between chip "
                     "and memory. The line is the most that a chip's memory and arrays allow; what "
                     "lies far below it is bound by something else. Equal layers are one point.");
  dsm__web_figure_begin(page, "roofline-figure");
  put_legend(page, plan);
  dsm__web_scroll_begin(page, "Roofline");
  dsm__svg_begin(&page->out, "figure", DSM__WEB_WIDTH, plot.y + plot.height + 50,
                 "A point for each pass of each layer: FLOP/s of a chip over FLOP for each byte of "
                 "memory traffic, under the roof of the chip. The table of layers and passes has "
                 "the numbers.");
  double longest = 0;
  for (size_t i = 0; i < passes.count; i++) {
    longest = fmax(longest, passes.items[i].cycles * (double)equal[passes.items[i].layer]);
  }
  put_axes(page, &shown);
  put_roof(page, &shown, &roof);
  for (size_t i = 0; i < passes.count; i++) {
    const size_t count = equal[passes.items[i].layer];
    if (count > 0) {
      put_point(page, plan, &shown, longest, &passes.items[i], count);
    }
  }
  dsm__svg_end(&page->out);
  dsm__web_scroll_end(page);
  dsm__web_figure_end(page, caption_of(page, plan, &passes));
}

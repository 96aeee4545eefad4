/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_pim.c: the breakdown of a training on cores in memory over cores, and the knee over
 * tasklets.
 *
 * Numbers of cores are far apart: each has the same room. All is put on the page as boxes, lines
 * and labels, which either back end draws.
 */
#include "pim/pim_views.h"

#include <math.h>

#include "report/data/records.h"
#include "report/table/number_style.h"

static const double right_margin = 14;
static const double seconds_height = 130;
static const double shares_height = 150;
static const double cycles_height = 240;
static const double panel_gap = 16;
static const double axis_height = 40;
static const double mark = 5;

static const char *const part_names[DSM__PIM_PARTS] = {"kernel", "host to cores", "cores to host",
                                                       "between cores"};

static double part_of(const dsm_pim_cost *cost, size_t part) {
  const double parts[DSM__PIM_PARTS] = {cost->kernel_seconds, cost->host_to_cores_seconds,
                                        cost->cores_to_host_seconds, cost->between_cores_seconds};
  return parts[part];
}

static void put_heading(dsm__plot_maker *maker, const dsm_pim_plan *plan, const char *what) {
  const dsm_pim_choice *const choice = &plan->cost.choice;
  if (!maker->is_in_page) {
    dsm__plot_heading(
        maker,
        dsm__plot_text(maker, "%s on %s: %s", plan->workload->name, plan->system->name, what),
        dsm__plot_text(maker, "best: %s cores, %s tasklet%s, %s transfers, %s s",
                       dsm__figure_count(choice->cores).text,
                       dsm__figure_count(choice->tasklets).text, choice->tasklets == 1 ? "" : "s",
                       dsm_pim_transfers_name(choice->transfers),
                       dsm__figure_digits(plan->cost.seconds, 4).text));
  }
}

/* A square around a point. */
static void put_mark(dsm__plot_maker *maker, dsm__point at, const char *color, const char *about) {
  dsm__plot_box(maker, (dsm__area){at.x - mark / 2, at.y - mark / 2, mark, mark}, color, about);
}

/* ---- over cores ---- */

/* A bar for each number of cores that is feasible. */
typedef struct bars {
  dsm__plot_maker *maker;
  const dsm_pim_plan *plan;
  const dsm_pim_cost **costs;
  size_t count;
  dsm__area seconds;
  dsm__area shares;
} bars;

static bool find_bars(bars *of) {
  const size_t most = of->plan->curve_count;
  of->costs = dsm__arena_array(of->maker->arena, most, sizeof(const dsm_pim_cost *));
  for (size_t i = 0; of->costs != NULL && i < most; i++) {
    if (of->plan->curve[i].is_feasible) {
      of->costs[of->count++] = &of->plan->curve[i];
    }
  }
  return of->costs != NULL;
}

static double left_of(const bars *of, size_t index) {
  return of->shares.left + of->shares.width * (double)index / (double)of->count;
}

static double put_legend(const bars *of) {
  dsm__legend_entry entries[DSM__PIM_PARTS];
  for (size_t part = 0; part < DSM__PIM_PARTS; part++) {
    entries[part] =
        (dsm__legend_entry){.color = dsm__color_of_series(part), .text = part_names[part]};
  }
  return dsm__plot_legend(of->maker, entries, DSM__PIM_PARTS);
}

/* The time of each, with a line from one to the next. */
static void put_seconds(const bars *of) {
  dsm__panel_axis y = {.low = HUGE_VAL, .high = 0, .is_log = true};
  for (size_t i = 0; i < of->count; i++) {
    y.low = fmin(y.low, of->costs[i]->seconds);
    y.high = fmax(y.high, of->costs[i]->seconds);
  }
  y = dsm__axis_round(y);
  dsm__plot_y_axis(of->maker, of->seconds, y, (dsm__axis_text){.title = "seconds", .unit = ""});
  const double half = of->seconds.width / (double)of->count / 2;
  dsm__point before = {0, 0};
  for (size_t i = 0; i < of->count; i++) {
    const dsm_pim_cost *const cost = of->costs[i];
    const dsm__point at = {left_of(of, i) + half,
                           of->seconds.top +
                               of->seconds.height * (1 - dsm__axis_share(&y, cost->seconds))};
    if (i > 0) {
      dsm__plot_line(of->maker, before, at, DSM__COLOR_STRONG);
    }
    put_mark(of->maker, at, DSM__COLOR_STRONG,
             dsm__plot_text(of->maker, "%s cores, %s s", dsm__figure_count(cost->choice.cores).text,
                            dsm__figure_digits(cost->seconds, 4).text));
    before = at;
  }
}

static void put_bar(const bars *of, size_t index) {
  const dsm_pim_cost *const cost = of->costs[index];
  const double pitch = of->shares.width / (double)of->count;
  double bottom = of->shares.top + of->shares.height;
  for (size_t part = 0; part < DSM__PIM_PARTS; part++) {
    const double share = part_of(cost, part) / cost->seconds;
    const double height = share * of->shares.height;
    bottom -= height;
    if (height > 0) {
      dsm__plot_box(of->maker,
                    (dsm__area){left_of(of, index) + 0.1 * pitch, bottom, 0.8 * pitch, height},
                    dsm__color_of_series(part),
                    dsm__plot_text(of->maker, "%s cores, %s: %s s, %s %%",
                                   dsm__figure_count(cost->choice.cores).text, part_names[part],
                                   dsm__figure_digits(part_of(cost, part), 4).text,
                                   dsm__figure_fixed(100 * share, 1).text));
    }
  }
}

/* Numbers of cores below the bars: as many as there is room for. */
static void put_cores(const bars *of) {
  const double pitch = of->shares.width / (double)of->count;
  const double y = of->shares.top + of->shares.height + DSM__SIZE_SMALL;
  double free_from = 0;
  for (size_t i = 0; i < of->count; i++) {
    const char *const text =
        dsm__plot_text(of->maker, "%s", dsm__figure_count(of->costs[i]->choice.cores).text);
    const double width = dsm__plot_text_width(text, DSM__SIZE_SMALL);
    const double x = left_of(of, i) + pitch / 2;
    if (x - width / 2 >= free_from) {
      dsm__plot_label(of->maker, (dsm__point){x, y},
                      (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_CENTER},
                      text);
      free_from = x + width / 2 + 4;
    }
  }
  dsm__plot_label(of->maker,
                  (dsm__point){of->shares.left + of->shares.width / 2,
                               y + (DSM__SIZE_SMALL + DSM__SIZE_TEXT) * DSM__LINE_PITCH / 2 + 2},
                  (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER},
                  "cores");
}

void dsm__plot_pim_breakdown(dsm__plot_maker *maker, const void *subject) {
  const dsm_pim_plan *const plan = subject;
  static const double left_margin = 74;
  static const dsm__panel_axis percent = {.low = 0, .high = 100};
  bars of = {.maker = maker, .plan = plan};
  if (!find_bars(&of)) {
    maker->body.failed = true;
    return;
  }
  const double top = put_legend(&of) + 12;
  const double width = maker->width - left_margin - right_margin;
  of.seconds = (dsm__area){left_margin, top, width, seconds_height};
  of.shares = (dsm__area){left_margin, top + seconds_height + panel_gap, width, shares_height};
  maker->height = of.shares.top + shares_height + axis_height;
  put_heading(maker, plan, "where the time goes over cores");
  put_seconds(&of);
  dsm__plot_y_axis(maker, of.shares, percent,
                   (dsm__axis_text){.title = "% of the time", .unit = NULL});
  for (size_t i = 0; i < of.count; i++) {
    put_bar(&of, i);
  }
  put_cores(&of);
}

/* ---- over tasklets ---- */

/* The knee has a line of its own, and a label to its right. */
static void put_knee(dsm__plot_maker *maker, const dsm_pim_plan *plan, dsm__area area, double x) {
  dsm__plot_line(maker, (dsm__point){x, area.top}, (dsm__point){x, area.top + area.height},
                 DSM__COLOR_STRONG);
  const char *const text = dsm__plot_text(maker, "%s tasklet%s: within 1 %% of the least",
                                          dsm__figure_count(plan->knee_tasklets).text,
                                          plan->knee_tasklets == 1 ? "" : "s");
  const bool is_left =
      x + 6 + dsm__plot_text_width(text, DSM__SIZE_SMALL) <= area.left + area.width;
  dsm__plot_label(maker, (dsm__point){is_left ? x + 6 : x - 6, area.top + DSM__SIZE_SMALL},
                  (dsm__label_style){.size = DSM__SIZE_SMALL,
                                     .anchor = is_left ? DSM__ANCHOR_LEFT : DSM__ANCHOR_RIGHT},
                  text);
}

void dsm__plot_pim_tasklets(dsm__plot_maker *maker, const void *subject) {
  const dsm_pim_plan *const plan = subject;
  static const double left_margin = 74;
  const size_t count = plan->tasklet_curve_count;
  const dsm_pim_cost *const curve = plan->tasklet_curve;
  const double top = dsm__plot_heading_height(maker) + 12;
  const dsm__area area = {left_margin, top, maker->width - left_margin - right_margin,
                          cycles_height};
  const dsm__panel_axis x = {.low = 0, .high = (double)curve[count - 1].choice.tasklets + 1};
  dsm__panel_axis y = {.low = HUGE_VAL, .high = 0, .is_log = true};
  for (size_t i = 0; i < count; i++) {
    y.low = fmin(y.low, curve[i].update.cycles);
    y.high = fmax(y.high, curve[i].update.cycles);
  }
  y = dsm__axis_round(y);
  maker->height = top + cycles_height + axis_height;
  put_heading(maker, plan, "cycles of an update over tasklets");
  dsm__plot_x_axis(maker, area, x, (dsm__axis_text){.title = "tasklets of a core", .unit = NULL});
  dsm__plot_y_axis(maker, area, y, (dsm__axis_text){.title = "cycles of an update", .unit = NULL});
  dsm__point before = {0, 0};
  for (size_t i = 0; i < count; i++) {
    const dsm__point at = {
        area.left + area.width * dsm__axis_share(&x, (double)curve[i].choice.tasklets),
        area.top + area.height * (1 - dsm__axis_share(&y, curve[i].update.cycles))};
    if (i > 0) {
      dsm__plot_line(maker, before, at, DSM__COLOR_STRONG);
    }
    put_mark(maker, at, dsm__color_of_series(0),
             dsm__plot_text(maker, "%s tasklets, %s cycles",
                            dsm__figure_count(curve[i].choice.tasklets).text,
                            dsm__figure_digits(curve[i].update.cycles, 4).text));
    before = at;
  }
  put_knee(maker, plan, area,
           area.left + area.width * dsm__axis_share(&x, (double)plan->knee_tasklets));
}

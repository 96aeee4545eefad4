/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_front.c: the points of a front of partitions: requests per second over the mean latency, and
 * over the joules of a request; what no proof rules out between them is shaded.
 *
 * Points have the numbers of the table. With two objectives the line is what can be had; the shade
 * between two points ends at what is proven of the one at its right: no partition that is as good
 * there does more. With three a panel has no such line, as each point is of another latency or
 * energy.
 */
#include <math.h>

#include "base/number_text.h"
#include "dsm/partition_front.h"
#include "partition/answer/front_record.h"
#include "report/figure/plot_maker.h"
#include "report/table/number_style.h"

static const double right_margin = 16;
static const double panel_height = 250;
static const double axis_height = 44;
static const double panel_gap = 14;
static const double mark = 5;

#define SHADE "#CFE3F1"

/* What a panel has across. */
typedef struct across {
  dsm_objective_kind objective;
  const char *title;
  double unit; /* of the page, in those of the point */
} across;

static const across all_across[] = {
    {DSM_OBJECTIVE_LATENCY, "mean latency of a request, ms", 1e3},
    {DSM_OBJECTIVE_ENERGY, "energy of a request, J", 1},
};

typedef struct front_page {
  dsm__plot_maker *maker;
  const dsm_front *front;
  bool is_plane; /* two objectives: a line, and what is not ruled out */
  double left;
  dsm__panel_axis y;
} front_page;

typedef struct front_panel {
  const across *of;
  dsm__area area;
  dsm__panel_axis x;
} front_panel;

static double x_of(const across *of, const dsm_front_point *point) {
  return of->unit * (of->objective == DSM_OBJECTIVE_LATENCY ? point->mean_latency_seconds
                                                            : point->joules_per_request);
}

/* What is drawn of what is proven: within the panel. */
static double most_of(const dsm_front_point *point) {
  return isfinite(point->rho_bound) ? point->rho_bound : point->rho;
}

/* From the least to the most, with a margin, and not below 0. */
static dsm__panel_axis axis_of(double least, double most) {
  const double margin = most > least ? 0.04 * (most - least) : 0.1 * most;
  return dsm__axis_round((dsm__panel_axis){.low = fmax(least - margin, 0), .high = most + margin});
}

static dsm__panel_axis y_axis(const dsm_front *front) {
  double least = HUGE_VAL;
  double most = 0;
  for (size_t k = 0; k < front->point_count; k++) {
    least = fmin(least, front->points[k].rho);
    most = fmax(most, most_of(&front->points[k]));
  }
  return axis_of(least, most);
}

static dsm__panel_axis x_axis(const dsm_front *front, const across *of) {
  double least = HUGE_VAL;
  double most = 0;
  for (size_t k = 0; k < front->point_count; k++) {
    least = fmin(least, x_of(of, &front->points[k]));
    most = fmax(most, x_of(of, &front->points[k]));
  }
  return axis_of(least, most);
}

/* ---- what can be had ---- */

/* Points fall to the left: between one and the next to its right what can be had is what the left
 * one does. */
static void put_steps(const front_page *page, const front_panel *panel) {
  const dsm_front_point *const points = page->front->points;
  for (size_t k = 1; k < page->front->point_count; k++) {
    const double left = x_of(panel->of, &points[k]);
    const double right = x_of(panel->of, &points[k - 1]);
    const dsm__point low = dsm__plot_place(page->maker, left, points[k].rho);
    const dsm__point top = dsm__plot_place(page->maker, right, most_of(&points[k - 1]));
    dsm__plot_box(page->maker,
                  (dsm__area){low.x, top.y, fmax(top.x - low.x, 0), fmax(low.y - top.y, 0)}, SHADE,
                  NULL);
  }
  for (size_t k = 1; k < page->front->point_count; k++) {
    const dsm__point low = dsm__plot_place(page->maker, x_of(panel->of, &points[k]), points[k].rho);
    const dsm__point high =
        dsm__plot_place(page->maker, x_of(panel->of, &points[k - 1]), points[k - 1].rho);
    dsm__plot_line(page->maker, low, (dsm__point){high.x, low.y}, DSM__COLOR_STRONG);
    dsm__plot_line(page->maker, (dsm__point){high.x, low.y}, high, DSM__COLOR_STRONG);
  }
}

/* ---- points ---- */

/* Where no label goes: over points, and over the steps between them. */
static void take_marks(const front_page *page, const front_panel *panel, dsm__places *places) {
  dsm__point before = {0, 0};
  for (size_t k = 0; k < page->front->point_count; k++) {
    const dsm_front_point *const point = &page->front->points[k];
    const dsm__point at = dsm__plot_place(page->maker, x_of(panel->of, point), point->rho);
    dsm__places_take(places, at, at, mark / 2, DSM__PLACE_POINT);
    if (page->is_plane && k > 0) {
      const dsm__point corner = {before.x, at.y};
      dsm__places_take(places, at, corner, 1, DSM__PLACE_POINT);
      dsm__places_take(places, corner, before, 1, DSM__PLACE_POINT);
    }
    before = at;
  }
}

static void put_labels(const front_page *page, const front_panel *panel) {
  dsm__places places;
  if (!dsm__places_init(&places, panel->area, page->maker->arena)) {
    page->maker->body.failed = true;
    return;
  }
  take_marks(page, panel, &places);
  for (size_t k = 0; k < page->front->point_count; k++) {
    const dsm_front_point *const point = &page->front->points[k];
    const dsm__point at = dsm__plot_place(page->maker, x_of(panel->of, point), point->rho);
    (void)dsm__places_label(&places, page->maker, at, dsm__plot_text(page->maker, "%zu", k + 1));
  }
}

/* Those that are not proven to the gap have a colour of their own. */
static void put_points(const front_page *page, const front_panel *panel) {
  for (size_t k = 0; k < page->front->point_count; k++) {
    const dsm_front_point *const point = &page->front->points[k];
    const dsm__point at = {x_of(panel->of, point), point->rho};
    const dsm__look look = {.color =
                                dsm__color_of_series(point->status == DSM_SOLUTION_OPTIMAL ? 0 : 1),
                            .symbol = 7,
                            .size = 0.6};
    dsm__mark_curve(page->maker, &at, 1, &look, dsm__plot_text(page->maker, "point %zu", k + 1));
  }
}

/* ---- the page ---- */

static void put_heading(const front_page *page) {
  const dsm_front *const front = page->front;
  const char *others = "";
  double gap = 0;
  for (size_t a = 0; a < DSM__COUNT_OF(all_across); a++) {
    if (dsm__front_has(front, all_across[a].objective)) {
      others = dsm__plot_text(page->maker, "%s%s%s", others, others[0] == '\0' ? "" : " and ",
                              dsm_objective_kind_name(all_across[a].objective));
    }
  }
  for (size_t k = 0; k < front->point_count; k++) {
    gap = fmax(gap, isfinite(front->points[k].gap) ? front->points[k].gap : 1);
  }
  dsm__plot_heading(
      page->maker, dsm__plot_text(page->maker, "%s: throughput over %s", front->name, others),
      dsm__plot_text(page->maker, "%zu point%s of %zu problem%s, each within %s %% of its bound",
                     front->point_count, dsm__plural((double)front->point_count),
                     front->question_count, dsm__plural((double)front->question_count),
                     dsm__figure_fixed(100 * gap, 3).text));
}

static double put_legend(const front_page *page) {
  dsm__legend_entry entries[3];
  size_t count = 0;
  bool are_limited = false;
  for (size_t k = 0; k < page->front->point_count; k++) {
    are_limited = are_limited || page->front->points[k].status != DSM_SOLUTION_OPTIMAL;
  }
  entries[count++] = (dsm__legend_entry){dsm__color_of_series(0), "best within the gap"};
  if (are_limited) {
    entries[count++] = (dsm__legend_entry){dsm__color_of_series(1), "not proven to the gap"};
  }
  if (page->is_plane) {
    entries[count++] = (dsm__legend_entry){SHADE, "not ruled out"};
  }
  return dsm__plot_legend(page->maker, entries, count);
}

static void put_panel(const front_page *page, const across *of, double top) {
  const front_panel panel = {
      .of = of,
      .area = {page->left, top, page->maker->width - page->left - right_margin, panel_height},
      .x = x_axis(page->front, of)};
  dsm__plot_panel(page->maker, panel.area, panel.x, page->y);
  dsm__plot_x_axis(page->maker, panel.area, panel.x, (dsm__axis_text){.title = of->title});
  dsm__plot_y_axis(page->maker, panel.area, page->y, (dsm__axis_text){.title = "requests/s"});
  if (page->is_plane) {
    put_steps(page, &panel);
  }
  put_labels(page, &panel);
  put_points(page, &panel);
  dsm__plot_panel_end(page->maker);
}

void dsm__plot_front(dsm__plot_maker *maker, const void *of) {
  const dsm_front *const front = of;
  front_page page = {.maker = maker,
                     .front = front,
                     .is_plane = !dsm__front_has(front, DSM_OBJECTIVE_LATENCY) ||
                                 !dsm__front_has(front, DSM_OBJECTIVE_ENERGY),
                     .y = y_axis(front)};
  page.left = DSM__PLOT_MARGIN + dsm__plot_y_axis_room(maker, panel_height, page.y,
                                                       (dsm__axis_text){.title = "requests/s"});
  double top = put_legend(&page) + 12;
  const double height = panel_height + axis_height + panel_gap;
  maker->height = top + height * (page.is_plane ? 1 : 2) - panel_gap;
  put_heading(&page);
  for (size_t a = 0; a < DSM__COUNT_OF(all_across); a++) {
    if (dsm__front_has(front, all_across[a].objective)) {
      put_panel(&page, &all_across[a], top);
      top += height;
    }
  }
}

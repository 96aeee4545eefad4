/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front_table.c: fronts of partitions, for people. */
#include <math.h>

#include "base/number_text.h"
#include "dsm/partition_front.h"
#include "report/answer.h"
#include "report/data/front_record.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

/* Columns of objectives that a front has not are empty, and not shown. */
static const dsm__table_column columns[] = {
    {.title = "point", .is_right = true},
    {.title = "requests/s", .gap = 2, .is_right = true},
    {.title = "at most", .gap = 2, .is_right = true, .rank = 2},
    {.title = "mean ms", .gap = 2, .is_right = true},
    {.title = "at least", .gap = 2, .is_right = true, .rank = 2, .is_optional = true},
    {.title = "J a request", .gap = 2, .is_right = true, .is_optional = true},
    {.title = "at least", .gap = 2, .is_right = true, .rank = 2, .is_optional = true},
    {.title = "gap %", .gap = 2, .is_right = true},
    {.title = "runs on", .gap = 2, .is_name = true, .comfort = 24, .rank = 1},
};

static const char *digits(dsm__page *page, double value, double unit) {
  return isfinite(value) && value > 0
             ? dsm__page_text(page, "%s", dsm__figure_digits(unit * value, 4).text)
             : "-";
}

/* The devices that run anything. */
static const char *devices_text(dsm__page *page, const dsm_partition *partition) {
  const char *text = "";
  for (size_t j = 0; partition != NULL && j < partition->instance->device_count; j++) {
    bool runs = false;
    for (size_t i = 0; i < partition->instance->task_count; i++) {
      runs = runs || partition->rates[i * partition->instance->device_count + j] > 0;
    }
    text =
        runs ? dsm__page_join(page, text, ", ", "%s", partition->instance->devices[j].name) : text;
  }
  return text;
}

static const char *gap_text(dsm__page *page, const dsm_front_point *point) {
  return isfinite(point->gap)
             ? dsm__page_text(page, "%s", dsm__figure_fixed(100 * point->gap, 3).text)
             : "unknown";
}

static void put_points(dsm__page *page, const dsm_front *front) {
  const bool has_latency = dsm__front_has(front, DSM_OBJECTIVE_LATENCY);
  const bool has_energy = dsm__front_has(front, DSM_OBJECTIVE_ENERGY);
  dsm__table table = DSM__TABLE(page, columns);
  for (size_t k = 0; k < front->point_count; k++) {
    const dsm_front_point *const point = &front->points[k];
    DSM__TABLE_TEXTS(&table, dsm__page_text(page, "%zu", k + 1), digits(page, point->rho, 1),
                     digits(page, point->rho_bound, 1),
                     digits(page, point->mean_latency_seconds, 1e3),
                     has_latency ? digits(page, point->latency_bound_seconds, 1e3) : "",
                     has_energy ? digits(page, point->joules_per_request, 1) : "",
                     has_energy ? digits(page, point->joules_bound, 1) : "");
    dsm__table_add(&table,
                   point->status == DSM_SOLUTION_OPTIMAL ? DSM__STYLE_PLAIN : DSM__STYLE_HEADING,
                   gap_text(page, point));
    dsm__table_text(&table, devices_text(page, point->partition));
  }
  dsm__page_break(page);
  dsm__table_print(&table);
}

/* What was not asked, and what not answered. */
static const char *left_text(dsm__page *page, const dsm_front *front) {
  const char *text = front->was_stopped ? ", then interrupted"
                     : front->is_over   ? ", then the time limit came"
                                        : "";
  return front->unanswered_count > 0
             ? dsm__page_text(page, "%s; %zu had no answer in time", text, front->unanswered_count)
             : text;
}

static void put_notes(dsm__page *page, const dsm_front *front) {
  bool are_bounds = false;
  for (size_t k = 0; k < front->point_count; k++) {
    are_bounds = are_bounds || front->points[k].is_rho_bound || front->points[k].is_mean_bound;
  }
  dsm__page_break(page);
  dsm__page_line(page, DSM__STYLE_PLAIN,
                 "at most, at least: proven bounds of all partitions that are no worse in the "
                 "other objectives");
  dsm__page_line(page, DSM__STYLE_PLAIN, "gap: that of the problem whose answer the point is");
  if (are_bounds) {
    dsm__page_line(page, DSM__STYLE_PLAIN,
                   "the network is not a chain, so requests/s and mean ms are bounds where tasks "
                   "are in several places");
  }
}

void dsm__show_front(dsm__page *page, const dsm_answer *answer) {
  const dsm_front *const front = answer->of;
  const char *objectives = dsm_objective_kind_name(DSM_OBJECTIVE_THROUGHPUT);
  for (int k = DSM_OBJECTIVE_THROUGHPUT + 1; k < DSM_OBJECTIVE_KIND_COUNT; k++) {
    if (dsm__front_has(front, (dsm_objective_kind)k)) {
      objectives = dsm__page_join(page, objectives, ", ", "%s",
                                  dsm_objective_kind_name((dsm_objective_kind)k));
    }
  }
  dsm__page_line(page, DSM__STYLE_HEADING, "%s: front of %s: %zu point%s of %zu problem%s%s",
                 front->name, objectives, front->point_count,
                 dsm__plural((double)front->point_count), front->question_count,
                 dsm__plural((double)front->question_count), left_text(page, front));
  put_points(page, front);
  put_notes(page, front);
}

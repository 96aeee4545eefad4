/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_plot_points.c: plot_points.h. A figure is whole or there is none. */
#include <stdlib.h>
#include <string.h>

#include "report/made_points.h"
#include "subject.h"

static attempt figure_of(void (*make)(made_points *made), const char *word,
                         const dsm_points_view *view, dsm_diags *diags) {
  static made_points made;
  static dsm_plot poison;
  make(&made);
  dsm_plot *plot = &poison;
  dsm_points_figure figure = DSM_POINTS_FIGURE_COUNT;
  if (!dsm_points_figure_parse(word, &figure) ||
      strcmp(dsm_points_figure_name(figure), word) != 0) {
    return (attempt){.wrong = "words are read as they are written"};
  }
  const dsm_status status = dsm_plot_points(&plot, &made.table, figure, view, diags);
  uint64_t digest = 0;
  if (status == DSM_OK) {
    digest = digest_text(DIGEST_START, plot->title);
    digest = digest_text(digest, plot->body);
    digest = digest_text(digest, plot->marks);
  }
  const attempt result = attempt_of_status(status, plot, digest);
  if (plot != &poison) {
    dsm_plot_free(plot);
  }
  return result;
}

/* Few points, so that there are few allocations. */
static void make_few(made_points *made) {
  made_points_ladder(made);
  made_points_add(made, "gnmt", "torus64", 256, "none", 1, 0);
}

static attempt lines(const subject *s, dsm_diags *diags) {
  (void)s;
  return figure_of(make_few, "lines", &(dsm_points_view){0}, diags);
}

static attempt chosen_lines(const subject *s, dsm_diags *diags) {
  (void)s;
  static const char *const wheres[] = {"workload=vgg16", "options.optimize=none,hybrid"};
  const dsm_points_view view = {.x = "step_seconds",
                                .y = "utilization",
                                .series = "system,options.optimize",
                                .wheres = wheres,
                                .where_count = 2};
  return figure_of(make_few, "lines", &view, diags);
}

static attempt panels(const subject *s, dsm_diags *diags) {
  (void)s;
  static const char *const where = "system.core.scratchpad_MiB=1";
  return figure_of(made_points_product, "lines",
                   &(dsm_points_view){.wheres = &where, .where_count = 1}, diags);
}

static attempt ladder(const subject *s, dsm_diags *diags) {
  (void)s;
  static const char *const where = "system=symmetric,torus64";
  return figure_of(make_few, "ladder", &(dsm_points_view){.wheres = &where, .where_count = 1},
                   diags);
}

static attempt heatmap(const subject *s, dsm_diags *diags) {
  (void)s;
  return figure_of(make_few, "heatmap",
                   &(dsm_points_view){.value = "utilization", .panels = "system,options.optimize"},
                   diags);
}

static attempt pareto(const subject *s, dsm_diags *diags) {
  (void)s;
  return figure_of(make_few, "pareto", &(dsm_points_view){0}, diags);
}

static attempt unknown(const subject *s, dsm_diags *diags) {
  (void)s;
  return figure_of(make_few, "lines", &(dsm_points_view){.x = "sistem"}, diags);
}

static void make_one_infeasible(made_points *made) {
  made_points_init(made);
  made_points_add(made, "vgg16", "torus64", 256, "none", 1, 0);
}

static attempt nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  return figure_of(make_one_infeasible, "pareto", &(dsm_points_view){0}, diags);
}

const faulty_case plot_points_cases[] = {
    {"dsm_plot_points, lines", lines, DSM_OK, NULL},
    {"dsm_plot_points, chosen lines", chosen_lines, DSM_OK, NULL},
    {"dsm_plot_points, panels", panels, DSM_OK, NULL},
    {"dsm_plot_points, ladder", ladder, DSM_OK, NULL},
    {"dsm_plot_points, heatmap", heatmap, DSM_OK, NULL},
    {"dsm_plot_points, pareto", pareto, DSM_OK, NULL},
    {"dsm_plot_points, unknown column", unknown, DSM_ERROR_USAGE, NULL},
    {"dsm_plot_points, nothing", nothing, DSM_ERROR_INFEASIBLE, NULL},
};
const size_t plot_points_case_count = sizeof plot_points_cases / sizeof plot_points_cases[0];

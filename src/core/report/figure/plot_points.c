/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/plot_points.h"

#include "base/words.h"
#include "report/figure/points_page.h"

typedef bool figure_maker(dsm__plot_maker *maker, dsm__point_choice *choice);

static figure_maker *const makers[DSM_POINTS_FIGURE_COUNT] = {
    [DSM_POINTS_FIGURE_LINES] = dsm__plot_lines,
    [DSM_POINTS_FIGURE_LADDER] = dsm__plot_ladder,
    [DSM_POINTS_FIGURE_HEATMAP] = dsm__plot_heatmap,
    [DSM_POINTS_FIGURE_PARETO] = dsm__plot_pareto,
};

static const dsm__word figure_words[] = {
    [DSM_POINTS_FIGURE_LINES].key = "lines",
    [DSM_POINTS_FIGURE_LADDER].key = "ladder",
    [DSM_POINTS_FIGURE_HEATMAP].key = "heatmap",
    [DSM_POINTS_FIGURE_PARETO].key = "pareto",
};
static DSM__NAMED_WORDS(figures, "figure", figure_words, DSM_POINTS_FIGURE_COUNT, dsm_points_figure,
                        dsm_points_figure_name);
DSM__PARSED_WORDS(figures, dsm_points_figure, dsm_points_figure_parse);

dsm_status dsm_plot_points(dsm_plot **plot, const dsm_point_table *table, dsm_points_figure figure,
                           const dsm_points_view *view, dsm_diags *diags) {
  *plot = NULL;
  dsm__plot_maker maker;
  const dsm_status status = dsm__plot_begin(&maker, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__point_choice choice;
  if (dsm__point_choice_begin(&choice, maker.arena, table, view, diags) &&
      makers[figure](&maker, &choice)) {
    return dsm__plot_finish(&maker, plot, diags);
  }
  dsm__plot_free_texts(&maker);
  dsm__arena_free(maker.arena);
  return choice.status;
}

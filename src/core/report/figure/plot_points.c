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

/* Means over the networks in place of more panels than a figure has, where there are means; the
 * points are already those that the view wants. */
static bool draw_means(dsm__plot_maker *maker, dsm__point_choice *choice,
                       dsm_points_figure figure) {
  dsm_points_view view = *choice->view;
  dsm_point_table means = choice->points;
  view.where_count = 0;
  means.arena = maker->arena;
  return dsm__point_choice_has(choice, dsm_point_table_means(&means, NULL) == DSM_OK) &&
         dsm__point_choice_begin(choice, maker->arena, &means, &view, choice->diags) &&
         makers[figure](maker, choice);
}

dsm_status dsm_plot_points(dsm_plot **plot, const dsm_point_table *table, dsm_points_figure figure,
                           const dsm_points_view *view, dsm_diags *diags) {
  *plot = NULL;
  dsm__plot_maker maker;
  const dsm_status status = dsm__plot_begin(&maker, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__point_choice choice;
  bool is_drawn = dsm__point_choice_begin(&choice, maker.arena, table, view, diags);
  choice.may_be_means = true;
  is_drawn = is_drawn && makers[figure](&maker, &choice);
  if (is_drawn || (choice.is_crowded && draw_means(&maker, &choice, figure))) {
    return dsm__plot_finish(&maker, plot, diags);
  }
  dsm__plot_free_texts(&maker);
  dsm__arena_free(maker.arena);
  return choice.status;
}

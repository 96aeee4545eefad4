/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/plot_points.h"

#include <string.h>

#include "report/figure/points_page.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

typedef struct figure_kind {
  const char *name;
  dsm_status (*make)(dsm__plot_maker *maker, dsm__point_choice *choice, dsm_diags *diags);
} figure_kind;

static const figure_kind kinds[] = {
    [DSM_POINTS_FIGURE_LINES] = {"lines", dsm__plot_lines},
    [DSM_POINTS_FIGURE_LADDER] = {"ladder", dsm__plot_ladder},
    [DSM_POINTS_FIGURE_HEATMAP] = {"heatmap", dsm__plot_heatmap},
    [DSM_POINTS_FIGURE_PARETO] = {"pareto", dsm__plot_pareto},
};
_Static_assert(COUNT_OF(kinds) == DSM_POINTS_FIGURE_COUNT, "each figure can be made");

const char *dsm_points_figure_name(dsm_points_figure figure) {
  return kinds[figure].name;
}

bool dsm_points_figure_parse(const char *text, dsm_points_figure *figure) {
  for (size_t i = 0; i < COUNT_OF(kinds); i++) {
    if (strcmp(text, kinds[i].name) == 0) {
      *figure = (dsm_points_figure)i;
      return true;
    }
  }
  return false;
}

dsm_status dsm_plot_points(dsm_plot **plot, const dsm_point_table *table, dsm_points_figure figure,
                           const dsm_points_view *view, dsm_diags *diags) {
  *plot = NULL;
  dsm__plot_maker maker;
  dsm_status status = dsm__plot_begin(&maker, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__point_choice choice;
  status = dsm__point_choice_begin(&choice, maker.arena, table, view, diags);
  if (status == DSM_OK) {
    status = kinds[figure].make(&maker, &choice, diags);
  }
  if (status == DSM_OK) {
    return dsm__plot_finish(&maker, plot, diags);
  }
  dsm__plot_free_texts(&maker);
  dsm__arena_free(maker.arena);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages_table.c: the stages of a chain, for people. */
#include "base/number_text.h"
#include "report/table/describe_table.h"
#include "report/table/number_style.h"

/* Neighbours that are shown as one. */
const char *dsm__stage_names(dsm__page *page, const dsm_remat_chain *chain, size_t first,
                             size_t last) {
  return first == last ? chain->stages[first].name
                       : dsm__page_text(page, "%s .. %s", chain->stages[first].name,
                                        chain->stages[last].name);
}

static const dsm__table_column stage_columns[] = {
    {.title = "stages", .is_name = true, .comfort = 30},
    {.title = "count", .gap = 2, .is_right = true},
    {.title = "forward ms", .gap = 2, .is_right = true},
    {.title = "backward ms", .gap = 2, .is_right = true},
    {.title = "saved", .gap = 2, .is_right = true},
    {.title = "output", .gap = 2, .is_right = true},
    {.title = "options", .gap = 2, .is_right = true, .rank = 1},
};

void dsm__describe_stages(dsm__page *page, const dsm_remat_chain *chain) {
  dsm__table table = DSM__TABLE(page, stage_columns);
  size_t first = 0;
  for (size_t s = 0; s < chain->stage_count; s++) {
    const dsm_remat_stage *const stage = &chain->stages[s];
    if (s + 1 == chain->stage_count || stage[1].options != stage->options) {
      DSM__TABLE_TEXTS(&table, dsm__stage_names(page, chain, first, s),
                       dsm__page_text(page, "%zu", s + 1 - first),
                       dsm__figure_digits(1e3 * stage->options[0].forward_seconds, 4).text,
                       dsm__figure_digits(1e3 * stage->options[0].backward_seconds, 4).text,
                       dsm__figure_scaled(stage->options[0].saved_bytes, "B").text,
                       dsm__figure_scaled(stage->output_bytes, "B").text,
                       dsm__page_text(page, "%zu", stage->option_count));
      first = s + 1;
    }
  }
  dsm__table_print(&table);
}

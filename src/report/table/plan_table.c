/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_table.c: a plan for people (DeepSpatialMatrix, Figs. 12 and 13 as one table). */
#include "report/table/pass_columns.h"

#include "model/names.h"

/* What is decided for the whole layer stands in its first row, as its name does. */
static bool is_of_layer(dsm__pass_column_id column) {
  return column == DSM__COLUMN_LAYER || column == DSM__COLUMN_DYSM ||
         column == DSM__COLUMN_PIPELINE;
}

static void add_pass(dsm__table *table, const dsm_plan *plan, size_t layer, dsm_pass p,
                     bool is_first_row, bool has_long_names) {
  const dsm_parallelism parallelism = plan->layers[layer].passes[p].share.parallelism;
  for (int c = 0; c < DSM__PASS_COLUMN_COUNT; c++) {
    const dsm__pass_column_id column = (dsm__pass_column_id)c;
    if (dsm__pass_columns[c].brief == NULL) {
      continue;
    }
    const dsm__pass_cell cell = dsm__pass_cell_of(table->page, plan, layer, p, column);
    const char *const text =
        column == DSM__COLUMN_PASS ? dsm__word_brief(&dsm__pass_words, p)
        : column == DSM__COLUMN_PARALLELISM && !has_long_names
            ? dsm__word_brief(dsm__words_in(plan->renaming, &dsm__parallelism_words), parallelism)
            : cell.text;
    dsm__table_add(table, cell.style, is_of_layer(column) && !is_first_row ? "" : text);
  }
}

/* Fills the columns that terminals have; how many. */
static size_t choose_columns(dsm__table_column columns[DSM__PASS_COLUMN_COUNT]) {
  size_t count = 0;
  for (int c = 0; c < DSM__PASS_COLUMN_COUNT; c++) {
    const dsm__pass_column *const column = &dsm__pass_columns[c];
    if (column->brief != NULL) {
      columns[count++] = (dsm__table_column){.title = column->brief,
                                             .rank = column->rank,
                                             .gap = column->gap,
                                             .is_right = column->is_number,
                                             .is_name = c == DSM__COLUMN_LAYER,
                                             .is_optional = column->is_optional};
    }
  }
  return count;
}

static void add_rows(dsm__table *table, const dsm_plan *plan, bool has_long_names) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    bool is_first_row = true;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (plan->layers[i].passes[p].exists) {
        add_pass(table, plan, i, (dsm_pass)p, is_first_row, has_long_names);
        is_first_row = false;
      }
    }
  }
}

static void put_legend(dsm__page *page, const dsm_plan *plan, const dsm__pass_traits *traits,
                       bool has_long_names) {
  dsm__page_line(
      page, DSM__STYLE_FAINT,
      "In percent: step = share of the step's time; then of the pass's time: util = "
      "useful work at full speed, array = arrays starting up or not full, xfer = transfers that "
      "computation does not hide, aux = auxiliary operations, other = never hidden.");
  if (traits->has_hybrid && !has_long_names) {
    dsm__page_line(page, DSM__STYLE_FAINT, "par.: %s.", dsm__page_parallelisms(page, plan->system));
  }
  if (traits->has_other_split) {
    dsm__page_line(page, DSM__STYLE_FAINT, "%s", dsm__other_split_note);
  }
  if (traits->on_chip != 0) {
    dsm__page_line(page, DSM__STYLE_FAINT, "%s", dsm__on_chip_legend(page, traits->on_chip));
  }
  if (traits->has_dysm) {
    dsm__page_line(page, DSM__STYLE_FAINT, "dysm: spatial minibatches that the step is cut into.");
  }
  if (plan->pipeline_count > 0) {
    dsm__page_line(page, DSM__STYLE_FAINT,
                   "pipe: the pipeline, below; times of its layers are shares of its time.");
  }
}

static void put_plan(dsm__page *page, const dsm_plan *plan) {
  const dsm__pass_traits traits = dsm__pass_traits_of(plan);
  dsm__page_line(page, DSM__STYLE_HEADING, "%s", dsm__page_plan_heading(page, plan));
  dsm__page_break(page);
  dsm__table_column columns[DSM__PASS_COLUMN_COUNT];
  const size_t column_count = choose_columns(columns);
  dsm__table table = dsm__table_make(page, columns, column_count);
  add_rows(&table, plan, true);
  const bool has_long_names = dsm__table_natural_width(&table) <= page->style.width;
  if (!has_long_names) {
    table = dsm__table_make(page, columns, column_count);
    add_rows(&table, plan, false);
  }
  dsm__table_print(&table);
  dsm__page_break(page);
  put_legend(page, plan, &traits, has_long_names);
  dsm__page_break(page);
  dsm__plan_totals(page, plan);
}

char *dsm_report_plan_table(const dsm_plan *plan, dsm_table_style style) {
  dsm__page page = dsm__page_begin(style);
  page.renaming = plan->renaming;
  put_plan(&page, plan);
  return dsm__page_finish(&page);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_table.c: a plan for people (DeepSpatialMatrix, Figs. 12 and 13 as one table). */
#include "report/answer.h"
#include "report/table/pass_columns.h"

#include <math.h>
#include <string.h>

#include "model/names.h"
#include "report/loss.h"
#include "report/table/number_style.h"

/* What is decided for the whole layer stands in its first row, as its name does. */
static bool is_of_layer(dsm__pass_column_id column) {
  return column == DSM__COLUMN_LAYER || column == DSM__COLUMN_COUNT || column == DSM__COLUMN_DYSM ||
         column == DSM__COLUMN_PIPELINE;
}

/* What stands in a column of a row. */
static const char *text_of(dsm__page *page, const dsm_plan *plan, const dsm__pass_row *row,
                           dsm__pass_column_id column, bool has_long_names) {
  const dsm_parallelism parallelism = plan->layers[row->layer].passes[row->pass].share.parallelism;
  return column == DSM__COLUMN_PASS ? dsm__word_brief(&dsm__pass_words, row->pass)
         : column == DSM__COLUMN_PARALLELISM && !has_long_names
             ? dsm__word_brief(dsm__words_in(plan->renaming, &dsm__parallelism_words), parallelism)
             : dsm__pass_cell_of(page, plan, row, column).text;
}

/* Numbers of joined rows, of which all but counts are shares: from the least to the largest. */
static const char *range_of(dsm__page *page, dsm__pass_column_id column, double least,
                            double largest) {
  static const double percent = 100;
  const bool is_count = column == DSM__COLUMN_DYSM || column == DSM__COLUMN_PIPELINE;
  const double unit = is_count ? 1 : percent;
  const char *const low = dsm__page_text(page, "%.0f", least * unit);
  const char *const high = dsm__page_text(page, "%.0f", largest * unit);
  return strcmp(low, high) == 0 ? low : dsm__page_text(page, "%s-%s", low, high);
}

/* Different words of joined rows. */
typedef struct word_list {
  const char *items[4];
  size_t count;
  bool has_more;
} word_list;

static void add_word(word_list *list, const char *text) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->items[i], text) == 0) {
      return;
    }
  }
  if (list->count == DSM__COUNT_OF(list->items)) {
    list->has_more = true;
  } else {
    list->items[list->count++] = text;
  }
}

/* One after the other. */
static const char *words_of(dsm__page *page, const word_list *list) {
  const char *text = list->items[0];
  for (size_t i = 1; i < list->count; i++) {
    const char *const next = list->items[i];
    text = dsm__page_text(page, "%s/%s", *text == '\0' ? "-" : text, *next == '\0' ? "-" : next);
  }
  return list->has_more ? dsm__page_text(page, "%s/...", text) : text;
}

/* What stands in a column of joined rows: what all of them have, a range of numbers, or words one
 * after the other. */
static const char *joined_text(dsm__page *page, const dsm_plan *plan, const dsm__pass_row *row,
                               dsm__pass_column_id column, bool has_long_names) {
  word_list list = {.count = 0};
  double least = HUGE_VAL;
  double largest = 0;
  for (size_t i = 0; i < row->part_count; i++) {
    const char *const text = text_of(page, plan, &row->parts[i], column, has_long_names);
    const double number = dsm__pass_cell_of(page, plan, &row->parts[i], column).exact;
    least = fmin(least, number);
    largest = fmax(largest, number);
    add_word(&list, text);
  }
  return list.count > 1 && dsm__pass_columns[column].is_number
             ? range_of(page, column, least, largest)
             : words_of(page, &list);
}

static bool is_of_all(dsm__pass_column_id column) {
  return column == DSM__COLUMN_LAYER || column == DSM__COLUMN_COUNT || column == DSM__COLUMN_STEP ||
         column == DSM__COLUMN_PASS;
}

static void add_row(dsm__table *table, const dsm_plan *plan, const dsm__pass_row *row,
                    bool has_long_names) {
  for (int c = 0; c < DSM__PASS_COLUMN_COUNT; c++) {
    const dsm__pass_column_id column = (dsm__pass_column_id)c;
    if (dsm__pass_columns[c].brief == NULL) {
      continue;
    }
    const dsm__pass_cell cell = dsm__pass_cell_of(table->page, plan, row, column);
    const char *const text = row->part_count == 0 || is_of_all(column)
                                 ? text_of(table->page, plan, row, column, has_long_names)
                                 : joined_text(table->page, plan, row, column, has_long_names);
    dsm__table_add(table, cell.style, is_of_layer(column) && !row->is_first_of_name ? "" : text);
  }
}

/* Fills the columns that terminals have; how many. */
static size_t choose_columns(dsm__table_column columns[DSM__PASS_COLUMN_COUNT], bool is_folded) {
  static const unsigned folded_comfort = 18; /* "encoder.0..23.out" */
  size_t count = 0;
  for (int c = 0; c < DSM__PASS_COLUMN_COUNT; c++) {
    const dsm__pass_column *const column = &dsm__pass_columns[c];
    if (column->brief != NULL) {
      columns[count++] = (dsm__table_column){.title = column->brief,
                                             .rank = column->rank,
                                             .gap = column->gap,
                                             .is_right = column->is_number,
                                             .is_name = c == DSM__COLUMN_LAYER,
                                             .comfort = is_folded ? folded_comfort : 0,
                                             .is_optional = column->is_optional};
    }
  }
  return count;
}

static void add_rows(dsm__table *table, const dsm_plan *plan, const dsm__pass_rows *rows,
                     bool has_long_names) {
  for (size_t i = 0; i < rows->count; i++) {
    add_row(table, plan, &rows->items[i], has_long_names);
  }
}

/* What is not shown of a table of which the longest rows are. */
static void put_left_out(dsm__page *page, const dsm_plan *plan, const dsm__pass_rows *rows) {
  if (rows->left_out > 0) {
    dsm__page_line(page, DSM__STYLE_PLAIN, "and %zu more pass%s, together %s %% of the step",
                   rows->left_out, rows->left_out == 1 ? "" : "es",
                   dsm__figure_percent(dsm__share(rows->left_cycles, dsm__step_cycles(plan))).text);
  }
}

static void put_legend(dsm__page *page, const dsm_plan *plan, const dsm__pass_traits *traits,
                       const dsm__pass_rows *rows, bool has_long_names) {
  dsm__page_line(
      page, DSM__STYLE_FAINT,
      "In percent: step = share of the step's time; then of the pass's time: util = "
      "useful work at full speed, array = arrays starting up or not full, xfer = transfers that "
      "computation does not hide, aux = auxiliary operations, other = never hidden.");
  if (rows->is_folded) {
    dsm__page_line(page, DSM__STYLE_FAINT,
                   "n: equal layers that share the row; step is that of all n together, other "
                   "numbers are those of each. --unfold shows them one by one.");
  }
  if (rows->is_joined) {
    dsm__page_line(
        page, DSM__STYLE_FAINT,
        "a-b, a/b: layers at the same place of a block share a row, as the table would be longer "
        "than a screen: their least and largest number, or each of their words.");
  }
  if (traits->has_roles && !has_long_names) {
    dsm__page_line(page, DSM__STYLE_FAINT, "par.: %s.", dsm__page_roles(page, plan->system));
  }
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
    dsm__page_line(page, DSM__STYLE_FAINT, "dysm: number of parts that the minibatch is cut into.");
  }
  if (plan->pipeline_count > 0) {
    dsm__page_line(page, DSM__STYLE_FAINT,
                   "pipe: number of the pipeline, below; each of its layers has a share of the "
                   "pipeline's time.");
  }
}

/* The table of layers and passes, and what its words mean. */
static void put_rows(dsm__page *page, const dsm_plan *plan, const dsm__pass_rows *rows) {
  const dsm__pass_traits traits = dsm__pass_traits_of(plan);
  dsm__table_column columns[DSM__PASS_COLUMN_COUNT];
  const size_t column_count = choose_columns(columns, rows->is_folded);
  dsm__table table = dsm__table_make(page, columns, column_count);
  add_rows(&table, plan, rows, true);
  const bool has_long_names = dsm__table_natural_width(&table) <= page->style.width;
  if (!has_long_names) {
    table = dsm__table_make(page, columns, column_count);
    add_rows(&table, plan, rows, false);
  }
  dsm__table_print(&table);
  put_left_out(page, plan, rows);
  dsm__page_break(page);
  put_legend(page, plan, &traits, rows, has_long_names);
  dsm__page_break(page);
}

/* Rows that a screen has room for. */
enum { SCREEN_ROWS = 40 };

static void put_plan(dsm__page *page, const dsm_plan *plan) {
  const dsm_table_style *const style = &page->style;
  const char *const degrees = dsm__plan_degrees_line(page, plan);
  dsm__pass_rows rows;
  dsm__page_line(page, DSM__STYLE_HEADING, "%s", dsm__page_plan_heading(page, plan));
  if (degrees[0] != '\0') {
    dsm__page_labelled(page, 0, "", "%s", degrees);
  }
  dsm__page_break(page);
  if (!style->is_summary) {
    page->out.failed =
        !dsm__pass_rows_find(&rows, plan, style->is_unfolded, style->row_limit, page->arena) ||
        page->out.failed;
    if (!style->is_unfolded && style->row_limit == 0 && rows.count > SCREEN_ROWS) {
      page->out.failed = !dsm__pass_rows_join(&rows, plan, page->arena) || page->out.failed;
    }
    put_rows(page, plan, &rows);
  }
  dsm__plan_totals(page, plan);
}

void dsm__show_plan(dsm__page *page, const dsm_answer *answer) {
  const dsm_plan *const plan = answer->of;
  page->renaming = plan->renaming;
  put_plan(page, plan);
}

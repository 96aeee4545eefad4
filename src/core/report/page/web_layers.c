/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_layers.c: the table of layers and passes, which page_assets/plan.js sorts and filters. */
#include "base/number_text.h"
#include "model/names.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/table/number_style.h"
#include "report/table/pass_columns.h"

enum { ROWS_MAX = 2000 };

/* What a table has columns for. */
typedef struct view {
  dsm__pass_rows rows;
  dsm__pass_traits has;
} view;

static bool is_shown(int column, const view *v) {
  const dsm__pass_traits *const has = &v->has;
  return (column != DSM__COLUMN_COUNT || v->rows.is_folded) &&
         (column != DSM__COLUMN_ON_CHIP || has->on_chip != 0) &&
         (column != DSM__COLUMN_DYSM || has->has_dysm) &&
         (column != DSM__COLUMN_PIPELINE || has->has_pipeline);
}

/* A share of the step has more digits where there are so many passes that each takes little. */
static const char *number_text(dsm__page *page, const dsm_plan *plan, int column,
                               const dsm__pass_cell *cell) {
  static const double least_plain = 0.01;
  const bool is_little = cell->exact > 0 && cell->exact < least_plain;
  return column == DSM__COLUMN_TIME ? dsm__web_time(page, plan, cell->exact)
         : column == DSM__COLUMN_STEP && is_little
             ? dsm__page_text(page, "%s", dsm__figure_digits(100 * cell->exact, 2).text)
             : cell->text;
}

static void put_cell(dsm__page *page, const dsm_plan *plan, const dsm__pass_row *shown,
                     int column) {
  const dsm__pass_cell cell = dsm__pass_cell_of(page, plan, shown, (dsm__pass_column_id)column);
  if (column == DSM__COLUMN_LAYER) {
    dsm__html_element(&page->out, "th", cell.text, "scope", "row", NULL);
  } else if (dsm__pass_columns[column].is_number) {
    const char *const class = cell.style == DSM__STYLE_GOOD  ? "number good"
                              : cell.style == DSM__STYLE_BAD ? "number bad"
                                                             : "number";
    dsm__web_number(page, class, cell.exact, number_text(page, plan, column, &cell));
  } else {
    dsm__html_element(&page->out, "td", cell.text, NULL);
  }
}

static void put_row(dsm__page *page, const dsm_plan *plan, const dsm__pass_row *shown,
                    const view *v) {
  dsm__html_begin(&page->out, "tr", NULL);
  for (int c = 0; c < DSM__PASS_COLUMN_COUNT; c++) {
    if (is_shown(c, v)) {
      put_cell(page, plan, shown, c);
    }
  }
  dsm__html_end(&page->out, "tr");
}

static void put_titles(dsm__page *page, const view *v) {
  dsm__html_begin(&page->out, "thead", NULL);
  dsm__html_begin(&page->out, "tr", NULL);
  dsm__page_break(page);
  for (int c = 0; c < DSM__PASS_COLUMN_COUNT; c++) {
    if (is_shown(c, v)) {
      const dsm__pass_column *const column = &dsm__pass_columns[c];
      dsm__html_element(&page->out, "th", column->title, "scope", "col", "data-key", column->key,
                        "class", column->is_number ? "number" : "name", "title", column->meaning,
                        NULL);
    }
  }
  dsm__html_end(&page->out, "tr");
  dsm__html_end(&page->out, "thead");
}

static void put_legend(dsm__page *page, const view *v) {
  const dsm__pass_traits *const has = &v->has;
  dsm__web_paragraph(
      page, "note",
      "step %: share of the step's time. Then, in percent of the pass's time: util = useful work "
      "at full speed, array = arrays starting up or not full, xfer = transfers that computation "
      "does not hide, aux = auxiliary operations, other = never hidden, mostly = the largest part "
      "of other. FLOP/B: FLOP for each byte between chip and memory.");
  if (v->rows.is_folded) {
    dsm__web_paragraph(page, "note",
                       "count: equal layers that share the row; time and step % are of all of them "
                       "together, other numbers are those of each.");
  }
  const char *kinds = "";
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_VISIBLE_END; g++) {
    if (has->has_group[g]) {
      kinds = dsm__page_text(page, "%s%s %s = %s", kinds, kinds[0] == '\0' ? "mostly:" : ",",
                             dsm__word_brief(&dsm__group_words, (size_t)g),
                             dsm__word_text(&dsm__group_words, (size_t)g));
    }
  }
  if (kinds[0] != '\0') {
    dsm__web_paragraph(page, "note", dsm__page_text(page, "%s.", kinds));
  }
  if (has->on_chip != 0) {
    dsm__web_paragraph(page, "note", dsm__on_chip_legend(page, has->on_chip));
  }
  if (has->has_other_split) {
    dsm__web_paragraph(page, "note", dsm__other_split_note);
  }
}

static const char *caption(dsm__page *page, const dsm_plan *plan, const dsm__pass_rows *rows) {
  if (rows->left_out > 0) {
    return dsm__page_text(
        page,
        "The %s passes that take longest, in the order of layers; the other %s take %s of the "
        "step. dsm score --format csv lists all.",
        dsm__figure_count(rows->count).text, dsm__figure_count(rows->left_out).text,
        dsm__web_percent(page, dsm__share(rows->left_cycles, dsm__step_cycles(plan))));
  }
  return rows->is_folded ? "Each pass of each layer, equal layers as one."
                         : "Each pass of each layer.";
}

void dsm__web_layers(dsm__page *page, const void *of) {
  const dsm_plan_page *const subject = of;
  const dsm_plan *const plan = subject->plan;
  view v = {.has = dsm__pass_traits_of(plan)};
  page->out.failed =
      !dsm__pass_rows_find(&v.rows, plan, page->style.is_unfolded, ROWS_MAX, page->arena) ||
      page->out.failed;
  put_legend(page, &v);
  dsm__html_element(&page->out, "div", "", "id", "filters", "hidden", "", NULL);
  dsm__html_begin(&page->out, "div", "class", "scroll tall", "tabindex", "0", "role", "region",
                  "aria-label", "Table of layers and passes", NULL);
  dsm__html_begin(&page->out, "table", "id", "passes", "class", "dense", NULL);
  dsm__html_element(&page->out, "caption", caption(page, plan, &v.rows), NULL);
  put_titles(page, &v);
  dsm__html_begin(&page->out, "tbody", NULL);
  dsm__page_break(page);
  for (size_t i = 0; i < v.rows.count; i++) {
    put_row(page, plan, &v.rows.items[i], &v);
  }
  dsm__html_end(&page->out, "tbody");
  dsm__html_end(&page->out, "table");
  dsm__html_end(&page->out, "div");
}

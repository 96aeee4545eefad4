/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_table.c: two plans side by side, for people. */
#include <math.h>

#include "report/answer.h"
#include "report/diff_figures.h"
#include "report/table/check_text.h"
#include "report/table/moved_rows.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

static const char nothing[] = "-";
static const char no_difference[] = "no difference";

/* Columns of what stands before a text. */
#define LABEL_WIDTH 11

/* What is being shown. */
typedef struct view {
  dsm__page *page;
  const dsm_diffed *of;
  const dsm_diff *diff;
} view;

/* ---- numbers ---- */

/* Decimals that give a value, the largest of those that stand together, five significant digits. */
static int decimals_for(double largest) {
  enum { DIGITS = 5, DECIMALS_MAX = 9 };
  const double exponent = largest > 0 ? floor(log10(largest)) : 0;
  const double decimals = DIGITS - 1 - exponent;
  return (int)fmin(fmax(decimals, 0), DECIMALS_MAX);
}

static double larger(const dsm_moved *moved) {
  return fmax(moved->before, moved->after);
}

/* "+1.25", "-3.10", "0". */
static const char *signed_text(dsm__page *page, double value, int decimals) {
  return fabs(value) > 0 ? dsm__page_text(page, "%s%s", value < 0 ? "-" : "+",
                                          dsm__figure_fixed(fabs(value), decimals).text)
                         : "0";
}

/* A share of the step's difference in percent: "62.1", "-3.0"; "-" if the step does not differ. */
static const char *share_text(const view *v, double share) {
  const double percent = 100 * fabs(share);
  if (!(fabs(v->diff->difference_seconds) > 0)) {
    return nothing;
  }
  return dsm__page_text(v->page, "%s%s", share < 0 && percent >= 0.05 ? "-" : "",
                        dsm__figure_fixed(percent, 1).text);
}

/* ---- headings ---- */

static void put_heading(const view *v, const char *title) {
  dsm__page_heading(v->page, "%s", title);
}

/* A section in which there is nothing to show. */
static void put_nothing(const view *v, const char *title) {
  dsm__page_break(v->page);
  dsm__page_labelled(v->page, LABEL_WIDTH, title, "%s", no_difference);
}

static void put_plan(const view *v, const char *label, const char *file, const dsm_plan *plan) {
  dsm__page_labelled(v->page, 3, label, "%s: %s", file, dsm__page_plan_heading(v->page, plan));
}

/* ---- inputs, layers and decisions ---- */

static const char *const sides[] = {"A", "B"};

static void put_inputs(const view *v) {
  if (v->diff->input_count == 0) {
    put_nothing(v, "inputs");
    return;
  }
  put_heading(v, "inputs");
  dsm__put_inputs(v->page, "value", v->diff->inputs, v->diff->input_count, v->of->row_limit, sides);
}

static void put_layers(const view *v, dsm_presence presence) {
  const char *const text = dsm__one_sided_layers(v->page, v->diff->layers, v->diff->layer_count,
                                                 presence, v->of->row_limit);
  if (text[0] != '\0') {
    put_heading(v, presence == DSM_PRESENCE_NEW ? "layers only in B" : "layers only in A");
    dsm__page_labelled(v->page, 2, "", "%s", text);
  }
}

static void put_decisions(const view *v) {
  if (v->diff->decision_count == 0) {
    put_nothing(v, "decisions");
    return;
  }
  put_heading(v, "decisions");
  dsm__put_decisions(v->page, v->diff->decisions, v->diff->decision_count, v->of->row_limit, sides);
}

/* ---- the step ---- */

static const dsm__table_column result_columns[] = {
    {.title = "result", .is_name = true, .comfort = 30},
    {.title = "A", .gap = 2, .is_right = true},
    {.title = "B", .gap = 2, .is_right = true},
    {.title = "difference", .gap = 2, .is_right = true},
    {.title = "change", .gap = 2, .is_right = true},
};

static const dsm__table_column part_columns[] = {
    {.title = "where the time goes (ms)", .is_name = true, .comfort = 30},
    {.title = "A", .gap = 2, .is_right = true},
    {.title = "B", .gap = 2, .is_right = true},
    {.title = "difference", .gap = 2, .is_right = true},
    {.title = "change", .gap = 2, .is_right = true},
    {.title = "share %", .gap = 2, .is_right = true, .rank = 1},
};

static bool is_shown(const dsm__diff_figure *figure) {
  return figure->label != NULL && (figure->is_main || figure->moved.is_beyond);
}

static void add_figure(dsm__table *table, const dsm__diff_figure *figure, int decimals) {
  const dsm_moved *const moved = &figure->moved;
  const double scale = figure->scale;
  DSM__TABLE_TEXTS(table, figure->label, dsm__figure_fixed(scale * moved->before, decimals).text,
                   dsm__figure_fixed(scale * moved->after, decimals).text,
                   signed_text(table->page, scale * dsm__diff_of(moved), decimals));
  dsm__table_add(
      table, figure->is_neutral ? DSM__STYLE_PLAIN : dsm__style_of(moved, figure->is_lower_better),
      dsm__change_text(table->page, moved));
}

static void put_results(const view *v) {
  dsm__diff_figure figures[DSM__DIFF_RESULTS];
  dsm__diff_results(v->diff, figures);
  dsm__page_break(v->page);
  dsm__table table = DSM__TABLE(v->page, result_columns);
  for (size_t i = 0; i < DSM__DIFF_RESULTS; i++) {
    if (is_shown(&figures[i])) {
      add_figure(&table, &figures[i], decimals_for(figures[i].scale * larger(&figures[i].moved)));
    }
  }
  dsm__table_print(&table);
}

static void put_parts(const view *v) {
  dsm__diff_figure figures[DSM__DIFF_PARTS];
  dsm__diff_parts(v->diff, figures);
  double largest = 0;
  for (size_t i = 0; i < DSM__DIFF_PARTS; i++) {
    largest = fmax(largest, figures[i].scale * larger(&figures[i].moved));
  }
  dsm__page_break(v->page);
  dsm__table table = DSM__TABLE(v->page, part_columns);
  for (size_t i = 0; i < DSM__DIFF_PARTS; i++) {
    if (is_shown(&figures[i])) {
      add_figure(&table, &figures[i], decimals_for(largest));
      dsm__table_text(&table, share_text(v, dsm__diff_share(v->diff, &figures[i].moved)));
    }
  }
  dsm__table_print(&table);
}

/* ---- passes ---- */

static const dsm__table_column pass_columns[] = {
    {.title = "layer", .is_name = true},
    {.title = "n", .gap = 1, .is_right = true, .is_optional = true},
    {.title = "pass", .gap = 2},
    {.title = "A (us)", .gap = 2, .is_right = true},
    {.title = "B (us)", .gap = 2, .is_right = true},
    {.title = "difference", .gap = 2, .is_right = true},
    {.title = "change", .gap = 2, .is_right = true},
    {.title = "share %", .gap = 2, .is_right = true},
    {.title = "util % A", .gap = 2, .is_right = true, .rank = 1},
    {.title = "B", .gap = 2, .is_right = true, .rank = 1},
};

static const double per_micro = 1e6;

static void add_pass(const view *v, dsm__table *table, const dsm__moved_row *row, int decimals) {
  const dsm_pass_difference sum = dsm__moved_together(&v->diff->passes[row->first], row->count);
  const dsm_pass_difference *const pass = &sum;
  static const char *const words[] = {NULL, "only in A", "only in B"};
  const bool is_in_a = pass->presence != DSM_PRESENCE_NEW;
  const bool is_in_b = pass->presence != DSM_PRESENCE_MISSING;
  const dsm_moved *const seconds = &pass->seconds;
  const char *const word = words[pass->presence];
  DSM__TABLE_TEXTS(
      table, row->name, row->times, dsm_pass_name(pass->pass),
      is_in_a ? dsm__figure_fixed(per_micro * seconds->before, decimals).text : nothing,
      is_in_b ? dsm__figure_fixed(per_micro * seconds->after, decimals).text : nothing);
  dsm__table_add(table, dsm__style_of(seconds, true),
                 signed_text(v->page, per_micro * pass->difference_seconds, decimals));
  dsm__table_add(table, dsm__style_of(seconds, true),
                 word == NULL ? dsm__change_text(v->page, seconds) : word);
  DSM__TABLE_TEXTS(table, share_text(v, pass->share),
                   is_in_a ? dsm__figure_percent(pass->utilization.before).text : nothing,
                   is_in_b ? dsm__figure_percent(pass->utilization.after).text : nothing);
}

/* What the passes beyond the first `from` come to. */
static void put_rest(const view *v, const dsm__moved_rows *rows, size_t from, int decimals) {
  size_t left = 0;
  double seconds = 0;
  double share = 0;
  for (size_t i = from; i < rows->count; i++) {
    const dsm__moved_row *const row = &rows->items[i];
    const dsm_pass_difference sum = dsm__moved_together(&v->diff->passes[row->first], row->count);
    seconds += sum.difference_seconds;
    share += sum.share;
    left += row->count;
  }
  if (left > 0) {
    dsm__page_labelled(v->page, 2, "", "and %zu more, together %s us, %s %%; --all shows them",
                       left, signed_text(v->page, per_micro * seconds, decimals),
                       share_text(v, share));
  }
}

static void put_passes(const view *v) {
  const dsm__moved_rows rows = dsm__moved_passes(v->page, v->diff->passes, v->diff->pass_count);
  const size_t count = dsm__rows_shown(rows.count, v->of->row_limit);
  if (count == 0) {
    put_nothing(v, fabs(v->diff->difference_seconds) > 0 ? "passes" : "time");
    return;
  }
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    const dsm__moved_row *const row = &rows.items[i];
    largest = fmax(largest,
                   per_micro * (double)row->count * larger(&v->diff->passes[row->first].seconds));
  }
  const int decimals = decimals_for(largest);
  put_heading(v, "time of layers and passes, the largest difference first");
  dsm__table table = DSM__TABLE(v->page, pass_columns);
  table.indent = 2;
  for (size_t i = 0; i < count; i++) {
    add_pass(v, &table, &rows.items[i], decimals);
  }
  dsm__table_print(&table);
  put_rest(v, &rows, count, decimals);
  dsm__put_moved_note(v->page, &rows, count, true);
}

/* ---- documents that are no plans ---- */

static void put_documents(const view *v) {
  const dsm_comparison *const of = v->of->comparison;
  dsm__page_labelled(v->page, 3, "A", "%s: %s", v->of->a_file, of->format);
  dsm__page_labelled(v->page, 3, "B", "%s: %s", v->of->b_file, of->format);
  if (of->verdict == DSM_VERDICT_OK) {
    dsm__page_line(v->page, DSM__STYLE_GOOD, "%s", no_difference);
    return;
  }
  dsm__page_break(v->page);
  dsm__put_comparison(v->page, of, v->of->row_limit, sides);
}

/* ---- the whole ---- */

void dsm__show_diff(dsm__page *page, const dsm_answer *answer) {
  const dsm_diffed *const of = answer->of;
  const view v = {.page = page, .of = of, .diff = of->diff};
  if (v.diff == NULL) {
    put_documents(&v);
    return;
  }
  put_plan(&v, "A", of->a_file, v.diff->a);
  put_plan(&v, "B", of->b_file, v.diff->b);
  if (!v.diff->is_different) {
    dsm__page_line(page, DSM__STYLE_GOOD, "%s", no_difference);
    return;
  }
  put_inputs(&v);
  put_layers(&v, DSM_PRESENCE_MISSING);
  put_layers(&v, DSM_PRESENCE_NEW);
  put_decisions(&v);
  put_passes(&v);
  put_parts(&v);
  put_results(&v);
}

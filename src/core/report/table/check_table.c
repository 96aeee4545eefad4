/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_table.c: what moved since baselines were made, for people. */
#include <math.h>
#include <string.h>

#include "report/answer.h"
#include "report/table/check_text.h"
#include "report/table/moved_rows.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

/* Columns of what stands before a list of layers. */
#define LABEL_WIDTH 18

static const dsm__text_style verdict_styles[] = {
    [DSM_VERDICT_OK] = DSM__STYLE_GOOD,
    [DSM_VERDICT_IMPROVED] = DSM__STYLE_GOOD,
    [DSM_VERDICT_CHANGED] = DSM__STYLE_FAIR,
    [DSM_VERDICT_REGRESSED] = DSM__STYLE_BAD,
};
_Static_assert(DSM__COUNT_OF(verdict_styles) == DSM_VERDICT_COUNT, "a style for each verdict");

/* ---- figures ---- */

static const dsm__table_column step_columns[] = {
    {.title = "step"},
    {.title = "before", .gap = 2, .is_right = true},
    {.title = "after", .gap = 2, .is_right = true},
    {.title = "change", .gap = 2, .is_right = true},
};

/* A time, or a share in percent, of which more is better. */
static void add_figure(dsm__table *table, const char *name, const dsm_moved *moved, double scale,
                       bool is_time) {
  enum { DIGITS = 6, PERCENT_DECIMALS = 2 };
  const double before = scale * moved->before;
  const double after = scale * moved->after;
  DSM__TABLE_TEXTS(table, name,
                   is_time ? dsm__figure_digits(before, DIGITS).text
                           : dsm__figure_fixed(before, PERCENT_DECIMALS).text,
                   is_time ? dsm__figure_digits(after, DIGITS).text
                           : dsm__figure_fixed(after, PERCENT_DECIMALS).text);
  dsm__table_add(table, dsm__style_of(moved, is_time), dsm__change_text(table->page, moved));
}

static void put_step(dsm__page *page, const dsm_drift *drift) {
  dsm__table table = DSM__TABLE(page, step_columns);
  table.indent = 2;
  add_figure(&table, "time (ms)", &drift->step_seconds, 1e3, true);
  if (drift->minibatch_before != drift->minibatch_after) {
    add_figure(&table, "a sample (us)", &drift->sample_seconds, 1e6, true);
  }
  add_figure(&table, "utilization (%)", &drift->utilization, 100, false);
  dsm__table_print(&table);
}

/* ---- layers, passes and decisions ---- */

static dsm__figure time_figure(const dsm_pass_difference *pass, bool is_cycles, bool is_before) {
  const dsm_moved *const moved = is_cycles ? &pass->cycles : &pass->seconds;
  const double value = is_before ? moved->before : moved->after;
  return is_cycles ? dsm__figure_fixed(value, 0) : dsm__figure_fixed(1e6 * value, 3);
}

static void add_pass(dsm__table *table, const dsm_pass_difference *passes,
                     const dsm__moved_row *row, bool is_cycles) {
  const dsm_pass_difference sum = dsm__moved_together(&passes[row->first], row->count);
  const dsm_pass_difference *const pass = &sum;
  const bool is_both = pass->presence == DSM_PRESENCE_BOTH;
  const bool was_there = pass->presence != DSM_PRESENCE_NEW;
  const bool is_there = pass->presence != DSM_PRESENCE_MISSING;
  const char *const word = dsm_presence_name(pass->presence);
  const dsm_moved *const utilization = &pass->utilization;
  DSM__TABLE_TEXTS(table, row->name, row->times, dsm_pass_name(pass->pass),
                   was_there ? time_figure(pass, is_cycles, true).text : "-",
                   is_there ? time_figure(pass, is_cycles, false).text : "-");
  dsm__table_add(table, is_both ? dsm__style_of(&pass->seconds, true) : DSM__STYLE_PLAIN,
                 is_both ? dsm__change_text(table->page, &pass->seconds) : word);
  DSM__TABLE_TEXTS(table, was_there ? dsm__figure_percent(utilization->before).text : "-",
                   is_there ? dsm__figure_percent(utilization->after).text : "-");
  dsm__table_add(table, is_both ? dsm__style_of(utilization, false) : DSM__STYLE_PLAIN,
                 is_both ? dsm__change_text(table->page, utilization) : word);
}

/* Cycles where they are as long on both sides, else microseconds. */
static void put_passes(dsm__page *page, const dsm_drift *drift, size_t limit) {
  const dsm__table_column columns[] = {
      {.title = "layer", .is_name = true},
      {.title = "n", .gap = 1, .is_right = true, .is_optional = true},
      {.title = "pass", .gap = 2},
      {.title = drift->is_same_clock ? "cycles before" : "us before",
       .gap = 2,
       .is_right = true,
       .rank = 2},
      {.title = "after", .gap = 2, .is_right = true, .rank = 2},
      {.title = "change", .gap = 2, .is_right = true},
      {.title = "util % before", .gap = 2, .is_right = true, .rank = 1},
      {.title = "after", .gap = 2, .is_right = true, .rank = 1},
      {.title = "change", .gap = 2, .is_right = true},
  };
  const dsm__moved_rows rows = dsm__moved_passes(page, drift->passes, drift->pass_count);
  const size_t shown = dsm__rows_shown(rows.count, limit);
  dsm__table table = DSM__TABLE(page, columns);
  for (size_t i = 0; i < shown; i++) {
    add_pass(&table, drift->passes, &rows.items[i], drift->is_same_clock);
  }
  dsm__put_list(&table, rows.count, limit);
  dsm__put_moved_note(page, &rows, shown, true);
}

static void put_layers(dsm__page *page, const dsm_checked *item, dsm_presence presence) {
  const dsm_drift *const drift = item->drift;
  const char *const text =
      dsm__one_sided_layers(page, drift->layers, drift->layer_count, presence, item->row_limit);
  if (text[0] != '\0') {
    dsm__page_labelled(page, LABEL_WIDTH,
                       presence == DSM_PRESENCE_NEW ? "  new layers" : "  missing layers", "%s",
                       text);
  }
}

/* ---- baselines ---- */

static void put_head(dsm__page *page, const dsm_checked *item) {
  const dsm_verdict verdict = dsm__verdict_of(item);
  const bool is_compared = verdict != DSM_VERDICT_COUNT;
  dsm__page_verdict(page, item->file, is_compared ? verdict_styles[verdict] : DSM__STYLE_BAD,
                    is_compared ? dsm_verdict_name(verdict) : dsm_status_name(item->status),
                    !is_compared          ? NULL
                    : item->drift != NULL ? dsm__check_summary(page, item->drift)
                                          : dsm__comparison_summary(page, item->comparison));
}

static void put_checked(dsm__page *page, const dsm_checked *item) {
  static const char *const sides[] = {"before", "after"};
  const dsm_drift *const drift = item->drift;
  put_head(page, item);
  if (item->comparison != NULL && item->comparison->verdict != DSM_VERDICT_OK) {
    dsm__put_comparison(page, item->comparison, item->row_limit, sides);
  }
  if (drift == NULL || drift->verdict == DSM_VERDICT_OK) {
    return;
  }
  if (drift->minibatch_before != drift->minibatch_after) {
    dsm__page_labelled(page, LABEL_WIDTH, "  minibatch", "%s, was %s",
                       dsm__figure_count(drift->minibatch_after).text,
                       dsm__figure_count(drift->minibatch_before).text);
  }
  put_step(page, drift);
  dsm__put_figures(page, drift->figures, drift->figure_count, item->row_limit, sides);
  put_layers(page, item, DSM_PRESENCE_MISSING);
  put_layers(page, item, DSM_PRESENCE_NEW);
  put_passes(page, drift, item->row_limit);
  dsm__put_decisions(page, drift->decisions, drift->decision_count, item->row_limit, sides);
}

/* "3 baselines: 1 ok, 1 regressed, 1 not compared; 2 failed". */
static void put_counts(dsm__page *page, const dsm_checked *items, size_t count) {
  size_t of_verdict[DSM_VERDICT_COUNT] = {0};
  size_t failed = 0;
  size_t compared = 0;
  for (size_t i = 0; i < count; i++) {
    failed += items[i].is_failed ? 1 : 0;
    if (dsm__verdict_of(&items[i]) != DSM_VERDICT_COUNT) {
      of_verdict[dsm__verdict_of(&items[i])]++;
      compared++;
    }
  }
  const char *text = "";
  for (int v = 0; v < DSM_VERDICT_COUNT; v++) {
    if (of_verdict[v] > 0) {
      text = dsm__page_join(page, text, ", ", "%zu %s", of_verdict[v],
                            dsm_verdict_name((dsm_verdict)v));
    }
  }
  if (compared < count) {
    text = dsm__page_join(page, text, ", ", "%zu not compared", count - compared);
  }
  dsm__page_line(page, failed > 0 ? DSM__STYLE_BAD : DSM__STYLE_GOOD,
                 "%zu baselines: %s; %zu failed", count, text, failed);
}

void dsm__show_check(dsm__page *page, const dsm_answer *answer) {
  const dsm_checked *const items = answer->of;
  for (size_t i = 0; i < answer->count; i++) {
    put_checked(page, &items[i]);
  }
  if (answer->count > 1) {
    put_counts(page, items, answer->count);
  }
}

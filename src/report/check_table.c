/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_table.c: what moved since baselines were made, for people. */
#include <math.h>
#include <string.h>

#include "report/check_text.h"
#include "report/figures.h"
#include "report/page.h"
#include "report/table.h"

/* Columns of what stands before a list of layers. */
#define LABEL_WIDTH 18

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static const dsm__tone verdict_tones[] = {
    [DSM_VERDICT_OK] = DSM__TONE_GOOD,
    [DSM_VERDICT_IMPROVED] = DSM__TONE_GOOD,
    [DSM_VERDICT_CHANGED] = DSM__TONE_FAIR,
    [DSM_VERDICT_REGRESSED] = DSM__TONE_BAD,
};
_Static_assert(COUNT_OF(verdict_tones) == DSM_VERDICT_COUNT, "a tone for each verdict");

/* ---- figures ---- */

static const dsm__column step_columns[] = {
    {.title = "step"},
    {.title = "before", .gap = 2, .is_right = true},
    {.title = "after", .gap = 2, .is_right = true},
    {.title = "change", .gap = 2, .is_right = true},
};

static void add_figure(dsm__table *table, const char *name, dsm__figure before, dsm__figure after,
                       const char *change, dsm__tone tone) {
  dsm__table_add(table, DSM__TONE_PLAIN, name);
  dsm__table_add(table, DSM__TONE_PLAIN, before.text);
  dsm__table_add(table, DSM__TONE_PLAIN, after.text);
  dsm__table_add(table, tone, change);
}

static void put_step(dsm__page *page, const dsm_drift *drift) {
  enum { DIGITS = 6, PERCENT_DECIMALS = 2 };
  const dsm_moved *const time = &drift->step_seconds;
  const dsm_moved *const utilization = &drift->utilization;
  dsm__table table = dsm__table_make(page, step_columns, COUNT_OF(step_columns), 2);
  table.indent = 2;
  add_figure(&table, "time (ms)", dsm__figure_digits(1e3 * time->before, DIGITS),
             dsm__figure_digits(1e3 * time->after, DIGITS), dsm__change_text(page, time),
             dsm__tone_of(time, true));
  add_figure(&table, "utilization (%)",
             dsm__figure_fixed(100 * utilization->before, PERCENT_DECIMALS),
             dsm__figure_fixed(100 * utilization->after, PERCENT_DECIMALS),
             dsm__change_text(page, utilization), dsm__tone_of(utilization, false));
  dsm__table_print(&table);
}

/* ---- layers, passes and decisions ---- */

static const dsm__column pass_columns[] = {
    {.title = "layer", .is_name = true},
    {.title = "pass", .gap = 2},
    {.title = "cycles before", .gap = 2, .is_right = true, .rank = 2},
    {.title = "after", .gap = 2, .is_right = true, .rank = 2},
    {.title = "change", .gap = 2, .is_right = true},
    {.title = "util % before", .gap = 2, .is_right = true, .rank = 1},
    {.title = "after", .gap = 2, .is_right = true, .rank = 1},
    {.title = "change", .gap = 2, .is_right = true},
};

static void add_pass(dsm__table *table, const dsm_pass_drift *pass) {
  const bool is_both = pass->presence == DSM_PRESENCE_BOTH;
  const bool was_there = pass->presence != DSM_PRESENCE_NEW;
  const bool is_there = pass->presence != DSM_PRESENCE_MISSING;
  const char *const word = dsm_presence_name(pass->presence);
  const dsm_moved *const cycles = &pass->cycles;
  const dsm_moved *const utilization = &pass->utilization;
  dsm__table_add(table, DSM__TONE_PLAIN, pass->layer);
  dsm__table_add(table, DSM__TONE_PLAIN, dsm_pass_name(pass->pass));
  dsm__table_add(table, DSM__TONE_PLAIN,
                 was_there ? dsm__figure_fixed(cycles->before, 0).text : "-");
  dsm__table_add(table, DSM__TONE_PLAIN, is_there ? dsm__figure_fixed(cycles->after, 0).text : "-");
  dsm__table_add(table, dsm__tone_of(cycles, true),
                 is_both ? dsm__change_text(table->page, cycles) : word);
  dsm__table_add(table, DSM__TONE_PLAIN,
                 was_there ? dsm__figure_percent(utilization->before).text : "-");
  dsm__table_add(table, DSM__TONE_PLAIN,
                 is_there ? dsm__figure_percent(utilization->after).text : "-");
  dsm__table_add(table, dsm__tone_of(utilization, false),
                 is_both ? dsm__change_text(table->page, utilization) : word);
}

static void put_passes(dsm__page *page, const dsm_drift *drift) {
  if (drift->pass_count == 0) {
    return;
  }
  dsm__table table = dsm__table_make(page, pass_columns, COUNT_OF(pass_columns), drift->pass_count);
  table.indent = 2;
  for (size_t i = 0; i < drift->pass_count; i++) {
    add_pass(&table, &drift->passes[i]);
  }
  dsm__table_print(&table);
}

static void put_layers(dsm__page *page, const dsm_drift *drift, dsm_presence presence) {
  const char *text = "";
  for (size_t i = 0; i < drift->layer_count; i++) {
    if (drift->layers[i].presence == presence) {
      text =
          dsm__page_text(page, "%s%s%s", text, text[0] == '\0' ? "" : ", ", drift->layers[i].layer);
    }
  }
  if (text[0] != '\0') {
    dsm__page_labelled(page, LABEL_WIDTH,
                       presence == DSM_PRESENCE_NEW ? "  new layers" : "  missing layers", text);
  }
}

static const dsm__column decision_columns[] = {
    {.title = "layer", .is_name = true}, {.title = "pass", .gap = 2},
    {.title = "decision", .gap = 2},     {.title = "before", .gap = 2},
    {.title = "after", .gap = 2},
};

static void put_decisions(dsm__page *page, const dsm_drift *drift) {
  if (drift->decision_count == 0) {
    return;
  }
  dsm__table table =
      dsm__table_make(page, decision_columns, COUNT_OF(decision_columns), drift->decision_count);
  table.indent = 2;
  for (size_t i = 0; i < drift->decision_count; i++) {
    const dsm_decision_drift *const decision = &drift->decisions[i];
    dsm__table_add(&table, DSM__TONE_PLAIN, decision->layer);
    dsm__table_add(&table, DSM__TONE_PLAIN,
                   decision->pass == DSM_PASS_COUNT ? "" : dsm_pass_name(decision->pass));
    dsm__table_add(&table, DSM__TONE_PLAIN, dsm_compared_name(decision->decision));
    dsm__table_add(&table, DSM__TONE_PLAIN, decision->before);
    dsm__table_add(&table, DSM__TONE_PLAIN, decision->after);
  }
  dsm__table_print(&table);
}

/* ---- baselines ---- */

static void put_head(dsm__page *page, const dsm_checked *item) {
  const dsm_drift *const drift = item->drift;
  const dsm__tone tone = drift == NULL ? DSM__TONE_BAD : verdict_tones[drift->verdict];
  dsm__text_puts(&page->out, dsm__page_text(page, "%s: ", item->file));
  dsm__tone_begin(&page->out, page->style.color, tone);
  dsm__text_puts(&page->out,
                 drift == NULL ? dsm_status_name(item->status) : dsm_verdict_name(drift->verdict));
  dsm__tone_end(&page->out, page->style.color, tone);
  if (drift != NULL) {
    dsm__text_puts(&page->out, dsm__page_text(page, " (%s)", dsm__check_summary(page, drift)));
  }
  dsm__page_break(page);
}

static void put_checked(dsm__page *page, const dsm_checked *item) {
  const dsm_drift *const drift = item->drift;
  put_head(page, item);
  if (drift == NULL || drift->verdict == DSM_VERDICT_OK) {
    return;
  }
  if (drift->minibatch_before != drift->minibatch_after) {
    dsm__page_labelled(page, LABEL_WIDTH, "  minibatch",
                       dsm__page_text(page, "%s, was %s",
                                      dsm__figure_count(drift->minibatch_after).text,
                                      dsm__figure_count(drift->minibatch_before).text));
  }
  put_step(page, drift);
  put_layers(page, drift, DSM_PRESENCE_MISSING);
  put_layers(page, drift, DSM_PRESENCE_NEW);
  put_passes(page, drift);
  put_decisions(page, drift);
}

/* "3 baselines: 1 ok, 1 regressed, 1 not compared; 2 failed". */
static void put_counts(dsm__page *page, const dsm_checked *items, size_t count) {
  size_t of_verdict[DSM_VERDICT_COUNT] = {0};
  size_t failed = 0;
  size_t compared = 0;
  for (size_t i = 0; i < count; i++) {
    failed += items[i].is_failed ? 1 : 0;
    if (items[i].drift != NULL) {
      of_verdict[items[i].drift->verdict]++;
      compared++;
    }
  }
  const char *text = "";
  for (int v = 0; v < DSM_VERDICT_COUNT; v++) {
    if (of_verdict[v] > 0) {
      text = dsm__page_text(page, "%s%s%zu %s", text, text[0] == '\0' ? "" : ", ", of_verdict[v],
                            dsm_verdict_name((dsm_verdict)v));
    }
  }
  if (compared < count) {
    text = dsm__page_text(page, "%s%s%zu not compared", text, text[0] == '\0' ? "" : ", ",
                          count - compared);
  }
  dsm__page_line(page, failed > 0 ? DSM__TONE_BAD : DSM__TONE_GOOD,
                 dsm__page_text(page, "%zu baselines: %s; %zu failed", count, text, failed));
}

char *dsm_report_check_table(const dsm_checked *items, size_t count, dsm_table_style style) {
  dsm__page page;
  if (!dsm__page_init(&page, style)) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    put_checked(&page, &items[i]);
  }
  if (count > 1) {
    put_counts(&page, items, count);
  }
  return dsm__page_finish(&page);
}

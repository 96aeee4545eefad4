/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ladder.c: what each optimisation gains (DeepSpatialMatrix, Fig. 11). */
#include "report/ladder.h"

#include "model/names.h"
#include "plan/plan_internal.h"
#include "report/data/csv.h"
#include "report/data/records.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

/* Seconds, because the first rung's system may have another clock. */
static double seconds_of(const dsm_ladder_rung *rung) {
  return rung->plan == NULL ? 0 : rung->plan->result.step_seconds;
}

dsm__ladder_gains dsm__ladder_gains_of(const dsm_ladder_rung *rungs, size_t index) {
  const double seconds = seconds_of(&rungs[index]);
  size_t first = 0;
  while (first < index && rungs[first].plan == NULL) {
    first++;
  }
  size_t previous = index > first ? index - 1 : first;
  while (previous > first && rungs[previous].plan == NULL) {
    previous--;
  }
  if (!(seconds > 0)) {
    return (dsm__ladder_gains){.over_previous = 1, .over_first = 1};
  }
  return (dsm__ladder_gains){.over_previous = seconds_of(&rungs[previous]) / seconds,
                             .over_first = seconds_of(&rungs[first]) / seconds};
}

const char *dsm__rung_name(dsm__page *page, const dsm_ladder_rung *rungs, size_t index) {
  const dsm_optimization_set first = rungs[0].optimizations;
  return index > 0    ? dsm__page_text(page, "+ %s", rungs[index].name)
         : first == 0 ? "none"
                      : dsm__page_text(page, "%s",
                                       dsm__words_join(&dsm__optimization_words, first, ", ").text);
}

/* ---- for programs ---- */

typedef struct rung_row {
  const char *name;
  const char *system;
  unsigned optimizations;
  bool has_plan;
  dsm_plan_result result;
  dsm__ladder_gains gains;
  const char *text; /* the name as people read it, said to them alone */
} rung_row;

/* What a rung is that fits a chip's memory. */
DSM__OWN_RECORD(
    gains_record, rung_row, false, "What a rung gains.",
    DSM__PART(rung_row, result, dsm__figures_record),
    DSM__FIELD(REAL, rung_row, result.lower_bound_cycles, "lower_bound_cycles", DSM__COLUMN,
               .unit = "cycles", .help = "No mapping of the searched space is faster."),
    DSM__FIELD(REAL, rung_row, gains.over_previous, "gain_over_previous", DSM__COLUMN | DSM__MORE,
               .unit = "ratio", .help = "Speed-up over the rung before that fits."),
    DSM__FIELD(REAL, rung_row, gains.over_first, "gain_over_first", DSM__COLUMN | DSM__MORE,
               .unit = "ratio", .help = "Speed-up over the first rung that fits."));

DSM__OWN_RECORD(
    rung_record, rung_row, false, "A rung: the optimizations of those before, and one more.",
    DSM__FIELD(TEXT, rung_row, name, "name", DSM__COLUMN,
               .help = "The optimization that the rung adds; none for the first."),
    DSM__FIELD(TEXT, rung_row, system, "system", DSM__COLUMN | DSM__ASKED,
               .help = "Name of its system."),
    DSM__FIELD(WORD_SET, rung_row, optimizations, "optimizations", 0,
               .words = &dsm__optimization_words, .help = "That the search might use."),
    {.kind = DSM__FIELD_PART, .type = &gains_record, .stated_if = DSM__IF(rung_row, has_plan)});

/* The question is that of the last rung's plan; without rungs there is none. */
typedef struct document {
  const char *workload;
  dsm_mode mode;
  uint64_t minibatch;
  dsm__rows rungs;
  const char *heading; /* of the last plan, said to people alone */
  bool lacks_plans;    /* likewise */
} document;

DSM__ANSWER(dsm__ladder_record, document, "dsm-ladder/1", "What each optimization gains",
            "dsm explore --ladder",
            DSM__FIELD(TEXT, document, workload, "workload", DSM__ASKED,
                       .help = "Name of the workload."),
            DSM__FIELD(WORD, document, mode, "mode", DSM__ASKED, .words = &dsm__mode_words,
                       .stated_if = DSM__IF(document, workload), .help = "What a step is."),
            DSM__FIELD(COUNT, document, minibatch, "minibatch", DSM__ASKED, .unit = "samples",
                       .stated_if = DSM__IF(document, workload), .help = "Samples of a step."),
            DSM__COMPARED_ROWS(document, rungs, "rungs", DSM__FIGURE, rung_record,
                               "From the first on."));

static dsm__rows rows_of(dsm__page *page, const dsm_ladder_rung *rungs, size_t count) {
  const dsm__rows made = dsm__rows_make(page, count, sizeof(rung_row));
  rung_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    const dsm_plan *const plan = rungs[i].plan;
    rows[i] = (rung_row){.name = rungs[i].name,
                         .system = rungs[i].system,
                         .optimizations = rungs[i].optimizations,
                         .has_plan = plan != NULL,
                         .result = plan == NULL ? (dsm_plan_result){0} : plan->result,
                         .gains = dsm__ladder_gains_of(rungs, i),
                         .text = dsm__rung_name(page, rungs, i)};
  }
  return made;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_ladder_rung *const rungs = answer->of;
  document *const made = to;
  made->rungs = rows_of(page, rungs, answer->count);
  if (answer->count > 0) {
    const dsm_plan *const last = rungs[answer->count - 1].plan;
    made->workload = last->workload->name;
    made->mode = last->options.mode;
    made->minibatch = last->workload->minibatch;
    made->heading = dsm__page_plan_heading(page, last);
  }
  for (size_t i = 0; i < answer->count; i++) {
    made->lacks_plans = made->lacks_plans || rungs[i].plan == NULL;
  }
}

/* ---- for people ---- */

static dsm__text_style utilization_style(const void *of, const void *row) {
  (void)of;
  return dsm__style_of_utilization(((const rung_row *)row)->result.utilization);
}

DSM__OWN_RECORD(shown_rung_record, rung_row, false, "A rung with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &rung_record},
                DSM__SAID(FLAG, rung_row, has_plan), DSM__SAID(TEXT, rung_row, text));

DSM__OWN_RECORD(shown_record, document, false, "A ladder with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &dsm__ladder_record},
                DSM__SAID(TEXT, document, heading), DSM__SAID(FLAG, document, lacks_plans));

static const dsm__table_column columns[] = {
    {.title = "rung", .value = "{text}"},
    DSM__COLUMN_OF("system", "{system}", .is_name = true, .rank = 3),
    DSM__NUMBERS("step (ms)", "{step_seconds:m5|does not fit}"),
    DSM__COLUMN_OF("samples/s", "{samples_per_second:4}", .is_right = true, .rank = 2),
    DSM__COLUMN_OF("util %", "{utilization:%}", .is_right = true, .style = utilization_style),
    DSM__NUMBERS("gain", "{0<#0?{has_plan?{gain_over_previous:.3}x|}|}"),
    DSM__COLUMN_OF("over first", "{has_plan?{gain_over_first:.3}x|}", .is_right = true, .rank = 1),
};
static const dsm__row_table rungs_table = {
    .list = "rungs", .type = &shown_rung_record, DSM__COLUMNS(columns)};

static const dsm__fact notes[] = {
    {.text = "Each rung adds one optimization to those above it; gain = speed-up over the rung "
             "before{lacks_plans? that fits a chip's memory|}.",
     .is_faint = true}};

static const dsm__section sections[] = {{.table = &rungs_table}, {DSM__FACTS(notes)}};

static const dsm__layout layout = {
    .type = &shown_record, .heading = "{heading}", DSM__SECTIONS(sections)};

const dsm_answer_kind dsm_answer_ladder = {
    .record = &dsm__ladder_record, .fill = fill, .tables = {"rungs"}, .layout = &layout};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_data.c: what moved since baselines were made, for programs (format "dsm-check/1", and CSV).
 */
#include "base/diag_add.h"
#include "check/drift.h"
#include "model/names.h"
#include "report/data/csv.h"
#include "report/data/records.h"
#include "report/table/check_text.h"

/* ---- the tables ---- */

DSM__OWN_RECORD(
    dsm__moved_record, dsm_moved, true, "A figure before and now.",
    DSM__FIELD(REAL, dsm_moved, before, "before", DSM__COLUMN,
               .help = "As recorded; 0 if there was none."),
    DSM__FIELD(REAL, dsm_moved, after, "after", DSM__COLUMN,
               .help = "As predicted now; 0 if there is none."),
    DSM__FIELD(REAL, dsm_moved, change, "change", DSM__COLUMN | DSM__NULLABLE, .min = -1,
               .unit = "ratio",
               .help = "(after - before) / before; null if before is 0 and after is not."),
    DSM__FIELD(FLAG, dsm_moved, is_beyond, "beyond", DSM__COLUMN,
               .help = "Is the change larger than the tolerance?"));

/* The field of a figure that moved. */
#define MOVED(struct_type, member, key, flag, about, ...)                                          \
  DSM__FIELD(RECORD, struct_type, member, key, flag, .type = &dsm__moved_record, .help = (about),  \
             __VA_ARGS__)

DSM__OWN_RECORD(layer_record, dsm_layer_drift, true, "A layer on one side only.",
                DSM__FIELD(TEXT, dsm_layer_drift, layer, "layer", 0, .help = "Its name."),
                DSM__FIELD(WORD, dsm_layer_drift, presence, "presence", 0,
                           .words = &dsm__presence_words, .help = "Where it is found."));

DSM__OWN_RECORD(figure_record, dsm_figure_drift, true, "A figure of a document or of energy.",
                DSM__FIELD(TEXT, dsm_figure_drift, path, "path", 0,
                           .help = "Its keys, and names or indices of items of lists, joined by "
                                   "dots."),
                DSM__FIELD(TEXT, dsm_figure_drift, unit, "unit", DSM__OPTIONAL,
                           .help = "Absent: it has none."),
                DSM__PART(dsm_figure_drift, moved, dsm__moved_record));

/* Rows of CSV have what moved, whatever it is, in the columns of a decision. */
DSM__DECISION_RECORD("A decision that is another now.", "figure", "before",
                     "In words, such as \"in 2 ij 8\".", "after");

typedef struct pass_row {
  dsm_pass_difference of;
  bool is_same_clock;
} pass_row;

DSM__OWN_RECORD(pass_record, pass_row, false, "A pass that moved.",
                DSM__FIELD(TEXT, pass_row, of.layer, "layer", 0, .help = "Name of its layer."),
                DSM__FIELD(WORD, pass_row, of.pass, "pass", 0, .words = &dsm__pass_words,
                           .help = "Which."),
                DSM__FIELD(WORD, pass_row, of.presence, "presence", 0,
                           .words = &dsm__presence_words, .help = "Where it is found."),
                MOVED(pass_row, of.seconds, "seconds", DSM__LESS, "Of the pass in the step.",
                      .unit = "seconds"),
                MOVED(pass_row, of.cycles, "cycles", DSM__LESS,
                      "cycles.total of the pass; absent where a cycle is not as long as before.",
                      .unit = "cycles", .stated_if = DSM__IF(pass_row, is_same_clock)),
                MOVED(pass_row, of.utilization, "utilization", DSM__MORE, "0 to 1.",
                      .unit = "ratio"));

/* A baseline with what is said of it. */
typedef struct item_row {
  const char *file;
  dsm_status status;
  bool is_failed;
  bool is_compared; /* the baseline is a plan */
  bool is_document; /* it is another document */
  bool has_figures; /* it is such a document, or a plan with energy */
  dsm_verdict verdict;
  double tolerance;
  const dsm_figure_drift *figures;
  size_t figure_count;
  dsm_drift drift;
  dsm_comparison comparison;
  const char *version_after;
  dsm__rows passes;
  dsm__rows findings;
} item_row;

DSM__OWN_RECORD(minibatch_record, item_row, true, "Samples of a step.",
                DSM__SAMPLES(item_row, drift.minibatch_before, "before", 0, "As recorded."),
                DSM__SAMPLES(item_row, drift.minibatch_after, "after", 0, "Now."));

DSM__OWN_RECORD(version_record, item_row, true, "The versions of dsm.",
                DSM__FIELD(TEXT, item_row, drift.dsm_version_before, "before", 0,
                           .help = "That wrote the baseline; empty if it does not say."),
                DSM__FIELD(TEXT, item_row, version_after, "after", 0, .help = "This one."));

DSM__OWN_RECORD(
    drift_record, item_row, false, "What moved.",
    DSM__FIELD(TEXT, item_row, drift.workload, "workload", 0, .help = "Name of the workload now."),
    DSM__FIELD(TEXT, item_row, drift.system, "system", 0, .help = "Name of the system now."),
    DSM__FIELD(WORD, item_row, drift.mode, "mode", 0, .words = &dsm__mode_words,
               .help = "What a step is."),
    {.key = "minibatch",
     .kind = DSM__FIELD_RECORD,
     .type = &minibatch_record,
     .help = "Samples of a step."},
    {.key = "dsm_version",
     .kind = DSM__FIELD_RECORD,
     .type = &version_record,
     .help = "The versions of dsm."},
    MOVED(item_row, drift.step_seconds, "step_seconds", DSM__LESS, "Of the step.",
          .unit = "seconds"),
    MOVED(item_row, drift.sample_seconds, "sample_seconds", DSM__LESS,
          "step_seconds over the minibatch: decides first.", .unit = "seconds"),
    MOVED(item_row, drift.step_cycles, "step_cycles", DSM__LESS,
          "Absent where a cycle is not as long as before.", .unit = "cycles",
          .stated_if = DSM__IF(item_row, drift.is_same_clock)),
    MOVED(item_row, drift.utilization, "utilization", DSM__MORE, "0 to 1.", .unit = "ratio"),
    MOVED(item_row, drift.sample_joules, "sample_joules", DSM__LESS,
          "Energy of a step over the minibatch: decides too.", .unit = "joules",
          .stated_if = DSM__IF(item_row, drift.has_energy)),
    DSM__LISTED(item_row, drift.layers, drift.layer_count, "layers", 0, layer_record,
                "Layers on one side only."),
    DSM__ROWS(item_row, passes, "passes", pass_record,
              "Passes whose time or utilization is beyond the tolerance, or on one side only; the "
              "largest difference of time first."),
    DSM__LISTED(item_row, drift.decisions, drift.decision_count, "decisions", 0, decision_record,
                "Decisions that are others now."));

DSM__INPUT_RECORD("Its keys, and names or indices of items of lists, joined by dots.", "before",
                  "after");

DSM__OWN_RECORD(question_record, item_row, false, "A document that is no plan.",
                DSM__FIELD(TEXT, item_row, comparison.format, "document", 0,
                           .help = "Its format; absent of plans."),
                DSM__LISTED(item_row, comparison.inputs, comparison.input_count, "inputs", 0,
                            input_record, "What was asked, where that differs; absent of plans."));

DSM__OWN_RECORD(
    item_record, item_row, false, "A baseline.",
    DSM__FIELD(TEXT, item_row, file, "file", DSM__COLUMN, .help = "The baseline."),
    DSM__FIELD(WORD, item_row, status, "status", DSM__COLUMN, .words = &dsm__status_words,
               .help = "ok: it was compared; else why not, and there are only file, status, failed "
                       "and findings."),
    DSM__FIELD(
        FLAG, item_row, is_failed, "failed", 0,
        .help =
            "It fails the build: it regressed, moved at all with --strict, or was not compared."),
    DSM__FIELD(WORD, item_row, verdict, "verdict", DSM__COLUMN | DSM__OPTIONAL,
               .words = &dsm__verdict_words, .help = "The outcome."),
    DSM__FIELD(REAL, item_row, tolerance, "tolerance", 0, .max = 1, .unit = "ratio",
               .stated_if = DSM__IF_NOT(item_row, verdict, DSM_VERDICT_COUNT),
               .help = "By which figures may move."),
    {.kind = DSM__FIELD_PART, .type = &drift_record, .stated_if = DSM__IF(item_row, is_compared)},
    {.kind = DSM__FIELD_PART,
     .type = &question_record,
     .stated_if = DSM__IF(item_row, is_document)},
    DSM__FIELD(
        LIST, item_row, figures, "figures", 0, .count_offset = offsetof(item_row, figure_count),
        .type = &figure_record, .stated_if = DSM__IF(item_row, has_figures),
        .help = "Those beyond the tolerance, and those that decide; of plans those of energy "
                "and cost, where both name a technology."),
    DSM__FIELD(LIST, item_row, comparison.decisions, "chosen", 0,
               .count_offset = offsetof(item_row, comparison.decision_count), .type = &input_record,
               .stated_if = DSM__IF(item_row, is_document),
               .help = "What was decided, where that is another now; absent of plans."),
    DSM__ROWS(item_row, findings, "findings", dsm__finding_record,
              "What was found while it was read and explored."));

typedef struct document {
  bool is_failed;
  dsm__rows items;
} document;

DSM__ANSWER(dsm__check_record, document, "dsm-check/1", "What moved since baselines were made",
            "dsm check",
            DSM__FIELD(FLAG, document, is_failed, "failed", 0,
                       .help = "Does any of the baselines fail the build?"),
            DSM__ROWS(document, items, "items", item_record,
                      "One for each baseline, in the order of the command line; those of a "
                      "folder by name."));

/* ---- what they hold ---- */

static dsm__rows rows_of_passes(dsm__page *page, const dsm_drift *drift) {
  const dsm__rows made = dsm__rows_make(page, drift->pass_count, sizeof(pass_row));
  pass_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    rows[i] = (pass_row){drift->passes[i], drift->is_same_clock};
  }
  return made;
}

static item_row row_of(dsm__page *page, const dsm_checked *item) {
  item_row row = {.file = item->file,
                  .status = item->status,
                  .is_failed = item->is_failed,
                  .is_compared = item->drift != NULL,
                  .is_document = item->comparison != NULL,
                  .has_figures = item->comparison != NULL,
                  .verdict = dsm__verdict_of(item),
                  .version_after = dsm_version(),
                  .findings = dsm__findings_of(page, item->diags)};
  if (item->drift != NULL) {
    row.drift = *item->drift;
    row.has_figures = item->drift->has_energy;
    row.tolerance = item->drift->tolerance;
    row.figures = item->drift->figures;
    row.figure_count = item->drift->figure_count;
    row.passes = rows_of_passes(page, item->drift);
  }
  if (item->comparison != NULL) {
    row.comparison = *item->comparison;
    row.tolerance = item->comparison->tolerance;
    row.figures = item->comparison->figures;
    row.figure_count = item->comparison->figure_count;
  }
  return row;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_checked *const items = answer->of;
  document *const made = to;
  made->items = dsm__rows_make(page, answer->count, sizeof(item_row));
  item_row *const rows = made->items.items;
  for (size_t i = 0; i < made->items.count; i++) {
    rows[i] = row_of(page, &items[i]);
    made->is_failed = made->is_failed || items[i].is_failed;
  }
}

/* ---- CSV: a row a figure, layer or decision ---- */

/* `what`: layer, pass and name of what moved; `moved` NULL: that also says how. */
static void put_row(dsm__csv *csv, const item_row *item, dsm_decision_drift what,
                    const dsm_moved *moved) {
  DSM__CSV_ROW(csv, {&item_record, item}, {&decision_record, &what}, {&dsm__moved_record, moved});
}

/* A figure of the step. */
static void put_figure(dsm__csv *csv, const item_row *item, const char *name,
                       const dsm_moved *moved) {
  put_row(csv, item, (dsm_decision_drift){.pass = DSM_PASS_COUNT, .decision = name}, moved);
}

static void put_pass(dsm__csv *csv, const item_row *item, const dsm_pass_difference *pass) {
  dsm_decision_drift what = {.layer = pass->layer, .pass = pass->pass, .decision = "seconds"};
  if (pass->presence != DSM_PRESENCE_BOTH) {
    put_row(csv, item, dsm__presence_row(pass->layer, pass->pass, pass->presence), NULL);
    return;
  }
  put_row(csv, item, what, &pass->seconds);
  if (item->drift.is_same_clock) {
    what.decision = "cycles";
    put_row(csv, item, what, &pass->cycles);
  }
  what.decision = "utilization";
  put_row(csv, item, what, &pass->utilization);
}

static void put_figures(dsm__csv *csv, const item_row *item) {
  for (size_t i = 0; i < item->figure_count; i++) {
    put_figure(csv, item, item->figures[i].path, &item->figures[i].moved);
  }
}

static void put_drift(dsm__csv *csv, const item_row *item) {
  const dsm_drift *const drift = &item->drift;
  put_figure(csv, item, "step_seconds", &drift->step_seconds);
  put_figure(csv, item, "sample_seconds", &drift->sample_seconds);
  if (drift->is_same_clock) {
    put_figure(csv, item, "step_cycles", &drift->step_cycles);
  }
  put_figure(csv, item, "utilization", &drift->utilization);
  if (drift->has_energy) {
    put_figure(csv, item, "sample_joules", &drift->sample_joules);
  }
  put_figures(csv, item);
  for (size_t i = 0; i < drift->layer_count; i++) {
    const dsm_layer_drift *const layer = &drift->layers[i];
    put_row(csv, item, dsm__presence_row(layer->layer, DSM_PASS_COUNT, layer->presence), NULL);
  }
  for (size_t i = 0; i < drift->pass_count; i++) {
    put_pass(csv, item, &drift->passes[i]);
  }
  for (size_t i = 0; i < drift->decision_count; i++) {
    put_row(csv, item, drift->decisions[i], NULL);
  }
}

/* Values of both sides as texts, in the columns of a decision. */
static void put_values(dsm__csv *csv, const item_row *item, const dsm_input_difference *values,
                       size_t count) {
  for (size_t i = 0; i < count; i++) {
    const dsm_decision_drift what = {.pass = DSM_PASS_COUNT,
                                     .decision = values[i].path,
                                     .before = values[i].a,
                                     .after = values[i].b};
    put_row(csv, item, what, NULL);
  }
}

static void put_comparison(dsm__csv *csv, const item_row *item) {
  const dsm_comparison *const of = &item->comparison;
  put_values(csv, item, of->inputs, of->input_count);
  put_figures(csv, item);
  put_values(csv, item, of->decisions, of->decision_count);
}

static void put_rows(dsm__csv *csv, const void *of) {
  const dsm__rows *const items = &((const document *)of)->items;
  const item_row *const rows = items->items;
  dsm__csv_columns(csv, &item_record);
  dsm__csv_columns(csv, &decision_record);
  dsm__csv_columns(csv, &dsm__moved_record);
  for (size_t i = 0; i < items->count; i++) {
    if (rows[i].is_compared) {
      put_drift(csv, &rows[i]);
    } else if (rows[i].is_document) {
      put_comparison(csv, &rows[i]);
    } else {
      DSM__CSV_ROW(csv, {&item_record, &rows[i]});
    }
  }
}

const dsm_answer_kind dsm_answer_check = {
    .record = &dsm__check_record,
    .fill = fill,
    .put_rows = put_rows,
    .views = {dsm__show_check, [DSM_FORM_JUNIT] = dsm__put_junit}};

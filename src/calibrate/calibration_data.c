/* SPDX-License-Identifier: GPL-3.0-or-later */
/* calibration_data.c: constants that were chosen on measurements: the document (format
 * "dsm-calibration/1", and CSV), and a text. */
#include "dsm/calibrate.h"
#include "model/names.h"
#include "plan/plan_internal.h"
#include "report/answer.h"
#include "report/data/csv.h"
#include "report/data/records.h"

/* ---- the tables ---- */

#define SECONDS(member, key, about)                                                                \
  DSM__REAL(dsm_measured, member, key, DSM__ABOVE | DSM__COLUMN, "seconds", about)

DSM__OWN_RECORD(
    measured_record, dsm_measured, true, "A measurement.",
    DSM__FIELD(COUNT, dsm_measured, line, "line", DSM__COLUMN, .min = 1,
               .help = "Where it is in the file."),
    DSM__FIELD(TEXT, dsm_measured, workload, "workload", DSM__COLUMN,
               .help = "Name of the network."),
    DSM__SAMPLES(dsm_measured, minibatch, "minibatch", DSM__COLUMN, "Samples of a step."),
    DSM__FIELD(WORD, dsm_measured, mode, "mode", DSM__COLUMN, .words = &dsm__mode_words,
               .help = "What a step is."),
    DSM__FIELD(TEXT, dsm_measured, layer, "layer", DSM__COLUMN | DSM__OPTIONAL,
               .help = "Absent: all layers."),
    DSM__FIELD(WORD, dsm_measured, pass, "pass", DSM__COLUMN | DSM__OPTIONAL,
               .words = &dsm__pass_words, .help = "Absent: all passes."),
    SECONDS(measured, "measured_seconds", "As the file says."),
    SECONDS(before, "before_seconds", "Predicted with the constants as they were."),
    SECONDS(after, "after_seconds", "Predicted with the chosen ones."),
    DSM__FIELD(REAL, dsm_measured, left_out, "left_out_seconds",
               DSM__ABOVE | DSM__COLUMN | DSM__UNLESS_0, .unit = "seconds",
               .help = "Predicted with constants that were chosen without it; absent of a single "
                       "measurement."));

DSM__OWN_RECORD(
    constant_record, dsm_calibrated_constant, true, "A constant that was to be chosen.",
    DSM__FIELD(TEXT, dsm_calibrated_constant, path, "path", 0, .help = "Of the system."),
    DSM__FIELD(TEXT, dsm_calibrated_constant, unit, "unit", 0, .help = "Of its values."),
    DSM__REAL(dsm_calibrated_constant, before, "before", DSM__ASKED, NULL, "As the system has it."),
    DSM__REAL(dsm_calibrated_constant, after, "after", DSM__CHOSEN, NULL, "As it was chosen."),
    DSM__REAL(dsm_calibrated_constant, lowest, "lowest", 0, NULL,
              "Among the values that were chosen without some of the measurements, and this."),
    DSM__REAL(dsm_calibrated_constant, highest, "highest", 0, NULL, "Likewise."),
    DSM__FIELD(FLAG, dsm_calibrated_constant, is_seen, "is_seen", 0,
               .help = "Some prediction changes by 0.1 % or more when it is halved or doubled."));

/* Two constants by their paths. */
typedef struct alike_row {
  const char *first;
  const char *second;
  double correlation;
} alike_row;

DSM__OWN_RECORD(
    alike_record, alike_row, true, "Two constants that the measurements cannot tell apart.",
    DSM__FIELD(TEXT, alike_row, first, "first", 0, .help = "Path of one."),
    DSM__FIELD(TEXT, alike_row, second, "second", 0, .help = "Path of the other."),
    DSM__FIELD(REAL, alike_row, correlation, "correlation", 0, .min = -1, .max = 1,
               .help = "Of what all predictions change by with either; above 0.99 by size."));

typedef struct document {
  dsm_calibration of;
  dsm__rows alike;
  const char *unseen; /* constants that no measurement sees, said to people alone; NULL: none */
  bool are_few;       /* there are fewer measurements than constants that are seen: likewise */
} document;

DSM__OWN_ANSWER(
    calibration_record, document, "dsm-calibration/1",
    "Constants of a system that fit measured times", "dsm calibrate",
    DSM__FIELD(TEXT, document, of.name, "system", DSM__ASKED, .help = "Name of the system."),
    DSM__FIELD(TEXT, document, of.file, "measurements", DSM__ASKED,
               .help = "Name of their file, without its folder."),
    DSM__REAL(document, of.error_before, "error_before", DSM__LESS, "ratio",
              "Mean of |predicted / measured - 1| with the constants as they were."),
    DSM__REAL(document, of.error_after, "error_after", DSM__LESS, "ratio", "With the chosen ones."),
    DSM__FIELD(REAL, document, of.error_left_out, "error_left_out", DSM__LESS, .unit = "ratio",
               .stated_if = DSM__IF(document, of.fold_count),
               .help = "Of each measurement by constants that were chosen without it; absent of a "
                       "single measurement."),
    DSM__FIELD(COUNT, document, of.fold_count, "folds", 0,
               .help = "Parts of the measurements that were left out in turn: each alone, or a "
                       "tenth; 0 of a single measurement."),
    DSM__FIELD(REAL, document, of.spread_low, "spread_low", 0, .unit = "ratio",
               .stated_if = DSM__IF(document, of.fold_count),
               .help = "Measured over predicted of those left out, 10th percentile; absent of a "
                       "single measurement."),
    DSM__FIELD(REAL, document, of.spread_high, "spread_high", 0, .unit = "ratio",
               .stated_if = DSM__IF(document, of.fold_count), .help = "The 90th."),
    DSM__FIELD(COUNT, document, of.explorations, "explorations", 0, .help = "That it took."),
    DSM__FIELD(FLAG, document, of.is_stopped, "is_stopped", 0,
               .help = "The most explorations were reached before the end."),
    DSM__LISTED(document, of.constants, of.constant_count, "constants", DSM__CHOSEN,
                constant_record, "In the order in which they were asked for."),
    DSM__ROWS(document, alike, "alike", alike_record, "Of those that are seen."),
    DSM__LISTED(document, of.rows, of.row_count, "rows", 0, measured_record,
                "In the order of the file."));

/* ---- what they hold ---- */

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_calibration *const of = answer->of;
  const dsm__rows alike = dsm__rows_make(page, of->alike_count, sizeof(alike_row));
  alike_row *const rows = alike.items;
  for (size_t i = 0; i < alike.count; i++) {
    const dsm_alike_constants *const pair = &of->alike[i];
    rows[i] = (alike_row){of->constants[pair->first].path, of->constants[pair->second].path,
                          pair->correlation};
  }
  const char *unseen = "";
  size_t seen = 0;
  for (size_t k = 0; k < of->constant_count; k++) {
    const dsm_calibrated_constant *const constant = &of->constants[k];
    seen += constant->is_seen ? 1 : 0;
    unseen = constant->is_seen ? unseen : dsm__page_join(page, unseen, ", ", "%s", constant->path);
  }
  *(document *)to = (document){.of = *of,
                               .alike = alike,
                               .unseen = unseen[0] == '\0' ? NULL : unseen,
                               .are_few = seen > of->row_count};
}

/* ---- for people ---- */

DSM__OWN_RECORD(shown_record, document, false, "A calibration with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &calibration_record},
                DSM__SAID(TEXT, document, unseen));

static const dsm__fact errors[] = {
    DSM__FACT("mean error", "{error_before:%2} % before, {error_after:%2} % after"),
    DSM__FACT_IF("left out", "a single measurement cannot be left out",
                 DSM__UNLESS(document, of.fold_count)),
    DSM__FACT_IF("left out",
                 "{error_left_out:%2} % of {folds<rows?each tenth of the "
                 "measurements|each measurement alone}, by constants chosen on the "
                 "other measurements",
                 DSM__IF(document, of.fold_count)),
    DSM__FACT_IF("spread",
                 "measured times are {spread_low:.3} to {spread_high:.3} of the predicted "
                 "ones (10th to 90th percentile of those left out)",
                 DSM__IF(document, of.fold_count)),
    DSM__FACT_IF(NULL, "The search ended at its limit of explorations: better constants may exist.",
                 DSM__IF(document, of.is_stopped)),
};

static dsm__text_style constant_style(const void *of, const void *row) {
  (void)of;
  return ((const dsm_calibrated_constant *)row)->is_seen ? DSM__STYLE_HEADING : DSM__STYLE_FAINT;
}

static const dsm__table_column constant_columns[] = {
    {.title = "constant", .value = "{path}", .is_name = true, .comfort = 40},
    DSM__NUMBERS("before", "{before:~4}"),
    DSM__COLUMN_OF("after", "{after:~4}", .is_right = true, .style = constant_style),
    DSM__COLUMN_OF("with some left out", "{folds?{lowest:~4} to {highest:~4}|}", .rank = 1,
                   .is_optional = true),
    DSM__COLUMN_OF("unit", "{unit}", .rank = 2),
};
static const dsm__row_table constants = {.list = "constants", DSM__COLUMNS(constant_columns)};

/* What the measurements do not say. */
static const dsm__fact doubts[] = {
    DSM__FACT_IF(NULL,
                 "No measurement depends on these (halved or doubled, they change no "
                 "prediction by 0.1 %): {unseen}.",
                 DSM__IF(document, unseen)),
    {.text = "Cannot be told apart: {first} and {second} change all predictions alike (correlation "
             "{correlation:.3}).",
     .each = "alike"},
    DSM__FACT_IF(NULL, "There are fewer measurements than constants: other values fit as well.",
                 DSM__IF(document, are_few)),
};

#define ERROR(key) "{" key "_seconds/measured_seconds:+1}"
static const dsm__table_column row_columns[] = {
    DSM__COLUMN_OF("line", "{line}", .is_right = true, .rank = 2),
    DSM__COLUMN_OF("network", "{workload}", .is_name = true),
    DSM__COLUMN_OF("minibatch", "{minibatch}", .is_right = true, .rank = 3),
    DSM__COLUMN_OF("part", "{layer} {pass}", .is_name = true, .is_optional = true),
    DSM__NUMBERS("measured ms", "{measured_seconds:m4}"),
    DSM__NUMBERS("before", "{before_seconds:m4}"),
    DSM__COLUMN_OF("%", ERROR("before"), .is_right = true, .rank = 1),
    DSM__NUMBERS("after", "{after_seconds:m4}"),
    DSM__COLUMN_OF("%", ERROR("after"), .is_right = true, .rank = 1),
    DSM__COLUMN_OF("left out", "{left_out_seconds:m4}", .is_right = true, .is_optional = true),
    DSM__COLUMN_OF("%", ERROR("left_out"), .is_right = true, .rank = 1, .is_optional = true),
};
static const dsm__row_table measurements = {.list = "rows", DSM__COLUMNS(row_columns)};

static const dsm__section sections[] = {
    {.id = "errors", .title = "Errors", DSM__FACTS(errors), .label_width = 13},
    {.id = "constants", .title = "Constants", .table = &constants},
    {DSM__FACTS(doubts)},
    {.id = "measurements", .title = "Measurements", .table = &measurements}};

static const dsm__layout layout = {
    .type = &shown_record,
    .heading = "{system}: {constants} constant{constants;s} calibrated on {rows} "
               "measurement{rows;s} of {measurements}; {explorations} exploration{explorations;s}",
    DSM__SECTIONS(sections)};

const dsm_answer_kind dsm_answer_calibration = {
    .record = &calibration_record,
    .fill = fill,
    .tables = {"rows"},
    .layout = &layout,
    .judged = {.paths = {"error_left_out", "error_after"}}};

const dsm__companion dsm__companion_calibrate = {.kinds = {&dsm_answer_calibration},
                                                 .formats = {&calibration_record}};

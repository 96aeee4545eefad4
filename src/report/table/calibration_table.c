/* SPDX-License-Identifier: GPL-3.0-or-later */
/* calibration_table.c: constants that were chosen on measurements, for people. */
#include <math.h>

#include "base/number_text.h"
#include "dsm/calibrate.h"
#include "model/names.h"
#include "plan/plan_internal.h"
#include "report/answer.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

/* ---- the constants ---- */

static const dsm__table_column constant_columns[] = {
    {.title = "constant", .is_name = true, .comfort = 40},
    {.title = "before", .gap = 2, .is_right = true},
    {.title = "after", .gap = 2, .is_right = true},
    {.title = "with some left out", .gap = 2, .rank = 1, .is_optional = true},
    {.title = "unit", .gap = 2, .rank = 2},
};

static const char *value_text(dsm__page *page, double value) {
  return dsm__page_text(page, "%s", dsm__figure_short(value, 4).text);
}

/* The range of a constant over what it was chosen on. */
static const char *range_text(dsm__page *page, const dsm_calibration *of, size_t k) {
  const dsm_calibrated_constant *const constant = &of->constants[k];
  return of->fold_count == 0 ? ""
                             : dsm__page_text(page, "%s to %s", value_text(page, constant->lowest),
                                              value_text(page, constant->highest));
}

static void put_constants(dsm__page *page, const dsm_calibration *of) {
  dsm__table table = DSM__TABLE(page, constant_columns);
  for (size_t k = 0; k < of->constant_count; k++) {
    const dsm_calibrated_constant *const constant = &of->constants[k];
    DSM__TABLE_TEXTS(&table, constant->path, value_text(page, constant->before));
    dsm__table_add(&table, constant->is_seen ? DSM__STYLE_HEADING : DSM__STYLE_FAINT,
                   value_text(page, constant->after));
    DSM__TABLE_TEXTS(&table, range_text(page, of, k), constant->unit);
  }
  dsm__page_break(page);
  dsm__table_print(&table);
}

/* Constants that no measurement sees; "" if there are none. */
static const char *unseen_text(dsm__page *page, const dsm_calibration *of) {
  const char *unseen = "";
  for (size_t k = 0; k < of->constant_count; k++) {
    if (!of->constants[k].is_seen) {
      unseen = dsm__page_join(page, unseen, ", ", "%s", of->constants[k].path);
    }
  }
  return unseen;
}

static size_t count_seen(const dsm_calibration *of) {
  size_t count = 0;
  for (size_t k = 0; k < of->constant_count; k++) {
    count += of->constants[k].is_seen ? 1 : 0;
  }
  return count;
}

/* What the measurements do not say. */
static void put_doubts(dsm__page *page, const dsm_calibration *of) {
  const char *const unseen = unseen_text(page, of);
  const bool are_few = count_seen(of) > of->row_count;
  if (unseen[0] != '\0' || of->alike_count > 0 || are_few) {
    dsm__page_break(page);
  }
  if (unseen[0] != '\0') {
    dsm__page_line(page, DSM__STYLE_PLAIN,
                   "No measurement depends on these (halved or doubled, they change no prediction "
                   "by 0.1 %%): %s.",
                   unseen);
  }
  for (size_t i = 0; i < of->alike_count; i++) {
    dsm__page_line(
        page, DSM__STYLE_PLAIN,
        "Cannot be told apart: %s and %s change all predictions alike (correlation %s%s).",
        of->constants[of->alike[i].first].path, of->constants[of->alike[i].second].path,
        of->alike[i].correlation < 0 ? "-" : "",
        dsm__figure_fixed(fabs(of->alike[i].correlation), 3).text);
  }
  if (are_few) {
    dsm__page_line(page, DSM__STYLE_PLAIN,
                   "There are fewer measurements than constants: other values fit as well.");
  }
}

/* ---- the measurements ---- */

static const dsm__table_column row_columns[] = {
    {.title = "line", .is_right = true, .rank = 2},
    {.title = "network", .gap = 2, .is_name = true},
    {.title = "minibatch", .gap = 2, .is_right = true, .rank = 3},
    {.title = "part", .gap = 2, .is_name = true, .is_optional = true},
    {.title = "measured ms", .gap = 2, .is_right = true},
    {.title = "before", .gap = 2, .is_right = true},
    {.title = "%", .gap = 2, .is_right = true, .rank = 1},
    {.title = "after", .gap = 2, .is_right = true},
    {.title = "%", .gap = 2, .is_right = true, .rank = 1},
    {.title = "left out", .gap = 2, .is_right = true, .is_optional = true},
    {.title = "%", .gap = 2, .is_right = true, .rank = 1, .is_optional = true},
};

static const char *time_text(dsm__page *page, double seconds) {
  return dsm__page_text(page, "%s", dsm__figure_digits(1e3 * seconds, 4).text);
}

/* "+3.1": how far a prediction is from what was measured. */
static const char *error_text(dsm__page *page, double predicted, double measured) {
  const double percent = 100 * (predicted / measured - 1);
  return dsm__page_text(page, "%s%s", percent < 0 ? "-" : "+",
                        dsm__figure_fixed(fabs(percent), 1).text);
}

/* "conv1_1 forward"; "" for the step. */
static const char *part_text(dsm__page *page, const dsm_measured *row) {
  const bool has_pass = row->pass != DSM_PASS_COUNT;
  return dsm__page_text(page, "%s%s%s", row->layer == NULL ? "" : row->layer,
                        row->layer != NULL && has_pass ? " " : "",
                        has_pass ? dsm_pass_name(row->pass) : "");
}

static void put_rows(dsm__page *page, const dsm_calibration *of) {
  dsm__table table = DSM__TABLE(page, row_columns);
  for (size_t r = 0; r < of->row_count; r++) {
    const dsm_measured *const row = &of->rows[r];
    const bool has_left_out = of->fold_count > 0;
    DSM__TABLE_TEXTS(&table, dsm__page_text(page, "%zu", row->line), row->workload,
                     dsm__figure_count(row->minibatch).text, part_text(page, row),
                     time_text(page, row->measured), time_text(page, row->before),
                     error_text(page, row->before, row->measured), time_text(page, row->after),
                     error_text(page, row->after, row->measured),
                     has_left_out ? time_text(page, row->left_out) : "",
                     has_left_out ? error_text(page, row->left_out, row->measured) : "");
  }
  dsm__page_break(page);
  dsm__table_print(&table);
}

/* ---- all of it ---- */

static void put_errors(dsm__page *page, const dsm_calibration *of) {
  enum { LABEL_WIDTH = 13 };
  dsm__page_labelled(page, LABEL_WIDTH, "mean error", "%s %% before, %s %% after",
                     dsm__figure_fixed(100 * of->error_before, 2).text,
                     dsm__figure_fixed(100 * of->error_after, 2).text);
  if (of->fold_count == 0) {
    dsm__page_labelled(page, LABEL_WIDTH, "left out", "a single measurement cannot be left out");
    return;
  }
  dsm__page_labelled(page, LABEL_WIDTH, "left out",
                     "%s %% of %s, by constants chosen on the other measurements",
                     dsm__figure_fixed(100 * of->error_left_out, 2).text,
                     of->fold_count == of->row_count ? "each measurement alone"
                                                     : "each tenth of the measurements");
  dsm__page_labelled(page, LABEL_WIDTH, "spread",
                     "measured times are %s to %s of the predicted ones (10th to 90th percentile "
                     "of those left out)",
                     dsm__figure_fixed(of->spread_low, 3).text,
                     dsm__figure_fixed(of->spread_high, 3).text);
}

void dsm__show_calibration(dsm__page *page, const dsm_answer *answer) {
  const dsm_calibration *const calibration = answer->of;
  dsm__page_line(page, DSM__STYLE_HEADING,
                 "%s: %zu constant%s calibrated on %zu measurement%s of %s; %s exploration%s",
                 calibration->name, calibration->constant_count,
                 dsm__plural((double)calibration->constant_count), calibration->row_count,
                 dsm__plural((double)calibration->row_count), calibration->file,
                 dsm__figure_count(calibration->explorations).text,
                 dsm__plural((double)calibration->explorations));
  dsm__page_break(page);
  put_errors(page, calibration);
  if (calibration->is_stopped) {
    dsm__page_line(page, DSM__STYLE_PLAIN,
                   "The search ended at its limit of explorations: better constants may exist.");
  }
  put_constants(page, calibration);
  put_doubts(page, calibration);
  put_rows(page, calibration);
}

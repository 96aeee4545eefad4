/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibrate/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A smaller change of a prediction is none. */
static const double least_change = 0.001;

/* Effects that correlate more are the same. */
static const double most_correlation = 0.99;

/* ---- constants ---- */

/* What is tried of a constant: half and twice; of one that is 0, that and 1. */
typedef struct pair {
  double low;
  double high;
} pair;

static pair pair_about(const dsm__constant *constant, double value) {
  const double twice = value > 0 ? 2 * value : 1;
  return (pair){.low = value > 0 ? fmax(value / 2, constant->low) : value,
                .high = fmin(twice, constant->high)};
}

/* What each row's prediction changes by, as a logarithm, for a constant; false where that could not
 * be predicted. */
static bool find_effects(dsm__fit *fit, size_t k, double *effects, bool *is_seen) {
  dsm__predictor *const predictor = fit->predictor;
  const size_t row_count = predictor->read->rows.count;
  const pair values = pair_about(&predictor->constants[k], fit->best.values[k]);
  memcpy(fit->tried.values, fit->best.values, sizeof fit->tried.values);
  fit->tried.values[k] = values.low;
  if (!dsm__predict(predictor, &fit->tried)) {
    return false;
  }
  memcpy(effects, fit->tried.seconds, row_count * sizeof *effects);
  fit->tried.values[k] = values.high;
  if (!dsm__predict(predictor, &fit->tried)) {
    return false;
  }
  *is_seen = false;
  for (size_t r = 0; r < row_count; r++) {
    const double best = fit->best.seconds[r];
    const double change = fmax(fabs(effects[r] - best), fabs(fit->tried.seconds[r] - best));
    *is_seen = *is_seen || !(change < least_change * best);
    const double effect = log(fit->tried.seconds[r] / effects[r]);
    effects[r] = isfinite(effect) ? effect : 0;
  }
  return true;
}

static double correlation_of(const double *a, const double *b, size_t count) {
  double product = 0;
  double a_square = 0;
  double b_square = 0;
  for (size_t i = 0; i < count; i++) {
    product += a[i] * b[i];
    a_square += a[i] * a[i];
    b_square += b[i] * b[i];
  }
  return a_square > 0 && b_square > 0 ? product / sqrt(a_square) / sqrt(b_square) : 0;
}

static bool find_alike(dsm_calibration *calibration, const dsm_calibrated_constant *constants,
                       const double *effects) {
  const size_t count = calibration->constant_count;
  const size_t row_count = calibration->row_count;
  dsm_alike_constants *const alike =
      dsm__arena_array(calibration->arena, count * count / 2, sizeof *alike);
  calibration->alike = alike;
  for (size_t a = 0; a < count && alike != NULL; a++) {
    for (size_t b = a + 1; b < count; b++) {
      const double correlation =
          correlation_of(&effects[a * row_count], &effects[b * row_count], row_count);
      if (constants[a].is_seen && constants[b].is_seen && fabs(correlation) > most_correlation) {
        alike[calibration->alike_count++] = (dsm_alike_constants){a, b, correlation};
      }
    }
  }
  return alike != NULL;
}

bool dsm__judge_constants(dsm_calibration *calibration, dsm_calibrated_constant *constants,
                          dsm__fit *fit) {
  const size_t row_count = calibration->row_count;
  double *const effects = dsm__arena_array(
      calibration->arena, calibration->constant_count * row_count, sizeof *effects);
  bool is_whole = effects != NULL;
  for (size_t k = 0; k < calibration->constant_count && is_whole; k++) {
    is_whole = find_effects(fit, k, &effects[k * row_count], &constants[k].is_seen);
  }
  return is_whole ? find_alike(calibration, constants, effects)
                  : effects != NULL && !fit->predictor->is_out_of_memory;
}

/* ---- rows ---- */

static int order(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return x < y ? -1 : x > y ? 1 : 0;
}

double dsm__percentile(const double *sorted, size_t count, double share) {
  const double at = share * (double)(count - 1);
  const size_t below = (size_t)at;
  const size_t above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

/* Chooses the constants without a part of the rows, and predicts that. */
static bool leave_out(dsm_calibration *calibration, dsm_measured *rows,
                      dsm_calibrated_constant *constants, dsm__fit *fit, bool *is_left_out,
                      size_t fold) {
  double given[DSM_CALIBRATION_CONSTANTS_MAX] = {0};
  for (size_t k = 0; k < calibration->constant_count; k++) {
    given[k] = constants[k].before; /* what was chosen on all would know what is left out */
  }
  for (size_t r = 0; r < calibration->row_count; r++) {
    is_left_out[r] = r % calibration->fold_count == fold;
  }
  if (!dsm__fit_begin(fit, given, is_left_out)) {
    return false;
  }
  dsm__fit_run(fit, DSM__FOLD_ROUNDS);
  for (size_t r = 0; r < calibration->row_count; r++) {
    rows[r].left_out = is_left_out[r] ? fit->best.seconds[r] : rows[r].left_out;
  }
  for (size_t k = 0; k < calibration->constant_count; k++) {
    constants[k].lowest = fmin(constants[k].lowest, fit->best.values[k]);
    constants[k].highest = fmax(constants[k].highest, fit->best.values[k]);
  }
  return !fit->predictor->is_out_of_memory;
}

/* What those that were left out say together. */
static bool sum_up(dsm_calibration *calibration, const dsm_measured *rows) {
  const size_t count = calibration->row_count;
  double *const ratios = dsm__arena_array(calibration->arena, count, sizeof *ratios);
  double sum = 0;
  if (ratios == NULL) {
    return false;
  }
  for (size_t r = 0; r < count; r++) {
    ratios[r] = rows[r].measured / rows[r].left_out;
    sum += fabs(rows[r].left_out / rows[r].measured - 1);
  }
  qsort(ratios, count, sizeof *ratios, order);
  calibration->error_left_out = sum / (double)count;
  calibration->spread_low = dsm__percentile(ratios, count, 0.1);
  calibration->spread_high = dsm__percentile(ratios, count, 0.9);
  return true;
}

bool dsm__judge_rows(dsm_calibration *calibration, dsm_measured *rows,
                     dsm_calibrated_constant *constants, dsm__fit *fit) {
  const size_t count = calibration->row_count;
  if (count < 2) {
    return true;
  }
  bool *const is_left_out = dsm__arena_array(calibration->arena, count, sizeof *is_left_out);
  bool is_done = is_left_out != NULL;
  calibration->fold_count = count > DSM_CALIBRATION_SINGLES_MAX ? DSM_CALIBRATION_FOLDS : count;
  for (size_t fold = 0; fold < calibration->fold_count && is_done; fold++) {
    is_done = leave_out(calibration, rows, constants, fit, is_left_out, fold);
  }
  return is_done && sum_up(calibration, rows);
}

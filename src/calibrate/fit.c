/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibrate/fit.h"

#include <math.h>
#include <string.h>

#include "calibrate/linear_step.h"

enum { JOINT_STEPS = 12, HALVINGS = 5 };

/* Errors below are none, and what gains a smaller share of the error ends a fit. */
static const double no_error = 1e-9;
static const double least_gain = 1e-4;

/* How much more of a constant tells what predictions change by. */
static const double small_step = 0.01;

/* Mean of |predicted / measured - 1| over the rows that are not left out. */
static double mean_error(const dsm__measurements *read, const double *seconds,
                         const bool *is_left_out) {
  double sum = 0;
  size_t count = 0;
  for (size_t r = 0; r < read->rows.count; r++) {
    if (is_left_out == NULL || !is_left_out[r]) {
      sum += fabs(seconds[r] / read->rows.items[r].of.measured - 1);
      count++;
    }
  }
  return count == 0 ? 0 : sum / (double)count;
}

static double error_of(const dsm__fit *fit, const dsm__trial *trial) {
  return mean_error(fit->predictor->read, trial->seconds, fit->is_left_out);
}

static void take_tried(dsm__fit *fit, double error) {
  memcpy(fit->best.values, fit->tried.values, sizeof fit->best.values);
  memcpy(fit->best.seconds, fit->tried.seconds,
         fit->predictor->read->rows.count * sizeof *fit->best.seconds);
  fit->error = error;
}

/* Predicts with the values that are tried, and takes them if they are better. */
static void try_values(dsm__fit *fit) {
  if (dsm__predict(fit->predictor, &fit->tried)) {
    const double error = error_of(fit, &fit->tried);
    if (error < fit->error) {
      take_tried(fit, error);
    }
  }
}

static bool is_ended(const dsm__fit *fit) {
  return fit->error < no_error || fit->predictor->is_stopped || fit->predictor->is_out_of_memory;
}

/* ---- one constant ---- */

static double clip(const dsm__constant *constant, double value) {
  return fmin(fmax(value, constant->low), constant->high);
}

/* A constant's value as what logarithms are taken of: what is 0 begins with 1, or the nearest. */
static double scale_of(const dsm__constant *constant, double value) {
  return value > 0 ? clip(constant, value) : clip(constant, 1);
}

/* Tries multiples of one constant's value, those of a round; each round has narrower ones. */
static void scan(dsm__fit *fit, size_t k, int round) {
  static const double exponents[] = {-1, -0.6, -0.3, 0.3, 0.6, 1};
  const dsm__constant *const constant = &fit->predictor->constants[k];
  double about[DSM_CALIBRATION_CONSTANTS_MAX];
  memcpy(about, fit->best.values, sizeof about);
  const double scale = scale_of(constant, about[k]);
  const double widest = ldexp(1, -round);
  double last = about[k];
  if (constant->is_fixed) {
    return;
  }
  for (size_t i = 0; i < DSM__COUNT_OF(exponents) && !is_ended(fit); i++) {
    const double value = clip(constant, scale * pow(10, exponents[i] * widest));
    if (value < last || value > last) {
      memcpy(fit->tried.values, about, sizeof about);
      fit->tried.values[k] = value;
      try_values(fit);
    }
    last = value;
  }
}

/* ---- all constants together ---- */

/* A slightly different value of a constant; of one that is 0 its scale. */
static double beside(const dsm__constant *constant, double value) {
  const double scale = scale_of(constant, value);
  const double more = scale * (1 + small_step);
  return !(value > 0) ? scale : more > constant->high ? scale / (1 + small_step) : more;
}

/* How far that is: in logarithms; of a constant that is 0, in parts of its scale. */
static double distance(double from, double to) {
  return from > 0 ? log(to / from) : 1;
}

/* The value at a distance. */
static double value_at(const dsm__constant *constant, double from, double by) {
  const bool is_moved = by > 0 || (by < 0 && from > 0);
  return !is_moved  ? from
         : from > 0 ? clip(constant, from * exp(by))
                    : clip(constant, scale_of(constant, from) * by);
}

static bool is_in(const dsm__fit *fit, size_t row) {
  return fit->is_left_out == NULL || !fit->is_left_out[row];
}

/* What residuals change by with the logarithm of a constant. */
static bool find_slopes(dsm__fit *fit, size_t k) {
  const dsm__predictor *const predictor = fit->predictor;
  const dsm__constant *const constant = &predictor->constants[k];
  const double value = fit->best.values[k];
  memcpy(fit->tried.values, fit->best.values, sizeof fit->tried.values);
  fit->tried.values[k] = beside(constant, value);
  const double change = distance(value, fit->tried.values[k]);
  if (!constant->is_fixed && !dsm__predict(fit->predictor, &fit->tried)) {
    return false;
  }
  double *slope = &fit->slopes[k];
  for (size_t r = 0; r < predictor->read->rows.count; r++) {
    if (is_in(fit, r)) {
      const double measured = predictor->read->rows.items[r].of.measured;
      const double rise = (fit->tried.seconds[r] - fit->best.seconds[r]) / measured / change;
      *slope = !constant->is_fixed && isfinite(rise) ? rise : 0;
      slope += predictor->constant_count;
    }
  }
  return true;
}

/* The residuals at the best, and what they change by with each constant. */
static bool make_model(dsm__fit *fit, dsm__linear_model *model) {
  const dsm__measurements *const read = fit->predictor->read;
  *model = (dsm__linear_model){
      .start = fit->start, .slopes = fit->slopes, .column_count = fit->predictor->constant_count};
  for (size_t r = 0; r < read->rows.count; r++) {
    if (is_in(fit, r)) {
      fit->start[model->row_count++] = fit->best.seconds[r] / read->rows.items[r].of.measured - 1;
    }
  }
  bool is_done = true;
  for (size_t k = 0; k < model->column_count && is_done; k++) {
    is_done = find_slopes(fit, k);
  }
  return is_done;
}

/* Moves by a step, or part of it. True if that is better. */
static bool joint_step(dsm__fit *fit) {
  static const double farthest = 1; /* a factor of e */
  dsm__linear_model model;
  double step[DSM_CALIBRATION_CONSTANTS_MAX];
  double from[DSM_CALIBRATION_CONSTANTS_MAX];
  const double before = fit->error;
  if (!make_model(fit, &model)) {
    return false;
  }
  dsm__linear_step(&model, step);
  memcpy(from, fit->best.values, sizeof from);
  double share = 1;
  for (int i = 0; i < HALVINGS && !is_ended(fit) && !(fit->error < before); i++) {
    for (size_t k = 0; k < model.column_count; k++) {
      const double by = share * fmin(fmax(step[k], -farthest), farthest);
      fit->tried.values[k] = value_at(&fit->predictor->constants[k], from[k], by);
    }
    try_values(fit);
    share /= 2;
  }
  return fit->error < before * (1 - least_gain);
}

/* ---- a fit ---- */

bool dsm__fit_init(dsm__fit *fit, dsm__arena *arena) {
  const size_t row_count = fit->predictor->read->rows.count;
  return DSM__RESERVE(arena, fit->best.seconds, row_count) &&
         DSM__RESERVE(arena, fit->tried.seconds, row_count) &&
         DSM__RESERVE(arena, fit->start, row_count) &&
         DSM__RESERVE(arena, fit->slopes, row_count * (fit->predictor->constant_count + 1));
}

bool dsm__fit_begin(dsm__fit *fit, const double values[DSM_CALIBRATION_CONSTANTS_MAX],
                    const bool *is_left_out) {
  fit->is_left_out = is_left_out;
  fit->error = (double)INFINITY;
  memcpy(fit->tried.values, values, sizeof fit->tried.values);
  try_values(fit);
  return isfinite(fit->error);
}

void dsm__fit_polish(dsm__fit *fit) {
  for (int i = 0; i < JOINT_STEPS && fit->predictor->constant_count > 0 && !is_ended(fit); i++) {
    if (!joint_step(fit)) {
      return;
    }
  }
}

void dsm__fit_run(dsm__fit *fit, int round_count) {
  const size_t count = fit->predictor->constant_count;
  for (int round = 0; round < round_count && !is_ended(fit); round++) {
    for (size_t k = 0; k < count; k++) {
      scan(fit, k, round);
    }
    dsm__fit_polish(fit);
  }
}

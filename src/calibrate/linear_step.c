/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibrate/linear_step.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60, COLUMNS_MAX = DSM_CALIBRATION_CONSTANTS_MAX };

/* Least squares weigh a residual by one over its size, or over this. */
static const double least_size = 1e-9;

/* The share of the largest diagonal that makes any system solvable. */
static const double damping = 1e-10;

typedef struct equations {
  double matrix[COLUMNS_MAX][COLUMNS_MAX];
  double right[COLUMNS_MAX];
} equations;

static double residual(const dsm__linear_model *model, size_t row, const double *x) {
  double sum = model->start[row];
  for (size_t c = 0; c < model->column_count; c++) {
    sum += model->slopes[row * model->column_count + c] * x[c];
  }
  return sum;
}

/* The normal equations of the weighted residuals. */
static void make_equations(equations *of, const dsm__linear_model *model, const double *x) {
  const size_t count = model->column_count;
  double largest = 0;
  memset(of, 0, sizeof *of);
  for (size_t r = 0; r < model->row_count; r++) {
    const double *const slopes = &model->slopes[r * count];
    const double weight = 1 / fmax(fabs(residual(model, r, x)), least_size);
    for (size_t i = 0; i < count; i++) {
      of->right[i] -= weight * slopes[i] * model->start[r];
      for (size_t j = 0; j < count; j++) {
        of->matrix[i][j] += weight * slopes[i] * slopes[j];
      }
    }
  }
  for (size_t i = 0; i < count; i++) {
    largest = fmax(largest, of->matrix[i][i]);
  }
  for (size_t i = 0; i < count; i++) {
    of->matrix[i][i] += damping * largest + least_size * least_size;
  }
}

static void swap_rows(equations *of, size_t a, size_t b) {
  const double right = of->right[a];
  of->right[a] = of->right[b];
  of->right[b] = right;
  for (size_t c = 0; c < COLUMNS_MAX; c++) {
    const double held = of->matrix[a][c];
    of->matrix[a][c] = of->matrix[b][c];
    of->matrix[b][c] = held;
  }
}

/* Gaussian elimination; the matrix is positive definite. */
static void solve(equations *of, size_t count, double *x) {
  for (size_t i = 0; i < count; i++) {
    size_t pivot = i;
    for (size_t r = i + 1; r < count; r++) {
      pivot = fabs(of->matrix[r][i]) > fabs(of->matrix[pivot][i]) ? r : pivot;
    }
    swap_rows(of, i, pivot);
    for (size_t r = i + 1; r < count; r++) {
      const double factor = of->matrix[r][i] / of->matrix[i][i];
      of->right[r] -= factor * of->right[i];
      for (size_t c = i; c < count; c++) {
        of->matrix[r][c] -= factor * of->matrix[i][c];
      }
    }
  }
  for (size_t i = count; i-- > 0;) {
    double sum = of->right[i];
    for (size_t c = i + 1; c < count; c++) {
      sum -= of->matrix[i][c] * x[c];
    }
    x[i] = sum / of->matrix[i][i];
  }
}

static double total(const dsm__linear_model *model, const double *x) {
  double sum = 0;
  for (size_t r = 0; r < model->row_count; r++) {
    sum += fabs(residual(model, r, x));
  }
  return sum;
}

void dsm__linear_step(const dsm__linear_model *model, double x[DSM_CALIBRATION_CONSTANTS_MAX]) {
  double tried[COLUMNS_MAX] = {0};
  memset(x, 0, COLUMNS_MAX * sizeof *x);
  double least = total(model, x);
  for (int round = 0; round < ROUNDS; round++) {
    equations of;
    make_equations(&of, model, tried);
    solve(&of, model->column_count, tried);
    const double sum = total(model, tried);
    if (sum < least) {
      least = sum;
      memcpy(x, tried, sizeof tried);
    }
  }
}

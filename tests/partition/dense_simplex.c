/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dense_simplex.h"

#include <check.h>
#include <math.h>

enum { PIVOTS_MAX = 100000 };
static const double eps = 1e-11;

/* Which variable stands where: 0 .. columns - 1 are x, then the slacks. */
typedef struct places {
  size_t basic[SIMPLEX_ROWS];
  size_t free[SIMPLEX_COLUMNS];
} places;

static void pivot(simplex *p, places *at, size_t r, size_t c) {
  const double element = p->row[r][c];
  for (size_t k = 0; k < p->column_count; k++) {
    p->row[r][k] = k == c ? 1 / element : p->row[r][k] / element;
  }
  p->limit[r] /= element;
  for (size_t i = 0; i < p->row_count; i++) {
    const double factor = p->row[i][c];
    if (i == r || factor == 0) {
      continue;
    }
    p->row[i][c] = 0;
    for (size_t k = 0; k < p->column_count; k++) {
      p->row[i][k] -= factor * p->row[r][k];
    }
    p->limit[i] -= factor * p->limit[r];
  }
  const double factor = p->goal[c];
  p->goal[c] = 0;
  for (size_t k = 0; k < p->column_count; k++) {
    p->goal[k] -= factor * p->row[r][k];
  }
  const size_t kept = at->basic[r];
  at->basic[r] = at->free[c];
  at->free[c] = kept;
}

/* The variable with the smallest number among those that help, or column_count. */
static size_t entering(const simplex *p, const places *at) {
  size_t best = p->column_count;
  for (size_t c = 0; c < p->column_count; c++) {
    if (p->goal[c] > eps && (best == p->column_count || at->free[c] < at->free[best])) {
      best = c;
    }
  }
  return best;
}

static size_t leaving(const simplex *p, const places *at, size_t c) {
  size_t best = p->row_count;
  double least = HUGE_VAL;
  for (size_t r = 0; r < p->row_count; r++) {
    if (p->row[r][c] <= eps) {
      continue;
    }
    const double ratio = fmax(p->limit[r], 0) / p->row[r][c];
    if (ratio < least - 1e-13 ||
        (ratio <= least + 1e-13 && best < p->row_count && at->basic[r] < at->basic[best])) {
      least = fmin(ratio, least);
      best = r;
    }
  }
  return best;
}

double simplex_solve(simplex *p) {
  double goal[SIMPLEX_COLUMNS];
  places at;
  for (size_t c = 0; c < p->column_count; c++) {
    at.free[c] = c;
    goal[c] = p->goal[c];
    p->x[c] = 0;
  }
  for (size_t r = 0; r < p->row_count; r++) {
    ck_assert(p->limit[r] >= 0);
    at.basic[r] = p->column_count + r;
  }
  int pivots = 0;
  for (size_t c = entering(p, &at); c < p->column_count; c = entering(p, &at)) {
    const size_t r = leaving(p, &at, c);
    ck_assert_msg(r < p->row_count, "the twin's programme is unbounded");
    ck_assert_int_lt(pivots++, PIVOTS_MAX);
    pivot(p, &at, r, c);
  }
  double value = 0;
  for (size_t r = 0; r < p->row_count; r++) {
    if (at.basic[r] < p->column_count) {
      p->x[at.basic[r]] = p->limit[r];
      value += goal[at.basic[r]] * p->limit[r];
    }
  }
  return value;
}

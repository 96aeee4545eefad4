/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dense_simplex.h: a tiny linear programme solver for twins: maximise c x with A x <= b, x >= 0,
 * b >= 0, by Bland's rule on a dense table. */
#ifndef DSM_TESTS_PARTITION_DENSE_SIMPLEX_H
#define DSM_TESTS_PARTITION_DENSE_SIMPLEX_H

#include <stddef.h>

enum { SIMPLEX_ROWS = 160, SIMPLEX_COLUMNS = 90 };

/** Written by the caller from zero: column_count, row_count, goal, row and limit. */
typedef struct simplex {
  size_t row_count;
  size_t column_count;
  double goal[SIMPLEX_COLUMNS];
  double row[SIMPLEX_ROWS][SIMPLEX_COLUMNS];
  double limit[SIMPLEX_ROWS]; /**< 0 or more */
  double x[SIMPLEX_COLUMNS];  /**< the optimum */
} simplex;

/** Value of the optimum. The programme is used up. */
double simplex_solve(simplex *programme);

#endif

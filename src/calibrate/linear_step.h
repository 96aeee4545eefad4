/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linear_step.h: the step to the least sum of sizes of residuals that are linear in it. */
#ifndef DSM_CALIBRATE_LINEAR_STEP_H
#define DSM_CALIBRATE_LINEAR_STEP_H

#include <stddef.h>

#include "dsm/calibrate.h"

/** Residuals `start` + `slopes` x: row-major, a row a residual; none is infinite. */
typedef struct dsm__linear_model {
  const double *start;
  const double *slopes;
  size_t row_count;
  size_t column_count; /**< at most DSM_CALIBRATION_CONSTANTS_MAX */
} dsm__linear_model;

/** The x that makes the sum of |start + slopes x| least, by least squares whose weights are
 * renewed; a short one where several do. */
void dsm__linear_step(const dsm__linear_model *model, double x[DSM_CALIBRATION_CONSTANTS_MAX]);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* judge.h: what measurements say of constants, and constants of measurements that they were chosen
 * without. */
#ifndef DSM_CALIBRATE_JUDGE_H
#define DSM_CALIBRATE_JUDGE_H

#include "calibrate/fit.h"

/** Halves and doubles each constant: which are seen, and which are alike. The fit's best are the
 * chosen values. False if memory is out. */
bool dsm__judge_constants(dsm_calibration *calibration, dsm_calibrated_constant *constants,
                          dsm__fit *fit);

/** Leaves each measurement, or part of them, out: what it is predicted as then. The fit is changed.
 * False if memory is out. */
bool dsm__judge_rows(dsm_calibration *calibration, dsm_measured *rows,
                     dsm_calibrated_constant *constants, dsm__fit *fit);

/** The part `share` (0 .. 1) of sorted numbers is below it, between them by a line; count is 1 or
 * more. */
double dsm__percentile(const double *sorted, size_t count, double share);

#endif

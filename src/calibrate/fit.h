/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit.h: the values of constants that predict measurements best.
 *
 * The mean of |predicted / measured - 1| is made least in rounds. A round tries multiples of each
 * constant alone: a tenth to ten times its value in the first round, and half as wide (in
 * logarithms) in each that follows. Then all are moved together, along the model that is linear in
 * what each row's prediction changes by with each constant (1 % more of it), as long as that helps.
 * The first half matters where a constant is not felt until it is far smaller, the second where the
 * least error lies in a narrow valley that no constant alone leads along. A trial replaces the best
 * only if its error is less, so no fit is worse than what it began with.
 */
#ifndef DSM_CALIBRATE_FIT_H
#define DSM_CALIBRATE_FIT_H

#include "calibrate/predictor.h"

typedef struct dsm__fit {
  dsm__predictor *predictor;
  const bool *is_left_out; /**< of each row; NULL: none is */
  dsm__trial best;         /**< the best so far */
  double error;            /**< its mean error */

  dsm__trial tried; /* private from here on */
  double *start;    /* residuals of the rows that are not left out */
  double *slopes;
} dsm__fit;

/** A fit of some rows; predictor is set. False if out of memory. */
bool dsm__fit_init(dsm__fit *fit, dsm__arena *arena);

/** Begins with values. False if they have no predictions. */
bool dsm__fit_begin(dsm__fit *fit, const double values[DSM_CALIBRATION_CONSTANTS_MAX],
                    const bool *is_left_out);

/** Rounds of a fit, and of one that leaves measurements out to judge by them. */
enum { DSM__FIT_ROUNDS = 6, DSM__FOLD_ROUNDS = 2 };

/** Improves the best in so many rounds. */
void dsm__fit_run(dsm__fit *fit, int round_count);

/** The same without trying constants alone. */
void dsm__fit_polish(dsm__fit *fit);

#endif

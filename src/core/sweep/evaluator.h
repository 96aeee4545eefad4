/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evaluator.h: explores single points of a sweep; each worker has one of its own, which keeps what
 * points have in common. */
#ifndef DSM_SWEEP_EVALUATOR_H
#define DSM_SWEEP_EVALUATOR_H

#include "dsm/sweep.h"

typedef struct dsm__evaluator dsm__evaluator;

/** A new evaluator for points of a sweep, which must outlive it; NULL if out of memory. */
dsm__evaluator *dsm__evaluator_new(const dsm_sweep *sweep);
void dsm__evaluator_free(dsm__evaluator *evaluator);

/**
 * Explores a point. *result is valid until the next call with this evaluator. It is the same
 * whatever was evaluated before. DSM_ERROR_OUT_OF_MEMORY; all other trouble is a result.
 */
DSM_NODISCARD dsm_status dsm__evaluate(dsm__evaluator *evaluator, size_t point,
                                       dsm_point_result *result, dsm_diags *diags);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evaluator.h: answers questions: inputs with changed values, and options. Each worker has one of
 * its own, which keeps what questions have in common. */
#ifndef DSM_SWEEP_EVALUATOR_H
#define DSM_SWEEP_EVALUATOR_H

#include "dsm/sweep.h"
#include "sweep/input_cache.h"

typedef struct dsm__evaluator dsm__evaluator;

/** A new evaluator for points of a sweep, which must outlive it; NULL: for other questions. NULL if
 * out of memory. */
dsm__evaluator *dsm__evaluator_new(const dsm_sweep *sweep);
void dsm__evaluator_free(dsm__evaluator *evaluator);

/** Finds the best mapping, or what a companion chooses, valid until the next call with this
 * evaluator. It is the same whatever was asked before. */
dsm__found dsm__evaluator_ask(dsm__evaluator *evaluator, const dsm__sweep_point *question);

/**
 * Explores a point. *result is valid until the next call with this evaluator. It is the same
 * whatever was evaluated before. DSM_ERROR_OUT_OF_MEMORY; all other trouble is a result.
 */
DSM_NODISCARD dsm_status dsm__evaluate(dsm__evaluator *evaluator, size_t point,
                                       dsm_point_result *result, dsm_diags *diags);

/** Reads the inputs of a point, and looks at its options: *reason is why it is not valid, until the
 * next call with this evaluator; NULL: it is. False if out of memory. */
bool dsm__evaluator_check(dsm__evaluator *evaluator, size_t point, const char **reason);

#endif

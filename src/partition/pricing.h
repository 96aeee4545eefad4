/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pricing.h: from rates to an answer: what a placement does, counted without any solver. */
#ifndef DSM_PARTITION_PRICING_H
#define DSM_PARTITION_PRICING_H

#include "dsm/partition.h"

/** Rates and copies as a solver gives them: x_ij a second, c_tj / o_t a second (results after the
 * tensors). Both are changed: cleaned, balanced and, for throughput, scaled to keep (1) and (6)
 * exactly. */
typedef struct dsm__placement {
  double *rates;  /**< [i * m + j] */
  double *copies; /**< [t * m + j] */
} dsm__placement;

/**
 * Fills partition's rho, latency, joules, objective, rates, is_stored, sent and uses from a
 * placement; instance, options and arena are set. The arrays of the placement are copied. False:
 * out of memory.
 */
bool dsm__price(dsm_partition *partition, dsm__placement placement);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope.h: elasticities from times, and how much a parameter matters. Pure. */
#ifndef DSM_SWEEP_SLOPE_H
#define DSM_SWEEP_SLOPE_H

#include "base/words.h"
#include "dsm/elasticity.h"

/** The quotient of two times; exactly 1 where only the order of equally fast mappings differs. */
double dsm__time_ratio(double seconds, double reference_seconds);

/** The elasticity over those of a parameter's variations that have a time: more and less of it, or
 * one of both. */
dsm_slope dsm__slope_of(const dsm_variation *variations, size_t count, size_t network);

/** |ln(time ratio) / ln(factor)| of a response, another flag or word as a factor of 2; 0 without a
 * time. */
double dsm__response_influence(const dsm_variation *variation, size_t network);

extern const dsm__words dsm__variation_kind_words;
extern const dsm__words dsm__elasticity_basis_words;

#endif

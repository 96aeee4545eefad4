/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/slope.h"

#include <math.h>

/* Mappings within 1e-11 count as equally fast (docs/model.md, section 13); what is not far above
 * that is no change. */
#define UNCHANGED 1e-9

double dsm__time_ratio(double seconds, double reference_seconds) {
  const double ratio = seconds / reference_seconds;
  return fabs(ratio - 1) <= UNCHANGED ? 1 : ratio;
}

/*
 * Source: derived here, d ln t / d ln p as a quotient of differences.
 * Symbols: factors p'/p and ratios t(p')/t(p) of two values of a parameter.
 * Domain: all positive, factors differ. Limits: t the same at both: 0; t proportional to p: 1.
 */
static double slope_between(double low_factor, double low_ratio, double high_factor,
                            double high_ratio) {
  return log(high_ratio / low_ratio) / log(high_factor / low_factor);
}

dsm_slope dsm__slope_of(const dsm_variation *halved, const dsm_variation *doubled, size_t network) {
  const dsm_response *const low = &halved->responses[network];
  const dsm_response *const high = &doubled->responses[network];
  if (low->why_not == NULL && high->why_not == NULL) {
    return (dsm_slope){DSM_ELASTICITY_BASIS_BOTH, slope_between(halved->factor, low->time_ratio,
                                                                doubled->factor, high->time_ratio)};
  }
  if (low->why_not == NULL) {
    return (dsm_slope){DSM_ELASTICITY_BASIS_HALVED,
                       slope_between(halved->factor, low->time_ratio, 1, 1)};
  }
  if (high->why_not == NULL) {
    return (dsm_slope){DSM_ELASTICITY_BASIS_DOUBLED,
                       slope_between(1, 1, doubled->factor, high->time_ratio)};
  }
  return (dsm_slope){.basis = DSM_ELASTICITY_BASIS_NONE};
}

dsm_slope dsm__slope_of_tenth(const dsm_variation *variation, size_t network) {
  const dsm_response *const response = &variation->responses[network];
  if (response->why_not != NULL) {
    return (dsm_slope){.basis = DSM_ELASTICITY_BASIS_NONE};
  }
  if (variation->kind == DSM_VARIATION_LOWERED) {
    return (dsm_slope){DSM_ELASTICITY_BASIS_LOWERED,
                       slope_between(variation->factor, response->time_ratio, 1, 1)};
  }
  return (dsm_slope){DSM_ELASTICITY_BASIS_RAISED,
                     slope_between(1, 1, variation->factor, response->time_ratio)};
}

double dsm__response_influence(const dsm_variation *variation, size_t network) {
  const dsm_response *const response = &variation->responses[network];
  if (response->why_not != NULL) {
    return 0;
  }
  const double factor = variation->kind == DSM_VARIATION_OTHER ? 2 : variation->factor;
  return fabs(log(response->time_ratio) / log(factor));
}

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

dsm_slope dsm__slope_of(const dsm_variation *variations, size_t count, size_t network) {
  static const struct {
    dsm_elasticity_basis basis;
    bool is_less;
  } kinds[DSM_VARIATION_KIND_COUNT] = {
      [DSM_VARIATION_HALVED] = {DSM_ELASTICITY_BASIS_HALVED, true},
      [DSM_VARIATION_DOUBLED] = {DSM_ELASTICITY_BASIS_DOUBLED, false},
      [DSM_VARIATION_RAISED] = {DSM_ELASTICITY_BASIS_RAISED, false},
      [DSM_VARIATION_LOWERED] = {DSM_ELASTICITY_BASIS_LOWERED, true},
  };
  double factors[] = {1, 1}; /* of less, and of more: as it is, where there is no such time */
  double ratios[] = {1, 1};
  dsm_slope slope = {.basis = DSM_ELASTICITY_BASIS_NONE};
  for (size_t v = 0; v < count; v++) {
    const dsm_response *const response = &variations[v].responses[network];
    const dsm_elasticity_basis basis = kinds[variations[v].kind].basis;
    const size_t side = kinds[variations[v].kind].is_less ? 0 : 1;
    if (response->why_not == NULL && basis != DSM_ELASTICITY_BASIS_NONE) {
      slope.basis = slope.basis == DSM_ELASTICITY_BASIS_NONE ? basis : DSM_ELASTICITY_BASIS_BOTH;
      factors[side] = variations[v].factor;
      ratios[side] = response->time_ratio;
    }
  }
  if (slope.basis != DSM_ELASTICITY_BASIS_NONE) {
    slope.elasticity = slope_between(factors[0], ratios[0], factors[1], ratios[1]);
  }
  return slope;
}

double dsm__response_influence(const dsm_variation *variation, size_t network) {
  const dsm_response *const response = &variation->responses[network];
  if (response->why_not != NULL) {
    return 0;
  }
  const double factor = variation->kind == DSM_VARIATION_OTHER ? 2 : variation->factor;
  return fabs(log(response->time_ratio) / log(factor));
}

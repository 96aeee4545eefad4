/* SPDX-License-Identifier: GPL-3.0-or-later */
/* yield.c: how many dies a wafer has, how many of them work, and what making one emits. */
#include <math.h>

#include "technology/machine_parts.h"

#define PI 3.14159265358979323846
#define MM2_PER_CM2 100.0
#define GRAMS_PER_KG 1000.0

double dsm_dies_per_wafer(double die_mm2, double wafer_mm) {
  const double radius = wafer_mm / 2;
  return PI * radius * radius / die_mm2 - PI * wafer_mm / sqrt(2 * die_mm2);
}

/* Chance that of `count` cores, each good with exp(-y), at most `most` are not. By logarithms, as
 * powers of small numbers are 0. */
static double enough_good(uint64_t count, uint64_t most, double y) {
  const double bad = log(-expm1(-y));
  double ways = 0;
  double sum = exp(-y * (double)count);
  for (uint64_t k = 1; k <= most && y > 0; k++) {
    ways += log((double)(count - k + 1) / (double)k);
    sum += exp(ways + (double)k * bad - y * (double)(count - k));
  }
  return fmin(sum, 1);
}

/* Steps of the integral: over the logarithm of the rate of defects, where both ends vanish and the
 * trapezoidal rule is as good as exact. */
enum { STEPS = 2000 };

/* Source: negative binomial: (1 + A D / alpha)^-alpha is the mean of exp(-x A D / alpha) over a
 * gamma distribution of x. With spare cores the chance that all but a few of them are good stands
 * in place. Symbols: docs/budget.md. Limits: no spares: the closed form. */
double dsm_die_yield(const dsm_die *die, double defects_per_cm2, double alpha) {
  const double scale = defects_per_cm2 / (MM2_PER_CM2 * alpha);
  if (die->spare_cores == 0) {
    return pow(1 + die->mm2 * scale, -alpha);
  }
  const double rest = fmax(die->mm2 - (double)die->cores * die->core_mm2, 0);
  const double below = 40 / alpha + 12 / sqrt(alpha);
  const double above = log1p(12 / sqrt(alpha) + 40 / alpha);
  const double from = log(alpha) - below;
  const double step = (below + above) / STEPS;
  double weights = 0;
  double sum = 0;
  for (int i = 0; i <= STEPS; i++) {
    const double t = from + step * i;
    const double x = exp(t);
    const double weight = exp(alpha * (t - log(alpha)) - (x - alpha));
    weights += weight;
    sum += weight * exp(-x * scale * rest) *
           enough_good(die->cores, die->spare_cores, x * scale * die->core_mm2);
  }
  return sum / weights;
}

double dsm_die_kg(const dsm_carbon *carbon, double die_mm2, double yield) {
  const double g_per_cm2 = carbon->fab_g_per_kWh * carbon->fab_kWh_per_cm2 + carbon->gas_g_per_cm2 +
                           carbon->material_g_per_cm2;
  return die_mm2 / MM2_PER_CM2 * g_per_cm2 / yield / GRAMS_PER_KG;
}

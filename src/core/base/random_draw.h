/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_draw.h: random numbers, the same in every run.
 *
 * splitmix64 (Steele, Lea and Flood, 2014) walks through all 2^64 states; the upper 53 bits of a
 * number give u in (0, 1], and -ln(u) / rate is an exponential gap (inversion).
 */
#ifndef DSM_BASE_RANDOM_DRAW_H
#define DSM_BASE_RANDOM_DRAW_H

#include <math.h>
#include <stdint.h>

static inline uint64_t dsm__splitmix64(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t mixed = *state;
  mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
  return mixed ^ (mixed >> 31);
}

/** Exponentially distributed: gaps in seconds of what happens at a rate per second. */
static inline double dsm__exponential_gap(uint64_t *state, double rate) {
  const uint64_t upper = (dsm__splitmix64(state) >> 11) + 1;
  return -log(ldexp((double)upper, -53)) / rate;
}

#endif

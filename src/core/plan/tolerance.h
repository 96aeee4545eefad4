/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tolerance.h: when two costs are equal.
 *
 * The same real number reached by two orders of summation differs in its last bits. So that the
 * written order of preference decides between equally good mappings, and not rounding, costs within
 * 1e-11 of the best (far above the rounding of a sum over tens of thousands of layers, far below
 * any difference that matters) count as equal to it. Comparing with the best only, never with each
 * other, keeps the choice independent of the order of enumeration.
 */
#ifndef DSM_PLAN_TOLERANCE_H
#define DSM_PLAN_TOLERANCE_H

/** Sums taken in different orders agree to this, relatively; a quotient of two that are equal may
 * be more than 1 by it. */
#define DSM__SUM_TOLERANCE 1e-9

/** The largest cost that counts as equal to `best` (>= 0). */
static inline double dsm__tie_limit(double best) {
  return best * (1 + 1e-11);
}

/**
 * A chip's capacity as the search compares needs with it. The same need summed in two orders
 * differs in its last bits, so a mapping that fills the memory exactly would fit by one sum and not
 * by the other.
 */
static inline double dsm__capacity_limit(double capacity_bytes) {
  return capacity_bytes * (1 + 1e-11);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random_numbers.h: the same random numbers on every machine (splitmix64). */
#ifndef DSM_TESTS_RANDOM_NUMBERS_H
#define DSM_TESTS_RANDOM_NUMBERS_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/** 0 .. bound - 1. */
static inline uint64_t random_below(uint64_t *state, uint64_t bound) {
  return random_next(state) % bound;
}

/** The largest divisor of a number that is at most `most`: an operand of a drawn matmul, of what
 * its producer delivers. */
static inline uint64_t largest_divisor(uint64_t number, uint64_t most) {
  uint64_t divisor = number < most ? number : most;
  while (number % divisor != 0) {
    divisor--;
  }
  return divisor;
}

#endif

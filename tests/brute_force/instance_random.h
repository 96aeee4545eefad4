/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_RANDOM_H
#define DSM_TESTS_INSTANCE_RANDOM_H

/* Seeded random choices: splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators, 2014). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t state;
} instance_random;

uint64_t instance_random_u64(instance_random *random);

/* Uniform in [low, high], up to a bias that does not matter here. */
size_t instance_random_between(instance_random *random, size_t low, size_t high);

/* True `percent` times in a hundred. */
bool instance_random_chance(instance_random *random, size_t percent);

/* Uniform in [0, 1), a multiple of 2^-53. */
double instance_random_fraction(instance_random *random);

/* One of `count` values. */
size_t instance_random_pick(instance_random *random, const size_t *values, size_t count);
double instance_random_pick_real(instance_random *random, const double *values, size_t count);

#define INSTANCE_PICK(random, table)                                                               \
  instance_random_pick((random), (table), sizeof(table) / sizeof((table)[0]))
#define INSTANCE_PICK_REAL(random, table)                                                          \
  instance_random_pick_real((random), (table), sizeof(table) / sizeof((table)[0]))

#endif

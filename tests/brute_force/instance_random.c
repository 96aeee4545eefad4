/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instance_random.h"

uint64_t instance_random_u64(instance_random *random) {
  random->state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = random->state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

size_t instance_random_between(instance_random *random, const size_t low, const size_t high) {
  return low + (size_t)(instance_random_u64(random) % (high - low + 1));
}

bool instance_random_chance(instance_random *random, const size_t percent) {
  return instance_random_between(random, 0, 99) < percent;
}

double instance_random_fraction(instance_random *random) {
  return (double)(instance_random_u64(random) >> 11) * 0x1p-53;
}

size_t instance_random_pick(instance_random *random, const size_t *values, const size_t count) {
  return values[instance_random_between(random, 0, count - 1)];
}

double instance_random_pick_real(instance_random *random, const double *values,
                                 const size_t count) {
  return values[instance_random_between(random, 0, count - 1)];
}

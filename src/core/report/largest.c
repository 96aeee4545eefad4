/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/largest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

static int compare_falling(const void *a, const void *b) {
  return dsm__order_numbers(b, a);
}

const bool *dsm__largest(const double *numbers, size_t count, size_t most, dsm__arena *arena) {
  bool *const is_one = dsm__arena_array(arena, count, sizeof *is_one);
  double *const sorted = dsm__arena_array(arena, count, sizeof *sorted);
  double least = -HUGE_VAL;
  size_t equal_count = 0; /* of those that are the least */
  if (is_one == NULL || sorted == NULL) {
    return NULL;
  }
  if (most > 0 && most < count) {
    memcpy(sorted, numbers, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_falling);
    least = sorted[most - 1];
    while (equal_count < most && sorted[most - 1 - equal_count] <= least) {
      equal_count++;
    }
  }
  for (size_t i = 0; i < count; i++) {
    const bool is_above = numbers[i] > least;
    const bool is_equal = !is_above && numbers[i] >= least && equal_count > 0;
    is_one[i] = is_above || is_equal;
    equal_count -= is_equal ? 1 : 0;
  }
  return is_one;
}

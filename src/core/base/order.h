/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order.h: what a comparison for qsort returns: below 0, 0 or above 0, by one key after the other.
 */
#ifndef DSM_BASE_ORDER_H
#define DSM_BASE_ORDER_H

#include <stdint.h>
#include <stdlib.h>

static inline double dsm__larger(double a, double b) {
  return a > b ? a : b;
}

static inline double dsm__smaller(double a, double b) {
  return a < b ? a : b;
}

/** By numbers, the smaller first. */
static inline int dsm__order(double a, double b) {
  return (a > b) - (a < b);
}

/** By whole numbers, the smaller first. */
static inline int dsm__order_whole(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

/** Of an array of numbers. */
static inline int dsm__order_numbers(const void *left, const void *right) {
  return dsm__order(*(const double *)left, *(const double *)right);
}

/** By a first key and, where that is equal, by a second. */
static inline int dsm__order_then(int first, int second) {
  return first != 0 ? first : second;
}

/** Defines a comparison of two of a type, `a` and `b`: what the expression says. */
#define DSM__ORDER_OF(function, type, ...)                                                         \
  static int function(const void *left, const void *right) {                                       \
    const type *const a = left;                                                                    \
    const type *const b = right;                                                                   \
    return __VA_ARGS__;                                                                            \
  }                                                                                                \
  _Static_assert(sizeof(type) > 0, "it is known")

/** qsort, also of a list without items. */
static inline void dsm__sort(void *items, size_t count, size_t size,
                             int (*order)(const void *, const void *)) {
  if (count > 1) {
    qsort(items, count, size, order);
  }
}

#endif

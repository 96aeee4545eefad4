/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checked.h: integer arithmetic that says when it overflows, division that says how it rounds. */
#ifndef DSM_BASE_CHECKED_H
#define DSM_BASE_CHECKED_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/status.h"

/* As C23 ckd_add and ckd_mul: the result is stored wrapped, true means it overflowed. */
DSM_NODISCARD static inline bool dsm__ckd_add_u64(uint64_t *result, uint64_t a, uint64_t b) {
  return __builtin_add_overflow(a, b, result);
}

DSM_NODISCARD static inline bool dsm__ckd_mul_u64(uint64_t *result, uint64_t a, uint64_t b) {
  return __builtin_mul_overflow(a, b, result);
}

DSM_NODISCARD static inline bool dsm__ckd_mul_size(size_t *result, size_t a, size_t b) {
  return __builtin_mul_overflow(a, b, result);
}

DSM_NODISCARD static inline bool dsm__ckd_add_size(size_t *result, size_t a, size_t b) {
  return __builtin_add_overflow(a, b, result);
}

/** Smallest integer >= a / b, for b > 0. Never overflows. */
static inline uint64_t dsm__ceil_div_u64(uint64_t a, uint64_t b) {
  assert(b > 0);
  return a / b + (a % b != 0);
}

#endif

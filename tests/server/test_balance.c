/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_balance.c: cutting a run of numbers, against all ways to cut it. */
#include <math.h>

#include "random_numbers.h"
#include "server/instance_internal.h"
#include "suites.h"

enum { NUMBERS_MAX = 9 };

static double sum_of(const double *work, size_t first, size_t end) {
  double sum = 0;
  for (size_t i = first; i < end; i++) {
    sum += work[i];
  }
  return sum;
}

/* The least possible largest part. */
static double least_largest(const double *work, size_t first, size_t count, size_t parts) {
  if (parts == 1) {
    return sum_of(work, first, count);
  }
  double least = HUGE_VAL;
  for (size_t end = first + 1; end + parts - 1 <= count; end++) {
    const double largest =
        fmax(sum_of(work, first, end), least_largest(work, end, count, parts - 1));
    least = fmin(least, largest);
  }
  return least;
}

static double largest_part(const size_t *starts, size_t parts, const double *work, size_t count) {
  double largest = 0;
  for (size_t p = 0; p < parts; p++) {
    largest = fmax(largest, sum_of(work, starts[p], p + 1 < parts ? starts[p + 1] : count));
  }
  return largest;
}

START_TEST(the_largest_part_is_least) {
  uint64_t numbers = 20;
  for (int draw = 0; draw < 2000; draw++) {
    double work[NUMBERS_MAX];
    size_t starts[NUMBERS_MAX];
    const size_t count = 1 + (size_t)random_below(&numbers, NUMBERS_MAX);
    const size_t most = 1 + (size_t)random_below(&numbers, NUMBERS_MAX);
    for (size_t i = 0; i < count; i++) {
      work[i] = (double)random_below(&numbers, 20);
    }
    const size_t parts = dsm__balance(starts, work, count, most);
    ck_assert_uint_eq(parts, most < count ? most : count);
    ck_assert_uint_eq(starts[0], 0);
    for (size_t p = 1; p < parts; p++) {
      ck_assert_uint_gt(starts[p], starts[p - 1]);
      ck_assert_uint_lt(starts[p], count);
    }
    const double found = largest_part(starts, parts, work, count);
    const double expected = least_largest(work, 0, count, parts);
    ck_assert_msg(found <= expected, "found %g, expected %g", found, expected);
  }
}
END_TEST

START_TEST(parts_of_equal_numbers) {
  static const double ones[] = {1, 1, 1, 1, 1, 1};
  size_t starts[6];
  ck_assert_uint_eq(dsm__balance(starts, ones, 6, 3), 3);
  ck_assert_uint_eq(starts[1], 2);
  ck_assert_uint_eq(starts[2], 4);
  /* Two parts of 3 suffice for a largest of 2 only as 2, 2, 1, 1. */
  ck_assert_uint_eq(dsm__balance(starts, ones, 6, 4), 4);
  ck_assert(largest_part(starts, 4, ones, 6) <= 2);
}
END_TEST

Suite *suite_balance(void) {
  Suite *const suite = suite_create("balance");
  TCase *const tcase = tcase_create("cuts");
  tcase_add_test(tcase, the_largest_part_is_least);
  tcase_add_test(tcase, parts_of_equal_numbers);
  suite_add_tcase(suite, tcase);
  return suite;
}

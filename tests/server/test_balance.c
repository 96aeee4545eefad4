/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_balance.c: joining tasks into parts of about equal work, against all ways to cut them. */
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

/* Tasks of one device that take as long as their work, and count themselves as weights, joined. */
static dsm_instance *join(const double *work, size_t count, size_t most) {
  static const dsm_instance_device device = {.name = "x"};
  dsm_instance *const instance = dsm__instance_new();
  ck_assert_ptr_nonnull(instance);
  instance->devices = &device;
  instance->device_count = 1;
  instance->task_count = count;
  double *seconds = NULL;
  dsm_task *const tasks = dsm__instance_tasks(instance, count, &seconds);
  ck_assert_ptr_nonnull(tasks);
  for (size_t i = 0; i < count; i++) {
    tasks[i] = (dsm_task){.name = "task", .weights_bytes = 1};
    seconds[i] = work[i];
  }
  instance->tasks = tasks;
  instance->seconds = seconds;
  ck_assert(dsm__instance_join(instance, most, work, NULL));
  return instance;
}

static double largest_part(const dsm_instance *joined) {
  double largest = 0;
  for (size_t p = 0; p < joined->task_count; p++) {
    largest = fmax(largest, joined->seconds[p]);
  }
  return largest;
}

START_TEST(the_largest_part_is_least) {
  uint64_t numbers = 20;
  for (int draw = 0; draw < 2000; draw++) {
    double work[NUMBERS_MAX];
    const size_t count = 1 + (size_t)random_below(&numbers, NUMBERS_MAX);
    const size_t most = 1 + (size_t)random_below(&numbers, NUMBERS_MAX);
    for (size_t i = 0; i < count; i++) {
      work[i] = (double)random_below(&numbers, 20);
    }
    dsm_instance *const joined = join(work, count, most);
    const size_t parts = joined->task_count;
    size_t first = 0;
    ck_assert_uint_eq(parts, most < count ? most : count);
    for (size_t p = 0; p < parts; p++) {
      const size_t end = first + (size_t)joined->tasks[p].weights_bytes;
      ck_assert_uint_gt(end, first);
      ck_assert_double_eq(joined->seconds[p], sum_of(work, first, end));
      first = end;
    }
    ck_assert_uint_eq(first, count);
    const double found = largest_part(joined);
    const double expected = least_largest(work, 0, count, parts);
    ck_assert_msg(found <= expected, "found %g, expected %g", found, expected);
    dsm_instance_free(joined);
  }
}
END_TEST

START_TEST(parts_of_equal_numbers) {
  static const double ones[] = {1, 1, 1, 1, 1, 1};
  dsm_instance *joined = join(ones, 6, 3);
  ck_assert_uint_eq(joined->task_count, 3);
  for (size_t p = 0; p < 3; p++) {
    ck_assert_double_eq(joined->tasks[p].weights_bytes, 2);
  }
  dsm_instance_free(joined);
  /* Two parts of 3 suffice for a largest of 2 only as 2, 2, 1, 1. */
  joined = join(ones, 6, 4);
  ck_assert_uint_eq(joined->task_count, 4);
  ck_assert(largest_part(joined) <= 2);
  dsm_instance_free(joined);
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

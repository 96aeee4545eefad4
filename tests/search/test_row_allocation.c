/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_row_allocation.c: rows of a pipeline's stages against complete enumeration, on random
 * options. Times are small integers, so that equal totals are frequent and sums are exact.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "how_many.h"
#include "random_numbers.h"
#include "search/pipeline/stages.h"
#include "suites.h"

enum { STAGES_MAX = 5, OPTIONS_MAX = 10, INSTANCES = HOW_MANY(8000, 2000, 200) };

typedef struct instance {
  dsm__stage_option items[STAGES_MAX][OPTIONS_MAX];
  dsm__stage_options stages[STAGES_MAX];
  dsm__row_allocation allocation;
} instance;

/* Options with more rows tend to be faster, but not always, and not in every respect. */
static dsm__stage_option random_option(uint64_t *state, uint64_t rows_max) {
  dsm__stage_option option = {
      .rows = 1 + random_below(state, rows_max),
      .parallelism = (dsm_parallelism)random_below(state, DSM_PARALLELISM_COUNT_OF(2))};
  const uint64_t work = 24 / option.rows;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    option.times.step[p] = (double)(1 + work + random_below(state, 6));
  }
  option.times.once = (double)random_below(state, 60);
  return option;
}

static void make(instance *made, uint64_t seed) {
  uint64_t state = seed;
  made->allocation = (dsm__row_allocation){.stages = made->stages,
                                           .stage_count = 2 + random_below(&state, STAGES_MAX - 1),
                                           .rows = 2 + random_below(&state, 11),
                                           .timesteps = 1 + random_below(&state, 9),
                                           .known_total = HUGE_VAL};
  for (size_t s = 0; s < made->allocation.stage_count; s++) {
    const size_t count = 1 + random_below(&state, OPTIONS_MAX);
    for (size_t o = 0; o < count; o++) {
      made->items[s][o] = random_option(&state, made->allocation.rows);
    }
    made->stages[s] = (dsm__stage_options){made->items[s], count};
  }
}

/* Tries all options of the stages from s on; infinite where the rows do not suffice. */
static double enumerate(const dsm__row_allocation *a, size_t s, uint64_t rows,
                        const dsm__stage_times *slowest) {
  if (rows > a->rows) {
    return HUGE_VAL;
  }
  if (s == a->stage_count) {
    return dsm__group_total(slowest, a->timesteps, a->stage_count);
  }
  double best = HUGE_VAL;
  for (size_t o = 0; o < a->stages[s].count; o++) {
    const dsm__stage_option *const option = &a->stages[s].items[o];
    dsm__stage_times next = *slowest;
    dsm__stage_times_join(&next, &option->times);
    best = fmin(best, enumerate(a, s + 1, rows + option->rows, &next));
  }
  return best;
}

static double best_of(const dsm__row_allocation *a) {
  const dsm__stage_times none = {{0}, 0};
  return enumerate(a, 0, 0, &none);
}

/* The total of a choice; fails where it takes too many rows. */
static double total_of(const dsm__row_allocation *a, const size_t *chosen) {
  dsm__stage_times slowest = {{0}, 0};
  uint64_t rows = 0;
  for (size_t s = 0; s < a->stage_count; s++) {
    ck_assert_uint_lt(chosen[s], a->stages[s].count);
    dsm__stage_times_join(&slowest, &a->stages[s].items[chosen[s]].times);
    rows += a->stages[s].items[chosen[s]].rows;
  }
  ck_assert_uint_le(rows, a->rows);
  return dsm__group_total(&slowest, a->timesteps, a->stage_count);
}

START_TEST(test_the_best_allocation_is_found_or_none_is_possible) {
  unsigned impossible = 0;
  for (uint64_t seed = 0; seed < INSTANCES; seed++) {
    instance made;
    make(&made, seed);
    const double best = best_of(&made.allocation);
    for (size_t s = 0; s < made.allocation.stage_count; s++) {
      made.stages[s].count = dsm__stage_options_reduce(made.items[s], made.stages[s].count);
    }
    size_t chosen[STAGES_MAX] = {0};
    double total = 0;
    double bound = 0;
    const dsm__row_allocation_result result =
        dsm__row_allocation_find(&made.allocation, chosen, &total, &bound);
    if (!isfinite(best)) {
      ck_assert_msg(result == DSM__ROW_ALLOCATION_IMPOSSIBLE, "seed %u", (unsigned)seed);
      impossible++;
      continue;
    }
    ck_assert_msg(result == DSM__ROW_ALLOCATION_EXACT, "seed %u", (unsigned)seed);
    ck_assert_msg(total <= best && total >= best, "seed %u: %g, best %g", (unsigned)seed, total,
                  best);
    ck_assert_double_eq(total_of(&made.allocation, chosen), total);
    ck_assert_double_eq(bound, total);
  }
  ck_assert_uint_gt(impossible, INSTANCES / 100);
  ck_assert_uint_lt(impossible, INSTANCES / 2);
}
END_TEST

/* What is known already, in whole cycles, is above the best, the best itself or below it. */
START_TEST(test_what_is_known_hides_nothing_better) {
  for (uint64_t seed = 0; seed < INSTANCES; seed++) {
    instance made;
    make(&made, seed);
    const double best = best_of(&made.allocation);
    if (!isfinite(best)) {
      continue;
    }
    for (size_t s = 0; s < made.allocation.stage_count; s++) {
      made.stages[s].count = dsm__stage_options_reduce(made.items[s], made.stages[s].count);
    }
    made.allocation.known_total = best + _i;
    size_t chosen[STAGES_MAX] = {0};
    double total = 0;
    double bound = 0;
    ck_assert_int_eq(dsm__row_allocation_find(&made.allocation, chosen, &total, &bound),
                     DSM__ROW_ALLOCATION_EXACT);
    ck_assert_double_eq(total_of(&made.allocation, chosen), total);
    ck_assert_double_ge(total, best);
    ck_assert_msg(_i <= 0 || total <= best, "seed %u: %g, best %g", (unsigned)seed, total, best);
    ck_assert_double_eq(bound, fmin(best, made.allocation.known_total));
    made.allocation.is_only_faster = true;
    ck_assert_int_eq(dsm__row_allocation_find(&made.allocation, chosen, &total, &bound),
                     DSM__ROW_ALLOCATION_EXACT);
    ck_assert_double_eq(total, fmin(best, made.allocation.known_total));
    ck_assert_double_eq(bound, total);
  }
}
END_TEST

static bool is_as_good(const dsm__stage_option *a, const dsm__stage_option *b) {
  bool is_good = a->rows <= b->rows && a->times.once <= b->times.once;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    is_good = is_good && a->times.step[p] <= b->times.step[p];
  }
  return is_good;
}

START_TEST(test_reducing_keeps_exactly_what_nothing_else_is_as_good_as) {
  for (uint64_t seed = 0; seed < INSTANCES; seed++) {
    uint64_t state = seed;
    dsm__stage_option all[OPTIONS_MAX];
    dsm__stage_option kept[OPTIONS_MAX];
    const size_t count = 1 + random_below(&state, OPTIONS_MAX);
    for (size_t o = 0; o < count; o++) {
      all[o] = random_option(&state, 4);
    }
    memcpy(kept, all, sizeof kept);
    const size_t kept_count = dsm__stage_options_reduce(kept, count);
    for (size_t o = 0; o < count; o++) { /* each is matched by one that is left */
      size_t k = 0;
      while (k < kept_count && !is_as_good(&kept[k], &all[o])) {
        k++;
      }
      ck_assert_msg(k < kept_count, "seed %u", (unsigned)seed);
    }
    for (size_t k = 0; k < kept_count; k++) { /* and none of these by another */
      for (size_t other = 0; other < kept_count; other++) {
        ck_assert_msg(other == k || !is_as_good(&kept[other], &kept[k]), "seed %u", (unsigned)seed);
      }
      ck_assert(k == 0 || kept[k - 1].rows <= kept[k].rows);
    }
  }
}
END_TEST

/* Two stages of one row each, on one row and on two. */
START_TEST(test_a_row_for_each_stage_is_needed_and_enough) {
  const dsm__stage_option one = {.rows = 1, .times = {{2, 3, 4}, 5}};
  const dsm__stage_options stages[] = {{&one, 1}, {&one, 1}};
  dsm__row_allocation allocation = {
      .stages = stages, .stage_count = 2, .rows = 1, .timesteps = 7, .known_total = HUGE_VAL};
  size_t chosen[2];
  double total = 0;
  double bound = 0;
  ck_assert_int_eq(dsm__row_allocation_find(&allocation, chosen, &total, &bound),
                   DSM__ROW_ALLOCATION_IMPOSSIBLE);
  allocation.rows = 2;
  ck_assert_int_eq(dsm__row_allocation_find(&allocation, chosen, &total, &bound),
                   DSM__ROW_ALLOCATION_EXACT);
  ck_assert_double_eq(total, (2 + 3 + 4) * (7 + 2 - 1) + 5);
}
END_TEST

/* Times against each other in four respects, so that hardly any partial allocation dominates
 * another: more of them than are kept. */
START_TEST(test_too_many_partial_allocations_still_give_one_that_fits) {
  enum { STAGES = 24, OPTIONS = 80, ROWS = 400 };
  static dsm__stage_option items[STAGES][OPTIONS];
  dsm__stage_options stages[STAGES];
  uint64_t state = 1;
  for (size_t s = 0; s < STAGES; s++) {
    for (size_t o = 0; o < OPTIONS; o++) {
      dsm__stage_option *const option = &items[s][o];
      option->rows = 1 + random_below(&state, 40);
      double sum = 0;
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        option->times.step[p] = (double)(1000 + random_below(&state, 1000000));
        sum += option->times.step[p];
      }
      option->times.once = 4e6 - sum;
    }
    stages[s] = (dsm__stage_options){items[s], dsm__stage_options_reduce(items[s], OPTIONS)};
  }
  const dsm__row_allocation allocation = {.stages = stages,
                                          .stage_count = STAGES,
                                          .rows = ROWS,
                                          .timesteps = 1,
                                          .known_total = HUGE_VAL};
  size_t chosen[STAGES] = {0};
  double total = 0;
  double bound = 0;
  ck_assert_int_eq(dsm__row_allocation_find(&allocation, chosen, &total, &bound),
                   DSM__ROW_ALLOCATION_BOUNDED);
  ck_assert_double_eq(total_of(&allocation, chosen), total);
  ck_assert_double_le(bound, total);
}
END_TEST

Suite *suite_row_allocation(void) {
  Suite *const suite = suite_create("allocation");
  TCase *const tests = tcase_create("rows");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_the_best_allocation_is_found_or_none_is_possible);
  tcase_add_loop_test(tests, test_what_is_known_hides_nothing_better, -2, 3);
  tcase_add_test(tests, test_reducing_keeps_exactly_what_nothing_else_is_as_good_as);
  tcase_add_test(tests, test_a_row_for_each_stage_is_needed_and_enough);
  tcase_add_test(tests, test_too_many_partial_allocations_still_give_one_that_fits);
  suite_add_tcase(suite, tests);
  return suite;
}

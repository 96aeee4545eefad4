/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"
#include "plan/core_splits.h"
#include "random_numbers.h"
#include "suites.h"

/* Number of ordered factorisations into five factors: a prime power p^a has C(a+4, 4). */
static const struct {
  uint64_t cores;
  size_t count;
} known_counts[] = {
    {1, 1},           /* C(4,4) */
    {2, 5},           /* C(5,4) */
    {7, 5},           /* prime */
    {12, 15 * 5},     /* 2^2 * 3: C(6,4) * C(5,4) */
    {32, 126},        /* 2^5: C(9,4) */
    {36, 15 * 15},    /* 2^2 * 3^2 */
    {30, 5 * 5 * 5},  /* 2 * 3 * 5 */
    {1048576, 10626}, /* 2^20: C(24,4) */
};

START_TEST(test_count_is_that_of_ordered_factorisations) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__core_splits splits;
  ck_assert(dsm__core_splits_enumerate(&splits, known_counts[_i].cores, arena));
  ck_assert_uint_eq(splits.count, known_counts[_i].count);
  dsm__arena_free(arena);
}
END_TEST

START_TEST(test_each_split_multiplies_to_the_cores_and_order_is_lexicographic) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__core_splits splits;
  ck_assert(dsm__core_splits_enumerate(&splits, 360, arena));
  for (size_t i = 0; i < splits.count; i++) {
    uint64_t product = 1;
    int order = 0;
    for (int d = 0; d < DSM_DIM_COUNT; d++) {
      product *= splits.items[i].n[d];
      if (i > 0 && order == 0 && splits.items[i].n[d] != splits.items[i - 1].n[d]) {
        order = splits.items[i].n[d] > splits.items[i - 1].n[d] ? 1 : -1;
      }
    }
    ck_assert_uint_eq(product, 360);
    ck_assert_int_eq(order, i > 0 ? 1 : 0);
  }
  dsm__arena_free(arena);
}
END_TEST

START_TEST(test_a_layer_of_one_has_no_valid_split_on_two_cores) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__core_splits splits;
  const dsm_chip_share one = {.groups = 1, .chip = {{1, 1, 1, 1, 1}}};
  const dsm_chip_share two = {.groups = 1, .chip = {{1, 1, 1, 1, 2}}};
  ck_assert(dsm__core_splits_enumerate(&splits, 2, arena));
  ck_assert(!dsm__core_splits_any_valid(&splits, &one));
  ck_assert(dsm__core_splits_any_valid(&splits, &two));
  dsm__arena_free(arena);
}
END_TEST

/* Codes of four divisors tell what division tells, also of the core counts that need most bits. */
START_TEST(test_codes_fit_as_numbers_divide) {
  static const uint64_t cores[] = {1, 2, 720, 3600, 5040, 65536, 510510, 720720, 1048576, 1048573};
  uint64_t state = (uint64_t)_i + 1;
  dsm__arena *const arena = dsm__arena_new();
  dsm__core_splits splits;
  ck_assert(dsm__core_splits_enumerate(&splits, cores[_i], arena));
  const dsm__divisors *const all = &splits.divisors;
  for (int draw = 0; draw < 2000; draw++) {
    uint64_t parts[4];
    uint64_t of[4];
    bool do_divide = true;
    for (int k = 0; k < 4; k++) {
      of[k] = all->items[random_below(&state, all->count)];
      parts[k] = all->items[random_below(&state, all->count)];
      parts[k] = random_below(&state, 4) > 0 && of[k] % parts[k] != 0 ? of[k] : parts[k];
      do_divide = do_divide && of[k] % parts[k] == 0;
    }
    ck_assert_int_eq(dsm__fits(all, dsm__fit_code(all, parts), dsm__fit_code(all, of)), do_divide);
  }
  dsm__arena_free(arena);
}
END_TEST

/* Whether any split is valid is found without looking at them all. */
START_TEST(test_any_valid_split_is_found) {
  static const uint64_t cores[] = {1, 7, 24, 60, 72, 84};
  uint64_t state = (uint64_t)_i + 1;
  dsm__arena *const arena = dsm__arena_new();
  dsm__core_splits splits;
  ck_assert(dsm__core_splits_enumerate(&splits, cores[_i], arena));
  for (int draw = 0; draw < 500; draw++) {
    dsm_chip_share share = {.groups = 1, .turns = 1, .model_ways = 1};
    for (int d = 0; d < DSM_DIM_COUNT; d++) {
      share.chip.n[d] = 1 + random_below(&state, 8);
    }
    bool is_any = false;
    for (size_t i = 0; i < splits.count; i++) {
      is_any = is_any || dsm_split_is_valid(&share, &splits.items[i]);
    }
    ck_assert_int_eq(dsm__core_splits_any_valid(&splits, &share), is_any);
  }
  dsm__arena_free(arena);
}
END_TEST

Suite *suite_core_splits(void) {
  Suite *const suite = suite_create("core_splits");
  TCase *const tests = tcase_create("enumeration");
  tcase_add_loop_test(tests, test_count_is_that_of_ordered_factorisations, 0,
                      sizeof known_counts / sizeof known_counts[0]);
  tcase_add_test(tests, test_each_split_multiplies_to_the_cores_and_order_is_lexicographic);
  tcase_add_test(tests, test_a_layer_of_one_has_no_valid_split_on_two_cores);
  tcase_add_loop_test(tests, test_codes_fit_as_numbers_divide, 0, 10);
  tcase_add_loop_test(tests, test_any_valid_split_is_found, 0, 6);
  suite_add_tcase(suite, tests);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "base/map.h"

enum { KEYS = 5000 };

/* An entry of a caller: a key, and what it keeps of it. */
typedef struct entry {
  uint64_t key[2];
  int value;
} entry;

static uint32_t hash_of(const uint64_t *key) {
  return dsm__map_hash(0, key, 2 * sizeof *key);
}

static void fill(dsm__map *map, entry *entries) {
  for (size_t i = 0; i < KEYS; i++) {
    entries[i] = (entry){{i * 7919, i % 3}, (int)i};
    ck_assert(dsm__map_add(map, hash_of(entries[i].key), i));
  }
}

START_TEST(test_each_key_is_found_and_no_other) {
  static entry entries[KEYS];
  dsm__map map = {0};
  const uint64_t other[2] = {1, 7};
  ck_assert_uint_eq(dsm__map_find_in(&map, hash_of(other), entries, sizeof *entries, other, 16),
                    DSM__MAP_NONE);
  fill(&map, entries);
  for (size_t i = 0; i < KEYS; i++) {
    const uint64_t *const key = entries[i].key;
    ck_assert_uint_eq(dsm__map_find_in(&map, hash_of(key), entries, sizeof *entries, key, 16), i);
  }
  ck_assert_uint_eq(dsm__map_find_in(&map, hash_of(other), entries, sizeof *entries, other, 16),
                    DSM__MAP_NONE);
  ck_assert_uint_ge(map.slot_count, 2 * map.count);
  dsm__map_fini(&map);
}
END_TEST

static bool is_number(const void *context, size_t index, const void *key) {
  const int *const numbers = context;
  return numbers[index] == *(const int *)key;
}

/* All keys with one hash: each place is taken by others too. */
START_TEST(test_keys_of_one_hash_are_told_apart) {
  int numbers[100];
  dsm__map map = {0};
  for (int i = 0; i < 100; i++) {
    numbers[i] = 1000 + i;
    ck_assert(dsm__map_add(&map, 77, (size_t)i));
  }
  for (int i = 0; i < 100; i++)
    ck_assert_uint_eq(dsm__map_find(&map, 77, is_number, numbers, &numbers[i]), (size_t)i);
  const int absent = 2000;
  ck_assert_uint_eq(dsm__map_find(&map, 77, is_number, numbers, &absent), DSM__MAP_NONE);
  dsm__map_fini(&map);
}
END_TEST

START_TEST(test_a_key_taken_out_leaves_the_others) {
  static entry entries[KEYS];
  dsm__map map = {0};
  fill(&map, entries);
  for (size_t i = 0; i < KEYS; i += 2)
    dsm__map_remove(&map, hash_of(entries[i].key), i);
  ck_assert_uint_eq(map.count, KEYS / 2);
  for (size_t i = 0; i < KEYS; i++) {
    const uint64_t *const key = entries[i].key;
    ck_assert_uint_eq(dsm__map_find_in(&map, hash_of(key), entries, sizeof *entries, key, 16),
                      i % 2 == 0 ? DSM__MAP_NONE : i);
  }
  dsm__map_fini(&map);
}
END_TEST

START_TEST(test_a_cleared_map_is_empty_and_can_be_filled_again) {
  static entry entries[KEYS];
  dsm__map map = {0};
  dsm__map_clear(&map);
  for (int round = 0; round < 2; round++) {
    fill(&map, entries);
    dsm__map_clear(&map);
    const uint64_t *const key = entries[1].key;
    ck_assert_uint_eq(dsm__map_find_in(&map, hash_of(key), entries, sizeof *entries, key, 16),
                      DSM__MAP_NONE);
  }
  dsm__map_fini(&map);
}
END_TEST

START_TEST(test_hash_takes_all_bytes_and_the_seed) {
  unsigned char key[13] = {0};
  const uint32_t hash = dsm__map_hash(0, key, sizeof key);
  ck_assert_uint_ne(dsm__map_hash(1, key, sizeof key), hash);
  ck_assert_uint_ne(dsm__map_hash(0, key, sizeof key - 8), hash);
  for (size_t i = 0; i < sizeof key; i++) {
    key[i] = 1;
    ck_assert_uint_ne(dsm__map_hash(0, key, sizeof key), hash);
    key[i] = 0;
  }
}
END_TEST

START_TEST(test_an_index_that_does_not_fit_is_refused) {
  dsm__map map = {0};
  ck_assert(!dsm__map_add(&map, 1, UINT32_MAX));
  ck_assert_uint_eq(map.count, 0);
  dsm__map_fini(&map);
}
END_TEST

Suite *suite_map(void) {
  Suite *suite = suite_create("map");
  TCase *tests = tcase_create("map");
  tcase_add_test(tests, test_each_key_is_found_and_no_other);
  tcase_add_test(tests, test_keys_of_one_hash_are_told_apart);
  tcase_add_test(tests, test_a_key_taken_out_leaves_the_others);
  tcase_add_test(tests, test_a_cleared_map_is_empty_and_can_be_filled_again);
  tcase_add_test(tests, test_hash_takes_all_bytes_and_the_seed);
  tcase_add_test(tests, test_an_index_that_does_not_fit_is_refused);
  suite_add_tcase(suite, tests);
  return suite;
}

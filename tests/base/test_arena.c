/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <math.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/deadline.h"

static dsm__arena *arena;

static void set_up(void) {
  arena = dsm__arena_new();
  ck_assert_ptr_nonnull(arena);
}

static void tear_down(void) {
  dsm__arena_free(arena);
  arena = NULL;
}

START_TEST(test_piece_is_aligned_and_zeroed) {
  for (size_t size = 1; size <= 100; size++) {
    const unsigned char *const piece = dsm__arena_alloc(arena, size);
    ck_assert_ptr_nonnull(piece);
    ck_assert_uint_eq((uintptr_t)piece % alignof(max_align_t), 0);
    for (size_t i = 0; i < size; i++)
      ck_assert_uint_eq(piece[i], 0);
  }
}
END_TEST

typedef struct owner {
  char first;
  dsm__arena *arena;
  double last;
} owner;

START_TEST(test_owner_lies_in_its_own_arena_and_is_zeroed) {
  owner *const made = DSM__ARENA_OWNER(owner);
  ck_assert_ptr_nonnull(made);
  ck_assert_ptr_nonnull(made->arena);
  ck_assert_int_eq(made->first, 0);
  ck_assert_double_eq(made->last, 0);
  ck_assert_ptr_nonnull(dsm__arena_alloc(made->arena, 100000));
  dsm__arena_free(made->arena);
}
END_TEST

START_TEST(test_pieces_of_size_zero_are_distinct) {
  const void *const first = dsm__arena_alloc(arena, 0);
  const void *const second = dsm__arena_alloc(arena, 0);
  ck_assert_ptr_nonnull(first);
  ck_assert_ptr_nonnull(second);
  ck_assert_ptr_ne(first, second);
}
END_TEST

/* Sizes around the block sizes, small ones between large ones; each piece is filled with its own
 * number, so that an overlap shows. */
START_TEST(test_pieces_do_not_overlap) {
  enum { PIECE_COUNT = 400 };
  unsigned char *pieces[PIECE_COUNT];
  size_t sizes[PIECE_COUNT];
  for (size_t i = 0; i < PIECE_COUNT; i++) {
    sizes[i] = i % 50 == 49 ? (size_t)3 << 20 : i % 7 == 6 ? 5000 + i : 1 + 13 * i % 300;
    pieces[i] = dsm__arena_alloc(arena, sizes[i]);
    ck_assert_ptr_nonnull(pieces[i]);
    for (size_t j = 0; j < sizes[i]; j += 997)
      ck_assert_uint_eq(pieces[i][j], 0);
    memset(pieces[i], (int)(i % 255) + 1, sizes[i]);
  }
  for (size_t i = 0; i < PIECE_COUNT; i++) {
    const unsigned char expected = (unsigned char)(i % 255 + 1);
    ck_assert_uint_eq(pieces[i][0], expected);
    ck_assert_uint_eq(pieces[i][sizes[i] / 2], expected);
    ck_assert_uint_eq(pieces[i][sizes[i] - 1], expected);
  }
}
END_TEST

START_TEST(test_impossible_size_gives_null) {
  ck_assert_ptr_null(dsm__arena_alloc(arena, SIZE_MAX));
  ck_assert_ptr_nonnull(dsm__arena_alloc(arena, 8)); /* and the arena goes on working */
}
END_TEST

START_TEST(test_overflowing_array_gives_null) {
  ck_assert_ptr_null(dsm__arena_array(arena, SIZE_MAX / 2, 3));
  ck_assert_ptr_null(dsm__arena_array(arena, 3, SIZE_MAX / 2));
}
END_TEST

START_TEST(test_array_holds_its_elements) {
  uint64_t *const numbers = dsm__arena_array(arena, 1000, sizeof *numbers);
  ck_assert_ptr_nonnull(numbers);
  for (size_t i = 0; i < 1000; i++) {
    ck_assert_uint_eq(numbers[i], 0);
    numbers[i] = i;
  }
  ck_assert_uint_eq(numbers[999], 999);
}
END_TEST

START_TEST(test_array_without_elements_is_not_null) {
  ck_assert_ptr_nonnull(dsm__arena_array(arena, 0, 8));
}
END_TEST

START_TEST(test_copied_text_is_cut_and_terminated) {
  ck_assert_str_eq(dsm__arena_strndup(arena, "stride", 3), "str");
  ck_assert_str_eq(dsm__arena_strndup(arena, NULL, 0), "");
  ck_assert_ptr_null(dsm__arena_strndup(arena, "", SIZE_MAX));
}
END_TEST

START_TEST(test_copy_does_not_share_with_the_original) {
  char original[] = "stride";
  const char *const copy = dsm__arena_strdup(arena, original);
  original[0] = 'x';
  ck_assert_str_eq(copy, "stride");
}
END_TEST

START_TEST(test_formatted_text_has_the_length_it_needs) {
  ck_assert_str_eq(dsm__arena_printf(arena, "%s[%d]", "layers", 3), "layers[3]");
  const char *const wide = dsm__arena_printf(arena, "%9000d", 7);
  ck_assert_uint_eq(strlen(wide), 9000);
  ck_assert_str_eq(wide + 8999, "7");
}
END_TEST

START_TEST(test_null_arena_is_freed) {
  dsm__arena_free(NULL);
}
END_TEST

/* What is given back is counted no more. */
START_TEST(test_bytes_of_counted_arenas_are_counted) {
  atomic_size_t bytes = 0;
  dsm__arena *const one = dsm__arena_new_counted(&bytes);
  dsm__arena *const other = dsm__arena_new_counted(&bytes);
  ck_assert_ptr_nonnull(dsm__arena_alloc(one, 100000));
  ck_assert_uint_ge(atomic_load(&bytes), 100000);
  const size_t of_one = atomic_load(&bytes);
  ck_assert_ptr_nonnull(dsm__arena_alloc(other, 300000));
  ck_assert_uint_ge(atomic_load(&bytes), of_one + 300000);
  dsm__arena_free(other);
  ck_assert_uint_eq(atomic_load(&bytes), of_one);
  dsm__arena_free(one);
  ck_assert_uint_eq(atomic_load(&bytes), 0);
}
END_TEST

static bool says_stop(void *context) {
  return *(const bool *)context;
}

/* Time that is over ends work that has nothing at twice the limit; memory and a stop end all. */
START_TEST(test_deadline_is_of_time_memory_and_a_stop) {
  dsm__deadline limit;
  bool is_told = false;
  dsm__deadline_begin(&limit, HUGE_VAL);
  ck_assert(!dsm__deadline_is_over(&limit) && !dsm__deadline_is_final(&limit));
  dsm__deadline_begin(&limit, 1e5);
  limit.until_seconds = 0;
  ck_assert(dsm__deadline_is_over(&limit) && !dsm__deadline_is_final(&limit));
  limit.final_seconds = 0;
  ck_assert(dsm__deadline_is_final(&limit));
  dsm__deadline_begin(&limit, HUGE_VAL);
  limit.most_bytes = 1000;
  atomic_store(&limit.bytes, 900);
  ck_assert(!dsm__deadline_is_over(&limit) && !dsm__deadline_is_final_with(&limit, 100));
  ck_assert(dsm__deadline_is_final_with(&limit, 101) && dsm__deadline_is_over(&limit));
  atomic_store(&limit.bytes, 0); /* for good */
  ck_assert(dsm__deadline_is_final(&limit) && limit.was_memory_met && !limit.was_stopped);
  dsm__deadline_begin(&limit, HUGE_VAL);
  limit.is_stopped = says_stop;
  limit.context = &is_told;
  ck_assert(!dsm__deadline_is_over(&limit));
  is_told = true;
  ck_assert(dsm__deadline_is_over(&limit) && dsm__deadline_is_final(&limit) && limit.was_stopped);
  ck_assert(!dsm__deadline_is_over(NULL) && !dsm__deadline_is_final(NULL));
}
END_TEST

Suite *suite_arena(void) {
  Suite *const suite = suite_create("arena");
  TCase *const pieces = tcase_create("pieces");
  tcase_add_checked_fixture(pieces, set_up, tear_down);
  tcase_add_test(pieces, test_piece_is_aligned_and_zeroed);
  tcase_add_test(pieces, test_owner_lies_in_its_own_arena_and_is_zeroed);
  tcase_add_test(pieces, test_pieces_of_size_zero_are_distinct);
  tcase_add_test(pieces, test_pieces_do_not_overlap);
  tcase_add_test(pieces, test_impossible_size_gives_null);
  tcase_add_test(pieces, test_overflowing_array_gives_null);
  tcase_add_test(pieces, test_array_holds_its_elements);
  tcase_add_test(pieces, test_array_without_elements_is_not_null);
  tcase_add_test(pieces, test_copied_text_is_cut_and_terminated);
  tcase_add_test(pieces, test_copy_does_not_share_with_the_original);
  tcase_add_test(pieces, test_formatted_text_has_the_length_it_needs);
  tcase_add_test(pieces, test_null_arena_is_freed);
  tcase_add_test(pieces, test_bytes_of_counted_arenas_are_counted);
  tcase_add_test(pieces, test_deadline_is_of_time_memory_and_a_stop);
  suite_add_tcase(suite, pieces);
  return suite;
}

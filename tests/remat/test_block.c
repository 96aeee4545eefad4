/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of a stage that is a graph of operations. */
#include "chain/block.h"

#include <math.h>

#include "checkmate.h"
#include "random_numbers.h"
#include "suites.h"

enum { OPERATIONS_MAX = 5, WAYS = 1000 };

static const double close_enough = 1e-6;

/*
 * Three in a row: 4 bytes, 8, 2; each needs its input and its output. Everything saved: 14, and the
 * errors of the last two beside it: 14 + 2 + 8 = 24 during the last backward pass, which makes the
 * error of the second; then 12 + 8 + 4 = 24.
 */
static const dsm__remat_operation row[] = {
    {"a", 1, 2, 4, 4, 0, 0, true, 1},
    {"b", 3, 6, 8, 8, 0, 1, false, 3},
    {"c", 1, 2, 2, 2, 0, 2, false, 6},
};
static const dsm__remat_block in_a_row = {row, 3, 4};

START_TEST(test_by_hand) {
  ck_assert_uint_eq(dsm__remat_needed(&in_a_row), 7);
  ck_assert_double_eq(dsm__remat_errors_before(&in_a_row, 2), 2);
  ck_assert_double_eq(dsm__remat_errors_during(&in_a_row, 2), 10);
  ck_assert_double_eq(dsm__remat_errors_during(&in_a_row, 1), 12);
  ck_assert_double_eq(dsm__remat_errors_during(&in_a_row, 0), 8);
  dsm__remat_way way = {.saved = 7, .saved_bytes = 14};
  dsm__remat_run_plainly(&in_a_row, &way);
  dsm__remat_recompute_once(&in_a_row, &way);
  ck_assert_double_eq(way.forward_seconds, 5);
  ck_assert_double_eq(way.forward_peak, 14);
  ck_assert_double_eq(way.backward_seconds, 10);
  ck_assert_double_eq(way.backward_peak, 24);
  way.saved = 5; /* without b */
  dsm__remat_run_plainly(&in_a_row, &way);
  dsm__remat_recompute_once(&in_a_row, &way);
  ck_assert_double_eq(way.backward_seconds, 13);
  way.saved = 4; /* without a and b */
  dsm__remat_recompute_once(&in_a_row, &way);
  ck_assert_double_eq(way.backward_seconds, 14);
}
END_TEST

START_TEST(test_options_by_hand) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_remat_stage stage = {0};
  ck_assert(dsm__remat_block_options(&in_a_row, DSM__REMAT_BLOCK_WORK, &stage, arena));
  ck_assert_double_eq(stage.output_bytes, 2);
  ck_assert_double_eq(stage.error_bytes, 2);
  ck_assert_double_eq(stage.forward_seconds, 5);
  ck_assert_double_eq(stage.temporary_bytes, 10); /* a and b at once, less the output */
  ck_assert_str_eq(stage.options[0].name, "all");
  ck_assert_double_eq(stage.options[0].saved_bytes, 14);
  ck_assert_double_eq(stage.options[0].backward_temporary_bytes, 24 - 14 - 2 - 4);
  const dsm_remat_option *const last = &stage.options[stage.option_count - 1];
  ck_assert_str_eq(last->name, "without a, b");
  ck_assert_double_eq(last->saved_bytes, 2);
  dsm__arena_free(arena);
}
END_TEST

/* ---- any block ---- */

typedef struct drawn {
  dsm__remat_operation operations[DSM_REMAT_OPERATIONS_MAX];
  dsm__remat_block block;
} drawn;

static double draw(uint64_t *state, uint64_t least, uint64_t most) {
  return (double)(least + random_below(state, most - least + 1));
}

static void draw_block(drawn *to, uint64_t *state, size_t count) {
  to->block = (dsm__remat_block){to->operations, count, draw(state, 0, 3)};
  for (size_t i = 0; i < count; i++) {
    dsm__remat_operation *const one = &to->operations[i];
    const dsm__tensors below = dsm__tensor(i) - 1;
    *one = (dsm__remat_operation){.name = "operation",
                                  .forward_seconds = draw(state, 1, 9),
                                  .backward_seconds = draw(state, 1, 9),
                                  .bytes = draw(state, 1, 6),
                                  .temporary_bytes = draw(state, 0, 1)};
    one->error_bytes = random_below(state, 2) == 0 ? one->bytes : draw(state, 0, 4);
    one->inputs = i == 0 ? 0 : dsm__tensor(i - 1);
    one->inputs |= random_next(state) & random_next(state) & below;
    one->reads_input = i == 0 || random_below(state, 3) == 0;
    one->needs = random_next(state) & (one->inputs | dsm__tensor(i));
  }
}

/* The programme of Checkmate, at several peaks: the same least time. */
START_TEST(test_checkmate) {
  uint64_t state = (uint64_t)_i;
  drawn of;
  draw_block(&of, &state, 2 + (size_t)random_below(&state, OPERATIONS_MAX - 1));
  dsm__remat_way all = {.saved = dsm__remat_needed(&of.block)};
  dsm__remat_run_plainly(&of.block, &all);
  dsm__remat_recompute_once(&of.block, &all);
  const double highest =
      all.forward_peak > all.backward_peak ? all.forward_peak : all.backward_peak;
  for (double peak = highest; peak > highest / 2; peak -= 2) {
    dsm__arena *const arena = dsm__arena_new();
    dsm__remat_ways ways = {0};
    double best = HUGE_VAL;
    ck_assert(dsm__remat_ways_within(&of.block, peak, WAYS, &ways, arena));
    for (size_t i = 0; i < ways.count; i++) {
      const double seconds = ways.items[i].forward_seconds + ways.items[i].backward_seconds;
      best = seconds < best ? seconds : best;
      ck_assert_double_le(ways.items[i].forward_peak, peak);
      ck_assert_double_le(ways.items[i].backward_peak, peak);
    }
    const double programme = checkmate_seconds(&of.block, peak);
    ck_assert_msg(isinf(best) ? isinf(programme) : fabs(best - programme) < close_enough,
                  "peak %g: %g, and by the programme %g", peak, best, programme);
    dsm__arena_free(arena);
  }
}
END_TEST

static void check_options(const dsm_remat_stage *stage, const dsm__remat_block *block) {
  ck_assert_uint_ge(stage->option_count, 1);
  ck_assert_uint_le(stage->option_count, DSM_REMAT_OPTIONS_MAX);
  ck_assert_double_eq(stage->options[0].saved_bytes,
                      dsm__remat_tensor_bytes(block, dsm__remat_needed(block)));
  for (size_t k = 1; k < stage->option_count; k++) {
    const dsm_remat_option *const one = &stage->options[k];
    const dsm_remat_option *const all = &stage->options[0];
    ck_assert_double_ge(one->saved_bytes, stage->output_bytes);
    ck_assert_double_ge(one->forward_seconds + one->backward_seconds,
                        all->forward_seconds + all->backward_seconds);
  }
}

/* Blocks that are too large to look at all sets drop one run of tensors, and compute once. */
START_TEST(test_large_blocks) {
  static const size_t counts[] = {10, 21, 40, DSM_REMAT_OPERATIONS_MAX};
  uint64_t state = (uint64_t)_i;
  for (int i = 0; i < COUNT_OF(counts); i++) {
    drawn of;
    dsm__arena *const arena = dsm__arena_new();
    dsm_remat_stage stage = {0};
    draw_block(&of, &state, counts[i]);
    ck_assert(dsm__remat_block_options(&of.block, DSM__REMAT_BLOCK_WORK, &stage, arena));
    check_options(&stage, &of.block);
    dsm__arena_free(arena);
  }
}
END_TEST

/* Without work to do there are only a few ways; with it none of them is better. */
START_TEST(test_work) {
  uint64_t state = (uint64_t)_i;
  drawn of;
  dsm__arena *const arena = dsm__arena_new();
  dsm_remat_stage few = {0};
  dsm_remat_stage many = {0};
  draw_block(&of, &state, 8);
  ck_assert(dsm__remat_block_options(&of.block, 0, &few, arena));
  ck_assert(dsm__remat_block_options(&of.block, DSM__REMAT_BLOCK_WORK, &many, arena));
  check_options(&few, &of.block);
  for (size_t k = 0; k < few.option_count; k++) {
    const dsm_remat_option *const one = &few.options[k];
    bool is_met = false;
    for (size_t j = 0; !is_met && j < many.option_count; j++) {
      const dsm_remat_option *const other = &many.options[j];
      is_met = other->saved_bytes <= one->saved_bytes &&
               other->forward_seconds + other->backward_seconds <=
                   one->forward_seconds + one->backward_seconds;
    }
    ck_assert(is_met);
  }
  dsm__arena_free(arena);
}
END_TEST

Suite *suite_block(void) {
  Suite *const suite = suite_create("block");
  TCase *const tests = tcase_create("block");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, test_by_hand);
  tcase_add_test(tests, test_options_by_hand);
  tcase_add_loop_test(tests, test_checkmate, 0, 40);
  tcase_add_loop_test(tests, test_large_blocks, 0, 5);
  tcase_add_loop_test(tests, test_work, 0, 40);
  suite_add_tcase(suite, tests);
  return suite;
}

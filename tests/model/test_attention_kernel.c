/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Score, softmax and sums of values of an attention as one kernel (docs/model.md, section 4). */
#include <math.h>

#include "fixture.h"
#include "model/equations.h"
#include "random_numbers.h"
#include "suites.h"

static dsm_system chips;
static dsm_machine machine;

/* 132 cores of 2048 MACs at 1.83 GHz, 5120 bytes a cycle between cores, 85 % of 3350 GB/s. */
static void set_up(void) {
  chips = friendly_system(1, 1);
  chips.pe.simd_macs = 1;
  chips.array.rows = 32;
  chips.array.columns = 64;
  chips.array.efficiency_ratio = 0.8;
  chips.core.frequency_GHz = 1.83;
  chips.core.tile_startup_us = 1;
  chips.core.tile_least_side = 64;
  chips.core.tile_most_elements = 32768;
  chips.core.tile_least_rows = 16;
  chips.core.attention_floor_us = 10;
  chips.core.attention_tile_us = 4;
  chips.core.operation_overhead_us = 0;
  chips.chip.cores = 132;
  chips.chip.core_link_bandwidth_GBps = 5120 * 1.83;
  chips.chip.memory.bandwidth_GBps = 3350;
  chips.chip.memory.efficiency_ratio = 0.85;
  chips.model.tile_schedule = true;
  chips.model.fused_attention = true;
  chips.model.causal_skip = true;
  chips.model.attention_skips_masked = true;
  chips.model.attention_efficiency_ratio = 0.65;
  machine = dsm_machine_derive(&chips);
}

typedef struct attention {
  uint64_t samples, positions, heads, kv_heads, keys;
  uint64_t key_features, value_features;
  uint64_t window;
  bool is_causal;
} attention;

static dsm_layer part_of(const attention *a, bool is_score) {
  const uint64_t in = is_score ? a->key_features : a->keys;
  const uint64_t out = is_score ? a->keys : a->value_features;
  return (dsm_layer){
      .name = "a",
      .is_product = true,
      .is_score = is_score,
      .reads_score = !is_score,
      .in = a->heads * in,
      .out = a->heads * out,
      .ij = a->positions,
      .rows = a->positions,
      .kij = 1,
      .strides = 1,
      .groups = a->heads,
      .operand_groups = a->kv_heads,
      .timesteps = 1,
      .input_elements = a->heads * in * a->positions,
      .output_elements = a->heads * out * a->positions,
      .stored_elements = a->heads * out * a->positions,
      .operand_elements = a->kv_heads * in * out,
      .macs = a->heads * in * out * a->positions,
      .attention = {a->key_features, a->value_features, a->window, a->is_causal, false},
      .has_op = {[DSM_AUX_SOFTMAX] = is_score},
      .has_backward = true,
  };
}

static dsm_pass_work work_of(const dsm_layer *layer, uint64_t samples, dsm_pass pass) {
  const dsm_residency none = dsm_residency_none(&machine);
  return dsm_pass_work_derive(layer, &machine, (dsm_precision){2, 2, 2, 0, 1, 1, 0, 0, 0},
                              DSM_MODE_TRAINING, pass, DSM_PARALLELISM_DATA, samples, &none);
}

/* Cycles of a pass of both layers, which has two invocations of each on the way back. */
static dsm_invocation_cost cost_of(const attention *a, dsm_pass pass) {
  static const dsm_loops whole = {{1, 1, 1, 1, 1}};
  dsm_invocation_cost sum = {.primary = 0};
  for (int is_score = 0; is_score < 2; is_score++) {
    const dsm_layer layer = part_of(a, is_score != 0);
    const dsm_pass_work work = work_of(&layer, a->samples, pass);
    const dsm_invocation_cost cost = dsm_invocation_score(&work, &whole);
    const double count = (double)dsm_invocation_count(&layer, pass);
    sum.primary += count * cost.primary;
    sum.overlapped += count * cost.overlapped;
    sum.auxiliary += count * cost.auxiliary;
    sum.overhead += count * cost.overhead;
    sum.total += count * cost.total;
  }
  return sum;
}

static double seconds_of(const attention *a) {
  return cost_of(a, DSM_PASS_FORWARD).total / 1.83e9;
}

/* ---- of a GPU: decode by memory, decode of one sample, the whole of a prompt by its arrays */

static const struct {
  double seconds;
  attention of;
} gpu_kernels[] = {
    {7.645328267e-04, {64, 1, 32, 8, 8192, 128, 128, 0, true}},
    {1.985468994e-04, {1, 1, 32, 8, 131072, 128, 128, 0, true}},
    {2.614119760e-04, {1, 4096, 32, 8, 4096, 128, 128, 0, true}},
};

START_TEST(test_kernels_of_a_gpu) {
  ck_assert_double_eq_tol(seconds_of(&gpu_kernels[_i].of) / gpu_kernels[_i].seconds, 1, 1e-9);
}
END_TEST

/* Both layers are half of it, and softmax is in its rate. */
START_TEST(test_layers_share_the_kernel_by_features) {
  const attention a = gpu_kernels[2].of;
  const dsm_invocation_cost cost = cost_of(&a, DSM_PASS_FORWARD);
  ASSERT_CLOSE(cost.overhead, 10 * 1830);
  ASSERT_CLOSE(cost.auxiliary, 0);
  ASSERT_CLOSE(cost.total, cost.primary + cost.overhead);
  const dsm_layer score = part_of(&a, true);
  const dsm_layer context = part_of(&a, false);
  const dsm_pass_work of_score = work_of(&score, 1, DSM_PASS_FORWARD);
  const dsm_pass_work of_context = work_of(&context, 1, DSM_PASS_FORWARD);
  ASSERT_CLOSE(of_score.tiles.cycles, of_context.tiles.cycles);
  ASSERT_CLOSE(of_score.tiles.cycles, cost.primary / 2);
}
END_TEST

/* ---- by hand: 4 cores of 2 MACs a cycle, 0.5 of which are sustained, 8 bytes a cycle each between
 * cores, tiles of a multiple of 2 rows that start in 10 cycles, a floor of 6; 1 GHz */

static void set_up_hand(void) {
  set_up();
  chips.core.frequency_GHz = 1;
  chips.array.rows = 2;
  chips.array.columns = 1;
  chips.core.tile_least_rows = 2;
  chips.core.attention_floor_us = 0.006;
  chips.core.attention_tile_us = 0.01;
  chips.chip.cores = 4;
  chips.chip.core_link_bandwidth_GBps = 32;
  chips.chip.memory.bandwidth_GBps = 1e9;
  chips.model.attention_efficiency_ratio = 0.5;
  machine = dsm_machine_derive(&chips);
}

/* 3 positions of 2 heads with the same keys, 5 of them: 6 rows are one tile for each of 3 samples,
 * 6 * 5 * (3 + 1) MACs at 1 a cycle and 10 cycles. On average a core has 3/4 of one and waits for
 * one. Two products of a head each have tiles of 4 rows, 4 * 5 * 4 + 10: 6 / 4 of that is more than
 * one, and less than 130. */
START_TEST(test_heads_of_a_group_are_rows_of_as_many_products_as_is_best) {
  const attention a = {3, 3, 2, 1, 5, 3, 1, 0, false};
  const dsm_layer score = part_of(&a, true);
  const dsm_pass_work work = work_of(&score, 3, DSM_PASS_FORWARD);
  ck_assert_uint_eq(work.tiles.tile.n[DSM_TILE_ROWS], 6);
  ck_assert_uint_eq(work.tiles.tile.n[DSM_TILE_COLUMNS], 5);
  ASSERT_CLOSE(work.tiles.cycles, 130 * 3 / 4.0);
  ASSERT_CLOSE(work.tiles.startup, 10 * 3 / 4.0);
  ASSERT_CLOSE(cost_of(&a, DSM_PASS_FORWARD).total, 130 + 6);
  const attention more = {4, 3, 2, 1, 5, 3, 1, 0, false}; /* a tile for each core: 180 by heads */
  ASSERT_CLOSE(cost_of(&more, DSM_PASS_FORWARD).total, 130 + 6);
  const attention one = {1, 3, 2, 1, 5, 3, 1, 0, false}; /* a core for each head: 90 */
  ASSERT_CLOSE(cost_of(&one, DSM_PASS_FORWARD).total, 90 + 6);
}
END_TEST

/* Rows of 2 take their operands from the links: 4 * 2 bytes at 8 a cycle for each of 5 keys are 5,
 * and the arrays 2 * 4 * 5 / 64. */
START_TEST(test_few_rows_wait_for_keys) {
  chips.array.rows = 128;
  machine = dsm_machine_derive(&chips);
  const attention a = {4, 1, 2, 1, 5, 3, 1, 0, false};
  const dsm_layer context = part_of(&a, false);
  const dsm_pass_work work = work_of(&context, 4, DSM_PASS_FORWARD);
  ASSERT_CLOSE(work.tiles.ring, 5 / 4.0);
  ASSERT_CLOSE(work.tiles.arrays, 0);
  ASSERT_CLOSE(work.tiles.startup, 10 / 4.0);
}
END_TEST

/* 300 positions of a head are 3 tiles, which see 128, 256 and 300 keys, in whole tiles 384: 128 *
 * 768 * 4 at 1 a cycle over 4 cores, but the longest takes longer. Where nothing is skipped all see
 * 384; through a window of 200 keys 128, 256, 256. */
START_TEST(test_tiles_see_what_no_mask_hides) {
  attention a = {40, 300, 1, 1, 300, 2, 2, 0, true};
  ASSERT_CLOSE(cost_of(&a, DSM_PASS_FORWARD).primary, 10 * (128 * 768 * 4 + 30));
  a.window = 200;
  ASSERT_CLOSE(cost_of(&a, DSM_PASS_FORWARD).primary, 10 * (128 * 640 * 4 + 30));
  chips.model.attention_skips_masked = false;
  ASSERT_CLOSE(cost_of(&a, DSM_PASS_FORWARD).primary, 10 * (128 * 1152 * 4 + 30));
}
END_TEST

/* 512 keys of one sample and head, 1 row: whole 2 * 512 * 2 + 10, in halves 2 * 256 * 2 + 10 and
 * sums of 1 feature, 2 * 2 * 4 bytes at 0.1 of a byte a cycle. */
START_TEST(test_keys_are_cut_while_that_is_faster) {
  attention a = {1, 1, 1, 1, 512, 1, 1, 0, false};
  chips.chip.memory.auxiliary_efficiency_ratio = 1e-10;
  machine = dsm_machine_derive(&chips);
  ASSERT_CLOSE(cost_of(&a, DSM_PASS_FORWARD).primary, 2 * 256 * 2 + 10 + 2 * 2 * 4 / 0.1);
  a.keys = 511;
  ASSERT_CLOSE(cost_of(&a, DSM_PASS_FORWARD).primary, 2 * 511 * 2 + 10);
}
END_TEST

/* Five products in place of two: 3 * 3 + 2 * 1 MACs for each pair, at 0.85 of the rate. 2 tiles of
 * 128 keys, of which 44 are none, by rows of 2 heads: of the last tile 128 positions, of the first
 * all 172. One floor. */
START_TEST(test_backward_goes_over_tiles_of_keys) {
  const attention a = {8, 172, 2, 1, 172, 3, 1, 0, true};
  const dsm_invocation_cost cost = cost_of(&a, DSM_PASS_BACKWARD);
  ASSERT_CLOSE(cost.primary, 8 / 4.0 * (128 * (256 + 384) * 11 / 0.85 + 2 * 10));
  ASSERT_CLOSE(cost.overhead, 6);
  ASSERT_CLOSE(cost.auxiliary, 0);
}
END_TEST

/* Without the key, or a fused attention, layers are products as others. */
START_TEST(test_what_is_not_fused_is_two_products) {
  const attention a = {3, 3, 2, 1, 5, 3, 1, 0, false};
  const dsm_layer layer = part_of(&a, true);
  chips.model.fused_attention = false;
  const dsm_pass_work work = work_of(&layer, 3, DSM_PASS_FORWARD);
  const dsm__product product = dsm__product_derive(&layer, &work.share, DSM_PASS_FORWARD);
  ASSERT_CLOSE(work.tiles.cycles,
               dsm__tile_schedule_find(&machine, &work.precision, &product, 1).cycles);
  ASSERT_CLOSE(work.overhead_cycles, 0);
}
END_TEST

/* ---- random ones */

static attention random_attention(uint64_t *state) {
  static const uint64_t windows[] = {0, 0, 1, 100, 700};
  const uint64_t kv_heads = 1 + random_below(state, 4);
  const uint64_t positions = 1 + random_below(state, random_below(state, 2) == 0 ? 3 : 500);
  const uint64_t earlier = random_below(state, 2) * random_below(state, 5000);
  attention a = {1 + random_below(state, 9),
                 positions,
                 kv_heads * (1 + random_below(state, 12)),
                 kv_heads,
                 positions + earlier,
                 1 + random_below(state, 128),
                 1 + random_below(state, 128),
                 windows[random_below(state, 5)],
                 random_below(state, 3) > 0};
  if (a.window > 0 && a.keys > a.window + positions - 1) {
    a.keys = a.window + positions - 1;
  }
  return a;
}

/* Tile by tile: the least over heads of a product and parts. */
static double tile_by_tile(const attention *a, uint64_t heads, double parts) {
  const double rows = (double)(a->positions * heads);
  const double side = fmin(128, 16 * ceil(rows / 16));
  const double features = (double)(a->key_features + a->value_features);
  const double rate = fmax(side * features / (2048 * 0.65), features * 2 / (5120 / 132.0));
  double sum = 0;
  double longest = 0;
  for (double first = 0; first < rows; first += side) {
    double keys = (double)a->keys;
    if (a->is_causal) {
      keys += ceil(fmin(rows, first + side) / (double)heads) - (double)a->positions;
    }
    keys = a->window > 0 ? fmin(keys, (double)a->window) : keys;
    keys = ceil(keys / parts);
    keys = rows > side ? 128 * ceil(keys / 128) : keys;
    sum += keys * rate + 4 * 1830;
    longest = fmax(longest, keys * rate + 4 * 1830);
  }
  const double products = (double)(a->samples * a->heads / heads) * parts;
  const double outputs = (double)(a->samples * a->positions * a->heads * a->value_features);
  return fmax(products * sum / 132, longest) +
         (parts > 1 ? 2 * parts * outputs * 4 / (3350 * 0.85 / 1.83) : 0);
}

START_TEST(test_schedule_is_the_least_tile_by_tile) {
  uint64_t state = 1 + (uint64_t)_i;
  for (int run = 0; run < 300; run++) {
    const attention a = random_attention(&state);
    double least = HUGE_VAL;
    for (uint64_t heads = 1; heads <= a.heads / a.kv_heads; heads++) {
      for (double parts = 1; parts <= 1 || (double)a.keys / parts >= 256; parts *= 2) {
        if (a.heads / a.kv_heads % heads == 0) {
          least = fmin(least, tile_by_tile(&a, heads, parts));
        }
      }
    }
    ASSERT_CLOSE(cost_of(&a, DSM_PASS_FORWARD).primary, least);
  }
}
END_TEST

START_TEST(test_more_heads_of_keys_are_never_faster) {
  uint64_t state = 1 + (uint64_t)_i;
  for (int run = 0; run < 300; run++) {
    attention a = random_attention(&state);
    double before[DSM_PASS_COUNT] = {0};
    a.kv_heads = 1;
    a.heads = (uint64_t)1 << random_below(&state, 8);
    for (; a.kv_heads <= a.heads; a.kv_heads *= 2) {
      for (int p = DSM_PASS_FORWARD; p <= DSM_PASS_BACKWARD; p++) {
        const double cycles = cost_of(&a, (dsm_pass)p).total;
        ck_assert_double_ge(cycles * (1 + 1e-12), before[p]);
        before[p] = cycles;
      }
    }
  }
}
END_TEST

Suite *suite_attention_kernel(void) {
  Suite *const suite = suite_create("attention_kernel");
  TCase *const gpu = tcase_create("gpu");
  tcase_add_checked_fixture(gpu, set_up, NULL);
  tcase_add_loop_test(gpu, test_kernels_of_a_gpu, 0, COUNT_OF(gpu_kernels));
  tcase_add_test(gpu, test_layers_share_the_kernel_by_features);
  tcase_add_loop_test(gpu, test_schedule_is_the_least_tile_by_tile, 0, 3);
  tcase_add_loop_test(gpu, test_more_heads_of_keys_are_never_faster, 0, 3);
  suite_add_tcase(suite, gpu);
  TCase *const hand = tcase_create("by hand");
  tcase_add_checked_fixture(hand, set_up_hand, NULL);
  tcase_add_test(hand, test_heads_of_a_group_are_rows_of_as_many_products_as_is_best);
  tcase_add_test(hand, test_few_rows_wait_for_keys);
  tcase_add_test(hand, test_tiles_see_what_no_mask_hides);
  tcase_add_test(hand, test_keys_are_cut_while_that_is_faster);
  tcase_add_test(hand, test_backward_goes_over_tiles_of_keys);
  tcase_add_test(hand, test_what_is_not_fused_is_two_products);
  suite_add_tcase(suite, hand);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of all loops of a core (model.tiling "blocked"): by hand, and beside all tiles that there
 * are. */
#include "fixture.h"
#include "model/equations.h"
#include "random_numbers.h"
#include "suites.h"

static dsm_system chips;
static dsm_machine machine;
static dsm_layer fc;

/* One core of 4096 bytes, elements and sums of 2 bytes. */
static void set_up(void) {
  chips = friendly_system(1, 1);
  chips.chip.cores = 1;
  chips.core.scratchpad_MiB = 1.0 / 256;
  chips.model.tiling = DSM_TILING_BLOCKED;
  machine = dsm_machine_derive(&chips);
  fc = fc_layer(64, 64);
}

static dsm_pass_work work_with(const dsm_layer *layer, dsm_mode mode, dsm_pass pass,
                               uint64_t samples, dsm_precision precision) {
  const dsm_residency none = dsm_residency_none(&machine);
  return dsm_pass_work_derive(layer, &machine, precision, mode, pass, DSM_PARALLELISM_DATA, samples,
                              &none);
}

static dsm_pass_work work_of(const dsm_layer *layer, dsm_pass pass, uint64_t samples,
                             double partial_sum_bytes) {
  const dsm_precision precision = {
      .element_bytes = 2, .gradient_bytes = 2, .partial_sum_bytes = partial_sum_bytes};
  return work_with(layer, DSM_MODE_TRAINING, pass, samples, precision);
}

static const dsm_loops whole = {{1, 1, 1, 1, 1}};

static dsm__refetch refetch_of(const dsm_pass_work *work) {
  const dsm__core_bytes bytes =
      dsm__core_bytes_derive(work->layer, work->share.groups, &work->bytes, &whole);
  const dsm__core_extents extents = dsm__core_extents_derive(work, &whole);
  return dsm__refetch_derive(work, &bytes, &extents);
}

static void expect_refetch(dsm__refetch refetch, double features, double kernel, double sums) {
  ck_assert_double_eq(refetch.features, features);
  ck_assert_double_eq(refetch.kernel, kernel);
  ck_assert_double_eq(refetch.sums, sums);
}

/* --- by hand. 64 x 64 weights and 64 samples are 8192 bytes each, as inputs and outputs are. In
 * the paper's orders four tiles of one, 2048 bytes, each pass all of the other: 5 * 8192 bytes.
 * Sums of 32 samples by 32 features stay in 2048 bytes, beside 2 * (32 + 32) * 2 = 256 of operands:
 * each operand comes twice, 4 * 8192. Sums of 16 by 64 need 2048 + 320 and 5 * 8192; 64 by 64 do
 * not fit.
 */

START_TEST(test_sums_stay_in_a_square) {
  const dsm_pass_work work = work_of(&fc, (dsm_pass)_i, 64, 2);
  expect_refetch(refetch_of(&work), 2, 2, 0);
}
END_TEST

/* What stays out of the orders of the paper is nothing with the key at its default. */
START_TEST(test_the_papers_orders_are_the_default) {
  chips.model.tiling = DSM_TILING_PAPER;
  const dsm_pass_work forward = work_of(&fc, DSM_PASS_FORWARD, 64, 2);
  const dsm_pass_work update = work_of(&fc, DSM_PASS_UPDATE, 64, 2);
  expect_refetch(refetch_of(&forward), 4, 1, 0);
  expect_refetch(refetch_of(&update), 4, 4, 0);
  ck_assert_double_eq(forward.tile_bytes.input, 0);
}
END_TEST

/* Forward, 64 inputs and 256 outputs of 16 samples: inputs 2048 bytes, weights 32768, outputs 8192.
 * Sums of 16 samples by 64 outputs, 2048 bytes, and 2 * (16 + 64) * 2 = 320: weights once, inputs
 * four times, 40960 in all. The paper has the inputs in one tile, 2048 bytes, and each once. */
START_TEST(test_what_the_paper_fetches_once_is_no_worse) {
  const dsm_layer wide = fc_layer(64, 256);
  const dsm_pass_work work = work_of(&wide, DSM_PASS_FORWARD, 16, 2);
  expect_refetch(refetch_of(&work), 1, 1, 0);
}
END_TEST

/* Backward sums over the 256 outputs: errors 32 * 256 * 2 = 16384 bytes, weights 32768, 64 errors
 * of the input. Sums of 32 samples by 32 inputs, 2048: errors twice, weights once, 65536. Of 16 by
 * 64, 2048: errors once, weights twice. The first is less. */
START_TEST(test_backward_sums_over_outputs) {
  const dsm_layer wide = fc_layer(64, 256);
  const dsm_pass_work work = work_of(&wide, DSM_PASS_BACKWARD, 32, 2);
  expect_refetch(refetch_of(&work), 2, 1, 0);
}
END_TEST

/* Update sums over samples: of 64 x 256 gradients 32 x 32 stay, and inputs (4096 bytes) pass once
 * for each 8 tiles of the outputs, errors (16384) once for each 2 of the inputs: 65536. Gradients
 * of 64 x 16 stay: inputs 16 times, errors once, 81920. */
START_TEST(test_update_sums_over_samples) {
  const dsm_layer wide = fc_layer(64, 256);
  const dsm_pass_work work = work_of(&wide, DSM_PASS_UPDATE, 32, 2);
  expect_refetch(refetch_of(&work), 8, 2, 0);
}
END_TEST

/* Sums of an eighth of a byte cost little: 64 samples by 64 outputs are 64 * 64 / 8 = 512 bytes,
 * and all fits. With 1024 bytes of scratchpad 32 by 64 fit: 256 + 384. */
START_TEST(test_small_sums_stay) {
  const dsm_pass_work work = work_of(&fc, DSM_PASS_FORWARD, 64, 0.125);
  expect_refetch(refetch_of(&work), 1, 1, 0);
}
END_TEST

/* 512 bytes: 64 outputs of one sample and 15 inputs would be 64 * 2 + 2 * (15 + 15 * 64) * 2. A
 * tile of the weights, 64 x 1, stays: 2 * (1 + 64) * 2 + 8 = 268 of 512; inputs and weights pass
 * once, and all sums, 512 bytes, go out and come back 63 times: 80896. Sums of 32 x 32 take 128 +
 * 256: both twice, 32768. */
START_TEST(test_spilling_is_dear) {
  chips.core.scratchpad_MiB = 1.0 / 2048;
  machine = dsm_machine_derive(&chips);
  const dsm_pass_work work = work_of(&fc, DSM_PASS_FORWARD, 64, 0.125);
  expect_refetch(refetch_of(&work), 2, 2, 0);
}
END_TEST

/* 64 x 64 weights of 4 bytes have as many gradients, of which sums take 6 bytes: all of them once
 * written and once read are 2 * 4096 * 6. Sums of 64 * 64 outputs of 2 bytes take 6 too. */
START_TEST(test_sums_of_gradients_are_as_many_as_weights) {
  const dsm_precision precision = {
      .element_bytes = 2, .gradient_bytes = 2, .partial_sum_bytes = 6, .weight_bytes = 4};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass_work work = work_with(&fc, DSM_MODE_TRAINING, (dsm_pass)pass, 64, precision);
    ck_assert_double_eq(work.tile_bytes.kernel, 4);
    ck_assert_double_eq(work.tile_bytes.sum, pass == DSM_PASS_UPDATE ? 1.5 : 3);
    ck_assert_double_eq(work.tile_bytes.spilled, 2 * 4096 * 6);
  }
}
END_TEST

/* Held outputs have their sums on chip: nothing is spilled, and both operands pass once. */
START_TEST(test_sums_of_held_outputs_are_there) {
  dsm_residency residency = dsm_residency_none(&machine);
  residency.is_output_held = true;
  const dsm_precision precision = {2, 2, 2, 0, 1, 1, 0, 0, 0};
  const dsm_pass_work work =
      dsm_pass_work_derive(&fc, &machine, precision, DSM_MODE_TRAINING, DSM_PASS_FORWARD,
                           DSM_PARALLELISM_DATA, 64, &residency);
  const dsm__refetch refetch = refetch_of(&work);
  ck_assert_double_eq(refetch.features, 1);
  ck_assert_double_eq(refetch.kernel, 1);
  ck_assert_double_eq(work.tile_bytes.spilled * refetch.sums, 0);
}
END_TEST

/* Each sample has an operand of its own, 64 x 64, which nothing else reads. */
START_TEST(test_operands_of_a_matmul_come_once) {
  const dsm_layer matmul = matmul_layer(64, 64, 1);
  const dsm_pass_work work = work_of(&matmul, (dsm_pass)_i, 64, 2);
  expect_refetch(refetch_of(&work), 1, 1, 0);
}
END_TEST

/* Groups are worked through one after the other: 4 of 16 x 16 weights, 512 bytes each. */
START_TEST(test_tiles_are_of_a_group) {
  const dsm_layer grouped = conv_layer(64, 64, 16, 1, 4);
  const dsm_pass_work work = work_of(&grouped, DSM_PASS_FORWARD, 1, 2);
  const dsm__core_extents extents = dsm__core_extents_derive(&work, &whole);
  ck_assert_double_eq(extents.in, 16);
  ck_assert_double_eq(extents.out, 16);
  ck_assert_double_eq(extents.positions, 16);
  ck_assert_double_eq(work.tile_bytes.kernel, 2);
  ck_assert_double_eq(work.tile_bytes.input, 2);
}
END_TEST

/* 4 experts of 16 x 16 weights; in inference 2 positions use one each, on average 7/16 of 2048
 * bytes. A
 * weight has its 2 bytes in a tile all the same. */
START_TEST(test_tiles_are_of_experts_that_are_fetched) {
  dsm_layer experts = conv_layer(64, 64, 16, 1, 4);
  experts.experts = 4;
  experts.routed = 2;
  experts.active_experts = 1;
  const dsm_precision precision = {.element_bytes = 2, .gradient_bytes = 2, .partial_sum_bytes = 2};
  const dsm_pass_work work =
      work_with(&experts, DSM_MODE_INFERENCE, DSM_PASS_FORWARD, 1, precision);
  ck_assert_double_eq_tol(work.bytes.kernel, 896, 1e-10);
  ck_assert_double_eq(work.tile_bytes.kernel, 2);
}
END_TEST

/* 48 = 16 * 3: 1 and 3; 45: 1, 3, 5, 9, 15, 45; 67: 1, as larger ones do not count. */
START_TEST(test_sides_are_of_odd_divisors) {
  const dsm_layer odd = fc_layer(48, 45);
  const dsm_tile_bytes bytes = work_of(&odd, DSM_PASS_FORWARD, 67, 2).tile_bytes;
  ck_assert_uint_eq(bytes.in, 1U | 1U << 1);
  ck_assert_uint_eq(bytes.out, 1U | 1U << 1 | 1U << 2 | 1U << 4 | 1U << 7 | 1U << 22);
  ck_assert_uint_eq(bytes.position, 1U);
}
END_TEST

/* Weights of 64 x 2, 256 bytes, for 64 samples of 8192 in 64 bytes, sums of 0.02 bytes. Of the
 * weights 4 x 2 stay, beside 4 inputs: 2 * (4 + 8) * 2 = 48. Weights and inputs pass once, and the
 * 128 sums, 2.56 bytes, go and come 15 times: 8524.8 bytes with 256 of outputs left out. Sums of 8
 * x 2 need all weights 8 times.
 */
START_TEST(test_spilled_sums_are_a_transfer) {
  chips.core.scratchpad_MiB = 64.0 / 1048576;
  machine = dsm_machine_derive(&chips);
  const dsm_layer narrow = fc_layer(64, 2);
  const dsm_pass_work work = work_of(&narrow, DSM_PASS_FORWARD, 64, 0.02);
  const dsm__refetch refetch = refetch_of(&work);
  const dsm_transfer_list list = dsm_invocation_transfers(&work, &whole);
  double spilled = 0;
  double all = 0;
  for (unsigned i = 0; i < list.count; i++) {
    const double bytes = list.items[i].traffic.bytes[DSM_LINK_MEMORY];
    all += list.items[i].group == DSM_GROUP_STREAM ? bytes : 0;
    spilled += list.items[i].transfer == DSM_TRANSFER_SPILL_SUMS ? bytes : 0;
  }
  expect_refetch(refetch, 1, 1, 15);
  ASSERT_CLOSE(spilled, 15 * 2 * 2.56);
  ASSERT_CLOSE(all, dsm__memory_bytes(&work, refetch));
}
END_TEST

/* --- beside all tiles */

typedef struct drawn {
  dsm_layer layer;
  dsm_pass_work work;
  dsm__core_extents extents;
  double left;
  double right;
} drawn;

static uint64_t drawn_size(uint64_t *state) {
  static const uint64_t sizes[] = {1, 2, 3, 5, 6, 8, 12, 16, 20, 27, 32};
  return sizes[random_below(state, COUNT_OF(sizes))];
}

static void draw(drawn *d, uint64_t *state) {
  static const double sums[] = {0.05, 0.5, 2, 4};
  static const double sizes_bytes[] = {16, 40, 64, 200, 512, 1500, 4096};
  chips.core.scratchpad_MiB = sizes_bytes[random_below(state, COUNT_OF(sizes_bytes))] / 1048576.0;
  machine = dsm_machine_derive(&chips);
  const dsm_pass pass = (dsm_pass)random_below(state, DSM_PASS_COUNT);
  const bool is_matmul = pass != DSM_PASS_UPDATE && random_below(state, 4) == 0;
  const uint64_t in = drawn_size(state);
  const uint64_t out = drawn_size(state);
  d->layer = is_matmul ? matmul_layer(in, out, 1)
                       : conv_layer(in, out, drawn_size(state), random_below(state, 3) + 1, 1);
  d->work = work_of(&d->layer, pass, drawn_size(state), sums[random_below(state, COUNT_OF(sums))]);
  d->extents = dsm__core_extents_derive(&d->work, &whole);
  d->left = (double)random_below(state, 3) * 100;
  d->right = (double)random_below(state, 5) * 30;
}

static bool is_side(double side, double extent) {
  const uint64_t whole_side = (uint64_t)side;
  uint64_t odd = whole_side;
  while (odd % 2 == 0) {
    odd /= 2;
  }
  return side >= extent || (odd < 64 && (uint64_t)extent % odd == 0);
}

/* Bytes of a tile of sides of in, out and positions, and of what is moved with it. */
static double tile_room(const drawn *d, double in, double out, double positions) {
  const dsm_tile_bytes *const bytes = &d->work.tile_bytes;
  const double input = bytes->input * in * positions;
  const double output = bytes->output * out * positions;
  const double kernel = bytes->kernel * in * out * d->extents.kij;
  return d->work.pass == DSM_PASS_FORWARD    ? 2 * (input + kernel) + output * bytes->sum
         : d->work.pass == DSM_PASS_BACKWARD ? 2 * (output + kernel) + input * bytes->sum
                                             : 2 * (input + output) + kernel * bytes->sum;
}

static double tile_traffic(const drawn *d, double in, double out, double positions) {
  const dsm_pass pass = d->work.pass;
  const double left = d->left * (pass == DSM_PASS_BACKWARD ? in : out);
  const double right = d->right * (pass == DSM_PASS_UPDATE ? in : positions);
  const double parts = pass == DSM_PASS_FORWARD ? in : pass == DSM_PASS_BACKWARD ? out : positions;
  const double spilled = d->work.tile_bytes.spilled * (parts - 1);
  return fmin(left + right, fmin(left + d->right, d->left + right) + spilled);
}

static double least_of_all(const drawn *d) {
  const bool is_matmul = d->layer.is_product;
  const double positions = is_matmul ? 1 : d->extents.positions;
  const double room = d->work.residency.scratchpad_bytes * (1 + 1e-9);
  double least = HUGE_VAL;
  for (double i = 1; i <= d->extents.in; i++) {
    for (double o = 1; o <= d->extents.out; o++) {
      for (double p = 1; p <= positions; p++) {
        if (is_side(i, d->extents.in) && is_side(o, d->extents.out) && is_side(p, positions) &&
            tile_room(d, i, o, p) <= room) {
          least = fmin(least, tile_traffic(d, ceil(d->extents.in / i), ceil(d->extents.out / o),
                                           ceil(positions / p)));
        }
      }
    }
  }
  return least;
}

static double found_bytes(const drawn *d, dsm__refetch refetch) {
  return d->left * refetch.features + d->right * refetch.kernel +
         d->work.tile_bytes.spilled * refetch.sums;
}

static const dsm__refetch worst = {1e9, 1e9, 1e9};

static double least_found(const drawn *d) {
  const dsm__stream_loads loads = {
      {{.features = d->left, .kernel = d->right, .spilled = d->work.tile_bytes.spilled}}, 1};
  return found_bytes(d, dsm__blocked_refetch(&d->work, &d->extents, &loads, worst));
}

START_TEST(test_no_tiles_move_less) {
  uint64_t state = 1 + (uint64_t)_i;
  for (int run = 0; run < 300; run++) {
    drawn d;
    draw(&d, &state);
    const double least = least_of_all(&d);
    const double found = least_found(&d);
    if (least < HUGE_VAL) {
      ASSERT_CLOSE(found, least);
    } else {
      ck_assert_double_eq(found, found_bytes(&d, worst));
    }
  }
}
END_TEST

/* That is what the search of core splits depends on. */
START_TEST(test_more_room_and_shorter_loops_move_no_more) {
  uint64_t state = 1 + (uint64_t)_i;
  for (int run = 0; run < 2000; run++) {
    drawn d;
    draw(&d, &state);
    const double before = least_found(&d) * (1 + 1e-12);
    drawn other = d;
    other.work.residency.scratchpad_bytes *= 1 + 0.01 * (double)random_below(&state, 200);
    ck_assert_double_le(least_found(&other), before);
    other = d;
    other.extents.in = ceil(d.extents.in / (double)(1 + random_below(&state, 3)));
    other.extents.out = d.extents.out / (double)(1 + random_below(&state, 3));
    other.extents.positions -= (double)random_below(&state, (uint64_t)d.extents.positions);
    other.extents.kij = 1;
    ck_assert_double_le(least_found(&other), before);
  }
}
END_TEST

static double memory_of(const dsm_pass_work *work) {
  return dsm__memory_bytes(work, refetch_of(work));
}

START_TEST(test_never_above_the_papers_orders) {
  uint64_t state = 1 + (uint64_t)_i;
  for (int run = 0; run < 500; run++) {
    drawn d;
    chips.model.tiling = DSM_TILING_BLOCKED;
    draw(&d, &state);
    const double blocked = memory_of(&d.work);
    chips.core.scratchpad_MiB = 1000;
    machine = dsm_machine_derive(&chips);
    dsm_pass_work with_room = d.work;
    with_room.residency.scratchpad_bytes = machine.scratchpad_bytes;
    ck_assert_double_ge(blocked * (1 + 1e-12), memory_of(&with_room));
    expect_refetch(refetch_of(&with_room), 1, 1, 0);
    chips.model.tiling = DSM_TILING_PAPER;
    ck_assert_double_le(blocked, memory_of(&d.work) * (1 + 1e-12));
  }
}
END_TEST

/* The least part of the kernel on chip with which traffic keeps within a limit. */
START_TEST(test_a_part_of_the_kernel_is_just_enough) {
  uint64_t state = 1 + (uint64_t)_i;
  for (int run = 0; run < 500; run++) {
    drawn d;
    draw(&d, &state);
    dsm_pass_work work = work_of(&d.layer, DSM_PASS_FORWARD, drawn_size(&state), 2);
    const dsm__core_bytes bytes =
        dsm__core_bytes_derive(&d.layer, d.layer.groups, &work.bytes, &whole);
    const dsm__core_extents extents = dsm__core_extents_derive(&work, &whole);
    const double kernel = work.bytes.kernel_moved;
    const double limit = memory_of(&work) * (double)random_below(&state, 100) / 100;
    const double paper = dsm__resident_fraction_within(&work, &bytes, &dsm__whole_stream, limit);
    const double needed =
        dsm__blocked_fraction_within(&work, &bytes, &extents, limit, limit, paper);
    ck_assert_double_le(needed, paper);
    work.bytes.kernel_moved = kernel * (1 - needed);
    work.residency.resident_fraction = needed;
    const double then = memory_of(&work);
    if (needed < 1) {
      ck_assert_double_le(then, limit * (1 + 1e-9));
    }
    if (needed > 1e-6) {
      work.bytes.kernel_moved = kernel * (1 - needed * (1 - 1e-6));
      work.residency.resident_fraction = needed * (1 - 1e-6);
      ck_assert_double_gt(memory_of(&work), limit * (1 - 1e-9));
    }
  }
}
END_TEST

/* So much of it as is needed makes an invocation as fast as all of it, and less does not. */
START_TEST(test_needed_part_of_the_kernel_is_by_tiles) {
  static const dsm_interconnect kinds[] = {DSM_INTERCONNECT_RING, DSM_INTERCONNECT_CROSSBAR,
                                           DSM_INTERCONNECT_MESH};
  uint64_t state = 1 + (uint64_t)_i;
  chips.chip.cores = 4;
  chips.chip.interconnect = kinds[_i];
  chips.array.startup_cycles = 0;
  for (int run = 0; run < 500; run++) {
    drawn d;
    draw(&d, &state);
    const dsm_loops split = loops(1, 4, 1, 1, 1);
    dsm_residency residency = d.work.residency;
    const uint64_t samples = drawn_size(&state);
    const dsm_precision precision = {2, 2, 2, 0, 1, 1, 0, 0, 0};
    double totals[3];
    double needed = 0;
    for (int k = 0; k < 3; k++) { /* none, all, just enough */
      residency.resident_fraction = k == 0 ? 0 : k == 1 ? 1 : needed;
      const dsm_pass_work work =
          dsm_pass_work_derive(&d.layer, &machine, precision, DSM_MODE_INFERENCE, DSM_PASS_FORWARD,
                               DSM_PARALLELISM_DATA, samples, &residency);
      totals[k] = dsm_invocation_score(&work, &split).total;
      needed = k == 0 ? dsm_resident_fraction_needed(&work, &split) : needed;
    }
    ck_assert_double_le(totals[1], totals[0] * (1 + 1e-12));
    ck_assert_double_le(totals[2], totals[1] * (1 + 1e-9));
    residency.resident_fraction = needed * (1 - 1e-3);
    const dsm_pass_work less =
        dsm_pass_work_derive(&d.layer, &machine, precision, DSM_MODE_INFERENCE, DSM_PASS_FORWARD,
                             DSM_PARALLELISM_DATA, samples, &residency);
    if (needed > 0 && needed < 1) {
      ck_assert_double_gt(dsm_invocation_score(&less, &split).total, totals[1]);
    }
  }
}
END_TEST

Suite *suite_tiling(void) {
  Suite *const suite = suite_create("tiling");
  TCase *const hand = tcase_create("by hand");
  tcase_add_checked_fixture(hand, set_up, NULL);
  tcase_add_loop_test(hand, test_sums_stay_in_a_square, 0, DSM_PASS_COUNT);
  tcase_add_test(hand, test_the_papers_orders_are_the_default);
  tcase_add_test(hand, test_what_the_paper_fetches_once_is_no_worse);
  tcase_add_test(hand, test_backward_sums_over_outputs);
  tcase_add_test(hand, test_update_sums_over_samples);
  tcase_add_test(hand, test_small_sums_stay);
  tcase_add_test(hand, test_spilling_is_dear);
  tcase_add_test(hand, test_sums_of_held_outputs_are_there);
  tcase_add_test(hand, test_sums_of_gradients_are_as_many_as_weights);
  tcase_add_loop_test(hand, test_operands_of_a_matmul_come_once, 0, DSM_PASS_UPDATE);
  tcase_add_test(hand, test_tiles_are_of_a_group);
  tcase_add_test(hand, test_tiles_are_of_experts_that_are_fetched);
  tcase_add_test(hand, test_sides_are_of_odd_divisors);
  tcase_add_test(hand, test_spilled_sums_are_a_transfer);
  suite_add_tcase(suite, hand);
  TCase *const all = tcase_create("beside all tiles");
  tcase_add_checked_fixture(all, set_up, NULL);
  tcase_set_timeout(all, 60);
  tcase_add_loop_test(all, test_no_tiles_move_less, 0, 5);
  tcase_add_loop_test(all, test_more_room_and_shorter_loops_move_no_more, 0, 5);
  tcase_add_loop_test(all, test_never_above_the_papers_orders, 0, 5);
  tcase_add_loop_test(all, test_needed_part_of_the_kernel_is_by_tiles, 0, 3);
  tcase_add_loop_test(all, test_a_part_of_the_kernel_is_just_enough, 0, 3);
  suite_add_tcase(suite, all);
  return suite;
}

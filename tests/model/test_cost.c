/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <math.h>

#include "fixture.h"

static dsm_system chips;
static dsm_machine machine;
static dsm_layer conv;

/* Convolution 8 -> 16 with relu, 16 positions, kernel 1, on 4 x 2 chips. */
static void set_up(void) {
  chips = friendly_system(4, 2);
  machine = dsm_machine_derive(&chips);
  conv = conv_layer(8, 16, 16, 1, 1);
  conv.has_op[DSM_AUX_RELU] = true;
}

static dsm_pass_work work_of(dsm_pass pass) {
  const dsm_residency residency = dsm_residency_none(&machine);
  return dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                              DSM_PARALLELISM_MODEL_X_DATA_Y, 8, &residency);
}

static dsm_invocation_cost cost_of(dsm_pass pass) {
  const dsm_pass_work work = work_of(pass);
  const dsm_loops split = loops(1, 2, 2, 1, 1);
  return dsm_invocation_score(&work, &split);
}

/* --- a layer by hand: model_x_data_y, S = 8, k = (1, 2, 2, 1, 1)
 *
 *   nm = 4, nd = 2, mbc = 4, inc = 2, outc = 4; a core has in 2, out 2, ij 8, kij 1, mb 4
 *   blocks = 1 in each pass (2 <= 4 rows, 2 <= 8 columns); primary = 4 * (1 * 8*4 + 100) = 528
 *   inp = 128*4/4*2 = 256   st = raw = 256*4/4*2 = 512   ker = 128/4*2 = 64   full = 128*4*2 = 1024
 *   s_in = 256/(1*2*1) = 128   s_out = 512/(2*2*1) = 128   kcore = 64/(1*1*2) = 32, all in a tile
 *   relu: 256 passes over a sample's outputs * 4 / 4 chips / 4 cores / 4 a cycle = 16
 */

/* mem = 256 + 64 + 512 = 832; X 1024/8 = 128, memory and ring (832 + 0.5*1024): 84 and 42 cycles;
 * outputs are not summed over cores (k_in * k_kij = 1) */
START_TEST(test_forward_costs_what_is_derived_by_hand) {
  const dsm_invocation_cost cost = cost_of(DSM_PASS_FORWARD);
  ck_assert_double_eq(cost.primary, 528);
  ck_assert_double_eq(cost.overlapped, 128);
  ck_assert_double_eq(cost.overlapped_visible, 0);
  ck_assert_double_eq(cost.auxiliary, 16);
  ck_assert_double_eq(cost.partial_sum, 0);
  ck_assert_double_eq(cost.rotation, 0);
  ck_assert_double_eq(cost.total, 528 + 16);
  ck_assert_double_eq(cost.footprint_bytes, 128 + 128 + 32);
}
END_TEST

/* mask = 128*4/4*0.125 = 16, mem = 512 + 64 + 256 + 16 = 848, that is 53 memory cycles; rotation
 * 3*1024/8 = 384; two cores share sums: 1/2 * 128 * 4 * 3 = 768 bytes, 24 ring cycles */
START_TEST(test_backward_costs_what_is_derived_by_hand) {
  const dsm_invocation_cost cost = cost_of(DSM_PASS_BACKWARD);
  ck_assert_double_eq(cost.primary, 528);
  ck_assert_double_eq(cost.overlapped, 53);
  ck_assert_double_eq(cost.overlapped_visible, 0);
  ck_assert_double_eq(cost.auxiliary, 16);
  ck_assert_double_eq(cost.partial_sum, 24);
  ck_assert_double_eq(cost.rotation, 384);
  ck_assert_double_eq(cost.total, 528 + 16 + 24 + 384);
  ck_assert_double_eq(cost.footprint_bytes, 288);
}
END_TEST

/* mem = 256 + 512 + 64 = 832, as forward; two cores share gradients: 1/2 * 32 * 3 = 48 bytes */
START_TEST(test_update_costs_what_is_derived_by_hand) {
  const dsm_invocation_cost cost = cost_of(DSM_PASS_UPDATE);
  ck_assert_double_eq(cost.primary, 528);
  ck_assert_double_eq(cost.overlapped, 128);
  ck_assert_double_eq(cost.auxiliary, 0);
  ck_assert_double_eq(cost.partial_sum, 1.5);
  ck_assert_double_eq(cost.rotation, 0);
  ck_assert_double_eq(cost.total, 529.5);
}
END_TEST

/* Without startup primary is 4 * 32 = 128 too; a byte less a cycle on X and some shows. */
START_TEST(test_transfers_show_where_computation_does_not_hide_them) {
  chips.array.startup_cycles = 0;
  ck_assert_double_eq(cost_of(DSM_PASS_FORWARD).primary, 128);
  ck_assert_double_eq(cost_of(DSM_PASS_FORWARD).overlapped_visible, 0);
  machine.link_bytes_per_cycle[DSM_LINK_AXIS] = 4;
  ck_assert_double_eq(cost_of(DSM_PASS_FORWARD).overlapped, 256);
  ck_assert_double_eq(cost_of(DSM_PASS_FORWARD).overlapped_visible, 128);
  ck_assert_double_eq(cost_of(DSM_PASS_FORWARD).total, 256 + 16);
}
END_TEST

START_TEST(test_rotation_hides_in_forward_and_update_but_not_in_backward) {
  machine.link_bytes_per_cycle[DSM_LINK_AXIS] = 1;
  ck_assert_double_eq(cost_of(DSM_PASS_FORWARD).overlapped, 1024);
  ck_assert_double_eq(cost_of(DSM_PASS_UPDATE).overlapped, 1024);
  ck_assert_double_eq(cost_of(DSM_PASS_BACKWARD).overlapped, 53);
  ck_assert_double_eq(cost_of(DSM_PASS_BACKWARD).rotation, 3072);
}
END_TEST

/* What the hand-worked layer carries: bytes on X, memory and ring. */
typedef struct volume_case {
  dsm_pass pass;
  unsigned count;
  struct {
    dsm_transfer transfer;
    dsm_group group;
    double x;
    double memory;
    double ring;
  } items[6];
} volume_case;

static const volume_case volumes[] = {
    {DSM_PASS_FORWARD,
     4,
     {{DSM_TRANSFER_FETCH_INPUT, DSM_GROUP_STREAM, 0, 256, 256},
      {DSM_TRANSFER_FETCH_KERNEL, DSM_GROUP_STREAM, 0, 64, 64},
      {DSM_TRANSFER_WRITE_OUTPUT, DSM_GROUP_STREAM, 0, 512, 512},
      {DSM_TRANSFER_ROTATE, DSM_GROUP_STREAM, 1024, 512, 512}}},
    {DSM_PASS_BACKWARD,
     6,
     {{DSM_TRANSFER_FETCH_KERNEL, DSM_GROUP_STREAM, 0, 64, 64},
      {DSM_TRANSFER_FETCH_ERROR, DSM_GROUP_STREAM, 0, 512, 512},
      {DSM_TRANSFER_WRITE_ERROR, DSM_GROUP_STREAM, 0, 256, 256},
      {DSM_TRANSFER_FETCH_MASK, DSM_GROUP_STREAM, 0, 16, 16},
      {DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE, DSM_GROUP_PARTIAL_SUM, 0, 0, 768},
      {DSM_TRANSFER_ROTATE, DSM_GROUP_ROTATION, 3072, 1536, 3072}}},
    {DSM_PASS_UPDATE,
     5,
     {{DSM_TRANSFER_FETCH_INPUT, DSM_GROUP_STREAM, 0, 256, 256},
      {DSM_TRANSFER_FETCH_ERROR, DSM_GROUP_STREAM, 0, 512, 512},
      {DSM_TRANSFER_WRITE_GRADIENT, DSM_GROUP_STREAM, 0, 64, 64},
      {DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE, DSM_GROUP_PARTIAL_SUM, 0, 0, 48},
      {DSM_TRANSFER_ROTATE, DSM_GROUP_STREAM, 1024, 512, 512}}},
};

START_TEST(test_transfers_are_named_with_their_volumes) {
  const volume_case *const expected = &volumes[_i];
  const dsm_pass_work work = work_of(expected->pass);
  const dsm_loops split = loops(1, 2, 2, 1, 1);
  const dsm_transfer_list list = dsm_invocation_transfers(&work, &split);
  ck_assert_uint_eq(list.count, expected->count);
  for (unsigned i = 0; i < list.count; i++) {
    ck_assert_int_eq(list.items[i].transfer, expected->items[i].transfer);
    ck_assert_int_eq(list.items[i].group, expected->items[i].group);
    ck_assert_double_eq(list.items[i].traffic.bytes[DSM_LINK_AXIS], expected->items[i].x);
    ck_assert_double_eq(list.items[i].traffic.bytes[DSM_LINK_AXIS + 1], 0);
    ck_assert_double_eq(list.items[i].traffic.bytes[DSM_LINK_MEMORY], expected->items[i].memory);
    ck_assert_double_eq(list.items[i].traffic.bytes[DSM_LINK_RING], expected->items[i].ring);
  }
}
END_TEST

/* --- the same layer with a batch_norm, by the refined equations; what later users left takes
 * 32 elements a sample, and what is held moves by a quarter of its bytes. Statistics: two cores
 * share those of 16 / 4 / 2 features, 1/2 * 2*2*4 = 8 bytes. */

static dsm_pass_work refined_work_of(dsm_pass pass, bool is_input_held, bool is_output_held) {
  chips.model.exact_rotation = chips.model.exact_forks = chips.model.statistics_sums = true;
  chips.model.charge_held_masks = true;
  chips.model.layout_move = DSM_LAYOUT_MOVE_ALWAYS;
  conv.has_op[DSM_AUX_BATCH_NORM] = true;
  conv.fork_elements = 32;
  dsm_residency residency = dsm_residency_none(&machine);
  residency.is_input_held = is_input_held;
  residency.is_output_held = is_output_held;
  return dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                              DSM_PARALLELISM_MODEL_X_DATA_Y, 8, &residency);
}

/* mem = 64 + 512 = 576; X 1024 * 3/4 / 8 = 96 cycles, memory (576 + 0.5*768) / 16 = 60; two passes
 * of the batch_norm; of the input 256 / 4 / 32 cycles of the ring, statistics 8 / 32 */
START_TEST(test_refined_forward_costs_what_is_derived_by_hand) {
  const dsm_pass_work work = refined_work_of(DSM_PASS_FORWARD, true, false);
  const dsm_loops split = loops(1, 2, 2, 1, 1);
  const dsm_invocation_cost cost = dsm_invocation_score(&work, &split);
  ck_assert_double_eq(cost.primary, 528);
  ck_assert_double_eq(cost.overlapped, 96);
  ck_assert_double_eq(cost.auxiliary, 32);
  ck_assert_double_eq(cost.partial_sum, 0.25);
  ck_assert_double_eq(cost.layout_move, 2);
  ck_assert_double_eq(cost.rotation, 0);
  ck_assert_double_eq(cost.total, 528 + 32 + 0.25 + 2);
}
END_TEST

/* mem = 64 + 256 + 16 + 32*4/4*2 = 400, 25 cycles; rotation 3*768/8 = 288; 4*256 + 32 operations
 * are 66 cycles; partial sums and statistics 768 + 8 bytes; of the error 512 / 4 / 32 */
START_TEST(test_refined_backward_costs_what_is_derived_by_hand) {
  const dsm_pass_work work = refined_work_of(DSM_PASS_BACKWARD, false, true);
  const dsm_loops split = loops(1, 2, 2, 1, 1);
  const dsm_invocation_cost cost = dsm_invocation_score(&work, &split);
  ck_assert_double_eq(cost.primary, 528);
  ck_assert_double_eq(cost.overlapped, 25);
  ck_assert_double_eq(cost.auxiliary, 66);
  ck_assert_double_eq(cost.partial_sum, 24.25);
  ck_assert_double_eq(cost.layout_move, 4);
  ck_assert_double_eq(cost.rotation, 288);
  ck_assert_double_eq(cost.total, 528 + 66 + 24.25 + 4 + 288);
}
END_TEST

/* mem = 256 + 256*4/4*0.25 + 64 = 384, although the error is held; with rotation 48 cycles, X 96;
 * 48 bytes of gradients summed; the error moves as in backward */
START_TEST(test_refined_update_costs_what_is_derived_by_hand) {
  const dsm_pass_work work = refined_work_of(DSM_PASS_UPDATE, true, true);
  const dsm_loops split = loops(1, 2, 2, 1, 1);
  const dsm_invocation_cost cost = dsm_invocation_score(&work, &split);
  const dsm_transfer_list list = dsm_invocation_transfers(&work, &split);
  ck_assert_double_eq(cost.overlapped, 96);
  ck_assert_double_eq(cost.partial_sum, 1.5);
  ck_assert_double_eq(cost.layout_move, 4);
  ck_assert_double_eq(cost.total, 528 + 1.5 + 4);
  ck_assert_int_eq(list.items[1].transfer, DSM_TRANSFER_FETCH_STATISTICS);
  ck_assert_double_eq(list.items[1].traffic.bytes[DSM_LINK_MEMORY], 64);
}
END_TEST

START_TEST(test_refined_transfers_are_named_with_their_volumes) {
  static const struct {
    dsm_transfer transfer;
    dsm_group group;
    dsm_traffic traffic;
  } expected[] = {
      {DSM_TRANSFER_FETCH_KERNEL,
       DSM_GROUP_STREAM,
       {.bytes = {[DSM_LINK_MEMORY] = 64, [DSM_LINK_RING] = 64}}},
      {DSM_TRANSFER_FETCH_FORK,
       DSM_GROUP_STREAM,
       {.bytes = {[DSM_LINK_MEMORY] = 64, [DSM_LINK_RING] = 64}}},
      {DSM_TRANSFER_WRITE_ERROR,
       DSM_GROUP_STREAM,
       {.bytes = {[DSM_LINK_MEMORY] = 256, [DSM_LINK_RING] = 256}}},
      {DSM_TRANSFER_FETCH_MASK,
       DSM_GROUP_STREAM,
       {.bytes = {[DSM_LINK_MEMORY] = 16, [DSM_LINK_RING] = 16}}},
      {DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE,
       DSM_GROUP_PARTIAL_SUM,
       {.bytes = {[DSM_LINK_RING] = 768}}},
      {DSM_TRANSFER_SUM_OF_STATISTICS, DSM_GROUP_PARTIAL_SUM, {.bytes = {[DSM_LINK_RING] = 8}}},
      {DSM_TRANSFER_LAYOUT_MOVE, DSM_GROUP_LAYOUT_MOVE, {.bytes = {[DSM_LINK_RING] = 128}}},
      {DSM_TRANSFER_ROTATE, DSM_GROUP_ROTATION, {.bytes = {2304, 0, 0, 1152, 2304}}},
  };
  const dsm_pass_work work = refined_work_of(DSM_PASS_BACKWARD, false, true);
  const dsm_loops split = loops(1, 2, 2, 1, 1);
  const dsm_transfer_list list = dsm_invocation_transfers(&work, &split);
  ck_assert_uint_eq(list.count, COUNT_OF(expected));
  for (unsigned i = 0; i < list.count; i++) {
    ck_assert_int_eq(list.items[i].transfer, expected[i].transfer);
    ck_assert_int_eq(list.items[i].group, expected[i].group);
    assert_traffic(list.items[i].traffic, expected[i].traffic.bytes[DSM_LINK_AXIS],
                   expected[i].traffic.bytes[DSM_LINK_AXIS + 1],
                   expected[i].traffic.bytes[DSM_LINK_MEMORY],
                   expected[i].traffic.bytes[DSM_LINK_RING]);
  }
}
END_TEST

/* --- limits */

/* Nothing takes time but computation: 528, 16 in the passes that have a relu. */
START_TEST(test_infinite_bandwidth_leaves_computation) {
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    machine.link_bytes_per_cycle[l] = HUGE_VAL;
  }
  const dsm_invocation_cost cost = cost_of((dsm_pass)_i);
  ck_assert_double_eq(cost.overlapped, 0);
  ck_assert_double_eq(cost.partial_sum, 0);
  ck_assert_double_eq(cost.rotation, 0);
  ck_assert_double_eq(cost.total, _i == DSM_PASS_UPDATE ? 528 : 528 + 16);
}
END_TEST

/* By the specified equations and, with everything held, by the refined ones. */
START_TEST(test_one_chip_of_one_core_has_only_memory_traffic) {
  chips = friendly_system(1, 1);
  chips.chip.cores = 1;
  machine = dsm_machine_derive(&chips);
  const dsm_loops split = loops(1, 1, 1, 1, 1);
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass_work work =
        _i == 0 ? work_of((dsm_pass)pass) : refined_work_of((dsm_pass)pass, true, true);
    const dsm_invocation_cost cost = dsm_invocation_score(&work, &split);
    const dsm_transfer_list list = dsm_invocation_transfers(&work, &split);
    ck_assert_double_eq(cost.partial_sum, 0);
    ck_assert_double_eq(cost.rotation, 0);
    ck_assert_double_eq(cost.layout_move, 0);
    for (unsigned i = 0; i < list.count; i++) {
      ck_assert_double_eq(list.items[i].traffic.bytes[DSM_LINK_AXIS], 0);
      ck_assert_double_eq(list.items[i].traffic.bytes[DSM_LINK_AXIS + 1], 0);
      ck_assert_double_gt(list.items[i].traffic.bytes[DSM_LINK_MEMORY], 0);
    }
  }
}
END_TEST

/* Inference saves no LSTM state and scales by known statistics: the rest of forward is the same. */
START_TEST(test_forward_of_a_plain_layer_is_the_same_in_both_modes) {
  const dsm_loops split = loops(1, 2, 2, 1, 1);
  const dsm_residency residency = dsm_residency_none(&machine);
  const dsm_pass_work training = work_of(DSM_PASS_FORWARD);
  const dsm_pass_work inference =
      dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_INFERENCE,
                           DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL_X_DATA_Y, 8, &residency);
  ck_assert_double_eq(dsm_invocation_score(&training, &split).total,
                      dsm_invocation_score(&inference, &split).total);
}
END_TEST

/* X = 3, H = 5 on one chip with one core, 8 samples: st 80, save 400; 20 H * 8 / 4 */
START_TEST(test_lstm_saves_state_in_training_only) {
  chips = friendly_system(1, 1);
  chips.chip.cores = 1;
  machine = dsm_machine_derive(&chips);
  const dsm_residency residency = dsm_residency_none(&machine);
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  const dsm_loops split = loops(1, 1, 1, 1, 1);
  for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
    const dsm_pass_work work =
        dsm_pass_work_derive(&lstm, &machine, friendly_precision(), (dsm_mode)mode,
                             DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, 8, &residency);
    const dsm_transfer_list list = dsm_invocation_transfers(&work, &split);
    const bool is_training = mode == DSM_MODE_TRAINING;
    const dsm_transfer_volume *const last = &list.items[list.count - 1];
    ck_assert_uint_eq(list.count, is_training ? 4 : 3);
    ck_assert_int_eq(last->transfer,
                     is_training ? DSM_TRANSFER_SAVE_STATE : DSM_TRANSFER_WRITE_OUTPUT);
    ck_assert_double_eq(last->traffic.bytes[DSM_LINK_MEMORY], is_training ? 400 : 80);
  }
  const dsm_pass_work backward =
      dsm_pass_work_derive(&lstm, &machine, friendly_precision(), DSM_MODE_TRAINING,
                           DSM_PASS_BACKWARD, DSM_PARALLELISM_DATA, 8, &residency);
  ck_assert_double_eq(dsm_invocation_score(&backward, &split).auxiliary, 200);
}
END_TEST

/* --- transfers along axes: x, y, z, memory, ring */

static dsm_transfer_list axis_transfers(dsm_traffic traffic) {
  return dsm_axis_transfers(DSM_TRANSFER_RELAYOUT, DSM_GROUP_RELAYOUT, &traffic);
}

START_TEST(test_memory_and_ring_count_with_x_where_x_moves) {
  const dsm_transfer_list list = axis_transfers((dsm_traffic){.bytes = {1, 2, 5, 3, 4}});
  static const dsm_traffic expected[DSM_AXES_MAX] = {
      {.bytes = {1, 0, 0, 3, 4}}, {.bytes = {0, 2, 0, 0, 0}}, {.bytes = {0, 0, 5, 0, 0}}};
  ck_assert_uint_eq(list.count, DSM_AXES_MAX);
  for (unsigned a = 0; a < list.count; a++) {
    ck_assert_int_eq(list.items[a].transfer, DSM_TRANSFER_RELAYOUT);
    ck_assert_uint_eq(list.items[a].axis, a);
    ck_assert_int_eq(list.items[a].group, DSM_GROUP_RELAYOUT);
    ck_assert_mem_eq(&list.items[a].traffic, &expected[a], sizeof expected[a]);
  }
}
END_TEST

START_TEST(test_memory_and_ring_count_with_y_where_only_y_moves) {
  const dsm_traffic traffic = {.bytes = {0, 2, 0, 3, 4}};
  const dsm_transfer_list list = axis_transfers(traffic);
  ck_assert_uint_eq(list.count, 1);
  ck_assert_uint_eq(list.items[0].axis, 1);
  ck_assert_mem_eq(&list.items[0].traffic, &traffic, sizeof traffic);
}
END_TEST

START_TEST(test_axis_without_bytes_is_left_out) {
  const dsm_transfer_list only_x = axis_transfers((dsm_traffic){.bytes = {1, 0, 0, 3, 4}});
  const dsm_transfer_list only_memory =
      axis_transfers((dsm_traffic){.bytes = {[DSM_LINK_MEMORY] = 3}});
  ck_assert_uint_eq(only_x.count, 1);
  ck_assert_uint_eq(only_x.items[0].axis, 0);
  ck_assert_uint_eq(only_memory.count, 1);
  ck_assert_uint_eq(only_memory.items[0].axis, 0);
  ck_assert_double_eq(only_memory.items[0].traffic.bytes[DSM_LINK_MEMORY], 3);
  ck_assert_uint_eq(axis_transfers((dsm_traffic){.bytes = {0}}).count, 0);
}
END_TEST

START_TEST(test_transfer_within_the_chips_has_no_axis) {
  const dsm_traffic traffic = {.bytes = {[DSM_LINK_MEMORY] = 3}};
  const dsm_transfer_list list =
      dsm_axis_transfers(DSM_TRANSFER_WEIGHT_UPDATE, DSM_GROUP_WEIGHT_UPDATE, &traffic);
  ck_assert_uint_eq(list.count, 1);
  ck_assert_uint_eq(list.items[0].axis, DSM_NO_AXIS);
}
END_TEST

/* --- what decides, of the same layer: primary 528 is 128 of the arrays and 4 * 100 of start-up ---
 */

static dsm_resources resources_of(dsm_pass pass) {
  const dsm_pass_work work = work_of(pass);
  const dsm_loops split = loops(1, 2, 2, 1, 1);
  return dsm_invocation_resources(&work, &split);
}

static void expect_resources(dsm_resources found, dsm_resources due) {
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    ck_assert_msg(fabs(found.cycles[b] - due.cycles[b]) < 1e-9, "%s: %g, expected %g",
                  dsm_bound_name((dsm_bound)b), found.cycles[b], due.cycles[b]);
  }
}

#define SPENT(...) ((dsm_resources){{__VA_ARGS__}})

START_TEST(test_hidden_transfers_decide_nothing) {
  expect_resources(
      resources_of(DSM_PASS_FORWARD),
      SPENT([DSM_BOUND_COMPUTE] = 128, [DSM_BOUND_STARTUP] = 400, [DSM_BOUND_AUXILIARY] = 16));
  expect_resources(
      resources_of(DSM_PASS_UPDATE),
      SPENT([DSM_BOUND_COMPUTE] = 128, [DSM_BOUND_STARTUP] = 400, [DSM_BOUND_RING] = 1.5));
}
END_TEST

/* rotation 384 is that along X, partial sums 24 */
START_TEST(test_groups_that_do_not_overlap_go_to_their_slowest_link) {
  expect_resources(
      resources_of(DSM_PASS_BACKWARD),
      SPENT([DSM_BOUND_COMPUTE] = 128, [DSM_BOUND_STARTUP] = 400, [DSM_BOUND_AUXILIARY] = 16,
            [DSM_BOUND_RING] = 24, [DSM_BOUND_AXIS] = 384));
}
END_TEST

/* 1344 bytes of memory, a byte a cycle: the arrays could be slower */
START_TEST(test_a_transfer_that_hides_computation_decides_all_of_it) {
  machine.link_bytes_per_cycle[DSM_LINK_MEMORY] = 1;
  expect_resources(resources_of(DSM_PASS_FORWARD),
                   SPENT([DSM_BOUND_MEMORY] = 1344, [DSM_BOUND_AUXILIARY] = 16));
}
END_TEST

/* 4 rows x 8 columns of 2 bytes are 64 bytes: at one a cycle a block of 32 cycles waits for 64 */
START_TEST(test_blocks_that_load_longer_than_they_compute_are_the_scratchpads) {
  chips.array.weights_from_scratchpad = true;
  machine.scratchpad_bytes_per_cycle = 1;
  expect_resources(
      resources_of(DSM_PASS_UPDATE),
      SPENT([DSM_BOUND_SCRATCHPAD] = 256, [DSM_BOUND_STARTUP] = 400, [DSM_BOUND_RING] = 1.5));
}
END_TEST

/* 4 feature iterations of a block each: 3 cycles more a block, and of the arrays twice as many. */
START_TEST(test_changes_of_blocks_are_start_up) {
  chips.array.block_cycles = 3;
  chips.array.efficiency_ratio = 0.5;
  expect_resources(
      resources_of(DSM_PASS_UPDATE),
      SPENT([DSM_BOUND_COMPUTE] = 256, [DSM_BOUND_STARTUP] = 412, [DSM_BOUND_RING] = 1.5));
}
END_TEST

/* Two groups on the ring, neither of which is as long as computation. */
START_TEST(test_the_bound_is_the_largest_sum_and_the_first_of_equals) {
  const dsm_traffic traffic = {
      .bytes = {[DSM_LINK_RING] = 32 * 33}}; /* 32 bytes a cycle: 33 cycles */
  const dsm_resources group = dsm_group_resources(&machine, &traffic);
  dsm_resources pass = SPENT([DSM_BOUND_COMPUTE] = 34);
  dsm_resources_add(&pass, &group, 1);
  ck_assert_int_eq(dsm_resources_bound(&pass), DSM_BOUND_COMPUTE);
  dsm_resources_add(&pass, &group, 1);
  expect_resources(pass, SPENT([DSM_BOUND_COMPUTE] = 34, [DSM_BOUND_RING] = 66));
  ck_assert_int_eq(dsm_resources_bound(&pass), DSM_BOUND_RING);
  pass.cycles[DSM_BOUND_MEMORY] = 66;
  ck_assert_int_eq(dsm_resources_bound(&pass), DSM_BOUND_MEMORY);
}
END_TEST

Suite *suite_cost(void) {
  Suite *const suite = suite_create("cost");
  TCase *const by_hand = tcase_create("by hand");
  tcase_add_checked_fixture(by_hand, set_up, NULL);
  tcase_add_test(by_hand, test_forward_costs_what_is_derived_by_hand);
  tcase_add_test(by_hand, test_backward_costs_what_is_derived_by_hand);
  tcase_add_test(by_hand, test_update_costs_what_is_derived_by_hand);
  tcase_add_test(by_hand, test_transfers_show_where_computation_does_not_hide_them);
  tcase_add_test(by_hand, test_rotation_hides_in_forward_and_update_but_not_in_backward);
  tcase_add_loop_test(by_hand, test_transfers_are_named_with_their_volumes, 0, COUNT_OF(volumes));
  tcase_add_test(by_hand, test_refined_forward_costs_what_is_derived_by_hand);
  tcase_add_test(by_hand, test_refined_backward_costs_what_is_derived_by_hand);
  tcase_add_test(by_hand, test_refined_update_costs_what_is_derived_by_hand);
  tcase_add_test(by_hand, test_refined_transfers_are_named_with_their_volumes);
  suite_add_tcase(suite, by_hand);
  TCase *const deciding = tcase_create("what decides");
  tcase_add_checked_fixture(deciding, set_up, NULL);
  tcase_add_test(deciding, test_hidden_transfers_decide_nothing);
  tcase_add_test(deciding, test_groups_that_do_not_overlap_go_to_their_slowest_link);
  tcase_add_test(deciding, test_a_transfer_that_hides_computation_decides_all_of_it);
  tcase_add_test(deciding, test_blocks_that_load_longer_than_they_compute_are_the_scratchpads);
  tcase_add_test(deciding, test_changes_of_blocks_are_start_up);
  tcase_add_test(deciding, test_the_bound_is_the_largest_sum_and_the_first_of_equals);
  suite_add_tcase(suite, deciding);
  TCase *const limits = tcase_create("limits");
  tcase_add_checked_fixture(limits, set_up, NULL);
  tcase_add_loop_test(limits, test_infinite_bandwidth_leaves_computation, 0, DSM_PASS_COUNT);
  tcase_add_loop_test(limits, test_one_chip_of_one_core_has_only_memory_traffic, 0, 2);
  tcase_add_test(limits, test_forward_of_a_plain_layer_is_the_same_in_both_modes);
  tcase_add_test(limits, test_lstm_saves_state_in_training_only);
  suite_add_tcase(suite, limits);
  TCase *const axes = tcase_create("axes");
  tcase_add_test(axes, test_memory_and_ring_count_with_x_where_x_moves);
  tcase_add_test(axes, test_memory_and_ring_count_with_y_where_only_y_moves);
  tcase_add_test(axes, test_axis_without_bytes_is_left_out);
  tcase_add_test(axes, test_transfer_within_the_chips_has_no_axis);
  suite_add_tcase(suite, axes);
  return suite;
}

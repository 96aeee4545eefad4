/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What else chips send to each other: by hand, and chip by chip. */
#include "suites.h"

#include "grids.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine;

static void build_grid(const grid *sides) {
  chips = friendly_grid(sides);
  machine = dsm_machine_derive(&chips);
}

static void build(uint64_t chips_x, uint64_t chips_y) {
  build_grid(&(grid){2, {chips_x, chips_y}});
}

static void set_up(void) {
  build(4, 2);
}

/* --- gradient reduction, broadcast and weight update */

static dsm_weight_traffic update(const dsm_layer *layer, dsm_parallelism parallelism) {
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  return dsm_weight_traffic_derive(layer, &machine, friendly_precision(), &layouts);
}

/* 960 weights on 4 x 2 chips, Bg = 4, B = 2; memory 1.5 and 5 bytes a byte, ring 2, update 7:
 *
 *   data            w = 3840   vx = w*3/4 = 2880   vy = w/4*1/2 = 480   mem 5760   ring 6720
 *   data_x_model_y  w = 1920   vx = 1440           vy = 0               mem 2880   ring 2880
 *   model_x_data_y  w = 960    vx = 0              vy = 480             mem 1440   ring 960
 *   broadcast: all B / Bg = 1/2 times, memory 5 * w / 2; update: 7 * 960 * 2 bytes over all 8 chips
 */
typedef struct update_case {
  double sum[4]; /* x, y, memory, ring */
  double broadcast[4];
} update_case;

static const update_case updates[DSM_PARALLELISM_COUNT_OF(2)] = {
    [DSM_PARALLELISM_DATA] = {{2880, 480, 5760, 6720}, {1440, 240, 9600, 3360}},
    [DSM_PARALLELISM_MODEL] = {{0, 0, 0, 0}, {0, 0, 0, 0}}, /* nd = 1: each weight is on one chip */
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = {{1440, 0, 2880, 2880}, {720, 0, 4800, 1440}},
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = {{0, 480, 1440, 960}, {0, 240, 2400, 480}},
};

START_TEST(test_gradients_are_summed_along_data_axes) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  const double *const sum = updates[_i].sum;
  assert_traffic(update(&conv, (dsm_parallelism)_i).sum_of_gradients, sum[0], sum[1], sum[2],
                 sum[3]);
}
END_TEST

START_TEST(test_weights_are_broadcast_along_data_axes) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  const double *const broadcast = updates[_i].broadcast;
  assert_traffic(update(&conv, (dsm_parallelism)_i).broadcast_weights, broadcast[0], broadcast[1],
                 broadcast[2], broadcast[3]);
}
END_TEST

START_TEST(test_each_chip_updates_its_eighth_of_the_weights) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  assert_traffic(update(&conv, (dsm_parallelism)_i).weight_update, 0, 0, 1680, 0);
}
END_TEST

/* All-reduced gradients pass each link twice, and memory as an all-gather of them does too: 5 bytes
 * a byte of w. All chips update all that they have, and no weights go back. */
START_TEST(test_update_without_shards) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  const double *const sum = updates[_i].sum;
  const double w = _i == DSM_PARALLELISM_DATA             ? 3840
                   : _i == DSM_PARALLELISM_DATA_X_MODEL_Y ? 1920
                   : _i == DSM_PARALLELISM_MODEL_X_DATA_Y ? 960
                                                          : 0;
  const double update_bytes = 13440 / (double[]){1, 8, 2, 4}[_i];
  chips.model.sharded_update = false;
  const dsm_weight_traffic traffic = update(&conv, (dsm_parallelism)_i);
  assert_traffic(traffic.sum_of_gradients, 2 * sum[0], 2 * sum[1], sum[2] + 5 * w, 2 * sum[3]);
  assert_traffic(traffic.broadcast_weights, 0, 0, 0, 0);
  assert_traffic(traffic.weight_update, 0, 0, update_bytes, 0);
}
END_TEST

START_TEST(test_one_chip_only_updates_its_own_weights) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  build(1, 1);
  const dsm_weight_traffic traffic = update(&conv, (dsm_parallelism)_i);
  assert_traffic(traffic.sum_of_gradients, 0, 0, 0, 0);
  assert_traffic(traffic.broadcast_weights, 0, 0, 0, 0);
  assert_traffic(traffic.weight_update, 0, 0, 13440, 0);
}
END_TEST

START_TEST(test_layer_without_weights_updates_nothing) {
  const dsm_layer matmul = matmul_layer(12, 20, 1);
  const dsm_weight_traffic traffic = update(&matmul, DSM_PARALLELISM_DATA);
  assert_traffic(traffic.sum_of_gradients, 0, 0, 0, 0);
  assert_traffic(traffic.broadcast_weights, 0, 0, 0, 0);
  assert_traffic(traffic.weight_update, 0, 0, 0, 0);
}
END_TEST

/* Weights are summed over timesteps on the chip; the reduction is once a step. */
START_TEST(test_timesteps_do_not_multiply_the_reduction) {
  const dsm_layer once = lstm_layer(3, 5, 1);
  const dsm_layer often = lstm_layer(3, 5, 50);
  const dsm_weight_traffic first = update(&once, DSM_PARALLELISM_DATA);
  const dsm_weight_traffic second = update(&often, DSM_PARALLELISM_DATA);
  ck_assert_mem_eq(&first, &second, sizeof first);
}
END_TEST

/* A ring of k chips reduces and scatters `whole` bytes in k - 1 steps: in step s, chip c sends on
 * what it has added up of segment c - s. Returns what a chip sends; the chips' own parts are 1, 10,
 * 100, ..., so that the sums show that each part arrived once. */
static double reduce_scatter(int k, double whole) {
  int sums[SIDE_MAX][SIDE_MAX]; /* [chip][segment] */
  int all = 0;
  double sent = 0;
  for (int c = 0, part = 1; c < k; c++, part *= 10) {
    all += part;
    for (int segment = 0; segment < k; segment++) {
      sums[c][segment] = part;
    }
  }
  for (int step = 0; step < k - 1; step++) {
    int arriving[SIDE_MAX];
    for (int c = 0; c < k; c++) {
      arriving[(c + 1) % k] = sums[c][(c - step + k) % k];
    }
    for (int c = 0; c < k; c++) {
      sums[c][(c - 1 - step + 2 * k) % k] += arriving[c];
    }
    sent += whole / k;
  }
  for (int c = 0; c < k; c++) {
    ck_assert_int_eq(sums[c][(c + 1) % k], all);
  }
  return sent;
}

START_TEST(test_reduction_carries_what_is_counted_chip_by_chip) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  const grid *const sides = &grids[_i];
  build_grid(sides);
  for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(sides->axis_count); p++) {
    const dsm_parallelism parallelism = (dsm_parallelism)p;
    const double whole = 960.0 * 4 / model_ways(sides, parallelism);
    double sum[DSM_AXES_MAX] = {0};
    double broadcast[DSM_AXES_MAX] = {0};
    double left = whole;
    for (unsigned a = 0; a < sides->axis_count; a++) {
      const int along = is_model(parallelism, a) ? 1 : (int)sides->chips[a];
      sum[a] = reduce_scatter(along, left);
      broadcast[a] = sum[a] / 2;
      left /= along;
    }
    const double memory = left < whole ? whole : 0;
    const dsm_weight_traffic traffic = update(&conv, parallelism);
    assert_axis_traffic(traffic.sum_of_gradients, sum, 1.5 * memory, 2 * sum_of(sum));
    assert_axis_traffic(traffic.broadcast_weights, broadcast, 5 * memory / 2, sum_of(sum));
  }
}
END_TEST

/* 960 weights of 4 bytes on 2 x 3 x 2 chips: 3840 * 1/2, 1920 * 2/3, 640 * 1/2. */
START_TEST(test_a_third_axis_sums_what_two_have_left) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  build_grid(&(grid){3, {2, 3, 2}});
  const dsm_weight_traffic traffic = update(&conv, DSM_PARALLELISM_DATA);
  assert_axis_traffic(traffic.sum_of_gradients, (const double[]){1920, 1280, 320}, 5760, 7040);
  assert_traffic(traffic.weight_update, 0, 0, 1120, 0);
}
END_TEST

/* --- relayout */

START_TEST(test_relayout_between_equal_parallelisms_is_nothing) {
  assert_traffic(dsm_relayout_traffic(&machine, 8000, (dsm_parallelism)_i, (dsm_parallelism)_i), 0,
                 0, 0, 0);
}
END_TEST

/* d = 8000 / 8 = 1000; X 1000 * 3/2, Y 1000 * 1/2, memory 6 * 1000. */
START_TEST(test_relayout_moves_along_the_axes_whose_role_changes) {
  const dsm_parallelism data = DSM_PARALLELISM_DATA;
  const dsm_parallelism model = DSM_PARALLELISM_MODEL;
  const dsm_parallelism model_y = DSM_PARALLELISM_DATA_X_MODEL_Y;
  const dsm_parallelism model_x = DSM_PARALLELISM_MODEL_X_DATA_Y;
  assert_traffic(dsm_relayout_traffic(&machine, 8000, data, model), 1500, 500, 6000, 0);
  assert_traffic(dsm_relayout_traffic(&machine, 8000, model_x, model_y), 1500, 500, 6000, 0);
  assert_traffic(dsm_relayout_traffic(&machine, 8000, data, model_x), 1500, 0, 6000, 0);
  assert_traffic(dsm_relayout_traffic(&machine, 8000, model_y, model), 1500, 0, 6000, 0);
  assert_traffic(dsm_relayout_traffic(&machine, 8000, data, model_y), 0, 500, 6000, 0);
  assert_traffic(dsm_relayout_traffic(&machine, 8000, model, model_x), 0, 500, 6000, 0);
}
END_TEST

START_TEST(test_relayout_of_nothing_is_nothing) {
  assert_traffic(dsm_relayout_traffic(&machine, 0, DSM_PARALLELISM_DATA, DSM_PARALLELISM_MODEL), 0,
                 0, 0, 0);
}
END_TEST

/* Every chip of a ring has `chip_bytes`, an equal part for each chip of the ring, which goes one
 * way round or the shorter way; what the link between chips 0 and 1 carries, pair by pair and hop
 * by hop. */
static double all_to_all(int k, double chip_bytes, bool is_two_way) {
  double carried = 0;
  for (int from = 0; from < k; from++) {
    for (int to = 0; to < k; to++) {
      const bool is_back = is_two_way && 2 * ((to - from + k) % k) > k;
      for (int at = is_back ? to : from; at != (is_back ? from : to); at = (at + 1) % k) {
        if (at == 0) {
          carried += chip_bytes / k;
        }
      }
    }
  }
  return carried;
}

static void assert_counted_pair_by_pair(const grid *sides, bool is_two_way) {
  const int count = DSM_PARALLELISM_COUNT_OF(sides->axis_count);
  const double chip_bytes = 7200.0 / (double)grid_chips(sides);
  chips.model.two_way_relayout = is_two_way;
  for (int before = 0; before < count; before++) {
    for (int after = 0; after < count; after++) {
      double axes[DSM_AXES_MAX] = {0};
      for (unsigned a = 0; a < sides->axis_count; a++) {
        const bool is_changing =
            is_model((dsm_parallelism)before, a) != is_model((dsm_parallelism)after, a);
        axes[a] = is_changing ? all_to_all((int)sides->chips[a], chip_bytes, is_two_way) : 0;
      }
      const double memory = before != after ? 6 * chip_bytes : 0;
      assert_axis_traffic(
          dsm_relayout_traffic(&machine, 7200, (dsm_parallelism)before, (dsm_parallelism)after),
          axes, memory, 0);
    }
  }
}

START_TEST(test_relayout_carries_what_is_counted_pair_by_pair) {
  build_grid(&grids[_i]);
  assert_counted_pair_by_pair(&grids[_i], false);
  assert_counted_pair_by_pair(&grids[_i], true);
}
END_TEST

/* d = 1000 on 4 x 2 chips: 1000 * 4/4 and 1000 * 2/4; d = 3000/15 on 3 x 5: 200 * 2/3, 200 * 6/5;
 * nothing along an axis of one chip. Memory is read and written as before. */
START_TEST(test_relayout_both_ways_round_takes_the_shorter_way) {
  const dsm_parallelism data = DSM_PARALLELISM_DATA;
  const dsm_parallelism model = DSM_PARALLELISM_MODEL;
  chips.model.two_way_relayout = true;
  assert_traffic(dsm_relayout_traffic(&machine, 8000, data, model), 1000, 500, 6000, 0);
  assert_traffic(dsm_relayout_traffic(&machine, 8000, model, model), 0, 0, 0, 0);
  build(3, 5);
  chips.model.two_way_relayout = true;
  assert_traffic(dsm_relayout_traffic(&machine, 3000, data, model), 400.0 / 3, 240, 1200, 0);
  build(1, 2);
  chips.model.two_way_relayout = true;
  assert_traffic(dsm_relayout_traffic(&machine, 8000, data, model), 0, 2000, 24000, 0);
}
END_TEST

/* --- hand-over between the stages of a pipeline */

/* H = 5 of 20 gates, 10 samples: 5 * 10 * 2 = 100 bytes along Y, of which each of the 4 columns of
 * chips carries a quarter. */
START_TEST(test_stage_hands_its_outputs_to_the_rows_of_the_next) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  assert_traffic(dsm_hand_over_traffic(&lstm, &machine, friendly_precision(), 10), 0, 25, 0, 0);
}
END_TEST

/* Stages stand along the last axis: 100 bytes over the 2 * 5 chips of x and y, or the only link. */
START_TEST(test_stages_stand_along_the_last_axis) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  build_grid(&(grid){3, {2, 5, 4}});
  assert_axis_traffic(dsm_hand_over_traffic(&lstm, &machine, friendly_precision(), 10),
                      (const double[]){0, 0, 10}, 0, 0);
  build_grid(&(grid){1, {4}});
  assert_axis_traffic(dsm_hand_over_traffic(&lstm, &machine, friendly_precision(), 10),
                      (const double[]){100, 0, 0}, 0, 0);
}
END_TEST

/* The rows of a stage do not matter, only the columns, along which the bytes share the links. */
START_TEST(test_hand_over_is_shared_by_the_columns_only) {
  const dsm_layer lstm = lstm_layer(3, 6, 7);
  for (uint64_t rows = 1; rows <= 3; rows++) {
    build(5, rows);
    assert_traffic(dsm_hand_over_traffic(&lstm, &machine, friendly_precision(), 10), 0, 24, 0, 0);
    build(1, rows);
    assert_traffic(dsm_hand_over_traffic(&lstm, &machine, friendly_precision(), 10), 0, 120, 0, 0);
  }
}
END_TEST

/* Once a timestep, not once for all of them; 24 bytes are 6 cycles of the 4 bytes a cycle of Y. */
START_TEST(test_hand_over_is_of_one_timestep) {
  const dsm_layer once = lstm_layer(3, 12, 1);
  const dsm_layer often = lstm_layer(3, 12, 50);
  const dsm_traffic first = dsm_hand_over_traffic(&once, &machine, friendly_precision(), 4);
  const dsm_traffic second = dsm_hand_over_traffic(&often, &machine, friendly_precision(), 4);
  ck_assert_mem_eq(&first, &second, sizeof first);
  ck_assert_double_eq(dsm_group_cycles(&machine, &first), 6);
}
END_TEST

/* 24 bytes, 6 cycles, after a step of _i cycles: they come on top of it, or start with it. */
START_TEST(test_handing_over_lengthens_a_step_unless_it_is_overlapped) {
  const dsm_layer lstm = lstm_layer(3, 12, 1);
  const dsm_traffic traffic = dsm_hand_over_traffic(&lstm, &machine, friendly_precision(), 4);
  ck_assert_double_eq(dsm_stage_hand_over_cycles(&machine, &traffic, _i), 6);
  chips.model.overlapped_hand_over = true;
  machine = dsm_machine_derive(&chips);
  ck_assert_double_eq(dsm_stage_hand_over_cycles(&machine, &traffic, _i), _i < 6 ? 6 - _i : 0);
}
END_TEST

START_TEST(test_nothing_handed_over_lengthens_no_step) {
  const dsm_traffic none = {.bytes = {0}};
  chips.model.overlapped_hand_over = _i == 1;
  machine = dsm_machine_derive(&chips);
  ck_assert_double_eq(dsm_stage_hand_over_cycles(&machine, &none, 0), 0);
  ck_assert_double_eq(dsm_stage_hand_over_cycles(&machine, &none, 8), 0);
}
END_TEST

/* A group of `_i` stages: a boundary lies between each and the next. It is crossed once in each
 * direction, by the stage that is before it in forward, and by the one after it in backward. */
START_TEST(test_each_boundary_between_stages_is_crossed_once_a_direction) {
  const size_t stage_count = (size_t)_i;
  size_t forward = 0;
  size_t backward = 0;
  for (size_t position = 0; position < stage_count; position++) {
    const bool has_next = position != stage_count - 1;
    const bool has_previous = position != 0;
    ck_assert_int_eq(dsm_stage_hands_over(DSM_PASS_FORWARD, position, stage_count), has_next);
    ck_assert_int_eq(dsm_stage_hands_over(DSM_PASS_BACKWARD, position, stage_count), has_previous);
    ck_assert(!dsm_stage_hands_over(DSM_PASS_UPDATE, position, stage_count));
    forward += has_next ? 1 : 0;
    backward += has_previous ? 1 : 0;
  }
  ck_assert_uint_eq(forward, stage_count - 1);
  ck_assert_uint_eq(backward, stage_count - 1);
}
END_TEST

Suite *suite_chip_link(void) {
  Suite *const suite = suite_create("chip_link");
  TCase *const reduction = tcase_create("update");
  tcase_add_checked_fixture(reduction, set_up, NULL);
  tcase_add_loop_test(reduction, test_gradients_are_summed_along_data_axes, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(reduction, test_update_without_shards, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(reduction, test_weights_are_broadcast_along_data_axes, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(reduction, test_each_chip_updates_its_eighth_of_the_weights, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(reduction, test_one_chip_only_updates_its_own_weights, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_test(reduction, test_layer_without_weights_updates_nothing);
  tcase_add_test(reduction, test_timesteps_do_not_multiply_the_reduction);
  tcase_add_loop_test(reduction, test_reduction_carries_what_is_counted_chip_by_chip, 0,
                      GRID_COUNT);
  tcase_add_test(reduction, test_a_third_axis_sums_what_two_have_left);
  suite_add_tcase(suite, reduction);
  TCase *const relayout = tcase_create("relayout");
  tcase_add_checked_fixture(relayout, set_up, NULL);
  tcase_add_loop_test(relayout, test_relayout_between_equal_parallelisms_is_nothing, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_test(relayout, test_relayout_moves_along_the_axes_whose_role_changes);
  tcase_add_test(relayout, test_relayout_of_nothing_is_nothing);
  tcase_add_test(relayout, test_relayout_both_ways_round_takes_the_shorter_way);
  tcase_add_loop_test(relayout, test_relayout_carries_what_is_counted_pair_by_pair, 0, GRID_COUNT);
  suite_add_tcase(suite, relayout);
  TCase *const stages = tcase_create("stages");
  tcase_add_checked_fixture(stages, set_up, NULL);
  tcase_add_test(stages, test_stage_hands_its_outputs_to_the_rows_of_the_next);
  tcase_add_test(stages, test_stages_stand_along_the_last_axis);
  tcase_add_test(stages, test_hand_over_is_shared_by_the_columns_only);
  tcase_add_test(stages, test_hand_over_is_of_one_timestep);
  tcase_add_loop_test(stages, test_handing_over_lengthens_a_step_unless_it_is_overlapped, 0, 9);
  tcase_add_loop_test(stages, test_nothing_handed_over_lengthens_no_step, 0, 2);
  tcase_add_loop_test(stages, test_each_boundary_between_stages_is_crossed_once_a_direction, 1, 6);
  suite_add_tcase(suite, stages);
  return suite;
}

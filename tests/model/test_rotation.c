/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features of chips that share them go round: by hand, and hop by hop. */
#include "suites.h"

#include "grids.h"
#include "model/chip_link.h"

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

static dsm_traffic rotation(dsm_pass pass, dsm_parallelism parallelism, double full_bytes) {
  return dsm__rotation_traffic(&machine, 3, DSM_DIVIDED_IN_TURNS, pass == DSM_PASS_BACKWARD,
                               parallelism, full_bytes);
}

/* Of 1000 bytes on 4 x 2 chips; memory is 0.5 times the busier axis. */
static const double rotated[DSM_PARALLELISM_COUNT_OF(2)][3] = {
    [DSM_PARALLELISM_DATA] = {0, 0, 0},
    [DSM_PARALLELISM_MODEL] = {1000, 250, 500}, /* Y once every 4 turns of X */
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = {0, 1000, 500},
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = {1000, 0, 500},
};

START_TEST(test_inputs_rotate_along_model_axes) {
  const double *const r = rotated[_i];
  assert_traffic(rotation(DSM_PASS_FORWARD, (dsm_parallelism)_i, 1000), r[0], r[1], r[2], r[2]);
  assert_traffic(rotation(DSM_PASS_UPDATE, (dsm_parallelism)_i, 1000), r[0], r[1], r[2], r[2]);
}
END_TEST

/* Partial sums are Ba / B = 3 times as wide, and cross the ring once a link. */
START_TEST(test_sums_of_errors_rotate_in_backward) {
  const double *const r = rotated[_i];
  assert_traffic(rotation(DSM_PASS_BACKWARD, (dsm_parallelism)_i, 1000), 3 * r[0], 3 * r[1],
                 3 * r[2], 3 * (r[0] + r[1]));
}
END_TEST

START_TEST(test_one_chip_rotates_nothing) {
  build(1, 1);
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    assert_traffic(rotation((dsm_pass)pass, (dsm_parallelism)_i, 1000), 0, 0, 0, 0);
  }
}
END_TEST

START_TEST(test_nothing_rotates_without_features) {
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    assert_traffic(rotation((dsm_pass)pass, (dsm_parallelism)_i, 0), 0, 0, 0, 0);
  }
}
END_TEST

/* On 1 x 4 chips X carries nothing and Y all; on 5 x 1 the other way round. */
START_TEST(test_axis_of_length_1_carries_no_rotation) {
  build(1, 4);
  assert_traffic(rotation(DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL, 1000), 0, 1000, 500, 500);
  assert_traffic(rotation(DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL_X_DATA_Y, 1000), 0, 0, 0, 0);
  build(5, 1);
  assert_traffic(rotation(DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL, 1000), 1000, 0, 500, 500);
  assert_traffic(rotation(DSM_PASS_FORWARD, DSM_PARALLELISM_DATA_X_MODEL_Y, 1000), 0, 0, 0, 0);
}
END_TEST

/* Each chip starts with a piece of the features. Every iteration all pieces hop along the first M
 * axis, and along each further one once every turn of those before it. With exact_rotation they hop
 * from one iteration to the next only: along a further axis in place of the hops that would end the
 * turns before it. */
typedef struct hops {
  double bytes[DSM_AXES_MAX]; /* that a chip sent along each axis */
  bool is_home;               /* each piece is where it was */
} hops;

/* The chip that has a piece when every piece is so far from home. */
static int chip_of(const grid *sides, int piece, const int away[DSM_AXES_MAX]) {
  int chip = 0;
  for (unsigned a = sides->axis_count; a-- > 0;) {
    const int side = (int)sides->chips[a];
    chip = chip * side + (place_along(sides, piece, a) + away[a]) % side;
  }
  return chip;
}

/* The pieces hop on after an iteration. */
static void hop(const grid *sides, dsm_parallelism parallelism, int iteration, bool is_exact,
                double piece_bytes, int away[DSM_AXES_MAX], hops *result) {
  int turn = 1; /* iterations of a turn of the axes before */
  unsigned last = DSM_AXES_MAX;
  for (unsigned a = 0; a < sides->axis_count; a++) {
    const int side = (int)sides->chips[a];
    if (is_model(parallelism, a) && side > 1 && iteration % turn == 0) {
      if (is_exact && last < DSM_AXES_MAX) {
        away[last] = (away[last] + (int)sides->chips[last] - 1) % (int)sides->chips[last];
        result->bytes[last] -= piece_bytes;
      }
      away[a] = (away[a] + 1) % side;
      result->bytes[a] += piece_bytes;
      last = a;
    }
    turn *= is_model(parallelism, a) ? side : 1;
  }
}

/* Notes in met[chip][piece] how often they were together. */
static hops hop_by_hop(const grid *sides, dsm_parallelism parallelism, double full_bytes,
                       bool is_exact, int met[CHIPS_MAX][CHIPS_MAX]) {
  const int chip_count = (int)grid_chips(sides);
  const int ways = model_ways(sides, parallelism);
  int away[DSM_AXES_MAX] = {0}; /* how far every piece is from home */
  hops result = {.is_home = true};
  for (int iteration = 1; iteration <= ways; iteration++) {
    for (int piece = 0; piece < chip_count; piece++) {
      met[chip_of(sides, piece, away)][piece]++;
    }
    if (!is_exact || iteration < ways) {
      hop(sides, parallelism, iteration, is_exact, full_bytes / ways, away, &result);
    }
  }
  for (unsigned a = 0; a < sides->axis_count; a++) {
    result.is_home = result.is_home && away[a] == 0;
  }
  return result;
}

/* Each chip has met each piece of those it shares samples with, once. */
static void assert_all_met(const grid *sides, dsm_parallelism parallelism,
                           int met[CHIPS_MAX][CHIPS_MAX]) {
  const int chip_count = (int)grid_chips(sides);
  for (int chip = 0; chip < chip_count; chip++) {
    for (int piece = 0; piece < chip_count; piece++) {
      bool is_shared = true;
      for (unsigned a = 0; a < sides->axis_count; a++) {
        is_shared = is_shared && (is_model(parallelism, a) ||
                                  place_along(sides, chip, a) == place_along(sides, piece, a));
      }
      ck_assert_int_eq(met[chip][piece], is_shared ? 1 : 0);
    }
  }
}

START_TEST(test_rotation_carries_what_is_counted_hop_by_hop) {
  const grid *const sides = &grids[_i];
  build_grid(sides);
  for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(sides->axis_count); p++) {
    int met[CHIPS_MAX][CHIPS_MAX] = {{0}};
    const hops counted = hop_by_hop(sides, (dsm_parallelism)p, 3600, false, met);
    const double memory = 0.5 * largest_of(counted.bytes);
    assert_all_met(sides, (dsm_parallelism)p, met);
    ck_assert(counted.is_home);
    assert_axis_traffic(rotation(DSM_PASS_FORWARD, (dsm_parallelism)p, 3600), counted.bytes, memory,
                        memory);
  }
}
END_TEST

/* Of 1000 bytes on 4 x 2 chips. model: three hops a turn of X, two turns, then one hop of Y. */
static const double rotated_exactly[DSM_PARALLELISM_COUNT_OF(2)][3] = {
    [DSM_PARALLELISM_DATA] = {0, 0, 0},
    [DSM_PARALLELISM_MODEL] = {750, 125, 375},
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = {0, 500, 250},
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = {750, 0, 375},
};

START_TEST(test_exact_rotation_leaves_out_the_way_home) {
  const double *const r = rotated_exactly[_i];
  const dsm_parallelism parallelism = (dsm_parallelism)_i;
  chips.model.exact_rotation = true;
  assert_traffic(rotation(DSM_PASS_FORWARD, parallelism, 1000), r[0], r[1], r[2], r[2]);
  assert_traffic(rotation(DSM_PASS_UPDATE, parallelism, 1000), r[0], r[1], r[2], r[2]);
  assert_traffic(rotation(DSM_PASS_BACKWARD, parallelism, 1000), 3 * r[0], 3 * r[1], 3 * r[2],
                 3 * (r[0] + r[1]));
}
END_TEST

/* On 1 x 4 chips three hops of four along Y, on 5 x 1 four of five along X; one chip hops nowhere.
 */
START_TEST(test_exact_rotation_along_one_axis) {
  build(1, 4);
  chips.model.exact_rotation = true;
  assert_traffic(rotation(DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL, 1000), 0, 750, 375, 375);
  assert_traffic(rotation(DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL_X_DATA_Y, 1000), 0, 0, 0, 0);
  build(5, 1);
  chips.model.exact_rotation = true;
  assert_traffic(rotation(DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL, 1000), 800, 0, 400, 400);
  assert_traffic(rotation(DSM_PASS_FORWARD, DSM_PARALLELISM_DATA_X_MODEL_Y, 1000), 0, 0, 0, 0);
  build(1, 1);
  chips.model.exact_rotation = true;
  for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(2); p++) {
    assert_traffic(rotation(DSM_PASS_BACKWARD, (dsm_parallelism)p, 1000), 0, 0, 0, 0);
  }
}
END_TEST

/* All still meet; what hops is nm - 1 pieces, and they are not home but on a single chip. */
START_TEST(test_exact_rotation_carries_what_is_counted_hop_by_hop) {
  const grid *const sides = &grids[_i];
  build_grid(sides);
  chips.model.exact_rotation = true;
  for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(sides->axis_count); p++) {
    int met[CHIPS_MAX][CHIPS_MAX] = {{0}};
    const dsm_parallelism parallelism = (dsm_parallelism)p;
    const hops counted = hop_by_hop(sides, parallelism, 3600, true, met);
    const double memory = 0.5 * largest_of(counted.bytes);
    const double ways = model_ways(sides, parallelism);
    assert_all_met(sides, parallelism, met);
    ASSERT_CLOSE(sum_of(counted.bytes), 3600 * (ways - 1) / ways);
    ck_assert_int_eq(counted.is_home, ways <= 1);
    assert_axis_traffic(rotation(DSM_PASS_FORWARD, parallelism, 3600), counted.bytes, memory,
                        memory);
  }
}
END_TEST

/* Of 1200 bytes on 2 x 3 x 2 chips, all along model axes: every turn of X, then 1/2, then 1/6. */
START_TEST(test_a_third_axis_turns_once_every_turn_of_those_before) {
  build_grid(&(grid){3, {2, 3, 2}});
  assert_axis_traffic(rotation(DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL, 1200),
                      (const double[]){1200, 600, 200}, 600, 600);
  chips.model.exact_rotation = true;
  assert_axis_traffic(rotation(DSM_PASS_BACKWARD, DSM_PARALLELISM_MODEL, 1200),
                      (const double[]){3 * 600, 3 * 400, 3 * 100}, 3 * 300, 3 * 1100);
}
END_TEST

Suite *suite_rotation(void) {
  Suite *const suite = suite_create("rotation");
  TCase *const turns = tcase_create("rotation");
  tcase_add_checked_fixture(turns, set_up, NULL);
  tcase_add_loop_test(turns, test_inputs_rotate_along_model_axes, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(turns, test_sums_of_errors_rotate_in_backward, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(turns, test_one_chip_rotates_nothing, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(turns, test_nothing_rotates_without_features, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_test(turns, test_axis_of_length_1_carries_no_rotation);
  tcase_add_loop_test(turns, test_rotation_carries_what_is_counted_hop_by_hop, 0, GRID_COUNT);
  tcase_add_loop_test(turns, test_exact_rotation_leaves_out_the_way_home, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_test(turns, test_exact_rotation_along_one_axis);
  tcase_add_loop_test(turns, test_exact_rotation_carries_what_is_counted_hop_by_hop, 0, GRID_COUNT);
  tcase_add_test(turns, test_a_third_axis_turns_once_every_turn_of_those_before);
  suite_add_tcase(suite, turns);
  return suite;
}

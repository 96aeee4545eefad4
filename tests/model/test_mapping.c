/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <string.h>

#include "fixture.h"
#include "model/equations.h"
#include "random_numbers.h"

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

static void assert_loops(dsm_loops actual, dsm_loops expected) {
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    ck_assert_msg(actual.n[d] == expected.n[d], "%s: %llu, expected %llu", dsm_dim_name((dsm_dim)d),
                  (unsigned long long)actual.n[d], (unsigned long long)expected.n[d]);
  }
}

/* --- roles and shares of chips */

/* (D, D), (M, M), (D, M), (M, D) of x and y, section 3; then z alone has another role. */
static const char *const roles[DSM_PARALLELISM_COUNT] = {
    [DSM_PARALLELISM_DATA] = "DDD",
    [DSM_PARALLELISM_MODEL] = "MMM",
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = "DMM",
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = "MDM",
    "DDM",
    "MMD",
    "DMD",
    "MDD",
};

START_TEST(test_parallelism_gives_each_axis_its_role) {
  const dsm_axis_set model = dsm_parallelism_model_axes((dsm_parallelism)_i);
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    ck_assert_int_eq(dsm_axis_set_has(model, a), roles[_i][a] == 'M');
  }
}
END_TEST

/* The first 1 << n are all ways of n axes, each once; the others repeat them. */
START_TEST(test_the_first_parallelisms_are_all_of_so_many_axes) {
  const unsigned axis_count = (unsigned)_i;
  const unsigned axes = (1U << axis_count) - 1U;
  unsigned found = 0;
  for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(axis_count); p++) {
    found |= 1U << (dsm_parallelism_model_axes((dsm_parallelism)p) & axes);
  }
  ck_assert_uint_eq(found, DSM_PARALLELISMS_OF(axis_count));
}
END_TEST

/* Words of three axes say the role of each; shorter ones those of the first, and z as y. */
START_TEST(test_the_word_says_the_roles) {
  const char *const name = dsm_parallelism_name((dsm_parallelism)_i);
  if (_i < 2) {
    ck_assert_str_eq(name, _i == 0 ? "data" : "model");
    return;
  }
  static const char *const of_axis[] = {"_x", "_y", "_z"};
  const char *rest = name;
  for (unsigned a = 0; a < (_i < 4 ? 2U : 3U); a++) {
    const char *const role = roles[_i][a] == 'M' ? "model" : "data";
    ck_assert_int_eq(strncmp(rest, role, strlen(role)), 0);
    rest += strlen(role);
    ck_assert_int_eq(strncmp(rest, of_axis[a], 2), 0);
    rest += rest[2] == '_' ? 3 : 2;
  }
  ck_assert_str_eq(rest, "");
}
END_TEST

/* 12 -> 20 features, 10 samples on 2 x 3 x 2 chips: nm and nd by the roles. */
START_TEST(test_three_axes_divide_features_and_samples) {
  const dsm_layer conv = conv_layer(12, 20, 36, 9, 1);
  const uint64_t sides[DSM_AXES_MAX] = {2, 3, 2};
  uint64_t nm = 1;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    nm *= roles[_i][a] == 'M' ? sides[a] : 1;
  }
  const uint64_t nd = 12 / nm;
  build_grid(&(grid){3, {2, 3, 2}});
  const dsm_chip_share share = dsm_chip_share_derive(&conv, &machine, (dsm_parallelism)_i, 10);
  ck_assert_uint_eq(share.model_ways, nm);
  ck_assert_uint_eq(share.data_ways, nd);
  assert_loops(share.chip, loops(12 / nm, (20 + nm - 1) / nm, 36, 9, (10 + nd - 1) / nd));
}
END_TEST

/* Convolution 12 -> 20 features, 36 positions, kernel 9, 10 samples on 4 x 2 chips:
 *
 *   data             nm = 1, nd = 8   in 12/1 = 12   out 20/1 = 20   mb ceil(10/8) = 2
 *   model            nm = 8, nd = 1   in ceil(12/8)=2  out ceil(20/8)=3  mb 10
 *   data_x_model_y   nm = 2, nd = 4   in 12/2 = 6    out 20/2 = 10   mb ceil(10/4) = 3
 *   model_x_data_y   nm = 4, nd = 2   in 12/4 = 3    out 20/4 = 5    mb 10/2 = 5
 */
typedef struct share_case {
  uint64_t model_ways;
  uint64_t data_ways;
  dsm_loops chip;
} share_case;

static const share_case shares[DSM_PARALLELISM_COUNT_OF(2)] = {
    [DSM_PARALLELISM_DATA] = {1, 8, {{12, 20, 36, 9, 2}}},
    [DSM_PARALLELISM_MODEL] = {8, 1, {{2, 3, 36, 9, 10}}},
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = {2, 4, {{6, 10, 36, 9, 3}}},
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = {4, 2, {{3, 5, 36, 9, 5}}},
};

START_TEST(test_chip_share_divides_features_along_m_and_samples_along_d) {
  const dsm_layer conv = conv_layer(12, 20, 36, 9, 1);
  const dsm_chip_share share = dsm_chip_share_derive(&conv, &machine, (dsm_parallelism)_i, 10);
  ck_assert_int_eq((int)share.parallelism, _i);
  ck_assert_uint_eq(share.model_ways, shares[_i].model_ways);
  ck_assert_uint_eq(share.data_ways, shares[_i].data_ways);
  assert_loops(share.chip, shares[_i].chip);
}
END_TEST

START_TEST(test_one_chip_has_the_whole_layer) {
  const dsm_layer conv = conv_layer(12, 20, 36, 9, 1);
  build(1, 1);
  const dsm_chip_share share = dsm_chip_share_derive(&conv, &machine, (dsm_parallelism)_i, 10);
  ck_assert_uint_eq(share.model_ways, 1);
  ck_assert_uint_eq(share.data_ways, 1);
  assert_loops(share.chip, loops(12, 20, 36, 9, 10));
}
END_TEST

/* On 4 x 1 chips the role of Y does not matter: nm = 4 where X is M, else nd = 4. */
START_TEST(test_role_of_an_axis_of_length_1_does_not_matter) {
  const dsm_layer conv = conv_layer(12, 20, 36, 9, 1);
  build(4, 1);
  const dsm_chip_share share = dsm_chip_share_derive(&conv, &machine, (dsm_parallelism)_i, 10);
  const bool is_split_by_features = roles[_i][0] == 'M';
  ck_assert_uint_eq(share.model_ways, is_split_by_features ? 4 : 1);
  ck_assert_uint_eq(share.data_ways, is_split_by_features ? 1 : 4);
  assert_loops(share.chip, is_split_by_features ? loops(3, 5, 36, 9, 10) : loops(12, 20, 36, 9, 3));
}
END_TEST

START_TEST(test_minibatch_smaller_than_the_chip_count_leaves_one_sample_a_chip) {
  const dsm_layer conv = conv_layer(12, 20, 36, 9, 1);
  const dsm_chip_share three =
      dsm_chip_share_derive(&conv, &machine, DSM_PARALLELISM_DATA, 3); /* ceil(3/8) */
  const dsm_chip_share eight = dsm_chip_share_derive(&conv, &machine, DSM_PARALLELISM_DATA, 8);
  const dsm_chip_share nine = dsm_chip_share_derive(&conv, &machine, DSM_PARALLELISM_DATA, 9);
  ck_assert_uint_eq(three.chip.n[DSM_DIM_MB], 1);
  ck_assert_uint_eq(eight.chip.n[DSM_DIM_MB], 1);
  ck_assert_uint_eq(nine.chip.n[DSM_DIM_MB], 2);
}
END_TEST

START_TEST(test_features_fewer_than_the_chips_leave_one_a_chip) {
  const dsm_layer fc = fc_layer(3, 7);
  const dsm_chip_share share = dsm_chip_share_derive(&fc, &machine, DSM_PARALLELISM_MODEL, 4);
  assert_loops(share.chip, loops(1, 1, 1, 1, 4));
}
END_TEST

/* X = 3, H = 5: nin = 8, nout = 20; nm = 2, nd = 4. */
START_TEST(test_lstm_divides_gates_and_joined_inputs) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  const dsm_chip_share share =
      dsm_chip_share_derive(&lstm, &machine, DSM_PARALLELISM_DATA_X_MODEL_Y, 4);
  assert_loops(share.chip, loops(4, 10, 1, 1, 1));
}
END_TEST

/* The chips' shares cover the layer, and one feature (sample) less a chip would not. */
START_TEST(test_chip_shares_are_the_smallest_that_cover_the_layer) {
  const uint64_t seed = 20240601;
  uint64_t state = seed;
  for (int run = 0; run < 500; run++) {
    build(1 + random_below(&state, 9), 1 + random_below(&state, 9));
    const dsm_layer fc = fc_layer(1 + random_below(&state, 300), 1 + random_below(&state, 300));
    const uint64_t samples = 1 + random_below(&state, 100);
    const dsm_parallelism parallelism =
        (dsm_parallelism)random_below(&state, DSM_PARALLELISM_COUNT_OF(2));
    const dsm_chip_share share = dsm_chip_share_derive(&fc, &machine, parallelism, samples);
    const uint64_t whole[3] = {fc.in, fc.out, samples};
    const uint64_t ways[3] = {share.model_ways, share.model_ways, share.data_ways};
    const uint64_t part[3] = {share.chip.n[DSM_DIM_IN], share.chip.n[DSM_DIM_OUT],
                              share.chip.n[DSM_DIM_MB]};
    ck_assert_uint_eq(share.model_ways * share.data_ways, machine.chip_count);
    for (int d = 0; d < 3; d++) {
      ck_assert_msg(ways[d] * part[d] >= whole[d] && ways[d] * (part[d] - 1) < whole[d],
                    "seed %llu run %d", (unsigned long long)seed, run);
    }
  }
}
END_TEST

/* --- what a layer can use */

START_TEST(test_matmul_is_split_by_data_only) {
  const dsm_layer matmul = matmul_layer(4, 5, 1);
  ck_assert_uint_eq(dsm_layer_parallelisms(&matmul), DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA));
}
END_TEST

START_TEST(test_grouped_convolution_is_split_by_data_only) {
  const dsm_layer two_groups = conv_layer(4, 6, 9, 9, 2);
  const dsm_layer depthwise = conv_layer(8, 8, 9, 9, 8);
  ck_assert_uint_eq(dsm_layer_parallelisms(&two_groups), DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA));
  ck_assert_uint_eq(dsm_layer_parallelisms(&depthwise), DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA));
}
END_TEST

START_TEST(test_other_layers_are_split_in_any_way) {
  const dsm_layer layers[] = {conv_layer(4, 6, 9, 9, 1), fc_layer(4, 6), lstm_layer(4, 6, 3)};
  for (int i = 0; i < COUNT_OF(layers); i++) {
    for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(2); p++) {
      ck_assert_uint_ne(dsm_layer_parallelisms(&layers[i]) & DSM_PARALLELISM_BIT(p), 0);
    }
  }
}
END_TEST

typedef struct pass_case {
  dsm_mode mode;
  bool has_backward;
  bool has_update;
  bool exists[DSM_PASS_COUNT];
} pass_case;

static const pass_case passes[] = {
    {DSM_MODE_TRAINING, true, true, {true, true, true}},
    {DSM_MODE_TRAINING, false, true, {true, false, true}},  /* first layer of a network */
    {DSM_MODE_TRAINING, true, false, {true, true, false}},  /* matmul */
    {DSM_MODE_INFERENCE, true, true, {true, false, false}}, /* only forward, whatever it has */
    {DSM_MODE_INFERENCE, false, true, {true, false, false}},
    {DSM_MODE_INFERENCE, true, false, {true, false, false}},
};

START_TEST(test_pass_exists_where_mode_and_layer_have_it) {
  dsm_layer layer = fc_layer(4, 6);
  layer.has_backward = passes[_i].has_backward;
  layer.has_update = passes[_i].has_update;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    ck_assert_int_eq(dsm_pass_exists(&layer, passes[_i].mode, (dsm_pass)p), passes[_i].exists[p]);
  }
  ck_assert(!dsm_pass_exists(&layer, passes[_i].mode, DSM_PASS_COUNT));
}
END_TEST

/* --- splits over cores */

/* A loop of length 1, 2, ... can be cut into as many parts and not into one more. */
START_TEST(test_split_has_at_most_as_many_parts_as_a_loop) {
  const dsm_layer conv = conv_layer(6, 5, 4, 3, 1);
  build(1, 1);
  const dsm_chip_share share = dsm_chip_share_derive(&conv, &machine, DSM_PARALLELISM_DATA, 2);
  dsm_loops split = loops(1, 1, 1, 1, 1);
  ck_assert(dsm_split_is_valid(&share, &split));
  split.n[_i] = share.chip.n[_i];
  ck_assert(dsm_split_is_valid(&share, &split));
  split.n[_i] = share.chip.n[_i] + 1;
  ck_assert(!dsm_split_is_valid(&share, &split));
}
END_TEST

/* inc = 3 under model_x_data_y, although the layer has 12 input features. */
START_TEST(test_split_counts_the_features_of_one_iteration) {
  const dsm_layer fc = fc_layer(12, 20);
  const dsm_chip_share share =
      dsm_chip_share_derive(&fc, &machine, DSM_PARALLELISM_MODEL_X_DATA_Y, 10);
  const dsm_loops just_legal[] = {loops(3, 1, 1, 1, 1), loops(1, 5, 1, 1, 1), loops(1, 1, 1, 1, 5)};
  const dsm_loops just_illegal[] = {loops(4, 1, 1, 1, 1), loops(1, 6, 1, 1, 1),
                                    loops(1, 1, 1, 1, 6)};
  for (int i = 0; i < COUNT_OF(just_legal); i++) {
    ck_assert(dsm_split_is_valid(&share, &just_legal[i]));
    ck_assert(!dsm_split_is_valid(&share, &just_illegal[i]));
  }
}
END_TEST

/* 12 input features in 4 groups: k_in <= 12/4 = 3; k_out <= 20 all the same. */
START_TEST(test_split_of_input_stays_within_a_group) {
  const dsm_layer grouped = conv_layer(12, 20, 9, 9, 4);
  const dsm_chip_share share = dsm_chip_share_derive(&grouped, &machine, DSM_PARALLELISM_DATA, 8);
  const dsm_loops just_legal[] = {loops(3, 1, 1, 1, 1), loops(1, 20, 1, 1, 1)};
  const dsm_loops just_illegal[] = {loops(4, 1, 1, 1, 1), loops(1, 21, 1, 1, 1)};
  for (int i = 0; i < COUNT_OF(just_legal); i++) {
    ck_assert(dsm_split_is_valid(&share, &just_legal[i]));
    ck_assert(!dsm_split_is_valid(&share, &just_illegal[i]));
  }
}
END_TEST

START_TEST(test_split_of_depthwise_input_is_impossible) {
  const dsm_layer depthwise = conv_layer(8, 8, 9, 9, 8);
  const dsm_chip_share share = dsm_chip_share_derive(&depthwise, &machine, DSM_PARALLELISM_DATA, 8);
  const dsm_loops whole = loops(1, 8, 1, 1, 1);
  const dsm_loops halved = loops(2, 4, 1, 1, 1);
  ck_assert(dsm_split_is_valid(&share, &whole));
  ck_assert(!dsm_split_is_valid(&share, &halved));
}
END_TEST

START_TEST(test_one_core_has_the_chips_loops) {
  const dsm_layer layers[] = {conv_layer(12, 20, 36, 9, 1), conv_layer(12, 20, 36, 9, 4),
                              conv_layer(8, 8, 36, 9, 8)};
  const dsm_loops split = loops(1, 1, 1, 1, 1);
  for (int i = 0; i < COUNT_OF(layers); i++) {
    const dsm_chip_share share =
        dsm_chip_share_derive(&layers[i], &machine, DSM_PARALLELISM_DATA, 10);
    assert_loops(dsm_core_share(&share, &split), share.chip);
  }
}
END_TEST

/* ceil(12/5) = 3, ceil(20/3) = 7, ceil(36/7) = 6, ceil(9/4) = 3, mb = ceil(ceil(30/8) / 3) = 2 */
START_TEST(test_busiest_core_has_the_rounded_up_share_of_odd_splits) {
  const dsm_layer conv = conv_layer(12, 20, 36, 9, 1);
  const dsm_chip_share share = dsm_chip_share_derive(&conv, &machine, DSM_PARALLELISM_DATA, 30);
  const dsm_loops split = loops(5, 3, 7, 4, 3);
  assert_loops(dsm_core_share(&share, &split), loops(3, 7, 6, 3, 2));
}
END_TEST

/* 6 groups of 2 -> 3 features. With k_out = 1 .. 18, cores in min(6, k_out) teams are dealt the
 * groups one by one; where there are more cores than groups, the cores of a team (the smallest size
 * that gives every core a team) share the 3 outputs of a group one by one. The busiest is counted.
 */
START_TEST(test_grouped_core_share_is_what_dealing_out_groups_gives) {
  enum { GROUPS = 6, GROUP_OUT = 3, IN = 12, OUT = 18 };
  const dsm_layer grouped = conv_layer(IN, OUT, 9, 9, GROUPS);
  const dsm_chip_share share = dsm_chip_share_derive(&grouped, &machine, DSM_PARALLELISM_DATA, 8);
  const int parts = _i;
  int groups_of_team[GROUPS] = {0};
  int outputs_of_member[OUT] = {0};
  int team_size = 1;
  while ((team_size + 1) * GROUPS <= parts) {
    team_size++;
  }
  for (int g = 0; g < GROUPS; g++) {
    groups_of_team[g % (parts < GROUPS ? parts : GROUPS)]++;
  }
  for (int o = 0; o < GROUP_OUT; o++) {
    outputs_of_member[o % team_size]++;
  }
  const uint64_t busiest_groups = (uint64_t)groups_of_team[0];
  const uint64_t busiest_outputs = (uint64_t)outputs_of_member[0];

  const dsm_loops split = loops(1, (uint64_t)parts, 1, 1, 1);
  const dsm__core_work core = dsm__core_work_derive(&share, &split);
  ck_assert_uint_eq(dsm__parts_within_group(grouped.groups, &split), (uint64_t)team_size);
  ck_assert_uint_eq(core.groups, busiest_groups);
  ck_assert_uint_eq(core.in, 2);
  ck_assert_uint_eq(core.out, busiest_outputs);
  assert_loops(dsm_core_share(&share, &split),
               loops(busiest_groups * 2, busiest_groups * busiest_outputs, 9, 9, 1));
}
END_TEST

/* One group: its cores are all along k_out. */
START_TEST(test_without_groups_all_parts_are_within_the_layer) {
  const dsm_layer conv = conv_layer(12, 20, 36, 9, 1);
  const dsm_loops split = loops(1, 7, 1, 1, 1);
  const dsm_chip_share share = dsm_chip_share_derive(&conv, &machine, DSM_PARALLELISM_DATA, 8);
  ck_assert_uint_eq(dsm__parts_within_group(conv.groups, &split), 7);
  assert_loops(dsm_core_share(&share, &split), loops(12, 3, 36, 9, 1));
}
END_TEST

/* 12 -> 18 in 6 groups, k_in = 2, k_out = 4: ceil(6/4) = 2 groups of 2/2 = 1 -> 3 features. */
START_TEST(test_grouped_input_split_divides_each_group) {
  const dsm_layer grouped = conv_layer(12, 18, 9, 9, 6);
  const dsm_chip_share share = dsm_chip_share_derive(&grouped, &machine, DSM_PARALLELISM_DATA, 8);
  const dsm_loops split = loops(2, 4, 1, 1, 1);
  assert_loops(dsm_core_share(&share, &split), loops(2, 6, 9, 9, 1));
}
END_TEST

/* 8 channels over 3 cores: ceil(8/3) = 3 channels, one in and one out each. */
START_TEST(test_depthwise_core_share_is_of_whole_channels) {
  const dsm_layer depthwise = conv_layer(8, 8, 36, 9, 8);
  const dsm_chip_share share = dsm_chip_share_derive(&depthwise, &machine, DSM_PARALLELISM_DATA, 8);
  const dsm_loops split = loops(1, 3, 1, 1, 1);
  const dsm__core_work core = dsm__core_work_derive(&share, &split);
  ck_assert_uint_eq(core.groups, 3);
  ck_assert_uint_eq(core.in, 1);
  ck_assert_uint_eq(core.out, 1);
}
END_TEST

/* --- what the array takes: at most Pr = 4 reduction and Pc = 8 produced features */

typedef struct array_case {
  dsm_pass pass;
  uint64_t in;
  uint64_t out;
  uint64_t array_in;
  uint64_t array_out;
} array_case;

static const array_case arrays[] = {
    {DSM_PASS_FORWARD, 6, 20, 4, 8},  /* reduces inputs, produces outputs */
    {DSM_PASS_UPDATE, 6, 20, 4, 8},   /* as forward */
    {DSM_PASS_BACKWARD, 6, 20, 6, 4}, /* reduces outputs: min(20, 4); produces min(6, 8) */
    {DSM_PASS_BACKWARD, 20, 3, 8, 3}, {DSM_PASS_FORWARD, 4, 8, 4, 8}, /* fits exactly */
    {DSM_PASS_FORWARD, 5, 9, 4, 8},                                   /* just over */
    {DSM_PASS_FORWARD, 3, 7, 3, 7},                                   /* smaller than the array */
    {DSM_PASS_BACKWARD, 8, 4, 8, 4},  {DSM_PASS_BACKWARD, 9, 5, 8, 4},
};

START_TEST(test_array_takes_at_most_a_chunk_of_features) {
  const array_case *const a = &arrays[_i];
  const dsm_layer conv = conv_layer(a->in, a->out, 36, 9, 1);
  const dsm_loops split = loops(1, 1, 2, 1, 1);
  const dsm_chip_share share = dsm_chip_share_derive(&conv, &machine, DSM_PARALLELISM_DATA, 24);
  assert_loops(dsm_array_share(&machine, a->pass, &share, &split),
               loops(a->array_in, a->array_out, 18, 1, 3));
}
END_TEST

/* Kernel positions share the 4 rows with as many reduction features as there are: by hand, for 1,
 * 2, 3, 4, 9 features of a 3 x 3 kernel: 4, 2, 1, 1, 1; of a 2-position kernel: 2, 2, 1, 1, 1. */
START_TEST(test_unrolled_kernel_fills_the_rows_left) {
  static const uint64_t features[] = {1, 2, 3, 4, 9};
  static const uint64_t positions_of_9[] = {4, 2, 1, 1, 1};
  static const uint64_t positions_of_2[] = {2, 2, 1, 1, 1};
  chips.array.unroll_kernel_on_rows = true;
  const dsm_loops split = loops(1, 1, 1, 1, 1);
  for (int kernel = 0; kernel < 2; kernel++) {
    const dsm_layer forward = conv_layer(features[_i], 7, 36, kernel == 0 ? 9 : 2, 1);
    const dsm_layer backward = conv_layer(7, features[_i], 36, kernel == 0 ? 9 : 2, 1);
    const dsm_chip_share f = dsm_chip_share_derive(&forward, &machine, DSM_PARALLELISM_DATA, 8);
    const dsm_chip_share b = dsm_chip_share_derive(&backward, &machine, DSM_PARALLELISM_DATA, 8);
    const uint64_t expected = kernel == 0 ? positions_of_9[_i] : positions_of_2[_i];
    const uint64_t rows = features[_i] < 4 ? features[_i] : 4;
    assert_loops(dsm_array_share(&machine, DSM_PASS_FORWARD, &f, &split),
                 loops(rows, 7, 36, expected, 1));
    assert_loops(dsm_array_share(&machine, DSM_PASS_BACKWARD, &b, &split),
                 loops(7, rows, 36, expected, 1));
  }
}
END_TEST

/* Depthwise: one channel at a time, whatever the core has of them. */
START_TEST(test_array_takes_one_group_at_a_time) {
  const dsm_layer depthwise = conv_layer(8, 8, 36, 9, 8);
  const dsm_chip_share share = dsm_chip_share_derive(&depthwise, &machine, DSM_PARALLELISM_DATA, 8);
  const dsm_loops split = loops(1, 4, 1, 1, 1);
  assert_loops(dsm_array_share(&machine, DSM_PASS_FORWARD, &share, &split), loops(1, 1, 36, 1, 1));
}
END_TEST

Suite *suite_mapping(void) {
  Suite *const suite = suite_create("mapping");
  TCase *const chip = tcase_create("chips");
  tcase_add_checked_fixture(chip, set_up, NULL);
  tcase_add_loop_test(chip, test_parallelism_gives_each_axis_its_role, 0, DSM_PARALLELISM_COUNT);
  tcase_add_loop_test(chip, test_the_first_parallelisms_are_all_of_so_many_axes, 1,
                      DSM_AXES_MAX + 1);
  tcase_add_loop_test(chip, test_the_word_says_the_roles, 0, DSM_PARALLELISM_COUNT);
  tcase_add_loop_test(chip, test_three_axes_divide_features_and_samples, 0, DSM_PARALLELISM_COUNT);
  tcase_add_loop_test(chip, test_chip_share_divides_features_along_m_and_samples_along_d, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(chip, test_one_chip_has_the_whole_layer, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(chip, test_role_of_an_axis_of_length_1_does_not_matter, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_test(chip, test_minibatch_smaller_than_the_chip_count_leaves_one_sample_a_chip);
  tcase_add_test(chip, test_features_fewer_than_the_chips_leave_one_a_chip);
  tcase_add_test(chip, test_lstm_divides_gates_and_joined_inputs);
  tcase_add_test(chip, test_chip_shares_are_the_smallest_that_cover_the_layer);
  suite_add_tcase(suite, chip);
  TCase *const choices = tcase_create("choices");
  tcase_add_test(choices, test_matmul_is_split_by_data_only);
  tcase_add_test(choices, test_grouped_convolution_is_split_by_data_only);
  tcase_add_test(choices, test_other_layers_are_split_in_any_way);
  tcase_add_loop_test(choices, test_pass_exists_where_mode_and_layer_have_it, 0, COUNT_OF(passes));
  suite_add_tcase(suite, choices);
  TCase *const core = tcase_create("cores");
  tcase_add_checked_fixture(core, set_up, NULL);
  tcase_add_loop_test(core, test_split_has_at_most_as_many_parts_as_a_loop, 0, DSM_DIM_COUNT);
  tcase_add_test(core, test_split_counts_the_features_of_one_iteration);
  tcase_add_test(core, test_split_of_input_stays_within_a_group);
  tcase_add_test(core, test_split_of_depthwise_input_is_impossible);
  tcase_add_test(core, test_one_core_has_the_chips_loops);
  tcase_add_test(core, test_busiest_core_has_the_rounded_up_share_of_odd_splits);
  tcase_add_loop_test(core, test_grouped_core_share_is_what_dealing_out_groups_gives, 1, 25);
  tcase_add_test(core, test_without_groups_all_parts_are_within_the_layer);
  tcase_add_test(core, test_grouped_input_split_divides_each_group);
  tcase_add_test(core, test_depthwise_core_share_is_of_whole_channels);
  suite_add_tcase(suite, core);
  TCase *const array = tcase_create("array");
  tcase_add_checked_fixture(array, set_up, NULL);
  tcase_add_loop_test(array, test_array_takes_at_most_a_chunk_of_features, 0, COUNT_OF(arrays));
  tcase_add_loop_test(array, test_unrolled_kernel_fills_the_rows_left, 0, 5);
  tcase_add_test(array, test_array_takes_one_group_at_a_time);
  suite_add_tcase(suite, array);
  return suite;
}

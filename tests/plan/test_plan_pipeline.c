/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_plan_pipeline.c: what a pipeline group is predicted to take (section 9), and of a chip's
 * memory (section 12). lstm1 and lstm2 of 32 units are its stages: 10 timesteps, 32 samples, data
 * parallel, on 3 and 4 rows of 1 chip, of a torus of 2 x 4 chips.
 */
#include "made.h"
#include "suites.h"

static const uint64_t rows[] = {3, 4};

enum { STEPS = 10 + 2 - 1 };

static made m;

static void tear_down(void) {
  made_free(&m);
}

static void make(uint64_t columns, bool is_overlapped, double link_bandwidth_GBps) {
  m = made_of(made_lstms, DSM_MODE_TRAINING, NULL);
  m.system->model.pipeline_columns = true;
  m.system->model.overlapped_hand_over = is_overlapped;
  m.system->system.axes[1].bandwidth_GBps = link_bandwidth_GBps;
  made_add_group(&m, "g", 0, 2, rows);
  m.pipelines[0].columns = columns;
  made_predict(&m);
}

static const dsm_pass_plan *pass_of(size_t layer, dsm_pass pass) {
  return &m.plan->layers[layer].passes[pass];
}

/* An invocation of a pass, on the stage's own torus: none is kept, so that all are alike. */
static double step_of(size_t layer, dsm_pass pass) {
  ck_assert_uint_eq(pass_of(layer, pass)->invocation_count, 1);
  return pass_of(layer, pass)->invocations[0].cost.total;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

/*
 * Reductions of the slower stage, lstm2: the gradients of its 8192 weights of 2 bytes go over 3/4
 * of the column, 12288 bytes at `link_y` bytes a cycle, slower than ring and memory, and the
 * weights back; every chip then updates a quarter of them, read and written at 128 bytes a cycle.
 */
static double once(double link_y) {
  return 2 * 12288 / link_y + 2 * 16384 / 4.0 / 128;
}

static void expect_close(double found, double expected) {
  ck_assert_double_eq_tol(found, expected, 1e-9 * expected);
}

/* 32 * 32 * 2 bytes over 1 link of 0.25 bytes a cycle are 8192 cycles, longer than any step. */
START_TEST(test_a_long_hand_over_sets_the_pace) {
  make(1, true, 0.5);
  const double update = larger(step_of(0, DSM_PASS_UPDATE), step_of(1, DSM_PASS_UPDATE));
  ck_assert_double_lt(step_of(0, DSM_PASS_FORWARD), 8192);
  ck_assert_double_lt(step_of(1, DSM_PASS_BACKWARD), 8192);
  expect_close(m.plan->pipelines[0].cycles, (8192 + 8192 + update) * STEPS + once(0.25));
}
END_TEST

/* Without overlap both come one after the other. */
START_TEST(test_hand_over_comes_on_top_of_a_step) {
  make(1, false, 0.5);
  const double forward = step_of(0, DSM_PASS_FORWARD) + 8192;
  const double backward = step_of(1, DSM_PASS_BACKWARD) + 8192;
  const double update = larger(step_of(0, DSM_PASS_UPDATE), step_of(1, DSM_PASS_UPDATE));
  expect_close(m.plan->pipelines[0].cycles, (forward + backward + update) * STEPS + once(0.25));
}
END_TEST

/* The same bytes in 102.4 cycles: nothing of them shows. */
START_TEST(test_a_short_hand_over_hides_behind_the_step) {
  make(1, true, 40);
  double slowest[DSM_PASS_COUNT];
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    slowest[p] = larger(step_of(0, (dsm_pass)p), step_of(1, (dsm_pass)p));
    ck_assert_double_eq(pass_of(0, (dsm_pass)p)->group_cycles[DSM_GROUP_HAND_OVER], 0);
    ck_assert_double_eq(pass_of(1, (dsm_pass)p)->group_cycles[DSM_GROUP_HAND_OVER], 0);
  }
  ck_assert_double_gt(slowest[DSM_PASS_FORWARD], 102.4);
  expect_close(m.plan->pipelines[0].cycles,
               (slowest[DSM_PASS_FORWARD] + slowest[DSM_PASS_BACKWARD] + slowest[DSM_PASS_UPDATE]) *
                       STEPS +
                   once(20));
}
END_TEST

/* A stage's share of the pace is spread over its components as they are in its own step. */
START_TEST(test_what_shows_of_a_hand_over_is_a_component_of_the_step) {
  make(1, true, 0.5);
  const dsm_pass_plan *const pass = pass_of(0, DSM_PASS_FORWARD);
  const double step = step_of(0, DSM_PASS_FORWARD);
  const double part = pass->group_cycles[DSM_GROUP_HAND_OVER] / pass->cycles.total;
  ck_assert_double_eq_tol(part, (8192 - step) / 8192, 1e-12);
  ck_assert_int_eq(dsm_plan_validate(m.plan, NULL), DSM_OK);
}
END_TEST

/* Hidden or not, the bytes cross the links, once a timestep: all of them over one column of chips,
 * half over each of two. */
START_TEST(test_bytes_handed_over_are_shared_by_the_columns_of_the_stage) {
  static const uint64_t columns[] = {1, 2, 1, 2};
  static const double bytes[] = {20480, 10240, 20480, 10240};
  make(columns[_i], _i >= 2, 40);
  for (size_t layer = 0; layer < 2; layer++) {
    const dsm_pass_plan *const pass =
        pass_of(layer, layer == 0 ? DSM_PASS_FORWARD : DSM_PASS_BACKWARD);
    size_t found = 0;
    for (size_t t = 0; t < pass->transfer_count; t++) {
      const dsm_plan_transfer *const transfer = &pass->transfers[t];
      if (transfer->transfer == DSM_TRANSFER_HAND_OVER) {
        ck_assert_int_eq(transfer->link, DSM_LINK_AXIS + 1);
        ck_assert_double_eq(transfer->bytes, bytes[_i]);
        found++;
      }
    }
    ck_assert_uint_eq(found, 1);
  }
}
END_TEST

/* 32 samples over 3, 4 chips of a column, over 6, 8 of two. */
START_TEST(test_stages_have_the_chips_of_their_columns_and_rows) {
  static const uint64_t samples[][2] = {{11, 8}, {6, 4}};
  make((uint64_t)_i + 1, true, 40);
  for (size_t layer = 0; layer < 2; layer++) {
    const dsm_chip_share *const share = &pass_of(layer, DSM_PASS_FORWARD)->share;
    ck_assert_uint_eq(share->data_ways, rows[layer] * ((uint64_t)_i + 1));
    ck_assert_uint_eq(share->chip.n[DSM_DIM_MB], samples[_i][layer]);
  }
}
END_TEST

/*
 * Training, 2 bytes an element. Of 8192 weights a layer every chip has all, being data parallel.
 * Kept: lstm1, whose chips have most samples, for the group: 32 + 5 * 32 elements, 10 timesteps, 11
 * samples, and 32 of the network's input, which it reads; lstm3 and lstm4 on all 8 chips, 4
 * samples; fc5 64 elements. Errors: lstm2 on 4 chips, its own and its input's.
 */
START_TEST(test_memory_of_a_group_is_that_of_its_stages_on_their_own_chips) {
  make(1, true, 40);
  const dsm_plan_memory *const memory = &m.plan->result.memory;
  ck_assert_double_eq(memory->weights_bytes, (3 * 8192 + 2048) * 2);
  ck_assert_double_eq(memory->activations_bytes,
                      ((192 + 32) * 10 * 11 + 2 * 192 * 10 * 4 + 64 * 10 * 4) * 2);
  ck_assert_double_eq(memory->errors_bytes, 2 * 32 * 10 * 8 * 2);
}
END_TEST

Suite *suite_plan_pipeline(void) {
  Suite *const suite = suite_create("plan_pipeline");
  TCase *const tcase = tcase_create("groups");
  tcase_add_checked_fixture(tcase, NULL, tear_down);
  tcase_add_test(tcase, test_a_long_hand_over_sets_the_pace);
  tcase_add_test(tcase, test_hand_over_comes_on_top_of_a_step);
  tcase_add_test(tcase, test_a_short_hand_over_hides_behind_the_step);
  tcase_add_test(tcase, test_what_shows_of_a_hand_over_is_a_component_of_the_step);
  tcase_add_loop_test(tcase, test_bytes_handed_over_are_shared_by_the_columns_of_the_stage, 0, 4);
  tcase_add_loop_test(tcase, test_stages_have_the_chips_of_their_columns_and_rows, 0, 2);
  tcase_add_test(tcase, test_memory_of_a_group_is_that_of_its_stages_on_their_own_chips);
  suite_add_tcase(suite, tcase);
  return suite;
}

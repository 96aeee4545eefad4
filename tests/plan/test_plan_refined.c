/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_plan_refined.c: a small network by the refined equations of a layer, worked out by hand.
 *
 *   0  a  conv 4 -> 8, 4 x 4, kernel 1   reads the network's input; batch_norm, relu
 *   1  b  conv 8 -> 8, 4 x 4, kernel 9   reads a, which c uses too; batch_norm, relu; output held
 *   2  c  conv 8 -> 8, 4 x 4, kernel 1   reads b, adds a; relu
 *   3  d  fc 128 -> 4                    reads c; softmax
 *
 * 32 samples on 2 x 4 chips by data: 4 a chip. Outputs of a, b and c have 128 elements, 1024 bytes
 * of a chip. 4 cores; memory and ring carry 128 bytes a cycle, 16 operations a cycle and core.
 */
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "suites.h"

#define CONV "\"type\": \"conv\", \"out\": 8, \"feature\": [4, 4]"
#define NORM "\"aux\": [{\"op\": \"batch_norm\"}, {\"op\": \"relu\"}]"

static const char network[] =
    "{\"name\": \"a\", " CONV ", \"in\": 4, " NORM "},"
    "{\"name\": \"b\", " CONV ", \"in\": 8, \"kernel\": [3, 3], " NORM "},"
    "{\"name\": \"c\", " CONV ", \"in\": 8, \"aux\": [{\"op\": \"residual\", \"from\": \"a\"},"
    " {\"op\": \"relu\"}]},"
    "{\"name\": \"d\", \"type\": \"fc\", \"in\": 128, \"out\": 4, \"aux\": [{\"op\": "
    "\"softmax\"}]}";

static const char refined[] = "{\"exact_forks\": true, \"statistics_sums\": true,"
                              " \"layout_move\": \"always\", \"partial_sum_bytes\": 4}";

enum { LAYER_A, LAYER_B, LAYER_C, LAYER_D, LAYER_COUNT };

static made m;

/* b holds its output for c; both with a factor of spatial minibatching. */
static void make(const char *model, uint64_t factor) {
  static const dsm_loops splits[LAYER_COUNT] = {
      {{1, 1, 2, 1, 2}}, {{1, 2, 1, 1, 2}}, {{1, 4, 1, 1, 1}}, {{1, 2, 1, 1, 2}}};
  m = made_of(network, DSM_MODE_TRAINING, model);
  for (size_t i = 0; i < LAYER_COUNT; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      m.layers[i].splits[p][0] = splits[i];
      m.layers[i].splits[p][1] = splits[i];
    }
  }
  m.layers[LAYER_B].layer.is_output_held = true;
  m.layers[LAYER_B].layer.dysm_factor = factor;
  m.layers[LAYER_C].layer.dysm_factor = factor;
  made_predict(&m);
  ck_assert_int_eq(dsm_plan_validate(m.plan, NULL), DSM_OK);
}

static void tear_down(void) {
  made_free(&m);
}

static const dsm_pass_plan *pass_of(size_t layer, dsm_pass pass) {
  return &m.plan->layers[layer].passes[pass];
}

static double bytes_of(size_t layer, dsm_pass pass, dsm_transfer transfer, dsm_link link) {
  const dsm_pass_plan *const of = pass_of(layer, pass);
  for (size_t t = 0; t < of->transfer_count; t++) {
    if (of->transfers[t].transfer == transfer && of->transfers[t].link == link) {
      return of->transfers[t].bytes;
    }
  }
  return 0;
}

/* ---- transfers ---- */

typedef struct expected_bytes {
  double of[LAYER_COUNT][DSM_PASS_COUNT];
} expected_bytes;

/* Everywhere in the plan, and on one link. */
static void expect_bytes(dsm_transfer transfer, dsm_link link, const expected_bytes *expected) {
  for (size_t i = 0; i < LAYER_COUNT; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const double actual = bytes_of(i, (dsm_pass)p, transfer, link);
      ck_assert_msg(actual >= expected->of[i][p] && actual <= expected->of[i][p],
                    "%s of %s %s: %.17g, expected %.17g", dsm_transfer_name(transfer),
                    m.plan->layers[i].layer->name, dsm_pass_name((dsm_pass)p), actual,
                    expected->of[i][p]);
    }
  }
}

/* c, which adds a, has left the error of a when b adds its own: b reads its 1024 bytes. */
START_TEST(test_first_user_of_a_tensor_reads_the_error_that_is_there) {
  const expected_bytes forks = {.of = {[LAYER_B] = {[DSM_PASS_BACKWARD] = 1024}}};
  make(refined, (uint64_t)_i);
  expect_bytes(DSM_TRANSFER_FETCH_FORK, DSM_LINK_MEMORY, &forks);
  expect_bytes(DSM_TRANSFER_FETCH_FORK, DSM_LINK_RING, &forks);
}
END_TEST

/* c fetches a in forward, and in backward nothing: its shortcut's error is that of its output. */
START_TEST(test_shortcut_is_fetched_in_forward_only) {
  const expected_bytes shortcuts = {.of = {[LAYER_C] = {[DSM_PASS_FORWARD] = 1024}}};
  make(refined, (uint64_t)_i);
  expect_bytes(DSM_TRANSFER_FETCH_SHORTCUT, DSM_LINK_MEMORY, &shortcuts);
}
END_TEST

/* a: ij 2, mb 2, so 4 cores have sums of 8 features: 3/4 * 2*8*4 = 48, in forward and, without
 * backward pass, in update. b: mb 2, 2 cores have sums of 4 features: 1/2 * 2*4*4 = 16, in each of
 * its invocations. d: out 2, 2 cores have sums of 2 samples: 1/2 * 2*2*4 = 8. */
START_TEST(test_cores_sum_statistics) {
  const double b = 16.0 * _i;
  const expected_bytes sums = {.of = {[LAYER_A] = {48, 0, 48}, {b, b, 0}, {0, 0, 0}, {8, 8, 0}}};
  make(refined, (uint64_t)_i);
  expect_bytes(DSM_TRANSFER_SUM_OF_STATISTICS, DSM_LINK_RING, &sums);
}
END_TEST

/* The held 1024 bytes go to c in forward, their error from c to b in b's update and backward: a
 * quarter over each link of 4 cores. Spatial minibatches are as many bytes in all. */
START_TEST(test_held_tensor_moves_once_a_use) {
  const expected_bytes moves = {
      .of = {[LAYER_B] = {0, 256, 256}, [LAYER_C] = {[DSM_PASS_FORWARD] = 256}}};
  make(refined, (uint64_t)_i);
  expect_bytes(DSM_TRANSFER_LAYOUT_MOVE, DSM_LINK_RING, &moves);
  expect_bytes(DSM_TRANSFER_LAYOUT_MOVE, DSM_LINK_MEMORY, &(expected_bytes){0});
}
END_TEST

/* By default the first reads nothing, the second reads its output's error again, and cores sum and
 * move for nothing. */
START_TEST(test_specified_equations_have_none_of_it) {
  const expected_bytes shortcuts = {.of = {[LAYER_C] = {1024, 1024, 0}}};
  make(NULL, (uint64_t)_i);
  expect_bytes(DSM_TRANSFER_FETCH_FORK, DSM_LINK_MEMORY, &(expected_bytes){0});
  expect_bytes(DSM_TRANSFER_SUM_OF_STATISTICS, DSM_LINK_RING, &(expected_bytes){0});
  expect_bytes(DSM_TRANSFER_LAYOUT_MOVE, DSM_LINK_RING, &(expected_bytes){0});
  expect_bytes(DSM_TRANSFER_FETCH_SHORTCUT, DSM_LINK_MEMORY, &shortcuts);
}
END_TEST

/* ---- cycles ---- */

/* c_ij = 16, c_mb = 4: 1 block * 64 + 1000. memory: kernel 128, output 1024, shortcut 1024, and the
 * deferred output of b 1024. relu and addition: 256 * 4 / 4 / 16. 256 / 128 to move. */
START_TEST(test_forward_beside_a_held_input_by_hand) {
  make(refined, 1);
  const dsm_pass_plan *const pass = pass_of(LAYER_C, DSM_PASS_FORWARD);
  ck_assert_double_eq(pass->cycles.primary, 1064);
  ck_assert_double_eq(pass->cycles.overlapped, 25);
  ck_assert_double_eq(pass->cycles.auxiliary, 16);
  ck_assert_double_eq(pass->group_cycles[DSM_GROUP_LAYOUT_MOVE], 2);
  ck_assert_double_eq(pass->cycles.total, 1064 + 16 + 2);
}
END_TEST

/* red = 4, prod = 8: 9 blocks of 16 * 2, and 1000. memory: kernel 1152, error of the input 1024,
 * mask 64, fork 1024. batch_norm and additions: (4 * 128 + 128) * 4 / 4 / 16. Partial sums over out
 * 2: 1/2 * 512 * 4/2 bytes, and 16 of statistics. */
START_TEST(test_backward_of_a_fork_by_hand) {
  make(refined, 1);
  const dsm_pass_plan *const pass = pass_of(LAYER_B, DSM_PASS_BACKWARD);
  ck_assert_double_eq(pass->cycles.primary, 1288);
  ck_assert_double_eq(pass->cycles.overlapped, 25.5);
  ck_assert_double_eq(pass->cycles.auxiliary, 40);
  ck_assert_double_eq(pass->group_cycles[DSM_GROUP_PARTIAL_SUM], 4.125);
  ck_assert_double_eq(pass->group_cycles[DSM_GROUP_LAYOUT_MOVE], 2);
  ck_assert_double_eq(pass->cycles.total, 1288 + 40 + 4.125 + 2);
}
END_TEST

/* ---- as text ---- */

START_TEST(test_refined_plan_scores_the_same_when_it_is_read) {
  make(refined, (uint64_t)_i);
  char *const text = dsm_plan_print(m.plan);
  dsm_plan *again = NULL;
  double recorded = 0;
  ck_assert_ptr_nonnull(text);
  ck_assert_ptr_nonnull(strstr(text, "\"fetch_fork\""));
  ck_assert_ptr_nonnull(strstr(text, "\"sum_of_statistics\""));
  ck_assert_ptr_nonnull(strstr(text, "\"layout_move\""));
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), "plan.json", &recorded, NULL),
                   DSM_OK);
  ck_assert_double_eq(again->result.step_cycles, m.plan->result.step_cycles);
  ck_assert_double_eq(recorded, m.plan->result.step_cycles);
  dsm_plan_free(again);
  free(text);
}
END_TEST

Suite *suite_plan_refined(void) {
  enum { FACTOR_END = 3 }; /* factors 1 and 2 */
  Suite *const suite = suite_create("plan_refined");
  TCase *const transfers = tcase_create("transfers");
  tcase_add_checked_fixture(transfers, NULL, tear_down);
  tcase_add_loop_test(transfers, test_first_user_of_a_tensor_reads_the_error_that_is_there, 1,
                      FACTOR_END);
  tcase_add_loop_test(transfers, test_shortcut_is_fetched_in_forward_only, 1, FACTOR_END);
  tcase_add_loop_test(transfers, test_cores_sum_statistics, 1, FACTOR_END);
  tcase_add_loop_test(transfers, test_held_tensor_moves_once_a_use, 1, FACTOR_END);
  tcase_add_loop_test(transfers, test_specified_equations_have_none_of_it, 1, FACTOR_END);
  tcase_add_test(transfers, test_forward_beside_a_held_input_by_hand);
  tcase_add_test(transfers, test_backward_of_a_fork_by_hand);
  tcase_add_loop_test(transfers, test_refined_plan_scores_the_same_when_it_is_read, 1, FACTOR_END);
  suite_add_tcase(suite, transfers);
  return suite;
}

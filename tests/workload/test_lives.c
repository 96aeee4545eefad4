/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "network.h"
#include "suites.h"

/* A small network with a fork, a shortcut, a concatenation and an operand that lives long:
 *
 *   index  layer         reads         stored elements  used last by
 *   0      a  conv 1->2  @input        2 * 4 =  8       c (2); as an operand f (5)
 *   1      b  conv 2->3  a             3 * 4 = 12       e (4), and as c's shortcut
 *   2      c  conv 2->3  a, shortcut b 3 * 4 = 12       d (3)
 *   3      d  fc 12->5   c             5                e (4)
 *   4      e  fc 17->2   b, d          2                f (5)
 *   5      f  matmul 2->1 e, operand a 1                never
 *
 * a forks at b, whose backward pass comes after those of c and of f, and at c, after that of f. b
 * does not fork at c, which only adds it, nor at e, its last user.
 */
static const char branchy[] =
    "{'name': 'a', 'type': 'conv', 'in': 1, 'out': 2, 'feature': [2, 2]},"
    "{'name': 'b', 'type': 'conv', 'in': 2, 'out': 3, 'feature': [2, 2]},"
    "{'name': 'c', 'type': 'conv', 'inputs': ['a'], 'in': 2, 'out': 3, 'feature': [2, 2],"
    " 'aux': [{'op': 'residual', 'from': 'b'}]},"
    "{'name': 'd', 'type': 'fc', 'in': 12, 'out': 5},"
    "{'name': 'e', 'type': 'fc', 'inputs': ['b', 'd'], 'in': 17, 'out': 2},"
    "{'name': 'f', 'type': 'matmul', 'in': 2, 'out': 1, 'operand': 'a', 'operand_elements': 2}";

typedef struct life {
  size_t last_use;
  size_t last_operand_use;
  uint64_t carried;    /* made before, used as input or shortcut by it or later */
  uint64_t live;       /* its own output, and all made before and used in any way by it or later */
  uint64_t error_pair; /* errors of its output and of its producers' outputs */
  uint64_t fork;       /* of what it reads, used later in any way */
} life;

static const life branchy_lives[] = {
    /* a: fed only by the network, so it has no backward pass and no errors */
    {2, 5, 0, 8, 0, 0},
    /* b: carries a */
    {4, DSM_NEVER_USED, 8, 12 + 8, 12 + 8, 8},
    /* c: carries a and b */
    {3, DSM_NEVER_USED, 8 + 12, 12 + 8 + 12, 12 + 8, 8},
    /* d: carries b and c; a still lives as an operand */
    {4, DSM_NEVER_USED, 12 + 12, 5 + 8 + 12 + 12, 5 + 12, 0},
    /* e: carries b and d */
    {5, DSM_NEVER_USED, 12 + 5, 2 + 8 + 12 + 5, 2 + 12 + 5, 0},
    /* f: carries e; its operand is loaded as wanted */
    {DSM_NEVER_USED, DSM_NEVER_USED, 2, 1 + 8 + 2, 1 + 2, 0},
};

static dsm_workload *network;

static void set_up(void) {
  network = network_of(branchy);
  ck_assert_uint_eq(network->layer_count, COUNT_OF(branchy_lives));
}

static void tear_down(void) {
  dsm_workload_free(network);
  network = NULL;
}

START_TEST(test_last_use_is_by_a_consumer_or_a_shortcut) {
  ck_assert_uint_eq(network->layers[_i].last_use, branchy_lives[_i].last_use);
}
END_TEST

START_TEST(test_last_operand_use_is_kept_apart) {
  ck_assert_uint_eq(network->layers[_i].last_operand_use, branchy_lives[_i].last_operand_use);
}
END_TEST

START_TEST(test_carried_elements_are_what_a_relayout_moves) {
  ck_assert_uint_eq(network->layers[_i].carried_elements, branchy_lives[_i].carried);
}
END_TEST

START_TEST(test_live_elements_hold_the_output_and_all_that_is_still_used) {
  ck_assert_uint_eq(network->layers[_i].live_elements, branchy_lives[_i].live);
}
END_TEST

START_TEST(test_error_pair_is_of_output_and_producers) {
  ck_assert_uint_eq(network->layers[_i].error_pair_elements, branchy_lives[_i].error_pair);
}
END_TEST

START_TEST(test_forks_are_of_inputs_that_are_used_later) {
  ck_assert_uint_eq(network->layers[_i].fork_elements, branchy_lives[_i].fork);
}
END_TEST

START_TEST(test_shortcut_of_another_layers_output_is_no_own_input) {
  ck_assert(!network->layers[_i].is_shortcut_own_input);
}
END_TEST

START_TEST(test_network_input_is_used_by_the_first_layer_only) {
  ck_assert_uint_eq(network->input_last_use, 0);
  ck_assert_uint_eq(network->input_timesteps, 1);
}
END_TEST

/* Two directions of 3 units over 2 timesteps store 6 elements each; the second runs while the first
 * is already kept for y. */
START_TEST(test_directions_of_a_bidirectional_lstm_live_one_by_one) {
  network = network_of("{'name': 'x', 'type': 'lstm', 'in': 4, 'out': 3, 'timesteps': 2,"
                       " 'bidirectional': true},"
                       "{'name': 'y', 'type': 'lstm', 'in': 6, 'out': 5, 'timesteps': 2}");
  const dsm_layer *const layers = network->layers;
  ck_assert_uint_eq(network->layer_count, 3);
  ck_assert_uint_eq(layers[0].last_use, 2);
  ck_assert_uint_eq(layers[1].last_use, 2);
  ck_assert_uint_eq(layers[1].carried_elements, 6);
  ck_assert_uint_eq(layers[2].carried_elements, 6 + 6);
  ck_assert_uint_eq(layers[1].live_elements, 6 + 6);
  ck_assert_uint_eq(layers[2].live_elements, 10 + 6 + 6);
  ck_assert_uint_eq(layers[0].error_pair_elements, 6);
  ck_assert_uint_eq(layers[2].error_pair_elements, 10 + 6 + 6);
}
END_TEST

/* Both directions read w, of 4 elements; that of y is the last backward pass but for x.fwd's, which
 * finds what x.bwd left. */
START_TEST(test_second_direction_of_a_bidirectional_lstm_is_a_later_user) {
  network = network_of("{'name': 'w', 'type': 'fc', 'in': 5, 'out': 4, 'timesteps': 2},"
                       "{'name': 'x', 'type': 'lstm', 'in': 4, 'out': 3, 'timesteps': 2,"
                       " 'bidirectional': true},"
                       "{'name': 'y', 'type': 'lstm', 'in': 6, 'out': 5, 'timesteps': 2}");
  const dsm_layer *const layers = network->layers;
  ck_assert_uint_eq(layers[1].fork_elements, 4);
  ck_assert_uint_eq(layers[2].fork_elements, 0);
  ck_assert_uint_eq(layers[3].fork_elements, 0);
}
END_TEST

#define CONV2 "'type': 'conv', 'in': 2, 'out': 2, 'feature': [2, 2]"
#define WIDE "'type': 'conv', 'in': 4, 'out': 2, 'feature': [2, 2]"

/* a is listed twice, forks, and counts once: 2 * 4 elements. What several layers read of it stored
 * is pooled: 2 * 1 elements of p. Later users of the network's input fork nothing. */
START_TEST(test_fork_is_of_what_is_stored_and_counts_once) {
  network = network_with("'input': {'features': 2, 'feature': [2, 2]}, ",
                         "{'name': 'a', " CONV2 "},"
                         "{'name': 'b', " WIDE ", 'inputs': ['a', 'a']},"
                         "{'name': 'c', " CONV2 ", 'inputs': ['a']},"
                         "{'name': 'd', " WIDE ", 'inputs': ['c', '@input']},"
                         "{'name': 'p', " CONV2 ", 'inputs': ['@input'],"
                         " 'aux': [{'op': 'max_pool', 'window': [2, 2]}]},"
                         "{'name': 'e', 'type': 'fc', 'in': 2, 'out': 2, 'inputs': ['p']},"
                         "{'name': 'f', 'type': 'fc', 'in': 4, 'out': 2, 'inputs': ['e', 'p']}");
  const uint64_t forks[] = {0, 8, 0, 0, 0, 2, 0};
  ck_assert_uint_eq(network->layer_count, COUNT_OF(forks));
  for (size_t i = 0; i < network->layer_count; i++) {
    ck_assert_uint_eq(network->layers[i].fork_elements, forks[i]);
  }
}
END_TEST

/* A layer adds its input; one of its inputs; both directions of what it reads; another layer's
 * output; nothing. */
START_TEST(test_shortcut_can_be_the_layers_own_input) {
  network = network_of("{'name': 'a', " CONV2 "},"
                       "{'name': 'b', " CONV2 ", 'aux': [{'op': 'residual', 'from': 'a'}]},"
                       "{'name': 'c', " WIDE ", 'inputs': ['a', 'b'],"
                       " 'aux': [{'op': 'residual', 'from': 'a'}]},"
                       "{'name': 'd', " CONV2 ", 'aux': [{'op': 'residual', 'from': 'b'}]},"
                       "{'name': 'e', 'type': 'lstm', 'in': 8, 'out': 2, 'bidirectional': true},"
                       "{'name': 'f', 'type': 'lstm', 'in': 4, 'out': 4,"
                       " 'aux': [{'op': 'residual', 'from': 'e'}]}");
  const bool are_own[] = {false, true, true, false, false, false, true};
  ck_assert_uint_eq(network->layer_count, COUNT_OF(are_own));
  for (size_t i = 0; i < network->layer_count; i++) {
    ck_assert_int_eq(network->layers[i].is_shortcut_own_input, are_own[i]);
  }
}
END_TEST

START_TEST(test_network_input_lives_until_its_last_reader_and_has_the_most_timesteps) {
  network = network_with("'input': {'features': 4, 'feature': [1, 1]}, ",
                         "{'name': 'x', 'type': 'lstm', 'in': 4, 'out': 4, 'timesteps': 3},"
                         "{'name': 'y', 'type': 'fc', 'in': 4, 'out': 4},"
                         "{'name': 'z', 'type': 'lstm', 'inputs': ['y', '@input'], 'in': 8,"
                         " 'out': 4, 'timesteps': 2}");
  ck_assert_uint_eq(network->input_last_use, 2);
  ck_assert_uint_eq(network->input_timesteps, 3);
}
END_TEST

Suite *suite_lives(void) {
  Suite *const suite = suite_create("lives");
  TCase *const lives = tcase_create("branchy");
  tcase_add_checked_fixture(lives, set_up, tear_down);
  tcase_add_loop_test(lives, test_last_use_is_by_a_consumer_or_a_shortcut, 0,
                      COUNT_OF(branchy_lives));
  tcase_add_loop_test(lives, test_last_operand_use_is_kept_apart, 0, COUNT_OF(branchy_lives));
  tcase_add_loop_test(lives, test_carried_elements_are_what_a_relayout_moves, 0,
                      COUNT_OF(branchy_lives));
  tcase_add_loop_test(lives, test_live_elements_hold_the_output_and_all_that_is_still_used, 0,
                      COUNT_OF(branchy_lives));
  tcase_add_loop_test(lives, test_error_pair_is_of_output_and_producers, 0,
                      COUNT_OF(branchy_lives));
  tcase_add_loop_test(lives, test_forks_are_of_inputs_that_are_used_later, 0,
                      COUNT_OF(branchy_lives));
  tcase_add_loop_test(lives, test_shortcut_of_another_layers_output_is_no_own_input, 0,
                      COUNT_OF(branchy_lives));
  tcase_add_test(lives, test_network_input_is_used_by_the_first_layer_only);
  suite_add_tcase(suite, lives);
  TCase *const others = tcase_create("others");
  tcase_add_checked_fixture(others, NULL, tear_down);
  tcase_add_test(others, test_directions_of_a_bidirectional_lstm_live_one_by_one);
  tcase_add_test(others, test_second_direction_of_a_bidirectional_lstm_is_a_later_user);
  tcase_add_test(others, test_fork_is_of_what_is_stored_and_counts_once);
  tcase_add_test(others, test_shortcut_can_be_the_layers_own_input);
  tcase_add_test(others, test_network_input_lives_until_its_last_reader_and_has_the_most_timesteps);
  suite_add_tcase(suite, others);
  return suite;
}

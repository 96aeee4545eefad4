/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "given.h"
#include "plan/strategy_rules.h"
#include "search/hold/held_sets.h"
#include "suites.h"

#define CONV(name, more)                                                                           \
  "{'name': '" name "', 'type': 'conv', 'in': 4, 'out': 4, 'feature': [4, 4]" more "}"
#define ADDS(from) ", 'aux': [{'op': 'residual', 'from': '" from "'}]"

typedef struct subject {
  dsm__arena *arena;
  dsm_workload *workload;
  dsm__held_lives lives;
} subject;

static subject derive(const char *layers) {
  subject made = {.arena = dsm__arena_new(), .workload = given_network("4", layers)};
  ck_assert(dsm__held_lives_derive(&made.lives, made.workload, made.arena));
  return made;
}

static void drop(subject *made) {
  dsm_workload_free(made->workload);
  dsm__arena_free(made->arena);
}

static unsigned bit_count(dsm__held_set set) {
  unsigned count = 0;
  for (; set != 0; set &= set - 1) {
    count++;
  }
  return count;
}

/* a -> b -> c: c's output is not used; a and b live for one layer each. */
START_TEST(test_a_chain_holds_all_but_its_last_output) {
  subject made = derive(CONV("a", "") "," CONV("b", "") "," CONV("c", ""));
  const dsm__held_life *const l = made.lives.layers;
  ck_assert(made.lives.is_any_holdable && !made.lives.is_cut);
  ck_assert(l[0].is_holdable && l[1].is_holdable && !l[2].is_holdable);
  ck_assert(l[2].own == 0);
  ck_assert_str_eq(dsm__held_why_not(made.workload, 2), "no layer uses it");
  ck_assert_ptr_null(dsm__held_why_not(made.workload, 0));
  ck_assert(!l[0].can_input_be_held); /* the network's input */
  ck_assert(l[1].can_input_be_held && l[1].producers == l[0].own && l[1].ending == l[0].own);
  ck_assert(l[2].producers == l[1].own && l[2].ending == l[1].own);
  ck_assert(!l[0].is_crossed && l[1].is_crossed && l[2].is_crossed);
  ck_assert(l[0].own != l[1].own); /* both live while b runs */
  drop(&made);
}
END_TEST

/* a -> b -> c, c adds a: a lives until c, and needs another bit than b, but d's may be a's. */
START_TEST(test_a_residual_makes_its_operand_live_until_it_is_added) {
  subject made = derive(
      CONV("a", "") "," CONV("b", "") "," CONV("c", ADDS("a")) "," CONV("d", "") "," CONV("e", ""));
  const dsm__held_life *const l = made.lives.layers;
  ck_assert(l[1].ending == 0);
  ck_assert(l[2].ending == (l[0].own | l[1].own));
  ck_assert_uint_eq(bit_count(l[2].ending), 2);
  ck_assert(l[2].can_shortcut_be_held && l[2].shortcuts == l[0].own);
  ck_assert(l[2].can_input_be_held && l[2].producers == l[1].own);
  ck_assert(!l[1].can_shortcut_be_held);
  ck_assert(l[3].own == l[0].own); /* free again */
  drop(&made);
}
END_TEST

/* A layer may add its own input: one tensor, used twice. */
START_TEST(test_a_shortcut_may_be_the_input_itself) {
  subject made = derive(CONV("a", "") "," CONV("b", ADDS("a")) "," CONV("c", ""));
  const dsm__held_life *const l = made.lives.layers;
  ck_assert(l[1].producers == l[0].own && l[1].shortcuts == l[0].own && l[1].ending == l[0].own);
  drop(&made);
}
END_TEST

START_TEST(test_a_concatenation_is_held_only_as_a_whole) {
  subject made = derive(CONV("a", "") "," CONV("b", ", 'inputs': ['a']") "," CONV(
      "c", ", 'inputs': ['a']") ",{'name': 'd', 'type': 'conv', 'in': 8, 'out': 4, 'feature': "
                                "[4, 4], 'inputs': ['b', 'c']},"
                                "{'name': 'e', 'type': 'conv', 'in': 8, 'out': 4, 'feature': "
                                "[4, 4], 'inputs': ['d', '@input']}");
  const dsm__held_life *const l = made.lives.layers;
  ck_assert(l[3].can_input_be_held && l[3].producers == (l[1].own | l[2].own));
  ck_assert(l[2].ending == l[0].own && l[3].ending == (l[1].own | l[2].own));
  /* The network's input is never held; but d, which is, ends here. */
  ck_assert(!l[4].can_input_be_held && l[4].ending == l[3].own && l[3].is_holdable);
  drop(&made);
}
END_TEST

/* A matmul's operand is a use, though the matmul itself does not gain from its being held. */
START_TEST(test_an_operand_lives_until_its_matmul) {
  subject made = derive("{'name': 'a', 'type': 'fc', 'in': 4, 'out': 8},"
                        "{'name': 'b', 'type': 'fc', 'in': 8, 'out': 8},"
                        "{'name': 'm', 'type': 'matmul', 'in': 8, 'out': 2, 'operand': 'a', "
                        "'operand_elements': 16},"
                        "{'name': 'c', 'type': 'fc', 'in': 2, 'out': 2}");
  const dsm__held_life *const l = made.lives.layers;
  ck_assert(l[0].is_holdable && l[1].ending == 0);
  ck_assert(l[2].ending == (l[0].own | l[1].own) && l[2].producers == l[1].own);
  drop(&made);
}
END_TEST

/* a -> t (T = 3) -> b -> c: neither a, which t uses, nor t. With a residual across t likewise. */
START_TEST(test_a_layer_with_timesteps_ends_all_lives) {
  subject made = derive("{'name': 'a', 'type': 'fc', 'in': 4, 'out': 4},"
                        "{'name': 't', 'type': 'fc', 'in': 4, 'out': 4, 'timesteps': 3},"
                        "{'name': 'b', 'type': 'fc', 'in': 4, 'out': 4},"
                        "{'name': 'c', 'type': 'fc', 'in': 4, 'out': 4, 'aux': [{'op': "
                        "'residual', 'from': 'a'}]}");
  const dsm__held_life *const l = made.lives.layers;
  ck_assert(!l[0].is_holdable && !l[1].is_holdable && l[2].is_holdable);
  ck_assert_str_eq(dsm__held_why_not(made.workload, 0),
                   "a layer with timesteps runs before its last use");
  ck_assert_str_eq(dsm__held_why_not(made.workload, 1), "the layer has timesteps");
  ck_assert(!l[2].can_input_be_held && !l[2].is_crossed);
  ck_assert(l[3].can_input_be_held && !l[3].can_shortcut_be_held);
  drop(&made);
}
END_TEST

/* n branches of a, then one layer that concatenates them. While it runs, they all live; while the
 * last branch runs, so does a. */
static subject fan_out(int branches) {
  static char text[32768];
  size_t length = (size_t)snprintf(text, sizeof text, "%s", CONV("a", ""));
  for (int i = 0; i < branches; i++) {
    length += (size_t)snprintf(
        text + length, sizeof text - length,
        ",{'name':'b%d','type':'conv','in':4,'out':4,'feature':[4,4],'inputs':['a']}", i);
  }
  length += (size_t)snprintf(
      text + length, sizeof text - length,
      ",{'name':'c','type':'conv','in':%d,'out':4,'feature':[4,4],'inputs':[", 4 * branches);
  for (int i = 0; i < branches; i++) {
    length +=
        (size_t)snprintf(text + length, sizeof text - length, "%s'b%d'", i == 0 ? "" : ",", i);
  }
  length += (size_t)snprintf(text + length, sizeof text - length, "]}");
  ck_assert_uint_lt(length, sizeof text);
  return derive(text);
}

START_TEST(test_64_tensors_that_live_at_once_have_a_bit_each_and_65_have_not) {
  subject fits = fan_out(63);
  ck_assert(!fits.lives.is_cut);
  ck_assert_uint_eq(bit_count(fits.lives.layers[64].producers), 63);
  ck_assert(fits.lives.layers[64].can_input_be_held);
  drop(&fits);
  subject cut = fan_out(64);
  ck_assert(cut.lives.is_cut);
  ck_assert(!cut.lives.layers[64].is_holdable && cut.lives.layers[63].is_holdable);
  ck_assert(!cut.lives.layers[65].can_input_be_held);
  drop(&cut);
}
END_TEST

Suite *suite_lives(void) {
  Suite *const suite = suite_create("lives");
  TCase *const tests = tcase_create("held sets");
  tcase_add_test(tests, test_a_chain_holds_all_but_its_last_output);
  tcase_add_test(tests, test_a_residual_makes_its_operand_live_until_it_is_added);
  tcase_add_test(tests, test_a_shortcut_may_be_the_input_itself);
  tcase_add_test(tests, test_a_concatenation_is_held_only_as_a_whole);
  tcase_add_test(tests, test_an_operand_lives_until_its_matmul);
  tcase_add_test(tests, test_a_layer_with_timesteps_ends_all_lives);
  tcase_add_test(tests, test_64_tensors_that_live_at_once_have_a_bit_each_and_65_have_not);
  suite_add_tcase(suite, tests);
  return suite;
}

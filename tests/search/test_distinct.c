/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bundled.h"
#include "given.h"
#include "search/distinct.h"
#include "suites.h"

START_TEST(test_equal_layers_share_a_class_and_their_first_represents_it) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_workload *const workload = bundled_workload("gnmt", "256");
  dsm__distinct distinct;
  ck_assert(dsm__distinct_find(&distinct, workload, false, DSM_RECOMPUTATION_BEST, arena));
  /* enc0.fwd, enc0.bwd | enc1 | enc2 .. enc7 | att_query | att_score | att_context | dec0 | dec1 |
   * dec2 .. dec7. Of these enc0, dec1 (2048 -> 4096, no residual) are alike, enc1 and dec0 (3072 ->
   * 4096), enc2 .. enc7 and dec2 .. dec7 (residual). */
  ck_assert_uint_eq(workload->layer_count, 20);
  ck_assert_uint_eq(distinct.count, 6);
  const size_t enc0 = dsm_workload_find_layer(workload, "enc0.fwd");
  const size_t enc1 = dsm_workload_find_layer(workload, "enc1");
  const size_t enc2 = dsm_workload_find_layer(workload, "enc2");
  const size_t dec0 = dsm_workload_find_layer(workload, "dec0");
  const size_t dec1 = dsm_workload_find_layer(workload, "dec1");
  const size_t dec7 = dsm_workload_find_layer(workload, "dec7");
  ck_assert_uint_eq(distinct.class_of[enc0], distinct.class_of[dec1]);
  ck_assert_uint_eq(distinct.class_of[enc1], distinct.class_of[dec0]);
  ck_assert_uint_eq(distinct.class_of[enc2], distinct.class_of[dec7]);
  ck_assert_uint_ne(distinct.class_of[enc0], distinct.class_of[enc2]);
  ck_assert_uint_eq(distinct.representative[distinct.class_of[dec7]], enc2);
  dsm_workload_free(workload);
  dsm__arena_free(arena);
}
END_TEST

/* The classes that layers fall into; forks are those of ways to use their input. */
static size_t class_count(const char *network, bool are_forks_counted, size_t *class_of) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_workload *const workload = given_network("8", network);
  dsm__distinct distinct;
  ck_assert(
      dsm__distinct_find(&distinct, workload, are_forks_counted, DSM_RECOMPUTATION_BEST, arena));
  for (size_t i = 0; i < workload->layer_count; i++) {
    class_of[i] = distinct.class_of[i];
  }
  const size_t count = distinct.count;
  dsm_workload_free(workload);
  dsm__arena_free(arena);
  return count;
}

#define CONV "'type': 'conv', 'in': 4, 'out': 4, 'feature': [4, 4]"

/* b and c read a, which c uses too: only b forks. d and e add b, which is e's input alone. */
static const char forking[] =
    "{'name': 'a', " CONV "}, {'name': 'b', " CONV "}, {'name': 'c', " CONV ", 'inputs': ['a']},"
    "{'name': 'd', " CONV ", 'aux': [{'op': 'residual', 'from': 'b'}]},"
    "{'name': 'e', " CONV ", 'inputs': ['b'], 'aux': [{'op': 'residual', 'from': 'b'}]}";

START_TEST(test_forks_tell_layers_apart_only_where_they_cost) {
  size_t class_of[5];
  ck_assert_uint_eq(class_count(forking, false, class_of), 3); /* a has no backward pass */
  ck_assert_uint_eq(class_of[1], class_of[2]);
  ck_assert_uint_eq(class_of[3], class_of[4]);
  ck_assert_uint_eq(class_count(forking, true, class_of), 5);
}
END_TEST

/* Where a fork is all that differs, or a shortcut that is the input. */
START_TEST(test_layers_with_the_same_forks_are_alike) {
  static const char twice[] =
      "{'name': 'a', " CONV "}, {'name': 'b', " CONV "}, {'name': 'c', " CONV "},"
      "{'name': 'd', " CONV ", 'aux': [{'op': 'residual', 'from': 'a'}]},"
      "{'name': 'e', " CONV ", 'aux': [{'op': 'residual', 'from': 'b'}]},"
      "{'name': 'f', " CONV ", 'aux': [{'op': 'residual', 'from': 'e'}]}";
  size_t class_of[6];
  ck_assert_uint_eq(class_count(twice, true, class_of), 4);
  ck_assert_uint_eq(class_of[1], class_of[2]); /* their inputs a and b are added later */
  ck_assert_uint_eq(class_of[3], class_of[4]);
  ck_assert_uint_ne(class_of[4], class_of[5]);
}
END_TEST

Suite *suite_distinct(void) {
  Suite *const suite = suite_create("distinct");
  TCase *const tests = tcase_create("classes");
  tcase_add_test(tests, test_equal_layers_share_a_class_and_their_first_represents_it);
  tcase_add_test(tests, test_forks_tell_layers_apart_only_where_they_cost);
  tcase_add_test(tests, test_layers_with_the_same_forks_are_alike);
  suite_add_tcase(suite, tests);
  return suite;
}

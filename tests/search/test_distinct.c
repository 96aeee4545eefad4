/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bundled.h"
#include "search/distinct.h"
#include "suites.h"

START_TEST(test_equal_layers_share_a_class_and_their_first_represents_it) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_workload *const workload = bundled_workload("gnmt", "256");
  dsm__distinct distinct;
  ck_assert(dsm__distinct_find(&distinct, workload, false, arena));
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

Suite *suite_distinct(void) {
  Suite *const suite = suite_create("distinct");
  TCase *const tests = tcase_create("classes");
  tcase_add_test(tests, test_equal_layers_share_a_class_and_their_first_represents_it);
  suite_add_tcase(suite, tests);
  return suite;
}

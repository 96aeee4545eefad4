/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/point.h"

#include <check.h>

#include "shelf.h"
#include "suites.h"

START_TEST(what_a_point_is) {
  dsm_sweep *const sweep = sweep_of(
      SPEC("\"set\": {\"system.pe.simd_macs\": 2, \"workload.source\": \"4\"}, \"axes\": "
           "[{\"path\": \"workload.minibatch\", \"values\": [1, 2]}, {\"paths\": "
           "[\"system.array.rows\", \"workload.name\"], \"values\": [[4, \"four\"], [8, "
           "\"eight\"]]}, {\"path\": \"options.mode\", \"values\": [\"training\", "
           "\"inference\"]}, {\"path\": \"options.parallelism\", \"values\": [\"model\"]}]"),
      NULL);
  dsm__arena *const arena = dsm__arena_new();
  dsm__sweep_point point;
  ck_assert_uint_eq(sweep->point_count, 8);
  ck_assert(dsm__point_init(&point, sweep, 7, arena));
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_WORKLOAD].input->name, "net");
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_SYSTEM].input->name, "one");
  ck_assert_uint_eq(point.inputs[DSM_DESCRIPTION_WORKLOAD].override_count, 3);
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_WORKLOAD].overrides[0].path, "source");
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_WORKLOAD].overrides[0].value, "\"4\"");
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_WORKLOAD].overrides[0].origin, "workload.source");
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_WORKLOAD].overrides[1].path, "minibatch");
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_WORKLOAD].overrides[1].value, "2");
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_WORKLOAD].overrides[2].value, "eight");
  ck_assert_uint_eq(point.inputs[DSM_DESCRIPTION_SYSTEM].override_count, 2);
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_SYSTEM].overrides[0].path, "pe.simd_macs");
  ck_assert_str_eq(point.inputs[DSM_DESCRIPTION_SYSTEM].overrides[1].value, "8");
  ck_assert_uint_eq(point.options.override_count, 5);
  static const char *const texts[] = {"system.pe.simd_macs=2", "workload.source=\"4\"",
                                      "workload.minibatch=2", "system.array.rows=8",
                                      "workload.name=eight"};
  for (size_t i = 0; i < 5; i++) {
    ck_assert_str_eq(point.options.overrides[i], texts[i]);
  }
  ck_assert_int_eq(point.options.mode, DSM_MODE_INFERENCE);
  ck_assert_uint_eq(point.options.optimizations, dsm_mode_optimizations(DSM_MODE_INFERENCE));
  ck_assert_uint_eq(point.options.parallelisms, 2);
  ck_assert(dsm__point_init(&point, sweep, 0, arena));
  ck_assert_int_eq(point.options.mode, DSM_MODE_TRAINING);
  ck_assert_uint_eq(point.options.optimizations, dsm_mode_optimizations(DSM_MODE_TRAINING));
  dsm__arena_free(arena);
  dsm_sweep_free(sweep);
}
END_TEST

/* "all" among other words is all of the mode, and everything what the mode can be asked for. */
START_TEST(words_beside_all) {
  static const char *const texts[] = {
      SPEC("\"options\": {\"optimize\": \"all+hoist\"}, \"axes\": [{\"path\": "
           "\"options.mode\", \"values\": [\"training\", \"inference\"]}]"),
      SPEC("\"options\": {\"optimize\": [\"everything\"]}, \"axes\": [{\"path\": "
           "\"options.mode\", \"values\": [\"training\", \"inference\"]}]")};
  const unsigned hoist = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HOIST);
  for (size_t t = 0; t < 2; t++) {
    dsm_sweep *const sweep = sweep_of(texts[t], NULL);
    dsm__arena *const arena = dsm__arena_new();
    ck_assert(sweep->has_all_optimizations);
    for (dsm_mode mode = 0; mode < DSM_MODE_COUNT; mode++) {
      dsm__sweep_point point;
      ck_assert(dsm__point_init(&point, sweep, mode, arena));
      ck_assert(point.has_all);
      ck_assert_uint_eq(point.options.optimizations,
                        dsm_mode_possible_optimizations(mode) &
                            (t == 1 ? DSM_OPTIMIZATION_EVERYTHING : hoist | DSM_OPTIMIZATION_ALL));
    }
    dsm__arena_free(arena);
    dsm_sweep_free(sweep);
  }
}
END_TEST

/* An optimization without meaning in the mode of a point is left out there. */
START_TEST(optimizations_of_the_mode) {
  dsm_sweep *const sweep = sweep_of(
      SPEC("\"options\": {\"optimize\": \"reuse+per_pass+preload\"}, \"axes\": [{\"path\": "
           "\"options.mode\", \"values\": [\"training\", \"inference\"]}]"),
      NULL);
  const unsigned reuse = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE);
  dsm__arena *const arena = dsm__arena_new();
  dsm__sweep_point point;
  ck_assert(dsm__point_init(&point, sweep, 0, arena));
  ck_assert_uint_eq(point.options.optimizations,
                    reuse | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS));
  ck_assert(dsm__point_init(&point, sweep, 1, arena));
  ck_assert_uint_eq(point.options.optimizations,
                    reuse | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD));
  dsm__arena_free(arena);
  dsm_sweep_free(sweep);
}
END_TEST

Suite *suite_point(void) {
  Suite *const suite = suite_create("point");
  TCase *const cases = tcase_create("all");
  tcase_add_test(cases, what_a_point_is);
  tcase_add_test(cases, words_beside_all);
  tcase_add_test(cases, optimizations_of_the_mode);
  suite_add_tcase(suite, cases);
  return suite;
}

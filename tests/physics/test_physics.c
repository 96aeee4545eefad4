/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_physics.c: the properties of physics.h on seeded random cases, each with the default model,
 * with all refinements, with one and with some of them, in training and in inference.
 *
 * Usage: test_physics [PROPERTY [FIRST_SEED COUNT [-v]]]. A failure prints its seed; the same seed
 * reproduces it. -v shows the comparisons that the documents excuse, too.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exceptions.h"
#include "physics.h"

static const struct {
  const char *name;
  physics_property *check;
  bool is_on_axes; /* it is about axes of any links, not about a torus alone */
} properties[] = {
    {"roofline", physics_roofline, false},
    {"more", physics_more_is_never_slower, true},
    {"weak_scaling", physics_weak_scaling, false},
    {"strong_scaling", physics_strong_scaling, true},
    {"alone", physics_alone, false},
    {"scaling", physics_scaling, true},
    {"repeat", physics_repeat, true},
    {"chain", physics_chain, true},
    {"conservation", physics_conservation, false},
    {"options", physics_options, true},
    {"asked_for", physics_asked_for, true},
    {"edits", physics_edits, true},
    {"bound", physics_bound, true},
    {"bound_bundled", physics_bound_bundled, false},
    {"bound_doubled", physics_bound_doubled, true},
    {"issue", physics_issue, true},
    {"fused", physics_fused, true},
    {"overlapped", physics_overlapped, true},
};
enum { PROPERTY_COUNT = sizeof properties / sizeof properties[0] };

/* What was asked for; written once, before the tests run. */
static uint64_t first_seed = 1;
static uint64_t seed_count = 20;
static bool is_verbose;

static void print_count(uint64_t count, const char *what) {
  printf("%llu %s", (unsigned long long)count, what);
}

static void print_log(const physics_log *log, physics_set set) {
  printf("%s, %s: ", log->property, physics_set_name(set));
  print_count(seed_count, "seeds from ");
  print_count(first_seed, "on, ");
  print_count(log->plans, "plans (");
  print_count(log->holding, "hold outputs, ");
  print_count(log->cutting, "cut the minibatch, ");
  print_count(log->keeping, "keep weights, ");
  print_count(log->pipelining, "pipeline, ");
  print_count(log->limited, "have little memory), ");
  print_count(log->checked, "comparisons, ");
  print_count(log->violations, "fail, ");
  print_count(log->excluded, "left out, ");
  print_count(log->excused, "of them would fail\n");
}

static void check_seed(physics_property *check, physics_log *log, uint64_t seed, physics_set set) {
  for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
    physics_case one = physics_case_make(seed, set, (dsm_mode)mode);
    check(log, &one);
    physics_case_free(&one);
  }
}

START_TEST(test_property) {
  uint64_t checked = 0;
  uint64_t violations = 0;
  const int sets = properties[_i].is_on_axes ? PHYSICS_SET_COUNT : PHYSICS_AXES;
  for (int set = 0; set < sets; set++) {
    physics_log log = {.property = properties[_i].name, .is_verbose = is_verbose};
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
      check_seed(properties[_i].check, &log, seed, (physics_set)set);
    }
    print_log(&log, (physics_set)set);
    checked += log.checked;
    violations += log.violations;
  }
  (void)fflush(stdout); /* a test that fails ends here */
  ck_assert_uint_gt(checked, 0);
  ck_assert_uint_eq(violations, 0);
}
END_TEST

START_TEST(test_exceptions) {
  physics_check_exceptions();
}
END_TEST

static Suite *suite_physics(const char *only) {
  Suite *const suite = suite_create("physics");
  for (int i = 0; i < PROPERTY_COUNT; i++) {
    if (only == NULL || strcmp(only, properties[i].name) == 0) {
      TCase *const tests = tcase_create(properties[i].name);
      tcase_set_timeout(tests, 0);
      tcase_add_loop_test(tests, test_property, i, i + 1);
      suite_add_tcase(suite, tests);
    }
  }
  if (only == NULL || strcmp(only, "exceptions") == 0) {
    TCase *const tests = tcase_create("exceptions");
    tcase_add_test(tests, test_exceptions);
    suite_add_tcase(suite, tests);
  }
  return suite;
}

int main(int argc, char **argv) {
  const char *const only = argc > 1 ? argv[1] : NULL;
  first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
  seed_count = argc > 3 ? strtoull(argv[3], NULL, 10) : seed_count;
  is_verbose = argc > 4 && strcmp(argv[4], "-v") == 0;
  SRunner *const runner = srunner_create(suite_physics(only));
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  const int run = srunner_ntests_run(runner);
  srunner_free(runner);
  return failed == 0 && run > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

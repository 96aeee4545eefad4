/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_groups.c: which runs of layers are candidates for a pipeline (section 9). */
#include <stdio.h>
#include <string.h>

#include "bundled.h"
#include "given.h"
#include "search/problem.h"
#include "suites.h"

enum { TEXT_MAX = 4096, GROUPS_MAX = 8 };

#define NAMED(group) ", 'pipeline_group': '" group "'"
#define NEVER ", 'pipeline_group': null"
#define BOTH_WAYS ", 'bidirectional': true"

typedef struct run {
  size_t first;
  size_t length;
} run;

/* Layers as the end of their descriptions, and the groups that they can form, in order. */
static const struct {
  const char *layers[5];
  run groups[GROUPS_MAX];
} cases[] = {
    /* Unnamed: every run of two or more. */
    {{"", "", ""}, {{0, 2}, {0, 3}, {1, 2}}},
    {{"", NEVER, "", ""}, {{2, 2}}},
    /* Halves of a bidirectional lstm, layers 1 and 2, are never pipelined. */
    {{"", BOTH_WAYS, "", ""}, {{3, 2}}},
    /* Named: all of them or nothing; unnamed neighbours do not join. */
    {{NAMED("g"), NAMED("g"), NAMED("g")}, {{0, 3}}},
    {{"", NAMED("g"), NAMED("g"), "", ""}, {{1, 2}, {3, 2}}},
    {{NAMED("g"), NAMED("g"), NAMED("h"), NAMED("h")}, {{0, 2}, {2, 2}}},
    {{NAMED("g"), "", ""}, {{1, 2}}},
};

/* Layers of one width, so that any may follow any. */
static dsm_workload *network_of(const char *const *layers) {
  char text[TEXT_MAX];
  size_t length = 0;
  unsigned in = 16;
  for (int i = 0; i < 5 && layers[i] != NULL; i++) {
    length += (size_t)snprintf(text + length, sizeof text - length,
                               "%s{'name': 'l%d', 'type': 'lstm', 'in': %u, 'out': 16, "
                               "'timesteps': 12%s}",
                               i == 0 ? "" : ",", i, in, layers[i]);
    in = strcmp(layers[i], BOTH_WAYS) == 0 ? 32 : 16;
  }
  return given_network("8", text);
}

/* Eight rows, and so long a startup that pipelining pays. */
static dsm_system *tall_system(void) {
  static const dsm_override tall[] = {{"system.chips_y", "8", NULL},
                                      {"array.startup_cycles", "4000", NULL}};
  return given_system(tall, sizeof tall / sizeof tall[0]);
}

START_TEST(test_groups_are_the_runs_that_may_be_pipelined) {
  const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_workload *const workload = network_of(cases[_i].layers);
  dsm_system *const system = tall_system();
  dsm__problem problem;
  ck_assert_int_eq(dsm__problem_init(&problem, workload, system, &options, NULL), DSM_OK);
  size_t count = 0;
  while (count < GROUPS_MAX && cases[_i].groups[count].length != 0) {
    count++;
  }
  ck_assert_uint_eq(problem.found->groups.count, count);
  ck_assert(problem.found->groups.is_complete);
  for (size_t g = 0; g < count; g++) {
    ck_assert_uint_eq(problem.found->groups.items[g].first_layer, cases[_i].groups[g].first);
    ck_assert_uint_eq(problem.found->groups.items[g].layer_count, cases[_i].groups[g].length);
  }
  dsm__problem_fini(&problem);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

START_TEST(test_plans_with_groups_are_valid) {
  const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_workload *const workload = network_of(cases[_i].layers);
  dsm_system *const system = tall_system();
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  ck_assert((plan->pipeline_count > 0) == (cases[_i].groups[0].length > 0));
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* As many rows as stages at most; one row is no pipeline. */
START_TEST(test_a_group_has_at_most_as_many_layers_as_the_torus_rows) {
  static const char *const rows[] = {"1", "2", "3", "4"};
  static const char *const layers[5] = {"", "", "", "", NULL};
  static const size_t counts[] = {0, 3, 5, 6};
  const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  const dsm_override override = {"system.chips_y", rows[_i], NULL};
  dsm_workload *const workload = network_of(layers);
  dsm_system *const system = given_system(&override, 1);
  dsm__problem problem;
  ck_assert_int_eq(dsm__problem_init(&problem, workload, system, &options, NULL), DSM_OK);
  ck_assert_uint_eq(problem.found->groups.count, counts[_i]);
  dsm__problem_fini(&problem);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* Runs of the same layers are solved once, and cost the same wherever they stand. */
START_TEST(test_groups_of_the_same_layers_are_alike) {
  const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_workload *const workload = bundled_workload("gnmt", "256");
  dsm_system *const system = bundled_system("torus64");
  dsm__problem problem;
  ck_assert_int_eq(dsm__problem_init(&problem, workload, system, &options, NULL), DSM_OK);
  const dsm__pipeline_groups *const groups = &problem.found->groups;
  const size_t *const class_of = problem.table.distinct.class_of;
  for (size_t a = 0; a < groups->count; a++) {
    for (size_t b = 0; b < a; b++) {
      const dsm__pipeline_group *const one = &groups->items[a];
      const dsm__pipeline_group *const other = &groups->items[b];
      const size_t size = one->layer_count * sizeof *class_of;
      if (one->layer_count == other->layer_count &&
          memcmp(&class_of[one->first_layer], &class_of[other->first_layer], size) == 0) {
        ck_assert_double_eq(one->cycles, other->cycles);
        ck_assert_ptr_eq(one->rows, other->rows);
      }
    }
  }
  dsm__problem_fini(&problem);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

Suite *suite_groups(void) {
  Suite *const suite = suite_create("groups");
  TCase *const tests = tcase_create("pipelines");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_groups_are_the_runs_that_may_be_pipelined, 0,
                      sizeof cases / sizeof cases[0]);
  tcase_add_loop_test(tests, test_plans_with_groups_are_valid, 0, sizeof cases / sizeof cases[0]);
  tcase_add_loop_test(tests, test_a_group_has_at_most_as_many_layers_as_the_torus_rows, 0, 4);
  tcase_add_test(tests, test_groups_of_the_same_layers_are_alike);
  suite_add_tcase(suite, tests);
  return suite;
}

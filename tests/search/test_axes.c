/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems with a list of one to three axes are explored as those of the short form are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "bundled.h"
#include "given.h"
#include "how_many.h"
#include "plan/plan_internal.h"
#include "suites.h"

static const char *const networks[] = {"vgg16", "resnet50", "gnmt", "mobilenet_v2"};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

/* A bundled system whose chips stand along other axes. */
static dsm_system *system_along(const char *name, const char *axes) {
  char network[512];
  (void)snprintf(network, sizeof network, "{\"axes\": [%s]}", axes);
  const dsm_override override = {"system", network, NULL};
  return bundled_system_with(name, &override, 1);
}

static dsm_plan *explored(const dsm_workload *workload, const dsm_system *system, dsm_mode mode) {
  const dsm_explore_options options = bundled_options(mode);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  return plan;
}

static void forget_names(const dsm_plan_transfer *transfers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ((dsm_plan_transfer *)(uintptr_t)&transfers[i])->axis_name = NULL;
  }
}

/* The text of a plan with another system, of the short form, in place of its own. */
static char *printed_with(const dsm_plan *plan, const dsm_system *system) {
  dsm_plan other = *plan;
  other.system = system;
  other.renaming = NULL;
  for (size_t i = 0; i < plan->layer_count * DSM_PASS_COUNT; i++) {
    const dsm_pass_plan *const pass = &plan->layers[i / DSM_PASS_COUNT].passes[i % DSM_PASS_COUNT];
    forget_names(pass->transfers, pass->transfer_count);
    for (size_t k = 0; k < pass->invocation_count; k++) {
      forget_names(pass->invocations[k].transfers, pass->invocations[k].transfer_count);
    }
  }
  return dsm_plan_print(&other);
}

#define RING(name, chips, bandwidth)                                                               \
  "{\"name\": \"" name "\", \"chips\": " chips                                                     \
  ", \"link\": \"ring\", \"bandwidth_GBps\": " bandwidth "}"

/* torus64: 8 x 8 chips, 120 and 40 GB/s. All but the system is the same, byte by byte. */
START_TEST(test_two_rings_are_the_short_form) {
  const dsm_mode mode = (dsm_mode)(_i % DSM_MODE_COUNT);
  dsm_workload *const workload = bundled_workload(networks[_i / DSM_MODE_COUNT], "256");
  dsm_system *const torus = bundled_system("torus64");
  char first[128];
  char second[128];
  char axes[300];
  static const char ring[] =
      "{\"name\": \"%s\", \"chips\": %llu, \"link\": \"ring\", \"bandwidth_GBps\": %.17g}";
  const dsm_network_axis *const of = torus->system.axes;
  (void)snprintf(first, sizeof first, ring, "x", (unsigned long long)of[0].chips,
                 of[0].bandwidth_GBps);
  (void)snprintf(second, sizeof second, ring, "y", (unsigned long long)of[1].chips,
                 of[1].bandwidth_GBps);
  (void)snprintf(axes, sizeof axes, "%s, %s", first, second);
  dsm_system *const rings = system_along("torus64", axes);
  dsm_plan *const expected = explored(workload, torus, mode);
  dsm_plan *const found = explored(workload, rings, mode);
  char *const expected_text = printed_with(expected, torus);
  char *const found_text = printed_with(found, torus);
  ck_assert_str_eq(found_text, expected_text);
  free(found_text);
  free(expected_text);
  dsm_plan_free(found);
  dsm_plan_free(expected);
  dsm_system_free(rings);
  dsm_system_free(torus);
  dsm_workload_free(workload);
}
END_TEST

static void expect_same_numbers(const dsm_plan *found, const dsm_plan *expected) {
  ck_assert_double_eq(found->result.step_cycles, expected->result.step_cycles);
  ck_assert_double_eq(found->result.lower_bound_cycles, expected->result.lower_bound_cycles);
  ck_assert_double_eq(found->result.memory.total_bytes, expected->result.memory.total_bytes);
  ck_assert_uint_eq(found->layer_count, expected->layer_count);
  for (size_t i = 0; i < found->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      ck_assert_double_eq(found->layers[i].passes[p].cycles.total,
                          expected->layers[i].passes[p].cycles.total);
    }
  }
}

/* An axis of one chip exchanges nothing. Stages of pipelines stand along the last axis, so that
 * one at the end leaves them no room: only networks without recurrent layers have it there. */
START_TEST(test_an_axis_of_one_chip_changes_no_number) {
  static const char *const axes[] = {
      RING("one", "1", "7") ", " RING("x", "8", "120") ", " RING("y", "8", "40"),
      RING("x", "8", "120") ", " RING("one", "1", "7") ", " RING("y", "8", "40"),
      RING("x", "8", "120") ", " RING("y", "8", "40") ", " RING("one", "1", "7"),
  };
  const char *const network = networks[_i / DSM_MODE_COUNT];
  const dsm_mode mode = (dsm_mode)(_i % DSM_MODE_COUNT);
  dsm_workload *const workload = bundled_workload(network, "256");
  dsm_system *const two = system_along("torus64", RING("x", "8", "120") ", " RING("y", "8", "40"));
  dsm_plan *const expected = explored(workload, two, mode);
  for (size_t a = 0; a < (strcmp(network, "gnmt") == 0 ? 2U : 3U); a++) {
    dsm_system *const three = system_along("torus64", axes[a]);
    dsm_plan *const found = explored(workload, three, mode);
    expect_same_numbers(found, expected);
    dsm_plan_free(found);
    dsm_system_free(three);
  }
  dsm_plan_free(expected);
  dsm_system_free(two);
  dsm_workload_free(workload);
}
END_TEST

/* ---- the best of all ways to give three axes roles ---- */

enum { LAYERS = 3, WAYS = DSM_PARALLELISM_COUNT };

static const char layers[] =
    "{'name': 'a', 'type': 'conv', 'in': 24, 'out': 40, 'feature': [6, 6], 'kernel': [3, 3]},"
    "{'name': 'b', 'type': 'fc', 'in': 1440, 'out': 96},"
    "{'name': 'c', 'type': 'fc', 'in': 96, 'out': 400}";

/* Systems of 2 x 2 x 2 chips, whose links are ever slower, or of other kinds. */
static const char *const cubes[] = {
    RING("x", "2", "12") ", " RING("y", "2", "4") ", " RING("z", "2", "1"),
    RING("x", "2", "1") ", " RING("y", "2", "4") ", " RING("z", "2", "12"),
    RING("x", "2", "0.5") ", " RING("y", "2", "0.5") ", " RING("z", "2", "0.5"),
    RING("x", "3", "8") ", {\"name\": \"y\", \"chips\": 2, \"link\": \"switch\", "
                        "\"bandwidth_GBps\": 2, \"latency_us\": 0.1}, " RING("z", "2", "1"),
};
enum { CUBES = sizeof cubes / sizeof cubes[0] };

/* The step with one parallelism a layer: digit i of `number` is that of layer i. */
static double step_of(const dsm__decisions ways[WAYS], const dsm_plan *like, int number) {
  dsm__layer_decision chosen[LAYERS];
  for (size_t i = 0; i < LAYERS; i++, number /= WAYS) {
    chosen[i] = ways[number % WAYS].layers[i];
  }
  const dsm__decisions decisions = {.layers = chosen};
  dsm_plan *plan = NULL;
  ck_assert_int_eq(
      dsm__plan_make(&plan, like->workload, like->system, &like->options, &decisions, NULL),
      DSM_OK);
  const double cycles = plan->result.step_cycles;
  dsm_plan_free(plan);
  return cycles;
}

/* Best core splits do not depend on the parallelism of other layers where nothing is held: those of
 * plans of one parallelism are put together in all ways. */
START_TEST(test_three_axes_have_the_best_of_all_mappings) {
  dsm_workload *const workload = given_network("24", layers);
  char network[512];
  (void)snprintf(network, sizeof network, "{\"axes\": [%s]}", cubes[_i / DSM_MODE_COUNT]);
  const dsm_override override = {"system", network, NULL};
  dsm_system *const system = given_system(&override, 1);
  dsm__arena *const arena = dsm__arena_new();
  dsm_explore_options options = bundled_options((dsm_mode)(_i % DSM_MODE_COUNT));
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  dsm__decisions ways[WAYS];
  dsm_plan *uniform[WAYS] = {NULL};
  for (int p = 0; p < WAYS; p++) {
    options.parallelisms = DSM_PARALLELISM_BIT(p);
    ck_assert_int_eq(dsm_explore(&uniform[p], workload, system, &options, NULL), DSM_OK);
    ck_assert(dsm__decisions_of_plan(uniform[p], arena, &ways[p]));
  }
  options.parallelisms = DSM_PARALLELISM_ALL;
  dsm_plan *found = NULL;
  ck_assert_int_eq(dsm_explore(&found, workload, system, &options, NULL), DSM_OK);
  double best = uniform[0]->result.step_cycles;
  for (int number = 0; number < WAYS * WAYS * WAYS; number++) {
    const double cycles = step_of(ways, found, number);
    best = cycles < best ? cycles : best;
  }
  ck_assert_double_eq_tol(found->result.step_cycles / best, 1, 1e-12);
  for (int p = 0; p < WAYS; p++) {
    dsm_plan_free(uniform[p]);
  }
  dsm_plan_free(found);
  dsm__arena_free(arena);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

Suite *suite_axes(void) {
  Suite *const suite = suite_create("axes");
  TCase *const tcase = tcase_create("axes");
  tcase_set_timeout(tcase, 600);
  const int runs = HOW_MANY(NETWORKS * DSM_MODE_COUNT, NETWORKS * DSM_MODE_COUNT, 1);
  tcase_add_loop_test(tcase, test_two_rings_are_the_short_form, 0, runs);
  tcase_add_loop_test(tcase, test_an_axis_of_one_chip_changes_no_number, 0, runs);
  tcase_add_loop_test(tcase, test_three_axes_have_the_best_of_all_mappings, 0,
                      CUBES * DSM_MODE_COUNT);
  suite_add_tcase(suite, tcase);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where memory is short, whatever is searched first: no bound of some words is above what fewer of
 * them find, or what is asked for of layers that are made anew, and a plan has the bound that its
 * scoring has.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bundled.h"
#include "given.h"
#include "how_many.h"
#include "random_numbers.h"
#include "role_draw.h"
#include "search/problem.h"
#include "suites.h"

#define BIT DSM_OPTIMIZATION_BIT
#define ALIKE (1 + 1e-9)

static const dsm_optimization words[] = {DSM_OPTIMIZATION_RECOMPUTE, DSM_OPTIMIZATION_TENSOR,
                                         DSM_OPTIMIZATION_REUSE,     DSM_OPTIMIZATION_PER_PASS,
                                         DSM_OPTIMIZATION_SHARD,     DSM_OPTIMIZATION_ACCUMULATE,
                                         DSM_OPTIMIZATION_HYBRID};

enum { WORDS = sizeof words / sizeof words[0] };

typedef struct asked {
  const dsm_workload *workload;
  dsm_system *system;
} asked;

static dsm_explore_options options_of(dsm_optimization_set set, dsm_recomputation recomputation) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = set;
  options.recomputation = recomputation;
  return options;
}

/* Cycles of the best plan; infinite if nothing fits. */
static double explore(const asked *of, dsm_optimization_set set, dsm_recomputation recomputation,
                      double *bound) {
  const dsm_explore_options options = options_of(set, recomputation);
  dsm_plan *plan = NULL;
  const dsm_status status = dsm_explore(&plan, of->workload, of->system, &options, NULL);
  *bound = HUGE_VAL;
  if (status == DSM_ERROR_INFEASIBLE) {
    return HUGE_VAL;
  }
  ck_assert_int_eq(status, DSM_OK);
  const double cycles = plan->result.step_cycles;
  *bound = plan->result.lower_bound_cycles;
  ck_assert_double_le(*bound, cycles * ALIKE);
  ck_assert_double_eq(plan->result.memory.capacity_bytes, dsm_system_usable_bytes(of->system));
  ck_assert_double_le(plan->result.memory.total_bytes, plan->result.memory.capacity_bytes * ALIKE);
  ck_assert_int_eq(dsm_plan_bound(plan, NULL), DSM_OK);
  ck_assert_double_eq_tol(plan->result.lower_bound_cycles, *bound, 1e-9 * cycles);
  dsm_plan_free(plan);
  return cycles;
}

/* A reserve is memory that is not there, for each search, with roles and stages too. */
START_TEST(test_reserve_is_memory_that_is_not_there) {
  static const dsm_override overrides[] = {{"system.chips_x", "2", NULL},
                                           {"system.chips_y", "2", NULL},
                                           {"chip.memory.capacity_GB", "0.125", NULL}};
  static const dsm_optimization_set sets[] = {
      BIT(DSM_OPTIMIZATION_HYBRID), BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_TENSOR),
      BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_STAGES) |
          BIT(DSM_OPTIMIZATION_ACCUMULATE)};
  dsm_workload *const workload = bundled_workload("resnet18", "64");
  dsm_system *const system = bundled_system_with("torus64", overrides, 3);
  const asked of = {workload, system};
  const dsm_optimization_set set = sets[_i];
  double bound;
  const double ample = explore(&of, set, DSM_RECOMPUTATION_BEST, &bound);
  system->chip.memory.capacity_GB = 0.1;
  const double less = explore(&of, set, DSM_RECOMPUTATION_BEST, &bound);
  system->chip.memory.capacity_GB = 0.125;
  system->chip.memory.reserve_ratio = 0.2;
  ck_assert_double_eq_tol(explore(&of, set, DSM_RECOMPUTATION_BEST, &bound), less, 1e-9 * less);
  ck_assert_double_gt(less, ample);
  system->chip.memory.reserve_ratio = 0.99;
  ck_assert(explore(&of, set, DSM_RECOMPUTATION_BEST, &bound) == HUGE_VAL);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

/* ---- cases in which something was not looked for ---- */

static void expect_cycles(const asked *of, dsm_optimization_set set, double expected) {
  double bound;
  const double cycles = explore(of, set, DSM_RECOMPUTATION_BEST, &bound);
  ck_assert_double_le(bound, expected * ALIKE);
  ck_assert_double_le(cycles, expected * ALIKE);
}

/* What holds outputs fits at its fastest, and what holds none does not: layers that are made anew
 * are faster than both. */
START_TEST(test_layers_are_made_anew_beside_held_outputs) {
  static const dsm_override overrides[] = {
      {"system.chips_x", "4", NULL},       {"system.chips_y", "2", NULL},
      {"chip.cores", "2", NULL},           {"system.link_bandwidth_x_GBps", "2", NULL},
      {"array.startup_cycles", "4", NULL}, {"chip.memory.capacity_GB", "0.000149489", NULL}};
  dsm_workload *const workload =
      given_network("4", "{'name': 'stem', 'type': 'fc', 'in': 64, 'out': 32, 'positions': 16},"
                         "{'block': 'b', 'repeat': 2, 'layers': ["
                         "{'name': 'qkv', 'type': 'fc', 'in': 32, 'out': 96},"
                         "{'name': 'attention', 'type': 'attention', 'heads': 4,"
                         " 'head_features': 8},"
                         "{'name': 'project', 'type': 'fc', 'in': 32, 'out': 32, "
                         "'aux': [{'op': 'residual', 'from': '@before'}]},"
                         "{'name': 'ff1', 'type': 'fc', 'in': 32, 'out': 64},"
                         "{'name': 'ff2', 'type': 'fc', 'in': 64, 'out': 32, "
                         "'aux': [{'op': 'residual', 'from': 'project'}]}]},"
                         "{'name': 'head', 'type': 'fc', 'in': 32, 'out': 256}");
  const dsm_optimization_set few =
      BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_TENSOR) | BIT(DSM_OPTIMIZATION_RECOMPUTE);
  const asked of = {workload, bundled_system_with("torus16", overrides, 6)};
  double bound;
  for (unsigned tenth = 5; tenth <= 20; tenth++) {
    of.system->chip.memory.capacity_GB = 0.00001 * tenth;
    const double cycles = explore(&of, few, DSM_RECOMPUTATION_BEST, &bound);
    if (isfinite(cycles)) {
      expect_cycles(&of, few | BIT(DSM_OPTIMIZATION_REUSE), cycles);
    }
  }
  dsm_system_free(of.system);
  dsm_workload_free(workload);
}
END_TEST

static const char tied[] = "{'name': 'a', 'type': 'fc', 'in': %u, 'out': 16, 'positions': %u},"
                           "{'name': 'f', 'type': 'fc', 'in': 16, 'out': 16},"
                           "{'name': 'o', 'type': 'fc', 'in': 16, 'out': %u, 'tied_to': 'a'}";

/* Of tied tables the first case may not fit where another one does, and one may be short of memory
 * where another one is not. */
START_TEST(test_cases_of_tied_tables_count) {
  static const dsm_override overrides[] = {{"chip.cores", "4", NULL},
                                           {"chip.memory.bandwidth_GBps", "16", NULL},
                                           {"system.link_bandwidth_x_GBps", "2", NULL},
                                           {"array.startup_cycles", "100", NULL}};
  char text[1024];
  (void)snprintf(text, sizeof text, tied, 256, 1, 256);
  dsm_workload *const workload = given_network("4", text);
  const asked of = {workload, bundled_system_with("torus16", overrides, 4)};
  unsigned fitting = 0;
  for (unsigned tenth = 20; tenth <= 80; tenth += 2) {
    double bound;
    of.system->chip.memory.capacity_GB = 1e-7 * tenth;
    const double cycles =
        explore(&of, BIT(DSM_OPTIMIZATION_PER_PASS), DSM_RECOMPUTATION_BEST, &bound);
    if (isfinite(cycles)) {
      fitting++;
      for (size_t w = 0; w < WORDS; w++) {
        expect_cycles(&of, BIT(DSM_OPTIMIZATION_PER_PASS) | BIT(words[w]), cycles);
      }
    }
  }
  ck_assert_uint_gt(fitting, 0);
  dsm_system_free(of.system);
  dsm_workload_free(workload);
}
END_TEST

/* Six layers with two shortcuts on three axes. */
static const char six[] =
    "{'name': 'a', 'type': 'fc', 'in': 16, 'out': 32, 'positions': 2, 'aux': [{'op': 'sigmoid'}]},"
    "{'name': 'b', 'type': 'fc', 'in': 32, 'out': 48, 'positions': 2, 'aux': [{'op': 'silu'}]},"
    "{'name': 'c', 'type': 'fc', 'in': 48, 'out': 48, 'positions': 2,"
    " 'aux': [{'op': 'residual', 'from': 'b'}, {'op': 'silu'}]},"
    "{'name': 'd', 'type': 'fc', 'in': 48, 'out': 96, 'positions': 2, 'aux': [{'op': 'bias'}]},"
    "{'name': 'e', 'type': 'fc', 'in': 96, 'out': 16, 'positions': 2},"
    "{'name': 'f', 'type': 'fc', 'in': 16, 'out': 32, 'positions': 2,"
    " 'aux': [{'op': 'residual', 'from': 'a'}]}";
static const char three_axes[] =
    "{\"format\": \"dsm-system/1\", \"name\": \"three\", \"pe\": {\"simd_macs\": 2},"
    "\"array\": {\"rows\": 16, \"columns\": 1, \"startup_cycles\": 0},"
    "\"core\": {\"frequency_GHz\": 1, \"scratchpad_MiB\": 0.1, \"scratchpad_bandwidth_GBps\": 256,"
    " \"streaming_buffer_KiB\": 0.1},"
    "\"chip\": {\"cores\": 4, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 256,"
    " \"memory\": {\"capacity_GB\": 1, \"bandwidth_GBps\": 16}},"
    "\"system\": {\"axes\": [{\"name\": \"a\", \"chips\": 2, \"link\": \"switch\", "
    "\"bandwidth_GBps\": 20},"
    " {\"name\": \"b\", \"chips\": 4, \"link\": \"line\", \"bandwidth_GBps\": 20},"
    " {\"name\": \"c\", \"chips\": 2, \"link\": \"line\", \"bandwidth_GBps\": 20}]},"
    "\"model\": {\"search\": \"all\"}}";

/* Where all mappings need a little more than there is, that is proven, and where some fit barely,
 * the fastest is, with little work: graphs have what is near the least of time and bytes. */
START_TEST(test_little_too_little_memory_takes_little_work) {
  static const struct {
    double capacity_GB;
    dsm_status status;
  } cases[] = {{3.2e-6, DSM_ERROR_INFEASIBLE}, {3.4e-6, DSM_OK}};
  static const double most_work = 3e7;
  dsm_workload *const workload = given_network("6", six);
  dsm_system *system = NULL;
  dsm_plan *plan = NULL;
  dsm_diags *const diags = dsm_diags_new(4);
  const dsm_explore_options options = options_of(
      BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_SPATIAL) | BIT(DSM_OPTIMIZATION_TENSOR) |
          BIT(DSM_OPTIMIZATION_SHARD) | BIT(DSM_OPTIMIZATION_RECOMPUTE),
      DSM_RECOMPUTATION_BEST);
  ck_assert_int_eq(dsm_system_parse(&system, three_axes, strlen(three_axes), NULL, NULL, 0, NULL),
                   DSM_OK);
  system->chip.memory.capacity_GB = cases[_i].capacity_GB;
  ck_assert_int_eq(dsm__explore_with_work(&plan, workload, system, &options, most_work, diags),
                   cases[_i].status);
  if (plan != NULL) {
    ck_assert(!plan->statistics.is_stopped);
    ck_assert_double_eq(plan->result.lower_bound_cycles, plan->result.step_cycles);
  } else {
    const char *const text = dsm_diags_get(diags, dsm_diags_count(diags) - 1)->message;
    ck_assert_msg(strstr(text, "every mapping needs at least") != NULL, "%s", text);
  }
  dsm_plan_free(plan);
  dsm_diags_free(diags);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* ---- all of it ---- */

static dsm_workload *drawn_network(uint64_t *state) {
  static const char *const minibatches[] = {"4", "8", "16"};
  char text[1024];
  const unsigned kind = (unsigned)random_below(state, 3);
  if (kind == 0) {
    const unsigned words_of_table = 32U << random_below(state, 4);
    (void)snprintf(text, sizeof text, tied, words_of_table,
                   1 + 3 * (unsigned)random_below(state, 2), words_of_table);
    return given_network(minibatches[random_below(state, 3)], text);
  }
  return role_draw_network(state, 5, kind == 1 ? NOTHING : ATTENTION);
}

static dsm_system *drawn_chips(uint64_t *state) {
  static const char *const powers[] = {"1", "2", "4"};
  static const char *const rates[] = {"2", "40", "120"};
  const dsm_override overrides[] = {
      {"system.chips_x", powers[1 + random_below(state, 2)], NULL},
      {"system.chips_y", powers[random_below(state, 3)], NULL},
      {"chip.cores", powers[random_below(state, 3)], NULL},
      {"chip.memory.bandwidth_GBps", random_below(state, 2) == 0 ? "16" : "256", NULL},
      {"system.link_bandwidth_x_GBps", rates[random_below(state, 3)], NULL},
      {"system.link_bandwidth_y_GBps", rates[random_below(state, 3)], NULL},
      {"array.startup_cycles", random_below(state, 2) == 0 ? "4" : "100", NULL},
      {"model.sharded_update", random_below(state, 2) == 0 ? "true" : "false", NULL}};
  return bundled_system_with("torus16", overrides, sizeof overrides / sizeof overrides[0]);
}

static dsm_optimization_set drawn_set(uint64_t *state, dsm_optimization_set among) {
  dsm_optimization_set set = 0;
  for (size_t w = 0; w < WORDS; w++) {
    set |= random_below(state, 3) > 0 ? BIT(words[w]) & among : 0;
  }
  return set;
}

START_TEST(test_no_bound_is_above_what_fits) {
  enum { SEEDS = HOW_MANY(100, 20, 8) };
  static const dsm_recomputation ways[] = {DSM_RECOMPUTATION_NONE, DSM_RECOMPUTATION_SELECTIVE,
                                           DSM_RECOMPUTATION_FULL};
  const dsm_optimization_set all = ~(dsm_optimization_set)0;
  unsigned fitting = 0;
  for (uint64_t seed = SEEDS * (uint64_t)_i; seed < SEEDS * (uint64_t)(_i + 1); seed++) {
    uint64_t state = seed;
    dsm_workload *const workload = drawn_network(&state);
    const asked of = {workload, drawn_chips(&state)};
    const dsm_optimization_set set = drawn_set(&state, all);
    const dsm_explore_options options = options_of(set, DSM_RECOMPUTATION_BEST);
    dsm_plan *plan = NULL;
    double bound;
    double ignored;
    ck_assert_int_eq(dsm_explore(&plan, workload, of.system, &options, NULL), DSM_OK);
    const double percent = 30 + (double)random_below(&state, 70);
    of.system->chip.memory.capacity_GB = plan->result.memory.total_bytes * percent / 100 / 1e9;
    dsm_plan_free(plan);
    const double cycles = explore(&of, set, DSM_RECOMPUTATION_BEST, &bound);
    fitting += isfinite(cycles) ? 1 : 0;
    for (int k = 0; k < 3; k++) {
      const double fewer = explore(&of, drawn_set(&state, set), DSM_RECOMPUTATION_BEST, &ignored);
      ck_assert_msg(bound <= fewer * ALIKE || !(fewer < HUGE_VAL),
                    "seed %u: bound %.17g, found %.17g", (unsigned)seed, bound, fewer);
      if ((set & BIT(DSM_OPTIMIZATION_RECOMPUTE)) != 0) {
        const double as_asked = explore(&of, set, ways[k], &ignored);
        ck_assert_msg(bound <= as_asked * ALIKE || !(as_asked < HUGE_VAL),
                      "seed %u: bound %.17g, made anew as asked %.17g", (unsigned)seed, bound,
                      as_asked);
      }
    }
    dsm_system_free(of.system);
    dsm_workload_free(workload);
  }
  ck_assert_uint_gt(fitting, 0);
}
END_TEST

Suite *suite_short_memory(void) {
  Suite *const suite = suite_create("short memory");
  TCase *const tests = tcase_create("short memory");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_reserve_is_memory_that_is_not_there, 0, 3);
  tcase_add_test(tests, test_layers_are_made_anew_beside_held_outputs);
  tcase_add_test(tests, test_cases_of_tied_tables_count);
  tcase_add_loop_test(tests, test_little_too_little_memory_takes_little_work, 0, 2);
  tcase_add_loop_test(tests, test_no_bound_is_above_what_fits, 0, 4);
  suite_add_tcase(suite, tests);
  return suite;
}

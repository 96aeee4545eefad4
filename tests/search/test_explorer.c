/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An explorer finds exactly what dsm_explore finds, whatever it explored before. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "given.h"
#include "how_many.h"
#include "random_network.h"
#include "search/problem.h"
#include "suites.h"
#include "system/system_internal.h"

/* Bytes that are not enough for some of the explorations here; other values of a parameter. */
enum { FEW_BYTES = 1 << 17, ATTEMPTS = 2 };

typedef struct inputs {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_explore_options *options;
} inputs;

/* Everything that an exploration finds, as text; malloc'ed. */
static char *shown(dsm_status status, dsm_plan *plan, const dsm_diags *diags) {
  if (status != DSM_OK) {
    const char *const message = dsm_diags_get(diags, 0)->message;
    char *const text = malloc(strlen(message) + 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, message, strlen(message) + 1);
    return text;
  }
  char *const printed = dsm_plan_print(plan);
  const size_t size = strlen(printed) + 256;
  char *const text = malloc(size);
  ck_assert_ptr_nonnull(text);
  snprintf(text, size, "%s distinct %llu evaluations %llu bound %.17g", printed,
           (unsigned long long)plan->statistics.distinct_layers,
           (unsigned long long)plan->statistics.evaluations, plan->result.lower_bound_cycles);
  free(printed);
  dsm_plan_free(plan);
  return text;
}

/* What an exploration finds that knows nothing; malloc'ed. */
static char *explored(const inputs *in) {
  dsm_diags *const diags = dsm_diags_new(1);
  dsm_plan *plan = NULL;
  const dsm_status status = dsm_explore(&plan, in->workload, in->system, in->options, diags);
  char *const text = shown(status, plan, diags);
  dsm_diags_free(diags);
  return text;
}

static void expect_found(dsm_explorer *explorer, const inputs *in, const char *expected,
                         const char *what) {
  dsm_diags *const diags = dsm_diags_new(1);
  dsm_plan *plan = NULL;
  const dsm_status status =
      dsm_explorer_explore(explorer, &plan, in->workload, in->system, in->options, diags);
  char *const found = shown(status, plan, diags);
  ck_assert_msg(strcmp(expected, found) == 0, "%s: expected\n%s\nfound\n%s", what, expected, found);
  free(found);
  dsm_diags_free(diags);
}

static void expect_same(dsm_explorer *explorer, const inputs *in, const char *what) {
  char *const expected = explored(in);
  expect_found(explorer, in, expected, what);
  free(expected);
}

/* ---- every parameter of the system ---- */

static const char *const networks[] = {
    /* Convolutions with everything that a layer can do beside its loops. */
    "{'name': 'a', 'type': 'conv', 'in': 3, 'out': 32, 'feature': [8, 8], 'kernel': [3, 3],"
    " 'aux': [{'op': 'bias'}, {'op': 'batch_norm'}, {'op': 'relu'}]},"
    "{'name': 'b', 'type': 'conv', 'in': 32, 'out': 32, 'feature': [8, 8], 'kernel': [3, 3],"
    " 'aux': [{'op': 'batch_norm'}, {'op': 'relu'}]},"
    "{'name': 'c', 'type': 'conv', 'in': 32, 'out': 32, 'feature': [8, 8], 'kernel': [3, 3],"
    " 'groups': 4, 'aux': [{'op': 'batch_norm'}, {'op': 'residual', 'from': 'a'},"
    " {'op': 'relu'}, {'op': 'max_pool', 'window': [2, 2]}]},"
    "{'name': 'd', 'type': 'fc', 'in': 512, 'out': 64, 'aux': [{'op': 'sigmoid'}]},"
    "{'name': 'e', 'type': 'fc', 'in': 64, 'out': 64, 'aux': [{'op': 'softmax'}]}",
    /* A pipeline, and weights that stay over timesteps. */
    "{'name': 'a', 'type': 'lstm', 'in': 32, 'out': 32, 'timesteps': 6},"
    "{'name': 'b', 'type': 'lstm', 'in': 32, 'out': 32, 'timesteps': 6},"
    "{'name': 'c', 'type': 'lstm', 'in': 32, 'out': 32, 'timesteps': 6},"
    "{'name': 'm', 'type': 'matmul', 'in': 32, 'out': 16, 'timesteps': 6,"
    " 'operand': 'a', 'operand_elements': 512},"
    "{'name': 'e', 'type': 'fc', 'in': 16, 'out': 32, 'timesteps': 6}",
};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

/* Systems that parameters are varied of: the simplest equations, and as many others as there are
 * that do not keep some parameter from mattering. */
static const dsm_override refined[] = {
    {"array.unroll_kernel_on_rows", "true", NULL}, {"array.weights_from_scratchpad", "true", NULL},
    {"model.exact_forks", "true", NULL},           {"model.lstm_gate_errors", "true", NULL},
    {"model.statistics_sums", "true", NULL},       {"model.layout_move", "always", NULL},
    {"model.charge_held_masks", "true", NULL},     {"model.resident_operands", "true", NULL},
    {"core.scratchpad_bandwidth_GBps", "2", NULL},
};
static const size_t refined_counts[] = {0, sizeof refined / sizeof refined[0]};
/* The last has axes in place of the short form, as many as there can be, and a shared memory. */
static const char three_axes[] =
    "{\"axes\": [{\"name\": \"x\", \"chips\": 2, \"link\": \"ring\", \"bandwidth_GBps\": 12},"
    " {\"name\": \"y\", \"chips\": 2, \"link\": \"switch\", \"bandwidth_GBps\": 4},"
    " {\"name\": \"z\", \"chips\": 2, \"link\": \"line\", \"bandwidth_GBps\": 6}]}";
enum { SHORT_BASES = sizeof refined_counts / sizeof refined_counts[0], BASES };

/* The overrides of a base; `overrides` has room for one more. */
static size_t base_overrides(size_t base, dsm_override *overrides) {
  if (base == SHORT_BASES) {
    overrides[0] = (dsm_override){"system", three_axes, NULL};
    overrides[1] = (dsm_override){"chip.shared_memory",
                                  "{\"capacity_MB\": 0.05, \"bandwidth_GBps\": 60}", NULL};
    return 2;
  }
  memcpy(overrides, refined, sizeof refined);
  return refined_counts[base];
}

/* Can the parameter have another value in such a system? One that changes nothing is not listed,
 * and can, but one of two that belong together. */
static bool is_varied(const dsm__parameter *parameter, const dsm_system *system) {
  const bool is_axis_there =
      parameter->axis == 0 || (system->system.topology == DSM_TOPOLOGY_AXES &&
                               parameter->axis <= system->system.axis_count);
  const bool is_form = parameter->offset == offsetof(dsm_system, system.topology);
  const bool is_shared_there = system->chip.shared_memory.capacity_MB > 0 ||
                               strncmp(parameter->path, "chip.shared_memory.", 19) != 0;
  /* Three each that are legal together only; these predict nothing, those nothing of the chips. */
  const bool is_spread = strncmp(parameter->path, "model.spread_", 13) == 0;
  const bool is_storage = strncmp(parameter->path, "storage.", 8) == 0;
  return !is_form && is_axis_there && is_shared_there && !is_spread && !is_storage &&
         (parameter->is_neutral || dsm__parameter_is_stated(parameter, system));
}

/* Another legal value; attempts give different ones where there are as many. */
static double other_value(const dsm__parameter *parameter, double number, int attempt) {
  const dsm__words *const words = parameter->words;
  if (words != NULL) {
    return (double)(((size_t)number + 1 + (size_t)attempt) % words->count);
  }
  double other = attempt > 0 ? number / 2 : number > 0 ? number * 2 : 1;
  other = other > parameter->max ? parameter->max : other;
  other = other < parameter->min ? parameter->min : other;
  return parameter->kind == DSM__PARAMETER_COUNT ? (double)(uint64_t)other : other;
}

static dsm_system *varied_system(size_t base, const dsm__parameter *parameter, double number) {
  char text[DSM__NUMBER_TEXT_SIZE];
  dsm_override overrides[sizeof refined / sizeof refined[0] + 1];
  const size_t count = base_overrides(base, overrides);
  overrides[count] = (dsm_override){.path = parameter->path,
                                    .value = dsm__parameter_text(parameter, number, text)};
  return given_system(overrides, count + 1);
}

/* With another value of the parameter, and after it. */
static void vary(dsm_explorer *explorer, const dsm__parameter *parameter, size_t base,
                 const inputs *own, const char *expected) {
  const double number = dsm__parameter_number(parameter, own->system);
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    dsm_system *const varied =
        varied_system(base, parameter, other_value(parameter, number, attempt));
    const inputs other = {own->workload, varied, own->options};
    expect_same(explorer, &other, parameter->path);
    dsm_system_free(varied);
  }
  expect_found(explorer, own, expected, parameter->path);
}

/* All parameters of a base, of which one explorer knows ever more. */
static void vary_all(size_t base, size_t network, dsm_mode mode) {
  dsm_explorer *const explorer = dsm_explorer_new();
  dsm_workload *const workload = given_network("16", networks[network]);
  dsm_override overrides[sizeof refined / sizeof refined[0] + 1];
  dsm_system *const system = given_system(overrides, base_overrides(base, overrides));
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = mode;
  options.optimizations = dsm_mode_optimizations(mode);
  const inputs own = {workload, system, &options};
  char *const expected = explored(&own);
  expect_found(explorer, &own, expected, "as it is");
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (is_varied(&dsm__parameters[p], system)) {
      vary(explorer, &dsm__parameters[p], base, &own, expected);
    }
  }
  free(expected);
  dsm_system_free(system);
  dsm_workload_free(workload);
  dsm_explorer_free(explorer);
}

START_TEST(test_every_parameter_is_told_apart) {
  for (size_t base = 0; base < HOW_MANY(BASES, BASES, 1); base++) {
    vary_all(base, (size_t)_i / DSM_MODE_COUNT, (dsm_mode)(_i % DSM_MODE_COUNT));
  }
}
END_TEST

/* ---- everything else ---- */

static const dsm_override workload_values[] = {
    {"minibatch", "16", NULL},     {"minibatch", "32", NULL},
    {"minibatch", "24", NULL},     {"element_bytes", "1", NULL},
    {"gradient_bytes", "4", NULL}, {"partial_sum_bytes", "3", NULL},
    {"layers.b.out", "16", NULL},  {"optimizer_bytes_per_weight", "8", NULL},
    {"name", "other", NULL},       {"layers.b.name", "other", NULL},
};

/* A network of two layers, of which one value is replaced. */
static dsm_workload *varied_network(const dsm_override *override) {
  static const char text[] =
      "{\"format\": \"dsm-workload/1\", \"name\": \"two\", \"minibatch\": 16, \"layers\": ["
      "{\"name\": \"a\", \"type\": \"fc\", \"in\": 64, \"out\": 32},"
      "{\"name\": \"b\", \"type\": \"fc\", \"in\": 32, \"out\": 64}]}";
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_parse(&workload, text, strlen(text), "two", override, 1, NULL),
                   DSM_OK);
  return workload;
}

START_TEST(test_workloads_are_told_apart) {
  dsm_explorer *const explorer = dsm_explorer_new();
  dsm_system *const system = given_system(NULL, 0);
  for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
    for (size_t i = 0; i < sizeof workload_values / sizeof workload_values[0]; i++) {
      dsm_workload *const workload = varied_network(&workload_values[i]);
      dsm_explore_options options;
      dsm_explore_options_init(&options);
      options.mode = (dsm_mode)mode;
      options.optimizations = dsm_mode_optimizations(options.mode);
      const inputs in = {workload, system, &options};
      expect_same(explorer, &in, workload_values[i].path);
      dsm_workload_free(workload);
    }
  }
  dsm_system_free(system);
  dsm_explorer_free(explorer);
}
END_TEST

/* Random networks, options and thread counts, some of them several times; with little room the memo
 * is emptied again and again. */
START_TEST(test_random_sequences) {
  static const size_t limits[] = {0, FEW_BYTES, DSM__MEMO_BYTES_MAX};
  dsm_explorer *const explorer = dsm__explorer_new_with(limits[_i]);
  for (uint64_t n = 0; n < 60; n++) {
    const uint64_t seed = n * n % 23; /* the same ones come again */
    random_case made = random_case_make(seed);
    if (seed % 3 == 0) {
      random_case_refine(&made, seed);
    }
    dsm_explore_options options;
    dsm_explore_options_init(&options);
    options.mode = n % 5 == 0 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING;
    options.optimizations = (dsm_optimization_set)(n * 7) & dsm_mode_optimizations(options.mode);
    options.thread_count = n % 7 == 0 ? 2 : 1;
    const inputs in = {made.workload, made.system, &options};
    expect_same(explorer, &in, "random");
    random_case_free(&made);
  }
  dsm_explorer_free(explorer);
}
END_TEST

/* Whole networks, in which what is held around a layer matters; the third time all is known. */
START_TEST(test_bundled_networks) {
  static const char *const scratchpads[] = {"1", "0.25"}; /* in less of it, tiles are smaller */
  dsm_explorer *const explorer = dsm_explorer_new();
  dsm_workload *const workload = bundled_workload(bundled_networks[_i], "256");
  for (size_t n = 0; n < 4; n++) {
    const dsm_override override = {"core.scratchpad_MiB", scratchpads[n % 2], NULL};
    dsm_system *const system =
        bundled_system_with(n < 3 ? "torus64" : "torus64_refined", &override, 1);
    const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
    const inputs in = {workload, system, &options};
    expect_same(explorer, &in, bundled_networks[_i]);
    dsm_system_free(system);
  }
  dsm_workload_free(workload);
  dsm_explorer_free(explorer);
}
END_TEST

START_TEST(test_it_refuses_what_dsm_explore_refuses) {
  dsm_explorer *const explorer = dsm_explorer_new();
  dsm_workload *const workload = given_network("16", networks[0]);
  dsm_system *const system = given_system(NULL, 0);
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.parallelisms = 0;
  const inputs in = {workload, system, &options};
  expect_same(explorer, &in, "no parallelism");
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explorer_explore(explorer, &plan, workload, system, &options, NULL),
                   DSM_ERROR_USAGE);
  ck_assert_ptr_null(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
  dsm_explorer_free(explorer);
  dsm_explorer_free(NULL);
}
END_TEST

START_TEST(test_no_options_are_the_defaults) {
  dsm_explorer *const explorer = dsm_explorer_new();
  dsm_workload *const workload = given_network("16", networks[0]);
  dsm_system *const system = given_system(NULL, 0);
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  dsm_plan *expected = NULL;
  dsm_plan *found = NULL;
  ck_assert_int_eq(dsm_explore(&expected, workload, system, &options, NULL), DSM_OK);
  ck_assert_int_eq(dsm_explore(&found, workload, system, NULL, NULL), DSM_OK);
  ck_assert_double_eq(found->result.step_cycles, expected->result.step_cycles);
  dsm_plan_free(found);
  ck_assert_int_eq(dsm_explorer_explore(explorer, &found, workload, system, NULL, NULL), DSM_OK);
  ck_assert_double_eq(found->result.step_cycles, expected->result.step_cycles);
  dsm_plan_free(found);
  dsm_plan_free(expected);
  dsm_system_free(system);
  dsm_workload_free(workload);
  dsm_explorer_free(explorer);
}
END_TEST

enum { CASES_TRIED = HOW_MANY(NETWORKS * DSM_MODE_COUNT, 2, 1), SEQUENCES = HOW_MANY(3, 2, 1) };

Suite *suite_explorer(void) {
  Suite *const suite = suite_create("explorer");
  TCase *const tcase = tcase_create("explorer");
  tcase_set_timeout(tcase, 600);
  tcase_add_loop_test(tcase, test_every_parameter_is_told_apart, 0, CASES_TRIED);
  tcase_add_test(tcase, test_workloads_are_told_apart);
  tcase_add_loop_test(tcase, test_random_sequences, 0, SEQUENCES);
  tcase_add_loop_test(tcase, test_bundled_networks, 0,
                      HOW_MANY(BUNDLED_NETWORKS, BUNDLED_NETWORKS, 3));
  tcase_add_test(tcase, test_it_refuses_what_dsm_explore_refuses);
  tcase_add_test(tcase, test_no_options_are_the_defaults);
  suite_add_tcase(suite, tcase);
  return suite;
}

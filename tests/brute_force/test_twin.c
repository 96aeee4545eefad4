/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_twin.c: libdsm against its brute-force twin (twin.h) on seeded random networks and systems:
 * equal optimum, equal tie-break, equal cost of every layer and pass, equal need of memory.
 *
 * Usage: test_twin [FIRST_SEED [COUNT [KEYS]]]. A failure prints its seed; the same seed reproduces
 * it. KEYS of refined equations that can be on: "all", "none", or names as in instance_keys.h.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"
#include "instance.h"
#include "twin.h"

/* Two implementations sum in different orders; they agree to this, relatively. */
static const double tolerance = 1e-9;

typedef struct {
  uint64_t seed;
  unsigned failures;
  bool is_enclosed; /* sums of gradients overlap: the answer may be above the best */
  double excess;    /* by which share */
} comparison;

static void fail(comparison *c, const char *where, const char *what, double ours, double theirs) {
  fprintf(stderr, "seed %llu: %s: %s: libdsm %.17g, twin %.17g\n", (unsigned long long)c->seed,
          where, what, ours, theirs);
  c->failures++;
}

static void expect_close(comparison *c, const char *where, const char *what, double ours,
                         double theirs) {
  if (!(fabs(ours - theirs) <= tolerance * fmax(fabs(ours), fabs(theirs)))) {
    fail(c, where, what, ours, theirs);
  }
}

static void compare_pass(comparison *c, const char *where, const dsm_pass_plan *ours,
                         const twin_pass *theirs) {
  if (ours->exists != theirs->exists) {
    fail(c, where, "exists", ours->exists, theirs->exists);
    return;
  }
  if (!ours->exists) {
    return;
  }
  for (int d = 0; d < TWIN_DIM_COUNT; d++) {
    if (ours->invocations[0].split.n[d] != theirs->split[d]) {
      fail(c, where, dsm_dim_name((dsm_dim)d), (double)ours->invocations[0].split.n[d],
           (double)theirs->split[d]);
    }
  }
  expect_close(c, where, "primary", ours->cycles.primary, theirs->primary);
  expect_close(c, where, "overlapped", ours->cycles.overlapped, theirs->overlapped);
  expect_close(c, where, "auxiliary", ours->cycles.auxiliary, theirs->auxiliary);
  expect_close(c, where, "non_overlapped", ours->cycles.non_overlapped, theirs->non_overlapped);
  expect_close(c, where, "total", ours->cycles.total, theirs->total);
}

static void compare_layers(comparison *c, const dsm_plan *plan, const twin_result *theirs) {
  if (plan->layer_count != theirs->layer_count) {
    fail(c, "network", "layers", (double)plan->layer_count, (double)theirs->layer_count);
    return;
  }
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const ours = &plan->layers[i];
    char where[128];
    if (strcmp(ours->layer->name, theirs->layers[i].name) != 0) {
      fail(c, ours->layer->name, "name", 0, 0);
    }
    const dsm_parallelism parallelism = ours->passes[DSM_PASS_FORWARD].share.parallelism;
    if ((int)parallelism != (int)theirs->layers[i].parallelism) {
      fail(c, ours->layer->name, "parallelism", (double)parallelism,
           (double)theirs->layers[i].parallelism);
    }
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      snprintf(where, sizeof where, "%s %s", ours->layer->name, dsm_pass_name((dsm_pass)p));
      compare_pass(c, where, &ours->passes[p], &theirs->layers[i].passes[p]);
    }
  }
}

/* Of equally fast mappings the first counts, but where layers share latency: then it is the first
 * of one of several searches. */
static bool is_same_sequence(const dsm_plan *plan, const twin_result *theirs) {
  bool is_same = true;
  for (size_t i = 0; i < plan->layer_count && i < theirs->layer_count; i++) {
    const dsm_parallelism parallelism = plan->layers[i].passes[DSM_PASS_FORWARD].share.parallelism;
    is_same = is_same && (int)parallelism == (int)theirs->layers[i].parallelism;
  }
  return is_same || !plan->system->model.fused_reductions;
}

/* Where sums of gradients overlap the answer may be open: the bound and the step enclose the best.
 */
static void enclose(comparison *c, const dsm_plan *plan, const twin_result *theirs) {
  const dsm_plan_result *const ours = &plan->result;
  const double rounding = 1e-9 * theirs->step_cycles;
  if (ours->lower_bound_cycles > theirs->step_cycles + rounding) {
    fail(c, "network", "lower_bound_cycles", ours->lower_bound_cycles, theirs->step_cycles);
  }
  if (ours->step_cycles < theirs->step_cycles - rounding) {
    fail(c, "network", "step_cycles", ours->step_cycles, theirs->step_cycles);
  }
  c->excess = ours->step_cycles / theirs->step_cycles - 1;
  c->is_enclosed = true;
}

static void compare_plan(comparison *c, const dsm_plan *plan, const twin_result *theirs) {
  if (!theirs->feasible) {
    fail(c, "network", "feasible", 1, 0);
    return;
  }
  if (plan->system->model.overlapped_reduction && plan->options.mode == DSM_MODE_TRAINING) {
    enclose(c, plan, theirs);
  } else {
    if (is_same_sequence(plan, theirs)) {
      compare_layers(c, plan, theirs);
      expect_close(c, "network", "memory", plan->result.memory.total_bytes, theirs->memory_bytes);
    }
    expect_close(c, "network", "step_cycles", plan->result.step_cycles, theirs->step_cycles);
    expect_close(c, "network", "lower_bound_cycles", plan->result.lower_bound_cycles,
                 theirs->step_cycles);
  }
  expect_close(c, "network", "ideal_cycles", plan->result.ideal_cycles, theirs->ideal_cycles);
  dsm_diags *const diags = dsm_diags_new(1);
  if (dsm_plan_validate(plan, diags) != DSM_OK) {
    fail(c, "network", dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "invalid", 0,
         0);
  }
  dsm_diags_free(diags);
}

static dsm_explore_options options_of(const instance *given) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = given->options.inference ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING;
  options.optimizations = given->options.hybrid ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) : 0;
  options.parallelisms = given->options.parallelism_mask;
  options.thread_count = 1 + given->seed % 3;
  return options;
}

static void print_findings(const comparison *c, const dsm_diags *diags) {
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    char text[1024];
    dsm_diag_render(dsm_diags_get(diags, i), false, text, sizeof text);
    fprintf(stderr, "seed %llu: %s\n", (unsigned long long)c->seed, text);
  }
}

/* Counts what the instances were like, so that a log shows that they cover something. */
typedef struct {
  unsigned feasible;
  unsigned infeasible;
  unsigned refused; /* options that leave no parallelism */
  unsigned with_axes;
  unsigned with_axis_keys;
  unsigned enclosed;
  unsigned above; /* of these, above the best */
  double most_above;
} coverage;

static void compare_instance(comparison *c, const instance *given, coverage *seen) {
  dsm_diags *const diags = dsm_diags_new(16);
  dsm_workload *workload = NULL;
  dsm_system *system = NULL;
  dsm_plan *plan = NULL;
  const dsm_explore_options options = options_of(given);
  twin_result *const theirs = malloc(sizeof *theirs);
  if (diags == NULL || theirs == NULL) {
    fail(c, "memory", "allocation", 0, 0);
    goto out;
  }
  if (dsm_workload_parse(&workload, given->workload_json, strlen(given->workload_json), "workload",
                         NULL, 0, diags) != DSM_OK ||
      dsm_system_parse(&system, given->system_json, strlen(given->system_json), "system", NULL, 0,
                       diags) != DSM_OK) {
    fail(c, "inputs", "valid", 0, 1);
    print_findings(c, diags);
    goto out;
  }
  const bool is_explored =
      twin_explore(theirs, given->workload_json, given->system_json, given->options);
  const dsm_status status = dsm_explore(&plan, workload, system, &options, diags);
  if (status == DSM_OK && is_explored) {
    seen->feasible++;
    compare_plan(c, plan, theirs);
  } else if (status == DSM_ERROR_INFEASIBLE && is_explored && !theirs->feasible) {
    seen->infeasible++;
  } else if (status == DSM_ERROR_USAGE && !is_explored) {
    seen->refused++;
  } else {
    fail(c, "network", dsm_status_name(status), status == DSM_OK, theirs->feasible);
    print_findings(c, diags);
  }
out:
  free(theirs);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
  dsm_diags_free(diags);
}

/* Networks of blocks and parameters, which each of the two writes out for itself. */
static const char *const block_networks[] = {
    "{\"format\":\"dsm-workload/1\",\"name\":\"perceptron\",\"minibatch\":\"=4*batch\","
    "\"parameters\":{\"wide\":\"=(hidden + 2)*3/2\",\"hidden\":6,\"batch\":\"=--2\"},\"layers\":["
    "{\"name\":\"in\",\"type\":\"fc\",\"in\":5,\"out\":\"=hidden\"},"
    "{\"block\":\"b\",\"repeat\":2,\"layers\":["
    "{\"name\":\"up\",\"type\":\"fc\",\"in\":\"=hidden\",\"out\":\"=wide\"},"
    "{\"name\":\"down\",\"type\":\"fc\",\"in\":\"=wide\",\"out\":\"=hidden\","
    "\"aux\":[{\"op\":\"residual\",\"from\":\"@before\"}]}]},"
    "{\"name\":\"out\",\"type\":\"fc\",\"inputs\":[\"b\",\"b.0.up\"],\"in\":\"=hidden+wide\","
    "\"out\":3}]}",
    "{\"format\":\"dsm-workload/1\",\"name\":\"nested\",\"minibatch\":6,\"layers\":["
    "{\"name\":\"x\",\"type\":\"conv\",\"in\":2,\"out\":4,\"feature\":[4,4]},"
    "{\"block\":\"a\",\"repeat\":2,\"layers\":["
    "{\"name\":\"x\",\"type\":\"conv\",\"in\":4,\"out\":4,\"feature\":[4,\"=2*2\"],\"kernel\":[3,3]"
    "},"
    "{\"block\":\"n\",\"layers\":[{\"name\":\"y\",\"type\":\"conv\",\"inputs\":[\"x\",\"@before\"],"
    "\"in\":8,\"out\":4,\"feature\":[4,4],\"aux\":[{\"op\":\"relu\"}]}]}]},"
    "{\"name\":\"z\",\"type\":\"fc\",\"inputs\":[\"a\",\"x\"],\"in\":128,\"out\":3}]}",
    "{\"format\":\"dsm-workload/1\",\"name\":\"recurrent\",\"minibatch\":4,\"layers\":["
    "{\"block\":\"stack\",\"repeat\":3,\"layers\":[{\"name\":\"l\",\"type\":\"lstm\",\"in\":4,"
    "\"out\":4,"
    "\"timesteps\":3}]},"
    "{\"name\":\"score\",\"type\":\"matmul\",\"in\":4,\"out\":3,\"timesteps\":3,\"operand\":"
    "\"stack.1.l\","
    "\"operand_elements\":12}]}",
    "{\"format\":\"dsm-workload/"
    "1\",\"name\":\"list\",\"minibatch\":6,\"connected\":false,\"layers\":["
    "{\"name\":\"g\",\"type\":\"fc\",\"in\":12,\"out\":8,\"aux\":[{\"op\":\"relu\"}]},"
    "{\"name\":\"c\",\"type\":\"conv\",\"in\":3,\"out\":4,\"feature\":[4,4],\"kernel\":[3,3],"
    "\"stride\":[2,2],"
    "\"padding\":[1,0],\"input_feature\":[8,9],\"aux\":[{\"op\":\"residual\",\"from\":\"@input\"}]}"
    ","
    "{\"block\":\"l\",\"repeat\":2,\"layers\":[{\"name\":\"l\",\"type\":\"lstm\",\"in\":4,\"out\":"
    "6,"
    "\"timesteps\":3}]},"
    "{\"name\":\"m\",\"type\":\"matmul\",\"in\":4,\"out\":3,\"operand\":\"@input\","
    "\"operand_elements\":12}]}"};

static void compare_blocks(comparison *c, instance *given, coverage *seen) {
  for (size_t i = 0; i < sizeof block_networks / sizeof *block_networks; i++) {
    (void)snprintf(given->workload_json, sizeof given->workload_json, "%s", block_networks[i]);
    compare_instance(c, given, seen);
  }
}

int main(int argc, char **argv) {
  static const uint64_t seeds_a_block = 16;
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 2000;
  instance_key_set allowed = INSTANCE_EVERY_KEY;
  if (argc > 3 && !instance_keys_parse(&allowed, argv[3])) {
    fprintf(stderr, "unknown key: %s\n", argv[3]);
    return 2;
  }
  instance *const given = malloc(sizeof *given);
  instance_key_counts keys = {{0}, {0}};
  coverage seen = {0};
  unsigned failed = 0;
  for (uint64_t seed = first; given != NULL && seed < first + count; seed++) {
    comparison c = {.seed = seed};
    instance_make(given, seed, allowed);
    compare_instance(&c, given, &seen);
    instance_key_count(&keys, given->keys, given->workload_json);
    if (seed % seeds_a_block == 0) {
      compare_blocks(&c, given, &seen);
    }
    seen.with_axes += given->has_axes;
    seen.enclosed += c.is_enclosed;
    seen.above += c.excess > tolerance;
    seen.most_above = fmax(seen.most_above, c.excess);
    seen.with_axis_keys += given->has_axis_keys;
    failed += c.failures > 0 ? 1 : 0;
  }
  free(given);
  printf("%llu instances from seed %llu: %u explored alike, %u infeasible alike, %u refused alike, "
         "%u differ; %u have axes, %u of these keys of links or collectives\n",
         (unsigned long long)count, (unsigned long long)first, seen.feasible, seen.infeasible,
         seen.refused, failed, seen.with_axes, seen.with_axis_keys);
  printf("of %u whose sums of gradients overlap %u are above the best, by %.3g %% at most\n",
         seen.enclosed, seen.above, 100 * seen.most_above);
  instance_key_counts_print(&keys);
  return failed == 0 && given != NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}

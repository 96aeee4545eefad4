/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_twin_full.c: libdsm against its brute-force twin with reuse, DySM, pipelining and a
 * parallelism per pass: equal optimum, equal feasibility, and the twin finds the mapping that
 * libdsm chose admissible, as fast, as large, and its pipeline groups and layers as fast.
 *
 * Usage: test_twin_full [FIRST_SEED [COUNT [CASE [KEYS]]]]. A failure prints its seed and case; the
 * same seed reproduces it. CASE as in the messages, or "every"; KEYS of refined equations that can
 * be on: "all", "none", or names as in instance_keys.h.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"
#include "instance.h"
#include "relaid.h"
#include "twin.h"

/* Two implementations sum in different orders; they agree to this, relatively. */
static const double tolerance = 1e-9;

typedef struct {
  const instance *given;
  instance_case which;
  unsigned failures;
  bool is_enclosed; /* sums of gradients overlap: the answer may be above the best */
  double excess;    /* by which share */
} comparison;

static void fail(comparison *c, const char *where, const char *what, double ours, double theirs) {
  fprintf(stderr, "seed %llu %s: %s: %s: libdsm %.17g, twin %.17g\n",
          (unsigned long long)c->given->seed, instance_case_name(c->which), where, what, ours,
          theirs);
  c->failures++;
}

static void expect_close(comparison *c, const char *where, const char *what, double ours,
                         double theirs) {
  if (!(fabs(ours - theirs) <= tolerance * fmax(fabs(ours), fabs(theirs)))) {
    fail(c, where, what, ours, theirs);
  }
}

static void expect_at_most(comparison *c, const char *what, double lesser, double greater) {
  if (!(lesser <= greater * (1 + tolerance))) {
    fail(c, "network", what, lesser, greater);
  }
}

static void print_findings(const comparison *c, const dsm_diags *diags) {
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    char text[1024];
    dsm_diag_render(dsm_diags_get(diags, i), false, text, sizeof text);
    fprintf(stderr, "seed %llu: %s\n", (unsigned long long)c->given->seed, text);
  }
}

/* The layouts of a layer's passes; those of passes that it has not are as the twin wants them. */
static void read_parallelisms(const dsm_layer_plan *layer, bool inference,
                              twin_parallelism out[TWIN_PASS_COUNT]) {
  const dsm_parallelism forward = layer->passes[DSM_PASS_FORWARD].share.parallelism;
  const dsm_pass_plan *const update = &layer->passes[DSM_PASS_UPDATE];
  for (int p = 0; p < TWIN_PASS_COUNT; p++) {
    out[p] = (twin_parallelism)forward;
  }
  if (!inference) {
    out[TWIN_BACKWARD] = (twin_parallelism)layer->error_parallelism;
    out[TWIN_UPDATE] = (twin_parallelism)(update->exists ? update->share.parallelism : forward);
  }
}

/* Does a stage fetch its weights in each timestep of a pass? */
static bool stage_fetches(const dsm_plan *plan, const dsm_layer_plan *layer, int which) {
  const dsm_pass_plan *const pass = &layer->passes[which];
  return layer->pipeline != DSM_NO_PIPELINE && pass->exists &&
         (plan->options.optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE)) != 0 &&
         pass->invocations[pass->invocation_count - 1].kind != DSM_INVOCATION_STEADY;
}

/* The decisions of a plan; false if it does not fit the twin. */
static bool read_mapping(comparison *c, const dsm_plan *plan, twin_mapping *out) {
  *out = (twin_mapping){.layer_count = plan->layer_count, .group_count = plan->pipeline_count};
  if (plan->layer_count > TWIN_MAX_LAYERS || plan->pipeline_count > TWIN_MAX_LAYERS) {
    fail(c, "network", "layers", (double)plan->layer_count, TWIN_MAX_LAYERS);
    return false;
  }
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    read_parallelisms(layer, c->given->options.inference, out->layers[i].parallelism);
    out->layers[i].factor = (size_t)layer->decisions.dysm_factor;
    out->layers[i].is_held = layer->decisions.is_output_held;
    out->layers[i].is_hoisted = layer->decisions.is_hoisted;
    out->layers[i].parts = (twin_parts){.features = (size_t)layer->decisions.output_layout.features,
                                        .positions = (size_t)layer->decisions.output_layout.ij,
                                        .samples = (size_t)layer->decisions.output_layout.mb};
    for (int p = 0; p < TWIN_PASS_COUNT; p++) {
      out->layers[i].fetches[p] = stage_fetches(plan, layer, p);
    }
  }
  for (size_t i = 0; i < plan->pipeline_count; i++) {
    const size_t first = plan->pipelines[i].first_layer;
    const size_t count = plan->pipelines[i].layer_count;
    out->groups[i] =
        (twin_group){.first = first, .count = count, .columns = (size_t)plan->pipelines[i].columns};
    for (size_t j = 0; j < count && first + j < plan->layer_count; j++) {
      out->groups[i].rows[j] = (size_t)plan->pipelines[i].rows[j];
    }
  }
  return true;
}

/* Do the layers know the groups that they are in? */
static void compare_membership(comparison *c, const dsm_plan *plan) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    size_t group = SIZE_MAX;
    for (size_t j = 0; j < plan->pipeline_count; j++) {
      const dsm_pipeline_plan *const pipeline = &plan->pipelines[j];
      const bool is_member =
          i >= pipeline->first_layer && i < pipeline->first_layer + pipeline->layer_count;
      group = is_member ? j : group;
    }
    if (plan->layers[i].pipeline != group) {
      fail(c, plan->layers[i].layer->name, "pipeline", (double)plan->layers[i].pipeline,
           (double)group);
    }
  }
}

/* Relayouts belong to the layer executed after them: forward the later, backward the earlier. */
static void compare_layers(comparison *c, const dsm_plan *plan, const twin_cost *theirs) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    double ours = 0;
    double cycles = theirs->boundary_cycles[i][TWIN_FORWARD];
    for (int p = 0; p < TWIN_PASS_COUNT; p++) {
      ours += layer->passes[p].exists ? layer->passes[p].cycles.total : 0;
      cycles += theirs->pass_cycles[i][p];
    }
    if (i + 1 < plan->layer_count) {
      cycles += theirs->boundary_cycles[i + 1][TWIN_BACKWARD];
    }
    if (layer->pipeline == SIZE_MAX) {
      expect_close(c, layer->layer->name, "cycles", ours, cycles);
    }
  }
  for (size_t i = 0; i < plan->pipeline_count; i++) {
    expect_close(c, "pipeline", "cycles", plan->pipelines[i].cycles, theirs->group_cycles[i]);
  }
}

/* Several times other layouts. */
static void compare_relaid(comparison *c, dsm_plan *plan, twin_mapping *mapping) {
  dsm_diags *const diags = dsm_diags_new(4);
  instance_random random = {.state = c->given->seed};
  for (int i = 0; i < 8; i++) {
    relaid_cycles cycles;
    if (relaid_compare(&cycles, plan, mapping, c->given, &random, diags)) {
      expect_close(c, "other layouts", "step_cycles", cycles.libdsm, cycles.twin);
    } else {
      fail(c, "other layouts", "scored", 0, 1);
      print_findings(c, diags);
    }
  }
  dsm_diags_free(diags);
}

/* Leaves the plan with other layouts. */
static void compare_plan(comparison *c, dsm_plan *plan, const twin_result *theirs) {
  const double step_cycles = plan->result.step_cycles;
  if (plan->system->model.overlapped_reduction && plan->options.mode == DSM_MODE_TRAINING) {
    expect_at_most(c, "best, step_cycles", theirs->step_cycles, step_cycles);
    c->is_enclosed = true;
    c->excess = step_cycles / theirs->step_cycles - 1;
  } else {
    expect_close(c, "network", "step_cycles", step_cycles, theirs->step_cycles);
  }
  expect_at_most(c, "lower_bound_cycles, step_cycles", plan->result.lower_bound_cycles,
                 theirs->step_cycles);
  expect_close(c, "network", "ideal_cycles", plan->result.ideal_cycles, theirs->ideal_cycles);
  twin_mapping mapping;
  twin_cost cost;
  if (read_mapping(c, plan, &mapping) &&
      twin_score(&cost, c->given->workload_json, c->given->system_json, c->given->options,
                 &mapping)) {
    if (cost.fault != NULL || !cost.fits) {
      fail(c, "mapping", cost.fault != NULL ? cost.fault : "does not fit", cost.memory_bytes, 0);
    } else {
      expect_close(c, "mapping", "step_cycles", step_cycles, cost.cycles);
      expect_close(c, "mapping", "memory", plan->result.memory.total_bytes, cost.memory_bytes);
      compare_membership(c, plan);
      compare_layers(c, plan, &cost);
    }
  }
  dsm_diags *const diags = dsm_diags_new(1);
  if (dsm_plan_validate(plan, diags) != DSM_OK) {
    fail(c, "network", dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "invalid", 0,
         0);
  }
  dsm_diags_free(diags);
  if (relaid_has_layouts(plan) && read_mapping(c, plan, &mapping)) {
    compare_relaid(c, plan, &mapping);
  }
}

static dsm_explore_options options_of(const instance *given) {
  const twin_options *const from = &given->options;
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = from->inference ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING;
  options.optimizations = (from->hybrid ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) : 0) |
                          (from->reuse ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE) : 0) |
                          (from->dysm ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM) : 0) |
                          (from->pipeline ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE) : 0) |
                          (from->per_pass ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS) : 0) |
                          (from->hoist ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HOIST) : 0);
  options.parallelisms = from->parallelism_mask;
  options.thread_count = 1 + given->seed % 3;
  return options;
}

/* Counts what the instances were like, so that a log shows that they cover something. */
typedef struct {
  unsigned feasible;
  unsigned infeasible;
  unsigned refused; /* options that leave no parallelism */
  unsigned with_axes;
  unsigned with_axis_keys;
  unsigned held;
  unsigned divided; /* some DySM factor */
  unsigned pipelined;
  unsigned hoisted;
  unsigned fetching; /* of these, where a stage fetches weights that it could keep */
  unsigned enclosed;
  unsigned above; /* of these, above the best */
  double most_above;
} coverage;

static void count_features(coverage *seen, const twin_result *result) {
  bool is_held = false;
  bool is_divided = false;
  bool is_hoisted = false;
  bool is_fetching = false;
  for (size_t i = 0; i < result->mapping.layer_count; i++) {
    is_held = is_held || result->mapping.layers[i].is_held;
    is_divided = is_divided || result->mapping.layers[i].factor > 1;
    is_hoisted = is_hoisted || result->mapping.layers[i].is_hoisted;
    for (int p = 0; p < TWIN_PASS_COUNT; p++) {
      is_fetching = is_fetching || result->mapping.layers[i].fetches[p];
    }
  }
  seen->feasible++;
  seen->held += is_held;
  seen->divided += is_divided;
  seen->hoisted += is_hoisted;
  seen->pipelined += result->mapping.group_count > 0;
  seen->fetching += is_fetching;
}

static void compare_answers(comparison *c, dsm_status status, dsm_plan *plan, bool is_explored,
                            const twin_result *theirs, coverage *seen) {
  if (status == DSM_OK && is_explored && theirs->feasible) {
    count_features(seen, theirs);
    compare_plan(c, plan, theirs);
  } else if (status == DSM_ERROR_INFEASIBLE && is_explored && !theirs->feasible) {
    seen->infeasible++;
  } else if (status == DSM_ERROR_USAGE && !is_explored) {
    seen->refused++;
  } else {
    fail(c, "network", dsm_status_name(status), status == DSM_OK, theirs->feasible);
  }
}

static void compare_instance(comparison *c, coverage *seen) {
  const instance *const given = c->given;
  dsm_diags *const diags = dsm_diags_new(16);
  dsm_workload *workload = NULL;
  dsm_system *system = NULL;
  dsm_plan *plan = NULL;
  const dsm_explore_options options = options_of(given);
  twin_result *const theirs = malloc(sizeof *theirs);
  const unsigned before = c->failures;
  if (diags == NULL || theirs == NULL) {
    fail(c, "memory", "allocation", 0, 0);
  } else if (dsm_workload_parse(&workload, given->workload_json, strlen(given->workload_json),
                                "workload", NULL, 0, diags) != DSM_OK ||
             dsm_system_parse(&system, given->system_json, strlen(given->system_json), "system",
                              NULL, 0, diags) != DSM_OK) {
    fail(c, "inputs", "valid", 0, 1);
  } else {
    const bool is_explored =
        twin_explore(theirs, given->workload_json, given->system_json, given->options);
    const dsm_status status = dsm_explore(&plan, workload, system, &options, diags);
    compare_answers(c, status, plan, is_explored, theirs, seen);
  }
  if (c->failures > before && diags != NULL) {
    print_findings(c, diags);
  }
  free(theirs);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
  dsm_diags_free(diags);
}

int main(int argc, char **argv) {
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 200;
  const char *const only = argc > 3 ? argv[3] : "every";
  instance_key_set allowed = INSTANCE_EVERY_KEY;
  if (argc > 4 && !instance_keys_parse(&allowed, argv[4])) {
    fprintf(stderr, "unknown key: %s\n", argv[4]);
    return 2;
  }
  instance *const given = malloc(sizeof *given);
  instance_key_counts keys = {{0}, {0}};
  coverage seen = {0};
  unsigned failed = 0;
  for (uint64_t seed = first; given != NULL && seed < first + count; seed++) {
    for (int which = 0; which < INSTANCE_CASE_COUNT; which++) {
      if (strcmp(only, "every") != 0 &&
          strcmp(only, instance_case_name((instance_case)which)) != 0) {
        continue;
      }
      comparison c = {.given = given, .which = (instance_case)which};
      instance_make_full(given, seed, c.which, allowed);
      compare_instance(&c, &seen);
      instance_key_count(&keys, given->keys, given->workload_json);
      seen.with_axes += given->has_axes;
      seen.enclosed += c.is_enclosed;
      seen.above += c.excess > tolerance;
      seen.most_above = fmax(seen.most_above, c.excess);
      seen.with_axis_keys += given->has_axis_keys;
      failed += c.failures > 0 ? 1 : 0;
    }
  }
  free(given);
  printf("%llu seeds from %llu: %u explored alike (%u hold outputs, %u with DySM, %u hoisted, %u "
         "pipelined, "
         "of which %u fetch what they could keep), %u "
         "infeasible alike, %u refused alike, %u differ; %u have axes, %u of these keys of "
         "links or collectives\n",
         (unsigned long long)count, (unsigned long long)first, seen.feasible, seen.held,
         seen.divided, seen.hoisted, seen.pipelined, seen.fetching, seen.infeasible, seen.refused,
         failed, seen.with_axes, seen.with_axis_keys);
  printf("of %u whose sums of gradients overlap %u are above the best, by %.3g %% at most\n",
         seen.enclosed, seen.above, 100 * seen.most_above);
  instance_key_counts_print(&keys);
  return failed == 0 && given != NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}

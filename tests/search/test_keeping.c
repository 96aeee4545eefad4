/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What chips keep: shards, and layers that are made anew. Each mapping of a small network is scored
 * as a plan, and the fastest of those that fit is compared with what the search finds.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "edited.h"
#include "given.h"
#include "how_many.h"
#include "plan/plan_internal.h"
#include "plan/segments.h"
#include "role_draw.h"
#include "search/overlapped.h"
#include "search/problem.h"
#include "search/roles/role_options.h"
#include "search/roles/step_search.h"
#include "suites.h"

/* A chain with a block around which a residual goes: "a", "b" + "c" with a's output added, "d". */
static const char network[] =
    "{'name': 'a', 'type': 'fc', 'in': 64, 'out': 96},"
    "{'name': 'b', 'type': 'fc', 'in': 96, 'out': 384},"
    "{'name': 'c', 'type': 'fc', 'in': 384, 'out': 96, 'aux': [{'op': 'residual', 'from': 'a'}]},"
    "{'name': 'd', 'type': 'fc', 'in': 96, 'out': 32}";
enum { LAYERS = 4 };

static dsm_workload *workload;
static dsm_system *chips; /* 2 x 2, of one core */

static dsm_system *chips_of(double capacity_bytes) {
  char capacity[64];
  (void)snprintf(capacity, sizeof capacity, "%.17g", capacity_bytes / 1e9);
  const dsm_override overrides[] = {{"system.chips_x", "2", NULL},
                                    {"system.chips_y", "2", NULL},
                                    {"chip.cores", "1", NULL},
                                    {"chip.memory.capacity_GB", capacity, NULL}};
  return bundled_system_with("torus64", overrides, 4);
}

static void set_up(void) {
  workload = given_network("16", network);
  workload->optimizer_bytes_per_weight = 8;
  chips = chips_of(8e9);
}

static void tear_down(void) {
  dsm_workload_free(workload);
  dsm_system_free(chips);
}

#define BIT DSM_OPTIMIZATION_BIT
#define ALL_KEPT_LESS (BIT(DSM_OPTIMIZATION_SHARD) | BIT(DSM_OPTIMIZATION_RECOMPUTE))

static dsm_explore_options options_of(dsm_optimization_set optimizations) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = optimizations;
  return options;
}

/* What is decided for a layer: a number below CHOICES. */
enum { CHOICES = 2 * DSM_SHARDING_COUNT * 2 };

static dsm__layer_decision decision_of(size_t choice) {
  const dsm_loops one = {{1, 1, 1, 1, 1}};
  dsm__layer_decision decision = dsm__layer_decision_none();
  decision.layouts =
      dsm_pass_layouts_uniform(choice % 2 == 0 ? DSM_PARALLELISM_DATA : DSM_PARALLELISM_MODEL);
  decision.layer.shard = (dsm_sharding)(choice / 2 % DSM_SHARDING_COUNT);
  decision.layer.is_recomputed = choice / 2 / DSM_SHARDING_COUNT == 1;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    for (int k = 0; k < DSM_INVOCATION_KINDS_MAX; k++) {
      decision.splits[p][k] = one;
    }
  }
  return decision;
}

static dsm_plan *plan_with(const dsm__layer_decision layers[LAYERS], uint64_t micro_batches) {
  const dsm__decisions decisions = {.layers = layers, .micro_batches = micro_batches};
  const dsm_explore_options options =
      options_of(ALL_KEPT_LESS | BIT(DSM_OPTIMIZATION_ACCUMULATE) | BIT(DSM_OPTIMIZATION_HYBRID) |
                 BIT(DSM_OPTIMIZATION_PER_PASS));
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm__plan_make(&plan, workload, chips, &options, &decisions, NULL), DSM_OK);
  return plan;
}

static dsm_plan *plan_of(const size_t choices[LAYERS], uint64_t micro_batches) {
  dsm__layer_decision layers[LAYERS];
  for (size_t i = 0; i < LAYERS; i++) {
    layers[i] = decision_of(choices[i]);
  }
  return plan_with(layers, micro_batches);
}

/* ---- by hand ---- */

static size_t choice_of(bool is_model, dsm_sharding shard, bool is_recomputed) {
  return (is_model ? 1U : 0U) + 2 * ((size_t)shard + (is_recomputed ? DSM_SHARDING_COUNT : 0U));
}

/* Weights 64 * 96 + 96 * 384 + 384 * 96 + 96 * 32 = 82,944, state of 8 bytes each; all 4 chips sum
 * their gradients. Of 4 samples a chip keeps 96 + 384 + 96 + 32 elements.
 */
START_TEST(test_memory_by_hand) {
  static const double weights = 82944;
  static const double kept = (96 + 384 + 96 + 32) * 4 * 2;
  static const double divided[DSM_SHARDING_COUNT][3] = {{1, 1, 1}, {1, 1, 4}, {1, 4, 4}, {4, 4, 4}};
  for (int k = 0; k < 2 * DSM_SHARDING_COUNT; k++) {
    const int s = k / 2;
    chips->model.sharded_update = k % 2 == 1; /* each chip updates its part, whose state it has */
    const size_t choice = choice_of(false, (dsm_sharding)s, false);
    dsm_plan *const plan = plan_of((size_t[LAYERS]){choice, choice, choice, choice}, 1);
    const dsm_plan_memory *const memory = &plan->result.memory;
    const double state = 8;
    ck_assert_double_eq(memory->weights_bytes, weights * workload->element_bytes / divided[s][0]);
    ck_assert_double_eq(memory->gradients_bytes,
                        weights * workload->gradient_bytes / divided[s][1]);
    ck_assert_double_eq(memory->optimizer_bytes,
                        weights * state / (k % 2 == 1 ? 4 : divided[s][2]));
    ck_assert_double_eq(memory->activations_bytes, kept + 64 * 4 * 2);
    ck_assert_double_eq(memory->recomputed_bytes, 0);
    dsm_plan_free(plan);
  }
}
END_TEST

/* Updated by samples, after passes by features: each of 4 chips sums all gradients, and has the
 * fourth that it needs left of them. Less would be lost. */
START_TEST(test_what_passes_cut_is_shared_out_no_further) {
  static const double part = 82944.0 / 4;
  for (int s = 0; s < DSM_SHARDING_COUNT; s++) {
    dsm__layer_decision layers[LAYERS];
    for (size_t i = 0; i < LAYERS; i++) {
      layers[i] = decision_of(choice_of(true, (dsm_sharding)s, false));
      layers[i].layouts.of[DSM_PASS_UPDATE] = DSM_PARALLELISM_DATA;
    }
    dsm_plan *const plan = plan_with(layers, 1);
    const dsm_plan_memory *const memory = &plan->result.memory;
    ck_assert_double_eq(memory->weights_bytes, part * workload->element_bytes);
    ck_assert_double_eq(memory->gradients_bytes, part * workload->gradient_bytes);
    ck_assert_double_eq(memory->optimizer_bytes, part * 8);
    dsm_plan_free(plan);
  }
}
END_TEST

/* Segments are a; b and c; d. Of b nothing is kept, of c its output, which d reads; a's is read
 * outside of it too. */
START_TEST(test_segments_by_hand) {
  const size_t plain = choice_of(false, DSM_SHARDING_NONE, false);
  const size_t again = choice_of(false, DSM_SHARDING_NONE, true);
  dsm_plan *const none = plan_of((size_t[LAYERS]){plain, plain, plain, plain}, 1);
  dsm_plan *const all = plan_of((size_t[LAYERS]){again, again, again, again}, 1);
  const double outputs[LAYERS] = {96 * 4 * 2, 384 * 4 * 2, 96 * 4 * 2, 32 * 4 * 2};
  dsm__segment_walk walk = dsm__segments_begin(workload);
  static const bool ends[LAYERS] = {true, false, true, true};
  for (size_t i = 0; i < LAYERS; i++) {
    ck_assert_int_eq(dsm__segment_ends(&walk, i), ends[i]);
  }
  ck_assert_double_eq(all->layers[0].memory.activations_bytes, outputs[0]);
  ck_assert_double_eq(all->layers[1].memory.activations_bytes, 0);
  ck_assert_double_eq(all->layers[2].memory.activations_bytes, outputs[2]);
  ck_assert_double_eq(all->layers[3].memory.activations_bytes, 0);
  ck_assert_double_eq(all->result.memory.recomputed_bytes, outputs[1]); /* d's is less */
  ck_assert_double_eq(none->result.memory.total_bytes - all->result.memory.total_bytes,
                      outputs[1] + outputs[3] - outputs[1]);
  for (size_t i = 0; i < LAYERS; i++) {
    const dsm_pass pass = workload->layers[i].has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
    const dsm_pass_plan *const forward = &none->layers[i].passes[DSM_PASS_FORWARD];
    const double invocation = forward->invocations[0].cost.total;
    ck_assert_double_eq_tol(all->layers[i].passes[pass].cycles.total,
                            none->layers[i].passes[pass].cycles.total + invocation,
                            1e-9 * invocation);
    ck_assert_double_eq(all->layers[i].passes[pass].group_cycles[DSM_GROUP_RECOMPUTE], invocation);
    ck_assert_double_eq(all->layers[i].passes[DSM_PASS_FORWARD].cycles.total,
                        forward->cycles.total);
  }
  ck_assert_int_eq(dsm_plan_validate(all, NULL), DSM_OK);
  dsm_plan_free(all);
  dsm_plan_free(none);
}
END_TEST

/* An all-gather as after an update, before forward and before backward, of which shows what takes
 * longer than the pass; none after the update. */
START_TEST(test_gathered_weights_by_hand) {
  const size_t plain = choice_of(false, DSM_SHARDING_NONE, false);
  const size_t whole = choice_of(false, DSM_SHARDING_WEIGHTS, false);
  dsm_plan *const before = plan_of((size_t[LAYERS]){plain, plain, plain, plain}, 1);
  dsm_plan *const after = plan_of((size_t[LAYERS]){whole, whole, whole, whole}, 1);
  for (size_t i = 0; i < LAYERS; i++) {
    const double way_back =
        before->layers[i].passes[DSM_PASS_UPDATE].group_cycles[DSM_GROUP_BROADCAST_WEIGHTS];
    ck_assert_double_gt(way_back, 0);
    ck_assert_double_eq(
        after->layers[i].passes[DSM_PASS_UPDATE].group_cycles[DSM_GROUP_BROADCAST_WEIGHTS], 0);
    for (int p = DSM_PASS_FORWARD; p <= DSM_PASS_BACKWARD; p++) {
      const dsm_pass_plan *const pass = &after->layers[i].passes[p];
      const dsm_pass_plan *const plainly = &before->layers[i].passes[p];
      if (pass->exists) {
        const double shown = fmax(0, way_back - plainly->invocations[0].cost.total);
        ck_assert_double_eq_tol(pass->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS], shown, 1e-6);
        ck_assert_double_eq_tol(pass->hidden_cycles, way_back - shown, 1e-6);
        ck_assert_double_eq_tol(pass->cycles.total, plainly->cycles.total + shown, 1e-6);
      }
    }
  }
  ck_assert_int_eq(dsm_plan_validate(after, NULL), DSM_OK);
  dsm_plan_free(after);
  dsm_plan_free(before);
}
END_TEST

/* With micro-batches, gradients of which each chip keeps a part are summed after each of them. */
START_TEST(test_sharded_gradients_are_summed_in_each_micro_batch) {
  const size_t state = choice_of(false, DSM_SHARDING_OPTIMIZER, false);
  const size_t gradients = choice_of(false, DSM_SHARDING_GRADIENTS, false);
  dsm_plan *const once = plan_of((size_t[LAYERS]){state, state, state, state}, 4);
  dsm_plan *const often = plan_of((size_t[LAYERS]){gradients, gradients, gradients, gradients}, 4);
  for (size_t i = 0; i < LAYERS; i++) {
    const double *const of_once = once->layers[i].passes[DSM_PASS_UPDATE].group_cycles;
    const double *const of_often = often->layers[i].passes[DSM_PASS_UPDATE].group_cycles;
    ck_assert_double_eq_tol(of_often[DSM_GROUP_SUM_OF_GRADIENTS],
                            4 * of_once[DSM_GROUP_SUM_OF_GRADIENTS], 1e-6);
    ck_assert_double_eq(of_often[DSM_GROUP_BROADCAST_WEIGHTS],
                        of_once[DSM_GROUP_BROADCAST_WEIGHTS]);
  }
  dsm_plan_free(often);
  dsm_plan_free(once);
}
END_TEST

/* ---- the search ---- */

/* A mapping of the space: what it takes and needs. */
typedef struct scored {
  double cycles;
  double bytes;
} scored;

enum { MAPPINGS = CHOICES * CHOICES * CHOICES * CHOICES };

static scored *score_all(void) {
  scored *const all = malloc(MAPPINGS * sizeof *all);
  ck_assert_ptr_nonnull(all);
  for (size_t m = 0; m < MAPPINGS; m++) {
    size_t choices[LAYERS];
    for (size_t i = 0, left = m; i < LAYERS; i++, left /= CHOICES) {
      choices[i] = left % CHOICES;
    }
    dsm_plan *const plan = plan_of(choices, 1);
    all[m] = (scored){plan->result.step_cycles, plan->result.memory.total_bytes};
    dsm_plan_free(plan);
  }
  return all;
}

static void assert_read_back(const dsm_plan *plan) {
  char *const text = dsm_plan_print(plan);
  dsm_plan *again = NULL;
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), NULL, NULL, NULL), DSM_OK);
  ck_assert_double_eq(again->result.step_cycles, plan->result.step_cycles);
  ck_assert_double_eq(again->result.memory.total_bytes, plan->result.memory.total_bytes);
  dsm_plan_free(again);
  free(text);
}

/* Do the layers of a mapping that run again agree with what is asked for? The block is b and c. */
static bool is_as_asked(size_t mapping, dsm_recomputation asked) {
  static const bool in_block[LAYERS] = {false, true, true, false};
  bool is_so = true;
  for (size_t i = 0; i < LAYERS; i++, mapping /= CHOICES) {
    const bool is_again = mapping % CHOICES / 2 / DSM_SHARDING_COUNT == 1;
    const bool is_wanted = asked == DSM_RECOMPUTATION_FULL && in_block[i];
    is_so = is_so && (asked == DSM_RECOMPUTATION_BEST || is_again == is_wanted);
  }
  return is_so;
}

/* Do they share out what is asked for? Where chips share features each weight is on one chip. */
static bool is_of_level(size_t mapping, dsm_shard_level level) {
  bool is_so = true;
  for (size_t i = 0; i < LAYERS; i++, mapping /= CHOICES) {
    const bool is_model = mapping % 2 == 1;
    const size_t shard = mapping % CHOICES / 2 % DSM_SHARDING_COUNT;
    is_so = is_so && (level == DSM_SHARD_LEVEL_BEST || is_model || shard + 1 == (size_t)level);
  }
  return is_so;
}

/* For capacities from the least need to the largest, and for what is asked for. */
START_TEST(test_search_finds_the_fastest_that_fits) {
  static const struct {
    dsm_recomputation recomputation;
    dsm_shard_level level;
  } asked_for[] = {{DSM_RECOMPUTATION_BEST, DSM_SHARD_LEVEL_BEST},
                   {DSM_RECOMPUTATION_NONE, DSM_SHARD_LEVEL_BEST},
                   {DSM_RECOMPUTATION_FULL, DSM_SHARD_LEVEL_BEST},
                   {DSM_RECOMPUTATION_NONE, DSM_SHARD_LEVEL_NONE},
                   {DSM_RECOMPUTATION_BEST, DSM_SHARD_LEVEL_OPTIMIZER},
                   {DSM_RECOMPUTATION_FULL, DSM_SHARD_LEVEL_GRADIENTS},
                   {DSM_RECOMPUTATION_BEST, DSM_SHARD_LEVEL_WEIGHTS}};
  const dsm_recomputation asked = asked_for[_i].recomputation;
  const dsm_shard_level level = asked_for[_i].level;
  enum { CAPACITIES = HOW_MANY(40, 16, 4) };
  scored *const all = score_all();
  double least = HUGE_VAL;
  double most = 0;
  for (size_t m = 0; m < MAPPINGS; m++) {
    least = fmin(least, all[m].bytes);
    most = fmax(most, all[m].bytes);
  }
  for (int c = 0; c <= CAPACITIES; c++) {
    const double capacity = least + (most - least) * pow((double)c / CAPACITIES, 2);
    double best = HUGE_VAL;
    for (size_t m = 0; m < MAPPINGS; m++) {
      const bool is_one =
          all[m].bytes <= capacity && is_as_asked(m, asked) && is_of_level(m, level);
      best = is_one ? fmin(best, all[m].cycles) : best;
    }
    dsm_system *const limited = chips_of(capacity);
    dsm_explore_options options = options_of(ALL_KEPT_LESS);
    options.recomputation = asked;
    options.shard_level = level;
    dsm_plan *plan = NULL;
    const dsm_status status = dsm_explore(&plan, workload, limited, &options, NULL);
    if (isinf(best)) {
      ck_assert_int_eq(status, DSM_ERROR_INFEASIBLE);
      dsm_system_free(limited);
      continue;
    }
    ck_assert_int_eq(status, DSM_OK);
    const dsm_plan_result *const found = &plan->result;
    ck_assert_double_le(found->memory.total_bytes, capacity * (1 + 1e-9));
    ck_assert_double_le(found->lower_bound_cycles, best * (1 + 1e-9));
    ck_assert_double_ge(found->step_cycles, best * (1 - 1e-9));
    ck_assert_double_le(found->step_cycles, best * (1 + 1e-9));
    assert_read_back(plan);
    dsm_plan_free(plan);
    dsm_system_free(limited);
  }
  free(all);
}
END_TEST

/* Nothing is shared out, or made anew, where there is room. */
START_TEST(test_nothing_is_kept_less_without_need) {
  const dsm_explore_options options = options_of(ALL_KEPT_LESS);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  for (size_t i = 0; i < LAYERS; i++) {
    const dsm_layer_decisions *const decisions = &plan->layers[i].decisions;
    ck_assert(decisions->shard == DSM_SHARDING_NONE || decisions->shard == DSM_SHARDING_WEIGHTS);
    ck_assert(!decisions->is_recomputed);
  }
  dsm_plan_free(plan);
}
END_TEST

/* Where nothing fits, what would is a plan of the options that it names. */
START_TEST(test_what_would_fit_is_found_with_its_options) {
  size_t found = 0;
  for (int c = 0; c < 64; c++) {
    const double capacity = 250e3 + 1e3 * c;
    dsm_system *const limited = chips_of(capacity);
    const dsm_explore_options options = options_of(0);
    dsm_plan *plan = NULL;
    dsm_plan *fitting = NULL;
    dsm_fit fit = DSM_FIT_NONE;
    if (dsm_explore(&plan, workload, limited, &options, NULL) == DSM_ERROR_INFEASIBLE &&
        dsm_explore_what_fits(&fitting, &fit, workload, limited, &options, NULL) == DSM_OK) {
      const dsm_explore_options wider = options_of(fitting->options.optimizations);
      ck_assert_uint_ne(wider.optimizations, 0);
      ck_assert_int_eq(dsm_explore(&plan, workload, limited, &wider, NULL), DSM_OK);
      ck_assert_double_eq_tol(plan->result.step_cycles, fitting->result.step_cycles,
                              1e-9 * plan->result.step_cycles);
      ck_assert_double_le(fitting->result.memory.total_bytes, capacity * (1 + 1e-9));
      found++;
      dsm_system *const least = chips_of(fitting->result.memory.total_bytes);
      dsm_explore_options hasty = options;
      dsm_plan *other = NULL;
      hasty.time_limit_seconds = DBL_MIN;
      if (dsm_explore_what_fits(&other, &fit, workload, least, &hasty, NULL) != DSM_OK) {
        ck_assert_int_eq(fit, DSM_FIT_STOPPED);
      }
      dsm_plan_free(other);
      dsm_system_free(least);
    }
    dsm_plan_free(fitting);
    dsm_plan_free(plan);
    dsm_system_free(limited);
  }
  ck_assert_uint_gt(found, 0);
}
END_TEST

/* Memory is not what leaves no mapping, and nothing is looked for. */
START_TEST(test_what_would_fit_is_asked_where_memory_is_short) {
  dsm_explore_options options =
      options_of(BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_TENSOR));
  for (int a = 0; a < DSM_AXES_MAX; a++) {
    options.roles[a] = 1U << DSM_ROLE_COLUMN;
  }
  options.parallelisms = 0;
  dsm_plan *plan = NULL;
  dsm_fit fit = DSM_FIT_FOUND;
  dsm_diags *const diags = dsm_diags_new(8);
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, diags), DSM_ERROR_INFEASIBLE);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message,
                   "no mapping uses only the roles that are allowed");
  ck_assert_int_eq(dsm_explore_what_fits(&plan, &fit, workload, chips, &options, NULL),
                   DSM_ERROR_INFEASIBLE);
  ck_assert_int_eq(fit, DSM_FIT_NOT_MEMORY);
  dsm_diags_free(diags);
  dsm_system *const tiny = chips_of(1e3);
  options = options_of(0);
  options.time_limit_seconds = DBL_MIN; /* weights alone are too large: nothing is searched */
  ck_assert_int_eq(dsm_explore_what_fits(&plan, &fit, workload, tiny, &options, NULL),
                   DSM_ERROR_INFEASIBLE);
  ck_assert_int_eq(fit, DSM_FIT_NONE);
  options.mode = DSM_MODE_INFERENCE;
  ck_assert_int_eq(dsm_explore_what_fits(&plan, &fit, workload, tiny, &options, NULL),
                   DSM_ERROR_INFEASIBLE);
  ck_assert_int_eq(fit, DSM_FIT_NOT_ASKED);
  dsm_system_free(tiny);
}
END_TEST

/* ---- what else a layer could keep ---- */

/* The first layer's decision in the text of a plan, replaced or put before its passes. */
static char *decided(const char *text, const char *key, const char *value) {
  char pattern[32];
  (void)snprintf(pattern, sizeof pattern, "\"%s\": ", key);
  const char *const layers = strstr(text, "\"layers\"");
  const char *const passes = strstr(layers, "\"passes\"");
  const char *from = strstr(layers, pattern);
  const bool is_there = from != NULL && from < passes;
  from = is_there ? from : passes;
  const char *const to = is_there ? strchr(from, ',') + 1 : passes;
  const size_t size = strlen(text) + 64;
  char *const made = malloc(size);
  (void)snprintf(made, size, "%.*s%s%s, %s", (int)(from - text), text, pattern, value, to);
  return made;
}

/* The step of a plan with another decision of its first layer; 0: it is refused. */
static double decided_cycles(const dsm_plan *plan, const char *key, const char *value) {
  char *const text = dsm_plan_print(plan);
  char *const edited = decided(text, key, value);
  dsm_plan *read = NULL;
  const double cycles = dsm_plan_parse(&read, edited, strlen(edited), NULL, NULL, NULL) == DSM_OK
                            ? read->result.step_cycles
                            : 0;
  dsm_plan_free(read);
  free(edited);
  free(text);
  return cycles;
}

static void check_what_if(const dsm_plan *plan, const dsm_what_if *what_if) {
  char value[32];
  dsm_explore_options options = plan->options;
  dsm_plan *other = NULL;
  double cycles = plan->result.step_cycles;
  if (what_if->decision == DSM_DECISION_SHARD) {
    (void)snprintf(value, sizeof value, "\"%s\"", dsm_sharding_name((dsm_sharding)what_if->value));
    cycles = decided_cycles(plan, "shard", value);
  } else if (what_if->decision == DSM_DECISION_RECOMPUTED) {
    cycles = decided_cycles(plan, "recompute", what_if->value == 0 ? "false" : "true");
  } else if (!what_if->is_chosen) {
    const bool is_micro = what_if->decision == DSM_DECISION_MICRO_BATCHES;
    options.optimizations &=
        ~(is_micro                                           ? BIT(DSM_OPTIMIZATION_ACCUMULATE)
          : what_if->decision == DSM_DECISION_SHARDED_LAYERS ? BIT(DSM_OPTIMIZATION_SHARD)
                                                             : BIT(DSM_OPTIMIZATION_RECOMPUTE));
    options.micro_batches = is_micro ? 0 : options.micro_batches;
    cycles = dsm_explore(&other, workload, plan->system, &options, NULL) == DSM_OK
                 ? other->result.step_cycles
                 : 0;
    dsm_plan_free(other);
  }
  ck_assert_msg(fabs(what_if->network_cycles - cycles) <= 1e-9 * cycles, "%s %d: %.17g and %.17g",
                dsm_decision_name(what_if->decision), (int)what_if->value, what_if->network_cycles,
                cycles);
  ck_assert_int_eq(what_if->why_not == NULL, cycles > 0);
}

/* What a layer would do otherwise is what its plan is when it is edited; what the step would be
 * without an optimization is what a search without it finds. */
START_TEST(test_what_ifs_are_edited_plans_and_other_searches) {
  static const double capacities[] = {8e9, 300e3, 280e3, 262e3};
  unsigned seen[DSM_DECISION_COUNT] = {0};
  for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
    dsm_system *const limited = chips_of(capacities[c]);
    dsm_explore_options options = options_of(ALL_KEPT_LESS | BIT(DSM_OPTIMIZATION_ACCUMULATE));
    options.micro_batches = c % 2 == 0 ? 2 : 0;
    dsm_plan *plan = NULL;
    dsm_explanation *explanation = NULL;
    if (dsm_explore(&plan, workload, limited, &options, NULL) == DSM_OK) {
      ck_assert_int_eq(dsm_explain(&explanation, plan, 0, 0, NULL), DSM_OK);
      for (size_t i = 0; i < explanation->what_if_count; i++) {
        check_what_if(plan, &explanation->what_ifs[i]);
        seen[explanation->what_ifs[i].decision]++;
      }
    }
    dsm_explanation_free(explanation);
    dsm_plan_free(plan);
    dsm_system_free(limited);
  }
  ck_assert_uint_gt(seen[DSM_DECISION_SHARD], 0);
  ck_assert_uint_gt(seen[DSM_DECISION_RECOMPUTED], 0);
  ck_assert_uint_gt(seen[DSM_DECISION_MICRO_BATCHES], 0);
  ck_assert_uint_gt(seen[DSM_DECISION_SHARDED_LAYERS], 0);
}
END_TEST

/* ---- rules ---- */

START_TEST(test_wrong_decisions_are_told) {
  static const struct {
    dsm_optimization_set optimizations;
    const char *decision;
    const char *message;
  } cases[] = {
      {BIT(DSM_OPTIMIZATION_SHARD), "\"recompute\": true",
       "expected false without the optimization recompute, found true"},
      {BIT(DSM_OPTIMIZATION_RECOMPUTE), "\"shard\": \"weights\"",
       "expected \"none\" without the optimization shard, found \"weights\""},
      {BIT(DSM_OPTIMIZATION_RECOMPUTE) | BIT(DSM_OPTIMIZATION_REUSE),
       "\"recompute\": true, \"output_on_chip\": true",
       "expected false in a layer whose output, or something that it reads, stays on chip, found "
       "true"},
      {BIT(DSM_OPTIMIZATION_RECOMPUTE), "\"shard\": \"all\"",
       "expected \"none\", \"optimizer\", \"gradients\" or \"weights\", found \"all\""},
  };
  const dsm_explore_options options = options_of(cases[_i].optimizations);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  expect_edited_refused(plan, "\"output_on_chip\": false", cases[_i].decision, cases[_i].message);
  dsm_plan_free(plan);
}
END_TEST

/* Of a level that was asked for another one is told, in a layer whose weights several chips have;
 * the plan's bound is then of its own options. */
START_TEST(test_other_levels_are_told) {
  dsm_explore_options options = options_of(BIT(DSM_OPTIMIZATION_SHARD));
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  options.shard_level = DSM_SHARD_LEVEL_GRADIENTS;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  for (size_t i = 0; i < LAYERS; i++) {
    ck_assert_int_eq(plan->layers[i].decisions.shard, DSM_SHARDING_GRADIENTS);
  }
  const double bound = plan->result.lower_bound_cycles;
  ck_assert_int_eq(dsm_plan_bound(plan, NULL), DSM_OK);
  ck_assert_double_eq_tol(plan->result.lower_bound_cycles, bound, 1e-9 * bound);
  expect_edited_refused(plan, "\"shard\": \"gradients\"", "\"shard\": \"weights\"",
                        "expected \"gradients\", found \"weights\"");
  dsm_plan_free(plan);
}
END_TEST

/* Tied weights are their owner's, and weights of one chip have no level: a plan is of it all the
 * same, with one degree of ZeRO. */
START_TEST(test_levels_are_of_weights_that_several_chips_have) {
  static const char tied[] = "{'name': 'a', 'type': 'fc', 'in': 64, 'out': 96},"
                             "{'name': 'b', 'type': 'fc', 'in': 96, 'out': 64, 'tied_to': 'a'}";
  dsm_workload *const of = given_network("16", tied);
  dsm_explore_options options = options_of(BIT(DSM_OPTIMIZATION_SHARD));
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  options.shard_level = DSM_SHARD_LEVEL_WEIGHTS;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, of, chips, &options, NULL), DSM_OK);
  ck_assert_int_eq(plan->layers[0].decisions.shard, DSM_SHARDING_WEIGHTS);
  ck_assert_int_eq(plan->layers[1].decisions.shard, DSM_SHARDING_NONE);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  dsm_plan_free(plan);
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL);
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  for (size_t i = 0; i < LAYERS; i++) {
    ck_assert_int_eq(plan->layers[i].decisions.shard, DSM_SHARDING_NONE);
  }
  dsm_plan_free(plan);
  dsm_workload_free(of);
}
END_TEST

/* ---- many sums of what is made anew ---- */

/* A residual around six layers of different sizes: as many sums as sets of them. */
static const char long_block[] =
    "{'name': 'a', 'type': 'fc', 'in': 64, 'out': 96},"
    "{'name': 'b', 'type': 'fc', 'in': 96, 'out': 130},"
    "{'name': 'c', 'type': 'fc', 'in': 130, 'out': 270},"
    "{'name': 'd', 'type': 'fc', 'in': 270, 'out': 410},"
    "{'name': 'e', 'type': 'fc', 'in': 410, 'out': 350},"
    "{'name': 'f', 'type': 'fc', 'in': 350, 'out': 96, 'aux': [{'op': 'residual', 'from': 'a'}]},"
    "{'name': 'g', 'type': 'fc', 'in': 96, 'out': 32}";

typedef struct searched {
  dsm__graph_answer answer;
  bool is_need_rounded;
  double bytes; /* of its plan */
} searched;

static searched search_with(const dsm_workload *of, double capacity_bytes, size_t nodes_max) {
  dsm_system *const system = chips_of(capacity_bytes);
  const dsm_explore_options options = options_of(BIT(DSM_OPTIMIZATION_RECOMPUTE));
  dsm__problem problem;
  dsm__decisions decisions;
  searched found = {.bytes = 0};
  ck_assert_int_eq(dsm__problem_init(&problem, of, system, &options, NULL), DSM_OK);
  problem.role_nodes_max = nodes_max;
  dsm__problem_count(&problem, NULL);
  ck_assert(dsm__step_search(&problem, HUGE_VAL, &found.answer, &decisions));
  found.is_need_rounded = problem.found->is_need_rounded;
  if (found.answer.is_feasible) {
    dsm_plan *plan = NULL;
    ck_assert_int_eq(dsm__plan_make(&plan, of, system, &options, &decisions, NULL), DSM_OK);
    found.bytes = plan->result.memory.total_bytes;
    dsm_plan_free(plan);
  }
  dsm__problem_fini(&problem);
  dsm_system_free(system);
  return found;
}

/* From what fits with everything kept down to what nothing fits. */
START_TEST(test_rounded_sums_find_what_fits_and_a_bound) {
  static const double steps = 60;
  dsm_workload *const of = given_network("64", long_block);
  const double whole = search_with(of, 8e9, SIZE_MAX).bytes;
  size_t rounded_count = 0;
  size_t exact_count = 0;
  size_t none_count = 0;
  for (double step = 1; step < steps; step++) {
    const double capacity = whole * (1 - step / steps);
    const searched exact = search_with(of, capacity, SIZE_MAX);
    const searched rounded = search_with(of, capacity, 40);
    ck_assert(!exact.is_need_rounded);
    if (rounded.answer.is_feasible) {
      ck_assert(exact.answer.is_feasible);
      ck_assert_double_le(rounded.bytes, capacity);
      ck_assert_double_ge(rounded.answer.cost * (1 + 1e-9), exact.answer.cost);
      ck_assert_double_le(rounded.answer.lower_bound, exact.answer.cost * (1 + 1e-9));
      rounded_count += rounded.answer.lower_bound < exact.answer.cost * (1 - 1e-9) ? 1 : 0;
      exact_count++;
    } else {
      ck_assert(rounded.is_need_rounded || !exact.answer.is_feasible);
      none_count++;
    }
  }
  ck_assert_uint_gt(rounded_count, 0);
  ck_assert_uint_gt(exact_count, 0);
  ck_assert_uint_gt(none_count, 0);
  dsm_workload_free(of);
}
END_TEST

/* In stages gradients that are shared out are summed after each of several micro-batches, which the
 * others wait for, and others once a step: they are not free of time, nor once a step. */
START_TEST(test_shared_gradients_are_not_free_in_stages) {
  const dsm_explore_options options = options_of(BIT(DSM_OPTIMIZATION_SHARD));
  dsm__problem problem;
  chips->model.sharded_update = _i == 1;
  ck_assert_int_eq(dsm__problem_init(&problem, workload, chips, &options, NULL), DSM_OK);
  problem.inputs.is_staged = true;
  problem.inputs.micro_batches = 2;
  problem.inputs.prices.once = 0.5;
  const dsm__role_options found = dsm__role_options_find(&problem, 0, false);
  const dsm__role_option *of[DSM_SHARDING_COUNT] = {NULL};
  for (size_t o = 0; o < found.count; o++) {
    const dsm__role_option *const one = &found.items[o];
    of[one->shard] = one->parallelism == DSM_PARALLELISM_DATA ? one : of[one->shard];
  }
  ck_assert_ptr_nonnull(of[DSM_SHARDING_OPTIMIZER]);
  ck_assert_ptr_nonnull(of[DSM_SHARDING_GRADIENTS]);
  ck_assert_double_lt(of[DSM_SHARDING_OPTIMIZER]->cost, of[DSM_SHARDING_GRADIENTS]->cost);
  ck_assert_double_gt(of[DSM_SHARDING_OPTIMIZER]->once_cost, of[DSM_SHARDING_GRADIENTS]->once_cost);
  dsm__problem_fini(&problem);
}
END_TEST

/* Where sums of gradients hide no graph knows what a mapping takes: of the plan that is found no
 * layer may share out more or less by itself so that the step is faster. */
START_TEST(test_no_layer_alone_shares_out_better) {
  enum { SEEDS = HOW_MANY(40, 4, 2) };
  const dsm_explore_options options = options_of(DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) |
                                                 DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR) |
                                                 DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SHARD));
  for (uint64_t seed = SEEDS * (uint64_t)_i; seed < SEEDS * (uint64_t)(_i + 1); seed++) {
    uint64_t state = seed;
    dsm_workload *const drawn = role_draw_network(&state, 5, NOTHING);
    dsm_system *const own = role_draw_system(&state, 2);
    dsm_plan *plan = NULL;
    dsm__decisions decisions;
    own->model.overlapped_reduction = true;
    own->model.sharded_update = false;
    ck_assert_int_eq(dsm_explore(&plan, drawn, own, &options, NULL), DSM_OK);
    ck_assert(dsm__decisions_of_plan(plan, plan->arena, &decisions));
    for (size_t i = 0; i < 3 * plan->layer_count; i++) {
      dsm__layer_decision layers[64];
      dsm_plan *other = NULL;
      ck_assert_uint_lt(plan->layer_count, 64);
      memcpy(layers, decisions.layers, plan->layer_count * sizeof layers[0]);
      layers[i / 3].layer.shard = (dsm_sharding)(i % 3 + 1);
      dsm__decisions edited = decisions;
      edited.layers = layers;
      ck_assert_int_eq(dsm__plan_make(&other, drawn, own, &plan->options, &edited, NULL), DSM_OK);
      if (dsm_plan_validate(other, NULL) == DSM_OK) {
        ck_assert_msg(other->result.step_cycles >= plan->result.step_cycles * (1 - 1e-9), "seed %u",
                      (unsigned)seed);
      }
      dsm_plan_free(other);
    }
    dsm_plan_free(plan);
    dsm_system_free(own);
    dsm_workload_free(drawn);
  }
}
END_TEST

Suite *suite_keeping(void) {
  Suite *const suite = suite_create("keeping");
  TCase *const alone = tcase_create("alone");
  tcase_set_timeout(alone, 120);
  tcase_add_loop_test(alone, test_no_layer_alone_shares_out_better, 0, 4);
  suite_add_tcase(suite, alone);
  TCase *const hand = tcase_create("hand");
  tcase_add_checked_fixture(hand, set_up, tear_down);
  tcase_add_test(hand, test_memory_by_hand);
  tcase_add_test(hand, test_what_passes_cut_is_shared_out_no_further);
  tcase_add_test(hand, test_segments_by_hand);
  tcase_add_test(hand, test_gathered_weights_by_hand);
  tcase_add_test(hand, test_sharded_gradients_are_summed_in_each_micro_batch);
  tcase_add_loop_test(hand, test_wrong_decisions_are_told, 0, 4);
  tcase_add_test(hand, test_other_levels_are_told);
  tcase_add_test(hand, test_levels_are_of_weights_that_several_chips_have);
  suite_add_tcase(suite, hand);
  TCase *const search = tcase_create("search");
  tcase_add_checked_fixture(search, set_up, tear_down);
  tcase_set_timeout(search, 120);
  tcase_add_loop_test(search, test_search_finds_the_fastest_that_fits, 0, 7);
  tcase_add_test(search, test_nothing_is_kept_less_without_need);
  tcase_add_loop_test(search, test_shared_gradients_are_not_free_in_stages, 0, 2);
  tcase_add_test(search, test_what_would_fit_is_found_with_its_options);
  tcase_add_test(search, test_what_would_fit_is_asked_where_memory_is_short);
  tcase_add_test(search, test_what_ifs_are_edited_plans_and_other_searches);
  tcase_add_test(search, test_rounded_sums_find_what_fits_and_a_bound);
  suite_add_tcase(suite, search);
  return suite;
}

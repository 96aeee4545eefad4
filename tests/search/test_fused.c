/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_fused.c: collectives of several layers, as search and explanation see them. */
#include <math.h>

#include "bundled.h"
#include "given.h"
#include "random_network.h"
#include "search/fused.h"
#include "search/overlapped.h"
#include "suites.h"

static random_case case_of(uint64_t seed, double latency_us) {
  random_case made = random_case_make(seed);
  dsm_network *const network = &made.system->system;
  for (unsigned a = 0; a < network->axis_count; a++) {
    network->axes[a].latency_us = latency_us * (1 + a);
  }
  network->collective_base_us = latency_us / 2;
  made.system->model.fused_reductions = true;
  return made;
}

START_TEST(test_answer_is_optimal) {
  for (int seed = 1; seed <= 12; seed++) {
    random_case made = case_of((uint64_t)seed, _i == 0 ? 0.05 : 3);
    dsm_plan *plan = NULL;
    ck_assert_int_eq(dsm_explore(&plan, made.workload, made.system, NULL, NULL), DSM_OK);
    ck_assert_double_eq_tol(plan->result.lower_bound_cycles / plan->result.step_cycles, 1, 1e-9);
    dsm_plan_free(plan);
    random_case_free(&made);
  }
}
END_TEST

/* What the plan pays anyway is in its step and in all that is compared with it; nothing is faster,
 * and the plan's own way is as fast. */
START_TEST(test_explanation_compares_with_the_step) {
  for (int seed = 1; seed <= 6; seed++) {
    random_case made = case_of((uint64_t)seed, _i == 0 ? 0.05 : 3);
    made.system->core.issue_us = seed % 2 == 0 ? 0 : 2;
    dsm_plan *plan = NULL;
    ck_assert_int_eq(dsm_explore(&plan, made.workload, made.system, NULL, NULL), DSM_OK);
    for (size_t i = 0; i < plan->layer_count; i++) {
      dsm_explanation *explained = NULL;
      ck_assert_int_eq(dsm_explain(&explained, plan, i, 1, NULL), DSM_OK);
      const double reference = explained->reference_cycles;
      ck_assert(!explained->has_hidden_sums);
      ck_assert_double_eq_tol(reference / plan->result.step_cycles, 1, 1e-9);
      for (size_t k = 0; k < explained->alternative_count; k++) {
        const dsm_alternative *const one = &explained->alternatives[k];
        if (one->is_best_of_parallelism && one->network_cycles > 0) {
          ck_assert_double_ge(one->network_cycles * (1 + 1e-9), reference);
          ck_assert(!one->is_chosen || one->network_cycles <= reference * (1 + 1e-9));
        }
        if (one->is_chosen && plan->layers[i].pipeline == DSM_NO_PIPELINE) {
          const dsm_pass_plan *const own = &plan->layers[i].passes[one->pass];
          ck_assert_double_eq_tol(one->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS],
                                  own->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS], 1e-6);
        }
      }
      dsm_explanation_free(explained);
    }
    dsm_plan_free(plan);
    random_case_free(&made);
  }
}
END_TEST

/* Never slower than without overlapping; explanations find nothing faster than the plan. */
START_TEST(test_overlapped_plans_and_explanations) {
  for (int seed = 1; seed <= 8; seed++) {
    random_case made = case_of((uint64_t)seed, 0.5);
    made.system->model.fused_reductions = _i == 1;
    dsm_plan *apart = NULL;
    dsm_plan *plan = NULL;
    ck_assert_int_eq(dsm_explore(&apart, made.workload, made.system, NULL, NULL), DSM_OK);
    made.system->model.overlapped_reduction = true;
    ck_assert_int_eq(dsm_explore(&plan, made.workload, made.system, NULL, NULL), DSM_OK);
    ck_assert_double_le(plan->result.step_cycles, apart->result.step_cycles * (1 + 1e-9));
    for (size_t i = 0; i < plan->layer_count; i++) {
      dsm_explanation *explained = NULL;
      ck_assert_int_eq(dsm_explain(&explained, plan, i, 1, NULL), DSM_OK);
      ck_assert(explained->has_hidden_sums ||
                fabs(explained->reference_cycles / plan->result.step_cycles - 1) <= 1e-9);
      for (size_t k = 0; k < explained->alternative_count; k++) {
        const dsm_alternative *const one = &explained->alternatives[k];
        if (one->is_best_of_parallelism && one->network_cycles > 0 && !explained->has_hidden_sums) {
          ck_assert_double_ge(one->network_cycles * (1 + 1e-9), explained->reference_cycles);
        }
        if (one->is_chosen && plan->layers[i].pipeline == DSM_NO_PIPELINE) {
          const double own = plan->layers[i].passes[one->pass].cycles.total -
                             plan->layers[i].passes[one->pass].group_cycles[DSM_GROUP_RELAYOUT];
          const double alone = one->cycles.total - one->group_cycles[DSM_GROUP_RELAYOUT];
          ck_assert_double_eq_tol(alone / own, 1, 1e-9);
        }
      }
      dsm_explanation_free(explained);
    }
    dsm_plan_free(apart);
    dsm_plan_free(plan);
    random_case_free(&made);
  }
}
END_TEST

/* With sums that hide behind computing (model.overlapped_reduction), or without. */
static dsm_plan *explore_deepcam(bool is_overlapped, dsm_optimization_set words) {
  const dsm_override overlapped = {"model.overlapped_reduction", "true", NULL};
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_workload *const workload = bundled_workload("deepcam", "64");
  dsm_system *const system = bundled_system_with("summit", &overlapped, is_overlapped ? 1 : 0);
  dsm_plan *plan = NULL;
  options.optimizations = words;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  dsm_system_free(system);
  dsm_workload_free(workload);
  return plan;
}

/* Roles share collectives as data and model do: more of them do not make a step slower, and neither
 * do roles of update and shards. Sums that hide take no more than half off a bound. */
START_TEST(test_more_words_are_never_slower) {
  static const dsm_optimization_set tensor = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR);
  static const dsm_optimization_set spatial = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL);
  static const dsm_optimization_set per_pass = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS);
  static const dsm_optimization_set shard = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SHARD);
  const dsm_optimization_set sets[] = {tensor, spatial, tensor | spatial,
                                       tensor | spatial | per_pass, tensor | spatial | shard};
  const dsm_optimization_set most = tensor | spatial | per_pass | shard;
  dsm_plan *const all = explore_deepcam(_i == 1, most);
  dsm_plan *const apart = explore_deepcam(false, most);
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
    dsm_plan *const one = explore_deepcam(_i == 1, sets[i]);
    ck_assert_double_le(all->result.step_cycles, one->result.step_cycles * (1 + 1e-9));
    dsm_plan_free(one);
  }
  ck_assert_double_ge(2 * all->result.lower_bound_cycles * (1 + 1e-9),
                      fmin(apart->result.lower_bound_cycles, all->result.step_cycles));
  dsm_plan_free(all);
  dsm_plan_free(apart);
}
END_TEST

/* Where sums decide the step too, and not computing alone, a weighed mean of both is a bound near
 * the step, and leads to mappings that neither finds. */
START_TEST(test_hidden_sums_leave_a_small_gap) {
  static const struct {
    const char *workload;
    const char *minibatch;
    const char *system;
    dsm_optimization_set words; /* 0: those of the system */
    double most;                /* gap */
  } rows[] = {
      {"vgg16", "256", "dgx_h100", 0, 0.01},
      {"vgg16", "256", "summit", 0, 0.05},
      {"gpt2", "64", "summit", 0, 0.01},
      {"alexnet", "256", "dgx_a100", DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID), 0.2},
  };
  const dsm_override overlapped = {"model.overlapped_reduction", "true", NULL};
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_workload *const workload = bundled_workload(rows[_i].workload, rows[_i].minibatch);
  dsm_system *const system = bundled_system_with(rows[_i].system, &overlapped, 1);
  dsm_plan *plan = NULL;
  options.optimizations =
      rows[_i].words != 0 ? rows[_i].words : dsm_system_optimizations(system, DSM_MODE_TRAINING);
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  ck_assert_double_le(plan->result.step_cycles,
                      plan->result.lower_bound_cycles * (1 + rows[_i].most));
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* Layers that are asked to run again need the word that others may be found without. */
START_TEST(test_asked_recomputation_is_found) {
  const dsm_override overlapped = {"model.overlapped_reduction", "true", NULL};
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_workload *const workload = bundled_workload("gpt2", "8");
  dsm_system *const system = bundled_system_with("dgx_a100", &overlapped, 1);
  dsm_plan *plan = NULL;
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_RECOMPUTE);
  options.recomputation = DSM_RECOMPUTATION_FULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  ck_assert_int_eq(plan->options.recomputation, DSM_RECOMPUTATION_FULL);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* A search that counts itself, and leaves a part of its answer open. */
typedef struct open_search {
  double part;
  int *searches;
} open_search;

static bool find_open(const dsm__problem *problem, const void *context, double cost_limit,
                      dsm__graph_answer *answer, dsm__decisions *decisions) {
  const open_search *const search = context;
  const bool is_found = dsm__problem_find_mapping(problem, NULL, cost_limit, answer, decisions);
  answer->lower_bound -= search->part * answer->cost;
  (*search->searches)++;
  return is_found;
}

static int count_searches(const random_case *made, double part) {
  dsm_explore_options options;
  dsm__problem problem;
  dsm__graph_answer answer;
  dsm__decisions decisions;
  int searches = 0;
  const open_search open = {part, &searches};
  const dsm__fused_finder finder = {.find = find_open,
                                    .context = &open,
                                    .searches_max = DSM__FUSED_SEARCHES_MAX,
                                    .evaluations_max = UINT64_MAX,
                                    .edges_max = UINT64_MAX,
                                    .enough = 1};
  dsm_explore_options_init(&options);
  options.optimizations = dsm_system_optimizations(made->system, options.mode);
  ck_assert_int_eq(dsm__problem_init(&problem, made->workload, made->system, &options, NULL),
                   DSM_OK);
  dsm__problem_count(&problem, NULL);
  ck_assert(dsm__fused_search(&problem, &finder, HUGE_VAL, &answer, &decisions));
  ck_assert(answer.is_feasible && answer.lower_bound <= answer.cost);
  dsm__problem_fini(&problem);
  return searches;
}

/* Where the search of a network leaves more open than shares of latencies can win, it is done again
 * once: in a chain of 4,000 equal layers each takes seconds. */
START_TEST(test_open_searches_are_not_repeated) {
  int whole = 0;
  enum { CASES = 24 };
  for (int seed = 1; seed <= CASES; seed++) {
    random_case made = case_of((uint64_t)seed, 0.5);
    whole += count_searches(&made, 0);
    ck_assert_int_le(count_searches(&made, 1), 2);
    random_case_free(&made);
  }
  ck_assert_int_gt(whole, CASES);
}
END_TEST

Suite *suite_fused(void) {
  enum { LATENCIES = 2 };
  Suite *const suite = suite_create("fused");
  TCase *const fused = tcase_create("fused");
  tcase_set_timeout(fused, 120);
  tcase_add_loop_test(fused, test_answer_is_optimal, 0, LATENCIES);
  tcase_add_loop_test(fused, test_explanation_compares_with_the_step, 0, LATENCIES);
  tcase_add_loop_test(fused, test_overlapped_plans_and_explanations, 0, 2);
  tcase_add_loop_test(fused, test_more_words_are_never_slower, 0, 2);
  tcase_add_test(fused, test_open_searches_are_not_repeated);
  tcase_add_loop_test(fused, test_hidden_sums_leave_a_small_gap, 0, 4);
  tcase_add_test(fused, test_asked_recomputation_is_found);
  suite_add_tcase(suite, fused);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain.c: what else a layer could have done. */
#include <math.h>
#include <stdlib.h>

#include "base/diag_add.h"
#include "plan/plan_internal.h"
#include "search/problem.h"

/* A core split of the chosen parallelism, by its total. */
typedef struct ranked_split {
  double total;
  size_t index;
} ranked_split;

static int compare_ranked(const void *left, const void *right) {
  const ranked_split *const a = left;
  const ranked_split *const b = right;
  if (a->total < b->total || a->total > b->total) {
    return a->total < b->total ? -1 : 1;
  }
  return (a->index > b->index) - (a->index < b->index);
}

static bool is_same_split(const dsm_loops *a, const dsm_loops *b) {
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    if (a->n[d] != b->n[d]) {
      return false;
    }
  }
  return true;
}

/* What a pass would cost with a decision of this layer's, relayouts left out. */
static void predict_alternative(const dsm_plan *plan, const dsm_machine *machine, size_t index,
                                dsm_alternative *alternative) {
  const dsm_pass_work work = dsm_pass_work_derive(
      &plan->workload->layers[index], machine, dsm_precision_of(plan->workload), plan->options.mode,
      alternative->pass, alternative->parallelism, plan->workload->minibatch);
  dsm_pass_plan pass = {.exists = true};
  dsm__predict_pass_alone(&pass, &work, &alternative->split, plan->workload->minibatch);
  alternative->cycles = pass.cycles;
  alternative->bound = pass.bound;
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    alternative->group_cycles[g] = pass.group_cycles[g];
  }
}

static dsm_alternative *append(dsm_explanation *explanation) {
  return &explanation->alternatives[explanation->alternative_count++];
}

/* The best split of every parallelism of a pass; the one of the plan first. */
static void list_parallelisms(dsm_explanation *explanation, const dsm_plan *plan,
                              const dsm__problem *problem, const double *through, dsm_pass pass) {
  const size_t index = explanation->layer_index;
  const dsm_pass_plan *const chosen = &plan->layers[index].passes[pass];
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    const dsm_parallelism parallelism = (dsm_parallelism)p;
    const dsm__layer_entry *const entry = dsm__layer_table_get(&problem->table, index, parallelism);
    if (!entry->is_allowed) {
      continue;
    }
    dsm_alternative *const alternative = append(explanation);
    *alternative = (dsm_alternative){
        .pass = pass,
        .parallelism = parallelism,
        .split = entry->splits[pass],
        .is_chosen = parallelism == chosen->share.parallelism &&
                     is_same_split(&entry->splits[pass], &chosen->first.split),
        .is_best_of_parallelism = true,
        .network_cycles = through[index * DSM_PARALLELISM_COUNT + (size_t)p],
    };
    predict_alternative(plan, &problem->machine, index, alternative);
  }
}

/* The splits after the best, of the plan's parallelism; and the plan's own if it is none of these
 * (a plan edited by hand). */
static bool list_splits(dsm_explanation *explanation, const dsm_plan *plan,
                        const dsm__problem *problem, dsm_pass pass, size_t count) {
  const size_t index = explanation->layer_index;
  const dsm_pass_plan *const chosen = &plan->layers[index].passes[pass];
  const dsm_layer *const layer = &plan->workload->layers[index];
  const dsm_parallelism parallelism = chosen->share.parallelism;
  const dsm__core_splits *const splits = &problem->table.splits;
  const dsm_loops *const best =
      &dsm__layer_table_get(&problem->table, index, parallelism)->splits[pass];
  const dsm_pass_work work =
      dsm_pass_work_derive(layer, &problem->machine, dsm_precision_of(plan->workload),
                           plan->options.mode, pass, parallelism, plan->workload->minibatch);
  const bool is_valid_only = dsm__core_splits_any_valid(splits, layer, &work.share);
  ranked_split *const ranked = malloc(splits->count * sizeof *ranked);
  if (ranked == NULL) {
    return false;
  }
  size_t ranked_count = 0;
  for (size_t i = 0; i < splits->count; i++) {
    if (!is_valid_only || dsm_split_is_valid(layer, &work.share, &splits->items[i])) {
      ranked[ranked_count++] =
          (ranked_split){dsm_invocation_score(&work, &splits->items[i]).total, i};
    }
  }
  qsort(ranked, ranked_count, sizeof ranked[0], compare_ranked);
  size_t listed = 0;
  for (size_t i = 0; i < ranked_count; i++) {
    const dsm_loops *const split = &splits->items[ranked[i].index];
    const bool is_chosen = is_same_split(split, &chosen->first.split);
    if (is_same_split(split, best) || (listed == count && !is_chosen)) {
      continue;
    }
    dsm_alternative *const alternative = append(explanation);
    *alternative = (dsm_alternative){
        .pass = pass, .parallelism = parallelism, .split = *split, .is_chosen = is_chosen};
    predict_alternative(plan, &problem->machine, index, alternative);
    listed += is_chosen ? 0 : 1;
  }
  free(ranked);
  return true;
}

static int compare_alternatives(const void *left, const void *right) {
  const dsm_alternative *const a = left;
  const dsm_alternative *const b = right;
  if (a->pass != b->pass) {
    return (a->pass > b->pass) - (a->pass < b->pass);
  }
  if (a->is_chosen != b->is_chosen) {
    return a->is_chosen ? -1 : 1;
  }
  if (a->cycles.total < b->cycles.total || a->cycles.total > b->cycles.total) {
    return a->cycles.total < b->cycles.total ? -1 : 1;
  }
  if (a->parallelism != b->parallelism) {
    return (a->parallelism > b->parallelism) - (a->parallelism < b->parallelism);
  }
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    if (a->split.n[d] != b->split.n[d]) {
      return a->split.n[d] < b->split.n[d] ? -1 : 1;
    }
  }
  return 0;
}

static dsm_status fill(dsm_explanation *made, const dsm_plan *plan, const dsm__problem *problem,
                       size_t splits_per_pass, dsm_diags *diags) {
  const size_t shown =
      splits_per_pass < problem->table.splits.count ? splits_per_pass : problem->table.splits.count;
  const size_t most = DSM_PASS_COUNT * (DSM_PARALLELISM_COUNT + shown + 1);
  double *const through =
      dsm__arena_array(problem->arena, plan->layer_count * DSM_PARALLELISM_COUNT, sizeof *through);
  made->alternatives = calloc(most, sizeof made->alternatives[0]);
  if (through == NULL || made->alternatives == NULL ||
      !dsm__network_through(&problem->network, problem->arena, through)) {
    return dsm__out_of_memory(diags);
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (plan->layers[made->layer_index].passes[p].exists) {
      list_parallelisms(made, plan, problem, through, (dsm_pass)p);
      if (!list_splits(made, plan, problem, (dsm_pass)p, shown)) {
        return dsm__out_of_memory(diags);
      }
    }
  }
  qsort(made->alternatives, made->alternative_count, sizeof made->alternatives[0],
        compare_alternatives);
  return DSM_OK;
}

dsm_status dsm_explain(dsm_explanation **explanation, const dsm_plan *plan, size_t layer_index,
                       size_t splits_per_pass, dsm_diags *diags) {
  *explanation = NULL;
  dsm__problem problem;
  dsm_status status =
      dsm__problem_init(&problem, plan->workload, plan->system, &plan->options, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm_explanation *const made = calloc(1, sizeof *made);
  if (made == NULL) {
    status = dsm__out_of_memory(diags);
  } else {
    made->layer_index = layer_index;
    status = fill(made, plan, &problem, splits_per_pass, diags);
  }
  if (status == DSM_OK) {
    *explanation = made;
  } else {
    dsm_explanation_free(made);
  }
  dsm__problem_fini(&problem);
  return status;
}

void dsm_explanation_free(dsm_explanation *explanation) {
  if (explanation != NULL) {
    free(explanation->alternatives);
    free(explanation);
  }
}

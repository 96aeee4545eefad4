/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain_prepare.c: what stays as planned while a layer does otherwise, and what the graph that
 * weighs the whole network counts. */
#include "plan/issue.h"
#include "plan/plan_internal.h"
#include "plan/role_flow.h"
#include "plan/tied_tables.h"
#include "plan/tolerance.h"
#include "search/explain_internal.h"
#include "search/fused.h"
#include "search/overlapped.h"
#include "search/roles/role_search.h"
#include "search/tied_search.h"

static double once_of(const dsm_layer_plan *layer) {
  const dsm_pass_plan *const update = &layer->passes[DSM_PASS_UPDATE];
  return update->exists ? update->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] +
                              update->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS]
                        : 0;
}

/* What of its sums hides. */
static double hidden_of(const dsm_plan *plan) {
  double cycles = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    cycles += plan->layers[i].passes[DSM_PASS_UPDATE].hidden_cycles;
  }
  return cycles;
}

/* What the plan takes, but of sums of gradients and ways back what the graph counts. */
static double counted_cycles(const dsm__explaining *e, const dsm__decisions *decisions) {
  const dsm__search_inputs *const inputs = &e->problem->inputs;
  double cycles = e->plan->result.step_cycles - dsm__issue_charged(e->plan);
  for (size_t i = 0; inputs->reductions != NULL && i < e->plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &e->plan->layers[i];
    if (layer->pipeline == DSM_NO_PIPELINE && layer->passes[DSM_PASS_UPDATE].exists) {
      const dsm__layer_setting setting = dsm__open_setting(inputs, layer->layer, 1);
      const dsm_weight_traffic traffic =
          dsm__weight_traffic(&setting, &decisions->layers[i].layouts);
      cycles += dsm_group_cycles(setting.machine, &traffic.sum_of_gradients) +
                dsm_group_cycles(setting.machine, &traffic.broadcast_weights) - once_of(layer);
    }
  }
  return cycles;
}

/* The graph counts all sums of gradients; of the plan's collectives none of the latency, which is
 * paid whatever the layer does, of others all. */
static void count_all(dsm__problem *problem, const dsm__collectives *collectives) {
  problem->reductions =
      dsm__problem_is_fused(problem) ? dsm__reductions_beside(collectives) : dsm__whole_shares(1);
  problem->inputs.reductions = &problem->reductions;
  problem->inputs.zone_count = 0;
}

/* Where sums of gradients overlap: those that show in any mapping, so that no other mapping is
 * faster, if the plan was found with them. False if out of memory. */
static bool count_as_found(dsm__explaining *e, const dsm__decisions *decisions, bool *is_found) {
  const dsm__counted least = dsm__least_counted(e->problem);
  dsm__solution solution;
  dsm__problem_count(e->problem, &least);
  if (!dsm__problem_solve(e->problem, &solution)) {
    return false;
  }
  e->reference_cycles = counted_cycles(e, decisions);
  *is_found = e->reference_cycles <= solution.answer.cost * (1 + DSM__SUM_TOLERANCE);
  return true;
}

/* An alternative is scored with the plan's own part in what is shared and hidden. */
static bool derive_reductions(dsm__explaining *e, const dsm__decisions *decisions) {
  dsm__problem *const problem = e->problem;
  const bool is_overlapped = dsm__problem_is_overlapped(problem);
  const bool is_asked = is_overlapped && !e->is_layer_alone;
  const dsm_pass_plan *const update = &e->chosen->passes[DSM_PASS_UPDATE];
  dsm__collectives collectives;
  bool is_found = false;
  if (is_asked && !count_as_found(e, decisions, &is_found)) {
    return false;
  }
  if (dsm__problem_is_fused(problem) || is_overlapped) {
    dsm__collectives_derive(&collectives, e->plan->workload, &problem->machine,
                            e->plan->options.mode, decisions, NULL);
    e->shares =
        dsm__problem_is_fused(problem) ? dsm__even_shares(&collectives) : dsm__whole_shares(1);
    if (is_overlapped && update->exists && update->hidden_cycles > 0) {
      e->shares.weight = once_of(e->chosen) / (once_of(e->chosen) + update->hidden_cycles);
    }
    if (!is_found) {
      count_all(problem, &collectives);
    }
  }
  e->reference_cycles = counted_cycles(e, decisions);
  e->has_hidden_sums = is_asked && !is_found;
  e->compared_cycles = e->plan->result.step_cycles + (e->has_hidden_sums ? hidden_of(e->plan) : 0);
  e->uncounted_cycles = e->compared_cycles - e->reference_cycles;
  if (e->is_layer_alone) {
    e->reference_cycles = e->plan->result.step_cycles;
  }
  return true;
}

/* Along which axes another layer is charged what this one and it gather and sum. */
static bool derive_shared(dsm__explaining *e, const dsm__decisions *decisions) {
  const dsm_workload *const workload = e->plan->workload;
  dsm__arena *const arena = e->problem->arena;
  dsm__role_step *const steps = dsm__arena_array(arena, workload->layer_count, sizeof *steps);
  if (steps == NULL || !dsm__role_steps_derive(workload, e->plan->system, decisions,
                                               DSM_PASS_FORWARD, steps, arena)) {
    return false;
  }
  e->gathered_before = steps[e->layer_index].gathered_before;
  e->gathered_in_update = steps[e->layer_index].gathered_in_update;
  if (!dsm__role_steps_derive(workload, e->plan->system, decisions, DSM_PASS_BACKWARD, steps,
                              arena)) {
    return false;
  }
  e->summed_later = steps[e->layer_index].gathered_before;
  return true;
}

/* How owners cut tables by the plan, which tied layers pay for; false if out of memory. Graphs of
 * data and model weigh mappings in which owners cut them so; searches of roles have their own. */
static bool derive_tables(dsm__explaining *e, const dsm__decisions *decisions) {
  dsm__problem *const problem = e->problem;
  const dsm_workload *const workload = e->plan->workload;
  if (!dsm__tied_is_asked(problem)) {
    return true;
  }
  if (!DSM__RESERVE(problem->arena, e->owner_cuts, workload->layer_count) ||
      !DSM__RESERVE(problem->arena, e->fixed_cuts, workload->layer_count)) {
    return false;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    e->owner_cuts[i] = dsm__owner_cut_of(workload, &problem->machine, decisions, i);
    if (e->owner_cuts[i].is_known) {
      const size_t owner = dsm__tie_owner(workload, i);
      e->fixed_cuts[owner] = dsm__table_cut_of(&workload->layers[owner], &problem->machine,
                                               &decisions->layers[owner].layouts);
    }
  }
  problem->inputs.owner_cuts = e->owner_cuts;
  problem->inputs.fixed_cuts = e->is_layer_alone ? NULL : e->fixed_cuts;
  return true;
}

/* The layer's own table, which others share, is cut in another way. */
static void set_own_cut(dsm__explaining *e, const dsm__table_cut *cut) {
  const dsm_workload *const workload = e->plan->workload;
  e->fixed_cuts[e->layer_index] = *cut;
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (e->owner_cuts[i].is_known && dsm__tie_owner(workload, i) == e->layer_index) {
      e->owner_cuts[i] = dsm__owner_cut_seen(workload, e->layer_index, i, *cut);
    }
  }
}

/* The roles that the layer can have. */
static bool find_roles(dsm__explaining *e) {
  const dsm__role_options found = dsm__role_options_find(e->problem, e->layer_index, false);
  e->roles = found.items;
  e->role_count = found.whole_count;
  return found.items != NULL;
}

/* What the plan holds around the layer, preloads and joins. */
static bool derive_decided(dsm__explaining *e) {
  const size_t count = e->plan->layer_count;
  dsm__decisions decisions;
  dsm__holding *const holdings = dsm__arena_array(e->problem->arena, count, sizeof *holdings);
  if (holdings == NULL || !dsm__decisions_of_plan(e->plan, e->problem->arena, &decisions) ||
      !dsm__holdings_derive(e->plan->workload, &e->problem->machine, &decisions, holdings,
                            e->problem->arena)) {
    return false;
  }
  e->holding = holdings[e->layer_index];
  e->preloaded_bytes = dsm__preloaded_bytes(e->plan->workload, &e->problem->machine, &decisions);
  return derive_tables(e, &decisions) && (!e->is_layer_alone || derive_shared(e, &decisions)) &&
         derive_reductions(e, &decisions);
}

/* The graph knows no preloaded weights, so they need not be searched. */
static bool solve_without_preloading(dsm__problem *problem, dsm__solution *solution) {
  problem->is_preloading_off = true;
  return dsm__problem_solve(problem, solution);
}

/* Adds the ways to run the layer with each uniform factor, of which the first is the best's. False
 * if out of memory. */
static bool add_ways(dsm__explaining *e, const dsm__factors *best, double best_cycles) {
  dsm__problem *const problem = e->problem;
  const unsigned graphs = problem->factors.is_uniform ? problem->factors.count : 1;
  dsm__network_graph *const networks = dsm__arena_array(problem->arena, graphs, sizeof *networks);
  dsm__factors factors = *best;
  for (unsigned g = 0; networks != NULL && g < graphs; g++) {
    factors.conv_index = (best->conv_index + g) % graphs;
    if (!dsm__problem_explain(problem, &factors, e->layer_index, &networks[g])) {
      return false;
    }
    const bool is_added = dsm__has_layouts(e->plan->system)
                              ? dsm__explain_add_layouts(e, &networks[g], best_cycles)
                              : dsm__through_derive(&e->throughs[e->through_count++], problem,
                                                    &networks[g], e->layer_index, problem->arena);
    if (!is_added) {
      return false;
    }
  }
  return networks != NULL;
}

/*
 * The ways to run the layer: those of the graph in which the best mapping was found (where sets of
 * held tensors are cut, the others may lack it), then all with each uniform factor.
 *
 * The graph in which the layer has all its choices holds every mapping, so that the best over each
 * edge of the layer is exact, memory aside. With uniform factors there is a graph for each, and for
 * each cut of a table that the layer has and others share. The graph in which the plan was found
 * comes first, so that the plan's own way is there even where sets of held tensors were cut.
 */
static bool find_ways(dsm__explaining *e) {
  dsm__problem *const problem = e->problem;
  dsm__arena *const arena = problem->arena;
  const unsigned graphs = problem->factors.is_uniform ? problem->factors.count : 1;
  const bool has_layouts = dsm__has_layouts(e->plan->system);
  dsm__table_cut cuts[DSM__TABLE_CUTS_MAX];
  const bool has_table = e->fixed_cuts != NULL && e->fixed_cuts[e->layer_index].is_known;
  const size_t cut_count = has_table ? dsm__tied_word_cuts(problem, e->layer_index, cuts) : 1;
  dsm__solution *const solution = dsm__arena_alloc(arena, sizeof *solution);
  const size_t most = 1 + cut_count * graphs * (has_layouts ? (size_t)DSM__LAYOUT_VALUES_MAX : 1);
  if (solution == NULL || !DSM__RESERVE(arena, e->throughs, most) ||
      !solve_without_preloading(problem, solution) ||
      !dsm__through_derive(&e->throughs[0], problem, &solution->network, e->layer_index, arena)) {
    return false;
  }
  e->through_count = 1;
  /* Where memory decides, what is fastest memory aside is still to be found. */
  const double best_cycles = solution->answer.is_memory_short ? 0 : solution->answer.cost;
  for (size_t c = 0; c < cut_count; c++) {
    if (has_table) {
      set_own_cut(e, &cuts[c]);
    }
    if (!add_ways(e, &solution->factors, best_cycles)) {
      return false;
    }
  }
  return true;
}

bool dsm__explain_prepare(dsm__explaining *e, dsm__stage *stage) {
  dsm__problem *const problem = e->problem;
  e->machine = &problem->machine;
  if (e->chosen->pipeline != DSM_NO_PIPELINE) {
    const dsm_pipeline_plan *const group = &e->plan->pipelines[e->chosen->pipeline];
    dsm__stage_init(stage, e->plan->system, problem->machine.mode, group->columns,
                    group->rows[e->layer_index - group->first_layer]);
    e->machine = &stage->machine;
  }
  e->is_per_pass = dsm__may_choose(problem->inputs.options, DSM__CHOICE_PASSES);
  e->is_layer_alone = dsm__problem_has_roles(problem);
  return derive_decided(e) && (e->is_layer_alone ? find_roles(e) : find_ways(e));
}

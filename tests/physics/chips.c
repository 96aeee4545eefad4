/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chips.c: more chips along one axis, with as many samples for each chip, or with as many in all.
 */
#include <math.h>

#include "physics.h"
#include "rebuilt.h"

/* Twice the chips along an axis. */
typedef struct doubling {
  const char *name;
  dsm_parallelism_set shares_samples; /* parallelisms that share samples along the axis */
  bool is_along_x;
} doubling;

static const doubling doublings[] = {
    {"along X",
     DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA) |
         DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA_X_MODEL_Y),
     true},
    {"along Y",
     DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA) |
         DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL_X_DATA_Y),
     false},
};
enum { DOUBLINGS = sizeof doublings / sizeof doublings[0] };

static dsm_system doubled_system(const dsm_system *system, const doubling *how) {
  dsm_system twice = *system;
  twice.system.axes[0].chips *= how->is_along_x ? 2 : 1;
  twice.system.axes[1].chips *= how->is_along_x ? 1 : 2;
  return twice;
}

/* What a layer's weights cost once a step. */
static double once_cycles(const dsm_layer_plan *layer, const dsm_workload *workload,
                          const dsm_system *system) {
  const dsm_machine machine = dsm_machine_for(system, DSM_MODE_TRAINING);
  dsm_pass_layouts layouts = {{DSM_PARALLELISM_DATA}};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    layouts.of[p] = layer->passes[p].share.parallelism;
  }
  const dsm_weight_traffic traffic = dsm_weight_traffic_derive(
      layer->layer, &machine, dsm_precision_of(workload, system), &layouts);
  return dsm_group_cycles(&machine, &traffic.sum_of_gradients) +
         dsm_group_cycles(&machine, &traffic.broadcast_weights) +
         dsm_group_cycles(&machine, &traffic.weight_update);
}

/* By how much the mapping of a plan is slower where gradients and weights cross twice the chips. Of
 * the stages of a pipeline the largest counts. */
static double reduction_growth(const dsm_plan *plan, const doubling *how) {
  double growth = 0;
  double stages = 0;
  for (size_t i = 0; plan->options.mode == DSM_MODE_TRAINING && i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const dsm_system before = rebuilt_torus(plan, i);
    const dsm_system after = doubled_system(&before, how);
    const double grown =
        once_cycles(layer, plan->workload, &after) - once_cycles(layer, plan->workload, &before);
    if (layer->pipeline == DSM_NO_PIPELINE) {
      growth += grown;
      continue;
    }
    const bool is_first = i == plan->pipelines[layer->pipeline].first_layer;
    stages = is_first ? 0 : stages;
    growth += grown > stages ? grown - stages : 0;
    stages = grown > stages ? grown : stages;
  }
  return growth;
}

/* The step of a case on twice the chips, with `samples` times the minibatch. */
static double doubled_cycles(const physics_case *one, const doubling *how, uint64_t samples) {
  dsm_workload workload = *one->workload;
  workload.minibatch *= samples;
  physics_case more = *one;
  more.workload = &workload;
  const dsm_system system = doubled_system(&one->system, how);
  dsm_plan *const plan = physics_explore(&more, &system);
  const double cycles = plan == NULL ? HUGE_VAL : plan->result.step_cycles;
  dsm_plan_free(plan);
  return cycles;
}

/* The case with nothing but the given parallelisms, and without some optimizations. */
static physics_case restricted(const physics_case *one, dsm_parallelism_set parallelisms,
                               dsm_optimization_set without) {
  physics_case less = *one;
  less.options.parallelisms = parallelisms;
  less.options.optimizations &= ~without;
  return less;
}

static void check_weak(physics_log *log, const physics_case *one, const doubling *how,
                       bool is_excused) {
  dsm_plan *const plan = physics_explore(one, &one->system);
  if (plan != NULL) {
    const double limit = plan->result.step_cycles + reduction_growth(plan, how);
    const double found = doubled_cycles(one, how, 2);
    (is_excused ? physics_excuse : physics_expect)(log, one, how->name,
                                                   physics_at_most(found, limit), found, limit);
    physics_log_plan(log, one, plan);
  }
  dsm_plan_free(plan);
}

void physics_weak_scaling(physics_log *log, const physics_case *one) {
  for (int i = 0; i < DOUBLINGS; i++) {
    const doubling *const how = &doublings[i];
    /* A stage hands over across one row of links however many rows it has. */
    const dsm_optimization_set without =
        how->is_along_x ? 0 : DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE);
    const physics_case shared = restricted(one, how->shares_samples, without);
    check_weak(log, &shared, how, false);
    if (log->is_verbose) {
      check_weak(log, one, how, true);
    }
  }
}

/* The samples of a chip under a plan's decisions on twice the chips; a DySM factor that is not
 * allowed there is halved, which leaves a chip as many samples as before. */
static uint64_t samples_of_chip(const dsm_plan *plan, const dsm_layer_plan *layer,
                                const dsm_pass_plan *pass) {
  const uint64_t samples = plan->workload->minibatch / layer->decisions.dysm_factor;
  const uint64_t ways = pass->share.data_ways;
  const uint64_t chips = plan->system->system.axes[0].chips * plan->system->system.axes[1].chips;
  const bool is_allowed = layer->decisions.dysm_factor == 1 || samples >= 2 * chips;
  const uint64_t shared = is_allowed ? 2 * ways : ways;
  return samples / shared + (samples % shared != 0);
}

/* Half of the cores along the samples, and twice as many along another loop, without more sums. */
static bool can_cut_another(const dsm_layer_plan *layer, dsm_pass which, const dsm_loops *split,
                            uint64_t samples) {
  dsm_chip_share share = layer->passes[which].share;
  share.chip.n[DSM_DIM_MB] = samples;
  bool can = false;
  for (int d = 0; split->n[DSM_DIM_MB] % 2 == 0 && d < DSM_DIM_MB; d++) {
    dsm_loops other = *split;
    other.n[DSM_DIM_MB] /= 2;
    other.n[d] *= 2;
    can = can || (!physics_adds_sums(which, (dsm_dim)d) && dsm_split_is_valid(&share, &other));
  }
  return can;
}

/* Are a layer's core splits bound by more than its sums? Softmax and layer_norm sum statistics over
 * the parts of the output features; held tensors lie in the cores in a layout of theirs. */
static bool is_split_bound(const dsm_plan *plan, const dsm_layer *layer) {
  const dsm_assumptions *const model = &plan->system->model;
  const bool sums = layer->has_op[DSM_AUX_SOFTMAX] || layer->has_op[DSM_AUX_LAYER_NORM] ||
                    layer->has_op[DSM_AUX_CROSS_ENTROPY];
  return (model->statistics_sums && sums) || model->layout_move == DSM_LAYOUT_MOVE_EXACT;
}

/* Can the cores share what a chip has then, without more sums? */
static bool can_cores_share(const dsm_plan *plan) {
  bool can = true;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_layer_plan *const layer = &plan->layers[i];
      const dsm_pass_plan *const pass = &layer->passes[p];
      const bool is_bound = is_split_bound(plan, layer->layer);
      for (unsigned k = 0; pass->exists && k < pass->invocation_count; k++) {
        const dsm_loops *const split = &pass->invocations[k].split;
        const uint64_t samples = samples_of_chip(plan, layer, pass);
        can = can && (split->n[DSM_DIM_MB] <= samples ||
                      (!is_bound && can_cut_another(layer, (dsm_pass)p, split, samples)));
      }
    }
  }
  return can;
}

static void check_strong(physics_log *log, const physics_case *one, const doubling *how,
                         bool is_excused) {
  dsm_plan *const plan = physics_explore(one, &one->system);
  if (plan != NULL) {
    const double limit = plan->result.step_cycles + reduction_growth(plan, how);
    const double found = doubled_cycles(one, how, 1);
    const bool may_fail =
        is_excused || physics_is_pipeline_loose(one, plan) || !can_cores_share(plan);
    (may_fail ? physics_excuse : physics_expect)(log, one, how->name, physics_at_most(found, limit),
                                                 found, limit);
    physics_log_plan(log, one, plan);
  }
  dsm_plan_free(plan);
}

void physics_strong_scaling(physics_log *log, const physics_case *one) {
  for (int i = 0; i < DOUBLINGS; i++) {
    const doubling *const how = &doublings[i];
    const physics_case shared = restricted(one, how->shares_samples, 0);
    check_strong(log, &shared, how, false);
    if (log->is_verbose) {
      check_strong(log, one, how, true);
    }
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * decide.c: from a path through the graph to the decisions of a plan.
 *
 * A path says parallelisms, factors, what is held and which groups there are; core splits were only
 * scored. So the best splits are found again here, for the layers of the answer alone, with all
 * rules of preference (section 3) where scores needed the least total only. Layers of one class
 * that are run alike, with the same held around them, share one answer: what a pass costs depends
 * on nothing else.
 */
#include <string.h>

#include "plan/stage.h"
#include "search/layer_table.h"
#include "search/problem.h"

typedef struct deciding {
  const dsm__problem *problem;
  dsm__layer_decision *layers;
  dsm__pipeline_decision *pipelines;
  const dsm__pipeline_group **groups; /* of each of these */
  size_t pipeline_count;
} deciding;

static void decide_layer(deciding *d, const dsm__node_info *info, uint32_t tag) {
  const dsm__layer_step step = dsm__network_step_unpack(tag);
  const dsm_layer *const layer = &d->problem->inputs.workload->layers[info->layer];
  d->layers[info->layer] = (dsm__layer_decision){
      .layouts = {{(dsm_parallelism)info->forward, (dsm_parallelism)info->backward, step.update}},
      .layer.dysm_factor = layer->timesteps == 1 ? dsm__factor_of(step.factor_index) : 1,
      .layer.is_hoisted = dsm__is_run_hoisted(layer, step.factor_index),
      .layer.is_output_held = step.is_output_held,
  };
  if (step.is_output_held && dsm__has_layouts(d->problem->machine.system)) {
    d->layers[info->layer].layer.output_layout = d->problem->layouts.items[step.layout];
  }
}

/* A group by its own name, or by those of its first and last layer. */
static const char *group_name(const deciding *d, const dsm__pipeline_group *group) {
  const dsm_workload *const workload = d->problem->inputs.workload;
  const dsm_layer *const first = &workload->layers[group->first_layer];
  const dsm_layer *const last = &workload->layers[group->first_layer + group->layer_count - 1];
  const dsm_layer_spec *const spec = &workload->specs[first->spec_index];
  if (spec->pipeline_choice == DSM_PIPELINE_NAMED) {
    return spec->pipeline_group;
  }
  return dsm__arena_printf(d->problem->arena, "%s..%s", first->name, last->name);
}

static bool decide_group(deciding *d, const dsm__pipeline_group *group) {
  const char *const name = group_name(d, group);
  d->groups[d->pipeline_count] = group;
  d->pipelines[d->pipeline_count++] = (dsm__pipeline_decision){
      .name = name,
      .first_layer = group->first_layer,
      .layer_count = group->layer_count,
      .columns = group->columns,
      .rows = group->rows,
  };
  for (size_t k = 0; k < group->layer_count; k++) {
    d->layers[group->first_layer + k] = (dsm__layer_decision){
        .layouts = dsm_pass_layouts_uniform(group->parallelisms[k]), .layer.dysm_factor = 1};
  }
  return name != NULL;
}

static bool decide_path(deciding *d, const dsm__network_graph *network,
                        const dsm__graph_path *path) {
  size_t node = 0;
  for (size_t i = 0; i < path->length; i++) {
    const dsm__graph_edge *const edge = &network->graph.edges[path->edges[i]];
    const dsm__node_info *const info = &network->infos[node];
    if (dsm__network_is_layer(info)) {
      decide_layer(d, info, edge->tag);
    } else if (info->kind == DSM__NODE_GROUP &&
               !decide_group(d, &d->problem->found->groups.items[edge->tag])) {
      return false;
    }
    node = edge->to;
  }
  return true;
}

static void find_splits(deciding *d, const dsm__layer_setting *setting, size_t class_index,
                        dsm__layer_decision *decision) {
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (!dsm_pass_exists(setting->layer, setting->mode, (dsm_pass)p)) {
      continue;
    }
    const dsm__recalled_pass of = {&d->problem->table, class_index, setting, (dsm_pass)p,
                                   decision->layouts.of[p]};
    const dsm__best_pass best = dsm__recall_pass(&of, true);
    decision->is_kernel_kept[p] = best.is_kernel_kept;
    memcpy(decision->splits[p], best.splits, sizeof best.splits);
  }
}

static bool is_same_run(const dsm__layer_decision *a, const dsm__layer_decision *b) {
  return a->layer.dysm_factor == b->layer.dysm_factor &&
         a->layer.is_hoisted == b->layer.is_hoisted &&
         memcmp(&a->layouts, &b->layouts, sizeof a->layouts) == 0;
}

/* The core splits of layers outside groups; as those of the last layer of the same class, where
 * that was run alike. */
static bool decide_splits(deciding *d, const dsm__decisions *decisions) {
  const dsm__search_inputs *const inputs = &d->problem->inputs;
  const dsm__distinct *const distinct = &d->problem->table.distinct;
  const size_t layer_count = inputs->workload->layer_count;
  dsm__holding *const holdings = dsm__arena_array(d->problem->arena, layer_count, sizeof *holdings);
  size_t *const last_alike =
      dsm__arena_array(d->problem->arena, distinct->count, sizeof *last_alike); /* index + 1 */
  bool *const is_grouped = dsm__arena_array(d->problem->arena, layer_count, sizeof *is_grouped);
  if (holdings == NULL || last_alike == NULL || is_grouped == NULL ||
      !dsm__holdings_derive(inputs->workload, inputs->machine, decisions, holdings,
                            d->problem->arena)) {
    return false;
  }
  for (size_t g = 0; g < decisions->pipeline_count; g++) {
    for (size_t k = 0; k < decisions->pipelines[g].layer_count; k++) {
      is_grouped[decisions->pipelines[g].first_layer + k] = true;
    }
  }
  for (size_t i = 0; i < layer_count; i++) {
    const size_t alike = last_alike[distinct->class_of[i]];
    if (is_grouped[i]) {
      continue;
    }
    if (alike != 0 && is_same_run(&d->layers[alike - 1], &d->layers[i]) &&
        dsm__is_same_holding(&holdings[alike - 1], &holdings[i])) {
      memcpy(d->layers[i].splits, d->layers[alike - 1].splits, sizeof d->layers[i].splits);
      memcpy(d->layers[i].is_kernel_kept, d->layers[alike - 1].is_kernel_kept,
             sizeof d->layers[i].is_kernel_kept);
    } else {
      dsm__layer_setting setting =
          dsm__open_setting(inputs, &inputs->workload->layers[i], d->layers[i].layer.dysm_factor);
      setting.is_hoisted = d->layers[i].layer.is_hoisted;
      setting.holding = holdings[i];
      find_splits(d, &setting, distinct->class_of[i], &d->layers[i]);
    }
    last_alike[distinct->class_of[i]] = i + 1;
  }
  return true;
}

/* In a stage each pass keeps its weights where that is not slower, unless the allocation of rows
 * chose to fetch them in each timestep. */
static void decide_stage_splits(deciding *d) {
  const dsm__search_inputs *const inputs = &d->problem->inputs;
  for (size_t g = 0; g < d->pipeline_count; g++) {
    const dsm__pipeline_decision *const group = &d->pipelines[g];
    for (size_t k = 0; k < group->layer_count; k++) {
      const size_t i = group->first_layer + k;
      dsm__stage stage;
      dsm__stage_init(&stage, d->problem->machine.system, d->problem->machine.mode, group->columns,
                      group->rows[k]);
      dsm__layer_setting setting = dsm__open_setting(inputs, &inputs->workload->layers[i], 1);
      setting.machine = &stage.machine;
      setting.reductions = NULL;
      find_splits(d, &setting, d->problem->table.distinct.class_of[i], &d->layers[i]);
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        d->layers[i].is_kernel_kept[p] =
            d->layers[i].is_kernel_kept[p] && (d->groups[g]->fetching[k] >> p & 1U) == 0;
      }
    }
  }
}

static bool decide(const dsm__problem *problem, const dsm__network_graph *network,
                   const dsm__graph_path *path, dsm__decisions *decisions) {
  const size_t layer_count = problem->inputs.workload->layer_count;
  deciding d = {.problem = problem};
  if (!DSM__RESERVE(problem->arena, d.layers, layer_count) ||
      !DSM__RESERVE(problem->arena, d.pipelines, layer_count / 2) ||
      !DSM__RESERVE(problem->arena, d.groups, layer_count / 2) || !decide_path(&d, network, path)) {
    return false;
  }
  *decisions = (dsm__decisions){
      .layers = d.layers, .pipelines = d.pipelines, .pipeline_count = d.pipeline_count};
  if (!decide_splits(&d, decisions)) {
    return false;
  }
  decide_stage_splits(&d);
  return dsm__core_layouts_complete(problem->inputs.workload, &problem->machine,
                                    problem->inputs.options->mode, decisions, d.layers, true,
                                    problem->arena);
}

/* A time limit ends the search of a path, not what the path is made of: core splits that are not
 * the best are slower than the step that was found, and in pipelines not legal. They are searched
 * once for each distinct layer and way that it is run. */
bool dsm__problem_decide(const dsm__problem *problem, const dsm__network_graph *network,
                         const dsm__graph_path *path, dsm__decisions *decisions) {
  dsm__problem untimed;
  dsm__case_begin(&untimed, problem);
  untimed.inputs.deadline = NULL;
  return decide(&untimed, network, path, decisions);
}

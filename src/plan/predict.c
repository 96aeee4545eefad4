/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.c: from decisions to the cost of every pass, by asking the model. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/axis_words.h"
#include "model/equations.h"
#include "plan/issue.h"
#include "plan/pass_builder.h"
#include "plan/plan_internal.h"
#include "plan/role_flow.h"
#include "plan/stage.h"
#include "plan/step_stages.h"

static const dsm_group half_groups[DSM__HALF_COUNT] = {DSM_GROUP_SUM_OF_GRADIENTS,
                                                       DSM_GROUP_BROADCAST_WEIGHTS};

/* Everything that predicting a layer asks for. */
typedef struct predictor {
  dsm_plan *plan;
  dsm_machine machine;
  const dsm__decisions *decisions;
  dsm_workload micro;     /* with the samples of a micro-batch, and layers as stages have them */
  dsm__holding *holdings; /* of each layer */
  double preloaded_bytes;
  dsm__reductions *reductions; /* of each stage, where they are shared */
  dsm__role_step *steps[2];    /* of forward and backward, where layers have roles; else NULL */
  double *group_passes;        /* of each pipeline: cycles of its backward and update passes */
} predictor;

static dsm__layer_setting setting_of(const predictor *p, size_t index) {
  return (dsm__layer_setting){
      .layer = &p->micro.layers[index],
      .machine = &p->machine,
      .precision = dsm_precision_of(p->plan->workload, p->plan->system),
      .mode = p->plan->options.mode,
      .minibatch = p->micro.minibatch,
      .micro_batches = p->plan->micro_batches,
      .dysm_factor = p->decisions->layers[index].layer.dysm_factor,
      .holding = p->holdings[index],
      .preloaded_bytes = p->preloaded_bytes,
      .resident_fraction = p->decisions->layers[index].layer.weights_on_chip,
      .is_hoisted = p->decisions->layers[index].layer.is_hoisted,
      .is_recomputed = p->decisions->layers[index].layer.is_recomputed,
      .shard = p->decisions->layers[index].layer.shard,
      .gathered_before = p->steps[0] == NULL ? 0 : p->steps[0][index].gathered_before,
      .summed_later = p->steps[0] == NULL ? 0 : p->steps[1][index].summed_later,
      .reductions = p->reductions == NULL
                        ? NULL
                        : &p->reductions[dsm__stage_of(&p->decisions->stages, index)],
  };
}

/* The boundary before a layer costs no relayout where a pipeline group begins or ends. */
static bool is_boundary_free(const predictor *p, size_t later_layer) {
  return p->plan->layers[later_layer - 1].pipeline != DSM_NO_PIPELINE ||
         p->plan->layers[later_layer].pipeline != DSM_NO_PIPELINE;
}

/* Of layers with roles: what is outside moves to the layout of what the earlier layer made, then to
 * that which the later one reads; errors the other way. */
static void add_role_moves(const predictor *p, dsm__pass_builder *builder, size_t later_layer,
                           dsm_pass layout_of) {
  const bool is_back = layout_of == DSM_PASS_BACKWARD;
  const dsm__role_step *const steps = p->steps[is_back ? 1 : 0];
  const double times = (double)p->plan->micro_batches;
  const double bytes = (double)p->micro.minibatch * p->micro.element_bytes;
  const dsm_traffic leaving =
      dsm__role_move_traffic(&p->machine, &steps[later_layer - 1].leaving, bytes, is_back);
  const dsm_traffic entering =
      dsm__role_move_traffic(&p->machine, &steps[later_layer].entering, bytes, is_back);
  dsm__pass_add_group(builder, DSM_TRANSFER_RELAYOUT, DSM_GROUP_RELAYOUT, &leaving, times, times);
  dsm__pass_add_group(builder, DSM_TRANSFER_RELAYOUT, DSM_GROUP_RELAYOUT, &entering, times, times);
}

/* The relayout between two layers, forward or of the errors; dsm_relayout_traffic knows no
 * direction. */
static void add_boundary(const predictor *p, dsm__pass_builder *builder, size_t later_layer,
                         dsm_pass layout_of) {
  if (is_boundary_free(p, later_layer)) {
    return;
  }
  if (p->steps[0] != NULL) {
    add_role_moves(p, builder, later_layer, layout_of);
    return;
  }
  const dsm_workload *const workload = &p->micro;
  const dsm__layer_decision *const layers = p->decisions->layers;
  const double times = (double)p->plan->micro_batches;
  const double bytes = (double)workload->layers[later_layer].carried_elements *
                       (double)workload->minibatch * workload->element_bytes;
  const dsm_traffic traffic =
      dsm_relayout_traffic(&p->machine, bytes, layers[later_layer - 1].layouts.of[layout_of],
                           layers[later_layer].layouts.of[layout_of]);
  dsm__pass_add_group(builder, DSM_TRANSFER_RELAYOUT, DSM_GROUP_RELAYOUT, &traffic, times, times);
}

/* Where the error's relayout towards the layer before is counted: section 5, "the earlier". */
static dsm_pass pass_of_error_relayout(const dsm_layer *layer) {
  return layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
}

static bool predict_pass(const predictor *p, size_t index, dsm_pass pass) {
  const dsm__layer_setting setting = setting_of(p, index);
  const dsm__layer_decision *const decision = &p->decisions->layers[index];
  dsm_pass_plan *const out = &p->plan->layers[index].passes[pass];
  dsm__pass_builder builder;
  dsm__pass_begin(&builder, out, &setting, pass, decision);
  for (unsigned i = 0; i < out->invocation_count; i++) {
    dsm__pass_add_cycles(&builder, i, (double)out->invocations[i].count);
  }
  dsm__pass_add_gathering(&builder, &setting, &decision->layouts, pass);
  if (pass == DSM_PASS_UPDATE) {
    dsm__pass_add_weight_groups(&builder, &setting, &decision->layouts, 1);
    dsm__pass_add_update_relayouts(&builder, &setting, &decision->layouts);
  }
  if (pass == DSM_PASS_FORWARD && index > 0) {
    add_boundary(p, &builder, index, DSM_PASS_FORWARD);
  }
  if (p->plan->options.mode == DSM_MODE_TRAINING && pass == pass_of_error_relayout(setting.layer) &&
      index + 1 < p->plan->layer_count) {
    add_boundary(p, &builder, index + 1, DSM_PASS_BACKWARD);
  }
  dsm__stage_add_links(&builder, p->plan->workload, p->decisions, &setting, index, pass);
  dsm__pass_end(&builder, &setting, pass);
  return dsm__pass_keep_transfers(&builder, p->plan->arena);
}

static bool predict_layer(const predictor *p, size_t index) {
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    if (dsm_pass_exists(&p->plan->workload->layers[index], p->plan->options.mode, (dsm_pass)pass) &&
        !predict_pass(p, index, (dsm_pass)pass)) {
      return false;
    }
  }
  return true;
}

/* A stage of a pipeline, before its times are made shares of the group's. */
typedef struct stage_parts {
  dsm__stage stage;
  dsm__pass_builder builders[DSM_PASS_COUNT];
  dsm__stage_times times;
  dsm_traffic hand_over[DSM_PASS_COUNT];
  double hand_over_cycles[DSM_PASS_COUNT]; /* that it adds to a step */
  dsm_resources step[DSM_PASS_COUNT];      /* times.step by what decides it */
  dsm_resources once;                      /* times.once likewise */
} stage_parts;

/* What an invocation of the steady state costs: the last kind of a pass. */
static const dsm_invocation_cost *steady_cost(const dsm_pass_plan *pass) {
  return &pass->invocations[pass->invocation_count - 1].cost;
}

/* A kernel that stays makes the later invocations faster; a split edited by hand may not. */
static bool is_first_longer(const dsm_pass_plan *pass) {
  return pass->invocation_count > 1 && pass->invocations[0].cost.total > steady_cost(pass)->total;
}

static const dsm_resources *steady_resources(const dsm__pass_builder *builder) {
  return &builder->resources_of_one[builder->pass->invocation_count - 1];
}

/* A hand-over that is hidden but for a part is what decides the whole step. */
static dsm_resources step_resources(const stage_parts *parts, dsm_pass pass) {
  const dsm_resources *const steady = steady_resources(&parts->builders[pass]);
  const dsm_machine *const machine = &parts->stage.machine;
  dsm_resources step = dsm_group_resources(machine, &parts->hand_over[pass]);
  const double hand_over = dsm_group_cycles(machine, &parts->hand_over[pass]);
  if (!(parts->hand_over_cycles[pass] > 0)) {
    return *steady;
  }
  if (!(parts->hand_over_cycles[pass] < hand_over)) {
    dsm_resources_add(&step, steady, 1);
  }
  return step;
}

static dsm_resources once_resources(const stage_parts *parts, const dsm__layer_setting *setting,
                                    const dsm_pass_layouts *layouts) {
  dsm_resources once = {{0}};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm__pass_builder *const builder = &parts->builders[pass];
    if (dsm_pass_exists(setting->layer, setting->mode, (dsm_pass)pass) &&
        is_first_longer(builder->pass)) {
      dsm_resources_add(&once, &builder->resources_of_one[0], 1);
      dsm_resources_add(&once, steady_resources(builder), -1);
    }
  }
  const dsm_resources weights = dsm__once_resources(setting, layouts);
  dsm_resources_add(&once, &weights, 1);
  return once;
}

static dsm__layer_setting stage_setting(const predictor *p, size_t index,
                                        const stage_parts *parts) {
  dsm__layer_setting setting = setting_of(p, index);
  setting.machine = &parts->stage.machine;
  setting.reductions = NULL;
  return setting;
}

static void begin_stage(const predictor *p, const dsm__pipeline_decision *group, size_t position,
                        stage_parts *parts) {
  const size_t index = group->first_layer + position;
  const dsm__layer_decision *const decision = &p->decisions->layers[index];
  dsm__stage_init(&parts->stage, p->plan->system, group->columns, group->rows[position]);
  const dsm__layer_setting setting = stage_setting(p, index, parts);
  parts->times = (dsm__stage_times){{0}, 0};
  for (int i = 0; i < DSM_PASS_COUNT; i++) {
    const dsm_pass pass = (dsm_pass)i;
    dsm_pass_plan *const out = &p->plan->layers[index].passes[pass];
    if (!dsm_pass_exists(setting.layer, setting.mode, pass)) {
      continue;
    }
    dsm__pass_begin(&parts->builders[pass], out, &setting, pass, decision);
    parts->hand_over[pass] = (dsm_traffic){.latency_cycles = 0};
    if (dsm_stage_hands_over(pass, position, group->layer_count)) {
      parts->hand_over[pass] = dsm_hand_over_traffic(setting.layer, setting.machine,
                                                     setting.precision, setting.minibatch);
    }
    parts->hand_over_cycles[pass] = dsm_stage_hand_over_cycles(
        setting.machine, &parts->hand_over[pass], steady_cost(out)->total);
    parts->times.step[pass] = steady_cost(out)->total + parts->hand_over_cycles[pass];
    if (is_first_longer(out)) {
      parts->times.once += out->invocations[0].cost.total - steady_cost(out)->total;
    }
    parts->times.once +=
        pass == DSM_PASS_UPDATE ? dsm__once_cycles(&setting, &decision->layouts) : 0;
    parts->step[pass] = step_resources(parts, pass);
  }
  parts->once = once_resources(parts, &setting, &decision->layouts);
}

/* What a stage takes by itself, with nothing to wait for. */
static double own_cycles(const dsm__layer_setting *setting, const dsm_pass_layouts *layouts,
                         const dsm_layer_plan *layer, const stage_parts *parts) {
  double cycles = 0;
  for (int i = 0; i < DSM_PASS_COUNT; i++) {
    const dsm_pass_plan *const pass = &layer->passes[i];
    if (!pass->exists) {
      continue;
    }
    for (unsigned k = 0; k < pass->invocation_count; k++) {
      cycles += (double)pass->invocations[k].count * pass->invocations[k].cost.total;
    }
    cycles += (double)setting->layer->timesteps * parts->hand_over_cycles[i];
    cycles += i == DSM_PASS_UPDATE ? dsm__once_cycles(setting, layouts) : 0;
  }
  return cycles;
}

/* What is added and taken away again leaves rounding behind: no resource decides that. */
static void drop_rounding(dsm_resources *resources) {
  const double rounding = 1e-13;
  double sum = 0;
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    sum += fabs(resources->cycles[b]);
  }
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    resources->cycles[b] = fabs(resources->cycles[b]) > rounding * sum ? resources->cycles[b] : 0;
  }
}

/*
 * A layer is charged the group's time in proportion to the chips that it has: `charged` cycles. Of
 * them each component has what it has of the stage's own time, which is not more than the group's;
 * so no pass is charged less than its chips' share of what it takes, and none is used above 1.
 */
static bool end_stage(const predictor *p, const dsm__pipeline_decision *group, size_t position,
                      stage_parts *parts, double charged) {
  const size_t index = group->first_layer + position;
  const dsm__layer_decision *const decision = &p->decisions->layers[index];
  const dsm__layer_setting setting = stage_setting(p, index, parts);
  const double timesteps = (double)setting.layer->timesteps;
  const double times =
      charged / own_cycles(&setting, &decision->layouts, &p->plan->layers[index], parts);
  for (int i = 0; i < DSM_PASS_COUNT; i++) {
    const dsm_pass pass = (dsm_pass)i;
    dsm_pass_plan *const out = &p->plan->layers[index].passes[pass];
    dsm__pass_builder *const builder = &parts->builders[pass];
    if (!out->exists) {
      continue;
    }
    for (unsigned k = 0; k < out->invocation_count; k++) {
      dsm__pass_add_cycles(builder, k, (double)out->invocations[k].count * times);
    }
    dsm__pass_add_group(builder, DSM_TRANSFER_HAND_OVER, DSM_GROUP_HAND_OVER,
                        &parts->hand_over[pass], timesteps, 0);
    out->group_cycles[DSM_GROUP_HAND_OVER] += parts->hand_over_cycles[pass] * timesteps * times;
    dsm_resources_add(&out->resources, &parts->step[pass], timesteps * times);
    dsm_resources_add(&out->resources, steady_resources(builder), -timesteps * times);
    drop_rounding(&out->resources);
    if (pass == DSM_PASS_UPDATE) {
      dsm__pass_add_weight_groups(builder, &setting, &decision->layouts, times);
    }
    dsm__layer_setting whole = setting;
    whole.machine = &p->machine; /* the ideal machine has all chips */
    dsm__pass_end(builder, &whole, pass);
    if (!dsm__pass_keep_transfers(builder, p->plan->arena)) {
      return false;
    }
  }
  return true;
}

/* The slowest stages decide, of equals the first. */
static dsm_resources group_resources(const stage_parts *stages, size_t count,
                                     const dsm__stage_times *slowest, double steps) {
  dsm_resources sum = {{0}};
  bool is_found[DSM_PASS_COUNT] = {false};
  bool is_once_found = false;
  for (size_t k = 0; k < count; k++) {
    const dsm__stage_times *const times = &stages[k].times;
    for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
      if (!is_found[pass] && times->step[pass] > 0 && times->step[pass] >= slowest->step[pass]) {
        dsm_resources_add(&sum, &stages[k].step[pass], steps);
        is_found[pass] = true;
      }
    }
    if (!is_once_found && times->once >= slowest->once) {
      dsm_resources_add(&sum, &stages[k].once, 1);
      is_once_found = true;
    }
  }
  return sum;
}

static bool predict_group(const predictor *p, size_t g, dsm_pipeline_plan *out) {
  const dsm__pipeline_decision *const group = &p->decisions->pipelines[g];
  const uint64_t timesteps = p->plan->workload->layers[group->first_layer].timesteps;
  stage_parts *const stages = dsm__arena_array(p->plan->arena, group->layer_count, sizeof *stages);
  if (stages == NULL) {
    return false;
  }
  dsm__stage_times slowest = {{0}, 0};
  uint64_t rows = 0;
  for (size_t k = 0; k < group->layer_count; k++) {
    begin_stage(p, group, k, &stages[k]);
    dsm__stage_times_join(&slowest, &stages[k].times);
    rows += group->rows[k];
  }
  out->cycles = dsm__group_total(&slowest, timesteps, group->layer_count);
  for (size_t k = 0; k < group->layer_count; k++) {
    const double charged = out->cycles * ((double)group->rows[k] / (double)rows);
    if (!end_stage(p, group, k, &stages[k], charged)) {
      return false;
    }
  }
  const double steps = (double)timesteps + (double)group->layer_count - 1;
  out->resources = group_resources(stages, group->layer_count, &slowest, steps);
  p->group_passes[g] = steps * (slowest.step[DSM_PASS_BACKWARD] + slowest.step[DSM_PASS_UPDATE]);
  return true;
}

/* Of a layer's own passes, beside what it sums. */
static dsm__reduction reduction_of(const dsm_layer_plan *layer) {
  const dsm_pass_plan *const update = &layer->passes[DSM_PASS_UPDATE];
  const dsm_pass_plan *const backward = &layer->passes[DSM_PASS_BACKWARD];
  dsm__reduction reduction = {.backward_cycles = backward->exists ? backward->cycles.total : 0};
  for (int half = 0; update->exists && half < DSM__HALF_COUNT; half++) {
    reduction.cycles[half] = update->group_cycles[half_groups[half]];
  }
  if (update->exists) {
    reduction.update_cycles = update->cycles.total -
                              update->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] -
                              update->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS];
  }
  return reduction;
}

/* Takes what is hidden out of a pass: its groups have what is visible. */
static void hide_reduction(const predictor *p, size_t index, const dsm__reduction *reduction) {
  dsm_pass_plan *const update = &p->plan->layers[index].passes[DSM_PASS_UPDATE];
  const dsm__layer_setting setting = setting_of(p, index);
  const dsm_weight_traffic weights =
      dsm__weight_traffic(&setting, &p->decisions->layers[index].layouts);
  const dsm_traffic *const traffic[] = {&weights.sum_of_gradients, &weights.broadcast_weights};
  for (int half = 0; half < DSM__HALF_COUNT; half++) {
    const double hidden = reduction->cycles[half] - reduction->visible[half];
    if (hidden > 0) {
      dsm_resources resources = dsm_group_resources(&p->machine, traffic[half]);
      if (half == DSM__HALF_SUM) {
        const dsm_resources ties =
            dsm__tie_resources(p->plan->workload, p->decisions, &setting, index);
        dsm_resources_add(&resources, &ties, 1);
      }
      dsm_resources_add(&update->resources, &resources, -hidden / reduction->cycles[half]);
      drop_rounding(&update->resources);
      update->group_cycles[half_groups[half]] = reduction->visible[half];
      update->hidden_cycles += hidden;
    }
  }
  dsm__pass_sum_up(update);
}

/* Of the layers of a run the last is updated first. Of a pipeline what its stages sum is in its
 * time. */
static bool hide_reductions_of(const predictor *p, dsm__stage_run run) {
  const dsm_plan *const plan = p->plan;
  const size_t count = run.end - run.first;
  dsm__reduction *const reductions = dsm__arena_array(plan->arena, count, sizeof *reductions);
  if (reductions == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[run.end - 1 - i];
    const bool is_first_of_group = layer->pipeline != DSM_NO_PIPELINE &&
                                   plan->pipelines[layer->pipeline].first_layer == run.end - 1 - i;
    if (layer->pipeline == DSM_NO_PIPELINE) {
      reductions[i] = reduction_of(layer);
    } else if (is_first_of_group) {
      reductions[i].backward_cycles = p->group_passes[layer->pipeline];
    }
  }
  dsm__reductions_overlap(reductions, count);
  for (size_t i = 0; i < count; i++) {
    if (reductions[i].cycles[DSM__HALF_SUM] + reductions[i].cycles[DSM__HALF_WAY_BACK] > 0) {
      hide_reduction(p, run.end - 1 - i, &reductions[i]);
    }
  }
  return true;
}

static bool hide_reductions(const predictor *p) {
  const dsm_stages *const stages = &p->decisions->stages;
  for (size_t s = 0; s < dsm__stage_count(stages); s++) {
    if (!hide_reductions_of(p, dsm__stage_run_of(stages, p->plan->layer_count, s))) {
      return false;
    }
  }
  return true;
}

/* Layers of a stage share collectives. */
static bool share_reductions(predictor *p) {
  const dsm_plan *const plan = p->plan;
  const dsm_stages *const stages = &p->decisions->stages;
  const size_t count = dsm__stage_count(stages);
  p->reductions = dsm__arena_array(plan->arena, count, sizeof p->reductions[0]);
  for (size_t s = 0; p->reductions != NULL && s < count; s++) {
    const dsm__stage_run run = dsm__stage_run_of(stages, plan->layer_count, s);
    dsm__collectives collectives;
    dsm_workload part = p->micro;
    dsm__decisions decisions = *p->decisions;
    part.layers += run.first;
    part.layer_count = run.end - run.first;
    decisions.layers += run.first;
    dsm__collectives_derive(&collectives, &part, &p->machine, plan->options.mode, &decisions);
    p->reductions[s] = dsm__even_shares(&collectives);
  }
  return p->reductions != NULL;
}

/* Each stage's chips issue what they run. */
static void charge_issue(const predictor *p, dsm_pipeline_plan *groups) {
  const dsm_stages *const stages = &p->decisions->stages;
  for (size_t s = 0; s < dsm__stage_count(stages); s++) {
    const dsm__stage_run run = dsm__stage_run_of(stages, p->plan->layer_count, s);
    dsm_plan part = *p->plan;
    part.layers += run.first;
    part.layer_count = run.end - run.first;
    dsm__issue_charge(&part, groups, &p->machine);
  }
}

/* Copies the groups, and tells their layers. */
static bool keep_groups(dsm_plan *plan, const dsm__decisions *decisions,
                        dsm_pipeline_plan **groups) {
  *groups = dsm__arena_array(plan->arena, decisions->pipeline_count, sizeof **groups);
  if (*groups == NULL) {
    return false;
  }
  for (size_t g = 0; g < decisions->pipeline_count; g++) {
    const dsm__pipeline_decision *const group = &decisions->pipelines[g];
    uint64_t *const rows = dsm__arena_array(plan->arena, group->layer_count, sizeof *rows);
    const char *const name = dsm__arena_strdup(plan->arena, group->name);
    const char **const names = dsm__arena_array(plan->arena, group->layer_count, sizeof *names);
    if (rows == NULL || name == NULL || names == NULL) {
      return false;
    }
    memcpy(rows, group->rows, group->layer_count * sizeof *rows);
    (*groups)[g] = (dsm_pipeline_plan){.name = name,
                                       .first_layer = group->first_layer,
                                       .layer_count = group->layer_count,
                                       .layer_names = names,
                                       .columns = group->columns,
                                       .rows = rows};
    for (size_t k = 0; k < group->layer_count; k++) {
      dsm_layer_plan *const layer = &plan->layers[group->first_layer + k];
      names[k] = layer->name;
      layer->pipeline = g;
      layer->decisions.pipeline_group = name;
      layer->decisions.stage_rows = rows[k];
      layer->decisions.stage_columns = group->columns;
    }
  }
  plan->pipelines = *groups;
  plan->pipeline_count = decisions->pipeline_count;
  return true;
}

/* The layout of the output's error, where it is a decision and not what a reader takes without it.
 */
static dsm_parallelism stated_error_parallelism(const dsm_layer *layer, dsm_mode mode,
                                                const dsm_pass_layouts *layouts) {
  const dsm_pass after = layer->has_update ? DSM_PASS_UPDATE : DSM_PASS_FORWARD;
  const dsm_parallelism own = layouts->of[DSM_PASS_BACKWARD];
  const bool is_stated =
      mode == DSM_MODE_TRAINING && !layer->has_backward && own != layouts->of[after];
  return is_stated ? own : DSM_PARALLELISM_COUNT;
}

static void keep_decisions(dsm_plan *plan, const dsm__decisions *decisions) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm__layer_decision *const decision = &decisions->layers[i];
    const dsm_layer *const layer = &plan->workload->layers[i];
    plan->layers[i] = (dsm_layer_plan){
        .name = layer->name,
        .layer = layer,
        .decisions = decision->layer,
        .pipeline = DSM_NO_PIPELINE,
        .error_parallelism = decision->layouts.of[DSM_PASS_BACKWARD],
    };
    plan->layers[i].decisions.pipeline_group = NULL;
    plan->layers[i].decisions.error_parallelism =
        stated_error_parallelism(layer, plan->options.mode, &decision->layouts);
  }
}

static bool predict_memory(dsm_plan *plan, const dsm_machine *machine,
                           const dsm__decisions *decisions) {
  const dsm_workload micro = dsm__micro_workload(plan->workload, plan->micro_batches);
  const dsm_workload *const workload = &micro;
  dsm_plan_memory *const memory = &plan->result.memory;
  dsm_layer_memory *const needs = dsm__arena_array(plan->arena, plan->layer_count, sizeof *needs);
  if (needs == NULL) {
    return false;
  }
  dsm__mapping_memory_derive(plan->workload, machine, plan->options.mode, decisions, needs);
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_memory *const one = &needs[i];
    plan->layers[i].memory = *one;
    memory->weights_bytes += one->weights_bytes;
    memory->gradients_bytes += one->gradients_bytes;
    memory->optimizer_bytes += one->optimizer_bytes;
    memory->activations_bytes += one->activations_bytes;
    memory->cache_bytes += one->cache_bytes;
  }
  const dsm__transient_need transient = dsm__transient_need_of(workload, needs);
  if (plan->options.mode == DSM_MODE_TRAINING) {
    memory->activations_bytes += dsm__kept_input_bytes(workload, machine, &decisions->stages);
    memory->errors_bytes = transient.own_bytes;
    memory->recomputed_bytes = transient.recomputed_bytes;
  } else {
    memory->activations_bytes = transient.own_bytes;
  }
  memory->total_bytes = memory->weights_bytes + memory->activations_bytes +
                        memory->gradients_bytes + memory->errors_bytes + memory->optimizer_bytes +
                        memory->cache_bytes + memory->recomputed_bytes;
  memory->capacity_bytes = plan->system->chip.memory.capacity_GB * 1e9;
  return true;
}

/* The steps of roles, and words for them. */
static bool derive_steps(predictor *p) {
  static const dsm_pass passes[] = {DSM_PASS_FORWARD, DSM_PASS_BACKWARD};
  dsm_plan *const plan = p->plan;
  for (size_t i = 0; i < DSM__COUNT_OF(passes); i++) {
    p->steps[i] = dsm__arena_array(plan->arena, plan->layer_count, sizeof *p->steps[i]);
    if (p->steps[i] == NULL ||
        !dsm__role_steps_derive(plan->workload, p->machine.system, p->decisions, passes[i],
                                p->steps[i], plan->arena)) {
      return false;
    }
  }
  bool is_good = true;
  for (size_t i = 0; is_good && i < plan->layer_count; i++) {
    for (int pass = 0; is_good && pass < DSM_PASS_COUNT; pass++) {
      const dsm_parallelism parallelism = p->decisions->layers[i].layouts.of[pass];
      is_good = !dsm_parallelism_has_roles(parallelism) || plan->renaming == NULL ||
                dsm__note_parallelism(plan->renaming, parallelism, plan->arena);
    }
  }
  return is_good;
}

bool dsm__plan_predict_layers(dsm_plan *plan, const dsm__decisions *decisions) {
  const dsm_machine whole = dsm_machine_derive(plan->system);
  dsm__stage stage;
  predictor p = {.plan = plan,
                 .machine = *dsm__stage_machine(&whole, &decisions->stages, &stage),
                 .decisions = decisions,
                 .micro = dsm__micro_workload(plan->workload, plan->micro_batches)};
  dsm_pipeline_plan *groups = NULL;
  keep_decisions(plan, decisions);
  p.micro.layers = dsm__stage_layers(plan->workload, &decisions->stages, plan->arena);
  p.holdings = dsm__arena_array(plan->arena, plan->layer_count, sizeof p.holdings[0]);
  if (p.micro.layers == NULL || p.holdings == NULL || !keep_groups(plan, decisions, &groups) ||
      !dsm__holdings_derive(plan->workload, decisions, p.holdings, plan->arena)) {
    return false;
  }
  p.group_passes = dsm__arena_array(plan->arena, plan->pipeline_count, sizeof p.group_passes[0]);
  if (p.group_passes == NULL) {
    return false;
  }
  p.preloaded_bytes = dsm__preloaded_bytes(plan->workload, &p.machine, decisions);
  if (dsm__has_roles(plan->workload, decisions) && !derive_steps(&p)) {
    return false;
  }
  if (plan->system->model.fused_reductions && !share_reductions(&p)) {
    return false;
  }
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm__layer_setting setting = setting_of(&p, i);
    plan->layers[i].held_bytes =
        dsm__held_bytes(&setting, decisions->layers[i].layouts.of[DSM_PASS_FORWARD]);
    if (plan->layers[i].pipeline == DSM_NO_PIPELINE && !predict_layer(&p, i)) {
      return false;
    }
  }
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    if (!predict_group(&p, g, &groups[g])) {
      return false;
    }
  }
  if (plan->system->model.overlapped_reduction && !hide_reductions(&p)) {
    return false;
  }
  charge_issue(&p, groups);
  return dsm__stages_settle(plan) && predict_memory(plan, &p.machine, decisions);
}

void dsm__plan_predict_result(dsm_plan *plan) {
  dsm_plan_result *const result = &plan->result;
  dsm_cycles *const cycles = &result->cycles;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      if (pass->exists) {
        cycles->primary += pass->cycles.primary;
        cycles->overlapped += pass->cycles.overlapped;
        cycles->overlapped_visible += pass->cycles.overlapped_visible;
        cycles->auxiliary += pass->cycles.auxiliary;
        cycles->non_overlapped += pass->cycles.non_overlapped;
        result->ideal_cycles += pass->ideal_cycles;
        if (plan->layers[i].pipeline == DSM_NO_PIPELINE) {
          dsm_resources_add(&result->resources, &pass->resources, 1);
        }
      }
    }
  }
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    dsm_resources_add(&result->resources, &plan->pipelines[g].resources, 1);
  }
  cycles->total =
      cycles->primary + cycles->overlapped_visible + cycles->auxiliary + cycles->non_overlapped;
  result->step_cycles = cycles->total;
  result->step_seconds = cycles->total / (plan->system->core.frequency_GHz * 1e9);
  result->latency_seconds = plan->options.mode == DSM_MODE_INFERENCE ? result->step_seconds : 0;
  result->bound = dsm_resources_bound(&result->resources);
  result->samples_per_second = (double)plan->workload->minibatch / result->step_seconds;
  result->utilization = result->ideal_cycles / cycles->total;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict_pipeline.c: layers that run timestep by timestep on chips of their own (section 9). */
#include <math.h>

#include "base/arena.h"
#include "model/equations.h"
#include "plan/layer_predictor.h"
#include "plan/pass_builder.h"
#include "plan/stage.h"

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

static dsm__layer_setting stage_setting(const dsm__predictor *p, size_t index,
                                        const stage_parts *parts) {
  dsm__layer_setting setting = dsm__predictor_setting(p, index);
  setting.machine = &parts->stage.machine;
  setting.reductions = NULL;
  return setting;
}

static void begin_stage(const dsm__predictor *p, const dsm__pipeline_decision *group,
                        size_t position, stage_parts *parts) {
  const size_t index = group->first_layer + position;
  const dsm__layer_decision *const decision = &p->decisions->layers[index];
  dsm__stage_init(&parts->stage, p->plan->system, p->machine.mode, group->columns,
                  group->rows[position]);
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

void dsm__drop_rounding(dsm_resources *resources) {
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
static bool end_stage(const dsm__predictor *p, const dsm__pipeline_decision *group, size_t position,
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
    dsm__drop_rounding(&out->resources);
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

bool dsm__predict_group(const dsm__predictor *p, size_t g, dsm_pipeline_plan *out) {
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

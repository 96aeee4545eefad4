/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.c: from decisions to the cost of every pass, by asking the model. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "model/axis_words.h"
#include "model/chip_link.h"
#include "model/layer_words.h"
#include "plan/issue.h"
#include "plan/layer_predictor.h"
#include "plan/pass_builder.h"
#include "plan/plan_internal.h"
#include "plan/step_energy.h"
#include "plan/step_stages.h"
#include "plan/tied_tables.h"

static const dsm_group half_groups[DSM__HALF_COUNT] = {DSM_GROUP_SUM_OF_GRADIENTS,
                                                       DSM_GROUP_BROADCAST_WEIGHTS};

dsm__layer_setting dsm__predictor_setting(const dsm__predictor *p, size_t index) {
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
      .is_recomputed = dsm__is_product_again(&p->decisions->layers[index].layer),
      .are_operations_again = p->decisions->layers[index].layer.is_product_kept,
      .shard = p->decisions->layers[index].layer.shard,
      .owner = dsm__owner_cut_of(p->plan->workload, &p->machine, p->decisions, index),
      .gathered_before = p->steps[0] == NULL ? 0 : p->steps[0][index].gathered_before,
      .summed_later = p->steps[0] == NULL ? 0 : p->steps[1][index].gathered_before,
      .gathered_in_update = p->steps[0] == NULL ? 0 : p->steps[0][index].gathered_in_update,
      .is_error_apart = dsm__is_error_apart(&p->decisions->layers[index].layouts),
      .reductions = p->reductions == NULL
                        ? NULL
                        : &p->reductions[dsm__stage_of(&p->decisions->stages, index)],
  };
}

/* The boundary before a layer costs no relayout where a pipeline group begins or ends. */
static bool is_boundary_free(const dsm__predictor *p, size_t later_layer) {
  return p->plan->layers[later_layer - 1].pipeline != DSM_NO_PIPELINE ||
         p->plan->layers[later_layer].pipeline != DSM_NO_PIPELINE;
}

/* Of layers with roles: what is outside moves to the layout of what the earlier layer made, then to
 * that which the later one reads; errors the other way. */
static void add_role_moves(const dsm__predictor *p, dsm__pass_builder *builder, size_t later_layer,
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
static void add_boundary(const dsm__predictor *p, dsm__pass_builder *builder, size_t later_layer,
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

static bool predict_pass(const dsm__predictor *p, size_t index, dsm_pass pass) {
  const dsm__layer_setting setting = dsm__predictor_setting(p, index);
  const dsm__layer_decision *const decision = &p->decisions->layers[index];
  dsm_pass_plan *const out = &p->plan->layers[index].passes[pass];
  dsm__pass_builder builder;
  dsm__pass_begin(&builder, out, &setting, pass, decision);
  for (unsigned i = 0; i < out->invocation_count; i++) {
    dsm__pass_add_cycles(&builder, i, (double)out->invocations[i].count);
  }
  dsm__pass_add_gathering(&builder, &setting, &decision->layouts, pass);
  dsm__pass_add_operations_again(&builder, &setting, &decision->layouts, pass);
  if (pass == DSM_PASS_UPDATE) {
    dsm__pass_add_weight_groups(&builder, &setting, &decision->layouts, 1);
    dsm__pass_add_update_relayouts(&builder, &setting, &decision->layouts);
  }
  if (pass == DSM_PASS_FORWARD && index > 0) {
    add_boundary(p, &builder, index, DSM_PASS_FORWARD);
  }
  if (p->plan->options.mode == DSM_MODE_TRAINING && pass == dsm__pass_of_error(setting.layer) &&
      index + 1 < p->plan->layer_count) {
    add_boundary(p, &builder, index + 1, DSM_PASS_BACKWARD);
  }
  dsm__stage_add_links(&builder, p->plan->workload, p->decisions, &setting, index, pass);
  dsm__pass_end(&builder, &setting, pass);
  return dsm__pass_keep_transfers(&builder, p->plan->arena);
}

static bool predict_layer(const dsm__predictor *p, size_t index) {
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    if (dsm_pass_exists(&p->plan->workload->layers[index], p->plan->options.mode, (dsm_pass)pass) &&
        !predict_pass(p, index, (dsm_pass)pass)) {
      return false;
    }
  }
  return true;
}

/* ---- layers alike ---- */

/* All that the forward pass of a layer depends on, but for what is the same of all layers of a
 * plan; no padding, so that bytes can be compared. */
typedef struct layer_key {
  uint64_t words[DSM__LAYER_WORDS];
  uint64_t fork_elements;
  uint64_t carried_elements;
  uint64_t held_elements;
  uint64_t deferred_elements;
  uint64_t numbers[3]; /* as bits: bytes held and deferred, weights on chip */
  uint64_t dysm_factor;
  dsm_loops splits[DSM_INVOCATION_KINDS_MAX];
  dsm_core_layout output_layout;
  uint64_t entering[DSM_AXES_MAX];
  uint64_t leaving[DSM_AXES_MAX]; /* of the layer before */
  uint32_t flags;
  uint32_t parallelism;
  uint32_t parallelism_before;
  uint32_t gathered[3];
  uint32_t moves[2][2][DSM_AXES_MAX]; /* of what enters and what left: layouts before, after */
} layer_key;
_Static_assert(sizeof(layer_key) == (DSM__LAYER_WORDS + 8 + 2 * DSM_AXES_MAX) * sizeof(uint64_t) +
                                        DSM_INVOCATION_KINDS_MAX * sizeof(dsm_loops) +
                                        sizeof(dsm_core_layout) +
                                        (6 + 4 * DSM_AXES_MAX) * sizeof(uint32_t),
               "no padding");

/* Assumption: networks have no more kinds of layers that recur. */
enum { KINDS_MAX = 64 };

/* Layers of which no earlier one is alike. */
typedef struct kinds {
  layer_key keys[KINDS_MAX];
  size_t layers[KINDS_MAX];
  size_t count;
} kinds;

static void put_move(const dsm__role_move *move, uint64_t elements[DSM_AXES_MAX],
                     uint32_t layouts[2][DSM_AXES_MAX]) {
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    elements[a] = move->elements[a];
    layouts[0][a] = (uint32_t)move->before.of[a];
    layouts[1][a] = (uint32_t)move->after.of[a];
  }
}

/* False: the layer is predicted by itself. */
static bool key_of(const dsm__predictor *p, size_t index, layer_key *key) {
  const dsm__layer_setting setting = dsm__predictor_setting(p, index);
  const dsm__layer_decision *const decision = &p->decisions->layers[index];
  const dsm__holding *const holding = &setting.holding;
  if (p->plan->options.mode != DSM_MODE_INFERENCE || index == 0 || setting.layer->is_tied ||
      holding->layouts != NULL || p->plan->pipeline_count > 0 || p->decisions->stages.count > 1) {
    return false;
  }
  *key = (layer_key){
      .fork_elements = setting.layer->fork_elements,
      .carried_elements = setting.layer->carried_elements,
      .held_elements = holding->held_elements,
      .deferred_elements = holding->deferred_elements,
      .dysm_factor = decision->layer.dysm_factor,
      .output_layout = decision->layer.output_layout,
      .flags = (uint32_t)holding->is_input_held | (uint32_t)holding->is_output_held << 1 |
               (uint32_t)holding->is_shortcut_held << 2 | (uint32_t)holding->is_moving_free << 3 |
               (uint32_t)decision->layer.is_output_held << 4 |
               (uint32_t)decision->layer.is_hoisted << 5 |
               (uint32_t)decision->is_kernel_kept[DSM_PASS_FORWARD] << 6 |
               (uint32_t)setting.layer->is_shortcut_own_input << 7 |
               (uint32_t)setting.is_error_apart << 8 | (uint32_t)setting.owner.is_known << 9,
      .parallelism = (uint32_t)decision->layouts.of[DSM_PASS_FORWARD],
      .parallelism_before = (uint32_t)decision[-1].layouts.of[DSM_PASS_FORWARD],
      .gathered = {setting.gathered_before, setting.summed_later, setting.gathered_in_update}};
  const double numbers[] = {holding->held_bytes, holding->deferred_bytes,
                            decision->layer.weights_on_chip};
  dsm__layer_words(setting.layer, key->words);
  memcpy(key->numbers, numbers, sizeof key->numbers);
  memcpy(key->splits, decision->splits[DSM_PASS_FORWARD], sizeof key->splits);
  if (p->steps[0] != NULL) {
    put_move(&p->steps[0][index].entering, key->entering, key->moves[0]);
    put_move(&p->steps[0][index - 1].leaving, key->leaving, key->moves[1]);
  }
  return true;
}

/* Blocks of a network are alike: of each kind of layers one is predicted. Their transfers are in
 * the plan's arena once. */
static bool predict_or_copy(const dsm__predictor *p, size_t index, kinds *known) {
  layer_key *const key = &known->keys[known->count];
  if (known->count == KINDS_MAX || !key_of(p, index, key)) {
    return predict_layer(p, index);
  }
  for (size_t k = 0; k < known->count; k++) {
    if (memcmp(key, &known->keys[k], sizeof *key) == 0) {
      memcpy(p->plan->layers[index].passes, p->plan->layers[known->layers[k]].passes,
             sizeof p->plan->layers[index].passes);
      return true;
    }
  }
  known->layers[known->count++] = index;
  return predict_layer(p, index);
}

/* In how many micro-batches a layer does a half: gradients that are shared out are summed in each.
 */
static double times_of(const dsm__predictor *p, const dsm_layer_plan *layer, int half) {
  return half == DSM__HALF_SUM && layer->decisions.shard >= DSM_SHARDING_GRADIENTS
             ? (double)p->plan->micro_batches
             : 1;
}

/* Of a layer's own passes, beside what it sums: of the last micro-batch, before which no gradient
 * that is summed once is complete, and with it what occurs once a step. */
static dsm__reduction reduction_of(const dsm__predictor *p, const dsm_layer_plan *layer) {
  const double micro_batches = (double)p->plan->micro_batches;
  const dsm_pass_plan *const update = &layer->passes[DSM_PASS_UPDATE];
  const dsm_pass_plan *const backward = &layer->passes[DSM_PASS_BACKWARD];
  dsm__reduction reduction = {.backward_cycles =
                                  backward->exists ? backward->cycles.total / micro_batches : 0};
  for (int half = 0; update->exists && half < DSM__HALF_COUNT; half++) {
    reduction.cycles[half] = update->group_cycles[half_groups[half]] / times_of(p, layer, half);
  }
  if (update->exists) {
    reduction.update_cycles = update->cycles.total -
                              update->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] -
                              update->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS];
    const double once = update->group_cycles[DSM_GROUP_TIED_WEIGHTS] +
                        update->group_cycles[DSM_GROUP_WEIGHT_UPDATE] - update->accumulation_cycles;
    reduction.update_cycles -= (reduction.update_cycles - once) * (1 - 1 / micro_batches);
  }
  return reduction;
}

/* Takes what is hidden out of a pass: its groups have what is visible. Sums of earlier
 * micro-batches hide as those of the last one do. */
static void hide_reduction(const dsm__predictor *p, size_t index, const dsm__reduction *reduction) {
  dsm_pass_plan *const update = &p->plan->layers[index].passes[DSM_PASS_UPDATE];
  const dsm__layer_setting setting = dsm__predictor_setting(p, index);
  const dsm_weight_traffic weights =
      dsm__weight_traffic(&setting, &p->decisions->layers[index].layouts);
  const dsm_traffic *const traffic[] = {&weights.sum_of_gradients, &weights.broadcast_weights};
  for (int half = 0; half < DSM__HALF_COUNT; half++) {
    const double times = times_of(p, &p->plan->layers[index], half);
    const double hidden = times * (reduction->cycles[half] - reduction->visible[half]);
    if (hidden > 0) {
      dsm_resources resources = dsm_group_resources(&p->machine, traffic[half]);
      if (half == DSM__HALF_SUM) {
        const dsm_resources ties =
            dsm__tie_resources(p->plan->workload, p->decisions, &setting, index);
        dsm_resources_add(&resources, &ties, 1);
      }
      dsm_resources_add(&update->resources, &resources,
                        -hidden / (times * reduction->cycles[half]));
      dsm__drop_rounding(&update->resources);
      update->group_cycles[half_groups[half]] = times * reduction->visible[half];
      update->hidden_cycles += hidden;
    }
  }
  dsm__pass_sum_up(update);
}

/* The last layer is updated first. Of a pipeline what its stages sum is in its time. */
static bool hide_reductions(const dsm__predictor *p) {
  const dsm_plan *const plan = p->plan;
  const size_t count = plan->layer_count;
  dsm__reduction *const reductions = dsm__arena_array(plan->arena, count, sizeof *reductions);
  if (reductions == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const size_t index = count - 1 - i;
    const dsm_layer_plan *const layer = &plan->layers[index];
    const bool is_first_of_group =
        layer->pipeline != DSM_NO_PIPELINE && plan->pipelines[layer->pipeline].first_layer == index;
    if (layer->pipeline == DSM_NO_PIPELINE) {
      reductions[i] = reduction_of(p, layer);
    } else if (is_first_of_group) {
      reductions[i].backward_cycles = p->group_passes[layer->pipeline];
    }
  }
  dsm__reductions_overlap(reductions, count);
  for (size_t i = 0; i < count; i++) {
    if (reductions[i].cycles[DSM__HALF_SUM] + reductions[i].cycles[DSM__HALF_WAY_BACK] > 0) {
      hide_reduction(p, count - 1 - i, &reductions[i]);
    }
  }
  return true;
}

/* Layers of a stage share collectives. */
static bool share_reductions_of(const dsm__predictor *p, const size_t *indices, size_t count,
                                dsm__reductions *reductions) {
  dsm_workload part = p->micro;
  dsm__decisions decisions = *p->decisions;
  dsm__collectives collectives;
  dsm_layer *layers = NULL;
  dsm__layer_decision *decided = NULL;
  if (!DSM__RESERVE(p->plan->arena, layers, count) ||
      !DSM__RESERVE(p->plan->arena, decided, count)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    layers[i] = p->micro.layers[indices[i]];
    decided[i] = p->decisions->layers[indices[i]];
  }
  part.layers = layers;
  part.layer_count = count;
  decisions.layers = decided;
  dsm__collectives_derive(&collectives, &part, &p->machine, p->plan->options.mode, &decisions,
                          NULL);
  *reductions = dsm__even_shares(&collectives);
  return true;
}

static bool share_reductions(dsm__predictor *p) {
  const dsm_plan *const plan = p->plan;
  const dsm_stages *const stages = &p->decisions->stages;
  size_t *layers = NULL;
  bool is_shared = DSM__RESERVE(plan->arena, p->reductions, dsm__stage_count(stages)) &&
                   DSM__RESERVE(plan->arena, layers, plan->layer_count);
  for (size_t s = 0; is_shared && s < dsm__stage_count(stages); s++) {
    const size_t count = dsm__stage_indices(stages, plan->layer_count, s, layers);
    is_shared = share_reductions_of(p, layers, count, &p->reductions[s]);
  }
  return is_shared;
}

/* Each stage's chips issue what they run, run by run. */
static void charge_issue(const dsm__predictor *p, dsm_pipeline_plan *groups) {
  const dsm_stages *const stages = &p->decisions->stages;
  for (size_t r = 0; r < dsm__stage_run_count(stages); r++) {
    const dsm__stage_run run = dsm__stage_run_of(stages, p->plan->layer_count, r);
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
    dsm_pipeline_plan *const group = &(*groups)[g];
    *group = decisions->pipelines[g];
    uint64_t *const rows = dsm__arena_array(plan->arena, group->layer_count, sizeof *rows);
    const char *const name = dsm__arena_strdup(plan->arena, group->name);
    const char **const names = dsm__arena_array(plan->arena, group->layer_count, sizeof *names);
    if (rows == NULL || name == NULL || names == NULL) {
      return false;
    }
    memcpy(rows, group->rows, group->layer_count * sizeof *rows);
    group->name = name;
    group->layer_names = names;
    group->rows = rows;
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
    memory->activations_bytes += one->input_bytes + one->activations_bytes;
    memory->cache_bytes += one->cache_bytes;
  }
  const dsm__transient_need transient = dsm__transient_need_of(workload, needs);
  if (plan->options.mode == DSM_MODE_TRAINING) {
    memory->errors_bytes = transient.own_bytes;
    memory->recomputed_bytes = transient.recomputed_bytes;
  } else {
    memory->activations_bytes = transient.own_bytes;
  }
  memory->total_bytes = memory->weights_bytes + memory->activations_bytes +
                        memory->gradients_bytes + memory->errors_bytes + memory->optimizer_bytes +
                        memory->cache_bytes + memory->recomputed_bytes;
  memory->capacity_bytes = dsm_system_usable_bytes(plan->system);
  return true;
}

/* The steps of roles, and words for them. */
static bool derive_steps(dsm__predictor *p) {
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
  const dsm_machine whole = dsm_machine_for(plan->system, plan->options.mode);
  dsm__stage stage;
  dsm__predictor p = {.plan = plan,
                      .machine = *dsm__stage_machine(&whole, &decisions->stages, &stage),
                      .decisions = decisions,
                      .micro = dsm__micro_workload(plan->workload, plan->micro_batches)};
  dsm_pipeline_plan *groups = NULL;
  keep_decisions(plan, decisions);
  p.micro.layers = dsm__stage_layers(plan->workload, &decisions->stages, plan->arena);
  p.holdings = dsm__arena_array(plan->arena, plan->layer_count, sizeof p.holdings[0]);
  if (p.micro.layers == NULL || p.holdings == NULL || !keep_groups(plan, decisions, &groups) ||
      !dsm__holdings_derive(plan->workload, &p.machine, decisions, p.holdings, plan->arena)) {
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
  kinds *const known = dsm__arena_alloc(plan->arena, sizeof *known);
  if (known == NULL) {
    return false;
  }
  known->count = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm__layer_setting setting = dsm__predictor_setting(&p, i);
    plan->layers[i].held_bytes =
        dsm__held_bytes(&setting, decisions->layers[i].layouts.of[DSM_PASS_FORWARD]);
    if (plan->layers[i].pipeline == DSM_NO_PIPELINE && !predict_or_copy(&p, i, known)) {
      return false;
    }
  }
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    if (!dsm__predict_group(&p, g, &groups[g])) {
      return false;
    }
  }
  if (p.machine.system->model.overlapped_reduction && !hide_reductions(&p)) {
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
  result->step_seconds = cycles->total / dsm__hertz(plan->system->core.frequency_GHz);
  dsm__supply_predict(plan);
  dsm__energy_predict(plan);
  result->latency_seconds = plan->options.mode == DSM_MODE_INFERENCE ? result->step_seconds : 0;
  result->bound = dsm_resources_bound(&result->resources);
  result->samples_per_second = (double)plan->workload->minibatch / result->step_seconds;
  result->utilization = result->ideal_cycles / cycles->total;
}

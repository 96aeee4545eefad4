/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/step_stages.h"

#include <assert.h>

#include "model/axis_words.h"
#include "model/chip_link.h"
#include "model/links.h"
#include "plan/keeping.h"
#include "plan/makespan.h"
#include "plan/segments.h"
#include "plan/tied_tables.h"
#include "plan/zero_bubble.h"

/* ---- runs of layers ---- */

dsm__stage_run dsm__stage_run_of(const dsm_stages *stages, size_t layer_count, size_t run) {
  const size_t count = dsm__stage_run_count(stages);
  return (dsm__stage_run){
      .first = run == 0 ? 0 : stages->first_layers[run],
      .end = run + 1 < count ? stages->first_layers[run + 1] : layer_count,
  };
}

size_t dsm__run_of(const dsm_stages *stages, size_t layer) {
  size_t run = dsm__stage_run_count(stages) - 1;
  while (run > 0 && stages->first_layers[run] > layer) {
    run--;
  }
  return run;
}

size_t dsm__stage_of(const dsm_stages *stages, size_t layer) {
  return dsm__run_of(stages, layer) % dsm__stage_count(stages);
}

size_t dsm__stage_indices(const dsm_stages *stages, size_t layer_count, size_t stage,
                          size_t *indices) {
  size_t count = 0;
  for (size_t r = stage; r < dsm__stage_run_count(stages); r += dsm__stage_count(stages)) {
    const dsm__stage_run run = dsm__stage_run_of(stages, layer_count, r);
    for (size_t i = run.first; i < run.end; i++) {
      indices[count++] = i;
    }
  }
  return count;
}

const dsm_machine *dsm__stage_machine(const dsm_machine *whole, const dsm_stages *stages,
                                      dsm__stage *part) {
  if (stages->count <= 1) {
    return whole;
  }
  part->system = *whole->system;
  dsm_network_axis *const axis = &part->system.system.axes[stages->axis];
  dsm__axis_cut(axis, axis->chips / stages->count);
  part->system.model.overlapped_reduction = false; /* all wait for the last stage's micro-batch */
  part->machine = dsm_machine_for(&part->system, whole->mode);
  return &part->machine;
}

bool dsm__stages_keep(dsm_stages *stages, const dsm_workload *workload, const dsm_system *system,
                      dsm__arena *arena) {
  if (stages->count <= 1) {
    *stages = (dsm_stages){.count = 0};
    return true;
  }
  const size_t count = dsm__stage_run_count(stages);
  size_t *const firsts = dsm__arena_array(arena, count, sizeof *firsts);
  const char **const names = dsm__arena_array(arena, count, sizeof *names);
  if (firsts == NULL || names == NULL) {
    return false;
  }
  for (size_t r = 0; r < count; r++) {
    firsts[r] = stages->first_layers[r];
    names[r] = workload->layers[firsts[r]].name;
  }
  stages->interleave = dsm__interleave_of(stages);
  stages->run_count = count;
  stages->axis_name = dsm__axis_name(&system->system, stages->axis);
  stages->first_layers = firsts;
  stages->first_layer_names = names;
  return true;
}

/* ---- weights that two stages share ---- */

bool dsm__is_tied_apart(const dsm_workload *workload, const dsm_stages *stages, size_t index) {
  const size_t owner = stages->count > 1 ? dsm__tie_owner(workload, index) : SIZE_MAX;
  return owner != SIZE_MAX && dsm__stage_of(stages, owner) != dsm__stage_of(stages, index);
}

const dsm_layer *dsm__stage_layers(const dsm_workload *workload, const dsm_stages *stages,
                                   dsm__arena *arena) {
  bool is_any = false;
  for (size_t i = 0; i < workload->layer_count; i++) {
    is_any = is_any || dsm__is_tied_apart(workload, stages, i);
  }
  if (!is_any) {
    return workload->layers;
  }
  dsm_layer *const layers = dsm__arena_array(arena, workload->layer_count, sizeof *layers);
  for (size_t i = 0; layers != NULL && i < workload->layer_count; i++) {
    layers[i] = workload->layers[i];
    layers[i].is_tied = layers[i].is_tied && !dsm__is_tied_apart(workload, stages, i);
  }
  return layers;
}

/* ---- what passes between stages ---- */

/* Where the error that a layer hands back is made. */
dsm_pass dsm__pass_of_error(const dsm_layer *layer) {
  return layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
}

/* The stage behind the last run of the last stage is the first one. */
static size_t stages_to_next(const dsm_stages *stages, size_t index) {
  const bool is_of_last = dsm__stage_of(stages, index) + 1 == stages->count;
  return is_of_last ? stages->count - 1 : 1;
}

static dsm_boundary boundary_behind(const dsm_workload *workload, const dsm__decisions *decisions,
                                    const dsm__layer_setting *setting, size_t index,
                                    dsm_pass layout_of) {
  return dsm__boundary_derive(&workload->layers[index], setting->machine, setting->precision,
                              setting->minibatch, decisions->stages.axis,
                              stages_to_next(&decisions->stages, index),
                              decisions->layers[index].layouts.of[layout_of]);
}

static void add_hand_over(dsm__pass_builder *builder, const dsm_workload *workload,
                          const dsm__decisions *decisions, const dsm__layer_setting *setting,
                          size_t behind, dsm_pass layout_of) {
  const double times = setting->micro_batches > 0 ? (double)setting->micro_batches : 1;
  const dsm_boundary boundary = boundary_behind(workload, decisions, setting, behind, layout_of);
  dsm__pass_add_group(builder, DSM_TRANSFER_HAND_OVER, DSM_GROUP_HAND_OVER, &boundary.shift, times,
                      times);
  dsm__pass_add_group(builder, DSM_TRANSFER_HAND_OVER, DSM_GROUP_HAND_OVER, &boundary.gather, times,
                      times);
}

/* With how many layers of other stages a layer shares its weights. */
static size_t tie_count(const dsm_workload *workload, const dsm_stages *stages, size_t index) {
  size_t count = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const bool is_tie = workload->layers[i].is_tied && dsm__is_tied_apart(workload, stages, i);
    count += is_tie && (i == index || dsm__tie_owner(workload, i) == index) ? 1 : 0;
  }
  return count;
}

/* A sum with one of them. */
static dsm_traffic tie_of(const dsm__decisions *decisions, const dsm__layer_setting *setting,
                          size_t index) {
  return dsm__tie_traffic(setting->layer, setting->machine, setting->precision,
                          decisions->stages.axis,
                          decisions->layers[index].layouts.of[DSM_PASS_UPDATE]);
}

static void add_ties(dsm__pass_builder *builder, const dsm_workload *workload,
                     const dsm__decisions *decisions, const dsm__layer_setting *setting,
                     size_t index) {
  for (size_t ties = tie_count(workload, &decisions->stages, index); ties > 0; ties--) {
    const dsm_traffic sum = tie_of(decisions, setting, index);
    dsm__pass_add_group(builder, DSM_TRANSFER_SUM_OF_GRADIENTS, DSM_GROUP_SUM_OF_GRADIENTS, &sum, 1,
                        1);
  }
}

dsm_resources dsm__tie_resources(const dsm_workload *workload, const dsm__decisions *decisions,
                                 const dsm__layer_setting *setting, size_t index) {
  dsm_resources resources = {{0}};
  const size_t ties = tie_count(workload, &decisions->stages, index);
  if (ties > 0) {
    const dsm_traffic sum = tie_of(decisions, setting, index);
    const dsm_resources one = dsm_group_resources(setting->machine, &sum);
    dsm_resources_add(&resources, &one, (double)ties);
  }
  return resources;
}

void dsm__stage_add_links(dsm__pass_builder *builder, const dsm_workload *workload,
                          const dsm__decisions *decisions, const dsm__layer_setting *setting,
                          size_t index, dsm_pass pass) {
  const dsm_stages *const stages = &decisions->stages;
  if (stages->count <= 1) {
    return;
  }
  const size_t number = dsm__run_of(stages, index);
  const dsm__stage_run run = dsm__stage_run_of(stages, workload->layer_count, number);
  const bool is_last_run = number + 1 == dsm__stage_run_count(stages);
  if (pass == DSM_PASS_FORWARD && index == (is_last_run ? run.first : run.end - 1)) {
    add_hand_over(builder, workload, decisions, setting, is_last_run ? index - 1 : index,
                  DSM_PASS_FORWARD);
  }
  if (pass == dsm__pass_of_error(setting->layer) &&
      index == (number == 0 ? run.end - 1 : run.first)) {
    add_hand_over(builder, workload, decisions, setting, number == 0 ? index : index - 1,
                  DSM_PASS_BACKWARD);
  }
  if (pass == DSM_PASS_UPDATE) {
    add_ties(builder, workload, decisions, setting, index);
  }
}

/* ---- memory ---- */

double dsm__stage_in_flight(const dsm_stages *stages, size_t stage, uint64_t micro_batches) {
  const dsm__interleaving of = dsm__interleaving_of(stages, micro_batches);
  if (of.schedule == DSM_SCHEDULE_ZERO_BUBBLE) {
    return (double)dsm__zero_bubble_in_flight(of.stages, micro_batches);
  }
  return of.runs == 1 ? (double)dsm__stored_micro_batches(false, of.stages, stage, micro_batches)
                      : (double)dsm__interleaved_in_flight(&of, stage) / (double)of.runs;
}

/* What a stage is given for a micro-batch by the one before. */
static double received_bytes(const dsm_workload *micro, const dsm_machine *machine,
                             const dsm__decisions *decisions, size_t first) {
  if (first == 0) {
    return 0;
  }
  const dsm__layer_setting setting = {.machine = machine,
                                      .precision = dsm_precision_of(micro, machine->system),
                                      .minibatch = micro->minibatch};
  return boundary_behind(micro, decisions, &setting, first - 1, DSM_PASS_FORWARD).bytes;
}

/* A layer with weights of its own where it shares those of another stage. */
static void untie(const dsm_workload *micro, const dsm_machine *machine, dsm_mode mode,
                  const dsm__decisions *decisions, size_t index, bool is_last,
                  dsm_layer_memory *memory) {
  const dsm__layer_decision *const decision = &decisions->layers[index];
  dsm_layer own = micro->layers[index];
  own.is_tied = false;
  *memory = dsm_layer_memory_derive(&own, machine, micro, mode, &decision->layouts);
  dsm__keep_less(memory, &own, machine, &decision->layouts, &decision->layer,
                 is_last && index + 1 < micro->layer_count);
}

/* Of a run, which is given something first, its part of a stage's sum. */
static void add_run(const dsm_workload *micro, const dsm_machine *machine, dsm_mode mode,
                    const dsm__decisions *decisions, dsm__stage_run run, dsm_layer_memory *memory,
                    dsm__memory_sum *sum) {
  dsm__segment_walk walk = dsm__segments_begin_at(micro, run.first);
  for (size_t i = run.first; i < run.end; i++) {
    const bool is_last = dsm__segment_ends(&walk, i);
    if (dsm__is_tied_apart(micro, &decisions->stages, i)) {
      untie(micro, machine, mode, decisions, i, is_last, &memory[i]);
    }
    memory[i].activations_bytes +=
        i == run.first ? received_bytes(micro, machine, decisions, run.first) : 0;
    dsm__memory_sum_add(sum, &memory[i], is_last);
  }
  sum->again_bytes = 0; /* what begins the next run is given, and kept */
}

void dsm__stages_memory_derive(const dsm_workload *micro, const dsm_machine *machine, dsm_mode mode,
                               const dsm__decisions *decisions, dsm_layer_memory *memory) {
  const dsm_stages *const stages = &decisions->stages;
  const uint64_t micro_batches = dsm__micro_batches(decisions);
  double most = -1;
  size_t fullest = 0;
  assert(stages->count > 0);
  for (size_t s = 0; s < stages->count; s++) {
    dsm__memory_sum sum = {.kept_bytes = 0};
    for (size_t r = s; r < dsm__stage_run_count(stages); r += stages->count) {
      add_run(micro, machine, mode, decisions, dsm__stage_run_of(stages, micro->layer_count, r),
              memory, &sum);
    }
    const double need = dsm__memory_sum_bytes(&sum, dsm__stage_in_flight(stages, s, micro_batches));
    fullest = need > most ? s : fullest;
    most = need > most ? need : most;
  }
  const double in_flight = dsm__stage_in_flight(stages, fullest, micro_batches);
  for (size_t r = 0; r < dsm__stage_run_count(stages); r++) {
    const dsm__stage_run run = dsm__stage_run_of(stages, micro->layer_count, r);
    for (size_t i = run.first; i < run.end; i++) {
      memory[i].input_bytes *= in_flight;
      memory[i].activations_bytes *= in_flight;
      memory[i] = r % stages->count == fullest ? memory[i] : (dsm_layer_memory){0};
    }
  }
}

/* ---- the step ---- */

/* What each run takes for each micro-batch. False if out of memory. */
static bool fill_times(const dsm__stage_cost *costs, const dsm__interleaving *of, dsm__arena *arena,
                       dsm__makespan_times *times) {
  const size_t count = of->stages * of->runs;
  const size_t micro_batches = of->micro_batches;
  double *forward = NULL;
  double *backward = NULL;
  double *update = NULL;
  double *links = NULL;
  if (!DSM__RESERVE(arena, forward, count * micro_batches) ||
      !DSM__RESERVE(arena, backward, count * micro_batches) ||
      !DSM__RESERVE(arena, update, count * micro_batches) || !DSM__RESERVE(arena, links, count)) {
    return false;
  }
  for (size_t k = 0; k < count * micro_batches; k++) {
    forward[k] = costs[k / micro_batches].forward;
    backward[k] = costs[k / micro_batches].backward;
    update[k] = costs[k / micro_batches].update;
  }
  *times = (dsm__makespan_times){of->stages, micro_batches, forward,  backward,
                                 links,      links,         of->runs, update};
  return true;
}

double dsm__stages_schedule_find(const dsm__stage_cost *costs, const dsm__interleaving *of,
                                 dsm__arena *arena, dsm__schedule *schedule) {
  dsm__makespan_times times;
  if (!fill_times(costs, of, arena, &times)) {
    return -1;
  }
  return of->schedule == DSM_SCHEDULE_ZERO_BUBBLE
             ? dsm__zero_bubble_find(&times, arena, schedule)
             : dsm__schedule_find(&times, false, arena, schedule);
}

/* The exact time of stages with one run each. */
static double makespan_of(const dsm__stage_cost *costs, const dsm__interleaving *of) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__schedule schedule;
  const double cycles = dsm__stages_schedule_find(costs, of, arena, &schedule);
  dsm__arena_free(arena);
  return cycles;
}

static double interleaved_of(const dsm__stage_cost *costs, const dsm__interleaving *of) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__interleaved_cost *const own = dsm__arena_array(arena, of->stages, sizeof *own);
  for (size_t s = 0; own != NULL && s < of->stages; s++) {
    const double all = costs[s].forward + costs[s].backward;
    own[s] = (dsm__interleaved_cost){.own = all - costs[s].handed, .handed = costs[s].handed};
  }
  const double cycles = own == NULL ? -1 : dsm__interleaved_cycles(of, own);
  dsm__arena_free(arena);
  return cycles;
}

/*
 * Source: section 8; Narayanan et al. 2021. Symbols: the exact time of 1F1B, at most n max +
 * (sum - max), that of zero bubbles, or that of interleaved runs; + the largest `once`. Limits:
 * equal stages: (n + p - 1) of one; one stage: n of it.
 */
double dsm__stages_step_cycles(const dsm__stage_cost *costs, const dsm__interleaving *of) {
  double once = 0;
  for (size_t s = 0; s < of->stages; s++) {
    once = costs[s].once > once ? costs[s].once : once;
  }
  const double cycles = of->runs > 1 ? interleaved_of(costs, of) : makespan_of(costs, of);
  return cycles < 0 ? cycles : cycles + once;
}

/* Of a pass what occurs once a step: gradients that are shared out are summed after each of several
 * micro-batches, and all are added to those before. */
static double once_of(const dsm_plan *plan, const dsm_layer_plan *layer, dsm_pass which) {
  const dsm_pass_plan *const pass = &layer->passes[which];
  const bool is_summed_once =
      plan->micro_batches <= 1 || layer->decisions.shard < DSM_SHARDING_GRADIENTS;
  return which == DSM_PASS_UPDATE
             ? (is_summed_once ? pass->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] : 0) +
                   pass->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS] +
                   pass->group_cycles[DSM_GROUP_TIED_WEIGHTS] +
                   pass->group_cycles[DSM_GROUP_WEIGHT_UPDATE] - pass->accumulation_cycles
             : 0;
}

/* Nobody waits for a gradient of weights but where the pass makes the error too. */
static bool is_apart(dsm_pass pass, const dsm_layer *layer) {
  return pass == DSM_PASS_UPDATE && dsm__pass_of_error(layer) != DSM_PASS_UPDATE;
}

dsm__stage_cost dsm__stage_cost_of(const dsm_plan *plan, dsm__stage_run run) {
  const double times = (double)plan->micro_batches;
  dsm__stage_cost cost = {.forward = 0};
  for (size_t i = run.first; i < run.end; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      if (pass->exists) {
        const double once = once_of(plan, &plan->layers[i], (dsm_pass)p);
        const double bubble = pass->group_cycles[DSM_GROUP_BUBBLE];
        const double each = (pass->cycles.total - bubble - once) / times;
        cost.once += once;
        cost.forward += p == DSM_PASS_FORWARD ? each : 0;
        cost.backward += p == DSM_PASS_FORWARD ? 0 : each;
        cost.update += is_apart((dsm_pass)p, plan->layers[i].layer) ? each : 0;
        cost.handed += pass->group_cycles[DSM_GROUP_HAND_OVER] / times;
      }
    }
  }
  return cost;
}

void dsm__stage_cost_add(dsm__stage_cost *sum, const dsm__stage_cost *more) {
  sum->forward += more->forward;
  sum->backward += more->backward;
  sum->update += more->update;
  sum->handed += more->handed;
  sum->once += more->once;
}

dsm__stage_cost dsm__stage_own_cost(const dsm_plan *plan, size_t run) {
  const double count = (double)plan->stages.count;
  const dsm__stage_cost cost =
      dsm__stage_cost_of(plan, dsm__stage_run_of(&plan->stages, plan->layer_count, run));
  return (dsm__stage_cost){.forward = cost.forward * count,
                           .backward = cost.backward * count,
                           .update = cost.update * count,
                           .handed = cost.handed * count,
                           .once = cost.once * count};
}

static void scale_cycles(dsm_pass_plan *pass, double share) {
  dsm_cycles *const cycles = &pass->cycles;
  cycles->primary *= share;
  cycles->overlapped *= share;
  cycles->overlapped_visible *= share;
  cycles->auxiliary *= share;
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    pass->group_cycles[g] *= share;
    pass->group_latency_cycles[g] *= share;
  }
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    pass->resources.cycles[b] *= share;
  }
  for (size_t k = 0; k < pass->invocation_count; k++) {
    pass->invocations[k].times *= share;
  }
  pass->ideal_cycles *= share;
  pass->hidden_cycles *= share;
  pass->accumulation_cycles *= share;
}

/* `waiting`: of each cycle of the stage, what it waits beside that. */
static void settle_pass(dsm_pass_plan *pass, double share, double waiting) {
  const double bubble = pass->cycles.total * share * waiting;
  scale_cycles(pass, share);
  pass->group_cycles[DSM_GROUP_BUBBLE] = bubble;
  pass->resources.cycles[DSM_BOUND_BUBBLE] = bubble;
  dsm__pass_sum_up(pass);
}

/* Charges the layers of a run their chips' share. */
static void settle_run(dsm_plan *plan, dsm__stage_run run, double waiting) {
  for (size_t i = run.first; i < run.end; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (plan->layers[i].passes[p].exists) {
        settle_pass(&plan->layers[i].passes[p], 1 / (double)plan->stages.count, waiting);
      }
    }
  }
}

bool dsm__stages_settle(dsm_plan *plan) {
  const dsm_stages *const stages = &plan->stages;
  const size_t count = stages->count;
  if (count <= 1) {
    return true;
  }
  dsm__stage_cost *const costs = dsm__arena_array(plan->arena, count, sizeof *costs);
  if (costs == NULL) {
    return false;
  }
  for (size_t r = 0; r < dsm__stage_run_count(stages); r++) {
    const dsm__stage_cost one =
        dsm__stage_cost_of(plan, dsm__stage_run_of(stages, plan->layer_count, r));
    dsm__stage_cost_add(&costs[r % count], &one);
  }
  const dsm__interleaving of = dsm__interleaving_of(stages, plan->micro_batches);
  const double step = dsm__stages_step_cycles(costs, &of);
  for (size_t r = 0; step >= 0 && r < dsm__stage_run_count(stages); r++) {
    const dsm__stage_cost *const cost = &costs[r % count];
    const double own = (cost->forward + cost->backward) * (double)plan->micro_batches + cost->once;
    settle_run(plan, dsm__stage_run_of(stages, plan->layer_count, r), step / own - 1);
  }
  return step >= 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rebuilt.h"

#include <check.h>

#include "plan/tied_tables.h"

/* More than any layer of the cases reads. */
enum { INPUTS_MAX = 16 };
/* The room for preloaded weights is given out in as many steps. */
enum { PRELOAD_STEPS = 32 };
/* What fits may be larger by this, relatively (reading (k)). */
static const double room_tolerance = 1e-11;

dsm_system rebuilt_torus(const dsm_plan *plan, size_t layer) {
  dsm_system system = *plan->system;
  const size_t g = plan->layers[layer].pipeline;
  if (g != DSM_NO_PIPELINE) {
    const dsm_pipeline_plan *const group = &plan->pipelines[g];
    system.system.axes[0].chips = group->columns;
    system.system.axes[1].chips = group->rows[layer - group->first_layer];
  }
  return system;
}

/* A pass of a layer, with all that its parts ask for. `machine` points to `system`. */
typedef struct subject {
  const dsm_plan *plan;
  size_t index;
  const dsm_layer *layer;
  const dsm_layer_plan *layer_plan;
  dsm_pass pass;
  const dsm_pass_plan *pass_plan;
  dsm_system system;
  dsm_machine machine;
  dsm_precision precision;
  dsm_pass_layouts layouts;
  dsm_held_tensor inputs[INPUTS_MAX];
  dsm_held_layouts held; /* points to inputs */
} subject;

/* ---- what is on chip ---- */

static size_t last_use(const dsm_layer *layer) {
  const size_t use = layer->last_use == DSM_NEVER_USED ? 0 : layer->last_use;
  const size_t operand = layer->last_operand_use == DSM_NEVER_USED ? 0 : layer->last_operand_use;
  return use > operand ? use : operand;
}

static bool are_held(const dsm_plan *plan, const size_t *layers, size_t count) {
  bool all = count > 0;
  for (size_t i = 0; i < count; i++) {
    all = all && layers[i] != DSM_NETWORK_INPUT && plan->layers[layers[i]].decisions.is_output_held;
  }
  return all;
}

static uint64_t samples_of(const subject *s) {
  return s->plan->workload->minibatch / s->layer_plan->decisions.dysm_factor;
}

static double tensor_bytes(const subject *s, uint64_t elements) {
  return dsm_tensor_chip_bytes(elements, &s->machine, s->precision, s->layouts.of[DSM_PASS_FORWARD],
                               samples_of(s));
}

/* Held tensors that live while the layer runs. */
static double held_bytes(const subject *s) {
  uint64_t elements = 0;
  for (size_t j = 0; j <= s->index; j++) {
    const dsm_layer *const layer = s->plan->layers[j].layer;
    const bool is_live = j == s->index || last_use(layer) >= s->index;
    elements += s->plan->layers[j].decisions.is_output_held && is_live ? layer->stored_size : 0;
  }
  return tensor_bytes(s, elements);
}

/* W of section 10: the preloaded weights of a core, or in a shared memory, in steps of their room.
 */
static double preloaded_bytes(const dsm_plan *plan) {
  const dsm_machine machine = dsm_machine_for(plan->system, plan->options.mode);
  const dsm_residency none = dsm_residency_none(&machine);
  double used = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const dsm_pass_plan *const pass = &layer->passes[DSM_PASS_FORWARD];
    if (layer->decisions.weights_on_chip > 0) {
      const dsm_pass_work work = dsm_pass_work_derive(
          layer->layer, &machine, dsm_precision_of(plan->workload, plan->system),
          DSM_MODE_INFERENCE, DSM_PASS_FORWARD, pass->share.parallelism, plan->workload->minibatch,
          &none);
      used += layer->decisions.weights_on_chip *
              dsm_kept_kernel_bytes(&work, &pass->invocations[0].split);
    }
  }
  const double step = dsm_preload_room_bytes(&machine) / PRELOAD_STEPS;
  int steps = 0;
  while (steps < PRELOAD_STEPS && used > steps * step * (1 + room_tolerance)) {
    steps++;
  }
  return steps * step;
}

/* With exact moves: how what the layer makes and reads lies in the cores. */
static void gather_layouts(subject *s) {
  const bool is_held = are_held(s->plan, s->layer->producers, s->layer->producer_count);
  ck_assert_uint_le(s->layer->producer_count, INPUTS_MAX);
  s->held =
      (dsm_held_layouts){.output = s->layer_plan->decisions.output_layout, .inputs = s->inputs};
  for (size_t p = 0; is_held && p < s->layer->producer_count; p++) {
    const dsm_layer_plan *const producer = &s->plan->layers[s->layer->producers[p]];
    s->inputs[s->held.input_count++] = (dsm_held_tensor){
        .layout = producer->decisions.output_layout,
        .elements = producer->layer->stored_size,
    };
  }
}

static dsm_residency residency_of(const subject *s, dsm_invocation_kind kind) {
  const dsm_plan *const plan = s->plan;
  const dsm_layer_plan *const before = s->index > 0 ? &plan->layers[s->index - 1] : NULL;
  const bool is_training = plan->options.mode == DSM_MODE_TRAINING;
  const bool is_deferred = is_training && before != NULL && before->decisions.is_output_held;
  return (dsm_residency){
      .is_input_held = are_held(plan, s->layer->producers, s->layer->producer_count),
      .is_output_held = s->layer_plan->decisions.is_output_held,
      .is_shortcut_held = are_held(plan, s->layer->shortcuts, s->layer->shortcut_count),
      .is_accumulating = kind == DSM_INVOCATION_ACCUMULATE,
      .resident_fraction =
          kind == DSM_INVOCATION_STEADY ? 1 : s->layer_plan->decisions.weights_on_chip,
      .deferred_bytes = is_deferred ? tensor_bytes(s, before->layer->stored_size) : 0,
      .scratchpad_bytes =
          dsm_scratchpad_left_bytes(&s->machine, preloaded_bytes(plan), held_bytes(s)),
      .shared_bytes = dsm_shared_left_bytes(&s->machine, preloaded_bytes(plan), held_bytes(s)),
      .is_in_shared_memory = s->machine.has_shared_memory,
      .layouts = plan->system->model.layout_move == DSM_LAYOUT_MOVE_EXACT ? &s->held : NULL,
  };
}

/* ---- what moves ---- */

static void add_list(rebuilt_pass *pass, const subject *s, const dsm_transfer_list *list,
                     double times) {
  dsm_traffic groups[DSM_GROUP_COUNT] = {{.bytes = {0}}};
  for (unsigned i = 0; i < list->count; i++) {
    const dsm_transfer_volume *const one = &list->items[i];
    for (int l = 0; l < DSM_LINK_COUNT; l++) {
      pass->bytes[one->transfer][one->axis][l] += one->traffic.bytes[l] * times;
      groups[one->group].bytes[l] += one->traffic.bytes[l];
    }
  }
  for (int g = 0; g < DSM_GROUP_VISIBLE_END; g++) {
    double slowest = 0;
    for (int l = 0; l < DSM_LINK_COUNT; l++) {
      const double cycles = groups[g].bytes[l] / s->machine.link_bytes_per_cycle[l];
      slowest = cycles > slowest ? cycles : slowest;
    }
    pass->group_cycles[g] += slowest * times;
  }
}

/* What computes, and what waits for it, of one kind of invocation. */
static double invocation_cycles(const subject *s, const dsm_invocation *invocation,
                                const dsm_transfer_list *list) {
  rebuilt_pass one = {.cycles = 0};
  add_list(&one, s, list, 1);
  const double stream = one.group_cycles[DSM_GROUP_STREAM];
  const double primary = invocation->cost.primary;
  return (stream > primary ? stream : primary) + invocation->cost.auxiliary +
         one.group_cycles[DSM_GROUP_PARTIAL_SUM] + one.group_cycles[DSM_GROUP_LAYOUT_MOVE] +
         one.group_cycles[DSM_GROUP_ROTATION] + invocation->cost.overhead;
}

static void add_invocations(rebuilt_pass *pass, const subject *s) {
  for (unsigned k = 0; k < s->pass_plan->invocation_count; k++) {
    const dsm_invocation *const invocation = &s->pass_plan->invocations[k];
    const dsm_residency residency = residency_of(s, invocation->kind);
    const dsm_pass_work work =
        dsm_pass_work_derive(s->layer, &s->machine, s->precision, s->plan->options.mode, s->pass,
                             s->pass_plan->share.parallelism, samples_of(s), &residency);
    const dsm_transfer_list list = dsm_invocation_transfers(&work, &invocation->split);
    add_list(pass, s, &list, (double)invocation->count);
    pass->group_cycles[DSM_GROUP_OVERHEAD] += invocation->cost.overhead * (double)invocation->count;
    pass->last_cycles = invocation_cycles(s, invocation, &list);
    pass->first_cycles = k == 0 ? pass->last_cycles : pass->first_cycles;
    pass->cycles += pass->last_cycles * (double)invocation->count;
  }
}

static void add_once(rebuilt_pass *pass, const subject *s, dsm_transfer transfer, dsm_group group,
                     const dsm_traffic *traffic) {
  const double before = pass->group_cycles[group];
  const dsm_transfer_list list = dsm_axis_transfers(transfer, group, traffic);
  add_list(pass, s, &list, 1);
  pass->cycles += pass->group_cycles[group] - before;
  pass->once_cycles += pass->group_cycles[group] - before;
}

/* A layer's parallelism in a pass; that of an error without backward pass is a decision. */
static dsm_parallelism layout_of(const dsm_plan *plan, size_t layer, dsm_pass pass) {
  return pass == DSM_PASS_BACKWARD ? plan->layers[layer].error_parallelism
                                   : plan->layers[layer].passes[pass].share.parallelism;
}

/* What a layer exchanges with the one that has its weights; not with a stage of a pipeline. */
static void add_tied(rebuilt_pass *pass, const subject *s) {
  const dsm_workload *const workload = s->plan->workload;
  const size_t owner = s->layer->is_tied ? dsm__tie_owner(workload, s->index) : SIZE_MAX;
  if (owner == SIZE_MAX || s->layer_plan->pipeline != DSM_NO_PIPELINE ||
      s->plan->layers[owner].pipeline != DSM_NO_PIPELINE) {
    return;
  }
  dsm_pass_layouts theirs;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    theirs.of[p] = layout_of(s->plan, owner, (dsm_pass)p);
  }
  const dsm__table_cut own = dsm__table_cut_of(s->layer, &s->machine, &s->layouts);
  const dsm__table_cut cut =
      dsm__owner_cut_seen(workload, owner, s->index,
                          dsm__table_cut_of(s->plan->layers[owner].layer, &s->machine, &theirs));
  const dsm__table_exchange exchange =
      dsm__table_exchange_derive(s->layer, &s->machine, s->precision, &cut, &own);
  for (int m = 0; m < DSM__TABLE_MOVES; m++) {
    add_once(pass, s,
             m < DSM__TABLE_GRADIENT_MOVES ? DSM_TRANSFER_TIED_GRADIENTS
                                           : DSM_TRANSFER_TIED_WEIGHTS,
             DSM_GROUP_TIED_WEIGHTS, &exchange.moves[m]);
  }
}

static void add_relayout(rebuilt_pass *pass, const subject *s, const dsm_traffic *traffic) {
  add_once(pass, s, DSM_TRANSFER_RELAYOUT, DSM_GROUP_RELAYOUT, traffic);
}

static void add_weights(rebuilt_pass *pass, const subject *s) {
  const dsm_weight_traffic weights =
      dsm_weight_traffic_derive(s->layer, &s->machine, s->precision, &s->layouts);
  add_once(pass, s, DSM_TRANSFER_SUM_OF_GRADIENTS, DSM_GROUP_SUM_OF_GRADIENTS,
           &weights.sum_of_gradients);
  add_once(pass, s, DSM_TRANSFER_BROADCAST_WEIGHTS, DSM_GROUP_BROADCAST_WEIGHTS,
           &weights.broadcast_weights);
  add_once(pass, s, DSM_TRANSFER_WEIGHT_UPDATE, DSM_GROUP_WEIGHT_UPDATE, &weights.weight_update);
}

/* Between a layer and the one before it, in the layouts of forward or of the errors. */
static void add_boundary(rebuilt_pass *pass, const subject *s, size_t later, dsm_pass layouts) {
  const dsm_plan *const plan = s->plan;
  const bool is_free = plan->layers[later - 1].pipeline != DSM_NO_PIPELINE ||
                       plan->layers[later].pipeline != DSM_NO_PIPELINE;
  const double bytes = (double)plan->workload->layers[later].carried_elements *
                       (double)plan->workload->minibatch * plan->workload->element_bytes;
  const dsm_traffic traffic = dsm_relayout_traffic(
      &s->machine, bytes, layout_of(plan, later - 1, layouts), layout_of(plan, later, layouts));
  if (!is_free) {
    add_relayout(pass, s, &traffic);
  }
}

static void add_relayouts(rebuilt_pass *pass, const subject *s) {
  const bool is_training = s->plan->options.mode == DSM_MODE_TRAINING;
  const dsm_pass errors = s->layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  if (s->pass == DSM_PASS_FORWARD && s->index > 0) {
    add_boundary(pass, s, s->index, DSM_PASS_FORWARD);
  }
  if (is_training && s->pass == errors && s->index + 1 < s->plan->layer_count) {
    add_boundary(pass, s, s->index + 1, DSM_PASS_BACKWARD);
  }
}

/* Stages pass on what they make; a stage of forward to the next, of backward to the one before. */
static void add_hand_over(rebuilt_pass *pass, const subject *s) {
  const dsm_pipeline_plan *const group = &s->plan->pipelines[s->layer_plan->pipeline];
  const size_t position = s->index - group->first_layer;
  const bool is_inner = s->pass == DSM_PASS_FORWARD    ? position + 1 < group->layer_count
                        : s->pass == DSM_PASS_BACKWARD ? position > 0
                                                       : false;
  if (is_inner) {
    const double bytes = (double)s->layer->stored_size * (double)s->plan->workload->minibatch *
                         s->precision.element_bytes / (double)s->system.system.axes[0].chips;
    pass->bytes[DSM_TRANSFER_HAND_OVER][1][DSM_LINK_AXIS + 1] = bytes * (double)s->layer->timesteps;
    pass->hand_over_cycles = bytes / s->machine.link_bytes_per_cycle[DSM_LINK_AXIS + 1];
  }
}

rebuilt_pass rebuilt_pass_of(const dsm_plan *plan, size_t layer, dsm_pass which) {
  subject s = {
      .plan = plan,
      .index = layer,
      .layer = plan->layers[layer].layer,
      .layer_plan = &plan->layers[layer],
      .pass = which,
      .pass_plan = &plan->layers[layer].passes[which],
      .system = rebuilt_torus(plan, layer),
      .precision = dsm_precision_of(plan->workload, plan->system),
  };
  s.machine = dsm_machine_for(&s.system, plan->options.mode);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    s.layouts.of[p] = layout_of(plan, layer, (dsm_pass)p);
  }
  gather_layouts(&s);
  rebuilt_pass pass = {.cycles = 0};
  add_invocations(&pass, &s);
  if (which == DSM_PASS_UPDATE) {
    add_weights(&pass, &s);
    add_tied(&pass, &s);
    const dsm_update_relayouts moves = dsm_update_relayouts_derive(
        s.layer, &s.machine, s.precision, plan->workload->minibatch, &s.layouts);
    add_relayout(&pass, &s, &moves.input);
    add_relayout(&pass, &s, &moves.error);
  }
  if (s.layer_plan->pipeline == DSM_NO_PIPELINE) {
    add_relayouts(&pass, &s);
  } else {
    add_hand_over(&pass, &s);
  }
  return pass;
}

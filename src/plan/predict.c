/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.c: from decisions to the cost of every pass, by asking the model. */
#include "base/arena.h"
#include "plan/plan_internal.h"

/* A pass being predicted: what it sends, by group, over the whole step. */
typedef struct pass_builder {
  dsm_pass_plan *pass;
  const dsm_machine *machine;
  dsm_plan_transfer transfers[DSM_TRANSFERS_MAX * DSM_LINK_COUNT];
  size_t transfer_count;
  dsm_traffic group_traffic[DSM_GROUP_COUNT];
} pass_builder;

static void add_transfers(pass_builder *builder, const dsm_transfer_list *list, double times) {
  for (unsigned i = 0; i < list->count; i++) {
    const dsm_transfer_volume *const volume = &list->items[i];
    for (int l = 0; l < DSM_LINK_COUNT; l++) {
      const double bytes = volume->traffic.bytes[l] * times;
      if (bytes > 0) {
        builder->transfers[builder->transfer_count++] = (dsm_plan_transfer){
            .transfer = volume->transfer,
            .group = volume->group,
            .link = (dsm_link)l,
            .bytes = bytes,
            .cycles = dsm_link_cycles(builder->machine, (dsm_link)l, bytes),
        };
        builder->group_traffic[volume->group].bytes[l] += bytes;
      }
    }
  }
}

/* A group that occurs once a step: its named transfers and its time. */
static void add_group(pass_builder *builder, dsm_transfer along_x, dsm_transfer along_y,
                      dsm_group group, const dsm_traffic *traffic) {
  const dsm_transfer_list list = dsm_axis_transfers(along_x, along_y, group, traffic);
  add_transfers(builder, &list, 1);
  builder->pass->group_cycles[group] += dsm_group_cycles(builder->machine, traffic);
}

static void add_update_groups(pass_builder *builder, const dsm_layer *layer,
                              dsm_precision precision, dsm_parallelism parallelism) {
  const dsm_update_traffic traffic =
      dsm_update_traffic_derive(layer, builder->machine, precision, parallelism);
  add_group(builder, DSM_TRANSFER_SUM_OF_GRADIENTS_X, DSM_TRANSFER_SUM_OF_GRADIENTS_Y,
            DSM_GROUP_SUM_OF_GRADIENTS, &traffic.sum_of_gradients);
  add_group(builder, DSM_TRANSFER_BROADCAST_WEIGHTS_X, DSM_TRANSFER_BROADCAST_WEIGHTS_Y,
            DSM_GROUP_BROADCAST_WEIGHTS, &traffic.broadcast_weights);
  add_group(builder, DSM_TRANSFER_WEIGHT_UPDATE, DSM_TRANSFER_WEIGHT_UPDATE,
            DSM_GROUP_WEIGHT_UPDATE, &traffic.weight_update);
}

static void add_relayout(pass_builder *builder, const dsm_plan *plan, size_t later_layer,
                         const dsm__layer_decision *decisions) {
  const dsm_workload *const workload = plan->workload;
  const double bytes = (double)workload->layers[later_layer].carried_elements *
                       (double)workload->minibatch * workload->element_bytes;
  const dsm_traffic traffic =
      dsm_relayout_traffic(builder->machine, bytes, decisions[later_layer - 1].parallelism,
                           decisions[later_layer].parallelism);
  add_group(builder, DSM_TRANSFER_RELAYOUT_X, DSM_TRANSFER_RELAYOUT_Y, DSM_GROUP_RELAYOUT,
            &traffic);
}

/* The largest component decides, of equals the first. */
static dsm_bound find_bound(const pass_builder *builder) {
  static const dsm_bound bound_of_link[] = {
      [DSM_LINK_X] = DSM_BOUND_LINK_X,
      [DSM_LINK_Y] = DSM_BOUND_LINK_Y,
      [DSM_LINK_MEMORY] = DSM_BOUND_MEMORY,
      [DSM_LINK_RING] = DSM_BOUND_RING,
  };
  const dsm_pass_plan *const pass = builder->pass;
  dsm_bound bound = DSM_BOUND_COMPUTE;
  double largest = pass->cycles.primary;
  if (pass->cycles.auxiliary > largest) {
    bound = DSM_BOUND_AUXILIARY;
    largest = pass->cycles.auxiliary;
  }
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    if (pass->group_cycles[g] > largest) {
      bound = bound_of_link[dsm_group_slowest_link(builder->machine, &builder->group_traffic[g])];
      largest = pass->group_cycles[g];
    }
  }
  return bound;
}

static void finish_cycles(dsm_pass_plan *pass, double times) {
  const dsm_invocation_cost *const cost = &pass->first.cost;
  dsm_cycles *const cycles = &pass->cycles;
  pass->group_cycles[DSM_GROUP_STREAM] = cost->overlapped * times;
  pass->group_cycles[DSM_GROUP_PARTIAL_SUM] = cost->partial_sum * times;
  pass->group_cycles[DSM_GROUP_ROTATION] = cost->rotation * times;
  cycles->primary = cost->primary * times;
  cycles->overlapped = cost->overlapped * times;
  cycles->overlapped_visible = cost->overlapped_visible * times;
  cycles->auxiliary = cost->auxiliary * times;
  cycles->non_overlapped = 0;
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_COUNT; g++) {
    cycles->non_overlapped += pass->group_cycles[g];
  }
  cycles->total =
      cycles->primary + cycles->overlapped_visible + cycles->auxiliary + cycles->non_overlapped;
}

/* Where the error's relayout towards the layer before is counted: section 5, "the earlier". */
static dsm_pass pass_of_error_relayout(const dsm_layer *layer) {
  return layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
}

/* The invocations of a pass and, in update, the reductions: all that does not depend on other
 * layers. */
static void build_alone(pass_builder *builder, const dsm_pass_work *work, const dsm_loops *split) {
  dsm_pass_plan *const out = builder->pass;
  const uint64_t count = dsm_invocation_count(work->layer, work->pass);
  out->exists = true;
  out->share = work->share;
  out->first = (dsm_invocation){
      .kind = DSM_INVOCATION_FIRST,
      .count = count,
      .split = *split,
      .core = dsm_core_share(work->layer, &work->share, split),
      .array = dsm_array_share(work->layer, work->machine, work->pass, &work->share, split),
      .cost = dsm_invocation_score(work, split),
  };
  const dsm_transfer_list list = dsm_invocation_transfers(work, split);
  add_transfers(builder, &list, (double)count);
  if (work->pass == DSM_PASS_UPDATE) {
    add_update_groups(builder, work->layer, work->precision, work->share.parallelism);
  }
}

static void finish(pass_builder *builder, const dsm_layer *layer, dsm_pass pass,
                   uint64_t minibatch) {
  dsm_pass_plan *const out = builder->pass;
  finish_cycles(out, (double)out->first.count);
  out->bound = find_bound(builder);
  out->ideal_cycles = dsm_ideal_cycles(layer, builder->machine, pass, minibatch);
  out->utilization = out->ideal_cycles / out->cycles.total;
}

void dsm__predict_pass_alone(dsm_pass_plan *out, const dsm_pass_work *work, const dsm_loops *split,
                             uint64_t minibatch) {
  pass_builder builder = {.pass = out, .machine = work->machine};
  build_alone(&builder, work, split);
  finish(&builder, work->layer, work->pass, minibatch);
}

static bool predict_pass(dsm_plan *plan, const dsm_machine *machine, size_t index, dsm_pass pass,
                         const dsm__layer_decision *decisions) {
  const dsm_layer *const layer = &plan->workload->layers[index];
  const uint64_t minibatch = plan->workload->minibatch;
  dsm_pass_plan *const out = &plan->layers[index].passes[pass];
  pass_builder builder = {.pass = out, .machine = machine};
  const dsm_pass_work work =
      dsm_pass_work_derive(layer, machine, dsm_precision_of(plan->workload), plan->options.mode,
                           pass, decisions[index].parallelism, minibatch);
  build_alone(&builder, &work, &decisions[index].splits[pass]);
  if (pass == DSM_PASS_FORWARD && index > 0) {
    add_relayout(&builder, plan, index, decisions);
  }
  if (plan->options.mode == DSM_MODE_TRAINING && pass == pass_of_error_relayout(layer) &&
      index + 1 < plan->layer_count) {
    add_relayout(&builder, plan, index + 1, decisions);
  }
  finish(&builder, layer, pass, minibatch);
  dsm_plan_transfer *const transfers =
      dsm__arena_array(plan->arena, builder.transfer_count, sizeof *transfers);
  if (transfers == NULL) {
    return false;
  }
  for (size_t i = 0; i < builder.transfer_count; i++) {
    transfers[i] = builder.transfers[i];
  }
  out->transfers = transfers;
  out->transfer_count = builder.transfer_count;
  return true;
}

bool dsm__plan_predict_layers(dsm_plan *plan, const dsm__layer_decision *decisions) {
  const dsm_machine machine = dsm_machine_derive(plan->system);
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer *const layer = &plan->workload->layers[i];
    plan->layers[i].layer = layer;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (dsm_pass_exists(layer, plan->options.mode, (dsm_pass)p) &&
          !predict_pass(plan, &machine, i, (dsm_pass)p, decisions)) {
        return false;
      }
    }
  }
  return true;
}

static void predict_memory(dsm_plan *plan, const dsm_machine *machine) {
  const dsm_workload *const workload = plan->workload;
  dsm_plan_memory *const memory = &plan->result.memory;
  double largest_transient = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_parallelism parallelism = plan->layers[i].passes[DSM_PASS_FORWARD].share.parallelism;
    const dsm_layer_memory one = dsm_layer_memory_derive(&workload->layers[i], machine, workload,
                                                         plan->options.mode, parallelism);
    memory->weights_bytes += one.weights_bytes;
    memory->gradients_bytes += one.gradients_bytes;
    memory->optimizer_bytes += one.optimizer_bytes;
    memory->activations_bytes += one.activations_bytes;
    largest_transient =
        one.transient_bytes > largest_transient ? one.transient_bytes : largest_transient;
  }
  if (plan->options.mode == DSM_MODE_TRAINING) {
    memory->activations_bytes += dsm_input_memory_bytes(machine, workload);
    memory->errors_bytes = largest_transient;
  } else {
    memory->activations_bytes = largest_transient;
  }
  memory->total_bytes = memory->weights_bytes + memory->activations_bytes +
                        memory->gradients_bytes + memory->errors_bytes + memory->optimizer_bytes;
  memory->capacity_bytes = plan->system->chip.memory.capacity_GB * 1e9;
}

void dsm__plan_predict_result(dsm_plan *plan) {
  const dsm_machine machine = dsm_machine_derive(plan->system);
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
      }
    }
  }
  cycles->total =
      cycles->primary + cycles->overlapped_visible + cycles->auxiliary + cycles->non_overlapped;
  result->step_cycles = cycles->total;
  result->step_seconds = cycles->total / (plan->system->core.frequency_GHz * 1e9);
  result->samples_per_second = (double)plan->workload->minibatch / result->step_seconds;
  result->utilization = result->ideal_cycles / cycles->total;
  predict_memory(plan, &machine);
}

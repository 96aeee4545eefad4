/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/pass_builder.h"

#include <string.h>

#include "plan/keeping.h"

static void add_transfers(dsm__pass_sent *sent, const dsm_transfer_list *list, double times) {
  for (unsigned i = 0; i < list->count; i++) {
    const dsm_transfer_volume *const volume = &list->items[i];
    sent->group_of[volume->transfer] = volume->group;
    for (int l = 0; l < DSM_LINK_COUNT; l++) {
      sent->bytes[volume->transfer][volume->axis][l] += volume->traffic.bytes[l] * times;
    }
  }
}

void dsm__pass_begin(dsm__pass_builder *builder, dsm_pass_plan *pass,
                     const dsm__layer_setting *setting, dsm_pass which,
                     const dsm__layer_decision *decision) {
  const dsm_parallelism parallelism = decision->layouts.of[which];
  const dsm__parts parts =
      dsm__pass_parts(setting, which, parallelism, decision->is_kernel_kept[which]);
  *pass = (dsm_pass_plan){
      .exists = true,
      .decisions = {.parallelism = parallelism, .core_split = decision->splits[which][0]},
      .invocation_count = parts.count,
  };
  *builder = (dsm__pass_builder){.pass = pass, .machine = setting->machine};
  for (unsigned i = 0; i < parts.count; i++) {
    const dsm__part *const part = &parts.items[i];
    const dsm_loops *const split = &decision->splits[which][i];
    const dsm_pass_work work = dsm__part_work(setting, which, parallelism, part);
    pass->share = i == 0 ? work.share : pass->share;
    pass->invocations[i] = (dsm_invocation){
        .kind = part->kind,
        .count = part->count,
        .split = *split,
        .core = dsm_core_share(&work.share, split),
        .array = dsm_array_share(setting->machine, dsm__part_pass(which, part), &work.share, split),
        .tile = work.tiles.tile,
        .computing = dsm_invocation_computing(&work, split),
        .cost = dsm_invocation_score(&work, split),
    };
    builder->of_one[i] = dsm_invocation_transfers(&work, split);
    builder->latency_of_one[i] = work.rotation.latency_cycles;
    builder->collective_latency_of_one[i] =
        work.collective_cycles > 0
            ? work.collective_latency_cycles *
                  (pass->invocations[i].cost.collective / work.collective_cycles)
            : 0;
    builder->sum_latency_of_one[i] = work.sum_rotation.latency_cycles;
    builder->statistics_of_one[i] = work.statistics_cycles;
    builder->resources_of_one[i] = dsm_invocation_resources(&work, split);
    add_transfers(part->kind == DSM_INVOCATION_RECOMPUTE ? &builder->again : &builder->sent,
                  &builder->of_one[i], (double)part->count);
    if (setting->machine->energy.is_known) {
      const dsm_joules of_one = dsm_invocation_energy(&work, split);
      dsm_joules_add(&pass->energy, &of_one,
                     (double)part->count * (double)work.machine->chip_count);
    }
  }
}

void dsm__pass_add_cycles(dsm__pass_builder *builder, unsigned kind, double times) {
  dsm_pass_plan *const pass = builder->pass;
  const dsm_invocation_cost *const cost = &pass->invocations[kind].cost;
  pass->invocations[kind].times += times;
  dsm_resources_add(&pass->resources, &builder->resources_of_one[kind], times);
  if (pass->invocations[kind].kind == DSM_INVOCATION_RECOMPUTE) {
    pass->group_cycles[DSM_GROUP_RECOMPUTE] += cost->total * times;
    return;
  }
  pass->cycles.primary += cost->primary * times;
  pass->cycles.overlapped += cost->overlapped * times;
  pass->cycles.overlapped_visible += cost->overlapped_visible * times;
  pass->cycles.auxiliary += cost->auxiliary * times;
  pass->group_cycles[DSM_GROUP_STREAM] += cost->overlapped * times;
  pass->group_cycles[DSM_GROUP_PARTIAL_SUM] += cost->partial_sum * times;
  pass->group_cycles[DSM_GROUP_LAYOUT_MOVE] += cost->layout_move * times;
  pass->group_cycles[DSM_GROUP_ROTATION] += cost->rotation * times;
  pass->group_cycles[DSM_GROUP_COLLECTIVE] += cost->collective * times;
  pass->group_cycles[DSM_GROUP_OVERHEAD] += cost->overhead * times;
  pass->group_latency_cycles[DSM_GROUP_STREAM] += builder->latency_of_one[kind] * times;
  pass->group_latency_cycles[DSM_GROUP_ROTATION] += builder->sum_latency_of_one[kind] * times;
  pass->group_latency_cycles[DSM_GROUP_COLLECTIVE] +=
      builder->collective_latency_of_one[kind] * times;
  pass->group_latency_cycles[DSM_GROUP_PARTIAL_SUM] += builder->statistics_of_one[kind] * times;
}

void dsm__pass_add_group(dsm__pass_builder *builder, dsm_transfer transfer, dsm_group group,
                         const dsm_traffic *traffic, double sent, double timed) {
  const dsm_transfer_list list = dsm_axis_transfers(transfer, group, traffic);
  add_transfers(&builder->sent, &list, sent);
  dsm_joules_add_traffic(&builder->pass->energy, &builder->machine->energy, traffic,
                         sent * (double)builder->machine->chip_count);
  builder->pass->group_cycles[group] += dsm_group_cycles(builder->machine, traffic) * timed;
  builder->pass->group_latency_cycles[group] += traffic->latency_cycles * timed;
  const dsm_resources resources = dsm_group_resources(builder->machine, traffic);
  dsm_resources_add(&builder->pass->resources, &resources, timed);
}

void dsm__pass_add_weight_groups(dsm__pass_builder *builder, const dsm__layer_setting *setting,
                                 const dsm_pass_layouts *layouts, double timed) {
  const dsm_weight_traffic traffic = dsm__weight_traffic(setting, layouts);
  dsm__pass_add_group(builder, DSM_TRANSFER_SUM_OF_GRADIENTS, DSM_GROUP_SUM_OF_GRADIENTS,
                      &traffic.sum_of_gradients, 1, timed);
  dsm__pass_add_group(builder, DSM_TRANSFER_BROADCAST_WEIGHTS, DSM_GROUP_BROADCAST_WEIGHTS,
                      &traffic.broadcast_weights, 1, timed);
  dsm__pass_add_group(builder, DSM_TRANSFER_WEIGHT_UPDATE, DSM_GROUP_WEIGHT_UPDATE,
                      &traffic.weight_update, 1, timed);
  const dsm__table_exchange tied = dsm__tied_exchange(setting, layouts);
  for (int m = 0; m < DSM__TABLE_MOVES; m++) {
    dsm__pass_add_group(builder,
                        m < DSM__TABLE_GRADIENT_MOVES ? DSM_TRANSFER_TIED_GRADIENTS
                                                      : DSM_TRANSFER_TIED_WEIGHTS,
                        DSM_GROUP_TIED_WEIGHTS, &tied.moves[m], 1, timed);
  }
  const dsm_traffic added = dsm__accumulation_traffic(setting, layouts);
  builder->pass->accumulation_cycles = dsm_group_cycles(builder->machine, &added) * timed;
}

void dsm__pass_add_gathering(dsm__pass_builder *builder, const dsm__layer_setting *setting,
                             const dsm_pass_layouts *layouts, dsm_pass which) {
  const dsm_traffic gathered = dsm__gathered_weights(setting, layouts, which);
  const double cycles = dsm_group_cycles(builder->machine, &gathered);
  if (!(cycles > 0)) {
    return;
  }
  double pass_cycles = 0;
  for (unsigned i = 0; i < builder->pass->invocation_count; i++) {
    const dsm_invocation *const invocation = &builder->pass->invocations[i];
    pass_cycles += (double)invocation->count * invocation->cost.total;
  }
  const double visible = dsm__gathering_cycles(setting, layouts, which, pass_cycles);
  dsm__pass_add_group(builder, DSM_TRANSFER_BROADCAST_WEIGHTS, DSM_GROUP_BROADCAST_WEIGHTS,
                      &gathered, 1, visible / cycles);
  builder->pass->group_latency_cycles[DSM_GROUP_BROADCAST_WEIGHTS] =
      gathered.latency_cycles; /* hidden ones too */
  builder->pass->hidden_cycles = cycles - visible;
}

void dsm__pass_add_operations_again(dsm__pass_builder *builder, const dsm__layer_setting *setting,
                                    const dsm_pass_layouts *layouts, dsm_pass which) {
  const dsm__operations_again again =
      dsm__operations_made_again(setting, layouts->of[which], which);
  builder->pass->group_cycles[DSM_GROUP_RECOMPUTE] += again.cycles * again.count;
  dsm_resources_add(&builder->pass->resources, &again.resources, again.count);
}

void dsm__pass_add_update_relayouts(dsm__pass_builder *builder, const dsm__layer_setting *setting,
                                    const dsm_pass_layouts *layouts) {
  const dsm_update_relayouts moves = dsm_update_relayouts_derive(
      setting->layer, setting->machine, setting->precision, setting->minibatch, layouts);
  const double times = setting->micro_batches > 0 ? (double)setting->micro_batches : 1;
  dsm__pass_add_group(builder, DSM_TRANSFER_RELAYOUT, DSM_GROUP_RELAYOUT, &moves.input, times,
                      times);
  dsm__pass_add_group(builder, DSM_TRANSFER_RELAYOUT, DSM_GROUP_RELAYOUT, &moves.error, times,
                      times);
}

void dsm__pass_sum_up(dsm_pass_plan *pass) {
  dsm_cycles *const cycles = &pass->cycles;
  cycles->non_overlapped = 0;
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_VISIBLE_END; g++) {
    cycles->non_overlapped += pass->group_cycles[g];
  }
  cycles->total =
      cycles->primary + cycles->overlapped_visible + cycles->auxiliary + cycles->non_overlapped;
  pass->bound = dsm_resources_bound(&pass->resources);
  pass->utilization = pass->ideal_cycles / cycles->total;
}

void dsm__pass_end(dsm__pass_builder *builder, const dsm__layer_setting *setting, dsm_pass which) {
  builder->pass->ideal_cycles = dsm__ideal_cycles_of(setting, which);
  dsm__pass_sum_up(builder->pass);
}

static const char *name_of_axis(const dsm_network *network, unsigned axis) {
  const bool is_named = network->topology == DSM_TOPOLOGY_AXES && axis < network->axis_count;
  return is_named ? network->axes[axis].name : NULL;
}

/* Puts what a transfer has on each link at the end of a list with room for it. */
static void put_links(dsm_plan_transfer *list, size_t *count, const dsm_machine *machine,
                      const dsm_transfer_volume *volume) {
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    const double bytes = volume->traffic.bytes[l];
    if (bytes > 0) {
      list[(*count)++] = (dsm_plan_transfer){
          .transfer = volume->transfer,
          .axis = volume->axis,
          .group = volume->group,
          .link = (dsm_link)l,
          .bytes = bytes,
          .cycles = dsm_link_cycles(machine, (dsm_link)l, bytes),
          .axis_name = name_of_axis(&machine->system->system, volume->axis),
      };
    }
  }
}

static size_t links_with_bytes(const double bytes[DSM_LINK_COUNT]) {
  size_t count = 0;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    count += bytes[l] > 0;
  }
  return count;
}

static bool keep_of_one(const dsm__pass_builder *builder, unsigned kind, dsm__arena *arena) {
  const dsm_transfer_list *const list = &builder->of_one[kind];
  dsm_invocation *const invocation = &builder->pass->invocations[kind];
  size_t count = 0;
  for (unsigned i = 0; i < list->count; i++) {
    count += links_with_bytes(list->items[i].traffic.bytes);
  }
  dsm_plan_transfer *const transfers = dsm__arena_array(arena, count, sizeof *transfers);
  if (transfers == NULL) {
    return false;
  }
  invocation->transfers = transfers;
  invocation->transfer_count = 0;
  for (unsigned i = 0; i < list->count; i++) {
    put_links(transfers, &invocation->transfer_count, builder->machine, &list->items[i]);
  }
  return true;
}

static size_t count_links(const dsm__pass_sent *sent) {
  size_t count = 0;
  for (int t = 0; t < DSM_TRANSFER_COUNT; t++) {
    for (unsigned a = 0; a <= DSM_NO_AXIS; a++) {
      count += links_with_bytes(sent->bytes[t][a]);
    }
  }
  return count;
}

/* With another group than their own: `group`, or DSM_GROUP_COUNT. */
static void put_sent(dsm_plan_transfer *list, size_t *count, const dsm_machine *machine,
                     const dsm__pass_sent *sent, dsm_group group) {
  for (int t = 0; t < DSM_TRANSFER_COUNT; t++) {
    for (unsigned a = 0; a <= DSM_NO_AXIS; a++) {
      dsm_transfer_volume volume = {.transfer = (dsm_transfer)t,
                                    .axis = a,
                                    .group = group == DSM_GROUP_COUNT ? sent->group_of[t] : group};
      memcpy(volume.traffic.bytes, sent->bytes[t][a], sizeof volume.traffic.bytes);
      put_links(list, count, machine, &volume);
    }
  }
}

bool dsm__pass_keep_transfers(const dsm__pass_builder *builder, dsm__arena *arena) {
  const size_t count = count_links(&builder->sent) + count_links(&builder->again);
  dsm_plan_transfer *const transfers = dsm__arena_array(arena, count, sizeof *transfers);
  if (transfers == NULL) {
    return false;
  }
  builder->pass->transfers = transfers;
  builder->pass->transfer_count = 0;
  size_t *const put = &builder->pass->transfer_count;
  put_sent(transfers, put, builder->machine, &builder->sent, DSM_GROUP_COUNT);
  put_sent(transfers, put, builder->machine, &builder->again, DSM_GROUP_RECOMPUTE);
  for (unsigned kind = 0; kind < builder->pass->invocation_count; kind++) {
    if (!keep_of_one(builder, kind, arena)) {
      return false;
    }
  }
  return true;
}

dsm_link dsm__pass_stream_link(const dsm__pass_builder *builder) {
  dsm_traffic stream = {.latency_cycles = 0};
  for (int t = 0; t < DSM_TRANSFER_COUNT; t++) {
    for (unsigned a = 0; builder->sent.group_of[t] == DSM_GROUP_STREAM && a <= DSM_NO_AXIS; a++) {
      for (int l = 0; l < DSM_LINK_COUNT; l++) {
        stream.bytes[l] += builder->sent.bytes[t][a][l];
      }
    }
  }
  return dsm_group_slowest_link(builder->machine, &stream);
}

void dsm__pass_predict_alone(dsm__pass_builder *builder, dsm_pass_plan *pass,
                             const dsm__layer_setting *setting, dsm_pass which,
                             const dsm__layer_decision *decision) {
  dsm__pass_begin(builder, pass, setting, which, decision);
  for (unsigned i = 0; i < pass->invocation_count; i++) {
    dsm__pass_add_cycles(builder, i, (double)pass->invocations[i].count);
  }
  dsm__pass_add_gathering(builder, setting, &decision->layouts, which);
  dsm__pass_add_operations_again(builder, setting, &decision->layouts, which);
  if (which == DSM_PASS_UPDATE) {
    dsm__pass_add_weight_groups(builder, setting, &decision->layouts, 1);
    dsm__pass_add_update_relayouts(builder, setting, &decision->layouts);
  }
  dsm__pass_end(builder, setting, which);
}

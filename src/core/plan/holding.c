/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/holding.h"

#include <string.h>

#include "model/chip_link.h"
#include "model/equations.h"
#include "plan/keeping.h"
#include "plan/role_flow.h"
#include "plan/tolerance.h"

size_t dsm__last_use(const dsm_layer *layer) {
  const size_t use = layer->last_use;
  const size_t operand_use = layer->last_operand_use;
  if (use == DSM_NEVER_USED || operand_use == DSM_NEVER_USED) {
    return use == DSM_NEVER_USED ? operand_use : use;
  }
  return use > operand_use ? use : operand_use;
}

/* Are all of these layers' outputs held? False for none, and for the network's input. */
static bool are_all_held(const dsm__layer_decision *layers, const size_t *indices, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (indices[i] == DSM_NETWORK_INPUT || !layers[indices[i]].layer.is_output_held) {
      return false;
    }
  }
  return count > 0;
}

/* The layouts of what is held around a layer, where outputs have layouts. False if out of memory.
 */
static bool derive_layouts(const dsm_workload *workload, const dsm__decisions *decisions,
                           size_t index, dsm__holding *holding, dsm__arena *arena) {
  const dsm_layer *const layer = &workload->layers[index];
  const dsm__layer_decision *const layers = decisions->layers;
  const size_t input_count = holding->is_input_held ? layer->producer_count : 0;
  const size_t first =
      holding->is_output_held ? index : (input_count > 0 ? layer->producers[0] : 0);
  if ((!holding->is_output_held && input_count == 0) ||
      layers[first].layer.output_layout.features == 0) {
    return true;
  }
  dsm_held_layouts *const layouts = dsm__arena_alloc(arena, sizeof *layouts);
  dsm_held_tensor *const inputs = dsm__arena_array(arena, input_count, sizeof *inputs);
  if (layouts == NULL || inputs == NULL) {
    return false;
  }
  for (size_t i = 0; i < input_count; i++) {
    const size_t producer = layer->producers[i];
    inputs[i] = (dsm_held_tensor){layers[producer].layer.output_layout,
                                  workload->layers[producer].stored_size};
  }
  *layouts = (dsm_held_layouts){layers[index].layer.output_layout, inputs, input_count};
  holding->layouts = layouts;
  return true;
}

/* The word or roles under which a tensor lies so. */
static dsm_parallelism lying_in(const dsm_layouts *layouts, unsigned axis_count) {
  dsm_roles roles = {{DSM__ROLE_DEFAULT}};
  for (unsigned a = 0; a < axis_count; a++) {
    roles.of[a] = dsm__role_lying(layouts->of[a]);
  }
  return dsm_parallelism_of(&roles, axis_count);
}

/*
 * Source: section 7. Symbols: mbc = ceil(S / nD), nF, s = ceil(rows / nS) / rows of the layer that
 * makes it. Limits: N along all axes: all of it.
 */
dsm__held_share dsm__held_share_of(const dsm_layer *layer, const dsm_machine *machine,
                                   const dsm_layouts *layouts, uint64_t samples) {
  const dsm_parallelism lying = lying_in(layouts, machine->system->system.axis_count);
  const dsm_chip_share share = dsm_chip_share_derive(layer, machine, lying, samples);
  return (dsm__held_share){share.chip.n[DSM_DIM_MB], share.stored_ways, share.position_share};
}

static bool is_same_share(const dsm__held_share *a, const dsm__held_share *b) {
  return a->samples == b->samples && a->ways == b->ways &&
         !(a->position_share < b->position_share) && !(a->position_share > b->position_share);
}

static double latest_bytes(const dsm__held_sum *sum, double element_bytes) {
  return sum->elements == 0
             ? 0
             : (double)sum->elements * (double)sum->share.samples / (double)sum->share.ways *
                   element_bytes * sum->share.position_share;
}

void dsm__held_sum_add(dsm__held_sum *sum, uint64_t elements, const dsm__held_share *share,
                       double element_bytes) {
  if (!is_same_share(&sum->share, share)) {
    sum->bytes += latest_bytes(sum, element_bytes);
    sum->share = *share;
    sum->elements = 0;
  }
  sum->elements += elements;
}

double dsm__held_sum_bytes(const dsm__held_sum *sum, double element_bytes) {
  return sum->bytes + latest_bytes(sum, element_bytes);
}

/* Of tensors that lie as layers with roles made them: the bytes of each. False if out of memory. */
static bool derive_bytes(const dsm_workload *workload, const dsm_machine *machine,
                         const dsm__decisions *decisions, dsm__holding *holdings,
                         dsm__arena *arena) {
  const double element_bytes = dsm_precision_of(workload, machine->system).element_bytes;
  const uint64_t minibatch = workload->minibatch / dsm__micro_batches(decisions);
  dsm__held_sum *sums = NULL;
  if (!DSM__RESERVE(arena, sums, workload->layer_count)) {
    return false;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm__layer_decision *const maker = &decisions->layers[i];
    const dsm_layer *const layer = &workload->layers[i];
    if (!maker->layer.is_output_held) {
      continue;
    }
    const dsm_layouts layouts = dsm_output_layouts(maker->layouts.of[DSM_PASS_FORWARD]);
    const dsm__held_share share =
        dsm__held_share_of(layer, machine, &layouts, minibatch / maker->layer.dysm_factor);
    const size_t last = dsm__last_use(layer);
    for (size_t k = i; k <= last && k < workload->layer_count; k++) {
      dsm__held_sum_add(&sums[k], layer->stored_size, &share, element_bytes);
    }
    if (i + 1 < workload->layer_count) {
      dsm__held_sum own = {.elements = 0};
      dsm__held_sum_add(&own, layer->stored_size, &share, element_bytes);
      holdings[i + 1].deferred_bytes = dsm__held_sum_bytes(&own, element_bytes);
    }
  }
  for (size_t k = 0; k < workload->layer_count; k++) {
    holdings[k].held_bytes = dsm__held_sum_bytes(&sums[k], element_bytes);
  }
  return true;
}

bool dsm__holdings_derive(const dsm_workload *workload, const dsm_machine *machine,
                          const dsm__decisions *decisions, dsm__holding *holdings,
                          dsm__arena *arena) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    holdings[i] = (dsm__holding){
        .is_input_held = are_all_held(decisions->layers, layer->producers, layer->producer_count),
        .is_output_held = decisions->layers[i].layer.is_output_held,
        .is_shortcut_held =
            are_all_held(decisions->layers, layer->shortcuts, layer->shortcut_count),
    };
    if (!derive_layouts(workload, decisions, i, &holdings[i], arena)) {
      return false;
    }
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (decisions->layers[i].layer.is_output_held) {
      const uint64_t elements = workload->layers[i].stored_size;
      const size_t last = dsm__last_use(&workload->layers[i]);
      for (size_t k = i; k <= last && k < workload->layer_count; k++) {
        holdings[k].held_elements += elements;
      }
      if (i + 1 < workload->layer_count) {
        holdings[i + 1].deferred_elements = elements;
      }
    }
  }
  return !dsm__has_roles(workload, decisions) ||
         derive_bytes(workload, machine, decisions, holdings, arena);
}

static bool is_same_layout(const dsm_core_layout *a, const dsm_core_layout *b) {
  return a->features == b->features && a->ij == b->ij && a->mb == b->mb;
}

static bool are_same_layouts(const dsm_held_layouts *a, const dsm_held_layouts *b) {
  if (a == NULL || b == NULL) {
    return a == b;
  }
  bool is_same = is_same_layout(&a->output, &b->output) && a->input_count == b->input_count;
  for (size_t i = 0; is_same && i < a->input_count; i++) {
    is_same = is_same_layout(&a->inputs[i].layout, &b->inputs[i].layout) &&
              a->inputs[i].elements == b->inputs[i].elements;
  }
  return is_same;
}

bool dsm__is_same_holding(const dsm__holding *a, const dsm__holding *b) {
  return a->is_input_held == b->is_input_held && a->is_output_held == b->is_output_held &&
         a->is_shortcut_held == b->is_shortcut_held && a->held_elements == b->held_elements &&
         a->deferred_elements == b->deferred_elements && !(a->held_bytes < b->held_bytes) &&
         !(a->held_bytes > b->held_bytes) && !(a->deferred_bytes < b->deferred_bytes) &&
         !(a->deferred_bytes > b->deferred_bytes) && are_same_layouts(a->layouts, b->layouts);
}

static uint64_t samples_of(const dsm__layer_setting *setting) {
  return setting->minibatch / setting->dysm_factor;
}

double dsm__held_bytes(const dsm__layer_setting *setting, dsm_parallelism parallelism) {
  if (setting->holding.held_bytes > 0) {
    return setting->holding.held_bytes;
  }
  return dsm_tensor_chip_bytes(setting->holding.held_elements, setting->machine, setting->precision,
                               parallelism, samples_of(setting));
}

double dsm__holding_needed_bytes(const dsm__layer_setting *setting, dsm_parallelism parallelism) {
  double unpooled = 0;
  if (setting->layer->pool_window > 0) {
    dsm_precision own = setting->precision;
    own.element_bytes = dsm__stated_bytes(setting->layer->bytes.output, own.element_bytes);
    const dsm_chip_share share =
        dsm_chip_share_derive(setting->layer, setting->machine, parallelism, samples_of(setting));
    unpooled = (double)setting->layer->output_elements * (double)share.chip.n[DSM_DIM_MB] /
               (double)share.raw_ways * own.element_bytes * share.position_share;
  }
  return dsm__held_bytes(setting, parallelism) + unpooled;
}

bool dsm__holding_fits(const dsm__layer_setting *setting, dsm_parallelism parallelism) {
  return dsm__holding_needed_bytes(setting, parallelism) <=
         dsm__capacity_limit(dsm_held_limit_bytes(setting->machine, setting->preloaded_bytes));
}

double dsm__holding_excess_bytes(const dsm__layer_setting *setting, dsm_parallelism parallelism) {
  return dsm__holding_needed_bytes(setting, parallelism) -
         dsm_held_limit_bytes(setting->machine, setting->preloaded_bytes);
}

static dsm_residency residency_of(const dsm__layer_setting *setting, dsm_parallelism parallelism) {
  const dsm__holding *const holding = &setting->holding;
  const dsm_machine *const machine = setting->machine;
  const double held_bytes = dsm__held_bytes(setting, parallelism);
  dsm_residency residency = {
      .is_input_held = holding->is_input_held,
      .is_output_held = holding->is_output_held,
      .is_shortcut_held = holding->is_shortcut_held,
      .is_moving_free = holding->is_moving_free,
      .layouts = holding->layouts,
      .resident_fraction = setting->resident_fraction,
      .scratchpad_bytes = dsm_scratchpad_left_bytes(machine, setting->preloaded_bytes, held_bytes),
      .shared_bytes = dsm_shared_left_bytes(machine, setting->preloaded_bytes, held_bytes),
      .is_in_shared_memory = machine->has_shared_memory,
  };
  if (setting->mode == DSM_MODE_TRAINING) {
    residency.deferred_bytes =
        holding->deferred_bytes > 0
            ? holding->deferred_bytes
            : dsm_tensor_chip_bytes(holding->deferred_elements, machine, setting->precision,
                                    parallelism, samples_of(setting));
  }
  return residency;
}

/* Memory traffic of a weight in each micro-batch, where their gradients add up by an operation of
 * its own. */
static double accumulation_bytes_per_weight(const dsm__layer_setting *setting) {
  return dsm__micro_batches_of(setting) > 1
             ? setting->machine->system->model.accumulate_memory_bytes
             : 0;
}

/* Without timesteps: one invocation for each spatial minibatch of each micro-batch, whose gradients
 * add up alike. */
static dsm__parts spatial_parts(const dsm__layer_setting *setting, dsm_pass pass,
                                const dsm_residency *residency) {
  const dsm_assumptions *const model = &setting->machine->system->model;
  const uint64_t factor = setting->dysm_factor * dsm__micro_batches_of(setting);
  const uint64_t count = dsm_invocation_count(setting->layer, pass) * factor;
  if (pass != DSM_PASS_UPDATE || factor == 1) {
    return (dsm__parts){{{.kind = DSM_INVOCATION_FIRST, .count = count, .residency = *residency}},
                        1};
  }
  const uint64_t adding =
      dsm__adding_updates(model, setting->dysm_factor, dsm__micro_batches_of(setting));
  if (adding == 0) {
    return (dsm__parts){{{.kind = DSM_INVOCATION_WRITE, .count = count, .residency = *residency}},
                        1};
  }
  dsm_residency accumulating = *residency;
  accumulating.is_accumulating = true;
  return (dsm__parts){
      {{.kind = DSM_INVOCATION_WRITE, .count = factor - adding, .residency = *residency},
       {.kind = DSM_INVOCATION_ACCUMULATE, .count = adding, .residency = accumulating}},
      2};
}

/* With timesteps: one invocation for each of them. */
static dsm__parts timestep_parts(const dsm__layer_setting *setting, dsm_pass pass,
                                 const dsm_residency *residency, bool is_kernel_kept) {
  const uint64_t count =
      dsm_invocation_count(setting->layer, pass) * dsm__micro_batches_of(setting);
  if (!is_kernel_kept) {
    return (dsm__parts){{{.kind = DSM_INVOCATION_FIRST, .count = count, .residency = *residency}},
                        1};
  }
  dsm_residency steady = *residency;
  steady.resident_fraction = 1;
  const uint64_t firsts = count / setting->layer->timesteps;
  return (dsm__parts){
      {{.kind = DSM_INVOCATION_FIRST, .count = firsts, .residency = *residency},
       {.kind = DSM_INVOCATION_STEADY, .count = count - firsts, .residency = steady}},
      2};
}

/* Without the input's products, which one more invocation has; an update of all timesteps is one,
 * and with micro-batches all of these add to what is in memory, the first too, as those of single
 * timesteps do. */
static dsm__parts hoisted_parts(const dsm__layer_setting *setting, dsm_pass pass,
                                dsm_parallelism parallelism, const dsm_residency *residency,
                                bool is_kernel_kept) {
  const dsm_layer *const loops = setting->layer->hoisted;
  const bool is_update = pass == DSM_PASS_UPDATE;
  const uint64_t all =
      dsm_hoisted_samples(setting->layer, setting->machine, parallelism, setting->minibatch);
  dsm_residency of_pass = *residency;
  of_pass.is_accumulating = is_update && dsm__adding_updates(&setting->machine->system->model, 1,
                                                             dsm__micro_batches_of(setting)) > 0;
  dsm__parts parts = timestep_parts(setting, pass, &of_pass, is_kernel_kept && !is_update);
  for (unsigned i = 0; i < parts.count; i++) {
    parts.items[i].count = is_update ? dsm__micro_batches_of(setting) : parts.items[i].count;
    parts.items[i].layer = &loops[is_update ? DSM_HOISTED_GRADIENT : DSM_HOISTED_STEP];
    parts.items[i].samples = is_update ? all : setting->minibatch;
  }
  parts.items[parts.count++] = (dsm__part){.kind = DSM_INVOCATION_HOISTED,
                                           .count = dsm__micro_batches_of(setting),
                                           .residency = of_pass,
                                           .layer = &loops[DSM_HOISTED_INPUT],
                                           .samples = all};
  return parts;
}

/* The forward pass again, before the first of the passes that read what it makes. */
static void add_recomputing(const dsm__layer_setting *setting, dsm_parallelism parallelism,
                            dsm__parts *parts) {
  dsm_residency residency = residency_of(setting, parallelism);
  residency.gathered_axes = setting->gathered_before;
  const dsm__parts forward = spatial_parts(setting, DSM_PASS_FORWARD, &residency);
  parts->items[parts->count] = forward.items[0];
  parts->items[parts->count++].kind = DSM_INVOCATION_RECOMPUTE;
}

dsm__parts dsm__pass_parts(const dsm__layer_setting *setting, dsm_pass pass,
                           dsm_parallelism parallelism, bool is_kernel_kept) {
  dsm_residency residency = residency_of(setting, parallelism);
  const dsm_axis_set shared[DSM_PASS_COUNT] = {
      [DSM_PASS_FORWARD] = setting->gathered_before,
      [DSM_PASS_BACKWARD] = setting->summed_later,
      [DSM_PASS_UPDATE] = setting->gathered_in_update,
  };
  residency.gathered_axes = shared[pass];
  residency.is_error_apart = setting->is_error_apart;
  if (setting->is_hoisted && setting->layer->hoisted != NULL) {
    return hoisted_parts(setting, pass, parallelism, &residency, is_kernel_kept);
  }
  dsm__parts parts = setting->layer->timesteps == 1
                         ? spatial_parts(setting, pass, &residency)
                         : timestep_parts(setting, pass, &residency, is_kernel_kept);
  if (dsm__is_recomputed_before(setting, pass)) {
    add_recomputing(setting, parallelism, &parts);
  }
  for (unsigned i = 0; i < parts.count; i++) {
    parts.items[i].layer = setting->layer;
    parts.items[i].samples = samples_of(setting);
  }
  return parts;
}

dsm_pass_work dsm__part_work(const dsm__layer_setting *setting, dsm_pass pass,
                             dsm_parallelism parallelism, const dsm__part *part) {
  return dsm_pass_work_derive(part->layer, setting->machine, setting->precision, setting->mode,
                              dsm__part_pass(pass, part), parallelism, part->samples,
                              &part->residency);
}

double dsm__ideal_cycles_of(const dsm__layer_setting *setting, dsm_pass pass) {
  const double rate = dsm__pass_array_rate(setting->layer, setting->machine->system,
                                           &setting->precision, setting->mode, pass);
  return dsm_ideal_cycles(setting->layer, setting->machine, rate, pass,
                          setting->minibatch * dsm__micro_batches_of(setting));
}

double dsm__preloaded_weight_bytes(const dsm_workload *workload, const dsm_machine *machine,
                                   const dsm__decisions *decisions) {
  double bytes = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm__layer_decision *const decision = &decisions->layers[i];
    if (decision->layer.weights_on_chip > 0) {
      const dsm_residency residency = dsm_residency_none(machine);
      const dsm_pass_work work = dsm_pass_work_derive(
          &workload->layers[i], machine, dsm_precision_of(workload, machine->system),
          DSM_MODE_INFERENCE, DSM_PASS_FORWARD, decision->layouts.of[DSM_PASS_FORWARD],
          workload->minibatch, &residency);
      bytes += decision->layer.weights_on_chip *
               dsm_kept_kernel_bytes(&work, &decision->splits[DSM_PASS_FORWARD][0]);
    }
  }
  return bytes;
}

double dsm__preloaded_bytes(const dsm_workload *workload, const dsm_machine *machine,
                            const dsm__decisions *decisions) {
  const double bytes = dsm__preloaded_weight_bytes(workload, machine, decisions);
  const double step = dsm_preload_room_bytes(machine) / DSM__PRELOAD_STEPS;
  int steps = 0;
  while (steps < DSM__PRELOAD_STEPS && bytes > dsm__capacity_limit(steps * step)) {
    steps++;
  }
  return steps * step;
}

bool dsm__kernel_can_stay(const dsm_pass_work *work, const dsm_loops *split) {
  const double room = dsm_kept_room_bytes(work->machine, &work->residency);
  const double limit = dsm_resident_kernel_limit_bytes(work->machine, work->pass, room);
  return dsm_kept_kernel_bytes(work, split) <= dsm__capacity_limit(limit);
}

/* What a layer with an update pass moves once a step beside its invocations. */
enum { WEIGHTS_COUNT = 3, UNTIED_COUNT = 5, ONCE_COUNT = UNTIED_COUNT + DSM__TABLE_MOVES };
typedef struct moved_once {
  dsm_traffic groups[ONCE_COUNT];
} moved_once;

static void repeat(dsm_traffic *traffic, double times) {
  traffic->latency_cycles *= times;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    traffic->bytes[l] *= times;
  }
}

/*
 * Source: section 8; S: gradient accumulation of frameworks. Symbols: n *
 * model.accumulate_memory_bytes * w_el/nm, of shared gradients / W. Limits: one micro-batch, a
 * layer without weights of its own: 0.
 */
dsm_traffic dsm__accumulation_traffic(const dsm__layer_setting *setting,
                                      const dsm_pass_layouts *layouts) {
  const dsm_layer *const layer = setting->layer;
  dsm_traffic traffic = {.latency_cycles = 0};
  if (layer->is_tied || !(accumulation_bytes_per_weight(setting) > 0)) {
    return traffic;
  }
  const dsm_network *const network = &setting->machine->system->system;
  const dsm_parallelism update = layouts->of[DSM_PASS_UPDATE];
  const dsm_chip_share share =
      dsm_chip_share_derive(layer, setting->machine, update, setting->minibatch);
  const double shard_ways = setting->shard >= DSM_SHARDING_GRADIENTS
                                ? dsm__chips_of(network, dsm__summing_axes(layer, network, update))
                                : 1;
  const double bytes = (double)dsm__micro_batches_of(setting) *
                       accumulation_bytes_per_weight(setting) * (double)layer->weight_elements /
                       (double)share.weight_ways / shard_ways;
  dsm__add_auxiliary_traffic(setting->machine, &traffic, bytes);
  return traffic;
}

static double hidden_of(const dsm__layer_setting *setting, dsm_pass pass) {
  return setting->reductions == NULL ? 0 : setting->reductions->hidden[pass];
}

double dsm__counted_share(const dsm__layer_setting *setting, dsm_pass pass) {
  return 1 - hidden_of(setting, pass) / (double)dsm__micro_batches_of(setting);
}

dsm_weight_traffic dsm__weight_traffic(const dsm__layer_setting *setting,
                                       const dsm_pass_layouts *layouts) {
  dsm_weight_traffic traffic =
      dsm__sharded_weight_traffic(setting->layer, setting->machine, setting->precision, layouts,
                                  dsm__is_update_sharded(setting->machine, setting->shard));
  if (setting->shard >= DSM_SHARDING_WEIGHTS) {
    traffic.broadcast_weights = (dsm_traffic){.latency_cycles = 0};
  }
  const dsm_traffic added = dsm__accumulation_traffic(setting, layouts);
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    traffic.weight_update.bytes[l] += added.bytes[l];
  }
  if (setting->reductions != NULL) {
    dsm__share_reductions(&traffic, setting->reductions);
  }
  if (setting->shard >= DSM_SHARDING_GRADIENTS && hidden_of(setting, DSM_PASS_BACKWARD) == 0) {
    /* else sums of earlier micro-batches hide as those of the last one may */
    repeat(&traffic.sum_of_gradients, (double)dsm__micro_batches_of(setting));
  }
  return traffic;
}

dsm__table_exchange dsm__tied_exchange(const dsm__layer_setting *setting,
                                       const dsm_pass_layouts *layouts) {
  const dsm__table_cut own = dsm__table_cut_of(setting->layer, setting->machine, layouts);
  dsm__table_exchange exchange = dsm__table_exchange_derive(
      setting->layer, setting->machine, setting->precision, &setting->owner, &own);
  for (int m = 0; m < DSM__TABLE_MOVES; m++) {
    repeat(&exchange.moves[m], 1 - hidden_of(setting, DSM_PASS_UPDATE));
  }
  return exchange;
}

double dsm__tied_exchange_cycles(const dsm__layer_setting *setting,
                                 const dsm_pass_layouts *layouts) {
  const dsm__table_exchange exchange = dsm__tied_exchange(setting, layouts);
  double cycles = 0;
  for (int m = 0; m < DSM__TABLE_MOVES; m++) {
    cycles += dsm_group_price(setting->machine, &exchange.moves[m]);
  }
  return cycles;
}

static moved_once moved_once_of(const dsm__layer_setting *setting,
                                const dsm_pass_layouts *layouts) {
  const dsm_weight_traffic weights = dsm__weight_traffic(setting, layouts);
  const dsm_update_relayouts moves = dsm_update_relayouts_derive(
      setting->layer, setting->machine, setting->precision, setting->minibatch, layouts);
  const dsm__table_exchange tied = dsm__tied_exchange(setting, layouts);
  moved_once moved = {{weights.sum_of_gradients, weights.broadcast_weights, weights.weight_update,
                       moves.input, moves.error}};
  for (int i = WEIGHTS_COUNT; i < UNTIED_COUNT; i++) {
    repeat(&moved.groups[i], dsm__counted_share(setting, DSM_PASS_UPDATE));
  }
  memcpy(&moved.groups[UNTIED_COUNT], tied.moves, sizeof tied.moves);
  return moved;
}

double dsm__once_cycles(const dsm__layer_setting *setting, const dsm_pass_layouts *layouts) {
  if (!dsm_pass_exists(setting->layer, setting->mode, DSM_PASS_UPDATE)) {
    return 0;
  }
  const dsm_machine *const machine = setting->machine;
  const moved_once moved = moved_once_of(setting, layouts);
  double cycles = 0;
  for (int i = 0; i < ONCE_COUNT; i++) {
    cycles += dsm_group_cycles(machine, &moved.groups[i]);
  }
  if (!machine->is_weighed) {
    return cycles;
  }
  dsm__layer_setting alone = *setting; /* what is shared or hides takes its energy all the same */
  alone.reductions = NULL;
  const moved_once all = moved_once_of(&alone, layouts);
  double joules = 0;
  for (int i = 0; i < ONCE_COUNT; i++) {
    joules += dsm_traffic_joules(&machine->energy, &all.groups[i]);
  }
  return machine->weights.cycles * cycles + machine->weights.joules * joules;
}

dsm__once_parts dsm__once_parts_of(const dsm__layer_setting *setting,
                                   const dsm_pass_layouts *layouts) {
  if (!dsm_pass_exists(setting->layer, setting->mode, DSM_PASS_UPDATE)) {
    return (dsm__once_parts){0, 0};
  }
  const dsm_weight_traffic weights = dsm__weight_traffic(setting, layouts);
  const dsm_traffic added = dsm__accumulation_traffic(setting, layouts);
  dsm__once_parts parts = {dsm_group_cycles(setting->machine, &added),
                           weights.broadcast_weights.latency_cycles};
  if (setting->shard < DSM_SHARDING_GRADIENTS || dsm__micro_batches_of(setting) == 1) {
    parts.latency_cycles += weights.sum_of_gradients.latency_cycles;
  }
  return parts;
}

dsm_resources dsm__once_resources(const dsm__layer_setting *setting,
                                  const dsm_pass_layouts *layouts) {
  dsm_resources sum = {{0}};
  if (dsm_pass_exists(setting->layer, setting->mode, DSM_PASS_UPDATE)) {
    const moved_once moved = moved_once_of(setting, layouts);
    for (int i = 0; i < ONCE_COUNT; i++) {
      const dsm_resources one = dsm_group_resources(setting->machine, &moved.groups[i]);
      dsm_resources_add(&sum, &one, 1);
    }
  }
  return sum;
}

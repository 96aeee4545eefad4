/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/keeping.h"

#include <math.h>

#include "model/chip_link.h"
#include "plan/step_stages.h"
#include "plan/strategy_rules.h"

static const dsm__word level_words[] = {[DSM_SHARD_LEVEL_BEST].key = "best",
                                        [DSM_SHARD_LEVEL_NONE].key = "none",
                                        [DSM_SHARD_LEVEL_OPTIMIZER].key = "optimizer",
                                        [DSM_SHARD_LEVEL_GRADIENTS].key = "gradients",
                                        [DSM_SHARD_LEVEL_WEIGHTS].key = "weights"};
DSM__NAMED_WORDS(dsm__shard_level_words, "level of shards", level_words, DSM_SHARD_LEVEL_COUNT,
                 dsm_shard_level, dsm_shard_level_name);

double dsm__shard_ways(const dsm_layer *layer, const dsm_machine *machine,
                       const dsm_pass_layouts *layouts) {
  const dsm_network *const network = &machine->system->system;
  const dsm_axis_set summed = dsm__summing_axes(layer, network, layouts->of[DSM_PASS_UPDATE]);
  const dsm_axis_set alike = dsm__summing_axes(layer, network, layouts->of[DSM_PASS_FORWARD]);
  return dsm__chips_of(network, summed & alike);
}

static bool do_passes_differ(const dsm_pass_layouts *layouts) {
  bool do_differ = false;
  for (int p = 1; p < DSM_PASS_COUNT; p++) {
    do_differ = do_differ || layouts->of[p] != layouts->of[0];
  }
  return do_differ;
}

bool dsm__has_shard_level(const dsm_workload *workload, size_t layer_index,
                          const dsm_machine *machine, const dsm_pass_layouts *layouts) {
  const dsm_layer *const layer = &workload->layers[layer_index];
  return dsm__layer_may(workload, layer_index, DSM__CHOICE_SHARD) && !layer->is_tied &&
         (dsm__shard_ways(layer, machine, layouts) > 1 || do_passes_differ(layouts));
}

dsm_shard_level dsm__shard_level_of(const dsm_plan *plan, dsm_shard_level asked) {
  dsm__stage part;
  const dsm_machine whole = dsm_machine_for(plan->system, plan->options.mode);
  const dsm_machine *const machine = dsm__stage_machine(&whole, &plan->stages, &part);
  bool is_as_asked = true;
  for (size_t i = 0; asked != DSM_SHARD_LEVEL_BEST && i < plan->layer_count; i++) {
    const dsm_pass_layouts layouts = dsm__planned_layouts(&plan->layers[i], plan->options.mode);
    is_as_asked = is_as_asked && (!dsm__has_shard_level(plan->workload, i, machine, &layouts) ||
                                  plan->layers[i].decisions.shard == dsm__sharding_asked(asked));
  }
  return is_as_asked ? asked : DSM_SHARD_LEVEL_BEST;
}

/*
 * Source: section 12; S: ZeRO (S. Rajbhandari et al., 2020), whose three stages these are. Symbols:
 * W = dsm__shard_ways. optimizer: state / W, which model.sharded_update has shared out already;
 * gradients: / W; weights: / W, and all of them while the layer runs. Made anew: what is kept but
 * the output, and of a layer within its segment, or whose segment goes on, that too; where the
 * product is kept, what it makes stays, from which the output within a segment can be made, or the
 * output where no result is made anew. Limits: W = 1: as it was.
 */
void dsm__keep_less(dsm_layer_memory *memory, const dsm_layer *layer, const dsm_machine *machine,
                    const dsm_pass_layouts *layouts, const dsm_layer_decisions *decisions,
                    bool is_last) {
  const double shard_ways = dsm__shard_ways(layer, machine, layouts);
  if (decisions->shard >= DSM_SHARDING_OPTIMIZER && !machine->system->model.sharded_update) {
    memory->optimizer_bytes /= shard_ways;
  }
  if (decisions->shard >= DSM_SHARDING_GRADIENTS) {
    memory->gradients_bytes /= shard_ways;
  }
  if (decisions->shard >= DSM_SHARDING_WEIGHTS) {
    const double own = memory->weights_bytes / shard_ways;
    memory->transient_bytes += memory->weights_bytes - own;
    memory->weights_bytes = own;
  }
  if (decisions->is_recomputed) {
    memory->is_output_recomputed = decisions->is_output_recomputed;
    const bool is_output_kept = is_last
                                    ? !memory->is_output_recomputed
                                    : decisions->is_product_kept && !(memory->product_bytes > 0);
    const double product = decisions->is_product_kept ? memory->product_bytes : 0;
    const double kept =
        fmin((is_output_kept ? memory->output_bytes : 0) + product, memory->activations_bytes);
    memory->recomputed_bytes = memory->activations_bytes - kept;
    memory->activations_bytes = kept;
  }
}

dsm_pass dsm__recomputing_pass(const dsm_layer *layer) {
  if (layer->has_backward) {
    return DSM_PASS_BACKWARD;
  }
  return layer->has_update ? DSM_PASS_UPDATE : DSM_PASS_COUNT;
}

/*
 * Source: section 12. Symbols: an all-gather of the weights over the W chips, as their way back
 * after an update has it, in each micro-batch. Limits: W = 1: none;
 * update needs no weights.
 */
dsm_traffic dsm__gathered_weights(const dsm__layer_setting *setting,
                                  const dsm_pass_layouts *layouts, dsm_pass pass) {
  dsm_traffic gathered = {.latency_cycles = 0};
  if (setting->shard < DSM_SHARDING_WEIGHTS || pass == DSM_PASS_UPDATE ||
      setting->layer->weight_elements == 0 || setting->layer->is_tied ||
      dsm__shard_ways(setting->layer, setting->machine, layouts) <= 1) {
    return gathered;
  }
  const double times = (double)dsm__micro_batches_of(setting);
  gathered = dsm__weights_gathering(setting->layer, setting->machine, setting->precision, layouts);
  gathered.latency_cycles *= times;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    gathered.bytes[l] *= times;
  }
  return gathered;
}

/*
 * Source: section 12. Symbols: max(0, gather - pass). Limits: nothing to be gathered: 0. The layer
 * stands for the one before it, behind which its weights come (A).
 */
double dsm__gathering_cycles(const dsm__layer_setting *setting, const dsm_pass_layouts *layouts,
                             dsm_pass pass, double pass_cycles) {
  const dsm_traffic gathered = dsm__gathered_weights(setting, layouts, pass);
  return fmax(0, dsm_group_cycles(setting->machine, &gathered) - pass_cycles);
}

double dsm__operation_kernels(const dsm_layer *layer, const dsm_machine *machine, dsm_mode mode) {
  return fmax(1, dsm_invocation_kernels(layer, machine, mode, DSM_PASS_FORWARD) - 1);
}

/*
 * Source: section 12. Symbols: count * (max(auxiliary work of forward, (raw + st) / memory) + k *
 * overhead), with the k kernels of the operations, at least one; what the product made is read and
 * the output written at least. Sums of statistics are kept (A). Limits: nothing made anew: 0.
 */
dsm__operations_again dsm__operations_made_again(const dsm__layer_setting *setting,
                                                 dsm_parallelism parallelism, dsm_pass pass) {
  const dsm_machine *const machine = setting->machine;
  dsm__operations_again again = {.count = 0};
  if (!setting->are_operations_again || pass != dsm__recomputing_pass(setting->layer)) {
    return again;
  }
  const dsm__parts parts = dsm__pass_parts(setting, DSM_PASS_FORWARD, parallelism, false);
  const dsm_pass_work work =
      dsm__part_work(setting, DSM_PASS_FORWARD, parallelism, &parts.items[0]);
  const double moving =
      dsm_link_cycles(machine, DSM_LINK_MEMORY, work.bytes.raw + work.bytes.stored);
  const double starting =
      machine->overhead_cycles * dsm__operation_kernels(setting->layer, machine, setting->mode);
  const bool is_moving = moving > work.auxiliary_cycles;
  again.count = (double)parts.items[0].count;
  again.resources.cycles[is_moving ? DSM_BOUND_MEMORY : work.auxiliary_bound] =
      is_moving ? moving : work.auxiliary_cycles;
  again.resources.cycles[DSM_BOUND_OVERHEAD] = starting;
  again.cycles = (is_moving ? moving : work.auxiliary_cycles) + starting;
  return again;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mapping.c: how a layer's loops are divided over chips, cores and the array (sections 3 and 4). */
#include "dsm/mapping.h"

#include "base/checked.h"
#include "dsm/model.h"
#include "model/equations.h"

uint64_t dsm__model_ways(const dsm_machine *machine, dsm_parallelism parallelism) {
  const dsm_network *const network = &machine->system->system;
  const dsm_axis_set model = dsm_parallelism_model_axes(parallelism);
  uint64_t ways = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    ways *= dsm_axis_set_has(model, a) ? network->axes[a].chips : 1;
  }
  return ways;
}

bool dsm__are_alike(const dsm_machine *machine, dsm_parallelism a, dsm_parallelism b) {
  const dsm_network *const network = &machine->system->system;
  const dsm_axis_set different = dsm_parallelism_model_axes(a) ^ dsm_parallelism_model_axes(b);
  bool are_alike = true;
  for (unsigned axis = 0; axis < network->axis_count; axis++) {
    are_alike = are_alike && (!dsm_axis_set_has(different, axis) || network->axes[axis].chips == 1);
  }
  return are_alike;
}

bool dsm__has_own_groups(const dsm_layer *layer) {
  return layer->operand_groups > 0;
}

double dsm__shared_positions(const dsm_layer *layer, uint64_t ij, uint64_t mb) {
  return layer->is_product ? (double)ij : (double)ij * (double)mb;
}

double dsm__visible_share(const dsm_layer *layer, const dsm_assumptions *model) {
  return model->causal_skip ? 1 - layer->hidden_share : 1;
}

bool dsm__is_score_fused(const dsm_layer *layer, const dsm_assumptions *model) {
  return model->fused_attention && layer->is_score;
}

bool dsm__is_read_score_fused(const dsm_layer *layer, const dsm_assumptions *model) {
  return model->fused_attention && layer->reads_score;
}

static uint64_t turns_of(const dsm_layer *layer, uint64_t model_ways) {
  if (layer->lookup_elements > 0) {
    return 0;
  }
  return dsm__has_own_groups(layer) ? 1 : model_ways;
}

bool dsm_model_ways_fit(const dsm_layer *layer, const dsm_system *system,
                        dsm_parallelism parallelism) {
  const dsm_network *const network = &system->system;
  const dsm_axis_set model = dsm_parallelism_model_axes(parallelism);
  uint64_t ways = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    ways *= dsm_axis_set_has(model, a) ? network->axes[a].chips : 1;
  }
  return !dsm__has_own_groups(layer) ||
         (layer->groups % ways == 0 && layer->operand_groups % ways == 0);
}

/*
 * Source: section 3; DSM II-C, III-A. Symbols: nm = product of the lengths of the M axes, nd = the
 * other chips, mbc = ceil(S / nd), outc = ceil(nout / nm), inc = ceil(nin / nm). Limits: one chip:
 * the whole layer in one feature iteration.
 */
dsm_chip_share dsm_chip_share_derive(const dsm_layer *layer, const dsm_machine *machine,
                                     dsm_parallelism parallelism, uint64_t samples) {
  const uint64_t model_ways = dsm__model_ways(machine, parallelism);
  const uint64_t data_ways = machine->chip_count / model_ways;
  dsm_chip_share share = {
      .parallelism = parallelism,
      .groups =
          dsm__has_own_groups(layer) ? dsm__ceil_div_u64(layer->groups, model_ways) : layer->groups,
      .turns = turns_of(layer, model_ways),
      .model_ways = model_ways,
      .data_ways = data_ways,
  };
  share.chip.n[DSM_DIM_IN] = dsm__ceil_div_u64(layer->in, model_ways);
  share.chip.n[DSM_DIM_OUT] = dsm__ceil_div_u64(layer->out, model_ways);
  share.chip.n[DSM_DIM_IJ] = layer->ij;
  share.chip.n[DSM_DIM_KIJ] = layer->kij;
  share.chip.n[DSM_DIM_MB] = dsm__ceil_div_u64(samples, data_ways);
  return share;
}

dsm_parallelism_set dsm_layer_parallelisms(const dsm_layer *layer) {
  const bool is_data_only = !dsm__has_own_groups(layer) && (layer->is_product || layer->groups > 1);
  return is_data_only ? DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA) : DSM_PARALLELISM_ALL;
}

bool dsm_pass_exists(const dsm_layer *layer, dsm_mode mode, dsm_pass pass) {
  switch (pass) {
  case DSM_PASS_FORWARD:
    return true;
  case DSM_PASS_BACKWARD:
    return mode == DSM_MODE_TRAINING && layer->has_backward;
  case DSM_PASS_UPDATE:
    return mode == DSM_MODE_TRAINING && layer->has_update;
  case DSM_PASS_COUNT:
    break;
  }
  return false;
}

uint64_t dsm__parts_max(const dsm_chip_share *share, dsm_dim dim) {
  const uint64_t extent = share->chip.n[dim];
  return dim == DSM_DIM_IN ? extent / share->groups : extent;
}

bool dsm_split_is_valid(const dsm_chip_share *share, const dsm_loops *split) {
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    if (split->n[d] > dsm__parts_max(share, (dsm_dim)d)) {
      return false;
    }
  }
  return true;
}

uint64_t dsm__parts_within_group(uint64_t groups, const dsm_loops *split) {
  const uint64_t parts_out = split->n[DSM_DIM_OUT];
  return parts_out < groups ? 1 : parts_out / groups;
}

uint64_t dsm__output_parts(uint64_t groups, const dsm_loops *split) {
  const uint64_t parts_out = split->n[DSM_DIM_OUT];
  return parts_out < groups ? parts_out : groups * dsm__parts_within_group(groups, split);
}

dsm__core_work dsm__core_work_derive(const dsm_chip_share *share, const dsm_loops *split) {
  const uint64_t groups = share->groups;
  const uint64_t parts_out = split->n[DSM_DIM_OUT];
  const uint64_t group_parts = parts_out < groups ? parts_out : groups;
  const uint64_t parts_within = dsm__parts_within_group(groups, split);
  return (dsm__core_work){
      .groups = dsm__ceil_div_u64(groups, group_parts),
      .in = dsm__ceil_div_u64(share->chip.n[DSM_DIM_IN] / groups, split->n[DSM_DIM_IN]),
      .out = dsm__ceil_div_u64(share->chip.n[DSM_DIM_OUT] / groups, parts_within),
      .ij = dsm__ceil_div_u64(share->chip.n[DSM_DIM_IJ], split->n[DSM_DIM_IJ]),
      .kij = dsm__ceil_div_u64(share->chip.n[DSM_DIM_KIJ], split->n[DSM_DIM_KIJ]),
      .mb = dsm__ceil_div_u64(share->chip.n[DSM_DIM_MB], split->n[DSM_DIM_MB]),
  };
}

dsm_loops dsm_core_share(const dsm_chip_share *share, const dsm_loops *split) {
  const dsm__core_work core = dsm__core_work_derive(share, split);
  return (dsm_loops){{core.groups * core.in, core.groups * core.out, core.ij, core.kij, core.mb}};
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* ArrayD: a block of reduction and produced features at one kernel position (as many positions as
 * fit the rows where the kernel is unrolled on them), streamed over positions and samples. */
dsm_loops dsm_array_share(const dsm_machine *machine, dsm_pass pass, const dsm_chip_share *share,
                          const dsm_loops *split) {
  const dsm__core_work core = dsm__core_work_derive(share, split);
  const bool is_backward = pass == DSM_PASS_BACKWARD;
  const uint64_t rows = machine->reduction_chunk;
  const uint64_t columns = machine->production_chunk;
  const uint64_t reduction = smaller(is_backward ? core.out : core.in, rows);
  const uint64_t positions =
      machine->system->array.unroll_kernel_on_rows ? smaller(rows / reduction, core.kij) : 1;
  return (dsm_loops){{
      is_backward ? smaller(core.in, columns) : reduction,
      is_backward ? reduction : smaller(core.out, columns),
      core.ij,
      positions,
      core.mb,
  }};
}

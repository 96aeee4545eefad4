/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mapping.c: how a layer's loops are divided over chips, cores and the array (sections 3 and 4). */
#include "dsm/mapping.h"

#include <math.h>

#include "base/checked.h"
#include "dsm/model.h"
#include "model/equations.h"
#include "model/role_row.h"

uint64_t dsm__divided_ways(const dsm_machine *machine, dsm_parallelism parallelism,
                           dsm_divided what) {
  const dsm_network *const network = &machine->system->system;
  uint64_t ways = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    ways *= dsm_role_divides(role, what) ? network->axes[a].chips : 1;
  }
  return ways;
}

double dsm__lying_ways(const dsm_machine *machine, dsm_parallelism parallelism) {
  const dsm_network *const network = &machine->system->system;
  double ways = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    const dsm_layout layout = dsm_role_input_layout(role);
    const bool is_cut =
        layout == DSM_LAYOUT_FEATURES || dsm__role_has(role, DSM__ROLE_SENDS_TOKENS) ||
        (layout == DSM_LAYOUT_POSITIONS && !dsm_role_divides(role, DSM_DIVIDED_POSITIONS));
    ways *= is_cut ? (double)network->axes[a].chips : 1;
  }
  return ways;
}

double dsm__input_widening(const dsm_machine *machine, const dsm_chip_share *share) {
  return dsm_parallelism_has_roles(share->parallelism)
             ? (double)share->stored_ways / dsm__lying_ways(machine, share->parallelism)
             : 1;
}

uint64_t dsm__sample_ways(const dsm_machine *machine, dsm_parallelism parallelism) {
  const dsm_network *const network = &machine->system->system;
  uint64_t ways = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    ways *= dsm_role_input_layout(role) == DSM_LAYOUT_SAMPLES ? network->axes[a].chips : 1;
  }
  return ways;
}

double dsm__expert_imbalance(const dsm_layer *layer, const dsm_machine *machine,
                             dsm_parallelism parallelism) {
  const dsm_network *const network = &machine->system->system;
  bool is_spread = false;
  for (unsigned a = 0; a < network->axis_count; a++) {
    is_spread =
        is_spread || (network->axes[a].chips > 1 &&
                      dsm__role_has(dsm_parallelism_role(parallelism, a), DSM__ROLE_SENDS_TOKENS));
  }
  return is_spread && layer->experts > 0 ? machine->system->model.expert_imbalance : 1;
}

bool dsm__are_alike(const dsm_machine *machine, dsm_parallelism a, dsm_parallelism b) {
  const dsm_network *const network = &machine->system->system;
  bool are_alike = true;
  for (unsigned axis = 0; axis < network->axis_count; axis++) {
    are_alike = are_alike && (dsm_parallelism_role(a, axis) == dsm_parallelism_role(b, axis) ||
                              network->axes[axis].chips == 1);
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

bool dsm_model_ways_fit(const dsm_layer *layer, const dsm_system *system,
                        dsm_parallelism parallelism) {
  const dsm_network *const network = &system->system;
  uint64_t ways = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm__role_of_layer(layer, dsm_parallelism_role(parallelism, a));
    ways *= dsm_role_divides(role, DSM_DIVIDED_GROUPS) ? network->axes[a].chips : 1;
  }
  return !dsm__has_own_groups(layer) ||
         (layer->groups % ways == 0 && layer->operand_groups % ways == 0);
}

/* Rows of positions first: chips beyond them have none. Those behind which a pool has whole rows of
 * results. */
static uint64_t chip_positions(const dsm_layer *layer, uint64_t ways) {
  if (ways == 1) {
    return layer->ij;
  }
  const uint64_t even = dsm__ceil_div_u64(layer->rows, ways);
  const uint64_t pooled = dsm__ceil_div_u64(layer->pooled.rows, ways) * layer->pooled.stride;
  const uint64_t rows = pooled > even ? pooled : even;
  return (rows < layer->rows ? rows : layer->rows) * (layer->ij / layer->rows);
}

/*
 * Source: section 3; DSM II-C, III-A. Symbols: n of each thing = product of the lengths of the axes
 * whose role divides it; mbc = ceil(S / nd), outc = ceil(nout / n), inc = ceil(nin / n), ij =
 * ceil(rows / nS) * columns. Limits: one chip: the whole layer in one feature iteration.
 */
dsm_chip_share dsm_chip_share_derive(const dsm_layer *layer, const dsm_machine *machine,
                                     dsm_parallelism parallelism, uint64_t samples) {
  const dsm_network *const network = &machine->system->system;
  uint64_t ways[DSM_DIVIDED_COUNT] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  uint64_t model_ways = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm__role_of_layer(layer, dsm_parallelism_role(parallelism, a));
    const uint64_t chips = network->axes[a].chips;
    model_ways *= dsm_role_divides(role, DSM_DIVIDED_WEIGHTS) ? chips : 1;
    for (int d = 0; d < DSM_DIVIDED_COUNT; d++) {
      ways[d] *= dsm_role_divides(role, (dsm_divided)d) ? chips : 1;
    }
  }
  dsm_chip_share share = {
      .parallelism = parallelism,
      .groups = dsm__ceil_div_u64(layer->groups, ways[DSM_DIVIDED_GROUPS]),
      .turns = ways[DSM_DIVIDED_IN_TURNS] * ways[DSM_DIVIDED_OUT_TURNS],
      .in_turns = ways[DSM_DIVIDED_IN_TURNS],
      .out_turns = ways[DSM_DIVIDED_OUT_TURNS],
      .model_ways = model_ways,
      .data_ways = ways[DSM_DIVIDED_SAMPLES],
      .input_ways = ways[DSM_DIVIDED_INPUT],
      .raw_ways = ways[DSM_DIVIDED_RAW],
      .stored_ways = ways[DSM_DIVIDED_STORED],
      .weight_ways = ways[DSM_DIVIDED_WEIGHTS],
  };
  if (layer->lookup_elements > 0) {
    share.turns = share.in_turns = share.out_turns = 0;
  }
  share.chip.n[DSM_DIM_IN] = dsm__ceil_div_u64(layer->in, ways[DSM_DIVIDED_IN]);
  share.chip.n[DSM_DIM_OUT] = dsm__ceil_div_u64(layer->out, ways[DSM_DIVIDED_OUT]);
  share.chip.n[DSM_DIM_IJ] = chip_positions(layer, ways[DSM_DIVIDED_POSITIONS]);
  share.chip.n[DSM_DIM_KIJ] = layer->kij;
  share.chip.n[DSM_DIM_MB] = dsm__ceil_div_u64(samples, ways[DSM_DIVIDED_SAMPLES]);
  share.position_share = (double)share.chip.n[DSM_DIM_IJ] / (double)layer->ij;
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

double dsm__sent_share(const dsm_layer *layer) {
  return layer->experts == 0 ? 1
                             : (double)layer->sent / ((double)layer->experts * (double)layer->ij);
}

double dsm__fetched_experts(const dsm_layer *layer, const dsm_chip_share *share, dsm_mode mode) {
  if (mode != DSM_MODE_INFERENCE || layer->experts == 0) {
    return 1;
  }
  const double active = (double)layer->active_experts;
  const double positions = (double)layer->routed / active * (double)share->chip.n[DSM_DIM_MB];
  return -expm1(positions * log1p(-active / (double)layer->experts));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_link.c: bytes between the cores of a chip (section 5). */
#include <math.h>

#include "model/chip_link.h"
#include "model/equations.h"

/* Of r cores that share a sum, all but one send their part: (r - 1) / r of all parts. */
static double sent_fraction(double sharing_cores) {
  return (sharing_cores - 1) / sharing_cores;
}

double dsm__partial_sum_bytes(const dsm_pass_work *work, const dsm_loops *split,
                              const dsm__core_bytes *core) {
  const double kij = (double)split->n[DSM_DIM_KIJ];
  const double widening = work->tensor_bytes.sum;
  const double out_turns = work->share.out_turns > 1 ? (double)work->share.out_turns : 1;
  switch (work->pass) {
  case DSM_PASS_FORWARD:
    return dsm__exchanged_bytes(work->machine, sent_fraction((double)split->n[DSM_DIM_IN] * kij) *
                                                   core->output * out_turns * widening);
  case DSM_PASS_BACKWARD:
    return dsm__exchanged_bytes(
        work->machine,
        sent_fraction((double)dsm__parts_within_group(work->share.groups, split) * kij) *
            core->input * (double)work->share.in_turns * widening);
  case DSM_PASS_UPDATE:
  case DSM_PASS_COUNT:
    break;
  }
  /* Update; a matmul has none, and of a table each core has the rows that it looked up. */
  if (work->layer->lookup_elements > 0) {
    return 0;
  }
  const double sharing_cores = (double)split->n[DSM_DIM_IJ] * (double)split->n[DSM_DIM_MB];
  return dsm__exchanged_bytes(work->machine,
                              sent_fraction(sharing_cores) * core->kernel * widening);
}

/* Does a pass do auxiliary work that needs statistics? */
static bool has_statistics(const dsm_pass_work *work) {
  const bool is_backward_done_in_update = !work->layer->has_backward;
  return work->layer->gates == 0 && (work->pass != DSM_PASS_UPDATE || is_backward_done_in_update);
}

static bool normalizes_samples(const dsm_pass_work *work) {
  return work->layer->has_op[DSM_AUX_BATCH_NORM] && work->mode == DSM_MODE_TRAINING;
}

double dsm__statistics_bytes(const dsm_pass_work *work, const dsm_loops *split) {
  static const double bytes_of_two = 2 * 4;
  const dsm_layer *const layer = work->layer;
  const double out = (double)split->n[DSM_DIM_OUT];
  const double mb = (double)split->n[DSM_DIM_MB];
  double bytes = 0;
  if (!work->machine->system->model.statistics_sums || !has_statistics(work)) {
    return 0;
  }
  if (normalizes_samples(work)) {
    const double features = (double)layer->out / (double)work->share.raw_ways / out;
    bytes += sent_fraction((double)split->n[DSM_DIM_IJ] * mb) * features * bytes_of_two;
  }
  const double samples = (double)work->share.chip.n[DSM_DIM_MB] / mb;
  const double by_sample = sent_fraction(out) * samples * bytes_of_two;
  const bool has_norm = layer->has_op[DSM_AUX_LAYER_NORM] || layer->has_op[DSM_AUX_RMS_NORM];
  bytes += has_norm && layer->head_norm_features == 0 ? by_sample : 0;
  bytes += layer->has_op[DSM_AUX_SOFTMAX] ? by_sample : 0;
  bytes += layer->has_op[DSM_AUX_CROSS_ENTROPY] ? by_sample : 0;
  return dsm__exchanged_bytes(work->machine, bytes);
}

/* Of the innermost axis along which chips share the samples; 0 if there is none. */
static double data_axis_latency(const dsm_machine *machine, dsm_parallelism parallelism) {
  const dsm_network *const network = &machine->system->system;
  for (unsigned a = 0; a < network->axis_count; a++) {
    if (network->axes[a].chips > 1 &&
        dsm_role_divides(dsm_parallelism_role(parallelism, a), DSM_DIVIDED_SAMPLES)) {
      return dsm__step_latency_cycles(machine, a);
    }
  }
  return 0;
}

double dsm__statistics_cycles(const dsm_pass_work *work, uint64_t samples) {
  const double group = fmin(work->precision.normalization_group, (double)samples);
  if (group <= 1 || !has_statistics(work) || !normalizes_samples(work)) {
    return 0;
  }
  const double stacks = (double)work->machine->system->chip.memory.stacks;
  const double own = fmax(1, (double)work->share.chip.n[DSM_DIM_MB] / stacks);
  double steps = 0;
  double members = 1;
  while (members * own < group) {
    steps++;
    members *= 2;
  }
  return steps * 2 * data_axis_latency(work->machine, work->share.parallelism);
}

bool dsm_split_fits_output(const dsm_loops *split, const dsm_core_layout *layout) {
  return layout->features % split->n[DSM_DIM_OUT] == 0 && layout->ij % split->n[DSM_DIM_IJ] == 0 &&
         layout->mb % split->n[DSM_DIM_MB] == 0;
}

bool dsm_split_fits_input(const dsm_loops *split, const dsm_core_layout *layout) {
  return layout->features % split->n[DSM_DIM_IN] == 0 && layout->ij % split->n[DSM_DIM_IJ] == 0 &&
         layout->mb % split->n[DSM_DIM_MB] == 0;
}

double dsm_misfitting_input(const dsm_held_layouts *layouts, const dsm_loops *split) {
  uint64_t all = 0;
  uint64_t misfitting = 0;
  for (size_t i = 0; i < layouts->input_count; i++) {
    const dsm_held_tensor *const input = &layouts->inputs[i];
    all += input->elements;
    misfitting += dsm_split_fits_input(split, &input->layout) ? 0 : input->elements;
  }
  return all == 0 ? 0 : (double)misfitting / (double)all;
}

double dsm__misfit_bytes(const dsm_pass_work *work, const dsm_loops *split) {
  const dsm_chip_bytes *const bytes = &work->bytes;
  const dsm_held_layouts *const layouts = work->residency.layouts;
  if (work->machine->system->model.layout_move != DSM_LAYOUT_MOVE_EXACT) {
    return bytes->input_move + bytes->output_move;
  }
  if (layouts == NULL) {
    return 0;
  }
  const bool is_output_misfit =
      bytes->output_move > 0 && !dsm_split_fits_output(split, &layouts->output);
  return (bytes->input_move > 0 ? bytes->input_move * dsm_misfitting_input(layouts, split) : 0) +
         (is_output_misfit ? bytes->output_move : 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_link.c: bytes between the cores of a chip (section 5). */
#include "model/equations.h"

/* Of r cores that share a sum, all but one send their part: (r - 1) / r of all parts. */
static double sent_fraction(double sharing_cores) {
  return (sharing_cores - 1) / sharing_cores;
}

/* Cores along k_out whose backward sums belong together: all of them by the specified equation;
 * with exact_groups only those that share a group. */
static double sharing_outputs(const dsm_pass_work *work, const dsm_loops *split) {
  const bool is_by_group = work->share.has_exact_groups && work->layer->groups > 1;
  return (double)(is_by_group ? dsm__parts_within_group(work->layer, &work->share, split)
                              : split->n[DSM_DIM_OUT]);
}

double dsm__partial_sum_bytes(const dsm_pass_work *work, const dsm_loops *split,
                              const dsm__core_bytes *core) {
  const double kij = (double)split->n[DSM_DIM_KIJ];
  const double widening = work->precision.partial_sum_bytes / work->precision.element_bytes;
  switch (work->pass) {
  case DSM_PASS_FORWARD:
    return sent_fraction((double)split->n[DSM_DIM_IN] * kij) * core->output * widening;
  case DSM_PASS_BACKWARD:
    return sent_fraction(sharing_outputs(work, split) * kij) * core->input *
           (double)work->share.model_ways * widening;
  case DSM_PASS_UPDATE:
  case DSM_PASS_COUNT:
    break;
  }
  /* Update; a matmul has none. */
  const double sharing_cores = (double)split->n[DSM_DIM_IJ] * (double)split->n[DSM_DIM_MB];
  return sent_fraction(sharing_cores) * core->kernel * widening;
}

/* Does a pass do auxiliary work that needs statistics? */
static bool has_statistics(const dsm_pass_work *work) {
  const bool is_backward_done_in_update = !work->layer->has_backward;
  return work->machine->system->model.statistics_sums && work->layer->type != DSM_LAYER_LSTM &&
         (work->pass != DSM_PASS_UPDATE || is_backward_done_in_update);
}

double dsm__statistics_bytes(const dsm_pass_work *work, const dsm_loops *split) {
  static const double bytes_of_two = 2 * 4;
  const dsm_layer *const layer = work->layer;
  const double out = (double)split->n[DSM_DIM_OUT];
  const double mb = (double)split->n[DSM_DIM_MB];
  double bytes = 0;
  if (!has_statistics(work)) {
    return 0;
  }
  if (layer->has_op[DSM_AUX_BATCH_NORM] && work->mode == DSM_MODE_TRAINING) {
    const double features = (double)layer->out / (double)work->share.model_ways / out;
    bytes += sent_fraction((double)split->n[DSM_DIM_IJ] * mb) * features * bytes_of_two;
  }
  const double samples = (double)work->share.chip.n[DSM_DIM_MB] / mb;
  const double by_sample = sent_fraction(out) * samples * bytes_of_two;
  bytes += layer->has_op[DSM_AUX_LAYER_NORM] ? by_sample : 0;
  bytes += layer->has_op[DSM_AUX_SOFTMAX] ? by_sample : 0;
  return bytes;
}

double dsm__layout_move_bytes(uint64_t cores, double bytes) {
  const double hops = (double)(cores * cores / 4);
  return bytes * hops / ((double)cores * (double)cores);
}

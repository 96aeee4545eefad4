/* SPDX-License-Identifier: GPL-3.0-or-later */
/* auxiliary.c: work of the special function units (section 4). */
#include "model/equations.h"

static bool has_transcendental(const dsm_layer *layer) {
  return layer->has_op[DSM_AUX_SIGMOID] || layer->has_op[DSM_AUX_TANH] ||
         layer->has_op[DSM_AUX_GELU];
}

static bool has_norm(const dsm_layer *layer) {
  return layer->has_op[DSM_AUX_BATCH_NORM] || layer->has_op[DSM_AUX_LAYER_NORM];
}

/* Passes over an output element in forward by the first that applies: normalisation (statistics
 * and scaling; in inference scaling only), which takes the others along; a transcendental
 * activation; relu or bias. */
static double forward_passes(const dsm_layer *layer, double transcendental_passes, dsm_mode mode) {
  if (has_norm(layer)) {
    return mode == DSM_MODE_INFERENCE ? 1 : 2;
  }
  if (has_transcendental(layer)) {
    return transcendental_passes;
  }
  return layer->has_op[DSM_AUX_RELU] || layer->has_op[DSM_AUX_BIAS] ? 1 : 0;
}

static double backward_passes(const dsm_layer *layer) {
  if (has_norm(layer)) {
    return 4;
  }
  return has_transcendental(layer) || layer->has_op[DSM_AUX_RELU] ? 1 : 0;
}

/* What both passes share: the residual's addition and the pools. */
static double common_ops(const dsm_layer *layer) {
  const double residual = layer->has_op[DSM_AUX_RESIDUAL] ? (double)layer->output_elements : 0;
  const double pool = (double)layer->stored_elements * (double)layer->pool_window;
  const double input_pool = (double)layer->input_pool_elements * (double)layer->input_pool_window;
  return residual + pool + input_pool;
}

/* A cross_entropy takes what the softmax in it does. */
static double softmax_count(const dsm_layer *layer) {
  return (layer->has_op[DSM_AUX_SOFTMAX] ? 1 : 0) + (layer->has_op[DSM_AUX_CROSS_ENTROPY] ? 1 : 0);
}

static double forward_ops(const dsm_layer *layer, double transcendental_passes, dsm_mode mode) {
  const double outputs = (double)layer->output_elements;
  if (layer->gates > 0) {
    /* Four gates of bias and activation, the cell's tanh, and four products and sums. */
    return (4 * (1 + transcendental_passes) + transcendental_passes + 4) *
           (double)layer->stored_elements;
  }
  const double softmax = softmax_count(layer) * (transcendental_passes + 2) * outputs;
  return forward_passes(layer, transcendental_passes, mode) * outputs + common_ops(layer) + softmax;
}

static double backward_ops(const dsm_layer *layer) {
  const double outputs = (double)layer->output_elements;
  if (layer->gates > 0) {
    return 20 * (double)layer->stored_elements;
  }
  const double softmax = softmax_count(layer) * outputs;
  return backward_passes(layer) * outputs + common_ops(layer) + softmax;
}

double dsm__auxiliary_ops(const dsm_layer *layer, const dsm_core *core, dsm_mode mode,
                          dsm_pass pass) {
  if (pass == DSM_PASS_FORWARD) {
    return forward_ops(layer, core->transcendental_passes, mode);
  }
  const dsm_pass backward_done_in = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  return pass == backward_done_in ? backward_ops(layer) : 0;
}

double dsm__fork_ops(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass) {
  return model->exact_forks && pass == DSM_PASS_BACKWARD ? (double)layer->fork_elements : 0;
}

double dsm__auxiliary_cycles(const dsm_machine *machine, const dsm_chip_share *share, double ops) {
  return ops * (double)share->chip.n[DSM_DIM_MB] / (double)share->model_ways /
         (double)machine->system->chip.cores / machine->system->core.sfu_ops_per_cycle;
}

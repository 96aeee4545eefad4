/* SPDX-License-Identifier: GPL-3.0-or-later */
/* auxiliary.c: work of the special function units (section 4). */
#include "model/equations.h"

static bool has_transcendental(const dsm_layer *layer) {
  return layer->has_op[DSM_AUX_SIGMOID] || layer->has_op[DSM_AUX_TANH] ||
         layer->has_op[DSM_AUX_GELU] || layer->has_op[DSM_AUX_SILU];
}

static bool has_norm(const dsm_layer *layer) {
  return layer->has_op[DSM_AUX_BATCH_NORM] || layer->has_op[DSM_AUX_LAYER_NORM] ||
         layer->has_op[DSM_AUX_RMS_NORM];
}

/* Output elements that a normalisation works on; the others are those of heads without one. */
static double normed_elements(const dsm_layer *layer) {
  return has_norm(layer) ? (double)(layer->output_elements - layer->unnormed_elements) : 0;
}

/* Passes over output elements in forward by the first that applies: normalisation (statistics and
 * scaling; in inference scaling only), which takes the others along; a transcendental activation;
 * relu or bias. */
static double first_forward_ops(const dsm_layer *layer, double transcendental_passes,
                                dsm_mode mode) {
  const double normed = normed_elements(layer);
  const double simple = layer->has_op[DSM_AUX_RELU] || layer->has_op[DSM_AUX_BIAS] ? 1 : 0;
  const double passes = has_transcendental(layer) ? transcendental_passes : simple;
  return (mode == DSM_MODE_INFERENCE ? 1 : 2) * normed +
         passes * ((double)layer->output_elements - normed);
}

/* An rms_norm has no mean, whose error is a sum and a pass less. */
static double first_backward_ops(const dsm_layer *layer) {
  const double normed = normed_elements(layer);
  const bool has_mean = layer->has_op[DSM_AUX_BATCH_NORM] || layer->has_op[DSM_AUX_LAYER_NORM];
  const bool is_active = has_transcendental(layer) || layer->has_op[DSM_AUX_RELU];
  return (has_mean ? 4 : 3) * normed + (is_active ? (double)layer->output_elements - normed : 0);
}

/* What both passes share: the residual's addition, dropping out, turning by positions and the pool.
 */
static double common_ops(const dsm_layer *layer, dsm_mode mode) {
  const double residual = layer->has_op[DSM_AUX_RESIDUAL] ? (double)layer->output_elements : 0;
  const bool drops = layer->has_op[DSM_AUX_DROPOUT] && mode == DSM_MODE_TRAINING;
  const double dropout = drops ? (double)layer->output_elements : 0;
  const double pool = (double)layer->stored_elements * (double)layer->pool_window;
  return residual + pool + dropout + 2 * (double)layer->rotated_elements;
}

/* On the input: the pool, what an upsample makes, and normalisations. */
static double ops_on_input(const dsm_layer *layer, dsm_mode mode, bool is_forward) {
  const double pool = (double)layer->input_pool_elements * (double)layer->input_pool_window;
  const double forward = mode == DSM_MODE_INFERENCE ? 1 : 2;
  const double backward = layer->has_input_op[DSM_AUX_LAYER_NORM] ? 4 : 3;
  return pool + (double)layer->upsampled_elements +
         (is_forward ? forward : backward) * (double)layer->input_op_elements;
}

static double multiply_ops(const dsm_layer *layer, bool is_forward) {
  const double passes = is_forward ? 1 : 2; /* an error for each operand */
  return layer->has_op[DSM_AUX_MULTIPLY] ? passes * (double)layer->output_elements : 0;
}

/* A cross_entropy takes what the softmax in it does. */
static double softmax_count(const dsm_layer *layer) {
  return (layer->has_op[DSM_AUX_SOFTMAX] ? 1 : 0) + (layer->has_op[DSM_AUX_CROSS_ENTROPY] ? 1 : 0);
}

double dsm__forward_ops(const dsm_layer *layer, double transcendental_passes, dsm_mode mode) {
  const double outputs = (double)layer->output_elements;
  if (layer->gates > 0) {
    /* Four gates of bias and activation, the cell's tanh, and four products and sums. */
    return (4 * (1 + transcendental_passes) + transcendental_passes + 4) *
           (double)layer->stored_elements;
  }
  const double softmax = softmax_count(layer) * (transcendental_passes + 2) * outputs;
  return first_forward_ops(layer, transcendental_passes, mode) + common_ops(layer, mode) + softmax +
         ops_on_input(layer, mode, true) + multiply_ops(layer, true);
}

static double backward_ops(const dsm_layer *layer) {
  const double outputs = (double)layer->output_elements;
  if (layer->gates > 0) {
    return 20 * (double)layer->stored_elements;
  }
  const double softmax = softmax_count(layer) * outputs;
  return first_backward_ops(layer) + common_ops(layer, DSM_MODE_TRAINING) + softmax +
         ops_on_input(layer, DSM_MODE_TRAINING, false) + multiply_ops(layer, false);
}

/* Of an invocation of a backward pass, of which an attention's products have one for each operand:
 * with scores made anew their softmax too. */
static double backward_share(const dsm_layer *layer, const dsm_system *system, double ops) {
  const double again =
      dsm__is_score_fused(layer, &system->model)
          ? dsm__forward_ops(layer, system->core.transcendental_passes, DSM_MODE_TRAINING)
          : 0;
  return dsm__has_own_groups(layer) ? (ops + again) / 2 : ops;
}

bool dsm__casts_input(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass) {
  return pass == DSM_PASS_FORWARD && layer->casts.is_input_cast &&
         !dsm__is_read_score_fused(layer, model);
}

bool dsm__casts_error(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass) {
  const dsm_pass backward_done_in = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  return pass == backward_done_in && layer->casts.is_error_cast &&
         !dsm__is_score_fused(layer, model);
}

/* A pass over what is cast; an invocation for each operand has half. */
static double cast_ops(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass) {
  const double share = dsm__has_own_groups(layer) && pass == DSM_PASS_BACKWARD ? 0.5 : 1;
  return share * ((dsm__casts_input(layer, model, pass) ? (double)layer->input_elements : 0) +
                  (dsm__casts_error(layer, model, pass) ? (double)layer->stored_elements : 0));
}

double dsm__widening_ops(const dsm_layer *layer, dsm_pass pass, const dsm_chip_bytes *bytes,
                         const dsm_tensor_bytes *each) {
  return layer->casts.are_weights_widened && pass != DSM_PASS_UPDATE ? bytes->kernel / each->kernel
                                                                     : 0;
}

double dsm__auxiliary_ops(const dsm_layer *layer, const dsm_system *system, dsm_mode mode,
                          dsm_pass pass) {
  const double visible = layer->is_score ? dsm__visible_share(layer, &system->model) : 1;
  const double casts = cast_ops(layer, &system->model, pass);
  if (layer->is_score && dsm__is_attention_kernel(layer, system)) {
    return casts; /* the rest is in its rate */
  }
  if (pass == DSM_PASS_FORWARD) {
    return visible * dsm__forward_ops(layer, system->core.transcendental_passes, mode) + casts;
  }
  const dsm_pass backward_done_in = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  return pass == backward_done_in
             ? visible * backward_share(layer, system, backward_ops(layer)) + casts
             : 0;
}

double dsm__fork_ops(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass) {
  const double share = dsm__has_own_groups(layer) ? 0.5 : 1; /* of an invocation for each operand */
  return model->exact_forks && pass == DSM_PASS_BACKWARD ? share * (double)layer->fork_elements : 0;
}

double dsm__input_ops(const dsm_layer *layer, const dsm_system *system, dsm_mode mode,
                      dsm_pass pass) {
  const dsm_pass backward_done_in = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  const double share = dsm__has_own_groups(layer) && pass == DSM_PASS_BACKWARD ? 0.5 : 1;
  const bool is_forward = pass == DSM_PASS_FORWARD;
  const bool has_own = layer->gates == 0 && (is_forward || pass == backward_done_in);
  return (has_own ? share * ops_on_input(layer, mode, is_forward) : 0) +
         (dsm__casts_input(layer, &system->model, pass) ? (double)layer->input_elements : 0) +
         dsm__fork_ops(layer, &system->model, pass);
}

double dsm__special_function_cycles(const dsm_machine *machine, double ops) {
  return ops / (double)machine->system->chip.cores / machine->system->core.sfu_ops_per_cycle /
         machine->clock_ratio;
}

double dsm__auxiliary_cycles(const dsm_machine *machine, const dsm_chip_share *share, double ops) {
  return dsm__special_function_cycles(machine, ops * (double)share->chip.n[DSM_DIM_MB] *
                                                   share->position_share /
                                                   (double)share->stored_ways);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_auxiliary.h"

#include <math.h>

#include "twin_traffic.h"
#include "twin_types.h"

static double forward_ops(const twin_node *node, const double t, const bool inference) {
  if (node->kind == TWIN_LSTM) {
    return (4 * (1 + t) + t + 4) * node->out;
  }
  const double o = twin_out_elements(node);
  double ops = 0;
  if (twin_has_norm(node)) {
    ops += inference ? o : 2 * o;
  } else if (node->has_transcendental) {
    ops += t * o;
  } else if (node->has_relu || node->has_bias) {
    ops += o;
  }
  ops += node->has_residual ? o : 0;
  ops += node->has_multiply ? o : 0;
  ops += node->has_dropout && !inference ? o : 0;
  ops += 2 * twin_turned_elements(node);
  ops += twin_saved_elements(node) * (inference ? 1 : 2);
  ops += twin_stored_elements(node) * node->pool_window;
  ops += node->has_softmax ? (t + 2) * o : 0;
  ops += node->has_loss ? (t + 2) * o : 0;
  return ops + node->input_pool_ops + node->upsampled_results;
}

static double backward_ops(const twin_node *node) {
  if (node->kind == TWIN_LSTM) {
    return 20 * node->out;
  }
  const double o = twin_out_elements(node);
  double ops = 0;
  if (twin_has_norm(node)) {
    ops += node->has_rms_norm && !node->has_layer_norm && !node->has_batch_norm ? 3 * o : 4 * o;
  } else if (node->has_transcendental || node->has_relu) {
    ops += o;
  }
  ops += node->has_residual ? o : 0;
  ops += node->has_multiply ? 2 * o : 0;
  ops += node->has_dropout ? o : 0;
  ops += 2 * twin_turned_elements(node);
  ops += node->has_input_layer_norm ? 4 * twin_in_elements(node) : 0;
  ops += node->has_input_rms_norm ? 3 * twin_in_elements(node) : 0;
  ops += twin_stored_elements(node) * node->pool_window;
  ops += node->has_softmax ? o : 0;
  ops += node->has_loss ? o : 0;
  return ops + node->input_pool_ops + node->upsampled_results;
}

/* Of each kind, how many elements of a sample its operations work on. */
static void auxiliary_operands(const twin_context *context, const twin_node *node,
                               double elements[TWIN_AUX_COUNT]) {
  const double usual = context->workload->element_bytes;
  const double results = twin_out_elements(node);
  const double o = results * node->out_bytes / usual;
  const double relu = node->has_relu && !twin_has_norm(node) ? 1 : 0;
  elements[TWIN_AUX_BATCH_NORM] = node->has_batch_norm && !context->inference ? o : 0;
  elements[TWIN_AUX_LAYER_NORM] = (node->has_layer_norm + node->has_rms_norm) * o;
  elements[TWIN_AUX_INPUT_NORM] = (node->has_input_layer_norm + node->has_input_rms_norm) *
                                  twin_in_elements(node) * node->in_bytes / usual;
  elements[TWIN_AUX_MULTIPLY] = node->has_multiply ? o : 0;
  const bool drops =
      node->has_dropout && !context->inference && !twin_is_fused_score(context->system, node);
  elements[TWIN_AUX_DROPOUT] = drops ? o : 0;
  elements[TWIN_AUX_DROPOUT_MASK] = drops ? results / usual : 0;
  elements[TWIN_AUX_COPY] = node->has_copy ? o : 0;
  elements[TWIN_AUX_SPLIT] = node->has_split ? o : 0;
  elements[TWIN_AUX_ROTARY] = twin_turned_elements(node) * node->out_bytes / usual;
  elements[TWIN_AUX_SOFTMAX] =
      node->has_softmax && !twin_is_fused_score(context->system, node) ? o : 0;
  elements[TWIN_AUX_LOSS] = node->has_loss ? o : 0;
  elements[TWIN_AUX_LOSS_WIDE] = node->has_loss ? results * 4 / usual : 0;
  elements[TWIN_AUX_ACTIVATION] = node->has_batch_norm ? 0 : (node->transcendentals + relu) * o;
  elements[TWIN_AUX_BIAS] = node->has_bias ? o : 0;
  elements[TWIN_AUX_RESIDUAL] = node->has_residual ? o : 0;
  elements[TWIN_AUX_FORK] = twin_fork_bytes(context->workload, node) / usual;
}

/* What a kind moves for each element, where this and that is held. */
static double auxiliary_moves(const twin_system *system, const twin_aux_kind kind,
                              const bool is_forward, const twin_condition *condition) {
  const bool is_norm = kind == TWIN_AUX_BATCH_NORM || kind == TWIN_AUX_LAYER_NORM;
  const double number = is_forward ? system->moves[kind].forward : system->moves[kind].backward;
  const bool has_sums = kind <= TWIN_AUX_LOSS_WIDE || kind == TWIN_AUX_INPUT_NORM;
  if (kind == TWIN_AUX_DROPOUT_MASK) {
    return number;
  }
  if (system->auxiliary_traffic == TWIN_AUX_FUSED && !has_sums) {
    return 0;
  }
  if (kind == TWIN_AUX_INPUT_NORM && condition->is_input_held) {
    return is_forward ? 0 : fmin(number, 2);
  }
  if (kind == TWIN_AUX_INPUT_NORM) {
    return number;
  }
  if (kind == TWIN_AUX_FORK) {
    return condition->is_input_held ? 0 : number;
  }
  const bool is_other_read = kind == TWIN_AUX_RESIDUAL || (kind == TWIN_AUX_MULTIPLY && is_forward);
  if (is_other_read && condition->is_shortcut_held) {
    return 0;
  }
  if (condition->is_output_held) {
    /* In a shared memory it is added to by an operation that has to read what it adds. */
    const bool reads = kind == TWIN_AUX_RESIDUAL && system->shared_bytes > 0;
    return is_forward ? (reads ? number : 0) : fmin(number, is_norm ? 2 : 1);
  }
  return number;
}

/* What a cast reads is as it is stored, what it writes as it is multiplied. */
static double cast_elements(const twin_context *context, const twin_node *node,
                            const twin_pass_kind pass, const twin_condition *condition) {
  double bytes = 0;
  if (context->system->auxiliary_traffic != TWIN_AUX_UNFUSED) {
    return 0;
  }
  if (twin_casts_input(context, node, pass) && !condition->is_input_held) {
    bytes += twin_in_elements(node) * (node->in_bytes + twin_type_bytes(node->read_type));
  }
  if (twin_casts_error(context, node, pass) && !condition->is_output_held) {
    bytes += twin_stored_elements(node) * (node->out_bytes + twin_type_bytes(node->read_type));
  }
  return bytes / context->workload->element_bytes;
}

/* Elements of a sample that auxiliary operations read and write. */
static double auxiliary_elements(const twin_context *context, const twin_node *node,
                                 const twin_pass_kind pass, const twin_condition *condition) {
  const bool is_done = pass != TWIN_UPDATE || !twin_has_backward(node);
  double operands[TWIN_AUX_COUNT];
  double sum = 0;
  if (context->system->auxiliary_traffic == TWIN_AUX_NONE || !is_done || node->kind == TWIN_LSTM) {
    return 0;
  }
  auxiliary_operands(context, node, operands);
  for (int kind = 0; kind < TWIN_AUX_COUNT; kind++) {
    sum += operands[kind] *
           auxiliary_moves(context->system, (twin_aux_kind)kind, pass == TWIN_FORWARD, condition);
  }
  return sum + cast_elements(context, node, pass, condition);
}

double twin_auxiliary_cycles(const twin_context *context, const twin_node *node,
                             const twin_pass_kind pass, const twin_layout layout, const double mbc,
                             const twin_condition *condition, const double padding,
                             const double widened) {
  const twin_system *const system = context->system;
  double ops = 0;
  if (pass == TWIN_FORWARD) {
    ops = forward_ops(node, system->transcendental_passes, context->inference);
  } else if (pass == TWIN_BACKWARD || !twin_has_backward(node)) {
    ops = backward_ops(node);
  }
  /* Of two invocations on the way back each has a half. */
  const double share = twin_is_attention(node) && pass == TWIN_BACKWARD ? 0.5 : 1;
  if (pass == TWIN_BACKWARD && twin_is_fused_score(system, node)) {
    ops += forward_ops(node, system->transcendental_passes, context->inference);
  }
  if (node->kind == TWIN_SCORE) {
    ops = twin_is_kernel(system, node) ? 0 : ops * twin_visible_share(system, node);
  }
  if (pass == TWIN_BACKWARD && system->exact_forks) {
    ops += twin_fork_elements(context->workload, node);
  }
  ops += twin_casts_input(context, node, pass) ? twin_in_elements(node) : 0;
  ops += twin_casts_error(context, node, pass) ? twin_stored_elements(node) : 0;
  ops *= share;
  const double computing =
      (ops * mbc / layout.nm + widened) / (system->cores * system->sfu_ops_per_cycle);
  const twin_condition open = twin_open_condition(condition);
  const double bytes = share * mbc / layout.nm * context->workload->element_bytes * padding;
  const double moving = auxiliary_elements(context, node, pass, condition) * bytes /
                        system->auxiliary_bytes_per_cycle;
  const double sharing =
      auxiliary_elements(context, node, pass, &open) * bytes / system->shared_bytes_per_cycle;
  return fmax(computing, fmax(moving, sharing));
}

/* Kernels of an invocation, and what starting all of them takes. */
double twin_overhead_cycles(const twin_context *context, const twin_node *node,
                            const twin_pass_kind pass) {
  const twin_system *const system = context->system;
  const bool is_done = pass != TWIN_UPDATE || !twin_has_backward(node);
  const bool is_apart = system->auxiliary_traffic == TWIN_AUX_UNFUSED;
  const double usual = context->workload->element_bytes;
  double operands[TWIN_AUX_COUNT];
  double kernels = twin_reads_fused_score(system, node) ? 0 : 1;
  auxiliary_operands(context, node, operands);
  for (int kind = 0; kind < TWIN_AUX_COUNT && is_done && node->kind != TWIN_LSTM; kind++) {
    const twin_aux_moves *const moves = &system->moves[kind];
    const bool has_sums = kind <= TWIN_AUX_LOSS || kind == TWIN_AUX_INPUT_NORM;
    if (kind == TWIN_AUX_LOSS_WIDE || kind == TWIN_AUX_DROPOUT_MASK) {
      continue;
    }
    const bool moves_some = (pass == TWIN_FORWARD ? moves->forward : moves->backward) > 0;
    const bool is_one_of_its_kind = kind == TWIN_AUX_FORK || kind == TWIN_AUX_ROTARY;
    const double each = is_one_of_its_kind ? operands[kind]
                        : kind == TWIN_AUX_INPUT_NORM
                            ? twin_in_elements(node) * node->in_bytes / usual
                            : twin_out_elements(node) * node->out_bytes / usual;
    if (operands[kind] > 0 && (has_sums || (is_apart && kind != TWIN_AUX_BIAS && moves_some))) {
      kernels += operands[kind] / each;
    }
  }
  const bool casts = twin_casts_input(context, node, pass) || twin_casts_error(context, node, pass);
  kernels += is_apart && casts ? 1 : 0;
  const bool has_tiles = system->tile_schedule && !(system->peak_macs_per_cycle > 0);
  double floor_cycles = has_tiles && node->kind != TWIN_EMBEDDING ? system->kernel_floor_cycles : 0;
  if (twin_is_kernel(system, node)) {
    floor_cycles = twin_kernel_share(node, pass) * system->attention_floor_cycles;
  }
  return kernels * system->overhead_cycles + floor_cycles;
}

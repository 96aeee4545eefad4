/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_cost.h"

#include <math.h>

#include "twin_bytes.h"
#include "twin_types.h"

/* Section 12 */

/* The part of a tensor with `elements` per sample that a chip keeps. */
static double tensor_bytes(const twin_context *context, const double elements,
                           const twin_parallelism parallelism) {
  const twin_layout layout = twin_layout_of(context->system, parallelism);
  return elements * twin_samples_per_chip(layout, context->workload->minibatch) *
         context->workload->element_bytes / layout.nm;
}

/* As a layer with that parallelism reads it. */
double twin_network_input_bytes(const twin_context *context, const twin_parallelism parallelism) {
  const twin_workload *const workload = context->workload;
  double timesteps = 0;
  for (size_t i = 0; i < workload->node_count; i++) {
    if (twin_reads_network_input(&workload->nodes[i])) {
      timesteps = fmax(timesteps, workload->nodes[i].timesteps);
    }
  }
  return tensor_bytes(context, workload->input_elements * timesteps, parallelism);
}

/* Of the workload's size. */
static double stored_step_elements(const twin_context *context, const twin_node *node) {
  return twin_is_fused_score(context->system, node)
             ? 0
             : twin_stored_size(context->workload, node) * node->timesteps;
}

/* Weights, their gradients, and optimizer state, of which each chip has its part where it updates
 * no more. */
static double weight_bytes(const twin_context *context, const size_t layer,
                           const twin_parallelism forward) {
  const twin_workload *const workload = context->workload;
  const twin_node *const node = &workload->nodes[layer];
  const double nm = twin_layout_of(context->system, forward).nm;
  const double owners = context->system->sharded_update ? twin_chips(context->system) : nm;
  const double copy = node->casts_weights ? twin_type_bytes(node->read_type) : 0;
  const double stored = node->casts_weights && context->inference ? 0 : node->weight_bytes;
  const double per_weight = stored + copy + (context->inference ? 0 : workload->gradient_bytes);
  const double state = context->inference ? 0 : workload->optimizer_bytes_per_weight;
  return node->is_tied ? 0 : twin_weight_elements(node) * (per_weight / nm + state / owners);
}

/* Of a layer's own results, in its bytes. A loss has its softmax and the softmax's gradient in
 * place of its output, 4 bytes each. */
static double kept_elements(const twin_context *context, const twin_node *node) {
  const twin_system *const system = context->system;
  if (twin_is_fused_score(system, node)) {
    return 0;
  }
  const double output = node->has_loss && system->keeps_for_sums
                            ? twin_stored_elements(node) * (4 + 4) / node->out_bytes
                            : twin_stored_elements(node);
  const double state = node->kind == TWIN_LSTM ? 5 * node->out : 0;
  return output + state + (system->keeps_for_sums ? node->kept_for_sums : 0) +
         (system->keeps_for_others ? node->kept_for_others : 0);
}

/* What is made of the input before the layer multiplies it. */
static double remade_elements(const twin_context *context, const twin_node *node) {
  if (context->system->keeps_for_sums && node->pooled_results > 0) {
    return node->pooled_results;
  }
  if (context->system->keeps_for_sums && node->upsampled_results > 0) {
    return node->upsampled_results;
  }
  return twin_saved_elements(node);
}

/* What training keeps of a sample and timestep, as so many elements of the workload's size. */
static double kept_size(const twin_context *context, const twin_node *node) {
  const bool is_fused = twin_is_fused_score(context->system, node);
  const double mask_bytes = context->system->keeps_for_sums ? 1 : 0.125;
  const double masks = node->has_dropout && !is_fused ? twin_out_elements(node) * mask_bytes : 0;
  const double sums = is_fused ? 8 * node->groups * node->ij : 0;
  return (kept_elements(context, node) * node->out_bytes +
          remade_elements(context, node) * node->in_bytes + masks + sums) /
         context->workload->element_bytes;
}

/* What stays until the update pass. */
static double activation_bytes(const twin_context *context, const size_t layer,
                               const twin_parallelism forward) {
  const twin_node *const node = &context->workload->nodes[layer];
  if (node->is_alone) {
    return 0;
  }
  if (context->inference) {
    return tensor_bytes(context, node->cache_elements, forward) * node->cache_bytes /
           context->workload->element_bytes;
  }
  return tensor_bytes(context, kept_size(context, node) * node->timesteps, forward);
}

double twin_kept_bytes(const twin_context *context, const size_t layer,
                       const twin_parallelism forward) {
  const bool has_input = layer == 0 && !context->inference;
  return weight_bytes(context, layer, forward) + activation_bytes(context, layer, forward) +
         (has_input ? twin_network_input_bytes(context, forward) : 0);
}

double twin_hoisted_bytes(const twin_context *context, const size_t layer,
                          const twin_parallelism forward) {
  const twin_node *const node = &context->workload->nodes[layer];
  return tensor_bytes(context, 4 * node->out * node->timesteps, forward) * node->out_bytes /
         context->workload->element_bytes;
}

/* A layer of a list has what it reads and makes, what it keeps and both errors to itself. */
static double alone_bytes(const twin_context *context, const twin_node *node,
                          const twin_parallelism forward, const twin_parallelism backward) {
  const double input = node->in * node->iij;
  const double read = input + (node->kind == TWIN_MATMUL ? node->operand_elements : 0) +
                      (node->has_residual || node->has_multiply ? node->out * node->ij : 0);
  const twin_workload *const of = context->workload;
  const double stored = twin_stored_size(of, node);
  const double all_read = twin_own_size(of, node, read);
  const double kept = kept_size(context, node);
  if (context->inference) {
    return tensor_bytes(context, (all_read + stored) * node->timesteps, forward);
  }
  return tensor_bytes(context, (all_read + kept) * node->timesteps, forward) +
         tensor_bytes(context, (twin_own_size(of, node, input) + stored) * node->timesteps,
                      backward);
}

/* Training: a layer's own error and those of its producers. Inference: what is live at once. */
double twin_transient_bytes(const twin_context *context, const size_t layer,
                            const twin_parallelism forward, const twin_parallelism backward) {
  const twin_workload *const workload = context->workload;
  const twin_node *const node = &workload->nodes[layer];
  double elements = stored_step_elements(context, node);
  if (node->is_alone) {
    return alone_bytes(context, node, forward, backward);
  }
  if (context->inference) {
    for (size_t j = 0; j < layer; j++) {
      const bool is_live = twin_is_used_from(workload, j, layer, true);
      elements += is_live ? stored_step_elements(context, &workload->nodes[j]) : 0;
    }
    return tensor_bytes(context, elements, forward);
  }
  if (!twin_has_backward(node)) {
    return 0;
  }
  for (size_t j = 0; j < node->inputs.count; j++) {
    const int producer = node->inputs.layers[j];
    elements += producer == TWIN_NETWORK_INPUT
                    ? 0
                    : stored_step_elements(context, &workload->nodes[producer]);
  }
  return tensor_bytes(context, elements, backward);
}

bool twin_input_is_live(const twin_workload *workload, const size_t layer) {
  for (size_t j = layer; j < workload->node_count; j++) {
    if (twin_reads_network_input(&workload->nodes[j])) {
      return true;
    }
  }
  return false;
}

double twin_memory_bytes(const twin_context *context, const twin_parallelism *sequence) {
  double bytes = context->inference ? 0 : twin_network_input_bytes(context, sequence[0]);
  double largest_transient = 0;
  for (size_t i = 0; i < context->workload->node_count; i++) {
    /* One by one: instance_make() derives capacities from the sum, to the last bit. */
    bytes += weight_bytes(context, i, sequence[i]);
    bytes += activation_bytes(context, i, sequence[i]);
    double transient = twin_transient_bytes(context, i, sequence[i], sequence[i]);
    if (context->inference && twin_input_is_live(context->workload, i)) {
      transient += twin_network_input_bytes(context, sequence[i]);
    }
    largest_transient = fmax(largest_transient, transient);
  }
  return bytes + largest_transient;
}

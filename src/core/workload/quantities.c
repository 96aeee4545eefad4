/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quantities.c: loop dimensions, element counts and parameters of a layer (section 1). */
#include "base/checked.h"
#include "workload/workload_internal.h"

bool dsm__bounded_product(uint64_t *result, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  return !dsm__ckd_mul_u64(result, a, b) && !dsm__ckd_mul_u64(result, *result, c) &&
         !dsm__ckd_mul_u64(result, *result, d) && *result <= DSM_PRODUCT_MAX;
}

/* Elements of so many features, of all experts, at what is sent to these: where that does not
 * divide into whole positions of each, some have one fewer, which are no elements. */
static bool elements_of(uint64_t *elements, const dsm_layer *layer, uint64_t features,
                        uint64_t positions) {
  return layer->sent == 0
             ? dsm__bounded_product(elements, features, positions, 1, 1)
             : dsm__bounded_product(elements, features / layer->experts, layer->sent, 1, 1);
}

const char *dsm__layer_derive_quantities(dsm_layer *out, const dsm__layer_positions *positions) {
  const uint64_t weight_dims = out->is_product ? 0 : 1;
  const uint64_t stored_features = out->gates > 0 ? out->out / out->gates : out->out;
  const uint64_t ways = out->in / out->groups;
  uint64_t steps = 0;
  if (!elements_of(&out->input_elements, out, out->in, positions->input)) {
    return "input elements";
  }
  if (!elements_of(&out->output_elements, out, out->out, positions->output)) {
    return "output elements";
  }
  if (!elements_of(&out->stored_elements, out, stored_features, positions->stored)) {
    return "stored elements";
  }
  if (out->lookup_elements == 0 &&
      !dsm__bounded_product(&out->weight_elements, ways, out->out, out->kij, weight_dims)) {
    return "weights";
  }
  const bool is_of_experts = out->sent > 0;
  const uint64_t products = is_of_experts ? out->sent : out->lookup_elements == 0 ? out->ij : 0;
  const uint64_t produced = is_of_experts ? out->out / out->experts : out->out;
  if (out->weight_elements > DSM_PRODUCT_MAX || out->operand_elements > DSM_PRODUCT_MAX ||
      out->lookup_elements > DSM_PRODUCT_MAX) {
    return "weights or elements of an operand";
  }
  if (!dsm__bounded_product(&out->macs, ways, produced, out->kij, products) ||
      !dsm__bounded_product(&steps, out->macs, out->timesteps, 1, 1)) {
    return "MACs over all timesteps";
  }
  if (!dsm__bounded_product(&steps, out->input_elements, out->timesteps, 1, 1)) {
    return "input elements over all timesteps";
  }
  if (!dsm__bounded_product(&steps, out->output_elements, 2 * out->timesteps, 1, 1)) {
    return "outputs and their gradients over all timesteps";
  }
  return NULL;
}

static uint64_t bias_parameters(const dsm_layer *layer) {
  return (layer->has_op[DSM_AUX_BIAS] ? layer->out : 0) +
         (layer->has_second_bias ? layer->out : 0) + layer->sinks;
}

static uint64_t norm_parameters(const dsm_layer *layer) {
  const uint64_t features = layer->gates > 0 ? layer->out / layer->gates : layer->out;
  const uint64_t own = layer->head_norm_features == 0 ? features : layer->head_norm_features;
  uint64_t norms = layer->has_op[DSM_AUX_BATCH_NORM] ? 2 * features : 0;
  norms += layer->has_op[DSM_AUX_LAYER_NORM] ? 2 * own : 0;
  norms += layer->has_op[DSM_AUX_RMS_NORM] ? own : 0;
  norms += layer->has_input_op[DSM_AUX_LAYER_NORM] ? 2 * layer->in : 0;
  norms += layer->has_input_op[DSM_AUX_RMS_NORM] ? layer->in : 0;
  return norms - layer->given_norms;
}

/* Those of a primary layer (section 4). */
static dsm__parameter_counts layer_count_parameters(const dsm_layer *layer) {
  const bool is_table = layer->lookup_elements > 0;
  const uint64_t own = layer->is_tied ? 0 : layer->weight_elements;
  return (dsm__parameter_counts){
      .weights = is_table ? 0 : own,
      .biases = bias_parameters(layer),
      .norms = norm_parameters(layer),
      .embeddings = is_table ? own : 0,
  };
}

uint64_t dsm__layer_derive_parameters(const dsm_layer *layer) {
  const dsm__parameter_counts counts = layer_count_parameters(layer);
  return counts.weights + counts.biases + counts.norms + counts.embeddings;
}

dsm__parameter_counts dsm__workload_count_parameters(const dsm_workload *workload) {
  dsm__parameter_counts sums = {.weights = 0};
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm__parameter_counts one = layer_count_parameters(&workload->layers[i]);
    sums.weights += one.weights;
    sums.biases += one.biases;
    sums.norms += one.norms;
    sums.embeddings += one.embeddings;
  }
  return sums;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_bytes.h"

#include <math.h>

#include "twin_types.h"

static double first_of(const double a, const double b, const double c) {
  return a > 0 ? a : (b > 0 ? b : c);
}

/* Of several tensors together. */
static double mean_of(const twin_workload *workload, const twin_refs *refs) {
  double elements = 0;
  double bytes = 0;
  for (size_t i = 0; i < refs->count; i++) {
    const int layer = refs->layers[i];
    const bool is_input = layer == TWIN_NETWORK_INPUT;
    const double each =
        is_input ? workload->input_elements : twin_stored_elements(&workload->nodes[layer]);
    elements += each;
    bytes += each * (is_input ? workload->element_bytes : workload->nodes[layer].out_bytes);
  }
  return elements > 0 ? bytes / elements : workload->element_bytes;
}

void twin_derive_bytes(twin_workload *workload) {
  for (size_t i = 0; i < workload->node_count; i++) {
    twin_node *const node = &workload->nodes[i];
    const double *const stated = node->stated_bytes;
    node->out_bytes = first_of(stated[0], 0, workload->element_bytes);
    node->weight_bytes = node->is_tied ? workload->nodes[node->tied.layers[0]].weight_bytes
                                       : first_of(stated[1], stated[0], workload->weight_bytes);
    node->cache_bytes = first_of(stated[2], stated[0], workload->cache_bytes);
    node->produced_bytes = node->is_alone ? node->out_bytes : mean_of(workload, &node->inputs);
    node->in_bytes = node->produced_bytes;
    if (node->kind == TWIN_LSTM) {
      node->in_bytes =
          (node->in * node->produced_bytes + node->out * node->out_bytes) / (node->in + node->out);
    }
    node->operand_bytes = node->is_alone ? node->out_bytes : mean_of(workload, &node->operand);
    node->other_bytes = node->is_alone ? node->out_bytes : mean_of(workload, &node->shortcut);
  }
  twin_derive_types(workload);
}

double twin_kernel_bytes(const twin_context *context, const twin_node *node) {
  const bool is_cached = context->inference && node->cache_elements > 0;
  if (!twin_is_product(node)) {
    return node->weight_bytes;
  }
  return is_cached ? node->cache_bytes : node->operand_bytes;
}

double twin_own_size(const twin_workload *workload, const twin_node *node, const double elements) {
  return ceil(elements * node->out_bytes / workload->element_bytes);
}

double twin_stored_size(const twin_workload *workload, const twin_node *node) {
  return twin_own_size(workload, node, twin_stored_elements(node));
}

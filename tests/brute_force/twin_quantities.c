/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_quantities.h"

#include <math.h>

/* Section 1 */

double twin_in_features(const twin_node *node) {
  return node->kind == TWIN_LSTM ? node->in + node->out : node->in;
}

double twin_out_features(const twin_node *node) {
  return node->kind == TWIN_LSTM ? 4 * node->out : node->out;
}

double twin_in_elements(const twin_node *node) {
  return node->kind == TWIN_LSTM ? node->in + node->out : node->in * node->iij;
}

double twin_out_elements(const twin_node *node) {
  return node->kind == TWIN_LSTM ? 4 * node->out : node->out * node->out_ij;
}

double twin_stored_elements(const twin_node *node) {
  return node->kind == TWIN_LSTM ? node->out : node->out * node->stored_ij;
}

double twin_weight_elements(const twin_node *node) {
  switch (node->kind) {
  case TWIN_CONV:
  case TWIN_TRANSPOSED:
  case TWIN_FC:
    return node->in * node->out * node->kij / node->groups;
  case TWIN_LSTM:
    return (node->in + node->out) * 4 * node->out;
  case TWIN_EMBEDDING:
    return node->table_rows * node->out;
  case TWIN_MATMUL:
  case TWIN_SCORE:
  case TWIN_CONTEXT:
    return 0;
  }
  return 0;
}

double twin_macs(const twin_node *node) {
  switch (node->kind) {
  case TWIN_CONV:
  case TWIN_TRANSPOSED:
  case TWIN_FC:
  case TWIN_SCORE:
  case TWIN_CONTEXT:
    return node->in * node->out * node->kij * (node->experts > 0 ? node->out_ij : node->ij) /
           node->groups;
  case TWIN_LSTM:
    return (node->in + node->out) * 4 * node->out;
  case TWIN_MATMUL:
    return node->in * node->out;
  case TWIN_EMBEDDING:
    return 0;
  }
  return 0;
}

bool twin_has_norm(const twin_node *node) {
  return node->has_batch_norm || node->has_layer_norm || node->has_rms_norm;
}

bool twin_is_attention(const twin_node *node) {
  return node->kind == TWIN_SCORE || node->kind == TWIN_CONTEXT;
}

bool twin_is_product(const twin_node *node) {
  return node->kind == TWIN_MATMUL || twin_is_attention(node);
}

bool twin_is_convolution(const twin_node *node) {
  return node->kind == TWIN_CONV || node->kind == TWIN_TRANSPOSED ||
         (node->kind == TWIN_FC && node->positions > 1);
}

double twin_saved_elements(const twin_node *node) {
  const bool has_copy = node->has_input_layer_norm || node->has_input_rms_norm;
  return has_copy ? twin_in_elements(node) : 0;
}

double twin_turned_elements(const twin_node *node) {
  return round(node->turned_share * twin_out_elements(node));
}

double twin_visible_share(const twin_system *system, const twin_node *node) {
  return system->causal_skip ? 1 - node->hidden_share : 1;
}

bool twin_is_kernel(const twin_system *system, const twin_node *node) {
  return system->fused_attention && system->tile_schedule && twin_is_attention(node) &&
         !(system->peak_macs_per_cycle > 0);
}

double twin_kernel_share(const twin_node *node, const twin_pass_kind pass) {
  const double own = node->kind == TWIN_SCORE ? node->key_features : node->value_features;
  const double share = own / (node->key_features + node->value_features);
  return pass == TWIN_BACKWARD ? share / 2 : share;
}

bool twin_is_fused_score(const twin_system *system, const twin_node *node) {
  return system->fused_attention && node->kind == TWIN_SCORE;
}

bool twin_reads_fused_score(const twin_system *system, const twin_node *node) {
  return system->fused_attention && node->kind == TWIN_CONTEXT;
}

bool twin_reads_network_input(const twin_node *node) {
  for (size_t i = 0; i < node->inputs.count && !node->is_alone; i++) {
    if (node->inputs.layers[i] == TWIN_NETWORK_INPUT) {
      return true;
    }
  }
  return false;
}

static bool reads_only_network_input(const twin_node *node) {
  for (size_t i = 0; i < node->inputs.count; i++) {
    if (node->inputs.layers[i] != TWIN_NETWORK_INPUT) {
      return false;
    }
  }
  return true;
}

bool twin_has_backward(const twin_node *node) {
  const bool is_feed_forward =
      node->kind == TWIN_CONV || node->kind == TWIN_TRANSPOSED || node->kind == TWIN_FC;
  if (node->kind == TWIN_EMBEDDING) {
    return false; /* nobody wants the error of the number of a row */
  }
  return node->is_hoisted_input || node->is_alone ||
         !(is_feed_forward && reads_only_network_input(node));
}

bool twin_has_pass(const twin_node *node, const twin_pass_kind pass, const bool inference) {
  switch (pass) {
  case TWIN_FORWARD:
    return true;
  case TWIN_BACKWARD:
    return !inference && twin_has_backward(node);
  case TWIN_UPDATE:
    return !inference && !twin_is_product(node);
  case TWIN_PASS_COUNT:
    break;
  }
  return false;
}

double twin_invocation_count(const twin_node *node, const twin_pass_kind pass) {
  return twin_is_product(node) && pass == TWIN_BACKWARD ? 2 * node->timesteps : node->timesteps;
}

static bool refs_contain(const twin_refs *refs, const size_t layer) {
  for (size_t i = 0; i < refs->count; i++) {
    if (refs->layers[i] == (int)layer) {
      return true;
    }
  }
  return false;
}

/* Is the stored output of `layer` read by the layer `first` or a later one? */
bool twin_is_used_from(const twin_workload *workload, const size_t layer, const size_t first,
                       const bool operands_count) {
  for (size_t i = first; i < workload->node_count; i++) {
    const twin_node *const user = &workload->nodes[i];
    if (refs_contain(&user->inputs, layer) || refs_contain(&user->shortcut, layer) ||
        (operands_count && refs_contain(&user->operand, layer))) {
      return true;
    }
  }
  return false;
}

/* Queries that are a part of a tensor have errors of their own, beside those of keys and values of
 * the same attention. In elements, or in bytes. */
static double forks_of(const twin_workload *workload, const twin_node *node, const bool in_bytes) {
  const size_t layer = node->place;
  double sum = 0;
  for (size_t j = 0; j < layer && !node->is_step; j++) {
    const bool is_part = node->kind == TWIN_SCORE &&
                         twin_stored_elements(&workload->nodes[j]) > twin_in_elements(node);
    const bool is_fork = refs_contain(&workload->nodes[layer].inputs, j) &&
                         twin_is_used_from(workload, j, layer + (is_part ? 2 : 1), true);
    const double each = in_bytes ? workload->nodes[j].out_bytes : 1;
    sum += is_fork ? twin_stored_elements(&workload->nodes[j]) * each : 0;
  }
  return sum;
}

double twin_fork_elements(const twin_workload *workload, const twin_node *node) {
  return forks_of(workload, node, false);
}

double twin_fork_bytes(const twin_workload *workload, const twin_node *node) {
  return forks_of(workload, node, true);
}

bool twin_adds_own_input(const twin_node *node) {
  for (size_t i = 0; i < node->shortcut.count; i++) {
    if (!refs_contain(&node->inputs, (size_t)node->shortcut.layers[i])) {
      return false;
    }
  }
  return node->shortcut.count > 0;
}

twin_node twin_hoisted_input(const twin_node *lstm) {
  return (twin_node){
      .kind = TWIN_FC,
      .in = lstm->in,
      .out = 4 * lstm->out,
      .positions = 1,
      .ij = 1,
      .out_ij = 1,
      .kij = 1,
      .strides = 1,
      .iij = 1,
      .stored_ij = 1,
      .multiplied_ij = 1,
      .groups = 1,
      .timesteps = 1,
      .inputs = lstm->inputs,
      .in_bytes = lstm->produced_bytes,
      .out_bytes = lstm->out_bytes,
      .made_bytes = lstm->made_bytes,
      .read_type = lstm->read_type,
      .widens_weights = lstm->widens_weights,
      .weight_bytes = lstm->weight_bytes,
      .is_hoisted_input = true,
      .place = lstm->place,
  };
}

twin_node twin_hoisted_step(const twin_node *lstm) {
  twin_node step = *lstm;
  step.in = 0;
  step.in_bytes = lstm->out_bytes;
  step.is_step = true;
  return step;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* auxiliary_traffic.c: what auxiliary operations read from memory and write there (section 4). */
#include "model/equations.h"

static bool has_norm(const dsm_layer *layer) {
  return layer->has_op[DSM_AUX_BATCH_NORM] || layer->has_op[DSM_AUX_LAYER_NORM];
}

/* Activations that are operations of their own: a batch_norm takes all along, a layer_norm relu. */
static unsigned activation_count(const dsm_layer *layer) {
  if (layer->has_op[DSM_AUX_BATCH_NORM]) {
    return 0;
  }
  return (unsigned)layer->has_op[DSM_AUX_SIGMOID] + (unsigned)layer->has_op[DSM_AUX_TANH] +
         (unsigned)layer->has_op[DSM_AUX_GELU] +
         (unsigned)(layer->has_op[DSM_AUX_RELU] && !has_norm(layer));
}

/* How many of a kind a layer has. A batch_norm of inference is part of the weights. */
static unsigned operation_count(const dsm_layer *layer, dsm_mode mode, dsm_operation kind) {
  switch (kind) {
  case DSM_OPERATION_BATCH_NORM:
    return layer->has_op[DSM_AUX_BATCH_NORM] && mode == DSM_MODE_TRAINING;
  case DSM_OPERATION_LAYER_NORM:
    return layer->has_op[DSM_AUX_LAYER_NORM];
  case DSM_OPERATION_SOFTMAX:
    return layer->has_op[DSM_AUX_SOFTMAX];
  case DSM_OPERATION_CROSS_ENTROPY:
  case DSM_OPERATION_CROSS_ENTROPY_WIDE:
    return layer->has_op[DSM_AUX_CROSS_ENTROPY];
  case DSM_OPERATION_ACTIVATION:
    return activation_count(layer);
  case DSM_OPERATION_BIAS:
    return layer->has_op[DSM_AUX_BIAS];
  case DSM_OPERATION_RESIDUAL:
    return layer->has_op[DSM_AUX_RESIDUAL];
  case DSM_OPERATION_FORK:
    return layer->fork_elements > 0;
  case DSM_OPERATION_COUNT:
    break;
  }
  return 0;
}

/* Those that sum over what they work on: nothing that makes their operand can do it. */
static bool has_sums(dsm_operation kind) {
  return kind == DSM_OPERATION_BATCH_NORM || kind == DSM_OPERATION_LAYER_NORM ||
         kind == DSM_OPERATION_SOFTMAX || kind == DSM_OPERATION_CROSS_ENTROPY ||
         kind == DSM_OPERATION_CROSS_ENTROPY_WIDE;
}

static bool is_norm(dsm_operation kind) {
  return kind == DSM_OPERATION_BATCH_NORM || kind == DSM_OPERATION_LAYER_NORM;
}

/* e of an operation where nothing is held. */
static double entry_of(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass,
                       dsm_operation kind) {
  const dsm_pass backward_done_in = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  const bool rides_along =
      model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_FUSED && !has_sums(kind);
  if (model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_NONE || rides_along) {
    return 0;
  }
  if (pass == DSM_PASS_FORWARD) {
    return model->traffic[kind].forward;
  }
  return pass == backward_done_in ? model->traffic[kind].backward : 0;
}

/* e with what is held: of the output only what the forward pass has saved is read. A fork works on
 * the error of the input; a residual reads what it adds. */
static double moved_of(dsm_operation kind, dsm_pass pass, double entry,
                       const dsm_residency *residency) {
  const double saved = is_norm(kind) ? 2 : 1;
  if (kind == DSM_OPERATION_FORK) {
    return residency->is_input_held ? 0 : entry;
  }
  if (kind == DSM_OPERATION_RESIDUAL && residency->is_shortcut_held) {
    return 0;
  }
  if (!residency->is_output_held) {
    return entry;
  }
  if (pass == DSM_PASS_FORWARD) {
    return 0;
  }
  return entry < saved ? entry : saved;
}

double dsm__auxiliary_elements(const dsm_layer *layer, const dsm_assumptions *model, dsm_mode mode,
                               dsm_pass pass, const dsm_residency *residency,
                               double element_bytes) {
  double elements = 0;
  for (int k = 0; k < DSM_OPERATION_COUNT && layer->gates == 0; k++) {
    const dsm_operation kind = (dsm_operation)k;
    const uint64_t of = kind == DSM_OPERATION_FORK ? layer->fork_elements : layer->output_elements;
    const double width = kind == DSM_OPERATION_CROSS_ENTROPY_WIDE ? 4 / element_bytes : 1;
    elements += operation_count(layer, mode, kind) *
                moved_of(kind, pass, entry_of(layer, model, pass, kind), residency) * (double)of *
                width;
  }
  return elements;
}

/* Is an operation of a kind a kernel of its own in a pass? */
static bool is_kernel(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass,
                      dsm_operation kind) {
  const dsm_pass backward_done_in = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  if (kind == DSM_OPERATION_CROSS_ENTROPY_WIDE) {
    return false; /* it is that of the other elements */
  }
  if (has_sums(kind)) {
    return pass == DSM_PASS_FORWARD || pass == backward_done_in;
  }
  return kind != DSM_OPERATION_BIAS && entry_of(layer, model, pass, kind) > 0;
}

double dsm__auxiliary_kernels(const dsm_layer *layer, const dsm_assumptions *model, dsm_mode mode,
                              dsm_pass pass) {
  unsigned kernels = 0;
  for (int k = 0; k < DSM_OPERATION_COUNT && layer->gates == 0; k++) {
    const dsm_operation kind = (dsm_operation)k;
    kernels += is_kernel(layer, model, pass, kind) ? operation_count(layer, mode, kind) : 0;
  }
  return kernels;
}

/* Source: section 4. Symbols: 1 + k. Limits: nothing but the layer: 1. */
double dsm_invocation_kernels(const dsm_layer *layer, const dsm_machine *machine, dsm_mode mode,
                              dsm_pass pass) {
  return 1 + dsm__auxiliary_kernels(layer, &machine->system->model, mode, pass);
}

bool dsm__is_shortcut_auxiliary(const dsm_assumptions *model, dsm_pass pass,
                                const dsm_residency *residency) {
  const bool is_added_on_chip = pass == DSM_PASS_FORWARD && residency->is_output_held;
  return model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_UNFUSED && !is_added_on_chip;
}

double dsm__auxiliary_memory_cycles(const dsm_machine *machine, double bytes) {
  return bytes / machine->auxiliary_bytes_per_cycle;
}

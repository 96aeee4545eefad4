/* SPDX-License-Identifier: GPL-3.0-or-later */
/* auxiliary_traffic.c: what auxiliary operations read from memory and write there (section 4). */
#include <math.h>

#include "model/equations.h"

static bool has_norm(const dsm_layer *layer) {
  return layer->has_op[DSM_AUX_BATCH_NORM] || layer->has_op[DSM_AUX_LAYER_NORM] ||
         layer->has_op[DSM_AUX_RMS_NORM];
}

/* Activations that are operations of their own: a batch_norm takes all along, a layer_norm relu. */
static unsigned activation_count(const dsm_layer *layer) {
  if (layer->has_op[DSM_AUX_BATCH_NORM]) {
    return 0;
  }
  return (unsigned)layer->has_op[DSM_AUX_SIGMOID] + (unsigned)layer->has_op[DSM_AUX_TANH] +
         (unsigned)layer->has_op[DSM_AUX_GELU] + (unsigned)layer->has_op[DSM_AUX_SILU] +
         (unsigned)(layer->has_op[DSM_AUX_RELU] && !has_norm(layer));
}

/* How many of a kind a layer has. A batch_norm of inference is part of the weights, softmax and
 * dropout of a fused attention are part of what makes its scores. */
static unsigned operation_count(const dsm_layer *layer, const dsm_assumptions *model, dsm_mode mode,
                                dsm_operation kind) {
  switch (kind) {
  case DSM_OPERATION_BATCH_NORM:
    return layer->has_op[DSM_AUX_BATCH_NORM] && mode == DSM_MODE_TRAINING;
  case DSM_OPERATION_LAYER_NORM:
    return (unsigned)layer->has_op[DSM_AUX_LAYER_NORM] + (unsigned)layer->has_op[DSM_AUX_RMS_NORM];
  case DSM_OPERATION_SOFTMAX:
    return layer->has_op[DSM_AUX_SOFTMAX] && !dsm__is_score_fused(layer, model);
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
  case DSM_OPERATION_MULTIPLY:
    return layer->has_op[DSM_AUX_MULTIPLY];
  case DSM_OPERATION_DROPOUT:
  case DSM_OPERATION_DROPOUT_MASK:
    return layer->has_op[DSM_AUX_DROPOUT] && mode == DSM_MODE_TRAINING &&
           !dsm__is_score_fused(layer, model);
  case DSM_OPERATION_ROTARY:
    return layer->rotated_elements > 0;
  case DSM_OPERATION_COPY:
    return layer->has_op[DSM_AUX_COPY];
  case DSM_OPERATION_SPLIT:
    return layer->has_op[DSM_AUX_SPLIT];
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

/* A mask goes to memory whatever the operation rides along with. */
static bool is_mask(dsm_operation kind) {
  return kind == DSM_OPERATION_DROPOUT_MASK;
}

static bool is_norm(dsm_operation kind) {
  return kind == DSM_OPERATION_BATCH_NORM || kind == DSM_OPERATION_LAYER_NORM;
}

/* e of an operation where nothing is held. */
static double entry_of(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass,
                       dsm_operation kind) {
  const dsm_pass backward_done_in = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  const bool rides_along =
      model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_FUSED && !has_sums(kind) && !is_mask(kind);
  if (model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_NONE || rides_along) {
    return 0;
  }
  if (pass == DSM_PASS_FORWARD) {
    return model->traffic[kind].forward;
  }
  return pass == backward_done_in ? model->traffic[kind].backward : 0;
}

/* e with what is held: of the output only what the forward pass has saved is read. A fork works on
 * the error of the input; a residual reads what it adds, but the stream brings that to an output in
 * the scratchpads. */
static double moved_of(dsm_operation kind, dsm_pass pass, double entry,
                       const dsm_residency *residency) {
  const double saved = is_norm(kind) ? 2 : 1;
  if (kind == DSM_OPERATION_FORK) {
    return residency->is_input_held ? 0 : entry;
  }
  if ((kind == DSM_OPERATION_RESIDUAL || kind == DSM_OPERATION_MULTIPLY) &&
      residency->is_shortcut_held && (kind == DSM_OPERATION_RESIDUAL || pass == DSM_PASS_FORWARD)) {
    return 0;
  }
  if (is_mask(kind)) {
    return entry;
  }
  if (!residency->is_output_held) {
    return entry;
  }
  if (pass == DSM_PASS_FORWARD) {
    return kind == DSM_OPERATION_RESIDUAL && residency->is_in_shared_memory ? entry : 0;
  }
  return entry < saved ? entry : saved;
}

/* What an operation of a kind works on, in elements of the workload. */
static double worked_on(const dsm_layer *layer, dsm_operation kind, double element_bytes) {
  const double size = dsm__stated_bytes(layer->bytes.output, element_bytes) / element_bytes;
  switch (kind) {
  case DSM_OPERATION_FORK:
    return (double)layer->fork_elements *
           (dsm__stated_bytes(layer->bytes.fork, element_bytes) / element_bytes);
  case DSM_OPERATION_ROTARY:
    return (double)layer->rotated_elements * size;
  case DSM_OPERATION_CROSS_ENTROPY_WIDE:
    return (double)layer->output_elements * (4 / element_bytes);
  case DSM_OPERATION_DROPOUT_MASK:
    return (double)layer->output_elements / element_bytes;
  case DSM_OPERATION_LAYER_NORM:
    return (double)(layer->output_elements - layer->unnormed_elements) * size;
  case DSM_OPERATION_BATCH_NORM:
  case DSM_OPERATION_SOFTMAX:
  case DSM_OPERATION_CROSS_ENTROPY:
  case DSM_OPERATION_ACTIVATION:
  case DSM_OPERATION_BIAS:
  case DSM_OPERATION_RESIDUAL:
  case DSM_OPERATION_MULTIPLY:
  case DSM_OPERATION_DROPOUT:
  case DSM_OPERATION_COPY:
  case DSM_OPERATION_SPLIT:
  case DSM_OPERATION_COUNT:
    break;
  }
  return (double)layer->output_elements * size;
}

/* A norm of the input reads it and hands it on; held inputs are there. */
static double input_norm_elements(const dsm_layer *layer, const dsm_assumptions *model,
                                  dsm_pass pass, const dsm_residency *residency,
                                  double element_bytes) {
  const double size = dsm__stated_bytes(layer->bytes.input, element_bytes) / element_bytes;
  const double entry = entry_of(layer, model, pass, DSM_OPERATION_LAYER_NORM);
  const bool is_forward = pass == DSM_PASS_FORWARD;
  const double held = is_forward ? 0 : fmin(entry, 2);
  return (residency->is_input_held ? held : entry) * (double)layer->input_op_elements * size;
}

/* A cast by an operation of its own reads what is stored and writes what products read. */
static double cast_elements(const dsm_layer *layer, const dsm_assumptions *model, uint64_t elements,
                            double stated_bytes, double element_bytes) {
  const double stored = dsm__stated_bytes(stated_bytes, element_bytes);
  const bool is_apart = model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_UNFUSED;
  return is_apart ? (double)elements * (stored + dsm_element_type_bytes(layer->casts.operands)) /
                        element_bytes
                  : 0;
}

static double input_cast_elements(const dsm_layer *layer, const dsm_assumptions *model,
                                  dsm_pass pass, const dsm_residency *residency,
                                  double element_bytes) {
  return dsm__casts_input(layer, model, pass) && !residency->is_input_held
             ? cast_elements(layer, model, layer->input_elements, layer->bytes.input, element_bytes)
             : 0;
}

static double error_cast_elements(const dsm_layer *layer, const dsm_assumptions *model,
                                  dsm_pass pass, const dsm_residency *residency,
                                  double element_bytes) {
  return dsm__casts_error(layer, model, pass) && !residency->is_output_held
             ? cast_elements(layer, model, layer->stored_elements, layer->bytes.output,
                             element_bytes)
             : 0;
}

/* What those of a kind move. */
static double elements_of(const dsm_layer *layer, const dsm_assumptions *model, dsm_mode mode,
                          dsm_pass pass, const dsm_residency *residency, double element_bytes,
                          dsm_operation kind) {
  return operation_count(layer, model, mode, kind) *
         moved_of(kind, pass, entry_of(layer, model, pass, kind), residency) *
         worked_on(layer, kind, element_bytes);
}

/* An invocation for each operand has half. */
static double share_of_invocation(const dsm_layer *layer, dsm_pass pass, double elements) {
  return pass == DSM_PASS_BACKWARD && dsm__has_own_groups(layer) ? elements / 2 : elements;
}

double dsm__auxiliary_elements(const dsm_layer *layer, const dsm_assumptions *model, dsm_mode mode,
                               dsm_pass pass, const dsm_residency *residency,
                               double element_bytes) {
  double elements = 0;
  for (int k = 0; k < DSM_OPERATION_COUNT && layer->gates == 0; k++) {
    elements += elements_of(layer, model, mode, pass, residency, element_bytes, (dsm_operation)k);
  }
  if (layer->input_op_elements > 0) {
    elements += input_norm_elements(layer, model, pass, residency, element_bytes);
  }
  elements += input_cast_elements(layer, model, pass, residency, element_bytes) +
              error_cast_elements(layer, model, pass, residency, element_bytes);
  return share_of_invocation(layer, pass, elements);
}

double dsm__input_elements(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass,
                           const dsm_residency *residency, double element_bytes) {
  double elements = layer->gates > 0 ? 0
                                     : elements_of(layer, model, DSM_MODE_TRAINING, pass, residency,
                                                   element_bytes, DSM_OPERATION_FORK);
  if (layer->input_op_elements > 0) {
    elements += input_norm_elements(layer, model, pass, residency, element_bytes);
  }
  elements += input_cast_elements(layer, model, pass, residency, element_bytes);
  return share_of_invocation(layer, pass, elements);
}

/* Is an operation of a kind a kernel of its own in a pass? */
static bool is_kernel(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass,
                      dsm_operation kind) {
  const dsm_pass backward_done_in = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  if (kind == DSM_OPERATION_CROSS_ENTROPY_WIDE || is_mask(kind)) {
    return false; /* it is that of the other elements */
  }
  if (has_sums(kind)) {
    return pass == DSM_PASS_FORWARD || pass == backward_done_in;
  }
  return kind != DSM_OPERATION_BIAS && entry_of(layer, model, pass, kind) > 0;
}

double dsm__auxiliary_kernels(const dsm_layer *layer, const dsm_assumptions *model, dsm_mode mode,
                              dsm_pass pass) {
  const dsm_pass backward_done_in = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  const bool has_input_norm =
      layer->input_op_elements > 0 && (pass == DSM_PASS_FORWARD || pass == backward_done_in);
  const bool is_apart = model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_UNFUSED;
  unsigned kernels = has_input_norm ? 1 : 0;
  kernels += is_apart && dsm__casts_input(layer, model, pass) ? 1 : 0;
  kernels += is_apart && dsm__casts_error(layer, model, pass) ? 1 : 0;
  for (int k = 0; k < DSM_OPERATION_COUNT && layer->gates == 0; k++) {
    const dsm_operation kind = (dsm_operation)k;
    kernels += is_kernel(layer, model, pass, kind) ? operation_count(layer, model, mode, kind) : 0;
  }
  return kernels;
}

/* Source: section 4. Symbols: 1 + k. Limits: nothing but the layer: 1; what reads the scores of a
 * fused attention is part of the kernel that makes them: k. */
double dsm_invocation_kernels(const dsm_layer *layer, const dsm_machine *machine, dsm_mode mode,
                              dsm_pass pass) {
  const double own = dsm__is_read_score_fused(layer, &machine->system->model) ? 0 : 1;
  return own + dsm__auxiliary_kernels(layer, &machine->system->model, mode, pass);
}

bool dsm__is_shortcut_auxiliary(const dsm_assumptions *model, dsm_pass pass,
                                const dsm_residency *residency) {
  const bool is_added_on_chip =
      pass == DSM_PASS_FORWARD && residency->is_output_held && !residency->is_in_shared_memory;
  return model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_UNFUSED && !is_added_on_chip;
}

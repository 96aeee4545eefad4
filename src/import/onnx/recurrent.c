/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recurrent.c: LSTM, GRU and RNN: cells whose timesteps wait for each other. */
#include "import/onnx/lowering.h"

enum { FEATURES = 2, CELL_RANK = 3 };

/* What a node of any of the three says. */
typedef struct cell {
  dsm__onnx_shape input;
  bool
      is_samples_first; /**< [samples, timesteps, features] in place of [timesteps, samples, ...] */
  uint64_t steps;
  uint64_t samples;
  uint64_t hidden;
  uint64_t directions;
} cell;

static bool read_cell(dsm__onnx_lowering *of, const dsm__onnx_node *node, cell *read) {
  dsm__onnx_shape weights;
  dsm__onnx_shape recurrent;
  if (!dsm__onnx_need_shape(of, node, 0, &read->input) ||
      !dsm__onnx_need_shape(of, node, 1, &weights) ||
      !dsm__onnx_need_shape(of, node, 2, &recurrent)) {
    return false;
  }
  read->hidden = recurrent.rank == CELL_RANK ? recurrent.dims[FEATURES] : 0;
  read->directions = weights.dims[0];
  read->is_samples_first = dsm__onnx_attribute(node, "layout", 0) == 1;
  read->steps = read->input.dims[read->is_samples_first ? 1 : 0];
  read->samples = read->input.dims[read->is_samples_first ? 0 : 1];
  const bool is_two = dsm__span_is(dsm__onnx_attribute_text(node, "direction"), "bidirectional");
  if (read->input.rank != CELL_RANK || weights.rank != CELL_RANK || recurrent.rank != CELL_RANK ||
      weights.dims[FEATURES] != read->input.dims[FEATURES] ||
      read->directions != (is_two ? 2U : 1U) || read->steps > DSM_SIDE_MAX) {
    dsm__onnx_error(of->graph, node,
                    "expected an input of timesteps, samples and features with weights for them, "
                    "found others");
    return false;
  }
  return dsm__onnx_settle_samples(of, node, read->samples);
}

/* All timesteps, the last one, and that of the cell are the same layer's. */
static void deliver_all(dsm__onnx_lowering *of, const dsm__onnx_node *node, const cell *made) {
  const dsm__onnx_shape last =
      made->is_samples_first
          ? (dsm__onnx_shape){CELL_RANK, {made->samples, made->directions, made->hidden}}
          : (dsm__onnx_shape){CELL_RANK, {made->directions, made->samples, made->hidden}};
  const dsm__onnx_shape all =
      made->is_samples_first
          ? (dsm__onnx_shape){CELL_RANK + 1,
                              {made->samples, made->steps, made->directions, made->hidden}}
          : (dsm__onnx_shape){CELL_RANK + 1,
                              {made->steps, made->directions, made->samples, made->hidden}};
  dsm__onnx_value *const steps = dsm__onnx_output(of->graph, node, 0);
  dsm__onnx_deliver(of, node, dsm__onnx_output(of->graph, node, 1), &last);
  const dsm__onnx_view *const view = dsm__onnx_view_of_layer(of, (uint32_t)of->layers.count - 1);
  dsm__onnx_make(of, steps, &all, view);
  dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 2), &last, view);
}

static dsm__onnx_reading reading_of(dsm__onnx_value *value, const cell *read) {
  return (dsm__onnx_reading){
      .value = value, .features = read->input.dims[FEATURES], .size = {1, 1}};
}

/* Biases are two vectors in one: of the products of the input, and of those of the hidden units. */
static void add_biases(dsm__onnx_lowering *of, const dsm__onnx_node *node, int count) {
  enum { BIAS = 3 };
  for (int i = 0; i < count && dsm__onnx_input(of->graph, node, BIAS) != NULL; i++) {
    dsm__onnx_add_aux(of, DSM_AUX_BIAS);
  }
}

static void lower_gated(dsm__onnx_lowering *of, const dsm__onnx_node *node, const cell *read) {
  const dsm__onnx_reading reading = reading_of(dsm__onnx_input(of->graph, node, 0), read);
  dsm_layer_spec *const spec = dsm__onnx_add_layer(of, node, &reading, DSM_LAYER_LSTM);
  if (spec == NULL) {
    return;
  }
  spec->out = read->hidden;
  spec->timesteps = read->steps;
  spec->is_bidirectional = read->directions == 2;
  add_biases(of, node, 2);
  dsm__onnx_take_weights(of, node, 1);
  if (dsm__span_is(node->op, "GRU")) {
    dsm__onnx_remark_on(of->graph, node,
                        "has three gates and is counted as an lstm, which has four");
  }
  deliver_all(of, node, read);
}

/* Without gates: the products of the input, and those of the hidden units, each an fc. */
static void lower_plain(dsm__onnx_lowering *of, const dsm__onnx_node *node, const cell *read) {
  dsm__onnx_reading reading = reading_of(dsm__onnx_input(of->graph, node, 0), read);
  const dsm__onnx_shape made = {2, {read->samples, read->hidden}};
  dsm__onnx_value between = {.uses = 1, .node = DSM__ONNX_NONE};
  if (read->directions == 2) {
    dsm__onnx_error(of->graph, node, "expected one direction, found two");
    return;
  }
  reading.suffix = ".input";
  dsm_layer_spec *spec = dsm__onnx_add_layer(of, node, &reading, DSM_LAYER_FC);
  if (spec == NULL) {
    return;
  }
  spec->out = read->hidden;
  spec->timesteps = read->steps;
  add_biases(of, node, 1);
  dsm__onnx_deliver(of, node, &between, &made);
  reading = (dsm__onnx_reading){.value = &between, .features = read->hidden, .size = {1, 1}};
  spec = dsm__onnx_add_layer(of, node, &reading, DSM_LAYER_FC);
  if (spec == NULL) {
    return;
  }
  spec->out = read->hidden;
  spec->timesteps = read->steps;
  add_biases(of, node, 1);
  dsm__onnx_add_aux(of, DSM_AUX_TANH);
  dsm__onnx_remark_on(of->graph, node,
                      "is written as two fc, of its input and of its hidden units");
  deliver_all(of, node, read);
}

void dsm__onnx_lower_recurrent(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  cell read;
  if (!read_cell(of, node, &read)) {
    return;
  }
  if (dsm__span_is(node->op, "RNN")) {
    lower_plain(of, node, &read);
  } else {
    lower_gated(of, node, &read);
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* onnx.c: models of ONNX: read, put in order, and lowered node by node. */
#include <string.h>

#include "import/onnx/lowering.h"

enum { MODEL_IR = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8, KNOWN_MAX = 25 };

/* Of a field that every model has, the type; of others only that there is such a number. */
static bool is_of_model(const dsm__wire_field *field) {
  const bool is_bytes = field->type == DSM__WIRE_BYTES;
  return field->number == MODEL_IR ? field->type == DSM__WIRE_VARINT
         : field->number == MODEL_GRAPH || field->number == MODEL_OPSET
             ? is_bytes
             : field->number <= KNOWN_MAX && field->type <= DSM__WIRE_BYTES;
}

static bool ends_in_onnx(const char *file) {
  static const char ending[] = ".onnx";
  const size_t length = file == NULL ? 0 : strlen(file);
  return length >= sizeof ending && strcmp(file + length - (sizeof ending - 1), ending) == 0;
}

/* By its name, or as a message whose fields are those of a model, its graph among them. */
static bool recognise(const char *bytes, size_t length, const char *file) {
  enum { VERSION_KEY = 0x08 };
  dsm__wire wire = dsm__wire_of((dsm__span){bytes, length});
  dsm__wire_field field;
  bool has_graph = false;
  bool is_model = length > 0 && bytes[0] == VERSION_KEY;
  while (is_model && dsm__wire_next(&wire, &field)) {
    is_model = is_of_model(&field);
    has_graph = has_graph || field.number == MODEL_GRAPH;
  }
  return ends_in_onnx(file) || (is_model && has_graph && !wire.is_broken);
}

/* False: inputs count samples along their second axis, and nothing was made. */
static bool lower_nodes(dsm__onnx_graph *graph) {
  dsm__onnx_lowering lowering = {.graph = graph, .read_input = DSM__ONNX_NONE};
  dsm__onnx_find_rotary(graph);
  for (size_t i = 0; i < graph->nodes.count && !lowering.has_samples_behind; i++) {
    const dsm__onnx_node *const node = &graph->nodes.items[graph->order[i]];
    dsm__onnx_lower_node(&lowering, node);
  }
  if (lowering.has_samples_behind) {
    graph->import->builder.layers.count = 0;
    graph->import->builder.workload->is_input_stated = false;
  }
  dsm__onnx_lowering_finish(&lowering);
  return !lowering.has_samples_behind;
}

/* False: it is to be read again, with samples along the second axis of inputs. */
static bool read_by(dsm__import *import, unsigned sample_axis) {
  dsm__onnx_graph graph = {.import = import, .arena = dsm__arena_new(), .sample_axis = sample_axis};
  bool is_done = true;
  if (dsm__json_lacks_memory(import->doc, graph.arena == NULL)) {
    return true;
  }
  dsm__onnx_graph_read(&graph);
  if (dsm__onnx_is_good(&graph)) {
    import->builder.workload->name = dsm__import_file_stem(import);
    is_done = lower_nodes(&graph);
    if (is_done) {
      dsm__onnx_graph_check_outputs(&graph);
      dsm__onnx_put_remarks(&graph);
    }
  }
  dsm__onnx_graph_fini(&graph);
  return is_done;
}

/* Samples are along the first axis of inputs, unless that turns out to be wrong. */
static void read(dsm__import *import) {
  if (!read_by(import, 0)) {
    (void)read_by(import, 1);
  }
}

const dsm__import_reader dsm__onnx_reader = {
    .word = "onnx",
    .help = "ONNX model",
    .recognise = recognise,
    .read = read,
};

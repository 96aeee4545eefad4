/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_graph.c: reads the nodes and values of a model's graph. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "import/onnx/model.h"

/* Fields of ModelProto, OperatorSetIdProto, GraphProto and NodeProto. */
enum { MODEL_GRAPH = 7, MODEL_OPSET = 8, OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { GRAPH_SPARSE = 15, SPARSE_VALUES = 1 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP = 4, NODE_DOMAIN = 7 };
enum { TENSOR_NAME = 8 };

/* Fields of ValueInfoProto, TypeProto, TypeProto.Tensor, TensorShapeProto and its Dimension. */
enum { INFO_NAME = 1, INFO_TYPE = 2, TYPE_TENSOR = 1, TENSOR_ELEMENT = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_NAME = 2 };

bool dsm__onnx_is_good(const dsm__onnx_graph *graph) {
  return dsm__json_doc_error_count(graph->import->doc) == 0;
}

static void out_of_memory(const dsm__onnx_graph *graph) {
  dsm__json_set_out_of_memory(graph->import->doc);
}

static void complain(const dsm__onnx_graph *graph, const char *expected, const char *found) {
  dsm__json_error(&graph->import->root, NULL, "expected %s, found %s", expected, found);
}

/* ---- values ---- */

bool dsm__onnx_shape_of(const dsm__onnx_value *value, dsm__onnx_shape *shape) {
  if (value == NULL || !value->has_shape) {
    return false;
  }
  shape->rank = value->rank;
  memcpy(shape->dims, value->dims, value->rank * sizeof shape->dims[0]);
  return true;
}

void dsm__onnx_set_shape(dsm__onnx_graph *graph, dsm__onnx_value *value,
                         const dsm__onnx_shape *shape) {
  uint64_t *const dims = dsm__arena_array(graph->arena, shape->rank, sizeof *dims);
  if (dims == NULL) {
    out_of_memory(graph);
    return;
  }
  memcpy(dims, shape->dims, shape->rank * sizeof *dims);
  value->dims = dims;
  value->rank = shape->rank;
  value->has_shape = true;
}

void dsm__onnx_set_numbers(dsm__onnx_graph *graph, dsm__onnx_value *value,
                           const dsm__onnx_numbers *numbers) {
  int64_t *const kept = dsm__arena_array(graph->arena, numbers->count, sizeof *kept);
  if (kept == NULL) {
    out_of_memory(graph);
    return;
  }
  memcpy(kept, numbers->items, numbers->count * sizeof *kept);
  value->numbers = kept;
  value->number_count = numbers->count;
}

bool dsm__onnx_numbers_of(const dsm__onnx_value *value, dsm__onnx_numbers *numbers) {
  numbers->count = 0;
  if (value == NULL || value->numbers == NULL) {
    return false;
  }
  numbers->count = value->number_count;
  memcpy(numbers->items, value->numbers, numbers->count * sizeof numbers->items[0]);
  return true;
}

bool dsm__onnx_elements(const dsm__onnx_shape *shape, uint64_t *elements) {
  *elements = 1;
  for (unsigned i = 0; i < shape->rank; i++) {
    if (dsm__ckd_mul_u64(elements, *elements, shape->dims[i]) || *elements > DSM_PRODUCT_MAX) {
      return false;
    }
  }
  return true;
}

static bool has_name(const void *context, size_t index, const void *key) {
  const dsm__onnx_graph *const graph = context;
  const dsm__span *const name = key;
  const dsm__span known = graph->values.items[index].name;
  return known.length == name->length && memcmp(known.bytes, name->bytes, name->length) == 0;
}

/* The value of that name, which is made if it is new; DSM__ONNX_NONE for no name, or where there
 * are too many, which is reported. */
static uint32_t find_value(dsm__onnx_graph *graph, dsm__span name) {
  if (name.length == 0) {
    return DSM__ONNX_NONE;
  }
  const uint32_t hash = dsm__map_hash(0, name.bytes, name.length);
  const size_t found = dsm__map_find(&graph->names, hash, has_name, graph, &name);
  if (found != DSM__MAP_NONE) {
    return (uint32_t)found;
  }
  if (graph->values.count >= DSM__ONNX_VALUES_MAX) {
    complain(graph, "at most 524288 values", "more");
    return DSM__ONNX_NONE;
  }
  if (!DSM__LIST_RESERVE(&graph->values, 1) ||
      !dsm__map_add(&graph->names, hash, graph->values.count)) {
    out_of_memory(graph);
    return DSM__ONNX_NONE;
  }
  graph->values.items[graph->values.count] =
      (dsm__onnx_value){.name = name, .node = DSM__ONNX_NONE, .tensor = {"", 0}};
  return (uint32_t)graph->values.count++;
}

/* ---- nodes ---- */

dsm__onnx_value *dsm__onnx_input(const dsm__onnx_graph *graph, const dsm__onnx_node *node,
                                 size_t position) {
  const uint32_t link = position < node->input_count
                            ? graph->links.items[node->first_input + position]
                            : DSM__ONNX_NONE;
  return link == DSM__ONNX_NONE ? NULL : &graph->values.items[link];
}

dsm__onnx_value *dsm__onnx_output(const dsm__onnx_graph *graph, const dsm__onnx_node *node,
                                  size_t position) {
  const uint32_t link = position < node->output_count
                            ? graph->links.items[node->first_output + position]
                            : DSM__ONNX_NONE;
  return link == DSM__ONNX_NONE ? NULL : &graph->values.items[link];
}

/* Adds the names of a node's field as links; their count, which must be small. */
static bool add_links(dsm__onnx_graph *graph, dsm__span message, uint32_t number, uint32_t *first,
                      uint16_t *count) {
  dsm__wire wire = dsm__wire_of(message);
  dsm__wire_field field;
  *first = (uint32_t)graph->links.count;
  while (dsm__wire_next(&wire, &field)) {
    if (field.number != number || field.type != DSM__WIRE_BYTES) {
      continue;
    }
    const uint32_t value = find_value(graph, field.bytes);
    if (*count == UINT16_MAX || graph->links.count >= UINT32_MAX - 1) {
      complain(graph, "at most 65535 inputs and outputs of a node", "more");
      return false;
    }
    if (!DSM__LIST_PUSH(&graph->links, value)) {
      out_of_memory(graph);
      return false;
    }
    (*count)++;
  }
  return !wire.is_broken;
}

/* A node makes its first output, or, where all may be left out, one of them: what reads nodes
 * relies on that. */
static bool makes_nothing(const dsm__onnx_graph *graph, const dsm__onnx_node *node) {
  static const char *const choosers[] = {"LSTM", "GRU", "RNN", "Split", NULL};
  const size_t count = dsm__span_is_any(node->op, choosers) ? node->output_count : 1;
  bool makes_any = false;
  for (size_t i = 0; i < count; i++) {
    makes_any = makes_any || dsm__onnx_output(graph, node, i) != NULL;
  }
  return !makes_any;
}

/* Each value is made once. */
static void claim_outputs(dsm__onnx_graph *graph, uint32_t index) {
  const dsm__onnx_node *const node = &graph->nodes.items[index];
  if (makes_nothing(graph, node)) {
    dsm__onnx_error(graph, node, "expected an output that it makes, found none");
  }
  for (size_t i = 0; i < node->output_count; i++) {
    dsm__onnx_value *const value = dsm__onnx_output(graph, node, i);
    if (value != NULL && value->node != DSM__ONNX_NONE) {
      dsm__onnx_error(graph, node, "expected a value that no other node makes, found \"%.*s\"",
                      (int)(value->name.length < 80 ? value->name.length : 80), value->name.bytes);
    } else if (value != NULL) {
      value->node = index;
    }
  }
}

static bool add_node(dsm__onnx_graph *graph, dsm__span message) {
  dsm__onnx_node node = {.message = message,
                         .name = dsm__wire_find_bytes(message, NODE_NAME),
                         .op = dsm__wire_find_bytes(message, NODE_OP),
                         .domain = dsm__wire_find_bytes(message, NODE_DOMAIN)};
  if (!add_links(graph, message, NODE_INPUT, &node.first_input, &node.input_count) ||
      !add_links(graph, message, NODE_OUTPUT, &node.first_output, &node.output_count)) {
    return false;
  }
  if (graph->nodes.count >= DSM__ONNX_NODES_MAX) {
    complain(graph, "at most 262144 nodes", "more");
    return false;
  }
  if (!DSM__LIST_PUSH(&graph->nodes, node)) {
    out_of_memory(graph);
    return false;
  }
  claim_outputs(graph, (uint32_t)graph->nodes.count - 1);
  return true;
}

static bool add_initializer(dsm__onnx_graph *graph, dsm__span tensor) {
  const uint32_t link = find_value(graph, dsm__wire_find_bytes(tensor, TENSOR_NAME));
  return link == DSM__ONNX_NONE || dsm__onnx_take_tensor(graph, &graph->values.items[link], tensor);
}

static bool add_output(dsm__onnx_graph *graph, dsm__span info) {
  const uint32_t link = find_value(graph, dsm__wire_find_bytes(info, INFO_NAME));
  if (link == DSM__ONNX_NONE) {
    return true;
  }
  if (!DSM__LIST_PUSH(&graph->outputs, (dsm__onnx_declared){link, info})) {
    out_of_memory(graph);
    return false;
  }
  return true;
}

/* One field of the graph; false if it is broken. */
static bool add_member(dsm__onnx_graph *graph, const dsm__wire_field *field) {
  if (field->type != DSM__WIRE_BYTES) {
    return true;
  }
  switch (field->number) {
  case GRAPH_NODE:
    return add_node(graph, field->bytes);
  case GRAPH_INITIALIZER:
    return add_initializer(graph, field->bytes);
  case GRAPH_SPARSE:
    return add_initializer(graph, dsm__wire_find_bytes(field->bytes, SPARSE_VALUES));
  case GRAPH_OUTPUT:
    return add_output(graph, field->bytes);
  default:
    return true;
  }
}

/* ---- inputs ---- */

/* The size of a dimension of an input: as it says, as the options say, or 1 of the first. */
static uint64_t size_of_dim(const dsm__onnx_graph *graph, dsm__span input, dsm__span dim,
                            unsigned axis) {
  dsm__wire wire = dsm__wire_of(dim);
  dsm__wire_field field;
  uint64_t size = 0;
  dsm__span name = {"", 0};
  while (dsm__wire_next(&wire, &field)) {
    if (field.number == DIM_VALUE && field.type == DSM__WIRE_VARINT) {
      size = field.value > INT64_MAX ? 0 : field.value;
    } else if (field.number == DIM_NAME && field.type == DSM__WIRE_BYTES) {
      name = field.bytes;
    }
  }
  if (size > 0) {
    return size;
  }
  char own[DSM_NAME_BYTES_MAX];
  (void)snprintf(own, sizeof own, "%.*s.%u", (int)(input.length < 100 ? input.length : 100),
                 input.bytes, axis);
  size = name.length > 0 ? dsm__import_dimension(graph->import, name.bytes, name.length) : 0;
  size = size > 0 ? size : dsm__import_dimension(graph->import, own, strlen(own));
  if (size == 0 && axis != graph->sample_axis) {
    char hint[64 + 2 * DSM_NAME_BYTES_MAX];
    const bool is_named = name.length > 0 && name.length < DSM_NAME_BYTES_MAX;
    (void)snprintf(hint, sizeof hint, "--dimension %.*s=N",
                   is_named ? (int)name.length : (int)strlen(own), is_named ? name.bytes : own);
    dsm__json_error(&graph->import->root, hint,
                    "expected the size of dimension %u of input \"%.*s\", found none", axis,
                    (int)(input.length < 100 ? input.length : 100), input.bytes);
  }
  return size > 0 ? size : 1;
}

static bool read_shape(const dsm__onnx_graph *graph, dsm__span input, dsm__span message,
                       dsm__onnx_shape *shape) {
  dsm__wire wire = dsm__wire_of(message);
  dsm__wire_field field;
  shape->rank = 0;
  while (dsm__wire_next(&wire, &field)) {
    if (field.number != SHAPE_DIM || field.type != DSM__WIRE_BYTES) {
      continue;
    }
    if (shape->rank == DSM__ONNX_RANK_MAX) {
      complain(graph, "at most 8 dimensions of an input", "more");
      return false;
    }
    shape->dims[shape->rank] = size_of_dim(graph, input, field.bytes, shape->rank);
    shape->rank++;
  }
  return !wire.is_broken;
}

/* An input that is an initializer too is that. */
static bool add_input(dsm__onnx_graph *graph, dsm__span info) {
  const dsm__span name = dsm__wire_find_bytes(info, INFO_NAME);
  const uint32_t link = find_value(graph, name);
  if (link == DSM__ONNX_NONE || graph->values.items[link].kind == DSM__ONNX_CONSTANT) {
    return true;
  }
  dsm__onnx_value *const value = &graph->values.items[link];
  if (value->node != DSM__ONNX_NONE) {
    complain(graph, "inputs of the graph that no node makes", "one that is");
    return true;
  }
  value->kind = DSM__ONNX_INPUT;
  const dsm__span type = dsm__wire_find_bytes(info, INFO_TYPE);
  const dsm__span tensor = dsm__wire_find_bytes(type, TYPE_TENSOR);
  if (tensor.length == 0 || value->uses == 0) {
    return true;
  }
  dsm__wire wire = dsm__wire_of(tensor);
  dsm__wire_field field;
  while (dsm__wire_next(&wire, &field)) {
    if (field.number == TENSOR_ELEMENT && field.type == DSM__WIRE_VARINT) {
      value->is_whole = dsm__onnx_type_is_whole(field.value);
    }
  }
  dsm__onnx_shape shape;
  if (!read_shape(graph, name, dsm__wire_find_bytes(tensor, TENSOR_SHAPE), &shape)) {
    return false;
  }
  dsm__onnx_set_shape(graph, value, &shape);
  return true;
}

/* ---- outputs ---- */

/* The sizes of a declared shape; 0 where one is not stated. False: it has no shape of that rank. */
static bool declared_sizes(dsm__span info, const dsm__onnx_value *value, uint64_t *sizes) {
  const dsm__span tensor = dsm__wire_find_bytes(dsm__wire_find_bytes(info, INFO_TYPE), TYPE_TENSOR);
  dsm__wire wire = dsm__wire_of(dsm__wire_find_bytes(tensor, TENSOR_SHAPE));
  dsm__wire_field field;
  unsigned rank = 0;
  while (dsm__wire_next(&wire, &field)) {
    if (field.number != SHAPE_DIM || field.type != DSM__WIRE_BYTES) {
      continue;
    }
    if (rank == value->rank) {
      return false;
    }
    dsm__wire dim = dsm__wire_of(field.bytes);
    dsm__wire_field member;
    sizes[rank] = 0;
    while (dsm__wire_next(&dim, &member)) {
      if (member.number == DIM_VALUE && member.type == DSM__WIRE_VARINT) {
        sizes[rank] = member.value;
      }
    }
    rank++;
  }
  return rank == value->rank;
}

void dsm__onnx_graph_check_outputs(dsm__onnx_graph *graph) {
  for (size_t i = 0; i < graph->outputs.count; i++) {
    const dsm__onnx_declared *const declared = &graph->outputs.items[i];
    const dsm__onnx_value *const value = &graph->values.items[declared->value];
    uint64_t sizes[DSM__ONNX_RANK_MAX];
    if (!value->has_shape || value->node == DSM__ONNX_NONE ||
        !declared_sizes(declared->info, value, sizes)) {
      continue;
    }
    for (unsigned d = 0; d < value->rank; d++) {
      if (sizes[d] != 0 && sizes[d] != value->dims[d]) {
        dsm__onnx_error(graph, &graph->nodes.items[value->node],
                        "expected an output of the declared size, %llu along dimension %u, found "
                        "%llu",
                        (unsigned long long)sizes[d], d, (unsigned long long)value->dims[d]);
        break;
      }
    }
  }
}

/* ---- the model ---- */

static void take_opset(dsm__onnx_graph *graph, dsm__span opset) {
  const dsm__span domain = dsm__wire_find_bytes(opset, OPSET_DOMAIN);
  dsm__wire wire = dsm__wire_of(opset);
  dsm__wire_field field;
  while (dsm__wire_next(&wire, &field)) {
    if (field.number == OPSET_VERSION && field.type == DSM__WIRE_VARINT &&
        (domain.length == 0 || dsm__span_is(domain, "ai.onnx"))) {
      graph->opset = (int64_t)field.value;
    }
  }
}

static void check_opset(const dsm__onnx_graph *graph) {
  enum { OPSET_MIN = 7, OPSET_MAX = 20 };
  if (graph->opset < OPSET_MIN) {
    dsm__json_error(&graph->import->root, "convert it with onnx.version_converter",
                    "expected operators of version %d to %d, found %lld", OPSET_MIN, OPSET_MAX,
                    (long long)graph->opset);
  } else if (graph->opset > OPSET_MAX) {
    dsm__import_note(graph->import, &graph->import->root,
                     "operators of version %lld are read as those of version %d",
                     (long long)graph->opset, OPSET_MAX);
  }
}

static void read_graph(dsm__onnx_graph *graph, dsm__span message) {
  dsm__wire wire = dsm__wire_of(message);
  dsm__wire_field field;
  bool is_good = true;
  while (is_good && dsm__wire_next(&wire, &field)) {
    is_good = add_member(graph, &field);
  }
  if (dsm__onnx_is_good(graph) && (!is_good || wire.is_broken)) {
    complain(graph, "an ONNX graph", "a broken one");
  }
  if (!dsm__onnx_is_good(graph)) {
    return;
  }
  dsm__onnx_graph_order(graph);
  wire = dsm__wire_of(message);
  while (is_good && dsm__wire_next(&wire, &field)) {
    is_good = field.number != GRAPH_INPUT || field.type != DSM__WIRE_BYTES ||
              add_input(graph, field.bytes);
  }
  if (dsm__onnx_is_good(graph) && !is_good) {
    complain(graph, "inputs of an ONNX graph", "a broken one");
  }
}

void dsm__onnx_graph_read(dsm__onnx_graph *graph) {
  dsm__wire wire = dsm__wire_of((dsm__span){graph->import->bytes, graph->import->length});
  dsm__wire_field field;
  dsm__span message = {"", 0};
  while (dsm__wire_next(&wire, &field)) {
    if (field.number == MODEL_GRAPH && field.type == DSM__WIRE_BYTES) {
      message = field.bytes;
    } else if (field.number == MODEL_OPSET && field.type == DSM__WIRE_BYTES) {
      take_opset(graph, field.bytes);
    }
  }
  if (wire.is_broken) {
    complain(graph, "an ONNX model", "one that is broken, perhaps cut off");
    return;
  }
  if (message.length == 0) {
    complain(graph, "an ONNX model with a graph", "none");
    return;
  }
  if (graph->sample_axis == 0) { /* else it is read again */
    check_opset(graph);
  }
  read_graph(graph, message);
}

void dsm__onnx_graph_fini(dsm__onnx_graph *graph) {
  free(graph->nodes.items);
  free(graph->values.items);
  free(graph->links.items);
  free(graph->outputs.items);
  free(graph->remarks.items);
  dsm__map_fini(&graph->names);
  dsm__arena_free(graph->arena);
}

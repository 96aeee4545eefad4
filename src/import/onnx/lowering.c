/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/onnx/lowering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "workload/layers/layer_kind.h"
#include "workload/workload_internal.h"

static dsm__workload_builder *builder_of(const dsm__onnx_lowering *of) {
  return &of->graph->import->builder;
}

static void out_of_memory(const dsm__onnx_lowering *of) {
  dsm__json_set_out_of_memory(of->graph->import->doc);
}

/* ---- names ---- */

static bool has_layer_name(const void *context, size_t index, const void *key) {
  const dsm__workload_builder *const builder = context;
  const char *const name = builder->layers.items[index].spec.name;
  return strcmp(name, key) == 0;
}

static bool is_name_free(const dsm__onnx_lowering *of, const char *name) {
  const uint32_t hash = dsm__map_hash(0, name, strlen(name));
  return dsm__map_find(&of->names, hash, has_layer_name, builder_of(of), name) == DSM__MAP_NONE;
}

/* A node's name as a layer may have it: of characters that can be shown, and not too long. */
static bool is_name_fit(dsm__span name) {
  enum { LONGEST = DSM_NAME_BYTES_MAX - 24 }; /* a suffix and a number fit behind it */
  bool is_fit = name.length > 0 && name.length <= LONGEST && name.bytes[0] != '@';
  for (size_t at = 0; is_fit && at < name.length;) {
    const size_t size = dsm__utf8_length(name.bytes + at, name.length - at);
    is_fit = size > 0 && dsm__utf8_is_shown(name.bytes + at, size);
    at += size;
  }
  return is_fit;
}

static const char *name_layer(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                              const char *suffix) {
  const size_t index = (size_t)(node - of->graph->nodes.items);
  char base[DSM_NAME_BYTES_MAX + 1];
  char name[2 * DSM_NAME_BYTES_MAX];
  if (is_name_fit(node->name)) {
    (void)snprintf(base, sizeof base, "%.*s", (int)node->name.length, node->name.bytes);
  } else {
    (void)snprintf(base, sizeof base, "%.*s_%zu",
                   (int)(node->op.length < 40 ? node->op.length : 40), node->op.bytes, index);
  }
  (void)snprintf(name, sizeof name, "%s%s", base, suffix == NULL ? "" : suffix);
  for (size_t i = index; !is_name_free(of, name); i++) {
    (void)snprintf(name, sizeof name, "%s%s_%zu", base, suffix == NULL ? "" : suffix, i);
  }
  return dsm__arena_strdup(builder_of(of)->workload->arena, name);
}

/* ---- what layers read ---- */

bool dsm__onnx_need_shape(dsm__onnx_lowering *of, const dsm__onnx_node *node, size_t position,
                          dsm__onnx_shape *shape) {
  const dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, position);
  uint64_t elements = 0;
  if (value == NULL) {
    dsm__onnx_error(of->graph, node, "expected an input %zu, found none", position);
    return false;
  }
  if (!dsm__onnx_shape_of(value, shape)) {
    if (value->kind != DSM__ONNX_UNKNOWN || value->node == DSM__ONNX_NONE) {
      dsm__onnx_error(of->graph, node,
                      "expected input %zu of a known shape, found none for \"%.*s\"", position,
                      (int)(value->name.length < 80 ? value->name.length : 80), value->name.bytes);
    }
    return false; /* what makes it was not understood, and reported */
  }
  if (!dsm__onnx_elements(shape, &elements) || elements == 0) {
    dsm__onnx_error(of->graph, node, "expected input %zu of 1 to 2^53 elements, found %s", position,
                    elements == 0 ? "none" : "more");
    return false;
  }
  return true;
}

bool dsm__onnx_settle_samples(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                              uint64_t samples) {
  if (of->samples == 0) {
    of->samples = samples;
    builder_of(of)->workload->minibatch = samples;
    if (samples > DSM_DIMENSION_MAX) {
      dsm__onnx_error(of->graph, node, "expected at most %d samples, found %llu", DSM_DIMENSION_MAX,
                      (unsigned long long)samples);
      return false;
    }
  }
  if (of->samples != samples) {
    dsm__onnx_error(of->graph, node,
                    "expected %llu samples along this dimension, as layers before have, found %llu",
                    (unsigned long long)of->samples, (unsigned long long)samples);
    return false;
  }
  return true;
}

bool dsm__onnx_settle_samples_of(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                 size_t position, const dsm__onnx_shape *shape) {
  const dsm__onnx_view *const view =
      dsm__onnx_view_of(of, dsm__onnx_input(of->graph, node, position));
  const int axis = view == NULL ? -1 : dsm__onnx_sample_axis(of, view, shape);
  return dsm__onnx_settle_samples(of, node, shape->dims[axis < 0 ? 0 : axis]);
}

/* Numbers of rows of tables: as many of other tables are as good as the same. */
static bool are_both_ids(const dsm__onnx_lowering *of, uint32_t input,
                         const dsm__onnx_reading *reading) {
  const dsm_workload *const workload = builder_of(of)->workload;
  const dsm__onnx_value *const values = of->graph->values.items;
  return values[input].is_whole && values[of->read_input].is_whole &&
         reading->features == workload->input_features &&
         reading->size.rows == workload->input_size.rows &&
         reading->size.columns == workload->input_size.columns;
}

/* The network's input, of which there is one, is what the first layer that reads it needs; behind a
 * pool its shape tells that. */
static bool state_input(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                        const dsm__onnx_reading *reading, uint32_t input) {
  dsm_workload *const workload = builder_of(of)->workload;
  const dsm__onnx_value *const value = &of->graph->values.items[input];
  dsm__onnx_shape shape;
  if (of->read_input != DSM__ONNX_NONE) {
    if (of->read_input == input || are_both_ids(of, input, reading)) {
      return true;
    }
    dsm__onnx_error(of->graph, node,
                    "expected layers that read one input of the graph, found a second one, "
                    "\"%.*s\"",
                    (int)(value->name.length < 80 ? value->name.length : 80), value->name.bytes);
    return false;
  }
  of->read_input = input;
  workload->is_input_stated = true;
  workload->input_features = reading->features;
  workload->input_size = reading->size;
  if (reading->value->view->waiting_count > 0 && dsm__onnx_shape_of(value, &shape)) {
    enum { IMAGE_RANK = 4 };
    workload->input_features = shape.rank > 1 ? shape.dims[1] : reading->features;
    workload->input_size = (dsm_size2){shape.rank > 2 ? shape.dims[2] : 1,
                                       shape.rank >= IMAGE_RANK ? shape.dims[3] : 1};
  }
  if (workload->input_features > DSM_DIMENSION_MAX || workload->input_size.rows > DSM_SIDE_MAX ||
      workload->input_size.columns > DSM_SIDE_MAX) {
    dsm__onnx_error(of->graph, node,
                    "expected an input of at most %d features and sides of %d, "
                    "found more",
                    DSM_DIMENSION_MAX, DSM_SIDE_MAX);
    return false;
  }
  return true;
}

static bool name_inputs(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                        const dsm__onnx_reading *reading, dsm_layer_spec *spec, size_t own_index) {
  const dsm__onnx_view *const view = reading->value->view;
  const uint32_t *layers = NULL;
  size_t count = 0;
  if (!dsm__onnx_view_layers(of, view, &layers, &count)) {
    dsm__onnx_error(of->graph, node,
                    "expected to read all of what a layer delivers, found a part of it");
    return false;
  }
  const char **const names =
      dsm__arena_array(builder_of(of)->workload->arena, count, sizeof *names);
  if (names == NULL) {
    out_of_memory(of);
    return false;
  }
  bool is_good = true;
  for (size_t i = 0; i < count; i++) {
    const bool is_network = layers[i] == DSM__ONNX_NETWORK;
    is_good = is_good && (!is_network || state_input(of, node, reading, view->parts[i].input));
    names[i] = is_network ? DSM__INPUT_NAME : builder_of(of)->layers.items[layers[i]].spec.name;
  }
  const uint32_t before = own_index == 0 ? DSM__ONNX_NETWORK : (uint32_t)own_index - 1;
  if (count != 1 || layers[0] != before) { /* else it is what is meant without */
    spec->inputs = names;
    spec->input_count = count;
  }
  return is_good;
}

/* ---- layers ---- */

static dsm_layer_spec *add_declared(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                    const char *suffix) {
  const dsm__json_node place = dsm__onnx_place(of->graph, node);
  const char *const name = name_layer(of, node, suffix);
  const size_t index = builder_of(of)->layers.count;
  if (index > DSM_LAYERS_MAX) {
    return NULL; /* too many, which is reported once they are counted */
  }
  if (name == NULL || !DSM__LIST_RESERVE(&of->layers, 1) ||
      !dsm__map_add(&of->names, dsm__map_hash(0, name, strlen(name)), index)) {
    out_of_memory(of);
    return NULL;
  }
  dsm__declared_layer *const layer = dsm__builder_add(builder_of(of), &place);
  if (layer == NULL) {
    return NULL;
  }
  of->layers.items[of->layers.count++] = (dsm__onnx_layer){.elements = 0};
  layer->spec.name = name;
  return &layer->spec;
}

dsm_layer_spec *dsm__onnx_add_declared(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                       dsm_layer_type type) {
  dsm_layer_spec *const spec = add_declared(of, node, NULL);
  if (spec != NULL) {
    spec->type = type;
  }
  return spec;
}

static bool is_norm(dsm_aux_op op) {
  return op == DSM_AUX_LAYER_NORM || op == DSM_AUX_RMS_NORM;
}

/* What waits for the input of a layer that reads it. A norm is that of the first layer that reads
 * the value. */
static bool take_waiting(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *value,
                         dsm_layer_type type) {
  const dsm__onnx_view *const view = value->view;
  dsm__onnx_layer *const layer = &of->layers.items[of->layers.count - 1];
  if (view->waiting_count > 0 && !dsm__layer_kind_of(type)->works_on_input) {
    dsm__onnx_error(of->graph, node,
                    "expected an input that a layer delivers as it is, found one that is to be "
                    "worked on before it is read (%s)",
                    dsm_aux_op_name(view->waiting[0].op));
    return false;
  }
  bool is_repeated = false;
  dsm__onnx_value *const shared = view->normed == NULL ? value : view->normed;
  for (size_t i = 0; i < view->waiting_count; i++) {
    dsm_aux *const aux = &layer->aux[layer->aux_count++];
    *aux = view->waiting[i];
    aux->is_on_input = true;
    if (is_norm(aux->op) && shared->taker > 0) {
      aux->from = builder_of(of)->layers.items[shared->taker - 1].spec.name;
    }
    is_repeated = is_repeated || (!is_norm(aux->op) && value->uses > 1);
  }
  if (view->waiting_count > 0 && shared->taker == 0) {
    shared->taker = (uint32_t)of->layers.count;
  }
  if (is_repeated) {
    dsm__onnx_remark_on(of->graph, node,
                        "does itself what is done to its input, which others read too");
  }
  return true;
}

/* Nothing but the weighing of values reads scores. */
static bool can_read(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *value,
                     bool takes_padding) {
  const dsm__onnx_view *const view = dsm__onnx_view_of(of, value);
  if (view == NULL && (value == NULL || value->kind != DSM__ONNX_UNKNOWN)) {
    dsm__onnx_error(of->graph, node, "expected an input that is no constant, found one");
  } else if (view != NULL && view->scores != NULL) {
    dsm__onnx_error(of->graph, node,
                    "expected scores of attention to be read by a MatMul behind a Softmax, found "
                    "another reader");
  } else if (view != NULL && (view->padded.rows | view->padded.columns) != 0 && !takes_padding) {
    dsm__onnx_error(of->graph, node,
                    "expected padding to be read by a convolution or pool, found another reader");
    return false;
  }
  return view != NULL && view->scores == NULL;
}

/* Data is moved for a layer that reads it. Heads and positions of attention change places within
 * it.
 */
static void remark_on_move(dsm__onnx_lowering *of, const dsm__onnx_view *view) {
  const uint32_t layer = view->parts[0].layer;
  const bool is_attention = layer != DSM__ONNX_NETWORK &&
                            builder_of(of)->layers.items[layer].spec.type == DSM_LAYER_ATTENTION;
  if (view->mover != NULL && !is_attention) {
    dsm__onnx_remark_on(of->graph, view->mover, "moves data, which costs nothing here");
  }
}

dsm_layer_spec *dsm__onnx_add_layer(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                    const dsm__onnx_reading *reading, dsm_layer_type type) {
  if (!can_read(of, node, reading->value, type == DSM_LAYER_CONV)) {
    return NULL;
  }
  dsm_layer_spec *const spec = add_declared(of, node, reading->suffix);
  if (spec == NULL || !name_inputs(of, node, reading, spec, of->layers.count - 1) ||
      !take_waiting(of, node, reading->value, type)) {
    return NULL;
  }
  remark_on_move(of, reading->value->view);
  spec->type = type;
  spec->in = reading->features;
  return spec;
}

/* What the formats allow of a layer's keys, which nothing behind checks again. */
static bool is_within_limits(const dsm_layer_spec *spec) {
  const dsm_size2 sizes[] = {spec->feature, spec->kernel, spec->stride, spec->dilation,
                             spec->padding};
  bool is_within = spec->in >= 1 && spec->in <= DSM_DIMENSION_MAX && spec->out >= 1 &&
                   spec->out <= DSM_DIMENSION_MAX && spec->timesteps <= DSM_SIDE_MAX &&
                   spec->vocabulary <= DSM_DIMENSION_MAX && spec->context <= DSM_SIDE_MAX;
  for (size_t i = 0; i < DSM__COUNT_OF(sizes); i++) {
    is_within = is_within && sizes[i].rows <= DSM_SIDE_MAX && sizes[i].columns <= DSM_SIDE_MAX;
  }
  return is_within;
}

/* Where the samples of what a layer delivers are: of rows where they are in what it reads. */
static uint64_t delivered_before(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                 const dsm_layer_spec *spec) {
  if (dsm__span_is(node->op, "Gather")) {
    return dsm__onnx_view_of(of, dsm__onnx_input(of->graph, node, 1))->before;
  }
  const bool is_product = dsm__span_is(node->op, "MatMul") || dsm__span_is(node->op, "Gemm");
  const dsm__onnx_view *const read = dsm__onnx_view_of(of, dsm__onnx_input(of->graph, node, 0));
  return is_product && read != NULL ? read->before : spec->timesteps > 1 ? 0 : 1;
}

void dsm__onnx_deliver(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *output,
                       const dsm__onnx_shape *shape) {
  const uint32_t index = (uint32_t)of->layers.count - 1;
  const dsm_layer_spec *const spec = &builder_of(of)->layers.items[index].spec;
  dsm__onnx_layer *const layer = &of->layers.items[index];
  if (!dsm__onnx_elements(shape, &layer->elements) || !is_within_limits(spec)) {
    dsm__onnx_error(of->graph, node,
                    "expected features up to %d, sides up to %d and an output of at most 2^53 "
                    "elements, found more",
                    DSM_DIMENSION_MAX, DSM_SIDE_MAX);
    return;
  }
  layer->features = spec->is_bidirectional ? 2 * spec->out : spec->out;
  layer->size = spec->feature;
  dsm__onnx_view *const view = dsm__onnx_view_of_layer(of, index);
  if (view != NULL) {
    view->before = delivered_before(of, node, spec);
    dsm__onnx_make(of, output, shape, view);
  }
}

/* What only turns or renames weights leaves them what they are. */
static dsm__onnx_value *origin_of(const dsm__onnx_graph *graph, dsm__onnx_value *weights) {
  enum { STEPS_MAX = 8 };
  dsm__onnx_value *origin = weights;
  for (int i = 0; i < STEPS_MAX && origin != NULL && origin->node != DSM__ONNX_NONE; i++) {
    const dsm__onnx_node *const node = &graph->nodes.items[origin->node];
    if (!dsm__span_is(node->op, "Transpose") && !dsm__span_is(node->op, "Identity") &&
        !dsm__span_is(node->op, "Cast")) {
      break;
    }
    origin = dsm__onnx_input(graph, node, 0);
  }
  return origin;
}

/* Ties the layer that was added last to an earlier one, where layers of their types can be. */
static bool tie(const dsm__onnx_lowering *of, uint32_t earlier) {
  dsm__declared_layer *const layers = builder_of(of)->layers.items;
  const dsm_layer_spec *const to = &layers[earlier].spec;
  dsm_layer_spec *const spec = &layers[of->layers.count - 1].spec;
  const uint64_t rows = to->type == DSM_LAYER_EMBEDDING ? to->vocabulary : to->in;
  const bool can_tie = spec->type == DSM_LAYER_FC &&
                       (to->type == DSM_LAYER_FC || to->type == DSM_LAYER_EMBEDDING) &&
                       rows * to->out == spec->in * spec->out;
  if (can_tie) {
    spec->tied_to = to->name;
  }
  return can_tie;
}

void dsm__onnx_take_weights(dsm__onnx_lowering *of, const dsm__onnx_node *node, size_t position) {
  dsm__onnx_value *const origin = origin_of(of->graph, dsm__onnx_input(of->graph, node, position));
  if (origin == NULL) {
    return;
  }
  const dsm_layer_type type = builder_of(of)->layers.items[of->layers.count - 1].spec.type;
  const bool is_matrix = type == DSM_LAYER_FC || type == DSM_LAYER_EMBEDDING;
  dsm__onnx_value *const first =
      origin->taker == 0 && is_matrix ? dsm__onnx_twin_of(of, origin) : origin;
  if (first->taker == 0) {
    first->taker = (uint32_t)of->layers.count;
  } else if (!tie(of, first->taker - 1)) {
    dsm__onnx_remark_on(of->graph, node,
                        "shares its weights, which are counted once for each layer");
  }
}

void dsm__onnx_add_aux(dsm__onnx_lowering *of, dsm_aux_op op) {
  dsm__onnx_layer *const layer = &of->layers.items[of->layers.count - 1];
  layer->aux[layer->aux_count++] = (dsm_aux){.op = op};
}

void dsm__onnx_lowering_finish(dsm__onnx_lowering *of) {
  dsm__arena *const arena = builder_of(of)->workload->arena;
  for (size_t i = 0; i < of->layers.count && i < builder_of(of)->layers.count; i++) {
    const dsm__onnx_layer *const layer = &of->layers.items[i];
    dsm_layer_spec *const spec = &builder_of(of)->layers.items[i].spec;
    dsm_aux *const aux = dsm__arena_array(arena, layer->aux_count, sizeof *aux);
    if (aux == NULL) {
      out_of_memory(of);
      break;
    }
    memcpy(aux, layer->aux, layer->aux_count * sizeof *aux);
    spec->aux = aux;
    spec->aux_count = layer->aux_count;
  }
  free(of->layers.items);
  free(of->listed.items);
  free(of->matrices.items);
  dsm__map_fini(&of->twins);
  dsm__map_fini(&of->names);
}

/* ---- nodes ---- */

/* A value that is not there yet may be one of what was not understood: nothing more is said. */
static bool are_inputs_known(const dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    const dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, i);
    if (value == NULL || value->kind != DSM__ONNX_UNKNOWN) {
      continue;
    }
    if (value->node == DSM__ONNX_NONE) {
      dsm__onnx_error(of->graph, node, "expected an input that is made somewhere, found \"%.*s\"",
                      (int)(value->name.length < 80 ? value->name.length : 80), value->name.bytes);
    }
    return false;
  }
  return true;
}

void dsm__onnx_lower_node(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  const dsm__onnx_operator *const row = dsm__onnx_operator_of(node);
  if (row == NULL) {
    const int shown = (int)(node->domain.length < 40 ? node->domain.length : 40);
    dsm__onnx_error(of->graph, node, "expected an operator that can be read, found %.*s%s%.*s",
                    shown, node->domain.bytes, shown > 0 ? "." : "",
                    (int)(node->op.length < 80 ? node->op.length : 80), node->op.bytes);
  } else if (!node->is_done && are_inputs_known(of, node)) {
    if (!dsm__onnx_fold(of, node) && !dsm__onnx_take_group(of, node)) {
      row->lower(of, node);
    }
    dsm__onnx_find_pattern(of, node);
  }
}

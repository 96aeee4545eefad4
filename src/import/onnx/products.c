/* SPDX-License-Identifier: GPL-3.0-or-later */
/* products.c: Gemm and MatMul: by weights, and of two activations. */
#include "import/onnx/lowering.h"

/* What is multiplied by weights: rows of so many features. */
typedef struct rows {
  uint64_t features;
  uint64_t positions; /**< of a sample */
} rows;

static dsm_layer_spec *spec_of(const dsm__onnx_lowering *of, uint32_t layer) {
  return &of->graph->import->builder.layers.items[layer].spec;
}

/* The layer that a view begins with; NULL: the network's input. */
static const dsm_layer_spec *first_spec(const dsm__onnx_lowering *of, const dsm__onnx_view *view) {
  const uint32_t layer = view->parts[0].layer;
  return layer == DSM__ONNX_NETWORK ? NULL : spec_of(of, layer);
}

/* Rows of a matrix [..., features]: those of all samples, which the first dimension counts unless
 * that is known. */
static bool count_rows(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                       const dsm__onnx_shape *shape, rows *counted) {
  const dsm__onnx_shape leading = {.rank = shape->rank - 1};
  dsm__onnx_shape all = leading;
  uint64_t count = 0;
  for (unsigned i = 0; i < all.rank; i++) {
    all.dims[i] = shape->dims[i];
  }
  if (all.rank == 0 || (of->samples == 0 && !dsm__onnx_settle_samples_of(of, node, 0, &all)) ||
      !dsm__onnx_elements(&all, &count) || count % of->samples != 0 ||
      count / of->samples > DSM_SIDE_MAX) {
    dsm__onnx_error(of->graph, node,
                    "expected 1 to %d rows for each of %llu samples, found another number",
                    DSM_SIDE_MAX, (unsigned long long)of->samples);
    return false;
  }
  *counted = (rows){.features = shape->dims[shape->rank - 1], .positions = count / of->samples};
  return true;
}

/* Rows are timesteps where what is read has as many, and else positions. */
static void set_positions(const dsm__onnx_lowering *of, const dsm__onnx_view *view, rows read,
                          dsm_layer_spec *spec) {
  const dsm_layer_spec *const from = first_spec(of, view);
  const bool had_positions = from != NULL && from->has_positions && from->feature.rows > 1;
  if (from != NULL && from->timesteps > 1 && from->timesteps == read.positions) {
    spec->timesteps = read.positions;
  } else if (read.positions > 1 || had_positions) {
    spec->has_positions = true;
    spec->feature.rows = read.positions;
  }
}

/* An fc of weights [features, out]. */
static void add_fc(dsm__onnx_lowering *of, const dsm__onnx_node *node, const dsm__onnx_shape *input,
                   uint64_t out, bool has_bias) {
  rows read;
  if (!count_rows(of, node, input, &read)) {
    return;
  }
  dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, 0);
  const dsm__onnx_reading reading = {
      .value = value, .features = read.features, .size = {read.positions, 1}};
  dsm_layer_spec *const spec = dsm__onnx_add_layer(of, node, &reading, DSM_LAYER_FC);
  if (spec == NULL) {
    return;
  }
  spec->out = out;
  set_positions(of, value->view, read, spec);
  dsm__onnx_take_weights(of, node, 1);
  if (has_bias) {
    dsm__onnx_add_aux(of, DSM_AUX_BIAS);
  }
  dsm__onnx_shape shape = *input;
  shape.dims[shape.rank - 1] = out;
  dsm__onnx_deliver(of, node, dsm__onnx_output(of->graph, node, 0), &shape);
}

/* Weights are constants; an input of the graph that is a matrix may stand for them, where it is the
 * second factor. */
static bool is_weights(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                       const dsm__onnx_value *value) {
  enum { MATRIX_RANK = 2 };
  if (value->kind == DSM__ONNX_INPUT && value->rank == MATRIX_RANK) {
    dsm__onnx_remark_on(of->graph, node, "takes an input of the graph for its weights");
    return true;
  }
  return value->kind == DSM__ONNX_CONSTANT;
}

void dsm__onnx_lower_gemm(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  enum { MATRIX_RANK = 2 };
  dsm__onnx_shape a;
  dsm__onnx_shape b;
  if (!dsm__onnx_need_shape(of, node, 0, &a) || !dsm__onnx_need_shape(of, node, 1, &b)) {
    return;
  }
  const bool is_turned = dsm__onnx_attribute(node, "transB", 0) != 0;
  if (a.rank != MATRIX_RANK || b.rank != MATRIX_RANK ||
      dsm__onnx_attribute(node, "transA", 0) != 0 ||
      !is_weights(of, node, dsm__onnx_input(of->graph, node, 1)) ||
      a.dims[1] != b.dims[is_turned ? 1 : 0]) {
    dsm__onnx_error(of->graph, node,
                    "expected rows of features times a matrix of weights for as many, found "
                    "others");
    return;
  }
  add_fc(of, node, &a, b.dims[is_turned ? 0 : 1], dsm__onnx_input(of->graph, node, 2) != NULL);
}

/* ---- products of activations ---- */

/* Does the product of queries and keys lead, by operations on its elements and a Softmax, to the
 * product with values? */
static bool are_scores(const dsm__onnx_lowering *of, const dsm__onnx_value *product) {
  static const char *const between[] = {"Mul",     "Div",  "Add",      "Sub",     "Where",
                                        "Softmax", "Cast", "Dropout",  "Tanh",    "Max",
                                        "Min",     "Clip", "Identity", "Reshape", NULL};
  enum { LONGEST_CHAIN = 16 };
  const dsm__onnx_graph *const graph = of->graph;
  bool is_softmaxed = false;
  for (int i = 0; i < LONGEST_CHAIN && product != NULL && product->reader_count == 1; i++) {
    const dsm__onnx_node *const reader = &graph->nodes.items[graph->readers[product->readers]];
    if (dsm__span_is(reader->op, "MatMul")) {
      return is_softmaxed && dsm__onnx_input(graph, reader, 0) == product;
    }
    if (!dsm__span_is_any(reader->op, between)) {
      return false;
    }
    is_softmaxed = is_softmaxed || dsm__span_is(reader->op, "Softmax");
    product = dsm__onnx_output(graph, reader, 0);
  }
  return false;
}

bool dsm__onnx_scales_scores(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                             const dsm__onnx_value *by) {
  static const char *const between[] = {"Mul",     "Div",       "Transpose", "Reshape",
                                        "Squeeze", "Unsqueeze", "Cast",      NULL};
  enum { LONGEST_CHAIN = 8 };
  const dsm__onnx_graph *const graph = of->graph;
  dsm__onnx_shape shape;
  uint64_t elements = 0;
  const bool is_scale = dsm__span_is(node->op, "Mul") || dsm__span_is(node->op, "Div");
  if (!is_scale || !dsm__onnx_shape_of(by, &shape) || !dsm__onnx_elements(&shape, &elements) ||
      elements != 1) {
    return false;
  }
  for (int i = 0; i < LONGEST_CHAIN; i++) {
    const dsm__onnx_value *const made = dsm__onnx_output(graph, node, 0);
    if (made == NULL || made->reader_count != 1) {
      return false;
    }
    node = &graph->nodes.items[graph->readers[made->readers]];
    const dsm__onnx_value *const product = dsm__onnx_output(graph, node, 0);
    if (dsm__span_is(node->op, "MatMul")) {
      return product != NULL && are_scores(of, product);
    }
    if (!dsm__span_is_any(node->op, between)) {
      return false;
    }
  }
  return false;
}

/* The shape of a product of matrices, whose leading dimensions are broadcast. */
static bool product_shape(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                          const dsm__onnx_shape *a, const dsm__onnx_shape *b,
                          dsm__onnx_shape *product) {
  dsm__onnx_shape lead_a = *a;
  dsm__onnx_shape lead_b = *b;
  const bool are_matrices = a->rank >= 2 && b->rank >= 2;
  lead_a.rank = are_matrices ? a->rank - 2 : 0;
  lead_b.rank = are_matrices ? b->rank - 2 : 0;
  if (!are_matrices || a->dims[a->rank - 1] != b->dims[b->rank - 2] ||
      !dsm__onnx_broadcast(&lead_a, &lead_b, product)) {
    dsm__onnx_error(of->graph, node, "expected matrices that can be multiplied, found others");
    return false;
  }
  product->dims[product->rank++] = a->dims[a->rank - 2];
  product->dims[product->rank++] = b->dims[b->rank - 1];
  return true;
}

/* Heads are what is between the samples and the rows. */
static bool count_heads(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                        const dsm__onnx_shape *shape, uint64_t *heads) {
  uint64_t all = 1;
  dsm__onnx_shape leading = *shape;
  leading.rank = shape->rank - 2;
  if (!dsm__onnx_elements(&leading, &all) ||
      (of->samples == 0 && !dsm__onnx_settle_samples_of(of, node, 0, shape)) ||
      all % of->samples != 0 || all / of->samples > DSM_SIDE_MAX) {
    dsm__onnx_error(of->graph, node, "expected heads for each of %llu samples, found others",
                    (unsigned long long)of->samples);
    return false;
  }
  *heads = all / of->samples;
  return true;
}

/* Are queries of one sample compared with keys of another? Then the inputs count samples along
 * their second axis. */
static bool mixes_samples(const dsm__onnx_lowering *of, const dsm__onnx_view *queries,
                          const dsm__onnx_shape *shape) {
  const int axis = dsm__onnx_sample_axis(of, queries, shape);
  return axis >= 0 && (unsigned)axis + 2 >= shape->rank && (of->samples > 1 || queries->before > 1);
}

static void keep_scores(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                        const dsm__onnx_shape *a, const dsm__onnx_shape *product) {
  dsm__onnx_value *const queries = dsm__onnx_input(of->graph, node, 0);
  dsm__onnx_scores *const scores = dsm__arena_alloc(of->graph->arena, sizeof *scores);
  dsm__onnx_view *const view = dsm__onnx_view_through(of, queries);
  uint64_t heads = 0;
  if (dsm__json_lacks_memory(of->graph->import->doc, scores == NULL || view == NULL)) {
    return;
  }
  if (mixes_samples(of, queries->view, a)) {
    of->has_samples_behind = of->graph->sample_axis == 0 && dsm__onnx_is_good(of->graph);
    if (!of->has_samples_behind) {
      dsm__onnx_error(of->graph, node,
                      "expected queries and keys of one sample each, along the first or the second "
                      "dimension of the inputs, found scores of several");
    }
    return;
  }
  if (!count_heads(of, node, product, &heads)) {
    return;
  }
  *scores = (dsm__onnx_scores){.queries = queries,
                               .keys = dsm__onnx_input(of->graph, node, 1),
                               .heads = heads,
                               .features = a->dims[a->rank - 1],
                               .positions = product->dims[product->rank - 2],
                               .context = product->dims[product->rank - 1]};
  view->scores = scores;
  dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), product, view);
}

/* A product for each sample or timestep, of one row. */
static void add_matmul(dsm__onnx_lowering *of, const dsm__onnx_node *node, const dsm__onnx_shape *a,
                       const dsm__onnx_shape *b, const dsm__onnx_shape *product) {
  dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, 0);
  dsm__onnx_value *const factor = dsm__onnx_input(of->graph, node, 1);
  const dsm__onnx_view *const other = dsm__onnx_view_of(of, factor);
  rows read;
  if (!count_rows(of, node, a, &read)) {
    return;
  }
  const dsm_layer_spec *const from = first_spec(of, value->view);
  const bool are_timesteps =
      read.positions > 1 && from != NULL && from->timesteps == read.positions;
  if (dsm__onnx_view_layer(of, other) == NULL || (read.positions > 1 && !are_timesteps)) {
    dsm__onnx_error(of->graph, node,
                    "expected a product of two activations in attention (before or behind a "
                    "Softmax), or of one row a sample by what one layer delivers, found another");
    return;
  }
  const uint32_t operand = other->parts[0].layer;
  const dsm__onnx_reading reading = {.value = value, .features = read.features, .size = {1, 1}};
  dsm_layer_spec *const spec = dsm__onnx_add_layer(of, node, &reading, DSM_LAYER_MATMUL);
  if (spec == NULL) {
    return;
  }
  spec->out = product->dims[product->rank - 1];
  spec->timesteps = read.positions;
  spec->operand = spec_of(of, operand)->name;
  spec->operand_elements = b->dims[b->rank - 1] * b->dims[b->rank - 2];
  dsm__onnx_deliver(of, node, dsm__onnx_output(of->graph, node, 0), product);
}

/* ---- attention ---- */

/* The one layer that a value is a part of, nothing waiting; DSM__ONNX_NETWORK: there is none. */
static uint32_t only_layer(const dsm__onnx_view *view) {
  uint32_t layer = view->parts[0].layer;
  for (size_t i = 1; i < view->count; i++) {
    layer = view->parts[i].layer == layer ? layer : DSM__ONNX_NETWORK;
  }
  return view->waiting_count > 0 || view->scores != NULL ? DSM__ONNX_NETWORK : layer;
}

static uint64_t elements_of(const dsm__onnx_view *view) {
  uint64_t elements = 0;
  for (size_t i = 0; i < view->count; i++) {
    elements += view->parts[i].elements;
  }
  return elements;
}

/* Queries, keys and values are all of three layers, or together all of one. */
static bool read_attention(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           dsm__onnx_value *const *values, dsm_layer_spec *spec) {
  enum { PARTS = 3 };
  dsm__arena *const arena = of->graph->import->builder.workload->arena;
  const char **const names = dsm__arena_array(arena, PARTS, sizeof *names);
  uint64_t sum = 0;
  bool is_each_whole = true;
  uint32_t layers[PARTS];
  for (size_t i = 0; i < PARTS; i++) {
    const dsm__onnx_view *const view = dsm__onnx_view_of(of, values[i]);
    layers[i] = view == NULL ? DSM__ONNX_NETWORK : only_layer(view);
    if (names == NULL || layers[i] == DSM__ONNX_NETWORK) {
      dsm__onnx_error(of->graph, node,
                      "expected queries, keys and values that a layer each delivers, found others");
      return false;
    }
    const uint64_t elements = elements_of(view);
    names[i] = spec_of(of, layers[i])->name;
    is_each_whole = is_each_whole && elements == of->layers.items[layers[i]].elements;
    sum += elements;
  }
  const bool is_one = layers[0] == layers[1] && layers[1] == layers[2];
  if (!is_each_whole && (!is_one || sum != of->layers.items[layers[0]].elements)) {
    dsm__onnx_error(of->graph, node,
                    "expected queries, keys and values to be all of three layers, or together all "
                    "of one, found parts");
    return false;
  }
  spec->inputs = names;
  spec->input_count = is_each_whole ? PARTS : 1;
  return true;
}

/* Heads of keys and values: what their layer delivers, by what a head of them has. */
static bool fill_attention(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           const dsm__onnx_scores *scores, uint64_t value_features,
                           dsm_layer_spec *spec) {
  const uint64_t delivered = elements_of(scores->keys->view) / of->samples;
  spec->heads = scores->heads;
  spec->head_features = scores->features;
  spec->value_features = value_features;
  spec->kv_heads = delivered / scores->context / scores->features;
  spec->out = spec->heads * value_features;
  spec->in = spec->heads * spec->head_features +
             spec->kv_heads * (spec->head_features + spec->value_features);
  spec->has_positions = true;
  spec->feature.rows = scores->positions;
  spec->context = scores->context == scores->positions ? 0 : scores->context;
  spec->is_causal = scores->is_causal;
  if (spec->kv_heads == 0 || spec->heads % spec->kv_heads != 0 ||
      spec->kv_heads * scores->context * scores->features != delivered ||
      scores->features > DSM_SIDE_MAX || value_features > DSM_SIDE_MAX ||
      scores->positions > DSM_SIDE_MAX || scores->context > DSM_SIDE_MAX) {
    dsm__onnx_error(of->graph, node,
                    "expected heads of keys and values that divide the %llu of queries, found "
                    "others",
                    (unsigned long long)scores->heads);
    return false;
  }
  return true;
}

static void add_attention(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                          const dsm__onnx_scores *scores, const dsm__onnx_shape *product) {
  dsm__onnx_value *const weighed = dsm__onnx_input(of->graph, node, 1);
  dsm__onnx_value *const values[] = {scores->queries, scores->keys, weighed};
  if (dsm__onnx_view_of(of, weighed) == NULL) {
    dsm__onnx_error(of->graph, node, "expected values that a layer delivers, found a constant");
    return;
  }
  dsm_layer_spec *const spec = dsm__onnx_add_declared(of, node, DSM_LAYER_ATTENTION);
  if (spec == NULL || !read_attention(of, node, values, spec) ||
      !fill_attention(of, node, scores, product->dims[product->rank - 1], spec)) {
    return;
  }
  if (scores->silenced != NULL && !scores->is_causal) {
    dsm__onnx_remark_on(of->graph, scores->silenced, dsm__onnx_mask_remark);
  }
  dsm__onnx_deliver(of, node, dsm__onnx_output(of->graph, node, 0), product);
}

void dsm__onnx_lower_matmul(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  enum { MATRIX_RANK = 2 };
  dsm__onnx_shape a;
  dsm__onnx_shape b;
  dsm__onnx_shape product;
  if (!dsm__onnx_need_shape(of, node, 0, &a) || !dsm__onnx_need_shape(of, node, 1, &b) ||
      !product_shape(of, node, &a, &b, &product)) {
    return;
  }
  const dsm__onnx_view *const view = dsm__onnx_view_of(of, dsm__onnx_input(of->graph, node, 0));
  const dsm__onnx_value *const output = dsm__onnx_output(of->graph, node, 0);
  if (view == NULL) {
    dsm__onnx_error(of->graph, node, "expected weights as the second factor, found them first");
  } else if (is_weights(of, node, dsm__onnx_input(of->graph, node, 1))) {
    if (b.rank != MATRIX_RANK) {
      dsm__onnx_error(of->graph, node, "expected one matrix of weights, found several");
      return;
    }
    add_fc(of, node, &a, b.dims[1], false);
  } else if (view->scores != NULL && view->scores->is_softmaxed) {
    add_attention(of, node, view->scores, &product);
  } else if (output != NULL && are_scores(of, output)) {
    keep_scores(of, node, &a, &product);
  } else {
    add_matmul(of, node, &a, &b, &product);
  }
}

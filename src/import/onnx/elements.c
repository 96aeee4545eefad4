/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elements.c: operations on the elements of what layers deliver, and pools of them. */
#include <string.h>

#include "import/onnx/lowering.h"

static const char left_out[] = "is left out: no layer can have it";
static const char shared[] = "is done where its input is made, though others read that without it";

static bool is_pool(dsm_aux_op op) {
  return op == DSM_AUX_MAX_POOL || op == DSM_AUX_AVG_POOL;
}

/* Has the layer the operation, or any pool, on its output? */
static bool has_aux(const dsm__onnx_layer *layer, dsm_aux_op op) {
  for (size_t i = 0; i < layer->aux_count; i++) {
    const dsm_aux *const one = &layer->aux[i];
    if (!one->is_on_input && (one->op == op || (is_pool(op) && is_pool(one->op)))) {
      return true;
    }
  }
  return false;
}

static bool has_pool(const dsm__onnx_layer *layer) {
  return has_aux(layer, DSM_AUX_MAX_POOL);
}

static void put_aux(dsm__onnx_layer *layer, dsm_aux aux) {
  layer->aux[layer->aux_count++] = aux;
}

/* Is a layer there twice, as in what joins a value with itself? */
static bool has_twins(const dsm__onnx_lowering *of, const uint32_t *layers, size_t count) {
  bool has_any = false;
  for (size_t i = 0; i < count; i++) {
    uint64_t *const taken = &of->layers.items[layers[i]].taken;
    has_any = has_any || *taken != 0;
    *taken = 1;
  }
  for (size_t i = 0; i < count; i++) {
    of->layers.items[layers[i]].taken = 0;
  }
  return has_any;
}

/* The layers that a value is made of, if each can have the operation; 0: not so. Several can only
 * if nothing else reads them. */
static size_t find_holders(dsm__onnx_lowering *of, const dsm__onnx_value *value, dsm_aux_op op,
                           const uint32_t **layers) {
  const dsm__onnx_view *const view = value->view;
  const bool is_sole = view->is_sole && value->uses == 1;
  size_t count = 0;
  if (view->waiting_count > 0 || (view->padded.rows | view->padded.columns) != 0 ||
      (view->count > 1 && !is_sole) || !dsm__onnx_view_layers(of, view, layers, &count)) {
    return 0;
  }
  for (size_t i = 0; i < count; i++) {
    if ((*layers)[i] == DSM__ONNX_NETWORK || has_aux(&of->layers.items[(*layers)[i]], op)) {
      return 0;
    }
  }
  return has_twins(of, *layers, count) ? 0 : count;
}

/* What scores are scaled and masked by is as good as nothing; a softmax is what they wait for. */
static void apply_to_scores(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                            const dsm__onnx_value *input, dsm__onnx_value *output, dsm_aux_op op) {
  dsm__onnx_shape shape;
  dsm__onnx_view *const view = dsm__onnx_view_through(of, input);
  dsm__onnx_scores *const scores = dsm__arena_alloc(of->graph->arena, sizeof *scores);
  if (view == NULL || scores == NULL || !dsm__onnx_shape_of(input, &shape)) {
    dsm__json_set_out_of_memory(of->graph->import->doc);
    return;
  }
  *scores = *view->scores;
  scores->is_softmaxed = scores->is_softmaxed || op == DSM_AUX_SOFTMAX;
  view->scores = scores;
  if (op != DSM_AUX_SOFTMAX && op != DSM_AUX_DROPOUT) {
    dsm__onnx_remark_on(of->graph, node, left_out);
  }
  dsm__onnx_make(of, output, &shape, view);
}

static bool is_norm(dsm_aux_op op) {
  return op == DSM_AUX_LAYER_NORM || op == DSM_AUX_RMS_NORM;
}

/* Where others read what is normalised, the layers that read it normalise it; false if something
 * that waits already would have to come later. */
static bool wait_to_normalize(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                              const dsm__onnx_value *input, dsm__onnx_value *output,
                              dsm_aux_op op) {
  dsm__onnx_shape shape;
  if (input->view->waiting_count > 0 || !dsm__onnx_shape_of(input, &shape)) {
    return false;
  }
  dsm__onnx_view *const view = dsm__onnx_view_through(of, input);
  if (view != NULL && dsm__onnx_let_wait(of, node, (dsm_aux){.op = op}, view)) {
    view->normed = output;
    dsm__onnx_make(of, output, &shape, view);
  }
  return true;
}

/* Does a node lead, at most moved or cut on the way, to one product with weights? */
static bool leads_to_product(const dsm__onnx_graph *graph, const dsm__onnx_node *node) {
  static const char *const products[] = {"MatMul", "Gemm", NULL};
  static const char *const movers[] = {"Gather",  "Slice", "Reshape",  "Squeeze", "Unsqueeze",
                                       "Flatten", "Cast",  "Identity", NULL};
  enum { LONGEST_CHAIN = 8 };
  for (int i = 0; i < LONGEST_CHAIN; i++) {
    if (dsm__span_is_any(node->op, products)) {
      return true;
    }
    const dsm__onnx_value *const made = dsm__onnx_output(graph, node, 0);
    if (!dsm__span_is_any(node->op, movers) || made == NULL || made->reader_count != 1 ||
        made->uses != 1) {
      return false;
    }
    node = &graph->nodes.items[graph->readers[made->readers]];
  }
  return false;
}

/* Do all that read a value? */
static bool is_for_products(const dsm__onnx_graph *graph, const dsm__onnx_value *value) {
  enum { READERS_MAX = 8 };
  bool is_so = value != NULL && value->reader_count > 0 && value->reader_count <= READERS_MAX &&
               value->uses == value->reader_count;
  for (uint32_t r = 0; is_so && r < value->reader_count; r++) {
    is_so = leads_to_product(graph, &graph->nodes.items[graph->readers[value->readers + r]]);
  }
  return is_so;
}

/* Where norms stand before what reads a sum that goes on, so does the one behind the last sum. */
static bool is_last_of_sums(const dsm__onnx_lowering *of, const dsm__onnx_value *input,
                            const dsm__onnx_value *output) {
  const dsm__onnx_layer *const layer = dsm__onnx_view_layer(of, input->view);
  return of->has_norms_of_sums && layer != NULL && has_aux(layer, DSM_AUX_RESIDUAL) &&
         is_for_products(of->graph, output);
}

void dsm__onnx_apply(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *input,
                     dsm__onnx_value *output, dsm_aux_op op) {
  dsm__onnx_shape shape;
  const uint32_t *layers = NULL;
  if (dsm__onnx_view_of(of, input) == NULL || !dsm__onnx_shape_of(input, &shape)) {
    return;
  }
  const bool is_sole = input->view->is_sole && input->uses == 1;
  if (input->view->scores != NULL) {
    apply_to_scores(of, node, input, output, op);
    return;
  }
  const size_t count = find_holders(of, input, op, &layers);
  const bool is_read_elsewhere = !is_sole || count == 0;
  if (is_norm(op) && (is_read_elsewhere || is_last_of_sums(of, input, output)) &&
      wait_to_normalize(of, node, input, output, op)) {
    of->has_norms_of_sums = true;
    return;
  }
  for (size_t i = 0; i < count; i++) {
    put_aux(&of->layers.items[layers[i]], (dsm_aux){.op = op});
  }
  if (count == 0 || !is_sole) {
    dsm__onnx_remark_on(of->graph, node, count == 0 ? left_out : shared);
  }
  dsm__onnx_make(of, output, &shape, dsm__onnx_view_through(of, input));
}

/* ---- pools ---- */

static uint64_t pooled_side(uint64_t size, uint64_t window, uint64_t stride) {
  return size < window ? 0 : (size - window + stride - 1) / stride + 1;
}

/* A pool with the feature that it makes, where that does not follow from its window and stride. */
static dsm_aux sized_pool(dsm_aux pool, dsm_size2 from, dsm_size2 to) {
  pool.has_feature =
      pooled_side(from.rows, pool.window.rows, pool.stride.rows) != to.rows ||
      pooled_side(from.columns, pool.window.columns, pool.stride.columns) != to.columns;
  pool.feature = to;
  return pool;
}

static bool are_convolutions(const dsm__onnx_lowering *of, const uint32_t *layers, size_t count) {
  const dsm__workload_builder *const builder = &of->graph->import->builder;
  for (size_t i = 0; i < count; i++) {
    if (builder->layers.items[layers[i]].spec.type != DSM_LAYER_CONV) {
      return false;
    }
  }
  return count > 0;
}

bool dsm__onnx_let_wait(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm_aux op,
                        dsm__onnx_view *view) {
  for (size_t i = 0; i < view->waiting_count; i++) {
    if (is_pool(op.op) && is_pool(view->waiting[i].op)) {
      dsm__onnx_error(of->graph, node,
                      "expected a layer between two pools of which the first is read by others "
                      "too, found none");
      return false;
    }
  }
  if (view->waiting_count == DSM__ONNX_WAITING_MAX) {
    dsm__onnx_error(of->graph, node, "expected at most %d operations between layers, found more",
                    DSM__ONNX_WAITING_MAX);
    return false;
  }
  view->waiting[view->waiting_count++] = op;
  return true;
}

void dsm__onnx_apply_pool(dsm__onnx_lowering *of, const dsm__onnx_node *node, const dsm_aux *pool,
                          dsm_size2 from, dsm_size2 to, const dsm__onnx_shape *shape) {
  dsm__onnx_value *const input = dsm__onnx_input(of->graph, node, 0);
  const dsm_aux sized = sized_pool(*pool, from, to);
  const uint32_t *layers = NULL;
  if (dsm__onnx_view_of(of, input) == NULL) {
    dsm__onnx_pass(of, node, shape); /* what is made of a constant is one */
    return;
  }
  const bool is_sole = input->view->is_sole && input->uses == 1;
  const size_t count = is_sole ? find_holders(of, input, pool->op, &layers) : 0;
  dsm__onnx_value *const output = dsm__onnx_output(of->graph, node, 0);
  if (are_convolutions(of, layers, count)) {
    for (size_t i = 0; i < count; i++) {
      dsm__onnx_layer *const layer = &of->layers.items[layers[i]];
      const uint64_t before = layer->size.rows * layer->size.columns;
      put_aux(layer, sized);
      layer->elements = layer->elements / before * to.rows * to.columns;
      layer->size = to;
    }
    dsm__onnx_make(of, output, shape, dsm__onnx_view_of_layers(of, layers, count));
    return;
  }
  dsm__onnx_view *const view = dsm__onnx_view_through(of, input);
  if (view != NULL) {
    if (dsm__onnx_let_wait(of, node, sized, view)) {
      dsm__onnx_make(of, output, shape, view);
    }
  }
}

/* ---- two operands ---- */

static bool is_same(const dsm__onnx_shape *a, const dsm__onnx_shape *b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

/* Can the later layer add the output of the earlier one to its own? */
static bool can_add(const dsm__onnx_layer *later, const dsm__onnx_layer *earlier, dsm_aux_op op) {
  return later != NULL && earlier != NULL && earlier < later && !has_aux(later, op) &&
         !has_pool(later) && later->features == earlier->features &&
         later->size.rows == earlier->size.rows && later->size.columns == earlier->size.columns &&
         later->elements == earlier->elements;
}

/* The operand that is made last, of which the result is made. */
static dsm__onnx_value *later_of(dsm__onnx_value *a, dsm__onnx_value *b) {
  const uint32_t last_a = a->view->parts[a->view->count - 1].layer + 1; /* the network's is 0 */
  const uint32_t last_b = b->view->parts[b->view->count - 1].layer + 1;
  return last_a > last_b ? a : b;
}

static void join_operands(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *a,
                          dsm__onnx_value *b, dsm_aux_op op) {
  dsm__onnx_shape shape;
  dsm__onnx_value *const later = later_of(a, b);
  dsm__onnx_value *const earlier = later == a ? b : a;
  dsm__onnx_layer *const to = dsm__onnx_view_layer(of, later->view);
  const dsm__onnx_layer *const from = dsm__onnx_view_layer(of, earlier->view);
  if (can_add(to, from, op)) {
    const size_t index = (size_t)(from - of->layers.items);
    put_aux(to,
            (dsm_aux){.op = op, .from = of->graph->import->builder.layers.items[index].spec.name});
    if (!later->view->is_sole || later->uses > 1) {
      dsm__onnx_remark_on(of->graph, node, shared);
    }
  } else {
    dsm__onnx_remark_on(of->graph, node, left_out);
  }
  if (dsm__onnx_shape_of(later, &shape)) {
    dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), &shape,
                   dsm__onnx_view_through(of, later));
  }
}

/* What two shapes make together by the rules of broadcasting; false if they do not fit. */
bool dsm__onnx_broadcast(const dsm__onnx_shape *a, const dsm__onnx_shape *b,
                         dsm__onnx_shape *both) {
  both->rank = a->rank > b->rank ? a->rank : b->rank;
  for (unsigned i = 0; i < both->rank; i++) {
    const unsigned from_a = both->rank - a->rank;
    const unsigned from_b = both->rank - b->rank;
    const uint64_t side_a = i < from_a ? 1 : a->dims[i - from_a];
    const uint64_t side_b = i < from_b ? 1 : b->dims[i - from_b];
    if (side_a != side_b && side_a != 1 && side_b != 1) {
      return false;
    }
    both->dims[i] = side_a == 1 ? side_b : side_a;
  }
  return true;
}

bool dsm__onnx_is_of_inputs(const dsm__onnx_view *view) {
  bool is_of_inputs = view->scores == NULL && view->waiting_count == 0;
  for (size_t i = 0; i < view->count; i++) {
    is_of_inputs = is_of_inputs && view->parts[i].layer == DSM__ONNX_NETWORK;
  }
  return is_of_inputs;
}

bool dsm__onnx_is_given_vector(const dsm__onnx_value *value) {
  return value->kind == DSM__ONNX_INPUT && value->rank == 1;
}

/* The larger operand goes on; what the smaller one, spread over it, costs is left out, of which the
 * text, if any, is noted. */
static void spread(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *larger,
                   const dsm__onnx_shape *shape, const char *text) {
  if (text != NULL) {
    dsm__onnx_remark_on(of->graph, node, text);
  }
  dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), shape,
                 dsm__onnx_view_through(of, larger));
}

/* Weights of a bias are as many as the layer has features. */
static bool is_bias(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *activation,
                    const dsm__onnx_value *constant) {
  const dsm__onnx_layer *const layer = dsm__onnx_view_layer(of, dsm__onnx_view_of(of, activation));
  dsm__onnx_shape shape;
  uint64_t elements = 0;
  return dsm__span_is(node->op, "Add") && layer != NULL && !has_aux(layer, DSM_AUX_BIAS) &&
         dsm__onnx_shape_of(constant, &shape) && dsm__onnx_elements(&shape, &elements) &&
         elements == layer->features;
}

/* Nor need they be constants. */
static bool is_given_bias(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                          dsm__onnx_value *activation, const dsm__onnx_value *given) {
  return dsm__onnx_is_given_vector(given) && is_bias(of, node, activation, given);
}

static void lower_activations(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                              dsm__onnx_value *a, dsm__onnx_value *b, const dsm__onnx_shape *both) {
  dsm__onnx_shape shape_a;
  dsm__onnx_shape shape_b;
  const bool is_product = dsm__span_is(node->op, "Mul");
  const bool is_sum = dsm__span_is(node->op, "Add") || dsm__span_is(node->op, "Sub") ||
                      dsm__span_is(node->op, "Sum");
  (void)dsm__onnx_shape_of(a, &shape_a);
  (void)dsm__onnx_shape_of(b, &shape_b);
  uint64_t all = 0;
  uint64_t elements_a = 0;
  uint64_t elements_b = 0;
  if (!dsm__onnx_elements(both, &all) || !dsm__onnx_elements(&shape_a, &elements_a) ||
      !dsm__onnx_elements(&shape_b, &elements_b)) {
    dsm__onnx_error(of->graph, node, "expected at most 2^53 elements, found more");
  } else if (is_same(&shape_a, &shape_b) && (is_sum || is_product)) {
    join_operands(of, node, a, b, is_product ? DSM_AUX_MULTIPLY : DSM_AUX_RESIDUAL);
  } else if (is_given_bias(of, node, a, b) || is_given_bias(of, node, b, a)) {
    dsm__onnx_remark_on(of->graph, node, "takes an input of the graph for its bias");
    dsm__onnx_apply(of, node, dsm__onnx_is_given_vector(a) ? b : a,
                    dsm__onnx_output(of->graph, node, 0), DSM_AUX_BIAS);
  } else if (elements_a == all || elements_b == all ||
             (dsm__onnx_is_of_inputs(a->view) && dsm__onnx_is_of_inputs(b->view))) {
    spread(of, node, elements_a == all ? a : b, both,
           "is left out: its second operand is spread over its first");
  } else {
    dsm__onnx_error(of->graph, node, "expected an operand as large as the result, found none");
  }
}

/* A row for each position, added to the rows of a table. */
static bool add_positions(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                          dsm__onnx_value *activation, const dsm__onnx_value *constant) {
  const dsm__onnx_layer *const layer = dsm__onnx_view_layer(of, dsm__onnx_view_of(of, activation));
  dsm__onnx_shape shape;
  uint64_t elements = 0;
  if (!dsm__span_is(node->op, "Add") || layer == NULL || !dsm__onnx_shape_of(constant, &shape) ||
      !dsm__onnx_elements(&shape, &elements) || elements != layer->features * layer->size.rows) {
    return false;
  }
  const size_t index = (size_t)(layer - of->layers.items);
  dsm_layer_spec *const spec = &of->graph->import->builder.layers.items[index].spec;
  if (spec->type != DSM_LAYER_EMBEDDING || spec->has_learned_positions) {
    return false;
  }
  spec->has_learned_positions = true;
  if (dsm__onnx_shape_of(activation, &shape)) {
    dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), &shape,
                   dsm__onnx_view_through(of, activation));
  }
  return true;
}

static void lower_constant(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           dsm__onnx_value *activation, const dsm__onnx_value *constant,
                           const dsm__onnx_shape *both) {
  dsm__onnx_shape shape;
  uint64_t before = 0;
  uint64_t after = 0;
  if (add_positions(of, node, activation, constant)) {
    return;
  }
  if (dsm__onnx_is_of_inputs(activation->view)) {
    spread(of, node, activation, both, "is left out: its other operand is a constant");
  } else if (is_bias(of, node, activation, constant)) {
    dsm__onnx_apply(of, node, activation, dsm__onnx_output(of->graph, node, 0), DSM_AUX_BIAS);
  } else if (!dsm__onnx_shape_of(activation, &shape) || !dsm__onnx_elements(&shape, &before) ||
             !dsm__onnx_elements(both, &after) || before != after) {
    dsm__onnx_error(of->graph, node,
                    "expected a constant no larger than what it is combined with, found a larger "
                    "one");
  } else {
    const bool is_noted = !dsm__onnx_scales_scores(of, node, constant);
    spread(of, node, activation, both,
           is_noted ? "is left out: its other operand is a constant" : NULL);
  }
}

static bool are_scores(dsm__onnx_lowering *of, dsm__onnx_value *value) {
  const dsm__onnx_view *const view = dsm__onnx_view_of(of, value);
  return view != NULL && view->scores != NULL;
}

void dsm__onnx_lower_binary(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_value *const a = dsm__onnx_input(of->graph, node, 0);
  dsm__onnx_value *const b = dsm__onnx_input(of->graph, node, 1);
  dsm__onnx_shape shape_a;
  dsm__onnx_shape shape_b;
  dsm__onnx_shape both;
  if (node->input_count > 2) {
    dsm__onnx_error(of->graph, node, "expected at most 2 operands, found %u",
                    (unsigned)node->input_count);
    return;
  }
  if (node->input_count == 1) {
    dsm__onnx_lower_identity(of, node);
    return;
  }
  if (!dsm__onnx_need_shape(of, node, 0, &shape_a) ||
      !dsm__onnx_need_shape(of, node, 1, &shape_b)) {
    return;
  }
  if (!dsm__onnx_broadcast(&shape_a, &shape_b, &both)) {
    dsm__onnx_error(of->graph, node, "expected operands whose shapes fit each other, found others");
  } else if (are_scores(of, a) && is_same(&shape_a, &both)) {
    dsm__onnx_mask_scores(of, node, a, &both);
  } else if (are_scores(of, b) && is_same(&shape_b, &both)) {
    dsm__onnx_mask_scores(of, node, b, &both);
  } else if (dsm__onnx_view_of(of, a) == NULL && dsm__onnx_view_of(of, b) == NULL) {
    dsm__onnx_pass(of, node, &both); /* of constants that are not folded */
  } else if (dsm__onnx_view_of(of, a) == NULL) {
    lower_constant(of, node, b, a, &both);
  } else if (dsm__onnx_view_of(of, b) == NULL) {
    lower_constant(of, node, a, b, &both);
  } else {
    lower_activations(of, node, a, b, &both);
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rotary.c: queries and keys that are turned by their positions.
 *
 * Exporters write x * cos + turned(x) * sin, where turned(x) has one half of x, negated, before the
 * other one, or takes elements in turns. Such a sum becomes one node that reads x, and what only it
 * has read, such as the tables of sines and whatever computes them, is no longer there.
 */
#include <stdlib.h>
#include <string.h>

#include "import/onnx/lowering.h"

static const char rotary[] = "RotaryEmbedding";

static const dsm__onnx_node *maker_of(const dsm__onnx_graph *graph, const dsm__onnx_value *value) {
  return value == NULL || value->node == DSM__ONNX_NONE ? NULL : &graph->nodes.items[value->node];
}

/* The value behind nodes that only give it another shape or type. */
static const dsm__onnx_value *unshaped(const dsm__onnx_graph *graph, const dsm__onnx_value *value) {
  static const char *const shapers[] = {"Reshape", "Flatten", "Unsqueeze", "Cast", NULL};
  enum { LONGEST_CHAIN = 4 };
  for (int i = 0; i < LONGEST_CHAIN; i++) {
    const dsm__onnx_node *const node = maker_of(graph, value);
    if (node == NULL || !dsm__span_is_any(node->op, shapers)) {
      return value;
    }
    value = dsm__onnx_input(graph, node, 0);
  }
  return value;
}

/* The value of which another one is a part; NULL: it is none. */
static const dsm__onnx_value *whole_of(const dsm__onnx_graph *graph, const dsm__onnx_value *part) {
  const dsm__onnx_node *const node = maker_of(graph, unshaped(graph, part));
  const bool is_part =
      node != NULL && (dsm__span_is(node->op, "Slice") || dsm__span_is(node->op, "Split"));
  return is_part ? dsm__onnx_input(graph, node, 0) : NULL;
}

/* The value that this one is when one part of it is negated and stands before the other; NULL: it
 * is something else. */
static const dsm__onnx_value *turned_from(const dsm__onnx_graph *graph,
                                          const dsm__onnx_value *value) {
  const dsm__onnx_node *const join = maker_of(graph, unshaped(graph, value));
  if (join == NULL || !dsm__span_is(join->op, "Concat") || join->input_count != 2) {
    return NULL;
  }
  const dsm__onnx_node *const negated =
      maker_of(graph, unshaped(graph, dsm__onnx_input(graph, join, 0)));
  if (negated == NULL || !dsm__span_is(negated->op, "Neg")) {
    return NULL;
  }
  const dsm__onnx_value *const from = whole_of(graph, dsm__onnx_input(graph, negated, 0));
  return from != NULL && from == whole_of(graph, dsm__onnx_input(graph, join, 1)) ? from : NULL;
}

/* Is the value a product of another one, that nothing else reads? Then the sum that turns takes the
 * product's place among those who read the factor, where there is no other. */
static bool has_factor(const dsm__onnx_graph *graph, const dsm__onnx_value *product,
                       const dsm__onnx_value *factor) {
  const dsm__onnx_node *const node = maker_of(graph, product);
  return node != NULL && product->uses == 1 && dsm__span_is(node->op, "Mul") &&
         node->input_count == 2 &&
         (dsm__onnx_input(graph, node, 0) == factor || dsm__onnx_input(graph, node, 1) == factor);
}

/* What a sum turns; NULL: nothing. */
static const dsm__onnx_value *turned_by(const dsm__onnx_graph *graph, const dsm__onnx_node *sum) {
  if (!dsm__span_is(sum->op, "Add") || sum->input_count != 2) {
    return NULL;
  }
  for (size_t i = 0; i < 2; i++) {
    const dsm__onnx_node *const product = maker_of(graph, dsm__onnx_input(graph, sum, i));
    const bool is_product = product != NULL && dsm__span_is(product->op, "Mul");
    for (size_t f = 0; is_product && f < 2; f++) {
      const dsm__onnx_value *const from = turned_from(graph, dsm__onnx_input(graph, product, f));
      if (from != NULL && has_factor(graph, dsm__onnx_input(graph, sum, 1 - i), from)) {
        return from;
      }
    }
  }
  return NULL;
}

/* ---- what is no longer read ---- */

static void lose_reader(dsm__onnx_graph *graph, dsm__onnx_value *value, uint32_t reader) {
  uint32_t *const readers = &graph->readers[value->readers];
  for (uint32_t r = 0; r < value->reader_count; r++) {
    if (readers[r] == reader) {
      memmove(&readers[r], &readers[r + 1], (value->reader_count - r - 1) * sizeof *readers);
      value->reader_count--;
      value->uses--;
      return;
    }
  }
}

static bool is_read(const dsm__onnx_graph *graph, const dsm__onnx_node *node) {
  bool is_any_read = false;
  for (size_t i = 0; i < node->output_count; i++) {
    const dsm__onnx_value *const made = dsm__onnx_output(graph, node, i);
    is_any_read = is_any_read || (made != NULL && made->uses > 0);
  }
  return is_any_read;
}

/* A node reads nothing any more; and so do those that only it, or they, have read. */
static void forget_inputs(dsm__onnx_graph *graph, uint32_t first, uint32_t *stack) {
  size_t count = 0;
  stack[count++] = first;
  while (count > 0) {
    const uint32_t reader = stack[--count];
    const dsm__onnx_node *const node = &graph->nodes.items[reader];
    for (size_t i = 0; i < node->input_count; i++) {
      dsm__onnx_value *const value = dsm__onnx_input(graph, node, i);
      if (value == NULL) {
        continue;
      }
      lose_reader(graph, value, reader);
      if (value->node != DSM__ONNX_NONE && !graph->nodes.items[value->node].is_done &&
          !is_read(graph, &graph->nodes.items[value->node])) {
        graph->nodes.items[value->node].is_done = true;
        stack[count++] = value->node;
      }
    }
  }
}

void dsm__onnx_find_rotary(dsm__onnx_graph *graph) {
  uint32_t *const stack = dsm__arena_array(graph->arena, graph->nodes.count, sizeof *stack);
  if (dsm__json_lacks_memory(graph->import->doc, stack == NULL)) {
    return;
  }
  for (uint32_t n = 0; n < graph->nodes.count; n++) {
    dsm__onnx_node *const node = &graph->nodes.items[n];
    const dsm__onnx_value *const found = node->is_done ? NULL : turned_by(graph, node);
    if (found == NULL) {
      continue;
    }
    const uint32_t index = (uint32_t)(found - graph->values.items);
    dsm__onnx_value *const from = &graph->values.items[index];
    from->uses++; /* it goes on to be read */
    forget_inputs(graph, n, stack);
    from->uses--;
    node->op = (dsm__span){rotary, sizeof rotary - 1};
    node->input_count = 1;
    graph->links.items[node->first_input] = index;
    graph->readers[from->readers + from->reader_count++] = n;
    from->uses++;
  }
}

/* ---- lowering ---- */

static dsm_aux *rotary_of(dsm__onnx_layer *layer) {
  for (size_t i = 0; i < layer->aux_count; i++) {
    if (layer->aux[i].op == DSM_AUX_ROTARY) {
      return &layer->aux[i];
    }
  }
  layer->aux[layer->aux_count] = (dsm_aux){.op = DSM_AUX_ROTARY};
  return &layer->aux[layer->aux_count++];
}

static bool can_turn(const dsm__onnx_lowering *of, const dsm__onnx_view *view) {
  bool is_good = view->waiting_count == 0 && view->scores == NULL;
  for (size_t i = 0; is_good && i < view->count; i++) {
    const uint32_t layer = view->parts[i].layer;
    is_good = layer != DSM__ONNX_NETWORK &&
              of->graph->import->builder.layers.items[layer].spec.type == DSM_LAYER_FC;
  }
  return is_good;
}

void dsm__onnx_lower_rotary(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape shape;
  const dsm__onnx_view *const view = dsm__onnx_view_of(of, dsm__onnx_input(of->graph, node, 0));
  if (!dsm__onnx_need_shape(of, node, 0, &shape)) {
    return;
  }
  dsm__onnx_pass(of, node, &shape);
  if (view == NULL || !can_turn(of, view)) {
    dsm__onnx_remark_on(of->graph, node, "is left out: no layer can have it");
    return;
  }
  for (size_t i = 0; i < view->count; i++) {
    dsm__onnx_layer *const layer = &of->layers.items[view->parts[i].layer];
    dsm_aux *const aux = rotary_of(layer);
    const double share = aux->share + (double)view->parts[i].elements / (double)layer->elements;
    aux->share = share < 1 ? share : 1;
  }
}

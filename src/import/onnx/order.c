/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order.c: who reads what, and an order in which each node reads what is there. */
#include "import/onnx/model.h"

static void count_uses(dsm__onnx_graph *graph) {
  for (size_t n = 0; n < graph->nodes.count; n++) {
    for (size_t i = 0; i < graph->nodes.items[n].input_count; i++) {
      dsm__onnx_value *const value = dsm__onnx_input(graph, &graph->nodes.items[n], i);
      if (value != NULL) {
        value->uses++;
      }
    }
  }
}

/* Readers of each value, by node; one that reads it twice is there twice. */
static bool list_readers(dsm__onnx_graph *graph) {
  uint32_t total = 0;
  graph->readers = dsm__arena_array(graph->arena, graph->links.count, sizeof(uint32_t));
  uint32_t *const filled = dsm__arena_array(graph->arena, graph->values.count, sizeof(uint32_t));
  if (graph->readers == NULL || filled == NULL) {
    return false;
  }
  for (size_t v = 0; v < graph->values.count; v++) {
    graph->values.items[v].readers = total;
    graph->values.items[v].reader_count = graph->values.items[v].uses;
    total += graph->values.items[v].uses;
  }
  for (size_t n = 0; n < graph->nodes.count; n++) {
    const dsm__onnx_node *const node = &graph->nodes.items[n];
    for (size_t i = 0; i < node->input_count; i++) {
      const dsm__onnx_value *const value = dsm__onnx_input(graph, node, i);
      if (value != NULL) {
        const size_t index = (size_t)(value - graph->values.items);
        graph->readers[value->readers + filled[index]++] = (uint32_t)n;
      }
    }
  }
  return true;
}

/* How many inputs of each node other nodes have yet to make. */
static uint32_t *count_missing(dsm__onnx_graph *graph) {
  uint32_t *const missing = dsm__arena_array(graph->arena, graph->nodes.count, sizeof *missing);
  for (size_t n = 0; missing != NULL && n < graph->nodes.count; n++) {
    const dsm__onnx_node *const node = &graph->nodes.items[n];
    for (size_t i = 0; i < node->input_count; i++) {
      const dsm__onnx_value *const value = dsm__onnx_input(graph, node, i);
      missing[n] += value != NULL && value->node != DSM__ONNX_NONE;
    }
  }
  return missing;
}

/* A heap of nodes, the first of the file on top. */
typedef struct heap {
  uint32_t *items;
  size_t count;
} heap;

static void swap(uint32_t *a, uint32_t *b) {
  const uint32_t kept = *a;
  *a = *b;
  *b = kept;
}

static void push(heap *to, uint32_t node) {
  size_t at = to->count++;
  to->items[at] = node;
  while (at > 0 && to->items[(at - 1) / 2] > to->items[at]) {
    swap(&to->items[(at - 1) / 2], &to->items[at]);
    at = (at - 1) / 2;
  }
}

static uint32_t pop(heap *from) {
  const uint32_t top = from->items[0];
  from->items[0] = from->items[--from->count];
  for (size_t at = 0;;) {
    size_t least = at;
    for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < from->count; child++) {
      least = from->items[child] < from->items[least] ? child : least;
    }
    if (least == at) {
      return top;
    }
    swap(&from->items[at], &from->items[least]);
    at = least;
  }
}

/* Lets those who read what a node makes follow it. */
static void release(const dsm__onnx_graph *graph, const dsm__onnx_node *node, uint32_t *missing,
                    heap *ready) {
  for (size_t o = 0; o < node->output_count; o++) {
    const dsm__onnx_value *const value = dsm__onnx_output(graph, node, o);
    for (uint32_t r = 0; value != NULL && r < value->reader_count; r++) {
      const uint32_t reader = graph->readers[value->readers + r];
      if (--missing[reader] == 0) {
        push(ready, reader);
      }
    }
  }
}

/* The order of the file where it is one, and else as near to it as can be. */
static void sort(dsm__onnx_graph *graph, uint32_t *missing) {
  const size_t count = graph->nodes.count;
  heap ready = {.items = dsm__arena_array(graph->arena, count, sizeof(uint32_t))};
  graph->order = dsm__arena_array(graph->arena, count, sizeof(uint32_t));
  size_t done = 0;
  if (dsm__json_lacks_memory(graph->import->doc, ready.items == NULL || graph->order == NULL)) {
    return;
  }
  for (size_t n = 0; n < count; n++) {
    if (missing[n] == 0) {
      push(&ready, (uint32_t)n);
    }
  }
  while (ready.count > 0) {
    const uint32_t n = pop(&ready);
    graph->order[done++] = n;
    release(graph, &graph->nodes.items[n], missing, &ready);
  }
  for (size_t n = 0; done < count && n < count; n++) {
    if (missing[n] > 0) {
      dsm__onnx_error(graph, &graph->nodes.items[n],
                      "expected a graph without cycles, found this node in or behind one");
      return;
    }
  }
}

/* What asks for the shape of a value does not read it. */
static void forget_askers(dsm__onnx_graph *graph) {
  for (size_t v = 0; v < graph->values.count; v++) {
    dsm__onnx_value *const value = &graph->values.items[v];
    uint32_t kept = 0;
    for (uint32_t r = 0; r < value->reader_count; r++) {
      const uint32_t reader = graph->readers[value->readers + r];
      const dsm__span op = graph->nodes.items[reader].op;
      if (!dsm__span_is(op, "Shape") && !dsm__span_is(op, "Size")) {
        graph->readers[value->readers + kept++] = reader;
      }
    }
    value->reader_count = value->uses = kept;
  }
}

void dsm__onnx_graph_order(dsm__onnx_graph *graph) {
  count_uses(graph);
  uint32_t *const missing = count_missing(graph);
  if (dsm__json_lacks_memory(graph->import->doc, missing == NULL || !list_readers(graph))) {
    return;
  }
  sort(graph, missing);
  forget_askers(graph);
  for (size_t i = 0; i < graph->outputs.count; i++) {
    graph->values.items[graph->outputs.items[i].value].uses++;
  }
}

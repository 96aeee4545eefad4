/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings.c: what is said of the nodes of a model. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "import/onnx/model.h"

enum { LABEL_SIZE = 200, PART_MAX = 80 };

static int shown(dsm__span text) {
  return (int)(text.length < PART_MAX ? text.length : PART_MAX);
}

dsm__json_node dsm__onnx_place(const dsm__onnx_graph *graph, const dsm__onnx_node *node) {
  char label[LABEL_SIZE];
  if (node->name.length > 0) {
    (void)snprintf(label, sizeof label, "node \"%.*s\" (%.*s)", shown(node->name), node->name.bytes,
                   shown(node->op), node->op.bytes);
  } else {
    const dsm__onnx_value *const made = dsm__onnx_output(graph, node, 0);
    const dsm__span name = made == NULL ? (dsm__span){"", 0} : made->name;
    (void)snprintf(label, sizeof label, "node %zu%s%.*s%s (%.*s)",
                   (size_t)(node - graph->nodes.items), made == NULL ? "" : ", which makes \"",
                   shown(name), name.bytes, made == NULL ? "" : "\"", shown(node->op),
                   node->op.bytes);
  }
  return dsm__json_labelled(graph->import->doc, label);
}

void dsm__onnx_error(dsm__onnx_graph *graph, const dsm__onnx_node *node, const char *format, ...) {
  const dsm__json_node place = dsm__onnx_place(graph, node);
  va_list args;
  va_start(args, format);
  dsm__json_vfinding(&place, DSM_SEVERITY_ERROR, NULL, format, args);
  va_end(args);
}

void dsm__onnx_remark_on(dsm__onnx_graph *graph, const dsm__onnx_node *node, const char *text) {
  for (size_t i = 0; i < graph->remarks.count; i++) {
    dsm__onnx_remark *const one = &graph->remarks.items[i];
    if (one->text == text && one->op.length == node->op.length &&
        memcmp(one->op.bytes, node->op.bytes, node->op.length) == 0) {
      one->count++;
      return;
    }
  }
  if (!DSM__LIST_PUSH(&graph->remarks,
                      (dsm__onnx_remark){.text = text,
                                         .op = node->op,
                                         .node = (uint32_t)(node - graph->nodes.items),
                                         .count = 1})) {
    dsm__json_set_out_of_memory(graph->import->doc);
  }
}

void dsm__onnx_put_remarks(dsm__onnx_graph *graph) {
  for (size_t i = 0; i < graph->remarks.count; i++) {
    const dsm__onnx_remark *const one = &graph->remarks.items[i];
    const dsm__json_node place = dsm__onnx_place(graph, &graph->nodes.items[one->node]);
    if (one->count == 1) {
      dsm__import_note(graph->import, &place, "%s", one->text);
    } else {
      dsm__import_note(graph->import, &place, "%s; so of %zu more", one->text, one->count - 1);
    }
  }
}

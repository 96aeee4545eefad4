/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * masks.c: which keys the nodes between the product of queries and keys and its softmax hide.
 *
 * What is added to a score, or stands in its place, hides a key where it leaves nothing of it
 * behind the softmax. Where that is so of all keys behind a query's own position the attention is
 * causal.
 */
#include <math.h>

#include "import/onnx/lowering.h"

/* The largest number that hides a score that it is added to: exp(-1000) is nothing. */
static const double hidden_at_most = -1000;

const char dsm__onnx_mask_remark[] = "is a mask that is not looked at: it is taken to hide nothing";

/* The change of a choice: nothing where scores are taken, and else what stands in their place. */
static const dsm__onnx_pattern *change_by_choice(const dsm__onnx_pattern *condition,
                                                 const dsm__onnx_pattern *other,
                                                 bool takes_where_true, dsm__onnx_pattern *made) {
  *made = *other;
  made->low = (condition->low != 0) == takes_where_true ? 0 : other->low;
  made->high = (condition->high != 0) == takes_where_true ? 0 : other->high;
  made->low = isnan(condition->low) ? (double)NAN : made->low;
  made->high = isnan(condition->high) ? (double)NAN : made->high;
  made->diagonal = other->low == other->high ? condition->diagonal : other->diagonal;
  const bool has_one = condition->low == condition->high || other->low == other->high ||
                       condition->diagonal == other->diagonal;
  return has_one ? made : NULL;
}

/* What a node has scores changed by, as if it were added to them. NULL: that is not known. */
static const dsm__onnx_pattern *change_by(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                          const dsm__onnx_value *scores, dsm__onnx_pattern *made) {
  const dsm__onnx_pattern *read[3] = {NULL, NULL, NULL};
  size_t at = 0;
  for (size_t i = 0; i < node->input_count && i < DSM__COUNT_OF(read); i++) {
    dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, i);
    read[i] = value == scores ? NULL : dsm__onnx_pattern_of(of, value);
    at = value == scores ? i : at;
  }
  const bool is_choice = dsm__span_is(node->op, "Where");
  const dsm__onnx_pattern *const condition = is_choice ? read[0] : NULL;
  const dsm__onnx_pattern *const other = is_choice ? read[at == 1 ? 2 : 1] : read[at == 0 ? 1 : 0];
  if (other == NULL || other->is_line || (is_choice && (condition == NULL || condition->is_line))) {
    return NULL;
  }
  if (is_choice) {
    return change_by_choice(condition, other, at == 1, made);
  }
  *made = *other;
  if (dsm__span_is(node->op, "Sub")) {
    made->low = -made->low;
    made->high = -made->high;
    return at == 0 ? made : NULL;
  }
  return made;
}

/* Has one of the node's other operands a place for each query and key? */
static bool has_each_place(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           const dsm__onnx_value *scores, const dsm__onnx_scores *of_scores) {
  bool has_any = false;
  for (size_t i = 0; i < node->input_count; i++) {
    const dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, i);
    dsm__onnx_shape shape;
    has_any = has_any || (value != scores && dsm__onnx_shape_of(value, &shape) && shape.rank > 1 &&
                          shape.dims[shape.rank - 1] == of_scores->context &&
                          shape.dims[shape.rank - 2] == of_scores->positions);
  }
  return has_any;
}

/* Have all other operands one number? */
static bool is_number(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                      const dsm__onnx_value *scores) {
  bool is_one = true;
  for (size_t i = 0; i < node->input_count; i++) {
    const dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, i);
    dsm__onnx_shape shape;
    uint64_t elements = 0;
    is_one =
        is_one && (value == scores || (dsm__onnx_shape_of(value, &shape) &&
                                       dsm__onnx_elements(&shape, &elements) && elements == 1));
  }
  return is_one;
}

/* Is the diagonal that of the keys up to each query's own position, the last of which sees all? */
static bool is_own_diagonal(const dsm__onnx_scores *scores, const dsm__onnx_pattern *change) {
  return scores->context >= scores->positions &&
         change->diagonal == (int64_t)(scores->context - scores->positions);
}

void dsm__onnx_mask_scores(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           const dsm__onnx_value *scores, const dsm__onnx_shape *shape) {
  dsm__onnx_view *const view = dsm__onnx_view_through(of, scores);
  dsm__onnx_scores *const masked = dsm__arena_alloc(of->graph->arena, sizeof *masked);
  dsm__onnx_pattern made;
  if (dsm__json_lacks_memory(of->graph->import->doc, view == NULL || masked == NULL)) {
    return;
  }
  *masked = *view->scores;
  view->scores = masked;
  dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), shape, view);
  const dsm__onnx_pattern *const change = change_by(of, node, scores, &made);
  const bool has_diagonal =
      change != NULL && has_each_place(of, node, scores, masked) && is_own_diagonal(masked, change);
  const bool is_product = dsm__span_is(node->op, "Mul") || dsm__span_is(node->op, "Div");
  const bool is_uniform = change != NULL && change->low == change->high;
  if (is_number(of, node, scores) || (is_uniform && (is_product || change->low == 0))) {
    return; /* a scale, or nothing */
  }
  if (is_product) {
    if (has_diagonal && change->low == 1 && change->high == 0) {
      masked->silenced = node;
      return;
    }
  } else if (has_diagonal && change->high <= hidden_at_most) {
    masked->is_causal = true;
    if (change->low == 0) {
      return;
    }
  }
  dsm__onnx_remark_on(of->graph, node, dsm__onnx_mask_remark);
}

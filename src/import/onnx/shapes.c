/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shapes.c: what gives a value another shape and leaves its elements as they are. */
#include "import/onnx/lowering.h"

/* The axis that a number names, from behind where it is negative; -1: it names none. */
int dsm__onnx_axis(int64_t number, unsigned rank) {
  const int64_t axis = number < 0 ? number + (int64_t)rank : number;
  return axis >= 0 && axis < (int64_t)rank ? (int)axis : -1;
}

/* Numbers of an attribute, or of an input where newer operators have them. */
bool dsm__onnx_numbers_at(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                          const char *name, size_t position, dsm__onnx_numbers *numbers) {
  return dsm__onnx_attribute_numbers(node, name, numbers) ||
         dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, position), numbers);
}

bool dsm__onnx_hides_numbers(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                             size_t position) {
  const dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, position);
  return value != NULL && value->numbers == NULL;
}

/* Passes on small numbers too. */
static void pass(dsm__onnx_lowering *of, const dsm__onnx_node *node, const dsm__onnx_shape *shape) {
  dsm__onnx_value *const output = dsm__onnx_output(of->graph, node, 0);
  dsm__onnx_numbers numbers;
  dsm__onnx_pass(of, node, shape);
  if (output != NULL && dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, 0), &numbers)) {
    dsm__onnx_set_numbers(of->graph, output, &numbers);
  }
}

void dsm__onnx_lower_identity(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape shape;
  if (dsm__onnx_need_shape(of, node, 0, &shape)) {
    pass(of, node, &shape);
    if (dsm__span_is(node->op, "Cast")) {
      const int64_t type = dsm__onnx_attribute(node, "to", 0);
      dsm__onnx_output(of->graph, node, 0)->is_whole =
          type > 0 && dsm__onnx_type_is_whole((uint64_t)type);
    }
  }
}

void dsm__onnx_lower_constant(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_value *const output = dsm__onnx_output(of->graph, node, 0);
  const dsm__span tensor = dsm__onnx_attribute_tensor(node, "value");
  dsm__onnx_numbers numbers;
  double real;
  if (output == NULL) {
    return;
  }
  if (tensor.length > 0) {
    if (!dsm__onnx_take_tensor(of->graph, output, tensor)) {
      dsm__onnx_error(of->graph, node, "expected a tensor, found a broken one");
    }
    return;
  }
  output->kind = DSM__ONNX_CONSTANT;
  dsm__onnx_shape shape = {0};
  if (dsm__onnx_attribute_numbers(node, "value_ints", &numbers)) {
    shape = (dsm__onnx_shape){1, {numbers.count}};
    dsm__onnx_set_numbers(of->graph, output, &numbers);
  } else if (dsm__onnx_attribute(node, "value_int", INT64_MIN) != INT64_MIN) {
    numbers = (dsm__onnx_numbers){1, {dsm__onnx_attribute(node, "value_int", 0)}};
    dsm__onnx_set_numbers(of->graph, output, &numbers);
  } else if (dsm__onnx_attribute_reals(node, "value_floats", &real, 1) == 1) {
    dsm__onnx_error(of->graph, node, "expected a tensor or whole numbers, found a list of reals");
    return;
  }
  dsm__onnx_set_shape(of->graph, output, &shape);
}

void dsm__onnx_lower_shape(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_value *const output = dsm__onnx_output(of->graph, node, 0);
  dsm__onnx_shape shape;
  if (output == NULL || !dsm__onnx_need_shape(of, node, 0, &shape)) {
    return;
  }
  const int64_t rank = (int64_t)shape.rank;
  int64_t first = dsm__onnx_attribute(node, "start", 0);
  int64_t end = dsm__onnx_attribute(node, "end", rank);
  first = first < 0 ? first + rank : first;
  end = end < 0 ? end + rank : end > rank ? rank : end;
  dsm__onnx_numbers numbers = {0};
  for (int64_t i = first < 0 ? 0 : first; i < end; i++) {
    numbers.items[numbers.count++] = (int64_t)shape.dims[i];
  }
  const dsm__onnx_shape list = {1, {numbers.count}};
  output->kind = DSM__ONNX_CONSTANT;
  output->is_whole = true;
  dsm__onnx_set_shape(of->graph, output, &list);
  dsm__onnx_set_numbers(of->graph, output, &numbers);
}

void dsm__onnx_lower_size(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_value *const output = dsm__onnx_output(of->graph, node, 0);
  dsm__onnx_shape shape;
  uint64_t elements = 0;
  if (output != NULL && dsm__onnx_need_shape(of, node, 0, &shape) &&
      dsm__onnx_elements(&shape, &elements)) {
    const dsm__onnx_numbers numbers = {1, {(int64_t)elements}};
    const dsm__onnx_shape none = {0};
    output->kind = DSM__ONNX_CONSTANT;
    dsm__onnx_set_shape(of->graph, output, &none);
    dsm__onnx_set_numbers(of->graph, output, &numbers);
  }
}

/* The shape that numbers ask for: 0 is the input's, -1 what is left. */
static bool wanted_shape(const dsm__onnx_shape *from, const dsm__onnx_numbers *wanted,
                         bool is_zero_meant, dsm__onnx_shape *shape) {
  uint64_t all = 0;
  uint64_t known = 0;
  int open = -1;
  shape->rank = wanted->count;
  if (wanted->count > DSM__ONNX_RANK_MAX) {
    return false;
  }
  for (unsigned i = 0; i < wanted->count; i++) {
    const int64_t number = wanted->items[i];
    const bool is_kept = number == 0 && !is_zero_meant && i < from->rank;
    shape->dims[i] = is_kept ? from->dims[i] : number > 0 ? (uint64_t)number : 1;
    if (number < -1 || (number == 0 && !is_kept) || (number == -1 && open >= 0)) {
      return false;
    }
    open = number == -1 ? (int)i : open;
  }
  if (!dsm__onnx_elements(from, &all) || !dsm__onnx_elements(shape, &known) || known == 0) {
    return false;
  }
  if (open >= 0) {
    shape->dims[open] = all / known;
    return all % known == 0;
  }
  return all == known;
}

void dsm__onnx_lower_reshape(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape from;
  dsm__onnx_shape shape;
  dsm__onnx_numbers wanted;
  if (!dsm__onnx_need_shape(of, node, 0, &from)) {
    return;
  }
  if (!dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, 1), &wanted)) {
    dsm__onnx_error(of->graph, node,
                    "expected a shape that is constant or made of shapes, found another");
  } else if (!wanted_shape(&from, &wanted, dsm__onnx_attribute(node, "allowzero", 0) != 0,
                           &shape)) {
    dsm__onnx_error(of->graph, node, "expected a shape of as many elements, found another");
  } else {
    pass(of, node, &shape);
  }
}

void dsm__onnx_lower_flatten(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape from;
  if (!dsm__onnx_need_shape(of, node, 0, &from)) {
    return;
  }
  const int64_t stated = dsm__onnx_attribute(node, "axis", 1);
  const int64_t axis = stated < 0 ? stated + (int64_t)from.rank : stated;
  if (axis < 0 || axis > (int64_t)from.rank) {
    dsm__onnx_error(of->graph, node, "expected an axis within %u dimensions, found %lld", from.rank,
                    (long long)stated);
    return;
  }
  dsm__onnx_shape shape = {2, {1, 1}};
  for (unsigned i = 0; i < from.rank; i++) {
    shape.dims[i < axis ? 0 : 1] *= from.dims[i];
  }
  pass(of, node, &shape);
}

void dsm__onnx_lower_squeeze(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape from;
  dsm__onnx_numbers axes;
  if (!dsm__onnx_need_shape(of, node, 0, &from)) {
    return;
  }
  const bool has_axes = dsm__onnx_numbers_at(of, node, "axes", 1, &axes);
  if (dsm__onnx_hides_numbers(of, node, 1)) {
    dsm__onnx_error(of->graph, node, "expected axes that are constant, found others");
    return;
  }
  dsm__onnx_shape shape = {0};
  for (unsigned i = 0; i < from.rank; i++) {
    bool is_taken = !has_axes && from.dims[i] == 1;
    for (unsigned a = 0; has_axes && a < axes.count; a++) {
      is_taken = is_taken || dsm__onnx_axis(axes.items[a], from.rank) == (int)i;
    }
    if (!is_taken) {
      shape.dims[shape.rank++] = from.dims[i];
    } else if (from.dims[i] != 1) {
      dsm__onnx_error(of->graph, node, "expected a dimension of 1, found %llu",
                      (unsigned long long)from.dims[i]);
      return;
    }
  }
  pass(of, node, &shape);
}

void dsm__onnx_lower_unsqueeze(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape from;
  dsm__onnx_numbers axes;
  if (!dsm__onnx_need_shape(of, node, 0, &from)) {
    return;
  }
  const unsigned rank =
      dsm__onnx_numbers_at(of, node, "axes", 1, &axes) ? from.rank + axes.count : 0;
  unsigned added = 0;
  for (unsigned a = 0; a < axes.count && rank <= DSM__ONNX_RANK_MAX; a++) {
    const int axis = dsm__onnx_axis(axes.items[a], rank);
    added |= axis < 0 ? 0 : 1U << axis;
  }
  dsm__onnx_shape shape = {.rank = rank};
  unsigned next = 0;
  for (unsigned i = 0; i < rank && rank <= DSM__ONNX_RANK_MAX; i++) {
    const bool is_added = (added & 1U << i) != 0;
    shape.dims[i] = is_added || next >= from.rank ? 1 : from.dims[next];
    next += !is_added;
  }
  if (rank == 0 || rank > DSM__ONNX_RANK_MAX || next != from.rank) {
    dsm__onnx_error(of->graph, node, "expected different axes within at most 8 dimensions");
    return;
  }
  pass(of, node, &shape);
}

/* Dimensions of 1, and samples, may stand anywhere: then nothing moves within a sample. */
static bool is_in_order(const dsm__onnx_shape *from, const dsm__onnx_numbers *order,
                        int sample_axis) {
  int64_t last = -1;
  for (unsigned i = 0; i < order->count; i++) {
    if (from->dims[order->items[i]] == 1 || order->items[i] == sample_axis) {
      continue;
    }
    if (order->items[i] < last) {
      return false;
    }
    last = order->items[i];
  }
  return true;
}

/* Where the samples are when axes have changed places. */
static uint64_t moved_before(int axis, const dsm__onnx_numbers *order,
                             const dsm__onnx_shape *shape) {
  for (unsigned i = 0; axis >= 0 && i < order->count; i++) {
    if (order->items[i] == axis) {
      return dsm__onnx_product_before(shape, (int)i);
    }
  }
  return 0;
}

void dsm__onnx_lower_transpose(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape from;
  dsm__onnx_numbers order;
  unsigned seen = 0;
  if (!dsm__onnx_need_shape(of, node, 0, &from)) {
    return;
  }
  if (!dsm__onnx_attribute_numbers(node, "perm", &order)) {
    order.count = from.rank;
    for (unsigned i = 0; i < from.rank; i++) {
      order.items[i] = (int64_t)from.rank - 1 - (int64_t)i;
    }
  }
  dsm__onnx_shape shape = {.rank = from.rank};
  for (unsigned i = 0; i < order.count && order.count == from.rank; i++) {
    const int axis = dsm__onnx_axis(order.items[i], from.rank);
    seen |= axis < 0 ? 0 : 1U << axis;
    shape.dims[i] = axis < 0 ? 1 : from.dims[axis];
    order.items[i] = axis;
  }
  if (order.count != from.rank || seen != (1U << from.rank) - 1) {
    dsm__onnx_error(of->graph, node, "expected each of %u axes once, found others", from.rank);
    return;
  }
  dsm__onnx_value *const input = dsm__onnx_input(of->graph, node, 0);
  if (dsm__onnx_view_of(of, input) == NULL) {
    dsm__onnx_pass(of, node, &shape);
    return;
  }
  dsm__onnx_view *const view = dsm__onnx_view_through(of, input);
  if (view != NULL) {
    const int axis = dsm__onnx_sample_axis(of, input->view, &from);
    view->mover = is_in_order(&from, &order, axis) ? view->mover : node;
    view->before = moved_before(axis, &order, &shape);
    dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), &shape, view);
    dsm__onnx_output(of->graph, node, 0)->is_whole = input->is_whole;
  }
}

void dsm__onnx_lower_expand(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape from;
  dsm__onnx_shape shape;
  dsm__onnx_numbers wanted;
  if (!dsm__onnx_need_shape(of, node, 0, &from)) {
    return;
  }
  const bool is_tile = dsm__span_is(node->op, "Tile");
  if (!dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, 1), &wanted) ||
      wanted.count > DSM__ONNX_RANK_MAX || (is_tile && wanted.count != from.rank)) {
    dsm__onnx_error(of->graph, node,
                    "expected a shape that is constant or made of shapes, found another");
    return;
  }
  dsm__onnx_shape target = {.rank = wanted.count};
  for (unsigned i = 0; i < wanted.count; i++) {
    target.dims[i] = wanted.items[i] < 1 ? 1 : (uint64_t)wanted.items[i];
  }
  uint64_t elements = 0;
  bool is_good = is_tile || dsm__onnx_broadcast(&from, &target, &shape);
  for (unsigned i = 0; is_tile && i < from.rank; i++) {
    is_good = is_good && target.dims[i] <= DSM_PRODUCT_MAX && from.dims[i] <= DSM_DIMENSION_MAX &&
              target.dims[i] <= DSM_DIMENSION_MAX;
    shape.dims[i] = from.dims[i] * target.dims[i];
  }
  shape.rank = is_tile ? from.rank : shape.rank;
  if (!is_good || !dsm__onnx_elements(&shape, &elements)) {
    dsm__onnx_error(of->graph, node,
                    "expected a shape of at most 2^53 elements that the input "
                    "fits, found another");
    return;
  }
  dsm__onnx_pass(of, node, &shape);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fold.c: what is made of constants alone: shapes, axes, and weights that are computed first. */
#include "import/onnx/lowering.h"

typedef bool fold(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                  dsm__onnx_numbers *numbers, bool *has_numbers);

/* ---- element by element ---- */

static bool divide(int64_t a, int64_t b, int64_t *result) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) {
    return false;
  }
  *result = a / b;
  return true;
}

/* Of two numbers one, or whether they compare so; INT64_MIN if the operator does neither. */
static int64_t compared(dsm__span op, int64_t a, int64_t b) {
  const int64_t least = a < b ? a : b;
  const int64_t most = a > b ? a : b;
  const struct {
    const char *op;
    int64_t result;
  } results[] = {
      {"Min", least}, {"Max", most}, {"Equal", a == b}, {"Less", a < b}, {"Greater", a > b}};
  for (size_t i = 0; i < DSM__COUNT_OF(results); i++) {
    if (dsm__span_is(op, results[i].op)) {
      return results[i].result;
    }
  }
  return INT64_MIN;
}

/* Whole numbers by an operator of two; false if that has no result. */
static bool combine(dsm__span op, int64_t a, int64_t b, int64_t *result) {
  if (dsm__span_is(op, "Add")) {
    return !__builtin_add_overflow(a, b, result);
  }
  if (dsm__span_is(op, "Sub")) {
    return !__builtin_sub_overflow(a, b, result);
  }
  if (dsm__span_is(op, "Mul")) {
    return !__builtin_mul_overflow(a, b, result);
  }
  if (dsm__span_is(op, "Div")) {
    return divide(a, b, result);
  }
  if (dsm__span_is(op, "Mod") && b > 0) {
    *result = (a % b + b) % b;
    return true;
  }
  *result = compared(op, a, b);
  return *result != INT64_MIN;
}

static bool fold_two(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                     dsm__onnx_numbers *numbers, bool *has_numbers) {
  const dsm__onnx_value *const left = dsm__onnx_input(of->graph, node, 0);
  const dsm__onnx_value *const right = dsm__onnx_input(of->graph, node, 1);
  dsm__onnx_shape b;
  dsm__onnx_numbers from_a;
  dsm__onnx_numbers from_b;
  dsm__onnx_shape a;
  if (!dsm__onnx_shape_of(left, &a) || !dsm__onnx_shape_of(right, &b) ||
      !dsm__onnx_broadcast(&a, &b, shape)) {
    return false;
  }
  const bool is_a = dsm__onnx_numbers_of(left, &from_a);
  const bool is_b = dsm__onnx_numbers_of(right, &from_b);
  const bool is_fit = from_a.count == from_b.count || from_a.count == 1 || from_b.count == 1;
  *has_numbers = is_a && is_b && is_fit && from_a.count > 0 && from_b.count > 0 && shape->rank <= 1;
  numbers->count = from_a.count > from_b.count ? from_a.count : from_b.count;
  for (unsigned i = 0; *has_numbers && i < numbers->count; i++) {
    *has_numbers = combine(node->op, from_a.items[from_a.count == 1 ? 0 : i],
                           from_b.items[from_b.count == 1 ? 0 : i], &numbers->items[i]);
  }
  return true;
}

static bool fold_one(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                     dsm__onnx_numbers *numbers, bool *has_numbers) {
  const dsm__onnx_value *const input = dsm__onnx_input(of->graph, node, 0);
  if (!dsm__onnx_shape_of(input, shape)) {
    return false;
  }
  const bool is_same = dsm__span_is(node->op, "Floor") || dsm__span_is(node->op, "Ceil");
  const bool is_negated = dsm__span_is(node->op, "Neg");
  *has_numbers = dsm__onnx_numbers_of(input, numbers) && (is_same || is_negated);
  for (unsigned i = 0; is_negated && i < numbers->count; i++) {
    *has_numbers = *has_numbers && numbers->items[i] != INT64_MIN;
    numbers->items[i] = *has_numbers ? -numbers->items[i] : 0;
  }
  return true;
}

static bool fold_where(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                       dsm__onnx_numbers *numbers, bool *has_numbers) {
  dsm__onnx_shape shapes[3];
  dsm__onnx_numbers read[3];
  dsm__onnx_shape two;
  *has_numbers = true;
  numbers->count = 1;
  for (size_t i = 0; i < 3; i++) {
    const dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, i);
    if (!dsm__onnx_shape_of(value, &shapes[i])) {
      return false;
    }
    *has_numbers = dsm__onnx_numbers_of(value, &read[i]) && read[i].count > 0 && *has_numbers;
    numbers->count = read[i].count > numbers->count ? read[i].count : numbers->count;
  }
  if (!dsm__onnx_broadcast(&shapes[0], &shapes[1], &two) ||
      !dsm__onnx_broadcast(&two, &shapes[2], shape)) {
    return false;
  }
  for (size_t i = 0; i < 3; i++) {
    *has_numbers = *has_numbers && (read[i].count == 1 || read[i].count == numbers->count);
  }
  for (unsigned i = 0; *has_numbers && i < numbers->count; i++) {
    const bool is_true = read[0].items[read[0].count == 1 ? 0 : i] != 0;
    const dsm__onnx_numbers *const from = is_true ? &read[1] : &read[2];
    numbers->items[i] = from->items[from->count == 1 ? 0 : i];
  }
  return true;
}

/* ---- lists ---- */

static bool fold_concat(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                        dsm__onnx_numbers *numbers, bool *has_numbers) {
  int axis = -1;
  *has_numbers = true;
  numbers->count = 0;
  for (size_t i = 0; i < node->input_count; i++) {
    const dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, i);
    dsm__onnx_shape one;
    dsm__onnx_numbers read;
    if (!dsm__onnx_shape_of(value, &one) || (i > 0 && one.rank != shape->rank)) {
      return false;
    }
    axis = i == 0 ? dsm__onnx_axis(dsm__onnx_attribute(node, "axis", INT64_MIN), one.rank) : axis;
    if (axis < 0) {
      return false;
    }
    if (i == 0) {
      *shape = one;
    } else {
      shape->dims[axis] += one.dims[axis];
    }
    if (shape->dims[axis] > DSM_PRODUCT_MAX) {
      return false;
    }
    *has_numbers = *has_numbers && dsm__onnx_numbers_of(value, &read) && one.rank == 1 &&
                   numbers->count + read.count <= DSM__ONNX_NUMBERS_MAX;
    for (unsigned n = 0; *has_numbers && n < read.count; n++) {
      numbers->items[numbers->count++] = read.items[n];
    }
  }
  return node->input_count > 0;
}

static bool fold_gather(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                        dsm__onnx_numbers *numbers, bool *has_numbers) {
  const dsm__onnx_value *const data = dsm__onnx_input(of->graph, node, 0);
  const dsm__onnx_value *const indices = dsm__onnx_input(of->graph, node, 1);
  dsm__onnx_shape from;
  dsm__onnx_shape by;
  dsm__onnx_numbers read;
  dsm__onnx_numbers chosen;
  if (!dsm__onnx_shape_of(data, &from) || !dsm__onnx_shape_of(indices, &by)) {
    return false;
  }
  const int axis = dsm__onnx_axis(dsm__onnx_attribute(node, "axis", 0), from.rank);
  if (axis < 0 || !dsm__onnx_gathered(&from, axis, &by, shape)) {
    return false;
  }
  *has_numbers =
      dsm__onnx_numbers_of(data, &read) && dsm__onnx_numbers_of(indices, &chosen) && from.rank == 1;
  numbers->count = *has_numbers ? chosen.count : 0;
  for (unsigned i = 0; *has_numbers && i < chosen.count; i++) {
    const int at = dsm__onnx_axis(chosen.items[i], read.count);
    *has_numbers = at >= 0;
    numbers->items[i] = at >= 0 ? read.items[at] : 0;
  }
  return true;
}

static bool fold_slice(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                       dsm__onnx_numbers *numbers, bool *has_numbers) {
  const dsm__onnx_value *const data = dsm__onnx_input(of->graph, node, 0);
  dsm__onnx_shape from;
  dsm__onnx_numbers read;
  dsm__onnx_numbers starts;
  dsm__onnx_numbers steps;
  int axis = 0;
  unsigned count = 0;
  if (!dsm__onnx_shape_of(data, &from) ||
      !dsm__onnx_read_slices(of, node, &from, shape, &axis, &count)) {
    return false;
  }
  const bool has_steps = dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, 4), &steps);
  *has_numbers = dsm__onnx_numbers_of(data, &read) && from.rank == 1 &&
                 dsm__onnx_numbers_at(of, node, "starts", 1, &starts) && starts.count == 1 &&
                 (!has_steps || steps.items[0] == 1);
  int64_t first = *has_numbers ? starts.items[0] : 0;
  first = first < 0 ? first + (int64_t)read.count : first;
  first = first < 0 ? 0 : first;
  numbers->count = *has_numbers ? (unsigned)shape->dims[0] : 0;
  for (unsigned i = 0; i < numbers->count; i++) {
    numbers->items[i] = read.items[(uint64_t)first + i];
  }
  return true;
}

static bool fold_range(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                       dsm__onnx_numbers *numbers, bool *has_numbers) {
  dsm__onnx_numbers read[3];
  for (size_t i = 0; i < 3; i++) {
    if (!dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, i), &read[i]) ||
        read[i].count != 1) {
      return false;
    }
  }
  const int64_t first = read[0].items[0];
  const int64_t end = read[1].items[0];
  const int64_t step = read[2].items[0];
  if (step <= 0 || first < 0 || end < first) {
    return false;
  }
  const uint64_t count =
      (uint64_t)(end - first) / (uint64_t)step + ((uint64_t)(end - first) % (uint64_t)step != 0);
  *shape = (dsm__onnx_shape){1, {count}};
  *has_numbers = count <= DSM__ONNX_NUMBERS_MAX;
  numbers->count = *has_numbers ? (unsigned)count : 0;
  for (unsigned i = 0; i < numbers->count; i++) {
    numbers->items[i] = first + (int64_t)i * step;
  }
  return true;
}

static bool fold_fill(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                      dsm__onnx_numbers *numbers, bool *has_numbers) {
  dsm__onnx_numbers wanted;
  dsm__onnx_value filled = {.node = DSM__ONNX_NONE, .tensor = {"", 0}};
  const dsm__span tensor = dsm__onnx_attribute_tensor(node, "value");
  uint64_t elements = 0;
  if (!dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, 0), &wanted) ||
      wanted.count > DSM__ONNX_RANK_MAX) {
    return false;
  }
  shape->rank = wanted.count;
  for (unsigned i = 0; i < wanted.count; i++) {
    shape->dims[i] = wanted.items[i] < 0 ? 0 : (uint64_t)wanted.items[i];
  }
  *has_numbers = tensor.length > 0 && dsm__onnx_take_tensor(of->graph, &filled, tensor) &&
                 filled.number_count == 1 && dsm__onnx_elements(shape, &elements) &&
                 elements <= DSM__ONNX_NUMBERS_MAX;
  numbers->count = *has_numbers ? (unsigned)elements : 0;
  for (unsigned i = 0; i < numbers->count; i++) {
    numbers->items[i] = filled.numbers[0];
  }
  return true;
}

/* ---- reductions ---- */

static bool fold_reduce(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                        dsm__onnx_numbers *numbers, bool *has_numbers) {
  dsm__onnx_shape from;
  dsm__onnx_numbers axes;
  const dsm__onnx_value *const input = dsm__onnx_input(of->graph, node, 0);
  if (!dsm__onnx_shape_of(input, &from)) {
    return false;
  }
  if (dsm__onnx_hides_numbers(of, node, 1)) {
    return false;
  }
  const bool has_axes = dsm__onnx_numbers_at(of, node, "axes", 1, &axes);
  const bool is_kept = dsm__onnx_attribute(node, "keepdims", 1) != 0;
  shape->rank = 0;
  for (unsigned i = 0; i < from.rank; i++) {
    bool is_reduced = !has_axes;
    for (unsigned a = 0; has_axes && a < axes.count; a++) {
      is_reduced = is_reduced || dsm__onnx_axis(axes.items[a], from.rank) == (int)i;
    }
    if (!is_reduced || is_kept) {
      shape->dims[shape->rank++] = is_reduced ? 1 : from.dims[i];
    }
  }
  dsm__onnx_numbers read;
  *has_numbers =
      dsm__span_is(node->op, "ReduceProd") && from.rank == 1 && dsm__onnx_numbers_of(input, &read);
  numbers->count = 1;
  numbers->items[0] = 1;
  for (unsigned i = 0; *has_numbers && i < read.count; i++) {
    *has_numbers = !__builtin_mul_overflow(numbers->items[0], read.items[i], &numbers->items[0]);
  }
  return true;
}

/* ---- products ---- */

static bool fold_product(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_shape *shape,
                         dsm__onnx_numbers *numbers, bool *has_numbers) {
  dsm__onnx_shape a;
  dsm__onnx_shape b;
  (void)numbers;
  *has_numbers = false;
  if (!dsm__onnx_shape_of(dsm__onnx_input(of->graph, node, 0), &a) ||
      !dsm__onnx_shape_of(dsm__onnx_input(of->graph, node, 1), &b) || a.rank < 2 || b.rank < 2) {
    return false;
  }
  const uint64_t rows = a.dims[a.rank - 2];
  const uint64_t columns = b.dims[b.rank - 1];
  const bool is_fit = a.dims[a.rank - 1] == b.dims[b.rank - 2];
  a.rank -= 2;
  b.rank -= 2;
  if (!is_fit || !dsm__onnx_broadcast(&a, &b, shape)) {
    return false;
  }
  shape->dims[shape->rank++] = rows;
  shape->dims[shape->rank++] = columns;
  return true;
}

/* Operators that are folded alike. */
typedef struct fold_row {
  const char *ops[16]; /* NULL behind the last */
  fold *make;
} fold_row;

static fold *find_fold(const dsm__onnx_node *node) {
  static const fold_row rows[] = {
      {{"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Pow", "Equal", "Less", "Greater", "And",
        "Or", "LessOrEqual", "GreaterOrEqual"},
       fold_two},
      {{"MatMul"}, fold_product},
      {{"Where"}, fold_where},
      {{"Concat"}, fold_concat},
      {{"Gather"}, fold_gather},
      {{"Slice"}, fold_slice},
      {{"Range"}, fold_range},
      {{"ConstantOfShape"}, fold_fill},
      {{"ReduceProd", "ReduceMean", "ReduceMax", "ReduceSum"}, fold_reduce},
      {{"Neg", "Not", "Sqrt", "Exp", "Cos", "Sin", "Floor", "Ceil", "Reciprocal", "Abs", "Log",
        "Trilu"},
       fold_one},
  };
  for (size_t i = 0; i < DSM__COUNT_OF(rows); i++) {
    if (dsm__span_is_any(node->op, rows[i].ops)) {
      return rows[i].make;
    }
  }
  return NULL;
}

bool dsm__onnx_fold(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  fold *const make = find_fold(node);
  dsm__onnx_shape shape = {0};
  dsm__onnx_numbers numbers = {0};
  bool has_numbers = false;
  uint64_t elements = 0;
  dsm__onnx_value *const output = dsm__onnx_output(of->graph, node, 0);
  for (size_t i = 0; i < node->input_count; i++) {
    const dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, i);
    if (value != NULL && value->kind != DSM__ONNX_CONSTANT) {
      return false;
    }
  }
  if (make == NULL || output == NULL) {
    return false;
  }
  if (!make(of, node, &shape, &numbers, &has_numbers) || !dsm__onnx_elements(&shape, &elements)) {
    dsm__onnx_error(of->graph, node, "expected constants of which a shape follows, found others");
    return true;
  }
  has_numbers = has_numbers && numbers.count == elements; /* each place has its own */
  output->kind = DSM__ONNX_CONSTANT;
  output->is_whole = has_numbers;
  dsm__onnx_set_shape(of->graph, output, &shape);
  if (has_numbers) {
    dsm__onnx_set_numbers(of->graph, output, &numbers);
  }
  return true;
}

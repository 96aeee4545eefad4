/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * patterns.c: what nodes make of patterns.
 *
 * A mask is written as a table that is cut to size, as the triangle of a matrix, or as positions of
 * keys compared with those of queries, and then moved, inverted and scaled: all of it operations on
 * numbers that differ on both sides of one diagonal at most. What is not known, such as which words
 * of a sentence only fill it up, may join them: then one side may still be.
 */
#include <math.h>

#include "import/onnx/lowering.h"

static const dsm__onnx_pattern unknown = {.low = (double)NAN, .high = (double)NAN};

static bool is_known(double number) {
  return !isnan(number);
}

static bool is_uniform(const dsm__onnx_pattern *pattern) {
  return !pattern->is_line && pattern->low == pattern->high;
}

/* ---- element by element ---- */

typedef double combine(double a, double b);

static double add(double a, double b) {
  const double least = -(double)INFINITY;
  return a == least || b == least ? least : a + b;
}
static double subtract(double a, double b) {
  return a - b;
}
static double multiply(double a, double b) {
  return a * b;
}
static double divide(double a, double b) {
  return b == 0 ? (double)NAN : a / b;
}
static double both(double a, double b) {
  return a == 0 || b == 0 ? 0 : is_known(a) && is_known(b) ? 1 : (double)NAN;
}
static double either(double a, double b) {
  return (is_known(a) && a != 0) || (is_known(b) && b != 0) ? 1 : a + b;
}
static double known(double a, double b, bool result) {
  return is_known(a) && is_known(b) ? (result ? 1 : 0) : (double)NAN;
}
static double equal(double a, double b) {
  return known(a, b, a == b);
}
static double less(double a, double b) {
  return known(a, b, a < b);
}
static double less_or_equal(double a, double b) {
  return known(a, b, a <= b);
}
static double greater(double a, double b) {
  return known(a, b, a > b);
}
static double greater_or_equal(double a, double b) {
  return known(a, b, a >= b);
}

typedef struct combine_row {
  const char *op;
  combine *make;
} combine_row;

static combine *find_combine(dsm__span op) {
  static const combine_row rows[] = {
      {"Add", add},         {"Sub", subtract},
      {"Mul", multiply},    {"Div", divide},
      {"And", both},        {"Or", either},
      {"Equal", equal},     {"Less", less},
      {"Greater", greater}, {"LessOrEqual", less_or_equal},
      {"Max", fmax},        {"GreaterOrEqual", greater_or_equal},
  };
  for (size_t i = 0; i < DSM__COUNT_OF(rows); i++) {
    if (dsm__span_is(op, rows[i].op)) {
      return rows[i].make;
    }
  }
  return NULL;
}

/* Lines are moved and stretched by numbers that are all one. */
static bool combine_line(combine *make, const dsm__onnx_pattern *line, const dsm__onnx_pattern *by,
                         bool is_first, dsm__onnx_pattern *made) {
  *made = *line;
  if (!is_uniform(by) || (make != add && make != subtract && make != multiply)) {
    return false;
  }
  made->low = is_first ? make(line->low, by->low) : make(by->low, line->low);
  made->high = make == multiply                ? line->high * by->low
               : make == subtract && !is_first ? -line->high
                                               : line->high;
  return true;
}

/* Places of columns compared with places of rows, both growing by one, differ on both sides of a
 * diagonal. */
static bool compare_lines(combine *make, const dsm__onnx_pattern *a, const dsm__onnx_pattern *b,
                          dsm__onnx_pattern *made) {
  const dsm__onnx_pattern *const columns = a->axis == 0 ? a : b;
  const dsm__onnx_pattern *const rows = columns == a ? b : a;
  const double gap = rows->low - columns->low; /* column - row where both are equal */
  if (columns->axis != 0 || rows->axis != 1 || columns->high != 1 || rows->high != 1 ||
      !(fabs(gap) <= DSM_SIDE_MAX) || gap != floor(gap)) {
    return false;
  }
  const bool is_strict = make == less || make == greater;
  const bool is_low = make == less || make == less_or_equal; /* of what a is to b */
  if (!is_strict && make != less_or_equal && make != greater_or_equal) {
    return false;
  }
  const bool are_low_true = is_low == (columns == a);
  const bool is_equal_low = is_strict != are_low_true;
  *made = (dsm__onnx_pattern){.low = are_low_true ? 1 : 0,
                              .high = are_low_true ? 0 : 1,
                              .diagonal = (int64_t)gap - (is_equal_low ? 0 : 1)};
  return true;
}

static bool have_one_diagonal(const dsm__onnx_pattern *a, const dsm__onnx_pattern *b) {
  const bool has_a = a->low == a->high || (isnan(a->low) && isnan(a->high));
  const bool has_b = b->low == b->high || (isnan(b->low) && isnan(b->high));
  return has_a || has_b || a->diagonal == b->diagonal;
}

static int64_t diagonal_of(const dsm__onnx_pattern *a, const dsm__onnx_pattern *b) {
  return a->low == a->high || (isnan(a->low) && isnan(a->high)) ? b->diagonal : a->diagonal;
}

static bool combine_two(combine *make, const dsm__onnx_pattern *a, const dsm__onnx_pattern *b,
                        dsm__onnx_pattern *made) {
  if (a->is_line && b->is_line) {
    return compare_lines(make, a, b, made);
  }
  if (a->is_line || b->is_line) {
    return combine_line(make, a->is_line ? a : b, a->is_line ? b : a, a->is_line, made);
  }
  *made = (dsm__onnx_pattern){
      .low = make(a->low, b->low), .high = make(a->high, b->high), .diagonal = diagonal_of(a, b)};
  return have_one_diagonal(a, b);
}

static double choose(double condition, double a, double b) {
  return isnan(condition) ? (a == b ? a : (double)NAN) : condition != 0 ? a : b;
}

static bool combine_three(const dsm__onnx_pattern *condition, const dsm__onnx_pattern *a,
                          const dsm__onnx_pattern *b, dsm__onnx_pattern *made) {
  if (condition->is_line || a->is_line || b->is_line) {
    return false;
  }
  const dsm__onnx_pattern two = {.low = a->low == a->high ? b->low : a->low,
                                 .high = a->low == a->high ? b->high : a->high,
                                 .diagonal = diagonal_of(a, b)};
  *made = (dsm__onnx_pattern){.low = choose(condition->low, a->low, b->low),
                              .high = choose(condition->high, a->high, b->high),
                              .diagonal = diagonal_of(condition, &two)};
  return have_one_diagonal(a, b) && have_one_diagonal(condition, a) &&
         have_one_diagonal(condition, b);
}

/* ---- parts and places ---- */

/* The first place that a start names, which counts from the end if it is negative. */
static int64_t first_place(int64_t start, int64_t size) {
  const int64_t first = start < 0 ? start + size : start;
  return first < 0 ? 0 : first > size ? size : first;
}

/* Leaves out the places of an axis before `first`; axes are counted from the last one, which is 0.
 */
static void move_start(const dsm__onnx_pattern *from, unsigned axis, int64_t first,
                       dsm__onnx_pattern *made) {
  if (from->is_line) {
    made->low += axis == from->axis ? from->high * (double)first : 0;
  } else {
    made->diagonal += axis == 0 ? -first : axis == 1 ? first : 0;
  }
}

/* A part of a matrix has its diagonal elsewhere. */
static bool slice(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                  const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  dsm__onnx_numbers starts;
  dsm__onnx_numbers axes;
  dsm__onnx_numbers steps;
  dsm__onnx_shape shape;
  *made = *from;
  if (is_uniform(from)) {
    return true;
  }
  if (!dsm__onnx_shape_of(dsm__onnx_input(of->graph, node, 0), &shape) ||
      !dsm__onnx_numbers_at(of, node, "starts", 1, &starts)) {
    return false;
  }
  const bool has_axes = dsm__onnx_numbers_at(of, node, "axes", 3, &axes);
  const bool has_steps = dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, 4), &steps);
  for (unsigned i = 0; i < starts.count; i++) {
    const int axis = dsm__onnx_axis(has_axes && i < axes.count ? axes.items[i] : i, shape.rank);
    if (axis < 0 || (has_steps && i < steps.count && steps.items[i] != 1)) {
      return false;
    }
    const int64_t first = first_place(starts.items[i], (int64_t)shape.dims[axis]);
    move_start(from, shape.rank - 1 - (unsigned)axis, first, made);
  }
  return true;
}

/* Below or above a diagonal all becomes nothing. */
static bool cut_triangle(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                         const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  dsm__onnx_numbers numbers;
  const dsm__onnx_value *const by = dsm__onnx_input(of->graph, node, 1);
  const bool is_upper = dsm__onnx_attribute(node, "upper", 1) != 0;
  if (from->is_line || dsm__onnx_hides_numbers(of, node, 1) ||
      (dsm__onnx_numbers_of(by, &numbers) && numbers.count != 1)) {
    return false;
  }
  const int64_t diagonal = by == NULL ? 0 : numbers.items[0];
  if (diagonal < -DSM_SIDE_MAX || diagonal > DSM_SIDE_MAX) {
    return false;
  }
  *made = (dsm__onnx_pattern){.low = is_upper ? 0 : from->low,
                              .high = is_upper ? from->high : 0,
                              .diagonal = diagonal - (is_upper ? 1 : 0)};
  return have_one_diagonal(from, made);
}

/* A new shape leaves matrices what they are, or turns the line along which all lies. */
static bool reshape(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                    const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  enum { MATRIX_RANK = 2 };
  dsm__onnx_shape before;
  dsm__onnx_shape after;
  *made = *from;
  if (!dsm__onnx_shape_of(dsm__onnx_input(of->graph, node, 0), &before) ||
      !dsm__onnx_shape_of(dsm__onnx_output(of->graph, node, 0), &after)) {
    return false;
  }
  const int axis = dsm__onnx_line_axis(&after);
  if (from->is_line) {
    made->axis = axis < 0 ? 0 : (unsigned)axis;
    return axis >= 0;
  }
  return is_uniform(from) || (before.rank >= MATRIX_RANK && after.rank >= MATRIX_RANK &&
                              before.dims[before.rank - 1] == after.dims[after.rank - 1] &&
                              before.dims[before.rank - 2] == after.dims[after.rank - 2]);
}

/* Spread over more samples it is the same of each of them; over more rows or columns it is another.
 */
static bool fits(const dsm__onnx_value *value, const dsm__onnx_pattern *pattern,
                 const dsm__onnx_value *output) {
  dsm__onnx_shape before;
  dsm__onnx_shape after;
  if (is_uniform(pattern)) {
    return true;
  }
  if (!dsm__onnx_shape_of(value, &before) || !dsm__onnx_shape_of(output, &after)) {
    return false;
  }
  for (unsigned i = 0; i < 2; i++) {
    const uint64_t side = i < before.rank ? before.dims[before.rank - 1 - i] : 1;
    if ((!pattern->is_line || pattern->axis == i) &&
        (i >= after.rank || side != after.dims[after.rank - 1 - i])) {
      return false;
    }
  }
  return !pattern->is_line || pattern->axis < 2;
}

/* Rows for columns. */
static bool transpose(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                      const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  enum { MATRIX_RANK = 2 };
  dsm__onnx_shape shape;
  dsm__onnx_numbers order;
  *made = *from;
  if (is_uniform(from)) {
    return true;
  }
  const bool is_stated = dsm__onnx_attribute_numbers(node, "perm", &order);
  if (!dsm__onnx_shape_of(dsm__onnx_input(of->graph, node, 0), &shape) ||
      shape.rank != MATRIX_RANK || (is_stated && order.items[0] != 1)) {
    return false;
  }
  if (from->is_line) {
    made->axis = from->axis == 0 ? 1 : 0;
  } else {
    *made =
        (dsm__onnx_pattern){.low = from->high, .high = from->low, .diagonal = -from->diagonal - 1};
  }
  return true;
}

static bool cast(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                 const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  (void)of;
  enum { TYPE_BOOL = 9 };
  *made = *from;
  if (dsm__onnx_attribute(node, "to", 0) == TYPE_BOOL && !from->is_line) {
    made->low = either(from->low, from->low);
    made->high = either(from->high, from->high);
  }
  return true;
}

static bool invert(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                   const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  (void)of;
  (void)node;
  *made = *from;
  made->low = equal(from->low, 0);
  made->high = equal(from->high, 0);
  return !from->is_line;
}

static bool negate(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                   const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  (void)of;
  (void)node;
  *made = *from;
  made->low = -from->low;
  made->high = -from->high;
  return true;
}

static bool expand(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                   const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  *made = *from;
  return fits(dsm__onnx_input(of->graph, node, 0), from, dsm__onnx_output(of->graph, node, 0));
}

static bool keep(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                 const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  (void)of;
  (void)node;
  *made = *from;
  return true;
}

/* ---- nodes ---- */

/* What a node of one operand, and of others that say what to do with it, makes. */
static bool make_of_one(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                        const dsm__onnx_pattern *from, dsm__onnx_pattern *made) {
  static const struct {
    const char *op;
    bool (*make)(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                 const dsm__onnx_pattern *from, dsm__onnx_pattern *made);
  } makers[] = {{"Reshape", reshape}, {"Squeeze", reshape},     {"Unsqueeze", reshape},
                {"Flatten", reshape}, {"Slice", slice},         {"Trilu", cut_triangle},
                {"Expand", expand},   {"Transpose", transpose}, {"Cast", cast},
                {"Not", invert},      {"Neg", negate},          {"Identity", keep}};
  for (size_t i = 0; i < DSM__COUNT_OF(makers); i++) {
    if (dsm__span_is(node->op, makers[i].op)) {
      return makers[i].make(of, node, from, made);
    }
  }
  return false;
}

static bool make_range(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                       dsm__onnx_pattern *made) {
  const dsm__onnx_pattern *const first =
      dsm__onnx_pattern_of(of, dsm__onnx_input(of->graph, node, 0));
  const dsm__onnx_pattern *const step =
      dsm__onnx_pattern_of(of, dsm__onnx_input(of->graph, node, 2));
  if (first == NULL || step == NULL || !is_uniform(first) || !is_uniform(step)) {
    return false;
  }
  *made = (dsm__onnx_pattern){.is_line = true, .low = first->low, .high = step->low};
  return true;
}

static bool make_filled(const dsm__onnx_node *node, dsm__onnx_pattern *made) {
  const dsm__span tensor = dsm__onnx_attribute_tensor(node, "value");
  double real = 0; /* what is filled with where nothing is stated */
  if (tensor.length > 0 && dsm__onnx_tensor_reals(tensor, &real, 1) != 1) {
    return false;
  }
  *made = (dsm__onnx_pattern){.low = real, .high = real};
  return true;
}

/* What several operands make, of which one at least is known. */
static bool make_of_several(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                            dsm__onnx_pattern *made) {
  enum { OPERANDS = 3 };
  combine *const make = find_combine(node->op);
  const bool is_choice = dsm__span_is(node->op, "Where");
  const dsm__onnx_pattern *operands[OPERANDS];
  bool is_any_known = false;
  if (node->input_count != (is_choice ? OPERANDS : 2) || (make == NULL && !is_choice)) {
    return false;
  }
  for (size_t i = 0; i < node->input_count; i++) {
    dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, i);
    const dsm__onnx_pattern *const one = dsm__onnx_pattern_of(of, value);
    const bool is_one_known = one != NULL && fits(value, one, dsm__onnx_output(of->graph, node, 0));
    is_any_known = is_any_known || is_one_known;
    operands[i] = is_one_known ? one : &unknown;
  }
  if (!is_any_known) {
    return false;
  }
  return is_choice ? combine_three(operands[0], operands[1], operands[2], made)
                   : combine_two(make, operands[0], operands[1], made);
}

void dsm__onnx_find_pattern(const dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_value *const output = dsm__onnx_output(of->graph, node, 0);
  dsm__onnx_pattern made;
  if (output == NULL || output->kind == DSM__ONNX_UNKNOWN || output->number_count > 0 ||
      output->tensor.length > 0 || node->input_count == 0) {
    return;
  }
  const dsm__onnx_pattern *const from =
      dsm__onnx_pattern_of(of, dsm__onnx_input(of->graph, node, 0));
  const bool is_made = dsm__span_is(node->op, "Range") ? make_range(of, node, &made)
                       : dsm__span_is(node->op, "ConstantOfShape")
                           ? make_filled(node, &made)
                           : make_of_several(of, node, &made) ||
                                 (from != NULL && make_of_one(of, node, from, &made));
  if (!is_made || (isnan(made.low) && isnan(made.high))) {
    return;
  }
  dsm__onnx_pattern *const kept = dsm__arena_alloc(of->graph->arena, sizeof *kept);
  if (dsm__json_lacks_memory(of->graph->import->doc, kept == NULL)) {
    return;
  }
  *kept = made;
  output->pattern = kept;
  output->is_scanned = true;
}

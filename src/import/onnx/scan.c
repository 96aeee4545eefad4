/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.c: patterns of tensors in the file: numbers that are all one, grow along an axis, or differ
 * on both sides of a diagonal.
 *
 * A tensor is read up to the first number that does not fit, and only once.
 */
#include <math.h>

#include "import/onnx/lowering.h"

typedef struct scan {
  uint64_t rows; /* of each matrix; 1: a line */
  uint64_t columns;
  uint64_t at;
  dsm__onnx_pattern found;
  bool is_uniform;
  bool is_good;
} scan;

/* Numbers along a line grow by one step. */
static bool take_of_line(void *to, double real) {
  scan *const of = to;
  dsm__onnx_pattern *const found = &of->found;
  if (of->at == 0) {
    found->low = real;
  } else if (of->at == 1) {
    found->high = real - found->low;
  }
  of->is_good = real == found->low + found->high * (double)of->at;
  of->at++;
  return of->is_good;
}

/* The first number that differs says where the diagonal is. */
static bool split(scan *of, uint64_t row, uint64_t column, double real) {
  dsm__onnx_pattern *const found = &of->found;
  of->is_uniform = false;
  if (row == 0) {
    found->diagonal = (int64_t)column - 1;
    found->high = real;
  } else {
    found->diagonal = -(int64_t)row;
    found->high = found->low;
    found->low = real;
  }
  return of->at < of->rows * of->columns && (row == 0 || column == 0);
}

static bool take_of_matrix(void *to, double real) {
  scan *const of = to;
  dsm__onnx_pattern *const found = &of->found;
  const uint64_t row = of->at / of->columns % of->rows;
  const uint64_t column = of->at % of->columns;
  if (of->at == 0) {
    found->low = found->high = real;
    of->is_good = !isnan(real);
  } else if (!of->is_uniform) {
    const bool is_low = (int64_t)column - (int64_t)row <= found->diagonal;
    of->is_good = real == (is_low ? found->low : found->high);
  } else if (real != found->low) {
    of->is_good = !isnan(real) && split(of, row, column, real);
  }
  of->at++;
  return of->is_good;
}

int dsm__onnx_line_axis(const dsm__onnx_shape *shape) {
  int found = -1;
  for (unsigned i = 0; i < shape->rank; i++) {
    if (shape->dims[i] != 1 && found >= 0) {
      return -1;
    }
    found = shape->dims[i] != 1 ? (int)(shape->rank - 1 - i) : found;
  }
  return found < 0 ? 0 : found;
}

static bool scan_tensor(const dsm__onnx_value *value, const dsm__onnx_shape *shape,
                        dsm__onnx_pattern *found) {
  const int axis = dsm__onnx_line_axis(shape);
  uint64_t elements = 0;
  scan of = {.rows = 1, .columns = 1, .is_uniform = true, .is_good = true};
  if (!dsm__onnx_elements(shape, &elements) || elements == 0) {
    return false;
  }
  if (axis < 0) {
    of.rows = shape->dims[shape->rank - 2];
    of.columns = shape->dims[shape->rank - 1];
  }
  dsm__onnx_tensor_visit(value->tensor, axis < 0 ? take_of_matrix : take_of_line, &of);
  *found = of.found;
  if (axis >= 0) {
    found->is_line = found->high != 0;
    found->axis = (unsigned)axis;
    found->high = found->is_line ? found->high : found->low;
  }
  return of.is_good && of.at == elements;
}

/* Small numbers that were computed: one of them, or some along a line. */
static bool scan_numbers(const dsm__onnx_value *value, const dsm__onnx_shape *shape,
                         dsm__onnx_pattern *found) {
  const int axis = dsm__onnx_line_axis(shape);
  scan of = {.is_good = value->number_count > 0 && axis >= 0};
  for (unsigned i = 0; of.is_good && i < value->number_count; i++) {
    (void)take_of_line(&of, (double)value->numbers[i]);
  }
  *found = of.found;
  found->is_line = found->high != 0;
  found->axis = axis < 0 ? 0 : (unsigned)axis;
  found->high = found->is_line ? found->high : found->low;
  return of.is_good;
}

const dsm__onnx_pattern *dsm__onnx_pattern_of(const dsm__onnx_lowering *of,
                                              dsm__onnx_value *value) {
  dsm__onnx_shape shape;
  dsm__onnx_pattern found;
  if (value == NULL || value->is_scanned || !dsm__onnx_shape_of(value, &shape)) {
    return value == NULL ? NULL : value->pattern;
  }
  value->is_scanned = true;
  if (value->tensor.length > 0 ? scan_tensor(value, &shape, &found)
                               : value->numbers != NULL && scan_numbers(value, &shape, &found)) {
    dsm__onnx_pattern *const kept = dsm__arena_alloc(of->graph->arena, sizeof *kept);
    if (dsm__json_lacks_memory(of->graph->import->doc, kept == NULL)) {
      return NULL;
    }
    *kept = found;
    value->pattern = kept;
  }
  return value->pattern;
}

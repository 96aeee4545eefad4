/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * twins.c: weights that are in the file twice.
 *
 * An exporter that computes with constants ahead writes the table of an embedding a second time,
 * rows for columns, for the head that shares it. Matrices are told apart by what of them does not
 * move when rows become columns: some elements of the diagonal; only those that agree are compared.
 */
#include <string.h>

#include "import/onnx/lowering.h"

/* Elements that are compared at most, in so many sizes of the file: a file made for it could have
 * each matrix compared with each other. */
enum { COMPARED_MAX = 8 };

typedef struct wanted {
  dsm__onnx_lowering *of;
  const dsm__onnx_matrix *matrix;
} wanted;

static const char *element(const dsm__onnx_matrix *of, uint64_t row, uint64_t column) {
  return of->bytes.bytes + (row * of->columns + column) * of->size;
}

static bool is_transposed(const dsm__onnx_matrix *a, const dsm__onnx_matrix *b) {
  for (uint64_t row = 0; row < a->rows; row++) {
    for (uint64_t column = 0; column < a->columns; column++) {
      if (memcmp(element(a, row, column), element(b, column, row), a->size) != 0) {
        return false;
      }
    }
  }
  return true;
}

/* Weights that are all one number are those of a network that is not trained yet. */
static bool is_uniform(const dsm__onnx_matrix *of) {
  return memcmp(of->bytes.bytes, of->bytes.bytes + of->size, of->bytes.length - of->size) == 0;
}

static bool is_twin(const void *context, size_t index, const void *key) {
  const dsm__onnx_lowering *const of = context;
  const wanted *const search = key;
  const dsm__onnx_matrix *const a = &of->matrices.items[index].matrix;
  const dsm__onnx_matrix *const b = search->matrix;
  const bool is_as_it_stands = a->rows == b->rows && a->columns == b->columns;
  const bool is_turned = a->rows == b->columns && a->columns == b->rows;
  if (a->type != b->type || (!is_as_it_stands && !is_turned) ||
      of->compared / COMPARED_MAX > of->graph->import->length) {
    return false;
  }
  search->of->compared += b->bytes.length;
  return (is_as_it_stands && memcmp(a->bytes.bytes, b->bytes.bytes, a->bytes.length) == 0) ||
         (is_turned && is_transposed(a, b));
}

static uint32_t hash_of(const dsm__onnx_matrix *of) {
  enum { SAMPLES = 16 };
  const uint64_t side = of->rows < of->columns ? of->rows : of->columns;
  const uint64_t step = side / SAMPLES + 1;
  uint64_t seed = of->rows + of->columns;
  for (uint64_t i = 0; i < side; i += step) {
    seed = dsm__hash(seed, element(of, i, i), of->size);
  }
  return dsm__map_hash(seed, &side, sizeof side);
}

dsm__onnx_value *dsm__onnx_twin_of(dsm__onnx_lowering *of, dsm__onnx_value *weights) {
  dsm__onnx_matrix matrix;
  if (!dsm__onnx_tensor_matrix(weights->tensor, &matrix) || is_uniform(&matrix)) {
    return weights;
  }
  const wanted search = {of, &matrix};
  const uint32_t hash = hash_of(&matrix);
  const size_t found = dsm__map_find(&of->twins, hash, is_twin, of, &search);
  if (found != DSM__MAP_NONE) {
    return &of->graph->values.items[of->matrices.items[found].value];
  }
  if (!DSM__LIST_RESERVE(&of->matrices, 1) || !dsm__map_add(&of->twins, hash, of->matrices.count)) {
    dsm__json_set_out_of_memory(of->graph->import->doc);
    return weights;
  }
  of->matrices.items[of->matrices.count++] = (dsm__onnx_matrix_of){
      .matrix = matrix, .value = (uint32_t)(weights - of->graph->values.items)};
  return weights;
}

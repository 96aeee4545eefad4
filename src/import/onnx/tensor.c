/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tensor.c: what is said of a tensor: its shape, its numbers, and its bytes. */
#include <math.h>
#include <string.h>

#include "import/onnx/model.h"

/* Fields of TensorProto, and of SparseTensorProto. */
enum {
  TENSOR_DIMS = 1,
  TENSOR_TYPE = 2,
  TENSOR_FLOATS = 4,
  TENSOR_INT32S = 5,
  TENSOR_INT64S = 7,
  TENSOR_RAW = 9,
  TENSOR_DOUBLES = 10,
  TENSOR_LOCATION = 14
};

/* Types of elements. */
enum {
  TYPE_FLOAT = 1,
  TYPE_UINT8 = 2,
  TYPE_INT8 = 3,
  TYPE_UINT16 = 4,
  TYPE_INT16 = 5,
  TYPE_INT32 = 6,
  TYPE_INT64 = 7,
  TYPE_BOOL = 9,
  TYPE_FLOAT16 = 10,
  TYPE_DOUBLE = 11,
  TYPE_UINT32 = 12,
  TYPE_UINT64 = 13,
  TYPE_BFLOAT16 = 16
};

/* Bytes of an element; 0: of a type that is not read. */
static size_t size_of(uint64_t type) {
  switch (type) {
  case TYPE_UINT8:
  case TYPE_INT8:
  case TYPE_BOOL:
    return sizeof(uint8_t);
  case TYPE_UINT16:
  case TYPE_INT16:
  case TYPE_FLOAT16:
  case TYPE_BFLOAT16:
    return sizeof(uint16_t);
  case TYPE_FLOAT:
  case TYPE_INT32:
  case TYPE_UINT32:
    return sizeof(uint32_t);
  case TYPE_INT64:
  case TYPE_UINT64:
  case TYPE_DOUBLE:
    return sizeof(uint64_t);
  default:
    return 0;
  }
}

bool dsm__onnx_type_is_whole(uint64_t type) {
  return (type >= TYPE_UINT8 && type <= TYPE_INT64) || type == TYPE_BOOL || type == TYPE_UINT32 ||
         type == TYPE_UINT64;
}

typedef struct tensor {
  dsm__onnx_shape shape;
  uint64_t type;
  dsm__span raw;
  bool is_external;
} tensor;

static bool add_dim(tensor *to, uint64_t dim) {
  if (to->shape.rank >= DSM__ONNX_RANK_MAX || dim > INT64_MAX) {
    return false;
  }
  to->shape.dims[to->shape.rank++] = dim;
  return true;
}

static bool add_dims(tensor *to, const dsm__wire_field *field) {
  if (field->type == DSM__WIRE_VARINT) {
    return add_dim(to, field->value);
  }
  dsm__wire list = dsm__wire_of(field->bytes);
  uint64_t dim = 0;
  bool is_good = field->type == DSM__WIRE_BYTES;
  while (is_good && dsm__wire_next_packed(&list, &dim)) {
    is_good = add_dim(to, dim);
  }
  return is_good && !list.is_broken;
}

static bool read_tensor(tensor *to, dsm__span message) {
  dsm__wire wire = dsm__wire_of(message);
  dsm__wire_field field;
  bool is_good = true;
  *to = (tensor){.raw = {"", 0}};
  while (is_good && dsm__wire_next(&wire, &field)) {
    if (field.number == TENSOR_DIMS) {
      is_good = add_dims(to, &field);
    } else if (field.number == TENSOR_TYPE && field.type == DSM__WIRE_VARINT) {
      to->type = field.value;
    } else if (field.number == TENSOR_RAW && field.type == DSM__WIRE_BYTES) {
      to->raw = field.bytes;
    } else if (field.number == TENSOR_LOCATION && field.type == DSM__WIRE_VARINT) {
      to->is_external = field.value == 1;
    }
  }
  return is_good && !wire.is_broken;
}

/* Numbers of a tensor, one after the other, as their bits; false: no more are wanted. */
typedef bool take_number(void *to, uint64_t bits, uint64_t type);

/* The bits of an element, those of a negative whole number as of one of eight bytes. */
static uint64_t bits_at(const char *bytes, size_t size, uint64_t type) {
  uint64_t bits = 0;
  for (size_t b = 0; b < size; b++) {
    bits |= (uint64_t)(unsigned char)bytes[b] << (8 * b);
  }
  const bool is_signed = type == TYPE_INT8 || type == TYPE_INT16 || type == TYPE_INT32;
  const uint64_t sign = UINT64_C(1) << (8 * size - 1);
  return is_signed && (bits & sign) != 0 ? bits | ~(sign - 1) : bits;
}

static bool take_raw(dsm__span raw, uint64_t type, take_number *take, void *to) {
  const size_t size = size_of(type);
  bool is_wanted = size > 0;
  for (size_t at = 0; is_wanted && at + size <= raw.length; at += size) {
    is_wanted = take(to, bits_at(raw.bytes + at, size, type), type);
  }
  return is_wanted;
}

/* Reals in a packed list have a fixed size, other numbers are varints. */
static bool take_packed(dsm__span packed, bool is_fixed, uint64_t type, take_number *take,
                        void *to) {
  if (is_fixed) {
    return take_raw(packed, type, take, to);
  }
  dsm__wire list = dsm__wire_of(packed);
  uint64_t bits = 0;
  bool is_wanted = true;
  while (is_wanted && dsm__wire_next_packed(&list, &bits)) {
    is_wanted = take(to, bits, type);
  }
  return is_wanted;
}

static bool is_list_of_reals(const dsm__wire_field *field, uint64_t type) {
  return (field->number == TENSOR_FLOATS && type == TYPE_FLOAT) ||
         (field->number == TENSOR_DOUBLES && type == TYPE_DOUBLE);
}

static void take_numbers(const tensor *from, dsm__span message, take_number *take, void *to) {
  dsm__wire wire = dsm__wire_of(message);
  dsm__wire_field field;
  bool is_wanted = true;
  if (from->raw.length > 0) {
    (void)take_raw(from->raw, from->type, take, to);
    return;
  }
  while (is_wanted && dsm__wire_next(&wire, &field)) {
    const bool is_fixed = is_list_of_reals(&field, from->type);
    if (!is_fixed && field.number != TENSOR_INT32S && field.number != TENSOR_INT64S) {
      continue;
    }
    is_wanted = field.type == DSM__WIRE_BYTES
                    ? take_packed(field.bytes, is_fixed, from->type, take, to)
                    : take(to, field.value, from->type);
  }
}

static bool take_whole(void *to, uint64_t bits, uint64_t type) {
  dsm__onnx_numbers *const numbers = to;
  (void)type;
  if (numbers->count < DSM__ONNX_NUMBERS_MAX) {
    numbers->items[numbers->count++] = (int64_t)bits;
  }
  return numbers->count < DSM__ONNX_NUMBERS_MAX;
}

static double single_of(uint32_t bits) {
  float single = 0;
  memcpy(&single, &bits, sizeof single);
  return (double)single;
}

/* Of half precision: a sign, five bits of an exponent, ten of a fraction. */
static double half_of(uint64_t bits) {
  enum { FRACTION_BITS = 10, FRACTION = 0x3ff, EXPONENT = 0x1f, SIGN = 0x8000, BIAS = 15 };
  const int exponent = (int)(bits >> FRACTION_BITS & EXPONENT);
  const int fraction = (int)(bits & FRACTION);
  const double size = exponent == EXPONENT ? (fraction == 0 ? (double)INFINITY : (double)NAN)
                      : exponent == 0
                          ? ldexp(fraction, 1 - BIAS - FRACTION_BITS)
                          : ldexp(fraction + FRACTION + 1, exponent - BIAS - FRACTION_BITS);
  return (bits & SIGN) != 0 ? -size : size;
}

static double real_of(uint64_t bits, uint64_t type) {
  enum { HALF_OF_SINGLE = 16 };
  double real = 0;
  switch (type) {
  case TYPE_FLOAT:
    return single_of((uint32_t)bits);
  case TYPE_BFLOAT16:
    return single_of((uint32_t)bits << HALF_OF_SINGLE);
  case TYPE_FLOAT16:
    return half_of(bits);
  case TYPE_DOUBLE:
    memcpy(&real, &bits, sizeof real);
    return real;
  default:
    return (double)(int64_t)bits;
  }
}

typedef struct real_taker {
  dsm__onnx_take_real *take;
  void *to;
} real_taker;

static bool take_real(void *to, uint64_t bits, uint64_t type) {
  const real_taker *const taker = to;
  return taker->take(taker->to, real_of(bits, type));
}

void dsm__onnx_tensor_visit(dsm__span message, dsm__onnx_take_real *take, void *to) {
  tensor from;
  real_taker taker = {take, to};
  if (read_tensor(&from, message) && !from.is_external) {
    take_numbers(&from, message, take_real, &taker);
  }
}

typedef struct real_list {
  double *items;
  size_t count;
  size_t room;
} real_list;

static bool list_real(void *to, double real) {
  real_list *const list = to;
  if (list->count < list->room) {
    list->items[list->count++] = real;
  }
  return list->count < list->room;
}

size_t dsm__onnx_tensor_reals(dsm__span message, double *reals, size_t room) {
  real_list list = {reals, 0, room};
  dsm__onnx_tensor_visit(message, list_real, &list);
  return list.count;
}

/* The elements of a tensor as they stand in the file, raw or in one list of reals. */
static dsm__span elements_of(const tensor *from, dsm__span message) {
  dsm__wire wire = dsm__wire_of(message);
  dsm__wire_field field;
  dsm__span found = from->raw;
  while (found.length == 0 && dsm__wire_next(&wire, &field)) {
    if (is_list_of_reals(&field, from->type) && field.type == DSM__WIRE_BYTES) {
      found = field.bytes;
    }
  }
  return found;
}

bool dsm__onnx_tensor_matrix(dsm__span message, dsm__onnx_matrix *matrix) {
  enum { MATRIX_RANK = 2 };
  tensor from;
  uint64_t elements = 0;
  if (!read_tensor(&from, message) || from.is_external || from.shape.rank != MATRIX_RANK ||
      !dsm__onnx_elements(&from.shape, &elements)) {
    return false;
  }
  *matrix = (dsm__onnx_matrix){.rows = from.shape.dims[0],
                               .columns = from.shape.dims[1],
                               .type = from.type,
                               .size = size_of(from.type),
                               .bytes = elements_of(&from, message)};
  return elements > 0 && matrix->size > 0 && matrix->bytes.length / matrix->size == elements &&
         matrix->bytes.length % matrix->size == 0;
}

bool dsm__onnx_take_tensor(dsm__onnx_graph *graph, dsm__onnx_value *value, dsm__span message) {
  tensor from;
  uint64_t elements = 0;
  if (!read_tensor(&from, message)) {
    return false;
  }
  value->kind = DSM__ONNX_CONSTANT;
  value->is_whole = dsm__onnx_type_is_whole(from.type);
  value->tensor = message;
  dsm__onnx_set_shape(graph, value, &from.shape);
  const bool is_index =
      from.type == TYPE_INT64 || from.type == TYPE_INT32 || from.type == TYPE_BOOL;
  if (is_index && !from.is_external && dsm__onnx_elements(&from.shape, &elements) &&
      elements <= DSM__ONNX_NUMBERS_MAX) {
    dsm__onnx_numbers numbers = {0};
    take_numbers(&from, message, take_whole, &numbers);
    if (numbers.count == elements) {
      dsm__onnx_set_numbers(graph, value, &numbers);
    }
  }
  return true;
}

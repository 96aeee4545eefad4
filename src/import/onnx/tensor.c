/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tensor.c: what is said of a tensor beside its weights: its shape, and a few small numbers. */
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
enum { TYPE_FLOAT = 1, TYPE_INT32 = 6, TYPE_INT64 = 7, TYPE_BOOL = 9, TYPE_DOUBLE = 11 };

bool dsm__onnx_type_is_whole(uint64_t type) {
  enum { TYPE_FLOAT16 = 10, TYPE_UINT32 = 12, TYPE_UINT64 = 13, TYPE_UINT8 = 2 };
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

/* Numbers of a tensor, one after the other, as their bits. */
typedef void take_number(void *to, uint64_t bits, uint64_t type);

static void take_raw(const tensor *from, size_t count, take_number *take, void *to) {
  const bool is_wide =
      from->type == TYPE_INT64 || from->type == TYPE_DOUBLE; /* the others have four bytes here */
  const size_t size = from->type == TYPE_BOOL ? 1 : is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
  for (size_t i = 0; i < count && (i + 1) * size <= from->raw.length; i++) {
    uint64_t bits = 0;
    for (size_t b = 0; b < size; b++) {
      bits |= (uint64_t)(unsigned char)from->raw.bytes[i * size + b] << (8 * b);
    }
    if (from->type == TYPE_INT32 && bits > INT32_MAX) {
      bits |= UINT64_C(0xffffffff00000000);
    }
    take(to, bits, from->type);
  }
}

/* Reals in a packed list have a fixed size. */
static void take_packed(const dsm__wire_field *field, size_t size, uint64_t type, take_number *take,
                        void *to) {
  if (size == 0) {
    dsm__wire list = dsm__wire_of(field->bytes);
    uint64_t bits = 0;
    while (dsm__wire_next_packed(&list, &bits)) {
      take(to, bits, type);
    }
    return;
  }
  const tensor packed = {.type = type, .raw = field->bytes};
  take_raw(&packed, field->bytes.length / size, take, to);
}

static void take_numbers(const tensor *from, dsm__span message, size_t count, take_number *take,
                         void *to) {
  dsm__wire wire = dsm__wire_of(message);
  dsm__wire_field field;
  if (from->raw.length > 0) {
    take_raw(from, count, take, to);
    return;
  }
  while (dsm__wire_next(&wire, &field)) {
    const bool is_float = field.number == TENSOR_FLOATS && from->type == TYPE_FLOAT;
    const bool is_double = field.number == TENSOR_DOUBLES && from->type == TYPE_DOUBLE;
    const bool is_int = field.number == TENSOR_INT32S || field.number == TENSOR_INT64S;
    if (!is_float && !is_double && !is_int) {
      continue;
    }
    if (field.type == DSM__WIRE_BYTES) {
      const size_t size = is_float ? sizeof(uint32_t) : is_double ? sizeof(uint64_t) : 0;
      take_packed(&field, size, from->type, take, to);
    } else {
      take(to, field.value, from->type);
    }
  }
}

static void take_whole(void *to, uint64_t bits, uint64_t type) {
  dsm__onnx_numbers *const numbers = to;
  (void)type;
  if (numbers->count < DSM__ONNX_NUMBERS_MAX) {
    numbers->items[numbers->count++] = (int64_t)bits;
  }
}

typedef struct real_list {
  double *items;
  size_t count;
  size_t room;
} real_list;

static void take_real(void *to, uint64_t bits, uint64_t type) {
  real_list *const list = to;
  double real = 0;
  if (type == TYPE_FLOAT) {
    const uint32_t low = (uint32_t)bits;
    float single = 0;
    memcpy(&single, &low, sizeof single);
    real = (double)single;
  } else if (type == TYPE_DOUBLE) {
    memcpy(&real, &bits, sizeof real);
  } else {
    real = (double)(int64_t)bits;
  }
  if (list->count < list->room) {
    list->items[list->count++] = real;
  }
}

size_t dsm__onnx_tensor_reals(dsm__span message, double *reals, size_t room) {
  tensor from;
  real_list list = {reals, 0, room};
  if (read_tensor(&from, message) && !from.is_external) {
    take_numbers(&from, message, room, take_real, &list);
  }
  return list.count;
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
    take_numbers(&from, message, (size_t)elements, take_whole, &numbers);
    if (numbers.count == elements) {
      dsm__onnx_set_numbers(graph, value, &numbers);
    }
  }
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attribute.c: attributes of nodes, looked up in the node's own bytes when they are asked for. */
#include <string.h>

#include "import/onnx/model.h"

enum { NODE_ATTRIBUTE = 5 };

/* Fields of AttributeProto. */
enum {
  ATTRIBUTE_NAME = 1,
  ATTRIBUTE_INT = 3,
  ATTRIBUTE_TEXT = 4,
  ATTRIBUTE_TENSOR = 5,
  ATTRIBUTE_FLOATS = 7,
  ATTRIBUTE_INTS = 8
};

/* The attribute's message; empty if there is none of that name. */
static dsm__span find_attribute(const dsm__onnx_node *node, const char *name) {
  dsm__wire wire = dsm__wire_of(node->message);
  dsm__wire_field field;
  while (dsm__wire_next(&wire, &field)) {
    if (field.number == NODE_ATTRIBUTE && field.type == DSM__WIRE_BYTES &&
        dsm__span_is(dsm__wire_find_bytes(field.bytes, ATTRIBUTE_NAME), name)) {
      return field.bytes;
    }
  }
  return (dsm__span){"", 0};
}

int64_t dsm__onnx_attribute(const dsm__onnx_node *node, const char *name, int64_t fallback) {
  dsm__wire wire = dsm__wire_of(find_attribute(node, name));
  dsm__wire_field field;
  int64_t value = fallback;
  while (dsm__wire_next(&wire, &field)) {
    if (field.number == ATTRIBUTE_INT && field.type == DSM__WIRE_VARINT) {
      value = (int64_t)field.value;
    }
  }
  return value;
}

dsm__span dsm__onnx_attribute_text(const dsm__onnx_node *node, const char *name) {
  return dsm__wire_find_bytes(find_attribute(node, name), ATTRIBUTE_TEXT);
}

dsm__span dsm__onnx_attribute_tensor(const dsm__onnx_node *node, const char *name) {
  return dsm__wire_find_bytes(find_attribute(node, name), ATTRIBUTE_TENSOR);
}

static void add_number(dsm__onnx_numbers *numbers, uint64_t value) {
  if (numbers->count < DSM__ONNX_NUMBERS_MAX) {
    numbers->items[numbers->count++] = (int64_t)value;
  }
}

bool dsm__onnx_attribute_numbers(const dsm__onnx_node *node, const char *name,
                                 dsm__onnx_numbers *numbers) {
  const dsm__span attribute = find_attribute(node, name);
  dsm__wire wire = dsm__wire_of(attribute);
  dsm__wire_field field;
  numbers->count = 0;
  while (dsm__wire_next(&wire, &field)) {
    if (field.number == ATTRIBUTE_INTS && field.type == DSM__WIRE_VARINT) {
      add_number(numbers, field.value);
    } else if (field.number == ATTRIBUTE_INTS && field.type == DSM__WIRE_BYTES) {
      dsm__wire list = dsm__wire_of(field.bytes);
      uint64_t value = 0;
      while (dsm__wire_next_packed(&list, &value)) {
        add_number(numbers, value);
      }
    }
  }
  return attribute.length > 0;
}

static double real_of(uint32_t bits) {
  float single = 0;
  memcpy(&single, &bits, sizeof single);
  return (double)single;
}

size_t dsm__onnx_attribute_reals(const dsm__onnx_node *node, const char *name, double *reals,
                                 size_t room) {
  dsm__wire wire = dsm__wire_of(find_attribute(node, name));
  dsm__wire_field field;
  size_t count = 0;
  while (dsm__wire_next(&wire, &field)) {
    if (field.number != ATTRIBUTE_FLOATS) {
      continue;
    }
    if (field.type == DSM__WIRE_FIXED32 && count < room) {
      reals[count++] = real_of((uint32_t)field.value);
    }
    for (size_t at = 0;
         field.type == DSM__WIRE_BYTES && at + 4 <= field.bytes.length && count < room; at += 4) {
      uint32_t bits = 0;
      for (size_t b = 0; b < 4; b++) {
        bits |= (uint32_t)(unsigned char)field.bytes.bytes[at + b] << (8 * b);
      }
      reals[count++] = real_of(bits);
    }
  }
  return count;
}

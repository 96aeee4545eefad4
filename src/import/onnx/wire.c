/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/onnx/wire.h"

/* Takes a varint of at most ten bytes off the front. */
static bool take_varint(dsm__span *rest, uint64_t *value) {
  enum { BITS = 7, LAST_SHIFT = 63 };
  *value = 0;
  for (unsigned shift = 0; shift <= LAST_SHIFT && rest->length > 0; shift += BITS) {
    const unsigned char byte = (unsigned char)*rest->bytes++;
    rest->length--;
    *value |= (uint64_t)(byte & 0x7fU) << shift;
    if ((byte & 0x80U) == 0) {
      return true;
    }
  }
  return false;
}

static bool take_fixed(dsm__span *rest, size_t size, uint64_t *value) {
  enum { BITS = 8 };
  *value = 0;
  if (rest->length < size) {
    return false;
  }
  for (size_t i = 0; i < size; i++) {
    *value |= (uint64_t)(unsigned char)rest->bytes[i] << (BITS * i);
  }
  rest->bytes += size;
  rest->length -= size;
  return true;
}

static bool take_bytes(dsm__span *rest, dsm__span *bytes) {
  uint64_t length = 0;
  if (!take_varint(rest, &length) || length > rest->length) {
    return false;
  }
  *bytes = (dsm__span){rest->bytes, (size_t)length};
  rest->bytes += length;
  rest->length -= (size_t)length;
  return true;
}

static bool take_value(dsm__span *rest, dsm__wire_field *field) {
  switch (field->type) {
  case DSM__WIRE_VARINT:
    return take_varint(rest, &field->value);
  case DSM__WIRE_FIXED64:
    return take_fixed(rest, sizeof(uint64_t), &field->value);
  case DSM__WIRE_BYTES:
    return take_bytes(rest, &field->bytes);
  case DSM__WIRE_FIXED32:
    return take_fixed(rest, sizeof(uint32_t), &field->value);
  }
  return false; /* a group, which no message here has */
}

bool dsm__wire_next(dsm__wire *wire, dsm__wire_field *field) {
  enum { TYPE_BITS = 3, TYPE_MASK = 7 };
  static const uint64_t largest_number = (UINT64_C(1) << 29) - 1;
  if (wire->rest.length == 0 || wire->is_broken) {
    return false;
  }
  uint64_t key = 0;
  bool is_good = take_varint(&wire->rest, &key);
  const uint64_t number = key >> TYPE_BITS;
  is_good = is_good && number > 0 && number <= largest_number;
  *field = (dsm__wire_field){.number = is_good ? (uint32_t)number : 0,
                             .type = (dsm__wire_type)(key & TYPE_MASK)};
  wire->is_broken = !is_good || !take_value(&wire->rest, field);
  return !wire->is_broken;
}

bool dsm__wire_next_packed(dsm__wire *wire, uint64_t *value) {
  if (wire->rest.length == 0 || wire->is_broken) {
    return false;
  }
  wire->is_broken = !take_varint(&wire->rest, value);
  return !wire->is_broken;
}

dsm__span dsm__wire_find_bytes(dsm__span message, uint32_t number) {
  dsm__wire wire = dsm__wire_of(message);
  dsm__wire_field field;
  dsm__span found = {"", 0};
  while (dsm__wire_next(&wire, &field)) {
    if (field.number == number && field.type == DSM__WIRE_BYTES) {
      found = field.bytes;
    }
  }
  return found;
}

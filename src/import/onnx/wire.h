/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wire.h: the fields of a message in the wire format of protocol buffers, one after the other.
 *
 * Nothing is copied and nothing allocated: a field of bytes is a span of the message's own. Each
 * length is checked against what is left, so that no span leaves the message.
 */
#ifndef DSM_IMPORT_ONNX_WIRE_H
#define DSM_IMPORT_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of a file: a message, or a text without a NUL. */
typedef struct dsm__span {
  const char *bytes;
  size_t length;
} dsm__span;

typedef enum dsm__wire_type {
  DSM__WIRE_VARINT = 0,
  DSM__WIRE_FIXED64 = 1,
  DSM__WIRE_BYTES = 2,
  DSM__WIRE_FIXED32 = 5
} dsm__wire_type;

typedef struct dsm__wire_field {
  uint32_t number;
  dsm__wire_type type;
  uint64_t value;  /**< of a varint or fixed field */
  dsm__span bytes; /**< of a field of bytes; empty: none */
} dsm__wire_field;

/** A message being read. */
typedef struct dsm__wire {
  dsm__span rest;
  bool is_broken; /**< it does not go on as a message: there are no more fields */
} dsm__wire;

static inline dsm__wire dsm__wire_of(dsm__span message) {
  return (dsm__wire){.rest = message};
}

/** The next field; false at the end, and where the message is broken. */
bool dsm__wire_next(dsm__wire *wire, dsm__wire_field *field);

/** The next varint of a packed list; false at its end, and where it is broken. */
bool dsm__wire_next_packed(dsm__wire *wire, uint64_t *value);

/** The last bytes field of that number in a message; empty if there is none. */
dsm__span dsm__wire_find_bytes(dsm__span message, uint32_t number);

static inline bool dsm__span_is(dsm__span span, const char *text) {
  size_t i = 0;
  while (i < span.length && text[i] != '\0' && span.bytes[i] == text[i]) {
    i++;
  }
  return i == span.length && text[i] == '\0';
}

/** Is it one of the texts, behind which stands NULL? */
static inline bool dsm__span_is_any(dsm__span span, const char *const *texts) {
  while (*texts != NULL && !dsm__span_is(span, *texts)) {
    texts++;
  }
  return *texts != NULL;
}

#endif

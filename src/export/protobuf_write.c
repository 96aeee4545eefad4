/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export/protobuf_write.h"

#include <string.h>

enum { TYPE_VARINT = 0, TYPE_BYTES = 2, TYPE_BITS = 3 };

void dsm__protobuf_varint(dsm__text_buffer *out, uint64_t value) {
  enum { GROUP_BITS = 7, MORE = 0x80 };
  char bytes[10]; /* 64 bits in groups of 7 */
  size_t count = 0;
  do {
    const unsigned group = (unsigned)(value & (MORE - 1));
    value >>= GROUP_BITS;
    bytes[count++] = (char)(value > 0 ? group | MORE : group);
  } while (value > 0);
  dsm__text_append(out, bytes, count);
}

static void put_key(dsm__text_buffer *out, unsigned field, unsigned type) {
  dsm__protobuf_varint(out, (uint64_t)field << TYPE_BITS | type);
}

static void put_bytes(dsm__text_buffer *out, const char *bytes, size_t length) {
  dsm__protobuf_varint(out, length);
  if (length > 0) {
    dsm__text_append(out, bytes, length);
  }
}

void dsm__protobuf_u64(dsm__text_buffer *out, unsigned field, uint64_t value) {
  put_key(out, field, TYPE_VARINT);
  dsm__protobuf_varint(out, value);
}

void dsm__protobuf_text(dsm__text_buffer *out, unsigned field, const char *text) {
  put_key(out, field, TYPE_BYTES);
  put_bytes(out, text, strlen(text));
}

void dsm__protobuf_message(dsm__text_buffer *out, unsigned field, const dsm__text_buffer *message) {
  out->failed = out->failed || message->failed;
  put_key(out, field, TYPE_BYTES);
  put_bytes(out, message->text, message->length);
}

void dsm__protobuf_delimited(dsm__text_buffer *out, const dsm__text_buffer *message) {
  out->failed = out->failed || message->failed;
  put_bytes(out, message->text, message->length);
}

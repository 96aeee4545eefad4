/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protobuf_write.h: messages in the wire format of Protocol Buffers, field by field.
 *
 * Source: protobuf.dev, Encoding: a field is its number and type, and a varint or a length with so
 * many bytes. Fields that have their default are left out, as proto3 has it.
 */
#ifndef DSM_EXPORT_PROTOBUF_WRITE_H
#define DSM_EXPORT_PROTOBUF_WRITE_H

#include <stdint.h>

#include "base/text_buffer.h"

/** 7 bits a byte, the lowest first; the top bit says that more follow. */
void dsm__protobuf_varint(dsm__text_buffer *out, uint64_t value);

/** A field of a number, also where that is 0. */
void dsm__protobuf_u64(dsm__text_buffer *out, unsigned field, uint64_t value);

/** A field of a text without its NUL. */
void dsm__protobuf_text(dsm__text_buffer *out, unsigned field, const char *text);

/** A field of a message, or of packed numbers. */
void dsm__protobuf_message(dsm__text_buffer *out, unsigned field, const dsm__text_buffer *message);

/** A message with its length before it, as files of several messages have them. */
void dsm__protobuf_delimited(dsm__text_buffer *out, const dsm__text_buffer *message);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_pack.c: records as bytes, for another process of the same program on the same machine. */
#include <assert.h>
#include <string.h>

#include "base/record.h"

/* Stands for a text that is NULL. */
#define NO_TEXT UINT64_MAX

static void put(dsm__text_buffer *buffer, const void *bytes, size_t length) {
  dsm__text_append(buffer, bytes, length);
}

static size_t size_in_memory(const dsm__field *field) {
  switch ((int)field->kind) {
  case DSM__FIELD_FLAG:
    return sizeof(bool);
  case DSM__FIELD_WORD:
  case DSM__FIELD_WORD_SET:
    return sizeof(unsigned);
  case DSM__FIELD_COUNTS:
    return field->words->count * sizeof(uint64_t);
  case DSM__FIELD_REALS:
    return field->words->count * sizeof(double);
  default:
    assert(field->kind == DSM__FIELD_COUNT || field->kind == DSM__FIELD_REAL);
    return sizeof(uint64_t);
  }
}

static void pack_text(dsm__text_buffer *buffer, const char *text) {
  const uint64_t length = text == NULL ? NO_TEXT : strlen(text);
  put(buffer, &length, sizeof length);
  if (text != NULL) {
    put(buffer, text, (size_t)length);
  }
}

static bool pack_field(void *context, const dsm__field *field, const void *record) {
  dsm__text_buffer *const buffer = context;
  const void *const value = dsm__field_in(field, record);
  if (field->kind == DSM__FIELD_TEXT || field->kind == DSM__FIELD_JSON) {
    pack_text(buffer, *(const char *const *)value);
  } else if (field->kind == DSM__FIELD_RECORD) {
    dsm__record_pack(buffer, field->type, value);
  } else if (field->kind == DSM__FIELD_LIST) {
    const unsigned char *const list = *(const unsigned char *const *)value;
    size_t count;
    memcpy(&count, (const unsigned char *)record + field->count_offset, sizeof count);
    put(buffer, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
      dsm__record_pack(buffer, field->type, list + i * field->type->size);
    }
  } else {
    put(buffer, value, size_in_memory(field));
  }
  return true;
}

void dsm__record_pack(dsm__text_buffer *buffer, const dsm__record_type *type, const void *record) {
  (void)dsm__record_each(type, record, pack_field, buffer);
}

/* ---- unpacking ---- */

static void get(dsm__packed *in, void *to, size_t length) {
  if (in->status == DSM_OK && length > in->left) {
    in->status = DSM_ERROR_INVALID;
  }
  if (in->status == DSM_OK) {
    memcpy(to, in->at, length);
    in->at += length;
    in->left -= length;
  }
}

static void get_text(dsm__packed *in, const char **text) {
  uint64_t length = 0;
  get(in, &length, sizeof length);
  *text = NULL;
  if (in->status != DSM_OK || length == NO_TEXT) {
    return;
  }
  if (length > in->left || memchr(in->at, '\0', (size_t)length) != NULL) {
    in->status = DSM_ERROR_INVALID;
    return;
  }
  *text = dsm__arena_strndup(in->arena, (const char *)in->at, (size_t)length);
  in->status = *text == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
  in->at += length;
  in->left -= (size_t)length;
}

/* A record takes a byte or more, which bounds what is allocated. */
static void get_list(dsm__packed *in, const dsm__field *field, void *record) {
  size_t count = 0;
  get(in, &count, sizeof count);
  if (in->status == DSM_OK && count > in->left) {
    in->status = DSM_ERROR_INVALID;
  }
  if (in->status != DSM_OK || count == 0) {
    return;
  }
  unsigned char *const list = dsm__arena_array(in->arena, count, field->type->size);
  if (list == NULL) {
    in->status = DSM_ERROR_OUT_OF_MEMORY;
    return;
  }
  for (size_t i = 0; i < count && in->status == DSM_OK; i++) {
    dsm__record_unpack(in, field->type, list + i * field->type->size);
  }
  memcpy((unsigned char *)record + field->offset, &list, sizeof list);
  memcpy((unsigned char *)record + field->count_offset, &count, sizeof count);
}

/* A flag must be one, a word one of its list, or that after the last, which stands for none. */
static bool is_possible(const dsm__field *field, const unsigned char *value) {
  unsigned word = 0;
  if (field->kind == DSM__FIELD_FLAG) {
    return *value <= 1;
  }
  if (field->kind == DSM__FIELD_WORD) {
    memcpy(&word, value, sizeof word);
    return dsm__is_word(field->words, word) ||
           (field->fallback > 0 && word == (unsigned)field->fallback);
  }
  return true;
}

/* A record that is being filled. */
typedef struct filling {
  dsm__packed *in;
  unsigned char *record;
} filling;

static bool get_field(void *context, const dsm__field *field, const void *record) {
  const filling *const of = context;
  dsm__packed *const in = of->in;
  /* The field is in the record, or in a part of it. */
  unsigned char *const to = of->record + ((const unsigned char *)record - of->record);
  unsigned char *const value = to + field->offset;
  if (field->kind == DSM__FIELD_TEXT || field->kind == DSM__FIELD_JSON) {
    get_text(in, (const char **)(void *)value);
  } else if (field->kind == DSM__FIELD_RECORD) {
    dsm__record_unpack(in, field->type, value);
  } else if (field->kind == DSM__FIELD_LIST) {
    get_list(in, field, to);
  } else {
    const size_t size = size_in_memory(field);
    if (in->status == DSM_OK && (size > in->left || !is_possible(field, in->at))) {
      in->status = DSM_ERROR_INVALID;
    }
    get(in, value, size);
  }
  return in->status == DSM_OK;
}

void dsm__record_unpack(dsm__packed *in, const dsm__record_type *type, void *record) {
  filling of = {.in = in, .record = record};
  (void)dsm__record_each(type, record, get_field, &of);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/csv_read.h"

#include <string.h>

#include "base/utf8.h"

static bool fail(dsm__csv_reader *reader, const char *flaw) {
  reader->flaw = flaw;
  return false;
}

static bool is_at_end(const dsm__csv_reader *reader) {
  return reader->at == reader->length;
}

/* Bytes of the end of a line at a place; 0: there is none. */
static size_t line_end(const dsm__csv_reader *reader, size_t at) {
  const char *const text = reader->text + at;
  const size_t left = reader->length - at;
  return left > 0 && text[0] == '\n' ? 1 : left > 1 && memcmp(text, "\r\n", 2) == 0 ? 2 : 0;
}

static bool ends_field(const dsm__csv_reader *reader, size_t at) {
  return at == reader->length || reader->text[at] == ',' || line_end(reader, at) > 0;
}

/* What stands in quotes, with two quotes for one. The reader is behind the first. */
static bool read_quoted(dsm__csv_reader *reader, char *to) {
  size_t used = 0;
  for (; !is_at_end(reader); reader->at++) {
    const char c = reader->text[reader->at];
    if (c == '"') {
      reader->at++;
      if (is_at_end(reader) || reader->text[reader->at] != '"') {
        return ends_field(reader, reader->at) ||
               fail(reader, "expected a comma or the end of the line behind the quotes");
      }
    }
    reader->line += c == '\n' ? 1 : 0;
    to[used++] = c;
  }
  return fail(reader, "expected quotes at the end of the field, found the end of the file");
}

static bool read_bare(dsm__csv_reader *reader, char *to) {
  const size_t start = reader->at;
  while (!ends_field(reader, reader->at)) {
    if (reader->text[reader->at] == '"') {
      return fail(reader, "expected quotes around the whole field, found some within");
    }
    reader->at++;
  }
  memcpy(to, reader->text + start, reader->at - start);
  return true;
}

/* The longest that the field at the reader can be. */
static size_t field_room(const dsm__csv_reader *reader) {
  if (reader->at < reader->length && reader->text[reader->at] == '"') {
    size_t at = reader->at + 1;
    while (at < reader->length &&
           (reader->text[at] != '"' || (at + 1 < reader->length && reader->text[at + 1] == '"'))) {
      at += reader->text[at] == '"' ? 2 : 1;
    }
    return at - reader->at;
  }
  size_t at = reader->at;
  while (!ends_field(reader, at)) {
    at++;
  }
  return at - reader->at;
}

static bool read_field(dsm__csv_reader *reader, const char **field) {
  const size_t room = field_room(reader);
  char *const made = dsm__arena_alloc(reader->arena, room + 1);
  if (made == NULL) {
    reader->is_out_of_memory = true;
    return false;
  }
  *field = made;
  const bool is_quoted = !is_at_end(reader) && reader->text[reader->at] == '"';
  reader->at += is_quoted ? 1 : 0;
  if (!(is_quoted ? read_quoted(reader, made) : read_bare(reader, made))) {
    return false;
  }
  return dsm__is_utf8(made) || fail(reader, "expected text in UTF-8");
}

/* Passes over a mark of the byte order, and empty lines. */
static void skip_nothing(dsm__csv_reader *reader) {
  static const char mark[] = "\xEF\xBB\xBF";
  const size_t size = sizeof mark - 1;
  if (reader->at == 0 && reader->length >= size && memcmp(reader->text, mark, size) == 0) {
    reader->at = size;
  }
  for (size_t end = line_end(reader, reader->at); end > 0; end = line_end(reader, reader->at)) {
    reader->at += end;
    reader->line++;
  }
}

bool dsm__csv_read(dsm__csv_reader *reader, dsm__csv_record *record) {
  skip_nothing(reader);
  if (is_at_end(reader)) {
    return false;
  }
  *record = (dsm__csv_record){.line = reader->line};
  for (;;) {
    if (record->count == DSM__CSV_FIELDS_MAX) {
      return fail(reader, "expected at most 32 fields in a line");
    }
    if (!read_field(reader, &record->fields[record->count])) {
      return false;
    }
    record->count++;
    const size_t end = line_end(reader, reader->at);
    if (is_at_end(reader) || end > 0) {
      reader->at += end;
      reader->line += end > 0 ? 1 : 0;
      return true;
    }
    reader->at++;
  }
}

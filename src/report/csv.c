/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/number_text.h"

static void begin_field(dsm__csv *csv) {
  if (csv->is_in_row) {
    dsm__text_puts(csv->out, ",");
  }
  csv->is_in_row = true;
}

static void put_quoted(dsm__text_buffer *out, const char *text) {
  dsm__text_puts(out, "\"");
  for (const char *at = text; *at != '\0';) {
    const size_t plain = strcspn(at, "\"");
    dsm__text_append(out, at, plain);
    at += plain;
    if (*at == '"') {
      dsm__text_puts(out, "\"\"");
      at++;
    }
  }
  dsm__text_puts(out, "\"");
}

void dsm__csv_text(dsm__csv *csv, const char *text) {
  begin_field(csv);
  if (text == NULL) {
    return;
  }
  if (text[strcspn(text, "\",\r\n")] == '\0') {
    dsm__text_puts(csv->out, text);
  } else {
    put_quoted(csv->out, text);
  }
}

void dsm__csv_u64(dsm__csv *csv, uint64_t value) {
  begin_field(csv);
  dsm__text_printf(csv->out, "%" PRIu64, value);
}

void dsm__csv_double(dsm__csv *csv, double value) {
  char text[DSM__NUMBER_TEXT_SIZE];
  const size_t length = dsm__double_to_text(value, text);
  begin_field(csv);
  dsm__text_append(csv->out, text, length);
}

void dsm__csv_bool(dsm__csv *csv, bool value) {
  dsm__csv_text(csv, value ? "true" : "false");
}

void dsm__csv_empty(dsm__csv *csv, size_t count) {
  for (size_t i = 0; i < count; i++) {
    begin_field(csv);
  }
}

void dsm__csv_texts(dsm__csv *csv, const char *const *texts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    dsm__csv_text(csv, texts[i]);
  }
}

void dsm__csv_dotted(dsm__csv *csv, const char *head, const char *tail) {
  begin_field(csv);
  dsm__text_puts(csv->out, head);
  dsm__text_puts(csv->out, ".");
  dsm__text_puts(csv->out, tail);
}

void dsm__csv_end_row(dsm__csv *csv) {
  dsm__text_puts(csv->out, "\r\n");
  csv->is_in_row = false;
}

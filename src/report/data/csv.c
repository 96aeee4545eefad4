/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/number_text.h"
#include "base/utf8.h"

static void begin_field(dsm__csv *csv) {
  if (csv->is_in_row) {
    dsm__text_puts(csv->out, ",");
  }
  csv->is_in_row = true;
}

/* What spreadsheets take for a formula, and run. A number they only read, and one sign alone is
 * text. */
static bool is_formula(const char *text) {
  double value;
  return text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL && text[1] != '\0' &&
         !dsm__text_to_double(text, strlen(text), &value);
}

/* The text with its quotes doubled, and without what cannot be shown. */
static void put_inside(dsm__text_buffer *out, const char *text) {
  const size_t length = strlen(text);
  for (size_t at = 0; at < length;) {
    const size_t bytes = dsm__utf8_length(text + at, length - at);
    const bool is_kept =
        bytes > 0 && (strchr("\t\r\n", text[at]) != NULL || dsm__utf8_is_shown(text + at, bytes));
    if (text[at] == '"') {
      dsm__text_puts(out, "\"\"");
    } else if (is_kept) {
      dsm__text_append(out, text + at, bytes);
    } else {
      dsm__text_puts(out, DSM__UTF8_REPLACEMENT);
    }
    at += bytes == 0 ? 1 : bytes;
  }
}

void dsm__csv_text(dsm__csv *csv, const char *text) {
  begin_field(csv);
  if (text == NULL) {
    return;
  }
  const char *const quote = text[strcspn(text, "\",\r\n")] == '\0' ? "" : "\"";
  dsm__text_puts(csv->out, quote);
  dsm__text_puts(csv->out, is_formula(text) ? "'" : "");
  put_inside(csv->out, text);
  dsm__text_puts(csv->out, quote);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/cells.h"

#include <inttypes.h>
#include <string.h>

#include "base/number_text.h"
#include "base/utf8.h"

static void begin_field(dsm__cells *csv) {
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

void dsm__cells_text(dsm__cells *csv, const char *text) {
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

void dsm__cells_u64(dsm__cells *csv, uint64_t value) {
  begin_field(csv);
  dsm__text_printf(csv->out, "%" PRIu64, value);
}

void dsm__cells_double(dsm__cells *csv, double value) {
  char text[DSM__NUMBER_TEXT_SIZE];
  const size_t length = dsm__double_to_text(value, text);
  begin_field(csv);
  dsm__text_append(csv->out, text, length);
}

void dsm__cells_bool(dsm__cells *csv, bool value) {
  dsm__cells_text(csv, value ? "true" : "false");
}

void dsm__cells_empty(dsm__cells *csv, size_t count) {
  for (size_t i = 0; i < count; i++) {
    begin_field(csv);
  }
}

void dsm__cells_texts(dsm__cells *csv, const char *const *texts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    dsm__cells_text(csv, texts[i]);
  }
}

void dsm__cells_dotted(dsm__cells *csv, const char *head, const char *tail) {
  begin_field(csv);
  dsm__text_puts(csv->out, head);
  dsm__text_puts(csv->out, ".");
  dsm__text_puts(csv->out, tail);
}

void dsm__cells_end_row(dsm__cells *csv) {
  dsm__text_puts(csv->out, "\r\n");
  csv->is_in_row = false;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/diag.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/utf8.h"

#define MAX_FINDINGS 10000

struct dsm_diags {
  size_t max_count;
  size_t count;
  size_t dropped;
  size_t *order; /* order[i]: where the i-th finding is in items; sorting moves only these */
  dsm_diag *items;
};

dsm_diags *dsm_diags_new(size_t max_count) {
  const size_t clamped = max_count < 1 ? 1 : max_count > MAX_FINDINGS ? MAX_FINDINGS : max_count;
  dsm_diags *const diags = malloc(sizeof *diags);
  size_t *const order = calloc(clamped, sizeof *order);
  dsm_diag *const items = calloc(clamped, sizeof *items);
  if (diags == NULL || order == NULL || items == NULL) {
    free(items);
    free(order);
    free(diags);
    return NULL;
  }
  *diags = (dsm_diags){.max_count = clamped, .order = order, .items = items};
  return diags;
}

void dsm_diags_free(dsm_diags *diags) {
  if (diags == NULL) {
    return;
  }
  free(diags->items);
  free(diags->order);
  free(diags);
}

void dsm_diags_clear(dsm_diags *diags) {
  if (diags == NULL) {
    return;
  }
  diags->count = 0;
  diags->dropped = 0;
}

size_t dsm_diags_count(const dsm_diags *diags) {
  return diags == NULL ? 0 : diags->count;
}

size_t dsm_diags_dropped(const dsm_diags *diags) {
  return diags == NULL ? 0 : diags->dropped;
}

const dsm_diag *dsm_diags_get(const dsm_diags *diags, size_t index) {
  return &diags->items[diags->order[index]];
}

static bool is_alike(const dsm_diag *a, const dsm_diag *b) {
  return a->severity == b->severity && strcmp(a->message, b->message) == 0 &&
         strcmp(a->hint, b->hint) == 0 && strcmp(a->file, b->file) == 0;
}

size_t dsm_diags_alike(const dsm_diags *diags, size_t index) {
  enum { FEWEST = 3 };
  const dsm_diag *const diag = dsm_diags_get(diags, index);
  size_t before = 0;
  size_t after = 0;
  for (size_t i = 0; i < diags->count; i++) {
    if (i != index && is_alike(dsm_diags_get(diags, i), diag)) {
      before += i < index ? 1 : 0;
      after += i > index ? 1 : 0;
    }
  }
  if (before + after + 1 < FEWEST) {
    return 0;
  }
  return before > 0 ? DSM_DIAG_SHOWN_BEFORE : after;
}

/* What stands for the character that text starts with: itself, or its bytes as \xNN. Sets *taken
 * to the bytes of text used up, returns the bytes written (at most 16). */
static size_t make_visible(const char *text, size_t length, char shown[16], size_t *taken) {
  static const char digits[] = "0123456789ABCDEF";
  const size_t size = dsm__utf8_length(text, length);
  *taken = size == 0 ? 1 : size;
  if (size > 0 && dsm__utf8_is_shown(text, size)) {
    memcpy(shown, text, size);
    return size;
  }
  size_t used = 0;
  for (size_t i = 0; i < *taken; i++) {
    const unsigned char byte = (unsigned char)text[i];
    shown[used++] = '\\';
    shown[used++] = 'x';
    shown[used++] = digits[byte >> 4];
    shown[used++] = digits[byte & 15];
  }
  return used;
}

void dsm_text_make_visible(char *target, size_t size, const char *text) {
  static const char ellipsis[] = "...";
  const size_t length = text == NULL ? 0 : strlen(text);
  size_t used = 0;
  size_t cut = 0; /* the longest prefix of whole characters that leaves room for the ellipsis */
  for (size_t at = 0; at < length;) {
    char shown[16];
    size_t taken;
    const size_t shown_length = make_visible(text + at, length - at, shown, &taken);
    if (used + shown_length >= size) {
      memcpy(target + cut, ellipsis, sizeof ellipsis);
      return;
    }
    memcpy(target + used, shown, shown_length);
    used += shown_length;
    if (used + sizeof ellipsis <= size) {
      cut = used;
    }
    at += taken;
  }
  target[used] = '\0';
}

void dsm__diags_vadd(dsm_diags *diags, dsm_severity severity, dsm__place place, const char *hint,
                     const char *format, va_list args) {
  if (diags == NULL) {
    return;
  }
  if (diags->count == diags->max_count) {
    diags->dropped++;
    return;
  }
  /* Larger than the field, so that a text cut here is cut again, with "...", when copied. */
  char message[2 * sizeof diags->items->message];
  if (vsnprintf(message, sizeof message, format, args) < 0) {
    message[0] = '\0';
  }
  dsm_diag *const diag = &diags->items[diags->count];
  diag->severity = severity;
  diag->line = place.line;
  diag->column = place.column;
  dsm_text_make_visible(diag->file, sizeof diag->file, place.file);
  dsm_text_make_visible(diag->path, sizeof diag->path, place.path);
  dsm_text_make_visible(diag->message, sizeof diag->message, message);
  dsm_text_make_visible(diag->hint, sizeof diag->hint, hint);
  diags->order[diags->count] = diags->count;
  diags->count++;
}

void dsm__diags_add(dsm_diags *diags, dsm_severity severity, dsm__place place, const char *hint,
                    const char *format, ...) {
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(diags, severity, place, hint, format, args);
  va_end(args);
}

dsm_status dsm__refuse(dsm_diags *diags, dsm_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(diags, DSM_SEVERITY_ERROR, (dsm__place){0}, NULL, format, args);
  va_end(args);
  return status;
}

dsm_status dsm__out_of_memory(dsm_diags *diags) {
  return dsm__refuse(diags, DSM_ERROR_OUT_OF_MEMORY, "out of memory");
}

static bool is_before(const dsm_diag *a, const dsm_diag *b) {
  return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* Insertion sort: stable, allocates nothing, and quick on findings that are nearly in order. */
void dsm__diags_sort_from(dsm_diags *diags, size_t first) {
  if (diags == NULL) {
    return;
  }
  for (size_t i = first + 1; i < diags->count; i++) {
    const size_t moving = diags->order[i];
    size_t to = i;
    while (to > first && is_before(&diags->items[moving], &diags->items[diags->order[to - 1]])) {
      diags->order[to] = diags->order[to - 1];
      to--;
    }
    diags->order[to] = moving;
  }
}

/* A text that counts on when its buffer is full. */
typedef struct sink {
  char *buffer;
  size_t size;
  size_t length;
} sink;

static void sink_puts(sink *out, const char *text) {
  const size_t length = strlen(text);
  if (out->length + 1 < out->size) {
    const size_t room = out->size - 1 - out->length;
    const size_t copied = length < room ? length : room;
    memcpy(out->buffer + out->length, text, copied);
    out->buffer[out->length + copied] = '\0';
  }
  out->length += length;
}

static void sink_place(sink *out, const dsm_diag *diag) {
  if (diag->file[0] != '\0') {
    sink_puts(out, diag->file);
    if (diag->line > 0) {
      char position[48];
      (void)snprintf(position, sizeof position, diag->column > 0 ? ":%zu:%zu" : ":%zu", diag->line,
                     diag->column);
      sink_puts(out, position);
    }
    sink_puts(out, ": ");
  }
  if (diag->path[0] != '\0') {
    sink_puts(out, diag->path);
    sink_puts(out, ": ");
  }
}

static const dsm__word severity_words[] = {
    [DSM_SEVERITY_ERROR].key = "error",
    [DSM_SEVERITY_WARNING].key = "warning",
    [DSM_SEVERITY_NOTE].key = "note",
};
DSM__WORDS(dsm__severity_words, "severity", severity_words, DSM_SEVERITY_COUNT);

/* ANSI: bold with red, magenta, cyan. */
static const char *const severity_colors[DSM_SEVERITY_COUNT] = {
    [DSM_SEVERITY_ERROR] = "\033[1;31m",
    [DSM_SEVERITY_WARNING] = "\033[1;35m",
    [DSM_SEVERITY_NOTE] = "\033[1;36m",
};

size_t dsm_diag_render(const dsm_diag *diag, bool color, char *buffer, size_t size) {
  sink out = {.buffer = buffer, .size = size};
  if (size > 0) {
    buffer[0] = '\0';
  }
  if (color) {
    sink_puts(&out, "\033[1m");
  }
  sink_place(&out, diag);
  if (color) {
    sink_puts(&out, severity_colors[diag->severity]);
  }
  sink_puts(&out, dsm__word_key(&dsm__severity_words, diag->severity));
  sink_puts(&out, ": ");
  if (color) {
    sink_puts(&out, "\033[0m");
  }
  sink_puts(&out, diag->message);
  if (diag->hint[0] != '\0') {
    sink_puts(&out, " (");
    sink_puts(&out, diag->hint);
    sink_puts(&out, ")");
  }
  return out.length;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/display.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* ---- styles ---- */

static const char *const style_escapes[] = {
    [DSM__STYLE_PLAIN] = "",        [DSM__STYLE_HEADING] = "\033[1m",
    [DSM__STYLE_GOOD] = "\033[32m", [DSM__STYLE_FAIR] = "\033[33m",
    [DSM__STYLE_BAD] = "\033[31m",  [DSM__STYLE_FAINT] = "\033[2m",
};
_Static_assert(DSM__COUNT_OF(style_escapes) == DSM__STYLE_COUNT, "one for each style");

dsm__text_style dsm__style_of_utilization(double utilization) {
  static const double good = 0.7;
  static const double fair = 0.35;
  return utilization >= good   ? DSM__STYLE_GOOD
         : utilization >= fair ? DSM__STYLE_FAIR
                               : DSM__STYLE_BAD;
}

void dsm__style_begin(dsm__text_buffer *out, bool color, dsm__text_style style) {
  if (color) {
    dsm__text_puts(out, style_escapes[style]);
  }
}

void dsm__style_end(dsm__text_buffer *out, bool color, dsm__text_style style) {
  if (color && style != DSM__STYLE_PLAIN) {
    dsm__text_puts(out, "\033[0m");
  }
}

/* ---- characters ---- */

typedef struct code_range {
  uint32_t first;
  uint32_t last;
} code_range;

/* Combining marks, joiners and variation selectors: they take no column. */
static const code_range zero_width[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
    {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
};

/* East Asian wide and full-width characters and pictographs (UAX 11): they take two. */
static const code_range double_width[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
    {0x20000, 0x3FFFD},
};

#define IS_IN(ranges, code) is_in_ranges(ranges, sizeof(ranges) / sizeof *(ranges), code)

static bool is_in_ranges(const code_range *ranges, size_t count, uint32_t code) {
  for (size_t i = 0; i < count; i++) {
    if (code >= ranges[i].first && code <= ranges[i].last) {
      return true;
    }
  }
  return false;
}

/* One character of a text. */
typedef struct glyph {
  size_t bytes;
  size_t width;
  bool is_shown; /**< neither invalid nor steering */
} glyph;

/* The character that text[0 .. length), not empty, starts with. */
static glyph first_glyph(const char *text, size_t length) {
  const size_t bytes = dsm__utf8_length(text, length);
  if (bytes == 0) {
    return (glyph){.bytes = 1, .width = 1};
  }
  if (!dsm__utf8_is_shown(text, bytes)) {
    return (glyph){.bytes = bytes, .width = 1};
  }
  const uint32_t code = dsm__utf8_code(text, bytes);
  const size_t width = IS_IN(zero_width, code) ? 0 : IS_IN(double_width, code) ? 2 : 1;
  return (glyph){.bytes = bytes, .width = width, .is_shown = true};
}

static size_t width_of(const char *text, size_t length) {
  size_t width = 0;
  for (size_t at = 0; at < length;) {
    const glyph next = first_glyph(text + at, length - at);
    width += next.width;
    at += next.bytes;
  }
  return width;
}

size_t dsm__display_width(const char *text) {
  return width_of(text, strlen(text));
}

char *dsm__display_clean(dsm__arena *arena, const char *text) {
  const size_t length = strlen(text);
  char *const clean = dsm__arena_strndup(arena, text, length);
  if (clean == NULL) {
    return NULL;
  }
  size_t used = 0;
  for (size_t at = 0; at < length;) {
    const glyph next = first_glyph(text + at, length - at);
    if (next.is_shown) {
      memcpy(clean + used, text + at, next.bytes);
    } else {
      clean[used] = '?';
    }
    used += next.is_shown ? next.bytes : 1;
    at += next.bytes;
  }
  clean[used] = '\0';
  return clean;
}

/* ---- fitting ---- */

/* Bytes of the longest start of text that takes at most `width` columns. */
static size_t bytes_of_start(const char *text, size_t length, size_t width) {
  size_t at = 0;
  while (at < length) {
    const glyph next = first_glyph(text + at, length - at);
    if (next.width > width) {
      break;
    }
    width -= next.width;
    at += next.bytes;
  }
  return at;
}

/* Where the longest end of text that takes at most `width` columns starts; not at a mark that
 * belongs to the character before. */
static size_t offset_of_end(const char *text, size_t length, size_t width) {
  size_t at = 0;
  size_t left = width_of(text, length);
  while (at < length) {
    const glyph next = first_glyph(text + at, length - at);
    if (left <= width && next.width > 0) {
      break;
    }
    left -= next.width;
    at += next.bytes;
  }
  return at;
}

/* Appends text cut to `width` columns; returns how many it takes. */
static size_t put_cut(dsm__text_buffer *out, const char *text, size_t width) {
  const size_t length = strlen(text);
  const size_t natural = width_of(text, length);
  if (natural <= width) {
    dsm__text_append(out, text, length);
    return natural;
  }
  if (width == 0) {
    return 0;
  }
  const size_t start = bytes_of_start(text, length, width / 2);
  const size_t end = offset_of_end(text, length, (width - 1) / 2);
  dsm__text_append(out, text, start);
  dsm__text_puts(out, "\xE2\x80\xA6"); /* a horizontal ellipsis */
  dsm__text_append(out, text + end, length - end);
  return width_of(text, start) + 1 + width_of(text + end, length - end);
}

void dsm__display_put(dsm__text_buffer *out, const char *text, size_t width) {
  dsm__text_repeat(out, ' ', width - put_cut(out, text, width));
}

/* A number keeps its per cent sign. */
static size_t length_of_word(const char *word) {
  const size_t length = strcspn(word, " ");
  return strncmp(word + length, " %", 2) == 0 ? length + 1 + strcspn(word + length + 1, " ")
                                              : length;
}

void dsm__display_wrap(dsm__text_buffer *out, const char *text, size_t width, dsm__indent indent) {
  size_t column = indent.first;
  bool is_line_empty = true;
  for (const char *word = text + strspn(text, " "); *word != '\0';) {
    const size_t length = length_of_word(word);
    const size_t word_width = width_of(word, length);
    if (!is_line_empty && column + 1 + word_width > width) {
      dsm__text_repeat(out, '\n', 1);
      dsm__text_repeat(out, ' ', indent.rest);
      column = indent.rest;
      is_line_empty = true;
    }
    if (!is_line_empty) {
      dsm__text_repeat(out, ' ', 1);
      column++;
    }
    dsm__text_append(out, word, length);
    column += word_width;
    is_line_empty = false;
    word += length + strspn(word + length, " ");
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * display.h: text as a terminal shows it: how wide it is, how it is shortened, wrapped and
 * coloured. Widths are columns of a terminal, not bytes: a CJK character takes two, a combining
 * mark none.
 */
#ifndef DSM_REPORT_TABLE_DISPLAY_H
#define DSM_REPORT_TABLE_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text_buffer.h"

/** What a piece of text wants to say, shown by colour or weight. */
typedef enum dsm__text_style {
  DSM__STYLE_PLAIN = 0,
  DSM__STYLE_HEADING,
  DSM__STYLE_GOOD,
  DSM__STYLE_FAIR,
  DSM__STYLE_BAD,
  DSM__STYLE_FAINT,
  DSM__STYLE_COUNT
} dsm__text_style;

/** The style of a utilization, 0 .. 1. */
dsm__text_style dsm__style_of_utilization(double utilization);

/** Starts and ends a style with ANSI escapes; nothing without colour or for DSM__STYLE_PLAIN. */
void dsm__style_begin(dsm__text_buffer *out, bool color, dsm__text_style style);
void dsm__style_end(dsm__text_buffer *out, bool color, dsm__text_style style);

/** A copy in which what would steer a terminal, or is no UTF-8, is a '?'; NULL if out of memory. */
char *dsm__display_clean(dsm__arena *arena, const char *text);

/** Columns that a text takes. Invalid bytes count one each. */
size_t dsm__display_width(const char *text);

/** Appends text in `width` columns: padded at its end, or with an ellipsis in its middle if it is
 * wider, because names differ at their ends. */
void dsm__display_put(dsm__text_buffer *out, const char *text, size_t width);

/** How wrapped text is indented, in columns. */
typedef struct dsm__indent {
  size_t first; /**< of the first line, only counted: the caller has written it */
  size_t rest;  /**< of the others */
} dsm__indent;

/** Appends text, broken at spaces, but not before a per cent sign, into lines of at most `width`
 * columns; the last is not ended. A word that is wider than a line gets one of its own. */
void dsm__display_wrap(dsm__text_buffer *out, const char *text, size_t width, dsm__indent indent);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/xml.h"

#include <string.h>

#include "base/utf8.h"

/* What a byte that may not stand as it is becomes; NULL: it may. */
static const char *escape_of(char c) {
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\t':
    return "&#9;";
  case '\n':
    return "&#10;";
  case '\r':
    return "&#13;";
  default:
    return NULL;
  }
}

static void put_text(dsm__text_buffer *out, const char *text, bool keeps_lines) {
  const size_t length = strlen(text);
  for (size_t at = 0; at < length;) {
    const size_t bytes = dsm__utf8_length(text + at, length - at);
    const bool is_kept = keeps_lines && text[at] == '\n';
    const char *const escape = bytes == 1 && !is_kept ? escape_of(text[at]) : NULL;
    if (escape != NULL) {
      dsm__text_puts(out, escape);
    } else if (bytes == 0 || (!is_kept && !dsm__utf8_is_shown(text + at, bytes))) {
      dsm__text_puts(out, DSM__UTF8_REPLACEMENT);
    } else {
      dsm__text_append(out, text + at, bytes);
    }
    at += bytes == 0 ? 1 : bytes;
  }
}

void dsm__xml_text(dsm__text_buffer *out, const char *text) {
  put_text(out, text, false);
}

void dsm__xml_lines(dsm__text_buffer *out, const char *text) {
  put_text(out, text, true);
}

void dsm__xml_attribute(dsm__text_buffer *out, const char *name, const char *value) {
  dsm__text_printf(out, " %s=\"", name);
  dsm__xml_text(out, value);
  dsm__text_puts(out, "\"");
}

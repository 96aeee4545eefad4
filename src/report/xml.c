/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/xml.h"

#include <string.h>

#include "base/utf8.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

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
    return (unsigned char)c < 0x20 || c == 0x7F ? replacement : NULL;
  }
}

/* C1 controls, which XML 1.0 discourages, and U+FFFE and U+FFFF, which it forbids. */
static bool is_forbidden(const char *text, size_t bytes) {
  const unsigned char *const c = (const unsigned char *)text;
  return (bytes == 2 && c[0] == 0xC2 && c[1] < 0xA0) ||
         (bytes == 3 && c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE);
}

static void put_text(dsm__text_buffer *out, const char *text, bool keeps_lines) {
  const size_t length = strlen(text);
  for (size_t at = 0; at < length;) {
    const size_t bytes = dsm__utf8_length(text + at, length - at);
    const bool is_kept = keeps_lines && text[at] == '\n';
    const char *const escape = bytes == 1 && !is_kept ? escape_of(text[at]) : NULL;
    if (bytes == 0 || (bytes > 1 && is_forbidden(text + at, bytes))) {
      dsm__text_puts(out, replacement);
    } else if (escape != NULL) {
      dsm__text_puts(out, escape);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* utf8.h: the one place that knows which byte sequences are UTF-8, and which of its characters can
 * be shown. */
#ifndef DSM_BASE_UTF8_H
#define DSM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** U+FFFD, which stands for what cannot be shown. */
#define DSM__UTF8_REPLACEMENT "\xEF\xBF\xBD"

/**
 * Bytes (1 .. 4) of the character that text[0 .. length) starts with; 0 if length is 0 or if it
 * starts with no character of RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF.
 */
static inline size_t dsm__utf8_length(const char *text, size_t length) {
  if (length == 0)
    return 0;
  const unsigned char lead = (unsigned char)text[0];
  if (lead < 0x80)
    return 1;
  const size_t size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (size == 0 || size > length)
    return 0;
  for (size_t i = 1; i < size; i++) {
    if (((unsigned char)text[i] & 0xC0u) != 0x80u)
      return 0;
  }
  /* The second byte decides on overlong forms (E0, F0), surrogates (ED) and the upper end (F4). */
  const unsigned char second = (unsigned char)text[1];
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F))
    return 0;
  return size;
}

/** The code point of a character of UTF-8 that takes `size` bytes (1 .. 4). */
uint32_t dsm__utf8_code(const char *character, size_t size);

/** Does the character only stand for itself? Controls, separators of lines, what turns the
 * direction of text, invisible tags, and what Unicode calls no character do not. */
bool dsm__utf8_is_shown(const char *character, size_t size);

/** Puts a '?' in place of each byte that is not UTF-8. */
void dsm__utf8_repair(char *text);

/** Is all of the text UTF-8? */
static inline bool dsm__is_utf8(const char *text) {
  const size_t length = strlen(text);
  for (size_t at = 0; at < length;) {
    const size_t size = dsm__utf8_length(text + at, length - at);
    if (size == 0) {
      return false;
    }
    at += size;
  }
  return true;
}

#endif

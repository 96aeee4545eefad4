/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

uint32_t dsm__utf8_code(const char *character, size_t size) {
  static const unsigned char lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code = (unsigned char)character[0] & lead_mask[size];
  for (size_t i = 1; i < size; i++) {
    code = code << 6 | ((unsigned char)character[i] & 0x3Fu);
  }
  return code;
}

bool dsm__utf8_is_shown(const char *character, size_t size) {
  static const struct {
    uint32_t first;
    uint32_t last;
  } hidden[] = {
      {0x0000, 0x001F},   {0x007F, 0x009F}, /* controls */
      {0x061C, 0x061C},   {0x200E, 0x200F}, /* marks of direction */
      {0x2028, 0x202E},   {0x2060, 0x206F}, /* separators, embeddings, overrides, isolates */
      {0xFDD0, 0xFDEF},   {0xFFF9, 0xFFFB}, /* no characters; annotations */
      {0xE0000, 0xE007F},                   /* tags */
  };
  const uint32_t code = dsm__utf8_code(character, size);
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
    if (code >= hidden[i].first && code <= hidden[i].last) {
      return false;
    }
  }
  return (code & 0xFFFE) != 0xFFFE; /* the last two of each plane are no characters */
}

void dsm__utf8_repair(char *text) {
  const size_t length = strlen(text);
  for (size_t at = 0; at < length;) {
    const size_t size = dsm__utf8_length(text + at, length - at);
    if (size == 0) {
      text[at] = '?';
    }
    at += size == 0 ? 1 : size;
  }
}

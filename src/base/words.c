/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/words.h"

#include <string.h>

const char *dsm__word_key(const dsm__words *words, size_t value) {
  return words->items[value].key;
}

const char *dsm__word_text(const dsm__words *words, size_t value) {
  const dsm__word *const word = &words->items[value];
  return word->text == NULL ? word->key : word->text;
}

const char *dsm__word_brief(const dsm__words *words, size_t value) {
  const dsm__word *const word = &words->items[value];
  return word->brief == NULL ? word->key : word->brief;
}

bool dsm__words_find(const dsm__words *words, const char *key, size_t *value) {
  for (size_t i = 0; i < words->count; i++) {
    if (strcmp(words->items[i].key, key) == 0) {
      *value = i;
      return true;
    }
  }
  return false;
}

size_t dsm__words_keys(const dsm__words *words, const char *keys[DSM__WORDS_MAX]) {
  for (size_t i = 0; i < words->count; i++) {
    keys[i] = words->items[i].key;
  }
  return words->count;
}

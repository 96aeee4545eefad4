/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/words.h"

#include <stdio.h>
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

dsm__words_text dsm__words_join(const dsm__words *words, unsigned set, const char *separator) {
  dsm__words_text made = {.text = ""};
  size_t used = 0;
  for (size_t i = 0; i < words->count && used < sizeof made.text; i++) {
    if ((set & (1U << i)) != 0) {
      const int wrote = snprintf(made.text + used, sizeof made.text - used, "%s%s",
                                 used > 0 ? separator : "", words->items[i].key);
      used += wrote > 0 ? (size_t)wrote : 0;
    }
  }
  return made;
}

size_t dsm__words_keys(const dsm__words *words, const char *keys[DSM__WORDS_MAX]) {
  for (size_t i = 0; i < words->count; i++) {
    keys[i] = words->items[i].key;
  }
  return words->count;
}

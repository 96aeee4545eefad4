/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/words.h"

#include <stdio.h>
#include <string.h>

/* A value beyond the list that no document has noted has a word that says no more. */
static const dsm__word *word_of(const dsm__words *words, size_t value) {
  static const dsm__word unknown = {.key = "roles"};
  if (value < words->count) {
    return &words->items[value];
  }
  for (size_t i = 0; words->made != NULL && i < words->made->count; i++) {
    if (words->made->values[i] == value) {
      return &words->made->items[i];
    }
  }
  return &unknown;
}

const char *dsm__word_key(const dsm__words *words, size_t value) {
  return word_of(words, value)->key;
}

const char *dsm__word_text(const dsm__words *words, size_t value) {
  const dsm__word *const word = word_of(words, value);
  return word->text == NULL ? word->key : word->text;
}

const char *dsm__word_brief(const dsm__words *words, size_t value) {
  const dsm__word *const word = word_of(words, value);
  return word->brief == NULL ? word->key : word->brief;
}

bool dsm__words_find_listed(const dsm__words *words, const char *key, size_t *value) {
  for (size_t i = 0; i < words->count; i++) {
    if (words->items[i].key != NULL && strcmp(words->items[i].key, key) == 0) {
      *value = i;
      return true;
    }
  }
  return words->also != NULL && dsm__words_find_listed(words->also, key, value);
}

bool dsm__words_find(const dsm__words *words, const char *key, size_t *value) {
  return dsm__words_find_listed(words, key, value) ||
         (words->made != NULL && words->made->find(words->made->of, key, value, NULL, 0));
}

const dsm__words *dsm__words_in(const dsm__renaming *renaming, const dsm__words *words) {
  for (size_t i = 0; renaming != NULL && i < renaming->count; i++) {
    if (renaming->lists[i].of == words) {
      return &renaming->lists[i].are;
    }
  }
  return words;
}

bool dsm__renamings_agree(const dsm__renaming *a, const dsm__renaming *b) {
  const size_t count = a == NULL ? 0 : a->count;
  bool is_same = count == (b == NULL ? 0 : b->count);
  for (size_t i = 0; is_same && i < count; i++) {
    const dsm__words *const of_a = &a->lists[i].are;
    const dsm__words *const of_b = &b->lists[i].are;
    is_same = a->lists[i].of == b->lists[i].of && of_a->count == of_b->count;
    for (size_t w = 0; is_same && w < of_a->count; w++) {
      is_same = strcmp(of_a->items[w].key, of_b->items[w].key) == 0;
    }
  }
  return is_same;
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

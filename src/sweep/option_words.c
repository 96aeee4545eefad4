/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/option_words.h"

#include <stdio.h>
#include <string.h>

/* The word for a bit of a set. */
typedef const char *bit_name(size_t bit);

static const char *optimization_word(size_t bit) {
  return dsm_optimization_name((dsm_optimization)bit);
}

static const char *parallelism_word(size_t bit) {
  return dsm_parallelism_name((dsm_parallelism)bit);
}

/* The bit whose name text[0 .. length) is, or count. */
static size_t find_bit(const char *text, size_t length, bit_name *name, size_t count) {
  size_t bit = 0;
  while (bit < count && (strlen(name(bit)) != length || memcmp(name(bit), text, length) != 0)) {
    bit++;
  }
  return bit;
}

static bool parse_words(const char *text, bit_name *name, size_t count, unsigned *set, char *wrong,
                        size_t size) {
  unsigned found = 0;
  for (const char *word = text;; word++) {
    const size_t length = strcspn(word, "+");
    const size_t bit = find_bit(word, length, name, count);
    if (bit == count || (found & 1U << bit) != 0) {
      (void)snprintf(wrong, size, "%.*s", length < size ? (int)length : (int)size - 1, word);
      return false;
    }
    found |= 1U << bit;
    word += length;
    if (*word == '\0') {
      *set = found;
      return true;
    }
  }
}

static void print_words(unsigned set, bit_name *name, size_t count,
                        char text[DSM__OPTION_TEXT_SIZE]) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t bit = 0; bit < count; bit++) {
    if ((set & 1U << bit) != 0) {
      used += (size_t)snprintf(text + used, DSM__OPTION_TEXT_SIZE - used, "%s%s",
                               used == 0 ? "" : "+", name(bit));
    }
  }
}

bool dsm__optimizations_parse(const char *text, dsm_optimization_set *set, char *wrong,
                              size_t size) {
  if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0) {
    *set = text[0] == 'a' ? DSM_OPTIMIZATION_ALL : 0;
    return true;
  }
  return parse_words(text, optimization_word, DSM_OPTIMIZATION_COUNT, set, wrong, size);
}

void dsm__optimizations_text(dsm_optimization_set set, char text[DSM__OPTION_TEXT_SIZE]) {
  if (set == 0 || set == DSM_OPTIMIZATION_ALL) {
    (void)snprintf(text, DSM__OPTION_TEXT_SIZE, "%s", set == 0 ? "none" : "all");
    return;
  }
  print_words(set, optimization_word, DSM_OPTIMIZATION_COUNT, text);
}

bool dsm__parallelisms_parse(const char *text, dsm_parallelism_set *set, char *wrong, size_t size) {
  if (strcmp(text, "all") == 0) {
    *set = DSM_PARALLELISM_ALL;
    return true;
  }
  return parse_words(text, parallelism_word, DSM_PARALLELISM_COUNT, set, wrong, size);
}

void dsm__parallelisms_text(dsm_parallelism_set set, char text[DSM__OPTION_TEXT_SIZE]) {
  if (set == DSM_PARALLELISM_ALL) {
    (void)snprintf(text, DSM__OPTION_TEXT_SIZE, "all");
    return;
  }
  print_words(set, parallelism_word, DSM_PARALLELISM_COUNT, text);
}

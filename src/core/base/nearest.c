/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_WORD 128

/* Costs are counted in half edits, so that a wrong case costs 1 and an edit 2. */
enum { CASE_COST = 1, EDIT_COST = 2 };

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static char to_lower(char c) {
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static size_t substitution_cost(char a, char b) {
  if (a == b) {
    return 0;
  }
  return to_lower(a) == to_lower(b) ? CASE_COST : EDIT_COST;
}

/* The edit distance with swaps of neighbours ("optimal string alignment"), by dynamic programming
 * over the last three rows: row[j] is the distance of the first i bytes of a to the first j of b.
 */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t rows[3][LONGEST_WORD + 1];
  for (size_t j = 0; j <= b_length; j++) {
    rows[0][j] = j * EDIT_COST;
  }
  for (size_t i = 1; i <= a_length; i++) {
    size_t *const row = rows[i % 3];
    const size_t *const above = rows[(i + 2) % 3];
    const size_t *const two_above = rows[(i + 1) % 3];
    row[0] = i * EDIT_COST;
    for (size_t j = 1; j <= b_length; j++) {
      row[j] = least(above[j], row[j - 1]) + EDIT_COST;
      row[j] = least(row[j], above[j - 1] + substitution_cost(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = least(row[j], two_above[j - 2] + EDIT_COST);
      }
    }
  }
  return rows[a_length % 3][b_length];
}

const char *dsm__nearest(const char *text, const char *const *words, size_t count) {
  const size_t length = strlen(text);
  if (length > LONGEST_WORD) {
    return NULL;
  }
  const char *best = NULL;
  size_t best_distance = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t word_length = words[i] == NULL ? 0 : strlen(words[i]);
    if (words[i] == NULL || word_length > LONGEST_WORD) {
      continue;
    }
    const size_t word_distance = distance(text, length, words[i], word_length);
    const size_t longer = length > word_length ? length : word_length;
    const bool is_near = 3 * word_distance <= EDIT_COST * longer;
    if (is_near && (best == NULL || word_distance < best_distance)) {
      best = words[i];
      best_distance = word_distance;
    }
  }
  return best;
}

const char *dsm__nearest_hint(const char *text, const char *const *words, size_t count, char *hint,
                              size_t size) {
  const char *const word = dsm__nearest(text, words, count);
  if (size == 0) {
    return hint;
  }
  hint[0] = '\0';
  if (word != NULL) {
    (void)snprintf(hint, size, "did you mean \"%s\"?", word);
  }
  return hint;
}

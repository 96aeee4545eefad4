/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/folded_name.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "base/order.h"

enum {
  NUMBERS_MAX = 16, /* of a name that are looked at; further digits are text */
  DIGITS_MAX = 18,  /* likewise of a number */
  RANGES_MAX = 3,   /* of a number of several names */
  PATTERNS_MAX = 3  /* names that follow each other */
};

/* A number in a name. */
typedef struct number {
  size_t at;
  size_t length;
  uint64_t value;
} number;

/* A name with its numbers. */
typedef struct name {
  const char *text;
  number numbers[NUMBERS_MAX];
  size_t count;
} name;

/* Names that are the same but for their numbers. */
typedef struct pattern {
  const name *first;
  const name **names;
  size_t count;
} pattern;

static name read_name(const char *text) {
  name read = {.text = text};
  for (size_t at = 0; text[at] != '\0' && read.count < NUMBERS_MAX;) {
    number found = {.at = at};
    while (dsm__is_digit(text[at]) && found.length < DIGITS_MAX) {
      found.value = 10 * found.value + (uint64_t)(text[at] - '0');
      found.length++;
      at++;
    }
    if (found.length > 0) {
      read.numbers[read.count++] = found;
    } else {
      at++;
    }
  }
  return read;
}

/* Where the text behind the number before number n begins, and where it ends: at number n. */
static size_t text_begin(const name *of, size_t n) {
  return n == 0 ? 0 : of->numbers[n - 1].at + of->numbers[n - 1].length;
}

static size_t text_end(const name *of, size_t n) {
  return n < of->count ? of->numbers[n].at : strlen(of->text);
}

/* Are two names the same but for their numbers? */
static bool is_like(const name *a, const name *b) {
  if (a->count != b->count) {
    return false;
  }
  for (size_t n = 0; n <= a->count; n++) {
    const size_t length = text_end(a, n) - text_begin(a, n);
    if (text_end(b, n) - text_begin(b, n) != length ||
        memcmp(a->text + text_begin(a, n), b->text + text_begin(b, n), length) != 0) {
      return false;
    }
  }
  return true;
}

/* Is a number the same in all names of a pattern, with the zeros before it? */
static bool is_fixed(const pattern *of, size_t n) {
  const number *const own = &of->first->numbers[n];
  for (size_t i = 1; i < of->count; i++) {
    const number *const other = &of->names[i]->numbers[n];
    if (own->value != other->value || own->length != other->length) {
      return false;
    }
  }
  return true;
}

static int compare_values(const void *a, const void *b) {
  return dsm__order_whole(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Digits that all have, so that zeros before a number stay; 1 where they differ. */
static int common_length(const pattern *of, size_t n) {
  size_t length = of->first->numbers[n].length;
  for (size_t i = 1; i < of->count; i++) {
    length = of->names[i]->numbers[n].length == length ? length : 1;
  }
  return (int)length;
}

/* "0..23", "1,3..5"; "*" where these would be too many, NULL if out of memory. */
static const char *ranges_text(dsm__arena *arena, const pattern *of, size_t n) {
  uint64_t *const values = dsm__arena_array(arena, of->count, sizeof *values);
  const char *text = "";
  size_t ranges = 0;
  const int length = common_length(of, n);
  if (values == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < of->count; i++) {
    values[i] = of->names[i]->numbers[n].value;
  }
  qsort(values, of->count, sizeof *values, compare_values);
  for (size_t i = 0; i < of->count && text != NULL;) {
    size_t last = i;
    while (last + 1 < of->count && values[last + 1] == values[last] + 1) {
      last++;
    }
    if (++ranges > RANGES_MAX) {
      return "*";
    }
    const char *const before = ranges > 1 ? "," : "";
    text = last == i ? dsm__arena_printf(arena, "%s%s%0*" PRIu64, text, before, length, values[i])
                     : dsm__arena_printf(arena, "%s%s%0*" PRIu64 "..%0*" PRIu64, text, before,
                                         length, values[i], length, values[last]);
    i = last + 1;
  }
  return text;
}

/* One name for all of a pattern; NULL if out of memory. */
static const char *pattern_text(dsm__arena *arena, const pattern *of) {
  const name *const first = of->first;
  size_t differing = 0;
  for (size_t n = 0; n < first->count; n++) {
    differing += is_fixed(of, n) ? 0 : 1;
  }
  const char *text = "";
  for (size_t n = 0; n <= first->count && text != NULL; n++) {
    const size_t begin = text_begin(first, n);
    const bool is_last = n == first->count;
    const char *const own = is_last ? ""
                            : is_fixed(of, n)
                                ? dsm__arena_strndup(arena, first->text + first->numbers[n].at,
                                                     first->numbers[n].length)
                            : differing == 1 ? ranges_text(arena, of, n)
                                             : "*";
    text = own == NULL
               ? NULL
               : dsm__arena_printf(arena, "%s%.*s%s", text, (int)(text_end(first, n) - begin),
                                   first->text + begin, own);
  }
  return text;
}

/* Sorts names into patterns, PATTERNS_MAX at most; how many names are of none of these. */
static size_t find_patterns(dsm__arena *arena, const name *read, size_t count,
                            pattern patterns[PATTERNS_MAX], size_t *pattern_count) {
  size_t others = 0;
  for (size_t i = 0; i < count; i++) {
    size_t p = 0;
    while (p < *pattern_count && !is_like(patterns[p].first, &read[i])) {
      p++;
    }
    if (p == PATTERNS_MAX) {
      others++;
      continue;
    }
    if (p == *pattern_count) {
      patterns[p] = (pattern){.first = &read[i],
                              .names = dsm__arena_array(arena, count, sizeof *patterns[p].names)};
      if (patterns[p].names == NULL) {
        return SIZE_MAX;
      }
      ++*pattern_count;
    }
    patterns[p].names[patterns[p].count++] = &read[i];
  }
  return others;
}

/* Does a byte part a name, and is no dot of a range? */
static bool is_separator(const char *text, size_t at) {
  const bool is_range = text[at] == '.' && (text[at + 1] == '.' || (at > 0 && text[at - 1] == '.'));
  return strchr("._/-:", text[at]) != NULL && !is_range;
}

/* How many bytes texts have in common at their beginning, up to what parts names. */
static size_t common_beginning(const char *const *texts, size_t count) {
  size_t length = 0;
  for (size_t at = 0; texts[0][at] != '\0'; at++) {
    bool is_end = is_separator(texts[0], at);
    for (size_t i = 1; i < count; i++) {
      if (texts[i][at] != texts[0][at]) {
        return length;
      }
      is_end = is_end && is_separator(texts[i], at);
    }
    length = is_end ? at + 1 : length;
  }
  return length;
}

/* "a", "a, b", "encoder.{query,key}". */
static const char *joined_text(dsm__arena *arena, const char *const *texts, size_t count) {
  const size_t common = count > 1 ? common_beginning(texts, count) : 0;
  const char *text =
      common == 0 ? texts[0]
                  : dsm__arena_printf(arena, "%.*s{%s", (int)common, texts[0], texts[0] + common);
  for (size_t i = 1; i < count && text != NULL; i++) {
    text = dsm__arena_printf(arena, "%s%s%s", text, common == 0 ? ", " : ",", texts[i] + common);
  }
  return common == 0 || text == NULL ? text : dsm__arena_printf(arena, "%s}", text);
}

const char *dsm__folded_name(dsm__arena *arena, const char *const *names, size_t count) {
  pattern patterns[PATTERNS_MAX];
  size_t pattern_count = 0;
  name *const read = count > 1 ? dsm__arena_array(arena, count, sizeof *read) : NULL;
  if (read == NULL) {
    return count == 1 ? names[0] : NULL;
  }
  for (size_t i = 0; i < count; i++) {
    read[i] = read_name(names[i]);
  }
  const size_t others = find_patterns(arena, read, count, patterns, &pattern_count);
  if (others == SIZE_MAX) {
    return NULL;
  }
  const char *texts[PATTERNS_MAX] = {NULL};
  for (size_t p = 0; p < pattern_count; p++) {
    texts[p] = pattern_text(arena, &patterns[p]);
    if (texts[p] == NULL) {
      return NULL;
    }
  }
  return others > 0
             ? dsm__arena_printf(arena, "%s, +%zu like it", texts[0], count - patterns[0].count)
             : joined_text(arena, texts, pattern_count);
}

/* Of lines with names, or of the layers of a plan. */
static const char *row_name(dsm__arena *arena, const char *const *names, const dsm_plan *plan,
                            const dsm__folding *folding, size_t row) {
  const dsm__fold_row *const of = &folding->rows[row];
  const char **const own = dsm__arena_array(arena, of->count, sizeof *own);
  size_t count = 0;
  assert(names != NULL || plan != NULL);
  for (size_t i = of->first; i != SIZE_MAX && own != NULL; i = folding->next[i]) {
    own[count++] = plan == NULL ? names[i] : plan->layers[i].layer->name;
  }
  return own == NULL ? NULL : dsm__folded_name(arena, own, count);
}

const char *dsm__fold_row_name_of(dsm__arena *arena, const char *const *names,
                                  const dsm__folding *folding, size_t row) {
  return row_name(arena, names, NULL, folding, row);
}

const char *dsm__fold_row_name(dsm__arena *arena, const dsm_plan *plan, const dsm__folding *folding,
                               size_t row) {
  return row_name(arena, NULL, plan, folding, row);
}

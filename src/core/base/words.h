/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * words.h: the words of an enumeration, one list for its values, their keys in the formats and what
 * people read; and the word that somebody probably meant.
 */
#ifndef DSM_BASE_WORDS_H
#define DSM_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dsm__word {
  const char *key;   /**< the word of the formats */
  const char *text;  /**< what people read; NULL: the key */
  const char *brief; /**< what narrow columns have; NULL: the key */
} dsm__word;

/** Words of values beyond a list, which are made of parts, as "x=data,y=row" is. */
typedef struct dsm__made_words {
  /** Reads any of them; what is wrong with others is written to `why`, where that can be said. */
  bool (*find)(const void *of, const char *key, size_t *value, char *why, size_t why_size);
  bool (*is_value)(size_t value); /**< is it one of theirs? */
  const void *of;
  const char *example;    /**< for those who expect one of them */
  const dsm__word *items; /**< those that a document has, */
  const size_t *values;   /**< of these values */
  size_t count;
} dsm__made_words;

typedef struct dsm__words {
  const char *what; /**< a noun for one of them: "parallelism" */
  const dsm__word *items;
  size_t count;
  const char *pattern; /**< a regular expression of words with names of axes, which systems that
                            name theirs have in place of some; or NULL */
  const struct dsm__words *also; /**< whose keys are read too, for the same values; or NULL */
  const dsm__made_words *made;   /**< words of other values; or NULL */
} dsm__words;

/** Lists of words that stand in place of others in a document, as those with names of a system's
 * axes do. */
typedef struct dsm__renaming {
  struct {
    const dsm__words *of;
    dsm__words are;
  } lists[4];
  size_t count;
  bool has_names; /**< of a system's axes */
  void *roles;    /**< what made words are of */
} dsm__renaming;

/** The list that stands in place of `words`; these if none does. `renaming` may be NULL. */
const dsm__words *dsm__words_in(const dsm__renaming *renaming, const dsm__words *words);

/** Do two renamings, of which both may be NULL, give the same lists the same keys? */
bool dsm__renamings_agree(const dsm__renaming *a, const dsm__renaming *b);

/** Has a value a word, of the list or made? */
static inline bool dsm__is_word(const dsm__words *words, unsigned value) {
  return value < words->count || (words->made != NULL && words->made->is_value(value));
}

/** The most words of a list. */
#define DSM__WORDS_MAX 128

/** Defines `const dsm__words name` (static where `static` stands before it) of an array of words,
 * which has one for each of `count` values. */
#define DSM__WORDS(name, what, array, count) DSM__WORDS_OF(name, what, array, count, NULL)
#define DSM__WORDS_OF(name, what, array, count, pattern)                                           \
  const dsm__words name = {what, array, count, pattern, NULL, NULL};                               \
  _Static_assert(sizeof(array) == (count) * sizeof(dsm__word) && (count) <= DSM__WORDS_MAX,        \
                 "a word for each " what)

/** The same, and the public function that gives the key of a value of the enumeration `type`. */
#define DSM__NAMED_WORDS(name, what, array, count, type, function)                                 \
  DSM__NAMED_WORDS_OF(name, what, array, count, type, function, NULL)
/** The same of words of which some are made of names of axes. */
#define DSM__AXIS_WORDS(name, what, array, count, type, function, pattern)                         \
  DSM__NAMED_WORDS_OF(name, what, array, count, type, function, pattern)
#define DSM__NAMED_WORDS_OF(name, what, array, count, type, function, pattern)                     \
  DSM__WORDS_OF(name, what, array, count, pattern);                                                \
  DSM__NAME_OF_WORD(name, type, function)
#define DSM__NAME_OF_WORD(name, type, function)                                                    \
  const char *function(type value) {                                                               \
    return dsm__word_key(&(name), (size_t)value);                                                  \
  }                                                                                                \
  _Static_assert(sizeof(type) == sizeof(unsigned), "an enumeration")
/** The same of words of which some have another key too, which is read and never written:
 * `others` has these at the places of theirs. */
#define DSM__NAMED_WORDS_WITH(name, what, array, count, type, function, others)                    \
  static const dsm__words others##_words = {NULL, others, sizeof(others) / sizeof((others)[0]),    \
                                            NULL, NULL,   NULL};                                   \
  const dsm__words name = {what, array, count, NULL, &others##_words, NULL};                       \
  _Static_assert(sizeof(array) == (count) * sizeof(dsm__word) && (count) <= DSM__WORDS_MAX,        \
                 "a word for each " what);                                                         \
  DSM__NAME_OF_WORD(name, type, function)

/** Defines the public function that reads a key of words; false if a text is none. */
#define DSM__PARSED_WORDS(words, type, function)                                                   \
  bool function(const char *text, type *value) {                                                   \
    size_t found = 0;                                                                              \
    const bool is_found = dsm__words_find(&(words), text, &found);                                 \
    if (is_found) {                                                                                \
      *value = (type)found;                                                                        \
    }                                                                                              \
    return is_found;                                                                               \
  }                                                                                                \
  _Static_assert(sizeof(type) == sizeof(unsigned), "an enumeration")

const char *dsm__word_key(const dsm__words *words, size_t value);
const char *dsm__word_text(const dsm__words *words, size_t value);
const char *dsm__word_brief(const dsm__words *words, size_t value);

/** The value whose key is `key`; false, and *value as it was, if there is none. */
bool dsm__words_find(const dsm__words *words, const char *key, size_t *value);

/** The same without words that are made: a value that a set of bits can have. */
bool dsm__words_find_listed(const dsm__words *words, const char *key, size_t *value);

/** Keys of a set, such as "hybrid+reuse". */
typedef struct dsm__words_text {
  char text[768];
} dsm__words_text;

/** The keys of the words whose bits 1 << value are set, in order; "" if none is. */
dsm__words_text dsm__words_join(const dsm__words *words, unsigned set, const char *separator);

/** Fills `keys` with all keys, in order, and gives their number. */
size_t dsm__words_keys(const dsm__words *words, const char *keys[DSM__WORDS_MAX]);

/* ---- the nearest word ---- */

/**
 * The word of `words[0 .. count)` with the smallest edit distance (insertions, deletions,
 * substitutions, swaps of neighbours; upper and lower case count as half different) to `text`, if
 * that distance is at most about a third of the longer length; else NULL. The first of equals wins.
 * NULL entries are skipped. Borrowed from `words`. Texts over 128 bytes have no nearest word.
 */
const char *dsm__nearest(const char *text, const char *const *words, size_t count);

/** Writes `did you mean "..."?` into hint, or an empty string if nothing is near. Returns hint. */
const char *dsm__nearest_hint(const char *text, const char *const *words, size_t count, char *hint,
                              size_t size);

#endif

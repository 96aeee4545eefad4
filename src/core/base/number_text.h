/* SPDX-License-Identifier: GPL-3.0-or-later */
/* number_text.h: numbers to text and back, whole tokens, independent of the locale. */
#ifndef DSM_BASE_NUMBER_TEXT_H
#define DSM_BASE_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Enough for any number that dsm__double_to_text writes, with its NUL. */
#define DSM__NUMBER_TEXT_SIZE 32

/**
 * Writes the shortest of %.15g, %.16g, %.17g that reads back as the same double, with '.' as the
 * decimal point in any locale. `value` must be finite. Returns the length.
 */
size_t dsm__double_to_text(double value, char text[DSM__NUMBER_TEXT_SIZE]);

/** What follows a word that is counted, as in "1 byte": "" for 1, else "s". */
static inline const char *dsm__plural(double count) {
  return count < 1 || count > 1 ? "s" : "";
}

static inline bool dsm__is_digit(char c) {
  return c >= '0' && c <= '9';
}

/** Longest number token that is read: cJSON cuts longer ones. */
#define DSM__NUMBER_TOKEN_MAX 63

/**
 * Reads text[0 .. length), which must be one number as JSON writes it (such as -1.5e3, no leading
 * zero), of at most DSM__NUMBER_TOKEN_MAX bytes and finite as a double; false, *value untouched, if
 * it is not. Too small a number becomes 0.
 */
bool dsm__text_to_double(const char *text, size_t length, double *value);

/** Reads a whole decimal token (digits only) in min..max; false, *value untouched, if it is not. */
bool dsm__text_to_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value);

#endif

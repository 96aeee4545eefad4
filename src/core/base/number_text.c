/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number_text.h"

#include "dsm/number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The decimal point of the locale (in some of them several bytes) is whatever %g does not write in
 * the C locale; it becomes '.'. Returns the new length. */
static size_t use_point(char *text, size_t length) {
  size_t used = 0;
  for (size_t i = 0; i < length; i++) {
    const bool is_common =
        dsm__is_digit(text[i]) || text[i] == 'e' || text[i] == '+' || text[i] == '-';
    if (is_common) {
      text[used++] = text[i];
    } else if (used == 0 || text[used - 1] != '.') {
      text[used++] = '.';
    }
  }
  text[used] = '\0';
  return used;
}

size_t dsm__double_to_text(double value, char text[DSM__NUMBER_TEXT_SIZE]) {
  assert(isfinite(value));
  static const int precisions[] = {15, 16, 17};
  int length = 0;
  for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
    length = snprintf(text, DSM__NUMBER_TEXT_SIZE, "%.*g", precisions[i], value);
    const double read_back = strtod(text, NULL); /* in the locale it was written in */
    if (read_back >= value && read_back <= value) {
      break;
    }
  }
  return use_point(text, (size_t)length);
}

/* A number token taken apart: its value is (-1)^is_negative * digits * 10^exponent. */
typedef struct number_parts {
  bool is_negative;
  char digits[DSM__NUMBER_TOKEN_MAX + 1];
  size_t digit_count;
  long exponent;
} number_parts;

static size_t take_digits(number_parts *parts, const char *text, size_t length, size_t at) {
  while (at < length && dsm__is_digit(text[at])) {
    parts->digits[parts->digit_count++] = text[at++];
  }
  return at;
}

/* Reads "e", a sign and digits, if they are there. Far beyond the range of double the exponent
 * stops growing: the result is 0 or infinite anyway. False if the digits are missing. */
static bool take_exponent(number_parts *parts, const char *text, size_t length, size_t *at) {
  if (*at == length || (text[*at] != 'e' && text[*at] != 'E')) {
    return true;
  }
  ++*at;
  const bool is_negative = *at < length && text[*at] == '-';
  if (*at < length && (text[*at] == '-' || text[*at] == '+')) {
    ++*at;
  }
  const size_t first = *at;
  long exponent = 0;
  for (; *at < length && dsm__is_digit(text[*at]); ++*at) {
    exponent = exponent < 100000 ? 10 * exponent + (text[*at] - '0') : exponent;
  }
  parts->exponent += is_negative ? -exponent : exponent;
  return *at > first;
}

static bool take_apart(number_parts *parts, const char *text, size_t length) {
  *parts = (number_parts){0};
  if (length > DSM__NUMBER_TOKEN_MAX) {
    return false;
  }
  size_t at = 0;
  if (at < length && text[at] == '-') {
    parts->is_negative = true;
    at++;
  }
  at = take_digits(parts, text, length, at);
  if (parts->digit_count == 0 || (parts->digit_count > 1 && parts->digits[0] == '0')) {
    return false;
  }
  if (at < length && text[at] == '.') {
    const size_t whole_digit_count = parts->digit_count;
    at = take_digits(parts, text, length, at + 1);
    const size_t fraction_digit_count = parts->digit_count - whole_digit_count;
    if (fraction_digit_count == 0) {
      return false;
    }
    parts->exponent = -(long)fraction_digit_count;
  }
  return take_exponent(parts, text, length, &at) && at == length;
}

/* Written as digits and exponent the number has no decimal point, so that strtod reads it, rounded
 * correctly, in any locale. */
bool dsm__text_to_double(const char *text, size_t length, double *value) {
  number_parts parts;
  if (!take_apart(&parts, text, length)) {
    return false;
  }
  char plain[DSM__NUMBER_TOKEN_MAX + 32];
  (void)snprintf(plain, sizeof plain, "%s%se%ld", parts.is_negative ? "-" : "", parts.digits,
                 parts.exponent);
  const double result = strtod(plain, NULL);
  if (!isfinite(result)) {
    return false;
  }
  *value = result;
  return true;
}

bool dsm__text_to_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
  uint64_t result = 0;
  size_t at = 0;
  for (; dsm__is_digit(text[at]); at++) {
    const uint64_t digit = (uint64_t)(text[at] - '0');
    if (result > (UINT64_MAX - digit) / 10) {
      return false;
    }
    result = 10 * result + digit;
  }
  if (at == 0 || text[at] != '\0' || result < min || result > max) {
    return false;
  }
  *value = result;
  return true;
}

bool dsm_number_parse(const char *text, double min, double max, double *value) {
  double number = 0;
  if (!dsm__text_to_double(text, strlen(text), &number) || !(number >= min && number <= max)) {
    return false;
  }
  *value = number;
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/expression.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "base/utf8.h"
#include "dsm/status.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define DIGITS "0123456789"
static const char letters[] = LETTERS;
static const char digits[] = DIGITS;
static const char in_names[] = LETTERS DIGITS;
static const char in_paths[] = LETTERS DIGITS ".";

/* Parentheses and signs in each other: bounds the recursion. */
enum { DEPTH_MAX = 32 };

typedef struct parser {
  dsm__expression_kind kind;
  const char *text;
  const char *at;
  dsm__expression_finder *find;             /* of names that have one value; or NULL, */
  dsm__expression_range_finder *find_range; /* of those that have any of a range */
  void *context;
  dsm__expression_flaw *flaw;
  unsigned depth;
} parser;

bool dsm__is_expression(const char *text) {
  return text[0] == '=';
}

static size_t identifier_length(const char *text) {
  return strspn(text, letters) == 0 ? 0 : strspn(text, in_names);
}

/* What somebody may have meant for a name: with characters of other alphabets. */
static size_t word_length(const char *text) {
  size_t length = 0;
  while (strspn(text + length, in_names) > 0 || (unsigned char)text[length] > 0x7F) {
    length++;
  }
  return length;
}

bool dsm__is_identifier(const char *text) {
  return text[0] != '\0' && text[identifier_length(text)] == '\0';
}

/* ---- flaws ---- */

DSM_PRINTF(2, 3)
static bool fail(const parser *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  (void)vsnprintf(p->flaw->message, sizeof p->flaw->message, format, args);
  va_end(args);
  return false;
}

/* Something else stands where the parser is. */
static bool fail_here(const parser *p, const char *expected) {
  const size_t position = (size_t)(p->at - p->text) + 1;
  const int length = (int)dsm__utf8_length(p->at, strlen(p->at));
  if (*p->at == '\0') {
    return fail(p, "expected %s at its end, found nothing", expected);
  }
  return fail(p, "expected %s at byte %zu, found \"%.*s\"", expected, position, length, p->at);
}

/* ---- values ---- */

static bool is_one(dsm__interval value) {
  return !(value.low < value.high);
}

static dsm__interval one(double value) {
  return (dsm__interval){value, value};
}

/* A real value may be infinite, or none. */
static bool bound(const parser *p, bool is_rounded, dsm__interval value) {
  return p->kind == DSM__EXPRESSION_REAL || (!is_rounded && fabs(value.low) <= DSM_PRODUCT_MAX) ||
         fail(p, "expected values of at most 2^53, found more");
}

/* What lies between the results of the ends; without a bound where one is no number. */
static dsm__interval around(const double ends[4]) {
  dsm__interval all = {HUGE_VAL, -HUGE_VAL};
  for (size_t i = 0; i < 4; i++) {
    if (isnan(ends[i])) {
      return (dsm__interval){-HUGE_VAL, HUGE_VAL};
    }
    all.low = ends[i] < all.low ? ends[i] : all.low;
    all.high = ends[i] > all.high ? ends[i] : all.high;
  }
  return all;
}

/* Of ends, 0 times what has no bound is 0. */
static double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

static dsm__interval product_of(dsm__interval a, dsm__interval b) {
  return is_one(a) && is_one(b)
             ? one(a.low * b.low)
             : around((const double[]){times(a.low, b.low), times(a.low, b.high),
                                       times(a.high, b.low), times(a.high, b.high)});
}

static dsm__interval quotient_of(dsm__interval a, dsm__interval by) {
  if (is_one(a) && is_one(by)) {
    return one(a.low / by.low);
  }
  if (by.low < 0 && by.high > 0) {
    return (dsm__interval){-HUGE_VAL, HUGE_VAL};
  }
  /* Of a range that ends at 0 the end is on the side of the others. */
  const double low = by.low == 0 ? 0.0 : by.low;
  const double high = by.high == 0 ? -0.0 : by.high;
  return product_of(a, (dsm__interval){1 / high, 1 / low});
}

static void skip_spaces(parser *p) {
  p->at += strspn(p->at, " \t");
}

static bool read_sum(parser *p, dsm__interval *value);

/* In a real one with a decimal point. */
static bool read_decimal(parser *p, dsm__interval *value) {
  size_t length = strspn(p->at, digits);
  length += p->at[length] == '.' ? 1 + strspn(p->at + length + 1, digits) : 0;
  double number = 0;
  if (!dsm__text_to_double(p->at, length, &number)) {
    return fail_here(p, "a number");
  }
  *value = one(number);
  p->at += length;
  return true;
}

static bool read_whole(parser *p, dsm__interval *value) {
  static const double base = 10;
  *value = one(0);
  for (size_t left = strspn(p->at, digits); left > 0; left--, p->at++) {
    const double before = value->low * base;
    const double digit = *p->at - '0';
    *value = one(before + digit);
    if (!bound(p, value->low - before != digit, *value)) {
      return false;
    }
  }
  return true;
}

static bool read_name(parser *p, dsm__interval *value) {
  char name[DSM_NAME_BYTES_MAX + 1];
  const bool is_path = p->kind == DSM__EXPRESSION_REAL;
  const size_t length = is_path ? strspn(p->at, in_paths) : identifier_length(p->at);
  if (length > DSM_NAME_BYTES_MAX) {
    return fail(p, "expected names of at most %d bytes, found one of %zu", DSM_NAME_BYTES_MAX,
                length);
  }
  if (word_length(p->at) > length) {
    const size_t word = word_length(p->at);
    return fail(p, "expected a name of letters, digits and _ at byte %zu, found \"%.*s\"",
                (size_t)(p->at - p->text) + 1, (int)(word <= DSM_NAME_BYTES_MAX ? word : length),
                p->at);
  }
  memcpy(name, p->at, length);
  name[length] = '\0';
  p->at += length;
  if (p->find_range != NULL) {
    return p->find_range(p->context, name, value, p->flaw);
  }
  assert(p->find != NULL);
  double number = 0;
  const bool is_found = p->find(p->context, name, &number, p->flaw);
  *value = one(number);
  return is_found;
}

static bool read_factor(parser *p, dsm__interval *value);

static bool read_nested(parser *p, dsm__interval *value) {
  const bool is_minus = *p->at == '-';
  if (p->depth == DEPTH_MAX) {
    return fail(p, "expected parentheses and signs at most %d deep, found more", DEPTH_MAX);
  }
  p->depth++;
  p->at++;
  if (!(is_minus ? read_factor(p, value) : read_sum(p, value))) {
    return false;
  }
  p->depth--;
  if (is_minus) {
    *value = (dsm__interval){-value->high, -value->low};
    return true;
  }
  if (*p->at != ')') {
    return fail_here(p, "\")\" or an operator");
  }
  p->at++;
  return true;
}

/* Spaces before and behind it are gone then. */
static bool read_factor(parser *p, dsm__interval *value) {
  skip_spaces(p);
  bool is_good = false;
  if (strspn(p->at, digits) > 0) {
    is_good = p->kind == DSM__EXPRESSION_REAL ? read_decimal(p, value) : read_whole(p, value);
  } else if (strspn(p->at, letters) > 0) {
    is_good = read_name(p, value);
  } else if (*p->at == '(' || *p->at == '-') {
    is_good = read_nested(p, value);
  } else {
    return fail_here(p, "a number, a name or \"(\"");
  }
  skip_spaces(p);
  return is_good;
}

static bool divide(const parser *p, dsm__interval *value, dsm__interval by) {
  if (p->kind == DSM__EXPRESSION_WHOLE && (by.low == 0 || fmod(value->low, by.low) != 0)) {
    return fail(p, "expected an exact division, found %.0f / %.0f", value->low, by.low);
  }
  *value = quotient_of(*value, by);
  return bound(p, false, *value);
}

static bool read_product(parser *p, dsm__interval *value) {
  bool is_good = read_factor(p, value);
  while (is_good && (*p->at == '*' || *p->at == '/')) {
    const bool is_division = *p->at++ == '/';
    dsm__interval right = one(0);
    is_good = read_factor(p, &right);
    if (is_good && is_division) {
      is_good = divide(p, value, right);
    } else if (is_good) {
      const dsm__interval product = product_of(*value, right);
      is_good = bound(p, fma(value->low, right.low, -product.low) != 0, product);
      *value = product;
    }
  }
  return is_good;
}

static bool read_sum(parser *p, dsm__interval *value) {
  bool is_good = read_product(p, value);
  while (is_good && (*p->at == '+' || *p->at == '-')) {
    const bool is_difference = *p->at++ == '-';
    dsm__interval right = one(0);
    is_good = read_product(p, &right);
    if (is_good) {
      const dsm__interval addend = is_difference ? (dsm__interval){-right.high, -right.low} : right;
      const dsm__interval sum = {value->low + addend.low, value->high + addend.high};
      is_good = bound(p, sum.low - value->low != addend.low, sum);
      *value = sum;
    }
  }
  return is_good;
}

static bool read_all(parser *p, const char *text, dsm__interval *value) {
  p->text = text;
  p->at = text + 1;
  *p->flaw = (dsm__expression_flaw){.message = ""};
  *value = one(0);
  return read_sum(p, value) && (*p->at == '\0' || fail_here(p, "an operator"));
}

bool dsm__expression_value(const char *text, dsm__expression_kind kind,
                           dsm__expression_finder *find, void *context, double *value,
                           dsm__expression_flaw *flaw) {
  parser p = {.kind = kind, .find = find, .context = context, .flaw = flaw};
  dsm__interval range;
  const bool is_good = read_all(&p, text, &range);
  *value = range.low;
  return is_good;
}

bool dsm__expression_range(const char *text, dsm__expression_range_finder *find, void *context,
                           dsm__interval *range, dsm__expression_flaw *flaw) {
  parser p = {.kind = DSM__EXPRESSION_REAL, .find_range = find, .context = context, .flaw = flaw};
  return read_all(&p, text, range);
}

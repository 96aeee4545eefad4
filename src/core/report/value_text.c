/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/value_text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "report/table/number_style.h"

/* ---- values ---- */

/* A value by its key. */
typedef struct found {
  const dsm__field *field; /* NULL: the number of the row, or one that stands there */
  const void *record;      /* that has the field */
  double number;           /* NaN: it is not stated, or is no number */
  bool is_stated;
} found;

static int digit_of(char digit) {
  return dsm__is_digit(digit) ? digit - '0' : 0;
}

/* A key that no table has is a fault of the pattern. */
static const dsm__field *field_of(const dsm__shown *shown, const char *key, const void **record) {
  const dsm__field *const field = dsm__record_field(shown->type, key, NULL);
  if (field == NULL) {
    assert(shown->outer != NULL);
    return field_of(shown->outer, key, record);
  }
  *record = shown->record;
  return dsm__record_field(shown->type, key, record); /* NULL: in a part that is not stated */
}

/* The value that key[0 .. length) names. */
static found find(const dsm__shown *shown, const char *path, size_t length) {
  char key[64];
  const size_t first = strcspn(path, ".") < length ? strcspn(path, ".") : length;
  assert(first < sizeof key);
  memcpy(key, path, first);
  key[first] = '\0';
  if (key[0] == '#') {
    return (found){.number = (double)shown->row + digit_of(key[1]), .is_stated = true};
  }
  if (dsm__is_digit(key[0])) {
    return (found){.number = digit_of(key[0]), .is_stated = true};
  }
  found at = {.number = (double)NAN};
  at.field = field_of(shown, key, &at.record);
  at.is_stated = at.field != NULL && dsm__field_is_stated(at.field, at.record);
  if (at.is_stated && first < length) {
    const dsm__shown part = {.type = at.field->type,
                             .record = dsm__field_struct(at.field, at.record)};
    return find(&part, path + first + 1, length - first - 1);
  }
  if (at.is_stated) {
    at.number = dsm__field_number(at.field, at.record);
  }
  return at;
}

static double result_of(char operator, double a, double b) {
  return operator== '*' ? a * b : operator== '/' ? a / b : a<b ? 1 : 0;
}

/* A value, or what an operator makes of two. */
static found evaluate(const dsm__shown *shown, const char *text, size_t length) {
  const size_t first = strcspn(text, "*/<") < length ? strcspn(text, "*/<") : length;
  found value = find(shown, text, first);
  if (first < length) {
    const found other = find(shown, text + first + 1, length - first - 1);
    value.number = result_of(text[first], value.number, other.number);
    value.field = text[first] == '*' ? other.field : NULL;
    value.record = other.record;
    value.is_stated = value.is_stated && other.is_stated && isfinite(value.number);
  }
  return value;
}

static bool is_so(const found *value) {
  if (value->field != NULL && value->field->kind == DSM__FIELD_TEXT) {
    return value->is_stated &&
           (*(const char *const *)dsm__field_in(value->field, value->record))[0] != '\0';
  }
  return value->is_stated && value->number > 0;
}

/* ---- numbers ---- */

static dsm__figure more(double ratio, int decimals, bool has_sign) {
  const double percent = 100 * (ratio - 1);
  const dsm__figure size = dsm__figure_fixed(has_sign            ? fabs(percent)
                                             : isfinite(percent) ? fmax(percent, 0)
                                                                 : 0,
                                             decimals);
  dsm__figure made;
  (void)snprintf(made.text, sizeof made.text, "%s%.40s",
                 !has_sign     ? ""
                 : percent < 0 ? "-"
                               : "+",
                 size.text);
  return made;
}

/* With a prefix of the unit where that is usual, else four digits. */
static dsm__figure by_unit(double number, const char *unit) {
  static const char *const prefixed[][2] = {
      {"bytes", "B"}, {"bytes/s", "B/s"}, {"FLOP", "FLOP"}, {"FLOP/s", "FLOP/s"}, {"J", "J"}};
  for (size_t i = 0; unit != NULL && i < DSM__COUNT_OF(prefixed); i++) {
    if (strcmp(unit, prefixed[i][0]) == 0) {
      return dsm__figure_scaled(number, prefixed[i][1]);
    }
  }
  return unit != NULL && strcmp(unit, "ratio") == 0 ? dsm__figure_short(number, 6)
                                                    : dsm__figure_digits(number, 4);
}

static dsm__figure styled(double number, const char *style, size_t length) {
  const int digits = length > 1 ? digit_of(style[1]) : 0;
  switch (style[0]) {
  case '~':
    return dsm__figure_short(number, digits);
  case '.':
    return dsm__figure_fixed(number, digits);
  case '%':
    return length == 1 ? dsm__figure_percent(number)
                       : dsm__figure_fixed(100 * fmax(number, 0), digits);
  case '+':
    return more(number, digits, true);
  case '>':
    return more(number, digits, false);
  case 'm':
    return dsm__figure_digits(1e3 * number, digits);
  default:
    break;
  }
  if (dsm__is_digit(style[0])) {
    return style[length - 1] == '.' && number < 1 ? dsm__figure_fixed(number, digit_of(style[0]))
                                                  : dsm__figure_digits(number, digit_of(style[0]));
  }
  char unit[16] = "";
  assert(length < sizeof unit);
  memcpy(unit, style, length);
  return dsm__figure_scaled(number, unit);
}

/* A text that is made. */
typedef struct making {
  dsm__page *page;
  dsm__text_buffer out;
  const dsm__shown *shown;
  double exact; /* the first number in it; NaN: it has none */
} making;

/* A number, or words, in a style. */
static void put_styled(dsm__text_buffer *out, const found *value, const char *style,
                       size_t length) {
  const dsm__field *const field = value->field;
  if (field != NULL && field->kind == DSM__FIELD_WORD) {
    dsm__text_puts(out, dsm__word_text(field->words, (size_t)value->number));
  } else if (field != NULL && field->kind == DSM__FIELD_WORD_SET) {
    const unsigned set = *(const unsigned *)dsm__field_in(field, value->record);
    dsm__text_puts(out, dsm__words_join(field->words, set, ", ").text);
  } else {
    const bool is_below = value->number < 0 && (style[0] == '.' || dsm__is_digit(style[0]));
    dsm__text_puts(out, is_below ? "-" : "");
    dsm__text_puts(out, styled(is_below ? -value->number : value->number, style, length).text);
  }
}

static void put_value(making *made, const found *value, const char *style, size_t length) {
  dsm__text_buffer *const out = &made->out;
  const dsm__field *const field = value->field;
  if (length > 0 && style[0] != '=') {
    put_styled(out, value, style, length);
  } else if (length == 0 &&
             (field == NULL || field->kind == DSM__FIELD_COUNT || field->kind == DSM__FIELD_LIST)) {
    dsm__text_puts(out, dsm__figure_count((uint64_t)value->number).text);
  } else if (length == 0 && field->kind == DSM__FIELD_REAL) {
    dsm__text_puts(out, by_unit(value->number, field->unit).text);
  } else {
    assert(field != NULL);
    dsm__field_put_text(field, made->page->renaming, value->record, "", out);
  }
  made->exact = isfinite(made->exact) ? made->exact : value->number;
}

/* ---- patterns ---- */

/* The same, with what stands behind its style, or what stands there where it is not stated. Returns
 * where that ends. */
static const char *put_plain(making *made, const found *value, const char *style,
                             bool is_left_out) {
  const size_t length = strcspn(style, "|}");
  const char *const nothing = style + length + (style[length] == '|' ? 1 : 0);
  const char *const end = strchr(nothing, '}');
  if (!is_left_out && value->is_stated) {
    const size_t own = strcspn(style, " |}");
    put_value(made, value, style, own);
    dsm__text_append(&made->out, style + own, length - own);
  } else if (!is_left_out) {
    dsm__text_append(&made->out, nothing, (size_t)(end - nothing));
  }
  return end + 1;
}

/* Appends a pattern up to the end, or that of an alternative; nothing of it where it is left out.
 * Returns where that is. */
static const char *expand(making *made, const char *at, bool is_inner, bool is_left_out) {
  dsm__text_buffer *const out = &made->out;
  while (*at != '\0' && !(is_inner && (*at == '|' || *at == '}'))) {
    size_t length = strcspn(at, is_inner ? "{|}" : "{");
    dsm__text_append(out, at, is_left_out ? 0 : length);
    at += length;
    if (*at != '{') {
      continue;
    }
    const char *const text = at + 1;
    length = strcspn(text, ":;?|}");
    const found value = evaluate(made->shown, text, length);
    at = text + length + 1;
    if (text[length] == '?') {
      at = expand(made, at, true, is_left_out || !is_so(&value)) + 1;
      at = expand(made, at, true, is_left_out || is_so(&value)) + 1;
    } else if (text[length] == ';') {
      const bool is_one = !(value.number < 1) && !(value.number > 1);
      length = strcspn(at, "}");
      dsm__text_append(out, at, is_left_out || is_one ? 0 : length);
      at += length + 1;
    } else {
      at = put_plain(made, &value, text[length] == ':' ? at : at - 1, is_left_out);
    }
  }
  return at;
}

const char *dsm__value_number(dsm__page *page, const dsm__shown *shown, const char *pattern,
                              double *exact) {
  making made = {.page = page, .shown = shown, .exact = (double)NAN};
  (void)expand(&made, pattern, false, false);
  const char *const from = made.out.text == NULL ? "" : made.out.text + strspn(made.out.text, " ");
  size_t length = strlen(from);
  while (length > 0 && from[length - 1] == ' ') {
    length--;
  }
  const char *const text = dsm__page_text(page, "%.*s", (int)length, from);
  page->out.failed = page->out.failed || made.out.failed;
  dsm__text_fini(&made.out);
  *exact = made.exact;
  return text;
}

const char *dsm__value_text(dsm__page *page, const dsm__shown *shown, const char *pattern) {
  double exact;
  return dsm__value_number(page, shown, pattern, &exact);
}

dsm__shown dsm__shown_row(const dsm__shown *shown, const char *key, const dsm__record_type *type,
                          size_t row, size_t *count) {
  const found list = find(shown, key, strlen(key));
  *count = list.is_stated ? (size_t)list.number : 0;
  if (row >= *count) {
    return (dsm__shown){.type = NULL};
  }
  assert(list.field != NULL);
  const unsigned char *const rows =
      *(const unsigned char *const *)dsm__field_in(list.field, list.record);
  const dsm__record_type *const used = type != NULL ? type : list.field->type;
  return (dsm__shown){used, rows + row * used->size, shown, row};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/conditions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/number_text.h"
#include "base/order.h"
#include "base/words.h"
#include "sweep/point.h"

enum { TERMS_MAX = 32 };

/* A part of a text without blanks around it, in the arena. */
static const char *trimmed(dsm__sweep_draft *draft, const char *text, size_t length) {
  size_t first = 0;
  while (first < length && (text[first] == ' ' || text[first] == '\t')) {
    first++;
  }
  while (length > first && (text[length - 1] == ' ' || text[length - 1] == '\t')) {
    length--;
  }
  return dsm__draft_text(draft, "%.*s", (int)(length - first), text + first);
}

/* Below, equal to or above zero as a is to b: as numbers if both are, else as texts. */
static int compare(const dsm_axis_value *a, const dsm_axis_value *b) {
  return a->is_number && b->is_number ? dsm__order(a->number, b->number) : strcmp(a->text, b->text);
}

/* ---- columns and expressions ---- */

static const char *path_at(const void *of, size_t column) {
  const dsm_sweep *const sweep = of;
  return sweep->columns[column].path;
}

static size_t find_column(const dsm_sweep *sweep, const char *name) {
  return dsm__path_find(path_at, sweep, sweep->column_count, name);
}

static bool has_numbers(const dsm_sweep *sweep, size_t column) {
  const dsm_sweep_column *const of = &sweep->columns[column];
  const dsm_axis *const axis = &sweep->axes[of->axis];
  for (size_t v = 0; v < axis->value_count; v++) {
    if (!axis->values[v * axis->path_count + of->slot].is_number) {
      return false;
    }
  }
  return true;
}

/* A combination in which names are looked up. */
typedef struct lookup {
  const dsm_sweep *sweep;
  uint64_t index;
} lookup;

static bool find_number(void *context, const char *name, double *value,
                        dsm__expression_flaw *flaw) {
  const lookup *const in = context;
  const size_t column = find_column(in->sweep, name);
  if (column < in->sweep->column_count && has_numbers(in->sweep, column)) {
    *value = dsm__product_value(in->sweep, in->index, column)->number;
    return true;
  }
  (void)snprintf(flaw->message, sizeof flaw->message,
                 "expected a path of numbers that an axis varies, found \"%s\"", name);
  return false;
}

/* ---- reading ---- */

static bool complain_of_path(dsm__sweep_draft *draft, const dsm_sweep *sweep, dsm__origin origin,
                             const char *path) {
  char hint[200] = "";
  const char **const names = dsm__draft_array(draft, sweep->column_count, sizeof *names);
  if (names == NULL) {
    return false;
  }
  for (size_t c = 0; c < sweep->column_count; c++) {
    names[c] = sweep->columns[c].path;
  }
  (void)dsm__nearest_hint(path, names, sweep->column_count, hint, sizeof hint);
  return dsm__draft_error(draft, origin, hint,
                          "expected a path that an axis varies, found \"%.128s\"", path);
}

static dsm__path_kind kind_of(const dsm_sweep *sweep, size_t column) {
  dsm__path_kind kind = DSM__PATH_WORKLOAD;
  (void)dsm__path_parse(sweep->columns[column].path, &kind); /* it was found to be one */
  return kind;
}

/* A value to compare with: a word of an option, a name of an input, or any value. */
static bool parse_value(dsm__sweep_draft *draft, const dsm_sweep *sweep, dsm__origin origin,
                        const char *text, const dsm__side *beside, dsm_axis_value *value) {
  const dsm__path_kind kind =
      beside->expression == NULL ? kind_of(sweep, beside->column) : DSM__PATH_WORKLOAD_VALUE;
  const bool is_input = dsm__path_is_input(kind);
  dsm__raw_value raw;
  if (is_input && text[0] != '\0' && text[0] != '"') {
    value->text = text;
    return true;
  }
  if (!dsm__raw_from_text(draft, text, strlen(text), origin, &raw)) {
    return false;
  }
  const dsm__path_kind meant = is_input ? DSM__PATH_WORKLOAD_VALUE : kind;
  return dsm__value_make(draft, meant, &raw, value);
}

/* Its names are known, and it is well formed. */
static bool parse_expression(dsm__sweep_draft *draft, const dsm_sweep *sweep, dsm__origin origin,
                             const char *text, dsm__side *side) {
  lookup in = {.sweep = sweep};
  dsm__expression_flaw flaw;
  double value = 0;
  side->expression = dsm__draft_text(draft, "=%s", text);
  return dsm__expression_value(side->expression, DSM__EXPRESSION_REAL, find_number, &in, &value,
                               &flaw) ||
         dsm__draft_error(draft, origin, flaw.hint, "in \"%.128s\": %s", text, flaw.message);
}

static bool is_of_numbers(const dsm_sweep *sweep, const dsm__side *side) {
  return side->expression != NULL ||
         (side->column < sweep->column_count ? has_numbers(sweep, side->column)
                                             : side->value.is_number);
}

static bool check_order(dsm__sweep_draft *draft, const dsm_sweep *sweep, dsm__origin origin,
                        const dsm__term *term, const char *text) {
  const bool is_order =
      term->comparison != DSM__ORDER_EQUAL && term->comparison != DSM__ORDER_DIFFERENT;
  if ((is_order || term->left.expression != NULL) &&
      !(is_of_numbers(sweep, &term->left) && is_of_numbers(sweep, &term->right))) {
    return dsm__draft_error(draft, origin, "words can be compared with = and !=",
                            "expected numbers on both sides of <, <=, > and >=, found \"%.128s\"",
                            text);
  }
  return true;
}

/* The value of the column nearest to a number; false if it has no numbers. */
static bool find_nearest_number(const dsm_axis *axis, size_t slot, double wanted, char *text,
                                size_t size) {
  const dsm_axis_value *best = NULL;
  for (size_t v = 0; v < axis->value_count; v++) {
    const dsm_axis_value *const each = &axis->values[v * axis->path_count + slot];
    if (each->is_number &&
        (best == NULL || fabs(each->number - wanted) < fabs(best->number - wanted))) {
      best = each;
    }
  }
  (void)snprintf(text, size, "the nearest value is %s", best == NULL ? "" : best->text);
  return best != NULL;
}

/* A value that its column never has is probably misspelt: the comparison decides nothing. */
static bool check_occurs(dsm__sweep_draft *draft, const dsm_sweep *sweep, dsm__origin origin,
                         const dsm__term *term, const char *text) {
  const bool is_equal = term->comparison == DSM__ORDER_EQUAL;
  if (term->left.expression != NULL || term->right.value.text == NULL ||
      (!is_equal && term->comparison != DSM__ORDER_DIFFERENT)) {
    return true;
  }
  const dsm_sweep_column *const of = &sweep->columns[term->left.column];
  const dsm_axis *const axis = &sweep->axes[of->axis];
  const char **const texts = dsm__draft_array(draft, axis->value_count, sizeof *texts);
  if (texts == NULL) {
    return false;
  }
  for (size_t v = 0; v < axis->value_count; v++) {
    const dsm_axis_value *const each = &axis->values[v * axis->path_count + of->slot];
    if (compare(each, &term->right.value) == 0) {
      return true;
    }
    texts[v] = each->text;
  }
  char hint[200] = "";
  if (!term->right.value.is_number ||
      !find_nearest_number(axis, of->slot, term->right.value.number, hint, sizeof hint)) {
    (void)dsm__nearest_hint(term->right.value.text, texts, axis->value_count, hint, sizeof hint);
  }
  dsm__draft_warning(draft, origin, hint,
                     "expected a value that %s has, found \"%.128s\", which %s", of->path, text,
                     is_equal ? "no point fulfils" : "every point fulfils");
  return true;
}

/* A path, an expression, or beside a left side a value. */
static bool parse_side(dsm__sweep_draft *draft, const dsm_sweep *sweep, dsm__origin origin,
                       const char *text, const dsm__side *left, dsm__side *side) {
  dsm__path_kind kind;
  double number = 0;
  *side = (dsm__side){.column = find_column(sweep, text)};
  if (side->column < sweep->column_count) {
    return true;
  }
  const bool is_computed =
      strpbrk(text, "+-*/(") != NULL && !dsm__text_to_double(text, strlen(text), &number);
  if (is_computed && (left == NULL || is_of_numbers(sweep, left))) {
    return parse_expression(draft, sweep, origin, text, side);
  }
  if (left == NULL || dsm__path_parse(text, &kind)) {
    return complain_of_path(draft, sweep, origin, text);
  }
  return parse_value(draft, sweep, origin, text, left, &side->value);
}

/* "PATH OP VALUE"; adds what it says to `anew`. */
static bool parse_term(dsm__sweep_draft *draft, const dsm_sweep *sweep, dsm__origin origin,
                       const char *text, dsm__term *term, dsm__text_buffer *anew) {
  dsm__comparison found;
  if (!dsm__comparison_find(text, &found)) {
    return dsm__draft_error(draft, origin, NULL,
                            "expected PATH OP VALUE with one of = != < <= > >=, found \"%.128s\"",
                            text);
  }
  const size_t behind = found.at + strlen(found.text);
  const char *const left = trimmed(draft, text, found.at);
  const char *const right = trimmed(draft, text + behind, strlen(text + behind));
  *term = (dsm__term){.comparison = found.orders};
  if (!parse_side(draft, sweep, origin, left, NULL, &term->left)) {
    return false;
  }
  if (right[0] != '\0' && strchr("=<>!", right[0]) != NULL) {
    return dsm__draft_error(draft, origin, NULL, "expected one of = != < <= > >=, found \"%.128s\"",
                            text);
  }
  dsm__text_printf(anew, "%s %s %s", left, found.text, right);
  return parse_side(draft, sweep, origin, right, &term->left, &term->right) &&
         check_order(draft, sweep, origin, term, text) &&
         check_occurs(draft, sweep, origin, term, text);
}

bool dsm__condition_parse(dsm__sweep_draft *draft, const dsm_sweep *sweep,
                          const dsm__condition_draft *from, dsm__condition *condition) {
  dsm__text_buffer anew = {0};
  *condition =
      (dsm__condition){.terms = dsm__draft_array(draft, TERMS_MAX, sizeof *condition->terms)};
  if (condition->terms == NULL) {
    return false;
  }
  for (const char *text = from->text;; text++) {
    const size_t length = dsm__part_length(text, ',');
    if (condition->term_count == TERMS_MAX) {
      dsm__draft_error(draft, from->origin, NULL, "expected at most %d comparisons, found more",
                       TERMS_MAX);
      break;
    }
    dsm__text_puts(&anew, condition->term_count == 0 ? "" : ", ");
    dsm__term *const term = &condition->terms[condition->term_count++];
    if (!parse_term(draft, sweep, from->origin, trimmed(draft, text, length), term, &anew)) {
      break;
    }
    text += length;
    if (*text == '\0') {
      condition->text = dsm__draft_take(draft, &anew);
      return true;
    }
  }
  dsm__text_fini(&anew);
  return false;
}

/* ---- deciding ---- */

static dsm_axis_value side_value(const dsm__side *side, const dsm_sweep *sweep, uint64_t index) {
  lookup in = {.sweep = sweep, .index = index};
  dsm__expression_flaw flaw;
  dsm_axis_value value = {.is_number = true};
  if (side->expression == NULL) {
    return side->column < sweep->column_count ? *dsm__product_value(sweep, index, side->column)
                                              : side->value;
  }
  (void)dsm__expression_value(side->expression, DSM__EXPRESSION_REAL, find_number, &in,
                              &value.number, &flaw);
  return value;
}

static bool term_holds(const dsm__term *term, const dsm_sweep *sweep, uint64_t index) {
  const dsm_axis_value left = side_value(&term->left, sweep, index);
  const dsm_axis_value right = side_value(&term->right, sweep, index);
  if (!isfinite(left.number) || !isfinite(right.number)) {
    return false;
  }
  return dsm__comparison_holds(term->comparison, compare(&left, &right));
}

bool dsm__condition_holds(const dsm__condition *condition, const dsm_sweep *sweep, uint64_t index) {
  for (size_t t = 0; t < condition->term_count; t++) {
    if (!term_holds(&condition->terms[t], sweep, index)) {
      return false;
    }
  }
  return true;
}

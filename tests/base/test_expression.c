/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"

/* a is 6, b and x.y are 7; nothing else is known, and what begins with q was reported. */
static bool find(void *context, const char *name, double *value, dsm__expression_flaw *flaw) {
  int *const calls = context;
  ++*calls;
  *value = strcmp(name, "a") == 0 ? 6 : 7;
  if (strcmp(name, "a") == 0 || strcmp(name, "b") == 0 || strcmp(name, "x.y") == 0) {
    return true;
  }
  (void)snprintf(flaw->message, sizeof flaw->message, "%s", name[0] == 'q' ? "" : "unknown");
  return false;
}

static bool evaluate(const char *text, int64_t *value, dsm__expression_flaw *flaw) {
  int calls = 0;
  double number = 0;
  const bool is_good =
      dsm__expression_value(text, DSM__EXPRESSION_WHOLE, find, &calls, &number, flaw);
  *value = is_good ? (int64_t)number : 0;
  return is_good;
}

START_TEST(test_values) {
  static const struct {
    const char *text;
    int64_t value;
  } cases[] = {
      {"=1", 1},
      {"=007", 7},
      {"=a", 6},
      {"= 3 *\ta ", 18},
      {"=a+b*2", 20},
      {"=(a+b)*2", 26},
      {"=a-b-1", -2},
      {"=a-(b-1)", 0},
      {"=-a+b", 1},
      {"=--a", 6},
      {"=2*-a", -12},
      {"=-6/3", -2},
      {"=12/3/2", 2},
      {"=12/(6/2)", 4},
      {"=0/a", 0},
      {"=9007199254740992", INT64_C(9007199254740992)},
      {"=9007199254740992-1-9007199254740991", 0},
      {"=((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))", 6},
  };
  dsm__expression_flaw flaw;
  int64_t value = -1;
  ck_assert(evaluate(cases[_i].text, &value, &flaw));
  ck_assert_int_eq(value, cases[_i].value);
}
END_TEST

START_TEST(test_flaws) {
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
      {"=", "expected a number, a name or \"(\" at its end, found nothing"},
      {"=+1", "expected a number, a name or \"(\" at byte 2, found \"+\""},
      {"=a b", "expected an operator at byte 4, found \"b\""},
      {"=2a", "expected an operator at byte 3, found \"a\""},
      {"=(a", "expected \")\" or an operator at its end, found nothing"},
      {"=(a]", "expected \")\" or an operator at byte 4, found \"]\""},
      {"=a)", "expected an operator at byte 3, found \")\""},
      {"=a*", "expected a number, a name or \"(\" at its end, found nothing"},
      {"=a*\xc3\xa4", "expected a number, a name or \"(\" at byte 4, found \"\xc3\xa4\""},
      {"=gr\xc3\xb6\xc3\x9f"
       "e",
       "expected a name of letters, digits and _ at byte 2, found \"gr\xc3\xb6\xc3\x9f"
       "e\""},
      {"=1.5", "expected an operator at byte 3, found \".\""},
      {"=b/a", "expected an exact division, found 7 / 6"},
      {"=b/(a-6)", "expected an exact division, found 7 / 0"},
      {"=9007199254740993", "expected values of at most 2^53, found more"},
      {"=99999999999999999999999", "expected values of at most 2^53, found more"},
      {"=9007199254740992+1", "expected values of at most 2^53, found more"},
      {"=-9007199254740992-1", "expected values of at most 2^53, found more"},
      {"=9007199254740992*9007199254740992", "expected values of at most 2^53, found more"},
      {"=3037000500*3037000500+1", "expected values of at most 2^53, found more"},
      {"=c+", "unknown"},
      {"=q+", ""},
      {"=(((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))))",
       "expected parentheses and signs at most 32 deep, found more"},
      {"=---------------------------------a",
       "expected parentheses and signs at most 32 deep, found more"},
  };
  dsm__expression_flaw flaw;
  int64_t value = 0;
  ck_assert(!evaluate(cases[_i].text, &value, &flaw));
  ck_assert_str_eq(flaw.message, cases[_i].message);
  ck_assert_str_eq(flaw.hint, "");
}
END_TEST

START_TEST(test_real_values) {
  static const struct {
    const char *text;
    double value;
    const char *message; /* "": it has the value */
  } cases[] = {
      {"=1.5*a", 9, ""},
      {"=b/2", 3.5, ""},
      {"=(x.y - 0.25)*4", 27, ""},
      {"=b/(a-6)", HUGE_VAL, ""},
      {"=1.", 0, "expected a number at byte 2, found \"1\""},
      {"=1.5.2", 0, "expected an operator at byte 5, found \".\""},
  };
  dsm__expression_flaw flaw;
  int calls = 0;
  double value = -1;
  const bool is_good =
      dsm__expression_value(cases[_i].text, DSM__EXPRESSION_REAL, find, &calls, &value, &flaw);
  ck_assert_str_eq(flaw.message, cases[_i].message);
  ck_assert(is_good == (cases[_i].message[0] == '\0'));
  ck_assert(!is_good || value == cases[_i].value);
}
END_TEST

START_TEST(test_name_that_is_too_long) {
  char text[200] = "=";
  memset(text + 1, 'n', 129);
  dsm__expression_flaw flaw;
  int64_t value = 0;
  ck_assert(!evaluate(text, &value, &flaw));
  ck_assert_str_eq(flaw.message, "expected names of at most 128 bytes, found one of 129");
}
END_TEST

START_TEST(test_identifiers) {
  ck_assert(dsm__is_identifier("a"));
  ck_assert(dsm__is_identifier("_a9"));
  ck_assert(dsm__is_identifier("aB_c1"));
  ck_assert(!dsm__is_identifier(""));
  ck_assert(!dsm__is_identifier("9a"));
  ck_assert(!dsm__is_identifier("a b"));
  ck_assert(!dsm__is_identifier("a.b"));
  ck_assert(!dsm__is_identifier("\xc3\xa4"));
}
END_TEST

Suite *suite_expression(void) {
  Suite *const suite = suite_create("expression");
  TCase *const expression = tcase_create("expression");
  tcase_add_loop_test(expression, test_values, 0, 18);
  tcase_add_loop_test(expression, test_flaws, 0, 22);
  tcase_add_loop_test(expression, test_real_values, 0, 6);
  tcase_add_test(expression, test_name_that_is_too_long);
  tcase_add_test(expression, test_identifiers);
  suite_add_tcase(suite, expression);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elasticities from times, by hand. */
#include "sweep/slope.h"

#include <math.h>

#include "suites.h"

static const double tolerance = 1e-15;

typedef struct slope_case {
  double low_factor, low_ratio, high_factor, high_ratio;
  double expected;
} slope_case;

static const slope_case slopes[] = {
    {0.5, 1, 2, 1, 0},                                      /* does not depend on it */
    {0.5, 0.5, 2, 2, 1},                                    /* proportional: ln 4 / ln 4 */
    {0.5, 2, 2, 0.5, -1},                                   /* inverse: ln(1/4) / ln 4 */
    {0.5, 0.70710678118654757, 2, 1.4142135623730951, 0.5}, /* its square root: ln 2 / ln 4 */
    {0.5, 1, 2, 4, 1},                                      /* only above: ln 4 / ln 4 */
    {0.5, 1, 2, 2, 0.5},                                    /* only above: ln 2 / ln 4 */
    {0.5, 2, 2, 2, 0},                                      /* the same on both sides */
    {0.5, 0.25, 1, 1, 2},                                   /* one-sided: ln 4 / ln 2 */
    {1, 1, 2, 0.25, -2},                                    /* one-sided: ln(1/4) / ln 2 */
    {2.0 / 3, 1.5, 2, 0.5, -1},                             /* a count of 3: ln(1/3) / ln 3 */
};

/* A halved and a doubled value of one network; NULL: there is a time. */
typedef struct two_sides {
  dsm_response responses[2];
  dsm_variation varied[2]; /* halved, doubled */
} two_sides;

static void make_sides(two_sides *made, const char *low_why_not, double low_ratio,
                       const char *high_why_not, double high_ratio) {
  made->responses[0] = (dsm_response){.why_not = low_why_not, .time_ratio = low_ratio};
  made->responses[1] = (dsm_response){.why_not = high_why_not, .time_ratio = high_ratio};
  made->varied[0] = (dsm_variation){
      .kind = DSM_VARIATION_HALVED, .factor = 0.5, .responses = &made->responses[0]};
  made->varied[1] =
      (dsm_variation){.kind = DSM_VARIATION_DOUBLED, .factor = 2, .responses = &made->responses[1]};
}

START_TEST(test_slope_is_the_quotient_of_logarithms) {
  const slope_case *const each = &slopes[_i];
  two_sides made;
  make_sides(&made, NULL, each->low_ratio, NULL, each->high_ratio);
  made.varied[0].factor = each->low_factor;
  made.varied[1].factor = each->high_factor;
  const dsm_slope slope = dsm__slope_of(made.varied, 2, 0);
  ck_assert_int_eq(slope.basis, DSM_ELASTICITY_BASIS_BOTH);
  ck_assert_double_eq_tol(slope.elasticity, each->expected, tolerance);
}
END_TEST

START_TEST(test_with_one_side_it_is_that_of_this_side) {
  two_sides made;
  make_sides(&made, "no", 0, NULL, 4);
  dsm_slope slope = dsm__slope_of(made.varied, 2, 0);
  ck_assert_int_eq(slope.basis, DSM_ELASTICITY_BASIS_DOUBLED);
  ck_assert_double_eq_tol(slope.elasticity, 2, tolerance);
  make_sides(&made, NULL, 2, "no", 0);
  slope = dsm__slope_of(made.varied, 2, 0);
  ck_assert_int_eq(slope.basis, DSM_ELASTICITY_BASIS_HALVED);
  ck_assert_double_eq_tol(slope.elasticity, -1, tolerance);
}
END_TEST

START_TEST(test_without_a_side_there_is_none) {
  two_sides made;
  make_sides(&made, "no", 0, "no", 0);
  const dsm_slope slope = dsm__slope_of(made.varied, 2, 0);
  ck_assert_int_eq(slope.basis, DSM_ELASTICITY_BASIS_NONE);
  ck_assert_double_eq(slope.elasticity, 0);
}
END_TEST

/* ln 0.9 / ln 1.25; of a time that does not change exactly 0. */
START_TEST(test_of_more_it_is_that_over_its_own_factor) {
  const dsm_response responses[] = {
      {.time_ratio = 0.9}, {.time_ratio = 1}, {.why_not = "nothing fits"}};
  const dsm_variation raised = {
      .kind = DSM_VARIATION_RAISED, .factor = 1.25, .responses = responses};
  dsm_slope slope = dsm__slope_of(&raised, 1, 0);
  ck_assert_int_eq(slope.basis, DSM_ELASTICITY_BASIS_RAISED);
  ck_assert_double_eq_tol(slope.elasticity, -0.10536051565782628 / 0.22314355131420976, tolerance);
  slope = dsm__slope_of(&raised, 1, 1);
  ck_assert_int_eq(slope.basis, DSM_ELASTICITY_BASIS_RAISED);
  ck_assert_double_eq(slope.elasticity, 0);
  slope = dsm__slope_of(&raised, 1, 2);
  ck_assert_int_eq(slope.basis, DSM_ELASTICITY_BASIS_NONE);
  const dsm_variation lowered = {
      .kind = DSM_VARIATION_LOWERED, .factor = 0.8, .responses = responses};
  slope = dsm__slope_of(&lowered, 1, 0); /* ln 0.9 / ln 0.8 = ln 0.9 / -ln 1.25 */
  ck_assert_int_eq(slope.basis, DSM_ELASTICITY_BASIS_LOWERED);
  ck_assert_double_eq_tol(slope.elasticity, 0.10536051565782628 / 0.22314355131420976, tolerance);
  slope = dsm__slope_of(&lowered, 1, 1);
  ck_assert_double_eq(slope.elasticity, 0);
  ck_assert(!signbit(slope.elasticity)); /* "-0" says nothing */
}
END_TEST

/* The influence of one variation. */
typedef struct influence_case {
  dsm_variation_kind kind;
  double factor;
  const char *why_not;
  double time_ratio;
  double expected;
} influence_case;

static const influence_case influences[] = {
    {DSM_VARIATION_HALVED, 0.5, NULL, 2, 1},          /* ln 2 / ln 2 */
    {DSM_VARIATION_HALVED, 0.5, NULL, 0.25, 2},       /* the direction does not matter */
    {DSM_VARIATION_DOUBLED, 2, NULL, 0.5, 1},         /* ln 2 / ln 2 */
    {DSM_VARIATION_HALVED, 2.0 / 3, NULL, 1.5, 1},    /* by its own factor */
    {DSM_VARIATION_OTHER, 0, NULL, 4, 2},             /* as a factor of 2: ln 4 / ln 2 */
    {DSM_VARIATION_OTHER, 0, NULL, 1, 0},             /* changes nothing */
    {DSM_VARIATION_DOUBLED, 2, "nothing fits", 0, 0}, /* has no time */
};

START_TEST(test_influence_is_a_one_sided_elasticity_by_size) {
  const influence_case *const each = &influences[_i];
  const dsm_response response = {.why_not = each->why_not, .time_ratio = each->time_ratio};
  const dsm_variation variation = {
      .kind = each->kind, .factor = each->factor, .responses = &response};
  ck_assert_double_eq_tol(dsm__response_influence(&variation, 0), each->expected, tolerance);
}
END_TEST

START_TEST(test_times_that_only_rounding_tells_apart_are_the_same) {
  ck_assert_double_eq(dsm__time_ratio(1 + 1e-11, 1), 1);
  ck_assert_double_eq(dsm__time_ratio(1 - 1e-11, 1), 1);
  ck_assert_double_eq(dsm__time_ratio(1.00001, 1), 1.00001);
  ck_assert_double_eq(dsm__time_ratio(3, 2), 1.5);
}
END_TEST

Suite *suite_slope(void) {
  Suite *const suite = suite_create("slope");
  TCase *const core = tcase_create("core");
  tcase_add_loop_test(core, test_slope_is_the_quotient_of_logarithms, 0, COUNT_OF(slopes));
  tcase_add_test(core, test_with_one_side_it_is_that_of_this_side);
  tcase_add_test(core, test_without_a_side_there_is_none);
  tcase_add_test(core, test_of_more_it_is_that_over_its_own_factor);
  tcase_add_loop_test(core, test_influence_is_a_one_sided_elasticity_by_size, 0,
                      COUNT_OF(influences));
  tcase_add_test(core, test_times_that_only_rounding_tells_apart_are_the_same);
  suite_add_tcase(suite, core);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A search case by case against enumeration, on trees that are drawn: a leaf is an answer, what a
 * case says of its answers is no more than the least of its leaves, and now and then a case says
 * more when it is asked again.
 */
#include "suites.h"

#include <math.h>
#include <stdint.h>

#include "base/cases.h"
#include "random_numbers.h"

enum { SEEDS = 2000, DEPTH_MAX = 5, PARTS_MAX = 3, LOOKS_MAX = 4000 };

typedef struct drawn_case {
  dsm__open_case head;
  double least; /* of its leaves */
  int depth;
  bool is_asked_again;
  size_t number; /* in the order of opening */
  double leaves[PARTS_MAX];
  size_t part_count;
  struct drawn_case *parts[PARTS_MAX]; /* NULL: a leaf */
} drawn_case;

typedef struct drawn_search {
  dsm__cases cases;
  uint64_t random;
  double gap;
  size_t looks_max;
  size_t looks;
  size_t opened;
  double best;
  double looked_at_most; /* the largest bound of a case that was looked at */
  double least;          /* of all leaves */
} drawn_search;

/* Values are few, so that many are equal. */
static double drawn_value(drawn_search *s) {
  return (double)(100 + random_below(&s->random, 40));
}

static drawn_case *draw(drawn_search *s, int depth) {
  drawn_case *const made = dsm__arena_alloc(s->cases.arena, sizeof *made);
  ck_assert_ptr_nonnull(made);
  made->depth = depth;
  made->least = HUGE_VAL;
  made->is_asked_again = random_below(&s->random, 3) == 0;
  made->part_count = 1 + random_below(&s->random, PARTS_MAX);
  for (size_t k = 0; k < made->part_count; k++) {
    const bool is_leaf = depth == DEPTH_MAX || random_below(&s->random, 4) == 0;
    made->parts[k] = is_leaf ? NULL : draw(s, depth + 1);
    made->leaves[k] = is_leaf ? drawn_value(s) : made->parts[k]->least;
    made->least = fmin(made->least, made->leaves[k]);
  }
  made->head.rank = (double)random_below(&s->random, 2);
  return made;
}

static void open_case(drawn_search *s, drawn_case *one, double least) {
  one->head.bound = fmax(least, one->least - (double)random_below(&s->random, 12));
  one->number = s->opened++;
  ck_assert_ptr_nonnull(dsm__cases_open(&s->cases, one, sizeof *one));
}

/* That no open case comes before it. */
static void assert_first(const drawn_search *s, const drawn_case *one) {
  for (size_t i = 0; i < s->cases.open.count; i++) {
    const drawn_case *const other = (const drawn_case *)s->cases.open.items[i];
    const bool is_equal = other->head.bound == one->head.bound;
    ck_assert(other->head.bound >= one->head.bound);
    ck_assert(!is_equal || other->head.rank >= one->head.rank);
    ck_assert(!is_equal || other->head.rank > one->head.rank || other->number >= one->number);
  }
}

static dsm__looked look(void *context, dsm__open_case *head) {
  drawn_search *const s = context;
  drawn_case *const one = (drawn_case *)head;
  assert_first(s, one);
  ck_assert_double_le(dsm__cases_bound(&s->cases), s->least);
  s->looks++;
  s->looked_at_most = fmax(s->looked_at_most, head->bound);
  if (one->is_asked_again) {
    one->is_asked_again = false;
    head->bound = fmin(one->least, head->bound + 2);
    return DSM__LOOK_OPEN;
  }
  bool is_any = false;
  for (size_t k = 0; k < one->part_count; k++) {
    if (one->parts[k] == NULL) {
      s->best = fmin(s->best, one->leaves[k]);
    } else {
      open_case(s, one->parts[k], head->bound);
      is_any = true;
    }
  }
  if (!is_any) {
    head->bound = one->least;
  }
  return is_any ? DSM__LOOK_DIVIDED : DSM__LOOK_CLOSED;
}

static bool is_done(const void *context, double bound) {
  const drawn_search *const s = context;
  return bound >= (1 - s->gap) * s->best || s->looks >= s->looks_max;
}

static const dsm__case_kind drawn_kind = {look, is_done};

static drawn_search searched(uint64_t seed, double gap, size_t looks_max) {
  drawn_search s = {.cases = dsm__cases_begin(dsm__arena_new()),
                    .random = seed,
                    .gap = gap,
                    .looks_max = looks_max,
                    .best = HUGE_VAL};
  drawn_case *const root = draw(&s, 0);
  s.least = root->least;
  open_case(&s, root, 0);
  ck_assert(dsm__cases_search(&s.cases, &drawn_kind, &s));
  return s;
}

/* Without a limit the best answer is the least of all leaves, and no case is looked at that cannot
 * have a better one. */
START_TEST(test_the_best_answer_is_that_of_enumeration) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    drawn_search s = searched(seed, 0, LOOKS_MAX);
    ck_assert_double_eq(s.best, s.least);
    ck_assert_double_ge(dsm__cases_bound(&s.cases), s.least);
    ck_assert_double_le(s.looked_at_most, s.least);
    dsm__arena_free(s.cases.arena);
  }
}
END_TEST

START_TEST(test_an_answer_is_within_the_gap) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    drawn_search s = searched(seed, 0.05, LOOKS_MAX);
    ck_assert_double_le((1 - s.gap) * s.best, s.least);
    ck_assert_double_le(fmin(s.best, dsm__cases_bound(&s.cases)), s.least);
    dsm__arena_free(s.cases.arena);
  }
}
END_TEST

/* Where it ends early the bound holds for all leaves, and is no worse than before. */
START_TEST(test_the_bound_holds_wherever_it_ends) {
  for (uint64_t seed = 1; seed <= SEEDS / 10; seed++) {
    double before = 0;
    for (size_t looks = 0; looks < 60; looks++) {
      drawn_search s = searched(seed, 0, looks);
      const double bound = fmin(s.best, dsm__cases_bound(&s.cases));
      ck_assert_double_le(bound, s.least);
      ck_assert_double_ge(bound, before);
      ck_assert_uint_le(s.looks, looks);
      before = bound;
      dsm__arena_free(s.cases.arena);
    }
  }
}
END_TEST

static dsm__looked run_out(void *context, dsm__open_case *one) {
  (void)one;
  ++*(size_t *)context;
  return DSM__LOOK_FAILED;
}

static bool is_never_done(const void *context, double bound) {
  (void)context;
  (void)bound;
  return false;
}

START_TEST(test_without_memory_it_ends) {
  static const dsm__case_kind failing = {run_out, is_never_done};
  dsm__cases cases = dsm__cases_begin(dsm__arena_new());
  dsm__open_case two[] = {{.bound = 3}, {.bound = 2}};
  size_t looks = 0;
  ck_assert(dsm__cases_search(&cases, &failing, &looks)); /* none is open */
  ck_assert_double_eq(dsm__cases_bound(&cases), HUGE_VAL);
  for (size_t i = 0; i < 2; i++) {
    ck_assert_ptr_nonnull(dsm__cases_open(&cases, &two[i], sizeof two[i]));
  }
  ck_assert(!dsm__cases_search(&cases, &failing, &looks));
  ck_assert_uint_eq(looks, 1);
  ck_assert_double_eq(dsm__cases_bound(&cases), 2);
  dsm__arena_free(cases.arena);
  cases = (dsm__cases){.arena = NULL};
  ck_assert_ptr_null(dsm__cases_open(&cases, &two[0], sizeof two[0]));
}
END_TEST

Suite *suite_cases(void) {
  Suite *suite = suite_create("cases");
  TCase *tests = tcase_create("cases");
  tcase_add_test(tests, test_the_best_answer_is_that_of_enumeration);
  tcase_add_test(tests, test_an_answer_is_within_the_gap);
  tcase_add_test(tests, test_the_bound_holds_wherever_it_ends);
  tcase_add_test(tests, test_without_memory_it_ends);
  suite_add_tcase(suite, tests);
  return suite;
}

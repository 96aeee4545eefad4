/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which core splits are looked at. */
#include <stdbool.h>

#include "random_numbers.h"
#include "search/ranking.h"
#include "suites.h"

enum { MOST = 60 };

/* Is a at or before b? */
static bool is_ordered(const dsm__ranked_split *a, const dsm__ranked_split *b) {
  return a->bound < b->bound || (a->bound <= b->bound && a->split < b->split);
}

/* Random bounds, many of them equal; asked for one by one, or some at once. */
START_TEST(test_splits_come_in_order) {
  uint64_t state = (uint64_t)_i + 1;
  const size_t count = random_below(&state, MOST + 1);
  const uint64_t step = 1 + random_below(&state, 5);
  dsm__ranked_split items[MOST];
  for (size_t i = 0; i < count; i++) {
    items[i] = (dsm__ranked_split){(double)random_below(&state, 20), i};
  }
  dsm__ranking ranking = dsm__ranking_of(items, count);
  bool seen[MOST] = {false};
  for (size_t i = 0; i < count; i++) {
    if (i % step == 0) {
      const size_t ahead = i + step < count ? i + step : count - 1;
      (void)dsm__ranking_at(&ranking, ahead);
    }
    const dsm__ranked_split each = *dsm__ranking_at(&ranking, i);
    ck_assert(i == 0 || is_ordered(dsm__ranking_at(&ranking, i - 1), &each));
    ck_assert(!seen[each.split]);
    seen[each.split] = true;
  }
}
END_TEST

Suite *suite_ranking(void) {
  Suite *const suite = suite_create("ranking");
  TCase *const tcase = tcase_create("ranking");
  tcase_add_loop_test(tcase, test_splits_come_in_order, 0, 200);
  suite_add_tcase(suite, tcase);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers that are as good with fewer copies, less traffic and shorter ways. */
#include <math.h>

#include "base/arena.h"
#include "how_many.h"
#include "partition/instance_facts.h"
#include "partition/solver.h"
#include "small_instance.h"
#include "storage_optimum.h"
#include "suites.h"

static const double slack = 2e-6;

/* An answer as it was found, or the lean one. */
typedef struct answer {
  dsm_partition priced;
  size_t copies;
  double moved;
} answer;

static answer price(const small_instance *s, const dsm_partition_options *options,
                    dsm__placement placement, dsm__arena *arena) {
  answer made = {.priced = {.instance = &s->instance, .options = *options, .arena = arena}};
  ck_assert(dsm__price(&made.priced, placement));
  for (size_t k = 0; k < s->instance.task_count * s->instance.device_count; k++) {
    made.copies += made.priced.rates[k] > 0 ? 1 : 0;
  }
  for (size_t k = 0; k < s->instance.tensor_count * s->instance.device_count; k++) {
    made.moved += made.priced.sent[k];
  }
  return made;
}

/* Half of all devices are equal, so that much is as good as the best. */
static void draw(small_instance *s, uint64_t seed) {
  small_random(s, seed, 6, 3);
  if (seed % 4 == 3) {
    small_routes(s, seed);
  }
  for (size_t k = 0; k < s->instance.task_count * s->instance.device_count && seed % 2 == 0; k++) {
    s->seconds[k] = s->seconds[k - k % s->instance.device_count];
  }
}

static double gap_of(int seed) {
  return (const double[]){0, 1e-4, 0.05}[seed % 3];
}

/* Whether there is an answer, as the solver finds it. */
static bool is_found(dsm__solver_answer *found, const small_instance *s,
                     const dsm_partition_options *options, dsm__arena *arena) {
  *found = (dsm__solver_answer){.outcome = DSM__SOLVER_NOTHING};
  if (dsm__check_feasibility(&s->instance, options, NULL) == DSM_OK) {
    const dsm__question question = {&s->instance, options, HUGE_VAL, false};
    ck_assert_int_eq(dsm__solver_run(found, arena, &question, NULL), DSM_OK);
  }
  return found->outcome == DSM__SOLVER_FOUND;
}

START_TEST(nothing_is_lost_but_the_gap) {
  small_instance s;
  draw(&s, (uint64_t)_i);
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.gap = gap_of(_i);
  dsm__arena *const arena = dsm__arena_new();
  dsm__solver_answer found;
  if (is_found(&found, &s, &options, arena) && found.lean.rates != NULL) {
    const answer best = price(&s, &options, found.placement, arena);
    const answer lean = price(&s, &options, found.lean, arena);
    ck_assert_double_ge(lean.priced.rho, best.priced.rho / (1 + options.gap) * (1 - slack));
    ck_assert_double_ge(lean.priced.rho,
                        fmin(best.priced.rho, found.bound / (1 + options.gap)) * (1 - slack));
    ck_assert_uint_le(lean.copies, best.copies);
    ck_assert_double_le(lean.moved, best.moved * (1 + slack) + slack);
  }
  dsm__arena_free(arena);
}
END_TEST

/* The fewest copies of all storages that reach a rate. */
static size_t fewest_copies(const small_instance *s, const dsm_partition_options *options,
                            double rho) {
  const dsm_instance *const it = &s->instance;
  const size_t places = it->task_count * it->device_count;
  size_t fewest = places + 1;
  for (unsigned set = 0; set < 1u << places; set++) {
    bool is_stored[SMALL_TASKS * SMALL_DEVICES] = {false};
    size_t copies = 0;
    double used[SMALL_DEVICES] = {0};
    bool fits = true;
    size_t copies_of[SMALL_TASKS] = {0};
    for (size_t k = 0; k < places; k++) {
      is_stored[k] = (set >> k & 1) != 0;
      copies += is_stored[k] ? 1 : 0;
      copies_of[k / it->device_count] += is_stored[k] ? 1 : 0;
      used[k % it->device_count] +=
          is_stored[k] ? it->tasks[k / it->device_count].weights_bytes : 0;
      fits = fits && !(is_stored[k] && !isfinite(it->seconds[k]));
    }
    for (size_t j = 0; j < it->device_count; j++) {
      fits = fits && used[j] <= it->devices[j].memory_bytes;
    }
    for (size_t i = 0; i < it->task_count; i++) {
      fits = fits && copies_of[i] > 0;
    }
    if (fits && copies < fewest) {
      const dsm_partition trial = {.instance = it, .options = *options, .is_stored = is_stored};
      fewest = storage_optimum(&trial) >= rho ? copies : fewest;
    }
  }
  return fewest;
}

/* Few copies are not the fewest: one after the other is dropped, and traffic must not grow. */
START_TEST(copies_are_few) {
  size_t equal = 0;
  size_t before = 0;
  size_t tried = 0;
  for (uint64_t seed = 0; seed < HOW_MANY(2000, 150, 20); seed++) {
    small_instance s;
    small_random(&s, seed, 4, 3);
    if (s.instance.task_count * s.instance.device_count > 9) {
      continue;
    }
    for (size_t k = 0; k < s.instance.task_count * s.instance.device_count && seed % 2 == 0; k++) {
      s.seconds[k] = s.seconds[k - k % s.instance.device_count];
    }
    dsm_partition_options options;
    dsm_partition_options_init(&options);
    options.gap = gap_of((int)seed);
    dsm__arena *const arena = dsm__arena_new();
    dsm__solver_answer found;
    if (is_found(&found, &s, &options, arena)) {
      const answer best = price(&s, &options, found.placement, arena);
      const answer lean = found.lean.rates == NULL ? best : price(&s, &options, found.lean, arena);
      const size_t fewest = fewest_copies(&s, &options, lean.priced.rho * (1 - slack));
      ck_assert_uint_ge(lean.copies, fewest);
      equal += lean.copies == fewest ? 1 : 0;
      before += best.copies == fewest ? 1 : 0;
      tried++;
    }
    dsm__arena_free(arena);
  }
  ck_assert_uint_ge(equal, before);
  ck_assert_uint_ge(10 * equal, 9 * tried);
}
END_TEST

Suite *suite_lean(void) {
  Suite *const suite = suite_create("lean");
  TCase *const tests = tcase_create("lean");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, nothing_is_lost_but_the_gap, 0, HOW_MANY(2000, 150, 25));
  tcase_add_test(tests, copies_are_few);
  suite_add_tcase(suite, tests);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_assignment.c: answers without a programme. */
#include "partition/assignment.h"

#include <math.h>
#include <string.h>

#include "enumerate.h"
#include "small_instance.h"
#include "suites.h"

static bool never(void *context) {
  (void)context;
  return false;
}

static dsm_partition_options defaults(void) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  return options;
}

/* Whether each task has a device that can run it. */
static bool has_places(const small_instance *s) {
  const size_t device_count = s->instance.device_count;
  for (size_t i = 0; i < s->instance.task_count; i++) {
    bool has_place = false;
    for (size_t j = 0; j < device_count; j++) {
      has_place = has_place || (isfinite(s->seconds[i * device_count + j]) &&
                                s->tasks[i].weights_bytes <= s->devices[j].memory_bytes);
    }
    if (!has_place) {
      return false;
    }
  }
  return true;
}

/* What moves leave is what is counted anew. */
START_TEST(moves_keep_the_sums) {
  small_instance s;
  small_random(&s, (uint64_t)_i, 8, 4);
  const size_t device_count = s.instance.device_count;
  for (size_t k = 0; k < s.instance.task_count * device_count; k++) {
    s.seconds[k] = isfinite(s.seconds[k]) ? s.seconds[k] : 1;
  }
  const dsm_partition_options options = defaults();
  dsm__arena *const arena = dsm__arena_new();
  dsm__assignment a;
  ck_assert(dsm__assignment_init(&a, arena, &s.instance, &options));
  uint64_t state = (uint64_t)_i;
  for (int k = 0; k < 50; k++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const size_t draw = (size_t)(state >> 33);
    dsm__assignment_move(&a, draw % s.instance.task_count,
                         draw / s.instance.task_count % device_count);
  }
  double busy[SMALL_DEVICES];
  double sent[SMALL_DEVICES];
  double held[SMALL_DEVICES];
  for (size_t j = 0; j < device_count; j++) {
    busy[j] = a.busy_seconds[j];
    sent[j] = a.sent_bytes[j];
    held[j] = a.held_bytes[j];
  }
  dsm__assignment_count(&a);
  for (size_t j = 0; j < device_count; j++) {
    ck_assert_double_eq_tol(busy[j], a.busy_seconds[j], 1e-9);
    ck_assert_double_eq_tol(sent[j], a.sent_bytes[j], 1e-9);
    ck_assert_double_eq_tol(held[j], a.held_bytes[j], 1e-9);
  }
  dsm__arena_free(arena);
}
END_TEST

/* For latency an assignment is the whole answer: annealing finds the optimum of small cases. For
 * throughput it may be below, never above. */
START_TEST(no_better_than_the_optimum) {
  small_instance s;
  small_random(&s, (uint64_t)_i, 6, 3);
  if (!has_places(&s)) {
    return;
  }
  dsm__arena *const arena = dsm__arena_new();
  dsm_partition_options options = defaults();
  options.objective = DSM_OBJECTIVE_LATENCY;
  const double latency = enumerate_latency(&s.instance, &options);
  dsm__assignment a;
  ck_assert(dsm__assignment_init(&a, arena, &s.instance, &options));
  dsm__found found = dsm__assignment_search(&a, arena, never, NULL);
  ck_assert_int_eq(found == DSM__FOUND_ONE, isfinite(latency));
  if (found == DSM__FOUND_ONE) {
    ck_assert_double_eq_tol(dsm__assignment_value(&a), latency, 1e-9 * latency);
  }
  options.objective = DSM_OBJECTIVE_THROUGHPUT;
  const double rho = enumerate_throughput(&s.instance, &options);
  ck_assert(dsm__assignment_init(&a, arena, &s.instance, &options));
  found = dsm__assignment_search(&a, arena, never, NULL);
  ck_assert_int_eq(found == DSM__FOUND_ONE, isfinite(latency));
  if (found == DSM__FOUND_ONE) {
    ck_assert_double_le(dsm__assignment_value(&a), rho * (1 + 1e-9));
    ck_assert_double_eq(dsm__assignment_overflow(&a), 0);
  }
  dsm__arena_free(arena);
}
END_TEST

/* ---- stages ---- */

/* A chain whose only input and results are those of the first and last task. */
static void draw_chain(small_instance *s, uint64_t seed) {
  small_random(s, seed, 6, 3);
  small_relink(s);
  if (seed % 4 > 0) {
    small_routes(s, seed);
  }
  s->instance.port_count = seed % 4 == 1 ? 0 : s->instance.port_count;
  for (size_t k = 0; k < s->instance.task_count * s->instance.device_count; k++) {
    s->seconds[k] = isfinite(s->seconds[k]) ? s->seconds[k] : 1;
  }
  for (size_t i = 0; i < s->instance.task_count; i++) {
    s->tasks[i].result_bytes = 0;
    s->tasks[i].input_bytes = i == 0 ? s->tasks[i].input_bytes : 0;
  }
}

/* Least time between requests, or of one, of all assignments in stages that fit. */
static double least_of_all(dsm__assignment *a) {
  const dsm_instance *const it = a->instance;
  size_t all = 1;
  for (size_t i = 0; i < it->task_count; i++) {
    all *= it->device_count;
  }
  double least = HUGE_VAL;
  for (size_t number = 0; number < all; number++) {
    size_t digits = number;
    for (size_t i = 0; i < it->task_count; i++) {
      a->device_of[i] = digits % it->device_count;
      digits /= it->device_count;
    }
    dsm__assignment_count(a);
    if (dsm__assignment_is_staged(a) && !(dsm__assignment_overflow(a) > 0)) {
      const double value = dsm__assignment_value(a);
      least = fmin(least, a->options->objective == DSM_OBJECTIVE_LATENCY ? value : 1 / value);
    }
  }
  return least;
}

/* Of a chain in stages no runs are better than a split; but for the time between requests where
 * ports are shared. */
START_TEST(splits_of_chains_are_exact) {
  small_instance s;
  draw_chain(&s, (uint64_t)_i);
  dsm_partition_options options = defaults();
  options.is_staged = true;
  options.copies_max = 1;
  options.does_count_input = _i % 3 > 0;
  options.objective = _i % 2 == 0 ? DSM_OBJECTIVE_THROUGHPUT : DSM_OBJECTIVE_LATENCY;
  dsm__arena *const arena = dsm__arena_new();
  dsm__assignment a;
  ck_assert(dsm__assignment_init(&a, arena, &s.instance, &options));
  const double least = least_of_all(&a);
  dsm__initial initial;
  ck_assert(dsm__make_initial_assignments(&initial, arena, &s.instance, &options, &a.routes, NULL));
  const bool is_exact = _i % 2 == 1 || s.instance.port_count == 0;
  ck_assert_int_eq(initial.storage_count > 0, isfinite(least));
  for (size_t i = 0; i < s.instance.task_count && isfinite(least); i++) {
    for (size_t j = 0; j < s.instance.device_count; j++) {
      a.device_of[i] = initial.storages[i * s.instance.device_count + j] ? j : a.device_of[i];
    }
  }
  dsm__assignment_count(&a);
  const double value = dsm__assignment_value(&a);
  const double found = options.objective == DSM_OBJECTIVE_LATENCY ? value : 1 / value;
  if (is_exact && isfinite(least)) {
    ck_assert_double_eq_tol(found, least, 1e-9 * least);
  } else if (isfinite(least)) {
    ck_assert_double_ge(found, least * (1 - 1e-9));
  }
  dsm__arena_free(arena);
}
END_TEST

/* ---- through the whole search ---- */

/* Nothing can be solved in a nanosecond. All the same there is an answer, checked like any. */
START_TEST(a_tiny_time_limit_has_an_answer) {
  small_instance s;
  small_random(&s, (uint64_t)_i, 8, 4);
  dsm_partition_options options = defaults();
  dsm_partition *exact = NULL;
  dsm_partition *quick = NULL;
  const dsm_status status = dsm_partition_solve(&exact, &s.instance, &options, NULL);
  options.time_limit_seconds = 1e-9;
  dsm_diags *const diags = dsm_diags_new(4);
  if (status == DSM_OK) {
    const dsm_status again = dsm_partition_solve(&quick, &s.instance, &options, diags);
    /* what is placed by need may not fit, and there is no time to mend it */
    if (again == DSM_OK) {
      ck_assert(quick->is_heuristic);
      ck_assert_double_le(quick->rho, exact->bound * (1 + 1e-9));
      ck_assert_double_ge(quick->bound, exact->rho * (1 - 1e-9));
      ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, "too large for a time limit"));
    } else {
      ck_assert_int_eq(again, DSM_ERROR_IO);
    }
  }
  dsm_diags_free(diags);
  dsm_partition_free(exact);
  dsm_partition_free(quick);
}
END_TEST

/* Over more orders of ten than GLPK is relied on: a warning, and a bound that holds. */
START_TEST(times_too_far_apart) {
  small_instance s;
  small_chain(&s, 2, 2);
  s.seconds[0] = 1e-7;
  s.seconds[3] = 1e7;
  const dsm_partition_options options = defaults();
  dsm_diags *const diags = dsm_diags_new(4);
  dsm_partition *partition = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, &s.instance, &options, diags), DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_int_eq(dsm_diags_get(diags, 0)->severity, DSM_SEVERITY_WARNING);
  ck_assert_double_ge(partition->bound, enumerate_throughput(&s.instance, &options));
  dsm_partition_free(partition);
  dsm_diags_free(diags);
}
END_TEST

Suite *suite_assignment(void) {
  Suite *const suite = suite_create("assignment");
  TCase *const tests = tcase_create("assignment");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, moves_keep_the_sums, 0, 60);
  tcase_add_loop_test(tests, no_better_than_the_optimum, 0, 100);
  tcase_add_loop_test(tests, splits_of_chains_are_exact, 0, 600);
  tcase_add_loop_test(tests, a_tiny_time_limit_has_an_answer, 0, 40);
  tcase_add_test(tests, times_too_far_apart);
  suite_add_tcase(suite, tests);
  return suite;
}

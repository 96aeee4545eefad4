/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_batches.c: devices that run several requests together: which batch each runs, what is
 * reached with it, and how long requests wait. */
#include <math.h>
#include <stdint.h>

#include "batched_instance.h"
#include "dsm/dispatch.h"
#include "enumerate.h"
#include "how_many.h"
#include "suites.h"

/* The best over all choices of sizes; 0: none has an answer. */
static double best_of_all(const batched_instance *of, uint64_t seed,
                          const dsm_partition_options *options) {
  size_t chosen[SMALL_DEVICES] = {0};
  const bool is_energy = options->objective == DSM_OBJECTIVE_ENERGY;
  double best = is_energy ? HUGE_VAL : 0;
  do {
    small_instance plain;
    batched_choose(&plain, of, seed, chosen);
    const double value = is_energy ? enumerate_energy(&plain.instance, options)
                                   : enumerate_throughput(&plain.instance, options);
    best = is_energy ? fmin(best, value) : fmax(best, value);
  } while (batched_next(of, chosen));
  return isfinite(best) ? best : 0;
}

typedef struct known_best {
  double objective;
  bool is_energy;
  uint64_t seed;
} known_best;

/* What is told while choices are left to be searched is a bound too. */
static void expect_bound(void *context, const dsm_partition_progress *at) {
  const known_best *const best = context;
  const double beyond = at->bound - best->objective;
  ck_assert_msg((best->is_energy ? beyond : -beyond) <= 3e-6 * best->objective,
                "seed %llu: told a bound of %.9g, twin %.9g", (unsigned long long)best->seed,
                at->bound, best->objective);
}

static void expect_best(uint64_t seed, dsm_objective_kind objective) {
  batched_instance of;
  batched_random(&of, seed);
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.gap = 0;
  options.does_count_activations = seed % 2 == 0;
  options.objective = objective;
  options.required_rho = 0.2;
  options.is_unused_off = seed % 2 == 1;
  const double twin = best_of_all(&of, seed, &options);
  known_best best = {twin, objective == DSM_OBJECTIVE_ENERGY, seed};
  options.report = twin > 0 ? expect_bound : NULL;
  options.context = &best;
  dsm_partition *found = NULL;
  const dsm_status status = dsm_partition_solve(&found, &of.s.instance, &options, NULL);
  ck_assert_msg((status == DSM_OK) == (twin > 0), "seed %llu", (unsigned long long)seed);
  if (status == DSM_OK) {
    ck_assert_msg(fabs(found->objective - twin) <= 3e-6 * twin, "seed %llu: %.9g, twin %.9g",
                  (unsigned long long)seed, found->objective, twin);
    ck_assert_double_le(fabs(found->bound - found->objective), 3e-5 * twin);
    ck_assert_int_eq(found->status, DSM_SOLUTION_OPTIMAL);
    for (size_t j = 0; j < found->instance->device_count; j++) {
      ck_assert_uint_ge(found->instance->devices[j].batch, 1);
      ck_assert_uint_le(found->instance->devices[j].batch_size_count, 1);
    }
  }
  dsm_partition_free(found);
}

enum { LOOPS = 4 };

START_TEST(best_batches_equal_the_twin) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(100, 8, 3);
  for (uint64_t seed = first; seed < first + HOW_MANY(100, 8, 3); seed++) {
    expect_best(seed, DSM_OBJECTIVE_THROUGHPUT);
    expect_best(seed, DSM_OBJECTIVE_ENERGY);
  }
}
END_TEST

/* ---- waiting ---- */

/* A chain of a task on each device, which alone can run it, with these batches. */
static void chain(small_instance *s, const uint32_t *batches, size_t count) {
  small_chain(s, count, count);
  for (size_t k = 0; k < count * count; k++) {
    s->seconds[k] = k / count == k % count ? 0.01 : HUGE_VAL;
  }
  for (size_t j = 0; j < count; j++) {
    s->devices[j].batch = batches[j];
    s->devices[j].has_power = true;
    s->devices[j].busy_watts = 1;
  }
}

/* Solved for energy at a rate that is far below what the devices can do, and simulated with
 * arrivals at that rate. */
static dsm_dispatch *simulated(dsm_partition **solved, const small_instance *s, double rate) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = DSM_OBJECTIVE_ENERGY;
  options.required_rho = rate;
  ck_assert_int_eq(dsm_partition_solve(solved, &s->instance, &options, NULL), DSM_OK);
  const dsm_dispatch_options come = {.request_count = 40000, .rate = rate, .seed = 7};
  dsm_dispatch *dispatch = NULL;
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, *solved, &come, NULL), DSM_OK);
  return dispatch;
}

START_TEST(waiting_is_that_of_the_simulation) {
  static const struct {
    uint32_t batches[3];
    double waiting_requests; /* sum of (b - g) / 2 */
  } cases[] = {
      {{1, 1, 1}, 0}, {{4, 4, 4}, 1.5}, {{4, 8, 8}, 3.5}, {{1, 4, 8}, 3.5}, {{8, 1, 2}, 3.5}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const double rate = 0.5;
    small_instance s;
    dsm_partition *solved = NULL;
    chain(&s, cases[c].batches, 3);
    dsm_dispatch *const dispatch = simulated(&solved, &s, rate);
    const double waiting = cases[c].waiting_requests / rate;
    ck_assert_double_eq_tol(solved->waiting_seconds, waiting, 1e-9);
    ck_assert_double_le(fabs(dispatch->mean_waiting_seconds - waiting), 0.03 * waiting);
    /* batches of 8 that a device of smaller ones runs one after the other are counted whole */
    const double less = cases[c].batches[0] > cases[c].batches[1] ? 0.1 : 0.02;
    ck_assert_double_le(fabs(dispatch->mean_latency_seconds - solved->latency_seconds),
                        0.03 * waiting + less);
    dsm_dispatch_free(dispatch);
    dsm_partition_free(solved);
  }
}
END_TEST

/* A window that is smaller than a batch fills none: each begins as it is. */
START_TEST(small_windows_end) {
  small_instance s;
  chain(&s, (const uint32_t[]){4, 8}, 2);
  dsm_partition *solved = NULL;
  ck_assert_int_eq(dsm_partition_solve(&solved, &s.instance, NULL, NULL), DSM_OK);
  ck_assert_double_eq_tol(solved->rho, 100, 1e-4);
  const dsm_dispatch_options few = {.request_count = 12, .window = 3};
  dsm_dispatch *dispatch = NULL;
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, solved, &few, NULL), DSM_OK);
  /* four rounds of three requests: 4 x 10 ms and 8 x 10 ms each */
  ck_assert_uint_eq(dispatch->partial_batches, 8);
  ck_assert_double_eq_tol(dispatch->seconds, 4 * 0.12, 1e-9);
  dsm_dispatch_free(dispatch);
  dsm_partition_free(solved);
}
END_TEST

START_TEST(latency_fills_no_batch) {
  small_instance s;
  chain(&s, (const uint32_t[]){1, 2}, 2);
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = DSM_OBJECTIVE_LATENCY;
  dsm_partition *solved = NULL;
  ck_assert_int_eq(dsm_partition_solve(&solved, &s.instance, &options, NULL), DSM_ERROR_USAGE);
}
END_TEST

/* A fixed cost of a transfer is paid once for a batch: 4 s for 8 requests of 1 s of bytes each. */
START_TEST(transfers_are_of_batches) {
  small_instance s;
  chain(&s, (const uint32_t[]){8, 1}, 2);
  s.tasks[0].output_bytes = 1;
  small_relink(&s);
  s.devices[0].link_bytes_per_second = 1;
  s.devices[0].transfer_seconds = 4;
  dsm_partition *solved = NULL;
  ck_assert_int_eq(dsm_partition_solve(&solved, &s.instance, NULL, NULL), DSM_OK);
  ck_assert_double_eq_tol(solved->rho, 1 / 1.5, 1e-4);
  dsm_partition_free(solved);
}
END_TEST

Suite *suite_batches(void) {
  Suite *const suite = suite_create("batches");
  TCase *const tests = tcase_create("batches");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, best_batches_equal_the_twin, 0, LOOPS);
  tcase_add_test(tests, waiting_is_that_of_the_simulation);
  tcase_add_test(tests, small_windows_end);
  tcase_add_test(tests, latency_fills_no_batch);
  tcase_add_test(tests, transfers_are_of_batches);
  suite_add_tcase(suite, tests);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_batch_limit.c: a limit of latency where devices run several requests together: against
 * enumerations, in simulations, and what holds for every answer. */
#include <math.h>
#include <string.h>

#include "batched_instance.h"
#include "dsm/dispatch.h"
#include "enumerate.h"
#include "how_many.h"
#include "partition/batch_mean.h"
#include "suites.h"

enum { LOOPS = 4 };

static const double close = 3e-6;

static dsm_partition_options exactly(dsm_objective_kind objective) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = objective;
  options.gap = 0;
  return options;
}

/* ---- each task in one place: all batches and all places ---- */

typedef struct placed {
  const dsm_instance *it;
  const dsm_partition_options *options;
  const size_t *device;
} placed;

static double batch_of(const placed *p, size_t task) {
  const uint32_t batch = p->it->devices[p->device[task]].batch;
  return batch > 1 ? batch : 1;
}

static bool fits(const placed *p) {
  double room[SMALL_DEVICES];
  for (size_t j = 0; j < p->it->device_count; j++) {
    room[j] = p->it->devices[j].memory_bytes;
  }
  for (size_t i = 0; i < p->it->task_count; i++) {
    const double held =
        p->options->does_count_activations ? p->it->tasks[i].activation_bytes * batch_of(p, i) : 0;
    room[p->device[i]] -= p->it->tasks[i].weights_bytes + held;
  }
  bool fit = true;
  for (size_t j = 0; j < p->it->device_count; j++) {
    fit = fit && room[j] >= 0;
  }
  return fit;
}

/* Bytes that a task's device sends of what it makes, for a request. */
static double sent_of(const placed *p, size_t task) {
  const dsm_task *const it = &p->it->tasks[task];
  double results = it->output_bytes;
  double bytes = 0;
  for (size_t t = 0; t < p->it->tensor_count; t++) {
    const dsm_tensor *const tensor = &p->it->tensors[t];
    bool is_target[SMALL_DEVICES] = {false};
    for (size_t k = 0; tensor->producer == task && k < tensor->consumer_count; k++) {
      const size_t j = p->device[tensor->consumers[k]];
      bytes += j != p->device[task] && !is_target[j] ? tensor->bytes : 0;
      is_target[j] = true;
      results = it->result_bytes;
    }
  }
  return bytes + (p->options->does_keep_results ? 0 : results);
}

static double rate_of(const placed *p) {
  double worst = 0;
  for (size_t j = 0; j < p->it->device_count; j++) {
    double busy = 0;
    double sent = 0;
    for (size_t i = 0; i < p->it->task_count; i++) {
      busy += p->device[i] == j ? dsm_instance_seconds(p->it, i, j) : 0;
      sent += p->device[i] == j ? sent_of(p, i) : 0;
    }
    worst = fmax(worst, fmax(busy, sent / p->it->devices[j].link_bytes_per_second));
  }
  return 1 / worst;
}

/* A request goes from task to task in a group: where the batch is larger, it waits for others. */
static double seconds_of(const placed *p, double rho) {
  double group[SMALL_TASKS];
  double seconds = 0;
  for (size_t i = 0; i < p->it->task_count; i++) {
    double come = 1;
    for (size_t t = 0; t < p->it->tensor_count; t++) {
      for (size_t k = 0; k < p->it->tensors[t].consumer_count; k++) {
        come = p->it->tensors[t].consumers[k] == i ? fmax(come, group[p->it->tensors[t].producer])
                                                   : come;
      }
    }
    group[i] = fmax(come, batch_of(p, i));
    seconds += (group[i] - come) / (2 * rho);
    seconds += group[i] * dsm_instance_seconds(p->it, i, p->device[i]);
    seconds += batch_of(p, i) * sent_of(p, i) / p->it->devices[p->device[i]].link_bytes_per_second;
  }
  return seconds;
}

static double watts_of(const placed *p, double rho) {
  double watts = 0;
  for (size_t j = 0; j < p->it->device_count; j++) {
    const dsm_instance_device *const device = &p->it->devices[j];
    double busy = 0;
    bool is_used = false;
    for (size_t i = 0; i < p->it->task_count; i++) {
      busy += p->device[i] == j ? rho * dsm_instance_seconds(p->it, i, j) : 0;
      is_used = is_used || p->device[i] == j;
    }
    watts += is_used || !p->options->is_unused_off ? device->idle_watts : 0;
    watts += (device->busy_watts - device->idle_watts) * busy;
  }
  return watts;
}

/* Requests a second, or minus joules, within the limit; minus infinity: none are. */
static double value_of(const placed *p) {
  const bool is_energy = p->options->objective == DSM_OBJECTIVE_ENERGY;
  const double most = fits(p) ? rate_of(p) : 0;
  const double rho = is_energy ? p->options->required_rho : most;
  if (!(most >= rho) || !(rho > 0) || seconds_of(p, rho) > p->options->latency_limit_seconds) {
    return -HUGE_VAL;
  }
  return is_energy ? -watts_of(p, rho) / rho : rho;
}

static double best_of_places(const dsm_instance *it, const dsm_partition_options *options) {
  size_t device[SMALL_TASKS] = {0};
  double best = -HUGE_VAL;
  size_t i = 0;
  while (i < it->task_count) {
    best = fmax(best, value_of(&(placed){it, options, device}));
    for (i = 0; i < it->task_count && ++device[i] == it->device_count; i++) {
      device[i] = 0;
    }
  }
  return best;
}

static double best_of_batches(const batched_instance *of, uint64_t seed,
                              const dsm_partition_options *options) {
  size_t chosen[SMALL_DEVICES] = {0};
  double best = -HUGE_VAL;
  do {
    small_instance plain;
    batched_choose(&plain, of, seed, chosen);
    best = fmax(best, best_of_places(&plain.instance, options));
  } while (batched_next(of, chosen));
  return best;
}

typedef struct tallies {
  size_t all;    /* with an answer */
  size_t best;   /* found the best one */
  size_t proven; /* and said so */
} tallies;

/* No answer is better than the best, and no bound worse. */
static void compare(uint64_t seed, const batched_instance *of, const dsm_partition_options *options,
                    tallies *counts) {
  const double sign = options->objective == DSM_OBJECTIVE_ENERGY ? -1 : 1;
  const double twin = best_of_batches(of, seed, options);
  dsm_partition *found = NULL;
  const dsm_status status = dsm_partition_solve(&found, &of->s.instance, options, NULL);
  ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  ck_assert_msg(status != DSM_OK || isfinite(twin), "seed %llu", (unsigned long long)seed);
  counts->all += isfinite(twin) ? 1 : 0;
  if (status == DSM_OK) {
    const double value = sign * found->objective;
    ck_assert_msg(value <= twin + close * fabs(twin), "seed %llu: %.9g, twin %.9g",
                  (unsigned long long)seed, value, twin);
    ck_assert_msg(sign * found->bound >= twin - close * fabs(twin), "seed %llu: %.9g, twin %.9g",
                  (unsigned long long)seed, found->bound, twin);
    counts->best += value >= twin - close * fabs(twin) ? 1 : 0;
    counts->proven += found->status == DSM_SOLUTION_OPTIMAL ? 1 : 0;
    ck_assert_double_le(found->mean_latency_seconds, options->latency_limit_seconds * (1 + 1e-6));
    ck_assert_double_eq_tol(found->mean_latency_seconds, found->latency_seconds,
                            1e-6 * found->latency_seconds);
    ck_assert_int_eq(dsm_partition_validate(found, NULL), DSM_OK);
  }
  dsm_partition_free(found);
}

START_TEST(one_place_equals_the_enumeration) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(100, 6, 3);
  tallies counts = {0};
  for (uint64_t seed = first; seed < first + HOW_MANY(100, 6, 3); seed++) {
    static const double limits[] = {4, 8, 14, 25};
    batched_instance of;
    batched_random(&of, seed);
    dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
    options.copies_max = 1;
    options.does_count_activations = seed % 2 == 0;
    options.does_keep_results = seed % 3 == 0;
    options.latency_limit_seconds = limits[seed / 2 % 4];
    compare(seed, &of, &options, &counts);
    options.objective = DSM_OBJECTIVE_ENERGY;
    options.required_rho = 0.1;
    options.is_unused_off = seed % 2 == 1;
    options.latency_limit_seconds *= 2;
    compare(seed, &of, &options, &counts);
  }
  /* of 585 cases with an answer 584 found the best one, and 578 had the proof */
  ck_assert_uint_ge(counts.best + 1 + counts.all / 20, counts.all);
  ck_assert_uint_ge(counts.proven + 2 + counts.all / 10, counts.all);
}
END_TEST

/* ---- any number of copies, equal batches ---- */

static bool is_line(const dsm_instance *it) {
  bool is_one = it->tensor_count + 1 == it->task_count;
  for (size_t t = 0; t < it->tensor_count; t++) {
    is_one = is_one && it->tensors[t].consumer_count == 1 &&
             it->tensors[t].consumers[0] == it->tensors[t].producer + 1;
  }
  return is_one;
}

/* Where all batches are b, requests wait (b - 1) / 2 rho at the first task and nowhere else. With
 * the best rate for a limit without waiting the limit gets smaller by that, and so on: rates fall
 * to the greatest that keeps the limit, as whoever is slower waits longer. */
static double best_of_equal(const dsm_instance *it, dsm_partition_options options, double batch) {
  const double limit = options.latency_limit_seconds;
  double before = HUGE_VAL;
  double rho = enumerate_throughput(it, &options);
  while (rho > 0 && rho < before * (1 - 1e-10)) {
    before = rho;
    options.latency_limit_seconds = limit - (batch - 1) / (2 * rho);
    rho = options.latency_limit_seconds > 0 ? enumerate_throughput(it, &options) : 0;
  }
  return rho;
}

START_TEST(equal_batches_equal_the_enumeration) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(200, 15, 5);
  for (uint64_t seed = first; seed < first + HOW_MANY(200, 15, 5); seed++) {
    static const double limits[] = {3, 6, 10, 20};
    const size_t size = 1 + seed / 4 % 2;
    const size_t chosen[SMALL_DEVICES] = {size, size, size, size};
    batched_instance of;
    small_instance plain;
    batched_random(&of, seed);
    batched_choose(&plain, &of, seed, chosen);
    dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
    options.does_count_activations = seed % 2 == 0;
    options.copies_max = seed % 3;
    options.latency_limit_seconds = limits[seed % 4];
    if (!is_line(&plain.instance)) {
      continue;
    }
    const double twin = best_of_equal(&plain.instance, options, plain.devices[0].batch);
    dsm_partition *found = NULL;
    const dsm_status status = dsm_partition_solve(&found, &plain.instance, &options, NULL);
    ck_assert_msg((status == DSM_OK) == (twin > 0), "seed %llu: twin %g, status %d",
                  (unsigned long long)seed, twin, (int)status);
    if (status == DSM_OK) {
      ck_assert_msg(fabs(found->rho - twin) <= 2e-5 * twin, "seed %llu: %.9g, twin %.9g",
                    (unsigned long long)seed, found->rho, twin);
      ck_assert_double_ge(found->bound, twin * (1 - close));
    }
    dsm_partition_free(found);
  }
}
END_TEST

/* ---- what holds for every answer ---- */

/* A limit that nobody reaches changes nothing; what an answer takes is limit enough for it. */
START_TEST(limits_in_order) {
  for (uint64_t seed = 0; seed < HOW_MANY(100, 8, 3); seed++) {
    batched_instance of;
    batched_random(&of, seed);
    dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
    dsm_partition *free_of_it = NULL;
    if (dsm_partition_solve(&free_of_it, &of.s.instance, &options, NULL) != DSM_OK) {
      continue;
    }
    options.latency_limit_seconds = 1e4;
    dsm_partition *wide = NULL;
    ck_assert_int_eq(dsm_partition_solve(&wide, &of.s.instance, &options, NULL), DSM_OK);
    ck_assert_double_eq_tol(wide->rho, free_of_it->rho, 2e-5 * free_of_it->rho);
    options.latency_limit_seconds = wide->mean_latency_seconds / 2;
    dsm_partition *half = NULL;
    const dsm_status status = dsm_partition_solve(&half, &of.s.instance, &options, NULL);
    ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
    if (status == DSM_OK) {
      ck_assert_double_le(half->rho, wide->bound * (1 + close));
      ck_assert_double_le(half->mean_latency_seconds, options.latency_limit_seconds * (1 + 1e-6));
      half->options.latency_limit_seconds *= 0.9;
      const bool is_slow = half->mean_latency_seconds > half->options.latency_limit_seconds;
      ck_assert_int_eq(dsm_partition_validate(half, NULL), is_slow ? DSM_ERROR_INVALID : DSM_OK);
      half->options.latency_limit_seconds = 1e4;
      half->mean_latency_seconds *= 1.01;
      ck_assert_int_eq(dsm_partition_validate(half, NULL), DSM_ERROR_INVALID);
    }
    dsm_partition_free(free_of_it);
    dsm_partition_free(wide);
    dsm_partition_free(half);
  }
}
END_TEST

/* ---- simulations ---- */

/* A chain with a task on so many devices each, in the order of devices, each of which takes its
 * part of the time; with batches. */
typedef struct chain_case {
  size_t places[3]; /* of the tasks; 0: no further task */
  uint32_t batches[SMALL_DEVICES];
  double waiting; /* requests that are waited for, on average */
  bool is_less;   /* the simulation waits less */
} chain_case;

static void make_chain(small_instance *s, const chain_case *of) {
  size_t task_count = 0;
  size_t device_count = 0;
  for (; task_count < 3 && of->places[task_count] > 0; task_count++) {
    device_count += of->places[task_count];
  }
  small_chain(s, task_count, device_count);
  size_t j = 0;
  for (size_t i = 0; i < task_count; i++) {
    for (size_t k = 0; k < device_count; k++) {
      const bool is_here = k >= j && k < j + of->places[i];
      s->seconds[i * device_count + k] = is_here ? 0.01 * (double)of->places[i] : HUGE_VAL;
    }
    j += of->places[i];
  }
  for (j = 0; j < device_count; j++) {
    s->devices[j].batch = of->batches[j];
  }
}

/* Rates of the answer at which nobody waits for a device. */
static void slow_down(dsm_partition *partition, double *rates, double rho) {
  const size_t places = partition->instance->task_count * partition->instance->device_count;
  for (size_t k = 0; k < places; k++) {
    rates[k] = partition->rates[k] / partition->rho * rho;
  }
  partition->rates = rates;
  partition->rho = rho;
}

START_TEST(means_are_those_of_the_simulation) {
  static const chain_case cases[] = {
      {{1, 2}, {2, 4, 8}, 0.5 + (1 + 3) / 2., false}, /* a stream that is split */
      {{2, 1}, {4, 4, 4}, 1.5, false},                /* batches that are passed on */
      {{2, 1}, {1, 1, 8}, 7, true},                   /* two streams that fill one batch */
      {{1, 1, 1}, {2, 2, 8}, 3.5, false}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    enum { REQUESTS = 40000 };
    const double rho = 0.2;
    small_instance s;
    make_chain(&s, &cases[c]);
    dsm_partition *solved = NULL;
    ck_assert_int_eq(dsm_partition_solve(&solved, &s.instance, NULL, NULL), DSM_OK);
    double rates[SMALL_TASKS * SMALL_DEVICES];
    slow_down(solved, rates, rho);
    dsm__arena *const arena = dsm__arena_new();
    double seconds = 0;
    ck_assert(dsm__batch_mean_find(&seconds, arena, &s.instance, rates, rho, NULL));
    dsm__arena_free(arena);
    ck_assert_double_le(fabs(seconds / rho - cases[c].waiting / rho), 0.6);
    const dsm_dispatch_options come = {.request_count = REQUESTS, .rate = rho, .seed = 3};
    dsm_dispatch *dispatch = NULL;
    ck_assert_int_eq(dsm_dispatch_run(&dispatch, solved, &come, NULL), DSM_OK);
    const double mean = dispatch->mean_latency_seconds;
    ck_assert_double_le(mean, seconds / rho * 1.03);
    ck_assert(cases[c].is_less || mean >= seconds / rho * 0.97);
    dsm_dispatch_free(dispatch);
    dsm_partition_free(solved);
  }
}
END_TEST

/* Eight requests of 10 ms each on one device, of 1 ms each in a batch of 8 that takes 8 ms: with a
 * limit of 12 ms they come at 1 / ms, wait 3.5 ms and take 8. */
START_TEST(a_batch_within_the_limit_by_hand) {
  static const uint32_t sizes[] = {1, 8};
  static const struct {
    double limit;
    double rho;
    double mean;
  } cases[] = {{12e-3, 1000, 11.5e-3}, {11e-3, 100, 10e-3}, {9e-3, 0, 0}};
  const dsm_batch_time times[] = {{1, 10e-3}, {8, 8e-3}};
  const dsm_batch_table table = {times, 2};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    small_instance s;
    small_chain(&s, 1, 1);
    s.seconds[0] = 10e-3;
    s.devices[0].batch_sizes = sizes;
    s.devices[0].batch_size_count = 2;
    s.instance.tables = &table;
    dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
    options.latency_limit_seconds = cases[c].limit;
    dsm_partition *found = NULL;
    const dsm_status status = dsm_partition_solve(&found, &s.instance, &options, NULL);
    ck_assert_int_eq(status, cases[c].rho > 0 ? DSM_OK : DSM_ERROR_INFEASIBLE);
    if (status == DSM_OK) {
      ck_assert_double_eq_tol(found->rho, cases[c].rho, 1e-4 * cases[c].rho);
      ck_assert_double_eq_tol(found->mean_latency_seconds, cases[c].mean, 1e-8);
      ck_assert_int_eq(found->status, DSM_SOLUTION_OPTIMAL);
    }
    dsm_partition_free(found);
  }
}
END_TEST

/* Where requests come seldom batches are full too late, and the finding says so. */
START_TEST(a_rate_that_is_too_low_is_told) {
  small_instance s;
  small_chain(&s, 1, 1);
  s.devices[0].batch = 8;
  s.devices[0].has_power = true;
  s.devices[0].busy_watts = 1;
  dsm_partition_options options = exactly(DSM_OBJECTIVE_ENERGY);
  options.latency_limit_seconds = 20;
  options.required_rho = 0.1;
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_partition *found = NULL;
  ck_assert_int_eq(dsm_partition_solve(&found, &s.instance, &options, diags), DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, "batches are full too late"));
  dsm_diags_free(diags);
}
END_TEST

Suite *suite_batch_limit(void) {
  Suite *const suite = suite_create("batch_limit");
  TCase *const twins = tcase_create("twins");
  tcase_set_timeout(twins, 600);
  tcase_add_loop_test(twins, one_place_equals_the_enumeration, 0, LOOPS);
  tcase_add_loop_test(twins, equal_batches_equal_the_enumeration, 0, LOOPS);
  tcase_add_test(twins, limits_in_order);
  tcase_add_test(twins, means_are_those_of_the_simulation);
  suite_add_tcase(suite, twins);
  TCase *const plain = tcase_create("plain");
  tcase_add_test(plain, a_batch_within_the_limit_by_hand);
  tcase_add_test(plain, a_rate_that_is_too_low_is_told);
  suite_add_tcase(suite, plain);
  return suite;
}

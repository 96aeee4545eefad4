/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_stage_bound.c: the best runs of tasks against all ways to cut and place them, and against
 * the best stages. */
#include "partition/assignment.h"

#include <math.h>

#include "enumerate.h"
#include "how_many.h"
#include "small_instance.h"
#include "suites.h"

static const double close = 1e-9;

/* ---- all runs ---- */

static bool are_runs(const dsm_instance *it, const size_t *device) {
  for (size_t a = 0; a < it->task_count; a++) {
    for (size_t b = a + 1; b < it->task_count; b++) {
      if (device[a] == device[b] && device[b - 1] != device[a]) {
        return false;
      }
    }
  }
  return true;
}

/* Seconds of a device's tasks, and of its link with each tensor that is needed elsewhere once;
 * infinite: it cannot hold or run them. */
static void count_device(const dsm_instance *it, const dsm_partition_options *options,
                         const size_t *device, size_t j, double *busy, double *sending) {
  const dsm_instance_device *const of = &it->devices[j];
  const double batch = dsm_instance_batch(it, j);
  double need = 0;
  *busy = *sending = 0;
  for (size_t i = 0; i < it->task_count; i++) {
    double results = it->tasks[i].output_bytes;
    for (size_t t = 0; t < it->tensor_count && device[i] == j; t++) {
      const dsm_tensor *const tensor = &it->tensors[t];
      bool leaves = false;
      for (size_t k = 0; k < tensor->consumer_count; k++) {
        leaves = leaves || device[tensor->consumers[k]] != j;
      }
      if (tensor->producer == i) {
        results = it->tasks[i].result_bytes;
        const double bytes = leaves ? tensor->bytes * small_elements(it, j) : 0;
        *sending +=
            bytes > 0 ? bytes / of->link_bytes_per_second + of->transfer_seconds / batch : 0;
      }
    }
    if (device[i] == j) {
      results *= options->does_keep_results ? 0 : small_elements(it, j);
      *sending +=
          results > 0 ? results / of->link_bytes_per_second + of->transfer_seconds / batch : 0;
      *busy += dsm_instance_seconds(it, i, j);
      need += it->tasks[i].weights_bytes * small_weights(it, j);
      need += options->does_count_activations
                  ? batch * it->tasks[i].activation_bytes * small_elements(it, j)
                  : 0;
    }
  }
  *busy = need > of->memory_bytes * (1 + 1e-12) ? HUGE_VAL : *busy;
}

static double seconds_of(const dsm_instance *it, const dsm_partition_options *options,
                         const size_t *device) {
  const bool is_latency = options->objective == DSM_OBJECTIVE_LATENCY;
  double seconds = 0;
  for (size_t j = 0; j < it->device_count; j++) {
    double busy = 0;
    double sending = 0;
    count_device(it, options, device, j, &busy, &sending);
    seconds = is_latency ? seconds + dsm_instance_batch(it, j) * (busy + sending)
                         : fmax(seconds, fmax(busy, sending));
  }
  return seconds;
}

static double best_of_all(const dsm_instance *it, const dsm_partition_options *options) {
  size_t device[SMALL_TASKS] = {0};
  double best = HUGE_VAL;
  size_t i = 0;
  while (i < it->task_count) {
    best = are_runs(it, device) ? fmin(best, seconds_of(it, options, device)) : best;
    for (i = 0; i < it->task_count && ++device[i] == it->device_count; i++) {
      device[i] = 0;
    }
  }
  return best;
}

static double bound_of(const small_instance *s, const dsm_partition_options *options) {
  double seconds = 0;
  dsm__arena *const arena = dsm__arena_new();
  ck_assert(dsm__stage_bound_find(&seconds, arena, &s->instance, options));
  dsm__arena_free(arena);
  return seconds;
}

static void draw(small_instance *s, dsm_partition_options *options, uint64_t seed) {
  small_random(s, seed, 5, 3);
  dsm_partition_options_init(options);
  options->is_staged = true;
  options->copies_max = 1;
  options->does_count_activations = seed % 2 == 0;
  options->does_keep_results = seed % 3 == 0;
  options->objective = seed % 4 == 3 ? DSM_OBJECTIVE_LATENCY : DSM_OBJECTIVE_THROUGHPUT;
}

START_TEST(bounds_are_those_of_all_runs) {
  for (uint64_t seed = 0; seed < HOW_MANY(4000, 500, 100); seed++) {
    small_instance s;
    dsm_partition_options options;
    draw(&s, &options, seed);
    small_precision(&s, seed);
    for (size_t j = 0; j < s.instance.device_count; j++) {
      s.devices[j].transfer_seconds = seed % 5 == j ? 0.3 : 0;
      s.devices[j].batch = seed % 7 == j ? 3 : 0;
    }
    const double twin = best_of_all(&s.instance, &options);
    const double found = bound_of(&s, &options);
    ck_assert_msg(isfinite(twin) ? fabs(found - twin) <= close * twin : found == 0,
                  "seed %llu: %.12g, twin %.12g", (unsigned long long)seed, found, twin);
  }
}
END_TEST

/* No stages are better, and on one chain they are as good. */
START_TEST(stages_are_no_better) {
  for (uint64_t seed = 0; seed < HOW_MANY(2000, 150, 50); seed++) {
    small_instance s;
    dsm_partition_options options;
    draw(&s, &options, seed);
    const bool is_latency = options.objective == DSM_OBJECTIVE_LATENCY;
    const double best = is_latency ? enumerate_latency(&s.instance, &options)
                                   : 1 / enumerate_throughput(&s.instance, &options);
    const double found = bound_of(&s, &options);
    if (isfinite(best)) {
      ck_assert_msg(found <= best * (1 + 1e-6), "seed %llu: %.9g, stages %.9g",
                    (unsigned long long)seed, found, best);
      ck_assert_double_gt(found, 0);
    }
    small_relink(&s);
    for (size_t i = 0; i < s.instance.task_count; i++) {
      s.tasks[i].result_bytes = 0;
    }
    const double chain = is_latency ? enumerate_latency(&s.instance, &options)
                                    : 1 / enumerate_throughput(&s.instance, &options);
    if (isfinite(chain)) {
      ck_assert_double_eq_tol(bound_of(&s, &options), chain, 1e-6 * chain);
    }
  }
}
END_TEST

START_TEST(nothing_is_said_of_what_is_no_stage) {
  small_instance s;
  dsm_partition_options options;
  draw(&s, &options, 0);
  options.is_staged = false;
  ck_assert_double_eq(bound_of(&s, &options), 0);
  options.is_staged = true;
  options.objective = DSM_OBJECTIVE_ENERGY;
  ck_assert_double_eq(bound_of(&s, &options), 0);
}
END_TEST

Suite *suite_stage_bound(void) {
  Suite *const suite = suite_create("stage bound");
  TCase *const tests = tcase_create("stage bound");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, bounds_are_those_of_all_runs);
  tcase_add_test(tests, stages_are_no_better);
  tcase_add_test(tests, nothing_is_said_of_what_is_no_stage);
  suite_add_tcase(suite, tests);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_solve.c: answers against cases solved by hand and against the twin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dispatch.h"
#include "enumerate.h"
#include "how_many.h"
#include "small_instance.h"
#include "suites.h"

static const double close = 1e-6;

static dsm_partition_options exactly(dsm_objective_kind objective) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = objective;
  options.gap = 0;
  options.does_keep_results = true;
  return options;
}

static double solved(const small_instance *s, const dsm_partition_options *options) {
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &s->instance, options, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding");
  const double objective = partition->objective;
  ck_assert_int_eq(partition->status, DSM_SOLUTION_OPTIMAL);
  dsm_partition_free(partition);
  dsm_diags_free(diags);
  return objective;
}

/* ---- by hand ---- */

START_TEST(two_equal_devices_double_the_rate) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.seconds[0] = s.seconds[1] = 0.5;
  const dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  ck_assert_double_eq_tol(solved(&s, &options), 4, close);
}
END_TEST

START_TEST(no_options_are_the_defaults) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.seconds[0] = s.seconds[1] = 0.5;
  dsm_partition *partition = NULL;
  dsm_dispatch *dispatch = NULL;
  char *programme = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, &s.instance, NULL, NULL), DSM_OK);
  ck_assert_double_eq_tol(partition->objective, 4, close);
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, partition, NULL, NULL), DSM_OK);
  ck_assert_uint_eq(dispatch->options.request_count, 1000);
  ck_assert_int_eq(dsm_partition_mps(&programme, &s.instance, NULL, NULL), DSM_OK);
  dsm_partition_baseline baselines[DSM_BASELINE_KIND_COUNT];
  dsm_partition_baselines(&s.instance, NULL, baselines);
  ck_assert_double_eq_tol(baselines[DSM_BASELINE_BEST_DEVICE].rho, 2, close);
  free(programme);
  dsm_dispatch_free(dispatch);
  dsm_partition_free(partition);
}
END_TEST

/* p = [[1, 10], [10, 1]] */
static void opposites(small_instance *s) {
  small_chain(s, 2, 2);
  s->seconds[1] = s->seconds[2] = 10;
  s->devices[0].memory_bytes = s->devices[1].memory_bytes = 1;
}

START_TEST(each_device_runs_what_it_is_good_at) {
  small_instance s;
  opposites(&s);
  const dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  ck_assert_double_eq_tol(solved(&s, &options), 1, close);
}
END_TEST

START_TEST(a_link_halves_the_rate) {
  small_instance s;
  opposites(&s);
  s.tasks[0].output_bytes = 4;
  s.devices[0].link_bytes_per_second = 2;
  small_relink(&s);
  const dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  ck_assert_double_eq_tol(solved(&s, &options), 0.5, close);
}
END_TEST

/* The fast device runs nearly all; what the slow ones add is exact all the same. */
START_TEST(slow_devices_take_their_part) {
  small_instance s;
  small_chain(&s, 1, 3);
  s.seconds[0] = 0.0007;
  s.seconds[1] = 6.5;
  s.seconds[2] = 0.01;
  s.tasks[0].output_bytes = 10;
  s.devices[1].link_bytes_per_second = 1.7;
  s.devices[2].link_bytes_per_second = 0.5;
  dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  options.does_keep_results = false;
  ck_assert_double_eq_tol(solved(&s, &options), 1 / 0.0007 + 1 / 6.5 + 0.5 / 10, close);
}
END_TEST

/* The second task runs on the second device alone, which has room for one task more. Its link is
 * slow, so the third task is worth most there, though it takes 16,000 s: what it uses is not sent.
 */
START_TEST(a_slow_device_spares_its_link) {
  small_instance s;
  small_chain(&s, 3, 2);
  const double seconds[] = {3e-5, 9e-6, (double)INFINITY, 2.6e-6, 2e-6, 16000};
  memcpy(s.seconds, seconds, sizeof seconds);
  s.tasks[0].weights_bytes = s.tasks[2].weights_bytes = 4;
  s.tasks[1].weights_bytes = 0;
  s.tasks[1].output_bytes = 9;
  s.devices[1].memory_bytes = 7;
  s.devices[1].link_bytes_per_second = 0.0013;
  small_relink(&s);
  const dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  const double rate = 0.0013 / 9 + 1.0 / 16000;
  ck_assert_double_eq_tol(solved(&s, &options), rate, close * rate);
}
END_TEST

/* The last task runs on the second device alone; its results take its link twice as long. */
START_TEST(results_that_leave_take_the_link) {
  small_instance s;
  opposites(&s);
  s.tasks[1].output_bytes = 3;
  s.devices[1].link_bytes_per_second = 1;
  dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  ck_assert_double_eq_tol(solved(&s, &options), 1, close);
  options.does_keep_results = false;
  ck_assert_double_eq_tol(solved(&s, &options), 1.0 / 3, close);
}
END_TEST

/* Two consumers on one other device: the tensor of 2 bytes goes there once. */
START_TEST(a_tensor_goes_once_to_a_device) {
  small_instance s;
  small_chain(&s, 3, 2);
  s.seconds[0 * 2 + 1] = s.seconds[1 * 2 + 0] = s.seconds[2 * 2 + 0] = HUGE_VAL;
  s.seconds[1 * 2 + 1] = s.seconds[2 * 2 + 1] = 0.1;
  s.devices[0].link_bytes_per_second = 1;
  s.instance.tensor_count = 1;
  s.consumers[0][0] = 1;
  s.consumers[0][1] = 2;
  s.tensors[0] =
      (dsm_tensor){.producer = 0, .bytes = 2, .consumers = s.consumers[0], .consumer_count = 2};
  dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  ck_assert_double_eq_tol(solved(&s, &options), 0.5, close);
  options.objective = DSM_OBJECTIVE_LATENCY;
  ck_assert_double_eq_tol(solved(&s, &options), 1 + 2 + 0.1 + 0.1, close);
}
END_TEST

/* Two consumers on two other devices: it goes to each. */
START_TEST(a_tensor_goes_to_each_device) {
  small_instance s;
  small_chain(&s, 3, 3);
  for (size_t k = 0; k < 9; k++) {
    s.seconds[k] = k % 4 == 0 ? 0.1 : HUGE_VAL;
  }
  s.devices[0].link_bytes_per_second = 1;
  s.instance.tensor_count = 1;
  s.consumers[0][0] = 1;
  s.consumers[0][1] = 2;
  s.tensors[0] =
      (dsm_tensor){.producer = 0, .bytes = 2, .consumers = s.consumers[0], .consumer_count = 2};
  const dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  ck_assert_double_eq_tol(solved(&s, &options), 0.25, close);
}
END_TEST

/* A join of two branches made on two devices: one of the two tensors has to move, also when the
 * join may run on either device. (That running it twice is no way round this is (7) with
 * equality.) */
START_TEST(a_join_moves_one_of_its_inputs) {
  small_instance s;
  small_chain(&s, 3, 2);
  s.seconds[0 * 2 + 0] = s.seconds[1 * 2 + 1] = 0.1;
  s.seconds[0 * 2 + 1] = s.seconds[1 * 2 + 0] = HUGE_VAL;
  s.seconds[2 * 2 + 0] = s.seconds[2 * 2 + 1] = 0.1;
  s.devices[0].link_bytes_per_second = s.devices[1].link_bytes_per_second = 1;
  s.instance.tensor_count = 2;
  for (size_t t = 0; t < 2; t++) {
    s.consumers[t][0] = 2;
    s.tensors[t] =
        (dsm_tensor){.producer = t, .bytes = 2, .consumers = s.consumers[t], .consumer_count = 1};
  }
  const dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  /* half of the joins on each device: each link carries a tensor for every second request */
  ck_assert_double_eq_tol(solved(&s, &options), 1, close);
}
END_TEST

/* One second of work: a thrifty device that is not fast enough alone, and a wasteful one. */
START_TEST(energy_uses_the_thrifty_device_first) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.devices[0].has_power = s.devices[1].has_power = true;
  s.devices[0].busy_watts = 10;
  s.devices[0].idle_watts = 1;
  s.devices[1].busy_watts = 50;
  s.devices[1].idle_watts = 2;
  dsm_partition_options options = exactly(DSM_OBJECTIVE_ENERGY);
  options.required_rho = 0.5;
  ck_assert_double_eq_tol(solved(&s, &options), (5.5 + 2) / 0.5, close);
  options.required_rho = 1.5;
  ck_assert_double_eq_tol(solved(&s, &options), (10 + 26) / 1.5, close);
}
END_TEST

/* ---- against the twin ---- */

/* Solves; compares with what the twin says, which is `none` where there is no answer. */
static void compare(uint64_t seed, const small_instance *s, const dsm_partition_options *options,
                    double twin, double none) {
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &s->instance, options, diags);
  const char *const said =
      dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding";
  if (twin == none) {
    ck_assert_msg(status == DSM_ERROR_INFEASIBLE, "seed %llu: no answer expected: %s",
                  (unsigned long long)seed, said);
    ck_assert_ptr_null(partition);
    ck_assert_uint_gt(dsm_diags_count(diags), 0);
  } else {
    ck_assert_msg(status == DSM_OK, "seed %llu: %s", (unsigned long long)seed, said);
    ck_assert_msg(fabs(partition->objective - twin) <= 2e-6 * twin,
                  "seed %llu: %.9g, the twin says %.9g", (unsigned long long)seed,
                  partition->objective, twin);
    const double sign = options->objective == DSM_OBJECTIVE_THROUGHPUT ? 1 : -1;
    ck_assert_double_ge(sign * (partition->relaxation - twin), -1e-6 * twin);
    ck_assert_double_ge(sign * (partition->bound - twin), -1e-6 * twin);
    ck_assert_double_le(sign * (partition->bound - partition->relaxation), 1e-6 * twin);
    ck_assert_int_eq(partition->status, DSM_SOLUTION_OPTIMAL);
    ck_assert_int_eq(dsm_partition_validate(partition, NULL), DSM_OK);
  }
  dsm_partition_free(partition);
  dsm_diags_free(diags);
}

static dsm_partition_options drawn(uint64_t seed, dsm_objective_kind objective) {
  dsm_partition_options options = exactly(objective);
  options.does_keep_results = seed % 3 == 0;
  options.does_count_activations = seed % 5 == 0;
  return options;
}

/* Small ones first, then larger ones, which have more storages. */
static void draw(small_instance *s, uint64_t seed) {
  small_random(s, seed, seed % 2 == 0 ? 6 : 4, 3);
}

START_TEST(throughput_equals_the_twin) {
  const uint64_t first = (uint64_t)_i * 100;
  for (uint64_t seed = first; seed < first + 100; seed++) {
    small_instance s;
    draw(&s, seed);
    const dsm_partition_options options = drawn(seed, DSM_OBJECTIVE_THROUGHPUT);
    compare(seed, &s, &options, enumerate_throughput(&s.instance, &options), 0);
  }
}
END_TEST

START_TEST(latency_equals_the_twin) {
  const uint64_t first = (uint64_t)_i * 100;
  for (uint64_t seed = first; seed < first + 100; seed++) {
    small_instance s;
    draw(&s, seed);
    const dsm_partition_options options = drawn(seed, DSM_OBJECTIVE_LATENCY);
    compare(seed, &s, &options, enumerate_latency(&s.instance, &options), HUGE_VAL);
  }
}
END_TEST

START_TEST(energy_equals_the_twin) {
  const uint64_t first = (uint64_t)_i * 100;
  for (uint64_t seed = first; seed < first + 100; seed++) {
    small_instance s;
    draw(&s, seed);
    for (size_t j = 0; j < s.instance.device_count; j++) {
      s.devices[j].has_power = true;
    }
    dsm_partition_options options = drawn(seed, DSM_OBJECTIVE_THROUGHPUT);
    const double most = enumerate_throughput(&s.instance, &options);
    options.objective = DSM_OBJECTIVE_ENERGY;
    /* easy, hard, and out of reach */
    options.required_rho =
        most > 0 ? most * (seed % 3 == 2 ? 1.01 : 0.4 + 0.5 * (double)(seed % 3)) : 1;
    compare(seed, &s, &options, enumerate_energy(&s.instance, &options), HUGE_VAL);
  }
}
END_TEST

typedef struct told {
  size_t count;
  dsm_partition_progress last;
  double sign;
} told;

/* Bounds are never behind the best, and come closer. */
static void note(void *context, const dsm_partition_progress *at) {
  told *const t = context;
  ck_assert_double_ge(at->seconds, t->last.seconds);
  if (at->has_best) {
    ck_assert_double_ge(t->sign * (at->bound - at->best), 0);
    ck_assert(!t->last.has_best || t->sign * (at->best - t->last.best) >= -1e-9 * at->best);
  } else {
    ck_assert(!t->last.has_best && isinf(at->gap));
  }
  t->last = *at;
  t->count++;
}

START_TEST(progress_is_told) {
  for (uint64_t seed = 0; seed < 30; seed++) {
    small_instance s;
    small_random(&s, seed, 6, 3);
    told t = {.sign = seed % 2 == 0 ? 1 : -1};
    dsm_partition_options options =
        drawn(seed, seed % 2 == 0 ? DSM_OBJECTIVE_THROUGHPUT : DSM_OBJECTIVE_LATENCY);
    options.report = note;
    options.context = &t;
    dsm_partition *partition = NULL;
    if (dsm_partition_solve(&partition, &s.instance, &options, NULL) == DSM_OK) {
      ck_assert_uint_gt(t.count, 0);
      ck_assert_double_ge(t.sign * (t.last.bound - partition->objective),
                          -1e-6 * partition->objective);
    }
    dsm_partition_free(partition);
  }
}
END_TEST

/* Times of 0, which limit nothing. */
START_TEST(instant_tasks_equal_the_twin) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(300, 30, 10);
  for (uint64_t seed = first; seed < first + HOW_MANY(300, 30, 10); seed++) {
    small_instance s;
    draw(&s, seed);
    small_instant(&s, seed);
    for (size_t j = 0; j < s.instance.device_count; j++) {
      s.devices[j].has_power = true;
    }
    dsm_partition_options options = drawn(seed, DSM_OBJECTIVE_THROUGHPUT);
    options.copies_max = s.instance.task_count <= 4 ? seed / 2 % 3 : 0;
    const double most = enumerate_throughput(&s.instance, &options);
    compare(seed, &s, &options, most, 0);
    options.objective = DSM_OBJECTIVE_ENERGY;
    options.required_rho = most > 0 ? most * (seed % 3 == 2 ? 1.01 : 0.7) : 1;
    compare(seed, &s, &options, enumerate_energy(&s.instance, &options), HUGE_VAL);
    options.objective = DSM_OBJECTIVE_LATENCY;
    options.copies_max = 0;
    compare(seed, &s, &options, enumerate_latency(&s.instance, &options), HUGE_VAL);
  }
}
END_TEST

/* With one copy or two of each task; some devices have room for all. */
START_TEST(few_copies_equal_the_twin) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(200, 30, 15);
  for (uint64_t seed = first; seed < first + HOW_MANY(200, 30, 15); seed++) {
    small_instance s;
    const size_t copies_max = 1 + seed % 2;
    small_random(&s, seed, copies_max == 1 ? 6 : 4, 3);
    for (size_t j = 0; j < s.instance.device_count; j++) {
      s.devices[j].has_power = true;
    }
    dsm_partition_options options = drawn(seed, DSM_OBJECTIVE_THROUGHPUT);
    options.copies_max = copies_max;
    const double most = enumerate_throughput(&s.instance, &options);
    compare(seed, &s, &options, most, 0);
    options.objective = DSM_OBJECTIVE_ENERGY;
    options.required_rho = most > 0 ? most * (seed % 3 == 2 ? 1.01 : 0.7) : 1;
    compare(seed, &s, &options, enumerate_energy(&s.instance, &options), HUGE_VAL);
  }
}
END_TEST

/* Stages, few cuts, and both; the twin has each task in one place by itself. */
START_TEST(stages_and_cuts_equal_the_twin) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(300, 30, 15);
  for (uint64_t seed = first; seed < first + HOW_MANY(300, 30, 15); seed++) {
    small_instance s;
    small_random(&s, seed, 6, 3);
    for (size_t j = 0; j < s.instance.device_count; j++) {
      s.devices[j].has_power = true;
    }
    dsm_partition_options options = drawn(seed, DSM_OBJECTIVE_THROUGHPUT);
    options.is_staged = seed % 3 != 1;
    options.cuts_max = seed % 3 != 0 ? 1 + seed / 3 % 3 : 0;
    options.copies_max = 1; /* the library means it too */
    const double most = enumerate_throughput(&s.instance, &options);
    const double least = enumerate_latency(&s.instance, &options);
    options.copies_max = seed % 2;
    compare(seed, &s, &options, most, 0);
    options.objective = DSM_OBJECTIVE_LATENCY;
    compare(seed, &s, &options, least, HUGE_VAL);
    options.objective = DSM_OBJECTIVE_ENERGY;
    options.required_rho = most > 0 ? most * (seed % 5 == 2 ? 1.01 : 0.7) : 1;
    options.copies_max = 1;
    const double energy = enumerate_energy(&s.instance, &options);
    compare(seed, &s, &options, energy, HUGE_VAL);
  }
}
END_TEST

/* One group of two or three tasks, alone, in one place, and in stages; times that pins take away.
 */
START_TEST(groups_and_pins_equal_the_twin) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(300, 30, 15);
  for (uint64_t seed = first; seed < first + HOW_MANY(300, 30, 15); seed++) {
    small_instance s;
    small_random(&s, seed, 5, 3);
    const size_t task_count = s.instance.task_count;
    if (seed % 4 == 0 && s.instance.device_count > 1) {
      for (size_t i = 1; i < task_count; i += 2) {
        s.seconds[i * s.instance.device_count] = HUGE_VAL;
      }
    }
    small_group(&s, seed % 2);
    dsm_partition_options options = drawn(seed, DSM_OBJECTIVE_THROUGHPUT);
    options.copies_max = seed / 2 % 2;
    options.is_staged = seed % 8 == 2;
    compare(seed, &s, &options, enumerate_throughput(&s.instance, &options), 0);
    options.objective = DSM_OBJECTIVE_LATENCY;
    compare(seed, &s, &options, enumerate_latency(&s.instance, &options), HUGE_VAL);
  }
}
END_TEST

/* Two tasks of a second on three equal devices: in one place each they take a second. Two copies
 * are enough to share the work out evenly: one task on the first and second, one on the second and
 * third. */
/* A network like those of planners: a CPU that takes 20 s for a task, accelerators that take
 * hundredths, tensors of megabytes, and one of 4 bytes, which takes 2e-9 s and a ten-thousand-
 * millionth of the longest time. With 0 bytes instead everything is the same. */
START_TEST(a_tiny_tensor_leaves_the_bound_as_it_is) {
  dsm_partition *made[2] = {NULL, NULL};
  for (int run = 0; run < 2; run++) {
    small_instance s;
    small_chain(&s, 8, 4);
    for (size_t i = 0; i < 8; i++) {
      s.tasks[i].weights_bytes = 1e6 * (double)(1 + i % 3);
      s.tasks[i].output_bytes = i == 4 ? 4 * run : 1e6 * (double)(1 + i);
      for (size_t j = 0; j < 4; j++) {
        s.seconds[i * 4 + j] = j == 0 ? 20 : 0.02 * (double)(1 + i % 4);
      }
    }
    small_relink(&s);
    for (size_t j = 1; j < 4; j++) {
      s.devices[j].memory_bytes = 6e6;
      s.devices[j].link_bytes_per_second = 2147483648;
    }
    dsm_diags *const diags = dsm_diags_new(10);
    const dsm_status status = dsm_partition_solve(&made[run], &s.instance, NULL, diags);
    ck_assert_int_eq(status, DSM_OK);
    ck_assert_uint_eq(dsm_diags_count(diags), 0);
    ck_assert_int_eq(made[run]->status, DSM_SOLUTION_OPTIMAL);
    dsm_diags_free(diags);
  }
  ck_assert_double_eq_tol(made[0]->relaxation, made[1]->relaxation, 1e-6 * made[0]->relaxation);
  ck_assert_double_eq_tol(made[0]->rho, made[1]->rho, 2e-4 * made[0]->rho);
  dsm_partition_free(made[0]);
  dsm_partition_free(made[1]);
}
END_TEST

/* Two tasks that take 1e-9 and 100 s: GLPK is not relied on, and no relaxation is stated. */
START_TEST(a_relaxation_that_is_not_known_is_infinite) {
  small_instance s;
  small_chain(&s, 2, 2);
  s.seconds[0] = s.seconds[1] = 1e-9;
  s.seconds[2] = s.seconds[3] = 100;
  dsm_partition *partition = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, &s.instance, NULL, NULL), DSM_OK);
  ck_assert(isinf(partition->relaxation) && partition->relaxation > 0);
  ck_assert(isfinite(partition->bound));
  dsm_partition_free(partition);
}
END_TEST

START_TEST(copies_are_what_is_limited) {
  static const double rates[] = {1.5, 1, 1.5, 1.5};
  small_instance s;
  small_chain(&s, 2, 3);
  dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  for (size_t copies = 0; copies < sizeof rates / sizeof rates[0]; copies++) {
    options.copies_max = copies;
    ck_assert_double_eq_tol(solved(&s, &options), rates[copies], close);
  }
}
END_TEST

/* ---- on chains without memory limits a dynamic programme is exact ---- */

START_TEST(latency_of_a_chain_equals_a_dynamic_programme) {
  for (uint64_t seed = 0; seed < 60; seed++) {
    small_instance s;
    small_random(&s, seed, 8, 4);
    small_relink(&s);
    const dsm_instance *const it = &s.instance;
    double best[SMALL_DEVICES] = {0};
    for (size_t j = 0; j < it->device_count; j++) {
      s.devices[j].memory_bytes = HUGE_VAL;
    }
    for (size_t i = 0; i < it->task_count; i++) {
      double next[SMALL_DEVICES];
      for (size_t j = 0; j < it->device_count; j++) {
        double least = best[j];
        for (size_t k = 0; k < it->device_count && i > 0; k++) {
          const double moved = it->tasks[i - 1].output_bytes / it->devices[k].link_bytes_per_second;
          least = fmin(least, best[k] + (k == j ? 0 : moved));
        }
        next[j] = least + dsm_instance_seconds(it, i, j);
      }
      memcpy(best, next, sizeof best);
    }
    double least = HUGE_VAL;
    for (size_t j = 0; j < it->device_count; j++) {
      least = fmin(least, best[j]);
    }
    const dsm_partition_options options = exactly(DSM_OBJECTIVE_LATENCY);
    compare(seed, &s, &options, least, HUGE_VAL);
  }
}
END_TEST

Suite *suite_solve(void) {
  Suite *const suite = suite_create("solve");
  TCase *const hand = tcase_create("by hand");
  tcase_add_test(hand, two_equal_devices_double_the_rate);
  tcase_add_test(hand, no_options_are_the_defaults);
  tcase_add_test(hand, each_device_runs_what_it_is_good_at);
  tcase_add_test(hand, a_link_halves_the_rate);
  tcase_add_test(hand, slow_devices_take_their_part);
  tcase_add_test(hand, a_slow_device_spares_its_link);
  tcase_add_test(hand, results_that_leave_take_the_link);
  tcase_add_test(hand, a_tensor_goes_once_to_a_device);
  tcase_add_test(hand, a_tensor_goes_to_each_device);
  tcase_add_test(hand, a_join_moves_one_of_its_inputs);
  tcase_add_test(hand, energy_uses_the_thrifty_device_first);
  tcase_add_test(hand, copies_are_what_is_limited);
  tcase_add_test(hand, a_tiny_tensor_leaves_the_bound_as_it_is);
  tcase_add_test(hand, a_relaxation_that_is_not_known_is_infinite);
  suite_add_tcase(suite, hand);
  TCase *const twin = tcase_create("twin");
  tcase_set_timeout(twin, 600);
  tcase_add_test(twin, progress_is_told);
  tcase_add_loop_test(twin, instant_tasks_equal_the_twin, 0, 4);
  tcase_add_loop_test(twin, throughput_equals_the_twin, 0, 4);
  tcase_add_loop_test(twin, latency_equals_the_twin, 0, 3);
  tcase_add_loop_test(twin, energy_equals_the_twin, 0, 2);
  tcase_add_loop_test(twin, few_copies_equal_the_twin, 0, 2);
  tcase_add_loop_test(twin, stages_and_cuts_equal_the_twin, 0, 2);
  tcase_add_loop_test(twin, groups_and_pins_equal_the_twin, 0, 2);
  tcase_add_test(twin, latency_of_a_chain_equals_a_dynamic_programme);
  suite_add_tcase(suite, twin);
  return suite;
}

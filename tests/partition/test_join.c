/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_join.c: a placement of joined tasks is one of the whole network, with the same throughput
 * and latency. */
#include <math.h>

#include "server/instance_internal.h"
#include "small_instance.h"
#include "suites.h"

enum { SEEDS = 300, TENSORS = SMALL_TASKS + SMALL_TASKS };

/* A joined instance beside the whole one. */
typedef struct joined {
  small_instance whole;
  dsm_instance *instance;
  size_t part_of[SMALL_TASKS];
} joined;

/* Each task has a weight of its own bit, so that the weights of a part say which tasks it has. */
static void join(joined *made, uint64_t seed, size_t most) {
  small_random(&made->whole, seed, SMALL_TASKS, 3);
  dsm_instance *const whole = &made->whole.instance;
  for (size_t i = 0; i < whole->task_count; i++) {
    made->whole.tasks[i].weights_bytes = ldexp(1, (int)i);
    made->whole.tasks[i].result_bytes = 0; /* a task of one layer has none */
  }
  for (size_t j = 0; j < whole->device_count; j++) {
    made->whole.devices[j].memory_bytes = j == 0 ? HUGE_VAL : ldexp(1, (int)whole->task_count - 1);
  }
  for (size_t k = 0; k < whole->task_count * whole->device_count; k++) {
    made->whole.seconds[k] =
        fmin(made->whole.seconds[k], 5); /* where none can run there is no answer */
  }
  made->instance = dsm__instance_new();
  ck_assert_ptr_nonnull(made->instance);
  struct dsm__arena *const arena = made->instance->arena;
  *made->instance = *whole;
  made->instance->arena = arena;
  ck_assert(dsm__instance_join(made->instance, most, NULL, NULL));
  for (size_t p = 0; p < made->instance->task_count; p++) {
    for (size_t i = 0; i < whole->task_count; i++) {
      if (fmod(floor(made->instance->tasks[p].weights_bytes / ldexp(1, (int)i)), 2) > 0) {
        made->part_of[i] = p;
      }
    }
  }
}

static bool is_last(const dsm_instance *instance, size_t task) {
  for (size_t t = 0; t < instance->tensor_count; t++) {
    if (instance->tensors[t].producer == task) {
      return false;
    }
  }
  return true;
}

static bool crosses(const joined *made, size_t tensor) {
  const dsm_tensor *const it = &made->whole.tensors[tensor];
  return made->part_of[it->consumers[it->consumer_count - 1]] != made->part_of[it->producer];
}

/* What the whole network sends at the rates of the parts: of each tensor between parts the copies
 * of the joined one, which stand in the same order, and all results. */
static void spread_sent(const joined *made, const dsm_partition *of, double *sent) {
  const dsm_instance *const whole = &made->whole.instance;
  const size_t device_count = whole->device_count;
  size_t next = 0;
  for (size_t t = 0; t < whole->tensor_count; t++) {
    for (size_t j = 0; j < device_count && crosses(made, t); j++) {
      sent[t * device_count + j] = of->sent[next * device_count + j];
    }
    next += crosses(made, t) ? 1 : 0;
  }
  ck_assert_uint_eq(next, made->instance->tensor_count);
  for (size_t i = 0; i < whole->task_count; i++) {
    for (size_t j = 0; j < device_count && is_last(whole, i); j++) {
      sent[(whole->tensor_count + i) * device_count + j] =
          of->rates[made->part_of[i] * device_count + j] * whole->tasks[i].output_bytes;
    }
  }
}

/* Seconds of one request whose tasks run where their parts do: all tasks, each tensor once to each
 * other device that needs it, all results. */
static double request_seconds(const joined *made, const double *rates) {
  const dsm_instance *const whole = &made->whole.instance;
  size_t device[SMALL_TASKS];
  double seconds = 0;
  for (size_t i = 0; i < whole->task_count; i++) {
    device[i] = 0;
    while (rates[i * whole->device_count + device[i]] != 1) {
      device[i]++;
    }
    const double link = whole->devices[device[i]].link_bytes_per_second;
    seconds += dsm_instance_seconds(whole, i, device[i]);
    seconds += is_last(whole, i) ? whole->tasks[i].output_bytes / link : 0;
  }
  for (size_t t = 0; t < whole->tensor_count; t++) {
    const dsm_tensor *const it = &whole->tensors[t];
    const size_t from = device[it->producer];
    unsigned targets = 0;
    for (size_t k = 0; k < it->consumer_count; k++) {
      targets |= device[it->consumers[k]] == from ? 0 : 1U << device[it->consumers[k]];
    }
    seconds += __builtin_popcount(targets) * it->bytes / whole->devices[from].link_bytes_per_second;
  }
  return seconds;
}

static void check(uint64_t seed, size_t most, dsm_objective_kind objective) {
  joined made;
  join(&made, seed, most);
  const dsm_instance *const whole = &made.whole.instance;
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = objective;
  dsm_partition *partition = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, made.instance, &options, NULL), DSM_OK);
  double rates[SMALL_TASKS * SMALL_DEVICES] = {0};
  bool is_stored[SMALL_TASKS * SMALL_DEVICES] = {0};
  double sent[TENSORS * SMALL_DEVICES] = {0};
  for (size_t i = 0; i < whole->task_count; i++) {
    for (size_t j = 0; j < whole->device_count; j++) {
      const size_t from = made.part_of[i] * whole->device_count + j;
      rates[i * whole->device_count + j] = partition->rates[from];
      is_stored[i * whole->device_count + j] = partition->is_stored[from];
    }
  }
  spread_sent(&made, partition, sent);
  dsm_partition spread = *partition;
  spread.instance = whole;
  spread.rates = rates;
  spread.is_stored = is_stored;
  spread.sent = sent;
  ck_assert_msg(dsm_partition_validate(&spread, NULL) == DSM_OK, "seed %llu, %zu parts",
                (unsigned long long)seed, most);
  if (objective == DSM_OBJECTIVE_LATENCY) {
    ck_assert_double_le(fabs(request_seconds(&made, rates) - partition->latency_seconds),
                        1e-9 * partition->latency_seconds);
  }
  dsm_partition_free(partition);
  dsm_instance_free(made.instance);
}

START_TEST(a_joined_placement_is_one_of_the_whole_network) {
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    check(seed, 1 + seed % 4, seed % 2 == 0 ? DSM_OBJECTIVE_THROUGHPUT : DSM_OBJECTIVE_LATENCY);
  }
}
END_TEST

/* Backbone, head, neck and tail of a second each: the head's result of 10 bytes leaves, the neck
 * feeds the tail. In two parts, backbone with head and neck with tail, each takes 2 s a request
 * where it runs, and the first part sends the backbone's byte and the 10 of the head over a link of
 * 2 bytes a second: at most every 5.5 s,
 * on one 4 + 11 / 2. */
START_TEST(the_result_of_a_head_leaves_a_joined_task) {
  joined made = {.instance = dsm__instance_new()};
  ck_assert_ptr_nonnull(made.instance);
  small_chain(&made.whole, 4, 2);
  const double outputs[4] = {1, 10, 1, 1};
  for (size_t i = 0; i < 4; i++) {
    made.whole.tasks[i].output_bytes = outputs[i];
  }
  small_relink(&made.whole);
  made.whole.consumers[0][0] = 1; /* the backbone feeds head and neck */
  made.whole.consumers[0][1] = 2;
  made.whole.tensors[0].consumer_count = 2;
  made.whole.tensors[1] = made.whole.tensors[2];
  made.whole.instance.tensor_count = 2;
  for (size_t j = 0; j < 2; j++) {
    made.whole.devices[j].memory_bytes = 2;
    made.whole.devices[j].link_bytes_per_second = 2;
  }
  struct dsm__arena *const arena = made.instance->arena;
  *made.instance = made.whole.instance;
  made.instance->arena = arena;
  ck_assert(dsm__instance_join(made.instance, 2, NULL, NULL));
  ck_assert_uint_eq(made.instance->task_count, 2);
  ck_assert_double_eq(made.instance->tasks[0].result_bytes, 10);
  ck_assert_double_eq(made.instance->tasks[1].result_bytes, 0);
  ck_assert_double_eq(made.instance->tasks[1].output_bytes, 1);
  dsm_partition *partition = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, made.instance, NULL, NULL), DSM_OK);
  ck_assert_double_le(fabs(partition->rho - 1 / 5.5), 1e-6);
  ck_assert_double_le(fabs(partition->latency_seconds - (4 + 11 / 2.0 + 1 / 2.0)), 1e-6);
  dsm_partition_free(partition);
  dsm_instance_free(made.instance);
}
END_TEST

Suite *suite_join(void) {
  Suite *const suite = suite_create("join");
  TCase *const cases = tcase_create("join");
  tcase_set_timeout(cases, 60);
  tcase_add_test(cases, a_joined_placement_is_one_of_the_whole_network);
  tcase_add_test(cases, the_result_of_a_head_leaves_a_joined_task);
  suite_add_tcase(suite, cases);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * initial_assignments.c: contiguous splits by dynamic programming, and filling up.
 *
 * A state is a set of devices and how many of the first tasks they run, each one run of them. The
 * best split of a state ends in a run on one of its devices, before which stands the best split of
 * the rest: what a run costs depends on its device, its begin and its end alone, where all that
 * crosses the end counts as sent, and not on who runs the tasks behind. So the least over the last
 * device and the last run's begin is the best of the state, in time that grows with 2^m m n^2.
 */
#include "partition/assignment.h"

#include <math.h>
#include <stdint.h>

#include "partition/instance_facts.h"

/* Work is 2^devices * devices * tasks^2. */
enum { SPLIT_DEVICES_MAX = 10, SPLIT_TASKS_MAX = 400, INITIAL_MAX = 4 };
static const double split_work_max = 3e8;

typedef struct splitter {
  const dsm_instance *instance;
  const dsm_partition_options *options;
  double *cost;    /* [set * (n + 1) + tasks]: best for the first tasks on a set of devices */
  uint16_t *from;  /* tasks before the last run */
  uint8_t *last;   /* device of the last run */
  double *cut;     /* [i]: bytes that cross behind task i, as stated */
  double *seconds; /* [j * (n + 1) + i]: of the first i tasks; infinite from one that cannot run */
  double *need;    /* [j * (n + 1) + i]: of the first i tasks */
  double least;    /* of all tasks, on the best set */
} splitter;

/* Bytes that cross between the first `end` tasks and the others, once each. */
static double crossing(const dsm_instance *instance, const dsm_partition_options *options,
                       size_t end) {
  double bytes = 0;
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    if (it->producer < end && it->consumers[it->consumer_count - 1] >= end) {
      bytes += it->bytes;
    }
  }
  if (end == instance->task_count && dsm__leaves(instance, options, end - 1)) {
    bytes += instance->tasks[end - 1].output_bytes;
  }
  return bytes;
}

static bool reserve(splitter *s, dsm__arena *arena) {
  const size_t task_count = s->instance->task_count;
  const size_t device_count = s->instance->device_count;
  const size_t states = ((size_t)1 << device_count) * (task_count + 1);
  return DSM__RESERVE(arena, s->cost, states) && DSM__RESERVE(arena, s->from, states) &&
         DSM__RESERVE(arena, s->last, states) && DSM__RESERVE(arena, s->cut, task_count + 1) &&
         DSM__RESERVE(arena, s->need, (task_count + 1) * device_count) &&
         DSM__RESERVE(arena, s->seconds, (task_count + 1) * device_count);
}

static void survey(splitter *s) {
  const size_t task_count = s->instance->task_count;
  for (size_t i = 0; i < task_count; i++) {
    s->cut[i + 1] = crossing(s->instance, s->options, i + 1);
    for (size_t j = 0; j < s->instance->device_count; j++) {
      double *const sums = &s->seconds[j * (task_count + 1)];
      sums[i + 1] = sums[i] + dsm_instance_seconds(s->instance, i, j);
      double *const needs = &s->need[j * (task_count + 1)];
      needs[i + 1] = needs[i] + dsm__task_need(s->instance, s->options, i, j);
    }
  }
}

/* Time, or for latency the sum of times, of tasks begin .. end - 1 on a device as a run. */
static double run_cost(const splitter *s, size_t begin, size_t end, size_t device) {
  const dsm_instance_device *const it = &s->instance->devices[device];
  const double *const sums = &s->seconds[device * (s->instance->task_count + 1)];
  const double *const needs = &s->need[device * (s->instance->task_count + 1)];
  if (!isfinite(sums[end]) || needs[end] - needs[begin] > it->memory_bytes) {
    return HUGE_VAL;
  }
  const double busy = sums[end] - sums[begin];
  const double sent = s->cut[end] * dsm_instance_element_ratio(s->instance, device);
  const double link = sent / it->link_bytes_per_second;
  return s->options->objective == DSM_OBJECTIVE_LATENCY ? busy + link : fmax(busy, link);
}

/* A run is on one device and its cost is known from sums over the first tasks, so that each begin
 * costs a subtraction. The sets of devices are visited in the order of their numbers: a set without
 * one of its devices is a smaller number, and is complete. */
static void extend(splitter *s, size_t set, size_t device) {
  const size_t task_count = s->instance->task_count;
  const size_t before = set & ~((size_t)1 << device);
  const bool is_sum = s->options->objective == DSM_OBJECTIVE_LATENCY;
  for (size_t end = 1; end <= task_count; end++) {
    const size_t state = set * (task_count + 1) + end;
    for (size_t begin = end; begin-- > 0;) {
      const double run = run_cost(s, begin, end, device);
      const double rest = s->cost[before * (task_count + 1) + begin];
      const double cost = is_sum ? rest + run : fmax(rest, run);
      if (cost < s->cost[state]) {
        s->cost[state] = cost;
        s->from[state] = (uint16_t)begin;
        s->last[state] = (uint8_t)device;
      }
    }
  }
}

/* False: there is no split. */
static bool split(splitter *s, bool *storage) {
  const size_t task_count = s->instance->task_count;
  const size_t device_count = s->instance->device_count;
  const size_t sets = (size_t)1 << device_count;
  size_t best = 0;
  for (size_t set = 0; set < sets; set++) {
    for (size_t i = 0; i <= task_count; i++) {
      s->cost[set * (task_count + 1) + i] = i == 0 ? 0 : HUGE_VAL;
    }
    for (size_t j = 0; j < device_count; j++) {
      if ((set >> j & 1) != 0) {
        extend(s, set, j);
      }
    }
    if (s->cost[set * (task_count + 1) + task_count] <
        s->cost[best * (task_count + 1) + task_count]) {
      best = set;
    }
  }
  if (!isfinite(s->cost[best * (task_count + 1) + task_count])) {
    return false;
  }
  s->least = s->cost[best * (task_count + 1) + task_count];
  for (size_t end = task_count; end > 0;) {
    const size_t state = best * (task_count + 1) + end;
    for (size_t i = s->from[state]; i < end; i++) {
      storage[i * device_count + s->last[state]] = true;
    }
    end = s->from[state];
    best &= ~((size_t)1 << s->last[state]);
  }
  return true;
}

/*
 * Whether no stages are better than the best split: on one chain what crosses the end of a run is
 * sent just there, and where each device can run all tasks each run was looked at.
 */
static bool is_exact(const splitter *s) {
  const dsm_instance *const instance = s->instance;
  bool is_one_chain = s->options->is_staged && s->options->cuts_max == 0 &&
                      s->options->objective != DSM_OBJECTIVE_ENERGY &&
                      instance->tensor_count + 1 == instance->task_count;
  for (size_t t = 0; t < instance->tensor_count && is_one_chain; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    is_one_chain = it->producer == t && it->consumer_count == 1 && it->consumers[0] == t + 1 &&
                   !(instance->tasks[t].result_bytes > 0);
  }
  for (size_t k = 0; k < instance->task_count * instance->device_count && is_one_chain; k++) {
    is_one_chain = isfinite(instance->seconds[k]);
  }
  for (size_t i = 0; i < instance->task_count && is_one_chain; i++) {
    is_one_chain = instance->tasks[i].group == NULL;
  }
  return is_one_chain;
}

static size_t count_copies(const dsm_instance *instance, const bool *storage, size_t task) {
  size_t count = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    count += storage[task * instance->device_count + j] ? 1 : 0;
  }
  return count;
}

/*
 * Fills what memory is left of each device, first with what gives a byte the most work.
 *
 * Copies cost nothing but memory where throughput or energy counts: a task that is stored twice can
 * run on either device, and the linear programme says how often. What a byte makes possible is the
 * time that its task takes there. Where copies are limited no task gets more, and tasks that run
 * together get none, as all of them would need one.
 */
static void fill(const dsm_instance *instance, const dsm_partition_options *options,
                 bool *storage) {
  const size_t copies_max = dsm__copies_max(instance, options);
  for (size_t j = 0; j < instance->device_count; j++) {
    double spare = instance->devices[j].memory_bytes;
    for (size_t i = 0; i < instance->task_count; i++) {
      spare -=
          storage[i * instance->device_count + j] ? dsm__task_need(instance, options, i, j) : 0;
    }
    for (;;) {
      size_t best = instance->task_count;
      double most = -1;
      for (size_t i = 0; i < instance->task_count; i++) {
        const double need = dsm__task_need(instance, options, i, j);
        const double seconds = dsm_instance_seconds(instance, i, j);
        if (storage[i * instance->device_count + j] || !isfinite(seconds) || need > spare ||
            instance->tasks[i].group != NULL || count_copies(instance, storage, i) >= copies_max) {
          continue;
        }
        const double worth = seconds / (need + 1); /* work that a byte makes possible */
        if (worth > most) {
          most = worth;
          best = i;
        }
      }
      if (best == instance->task_count) {
        break;
      }
      storage[best * instance->device_count + j] = true;
      spare -= dsm__task_need(instance, options, best, j);
    }
  }
}

static bool is_small(const dsm_instance *instance) {
  const double tasks = (double)instance->task_count;
  const double devices = (double)instance->device_count;
  return instance->device_count <= SPLIT_DEVICES_MAX && instance->task_count <= SPLIT_TASKS_MAX &&
         ldexp(devices * tasks * tasks, (int)instance->device_count) <= split_work_max;
}

typedef struct list {
  bool *storages;
  size_t count;
} list;

/* Adds the last storage as it is, and filled up. */
static void add(list *made, const dsm_instance *instance, const dsm_partition_options *options) {
  const size_t places = instance->task_count * instance->device_count;
  bool *const storage = &made->storages[made->count++ * places];
  if (options->objective != DSM_OBJECTIVE_LATENCY && dsm__copies_max(instance, options) > 1) {
    bool *const filled = &made->storages[made->count++ * places];
    for (size_t k = 0; k < places; k++) {
      filled[k] = storage[k];
    }
    fill(instance, options, filled);
  }
}

bool dsm__make_initial_assignments(dsm__initial *initial, dsm__arena *arena,
                                   const dsm_instance *instance,
                                   const dsm_partition_options *options, const size_t *device_of) {
  const size_t places = instance->task_count * instance->device_count;
  list made = {.storages = dsm__arena_array(arena, INITIAL_MAX * places, sizeof *made.storages)};
  *initial = (dsm__initial){.storages = made.storages};
  if (made.storages == NULL) {
    return false;
  }
  if (is_small(instance)) {
    splitter s = {.instance = instance, .options = options};
    if (!reserve(&s, arena)) {
      return false;
    }
    survey(&s);
    if (split(&s, made.storages)) {
      initial->staged_seconds = is_exact(&s) ? s.least : 0;
      add(&made, instance, options);
    }
  }
  for (size_t i = 0; i < instance->task_count && device_of != NULL; i++) {
    made.storages[made.count * places + i * instance->device_count + device_of[i]] = true;
  }
  if (device_of != NULL) {
    add(&made, instance, options);
  }
  initial->storage_count = made.count;
  return true;
}

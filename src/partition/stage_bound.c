/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stage_bound.c: the best of all ways to cut the order of tasks into runs, one a device, where a
 * run costs no more than it does in any answer.
 *
 * A run of tasks on a device takes at least their times, and its link at least what leaves the run
 * sent once: the outputs that a task behind it reads, however many devices do, and results. Both
 * depend on the device and the two ends of the run alone, whoever runs the rest. Stages are such
 * runs, of which each fits its device and no device has two, so that none are better than the best
 * of these: for throughput the least longest run, for latency the least sum. With the best for a
 * set of devices and the first tasks, that is found in 2^m m n^2 / 2 steps. On a chain the costs
 * are those of the answer, and the bound is the optimum; in a graph some tensors go to several
 * devices.
 *
 * By pairs tensors may go another way, so that only results count then. Ports, ways in, inputs,
 * cuts and groups only make answers worse.
 */
#include "partition/stage_bound.h"

#include <math.h>
#include <stdint.h>

#include "partition/instance_facts.h"

static const double work_max = 1e8;
/* Sums of needs are rounded. */
static const double rounding = 1e-9;

/* What leaves a run: by its begin and end. */
typedef struct leaving {
  double bytes;
  double count;
} leaving;

typedef struct finder {
  const dsm_instance *instance;
  const dsm_partition_options *options;
  leaving *leaves; /* [begin * (n + 1) + end], sizes as stated */
  double *cost;    /* [set * (n + 1) + i]: of the first i tasks on a set of devices */
} finder;

static bool is_sum(const finder *f) {
  return f->options->objective == DSM_OBJECTIVE_LATENCY;
}

static double fixed_seconds(const finder *f, size_t device) {
  return f->instance->devices[device].transfer_seconds / dsm_instance_batch(f->instance, device);
}

/* Outputs of tasks from `begin` on that one from `end` on reads. */
static void count_leaving(finder *f) {
  const dsm_instance *const instance = f->instance;
  const size_t n = instance->task_count;
  for (size_t t = 0; t < instance->tensor_count && instance->pair_count == 0; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    const size_t last = it->consumers[it->consumer_count - 1];
    for (size_t end = it->producer + 1; end <= last && it->bytes > 0; end++) {
      leaving *const own = &f->leaves[it->producer * (n + 1) + end];
      own->bytes += it->bytes;
      own->count += 1;
    }
  }
  for (size_t begin = n; begin-- > 1;) {
    for (size_t end = begin + 1; end <= n; end++) {
      const leaving *const behind = &f->leaves[begin * (n + 1) + end];
      leaving *const all = &f->leaves[(begin - 1) * (n + 1) + end];
      all->bytes += behind->bytes;
      all->count += behind->count;
    }
  }
}

/* Tasks one after the other on a device. */
typedef struct run {
  size_t device;
  size_t begin;
  double seconds;
  double need;
  double sending; /* of results */
} run;

/* One task more at the end. False: the run does not fit, nor does any longer one. */
static bool extend(const finder *f, run *it, size_t task) {
  const dsm_instance *const instance = f->instance;
  const dsm_instance_device *const device = &instance->devices[it->device];
  const double bytes =
      dsm__leaves(instance, f->options, task) ? dsm__result_bytes(instance, task, it->device) : 0;
  it->seconds += dsm_instance_seconds(instance, task, it->device);
  it->need += dsm__task_need(instance, f->options, task, it->device);
  it->sending +=
      bytes > 0 ? fixed_seconds(f, it->device) + bytes / device->link_bytes_per_second : 0;
  return isfinite(it->seconds) && it->need <= device->memory_bytes * (1 + rounding);
}

static double cost_of(const finder *f, const run *it, size_t end) {
  const dsm_instance *const instance = f->instance;
  const leaving *const sent = &f->leaves[it->begin * (instance->task_count + 1) + end];
  const double bytes = sent->bytes * dsm_instance_element_ratio(instance, it->device);
  const double sending = it->sending + sent->count * fixed_seconds(f, it->device) +
                         bytes / instance->devices[it->device].link_bytes_per_second;
  return is_sum(f) ? it->seconds + sending : fmax(it->seconds, sending);
}

/* A last run on a device of the set, behind the best of the others. */
static void end_on(finder *f, size_t set, size_t device) {
  const size_t n = f->instance->task_count;
  const double *const before = &f->cost[(set & ~((size_t)1 << device)) * (n + 1)];
  double *const after = &f->cost[set * (n + 1)];
  for (size_t begin = 0; begin <= n; begin++) {
    run last = {.device = device, .begin = begin};
    after[begin] = fmin(after[begin], before[begin]); /* without a run of its own */
    for (size_t end = begin + 1; end <= n && isfinite(before[begin]) && extend(f, &last, end - 1);
         end++) {
      const double cost = cost_of(f, &last, end);
      after[end] = fmin(after[end], is_sum(f) ? before[begin] + cost : fmax(before[begin], cost));
    }
  }
}

static double best_runs(finder *f) {
  const size_t n = f->instance->task_count;
  const size_t sets = (size_t)1 << f->instance->device_count;
  for (size_t k = 0; k < sets * (n + 1); k++) {
    f->cost[k] = k == 0 ? 0 : HUGE_VAL;
  }
  for (size_t set = 1; set < sets; set++) {
    for (size_t j = 0; j < f->instance->device_count; j++) {
      if ((set >> j & 1) != 0) {
        end_on(f, set, j);
      }
    }
  }
  return f->cost[(sets - 1) * (n + 1) + n];
}

static bool is_asked_for(const dsm_instance *instance, const dsm_partition_options *options) {
  const double tasks = (double)instance->task_count;
  const double devices = (double)instance->device_count;
  return options->is_staged && options->objective != DSM_OBJECTIVE_ENERGY &&
         ldexp(1, (int)instance->device_count) * devices * tasks * tasks / 2 <= work_max;
}

bool dsm__stage_bound_find(double *seconds, dsm__arena *arena, const dsm_instance *instance,
                           const dsm_partition_options *options) {
  finder f = {.instance = instance, .options = options};
  const size_t n = instance->task_count;
  const size_t m = instance->device_count;
  *seconds = 0;
  if (!is_asked_for(instance, options)) {
    return true;
  }
  if (!DSM__RESERVE(arena, f.leaves, (n + 1) * (n + 1)) ||
      !DSM__RESERVE(arena, f.cost, ((size_t)1 << m) * (n + 1))) {
    return false;
  }
  count_leaving(&f);
  const double best = best_runs(&f);
  *seconds = isfinite(best) ? best : 0;
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * assignment.c: sums over devices, kept while tasks move.
 *
 * What a device sends of a tensor is its bytes times the other devices that use it, each once,
 * however many of its tasks do (docs/partition.md, latency). So of each tensor it is kept how many
 * uses each device has and how many devices have any. A task that moves changes the counts of its
 * inputs on two devices, and who sends its outputs; all else stays, so that a step costs the
 * tensors of the task and not the network.
 *
 * Sums that are changed by differences drift by rounding. Who moves tasks many times counts anew
 * now and then (dsm__assignment_count).
 */
#include "partition/assignment.h"

#include <math.h>

#include "partition/batch_mean.h"
#include "partition/instance_facts.h"

static double seconds_of(const dsm__assignment *a, size_t task, size_t device) {
  return dsm_instance_seconds(a->instance, task, device);
}

/* To how many devices the tensor is sent. */
static double copies_of(const dsm__assignment *a, size_t tensor) {
  const size_t device = a->device_of[a->instance->tensors[tensor].producer];
  const bool is_used_here = a->uses[tensor * a->instance->device_count + device] > 0;
  return (double)(a->targets[tensor] - (is_used_here ? 1 : 0));
}

/* One transfer more (sign 1) or less (-1). */
static void add_transfer(dsm__assignment *a, size_t from, size_t to, double bytes, double sign) {
  const dsm__way way = dsm__way_between(&a->routes, from, to);
  for (size_t h = 0; h < way.hop_count; h++) {
    a->carried_seconds[way.hops[h].carrier] +=
        sign * dsm__hop_seconds(&a->routes, &way.hops[h], bytes);
  }
  const double batch =
      dsm_instance_batch(a->instance, from < a->instance->device_count ? from : to);
  a->moving_seconds += sign * batch * dsm__way_seconds(&a->routes, way, bytes);
}

/* All transfers of a tensor as it is used now. */
static void add_transfers(dsm__assignment *a, size_t tensor, double sign) {
  const dsm_tensor *const it = &a->instance->tensors[tensor];
  const size_t device_count = a->instance->device_count;
  for (size_t j = 0; j < device_count; j++) {
    if (a->uses[tensor * device_count + j] > 0) {
      const size_t from = a->device_of[it->producer];
      add_transfer(a, from, j, dsm_instance_tensor_bytes(a->instance, tensor, from), sign);
    }
  }
}

static void add_sent(dsm__assignment *a, size_t tensor, double copies) {
  a->cuts += copies;
  const size_t device = a->device_of[a->instance->tensors[tensor].producer];
  a->sent_bytes[device] += copies * dsm_instance_tensor_bytes(a->instance, tensor, device);
}

/* Ends of runs before and behind a task. */
static size_t ends_around(const dsm__assignment *a, size_t task) {
  const bool is_begin = task > 0 && a->device_of[task - 1] != a->device_of[task];
  const bool is_end =
      task + 1 < a->instance->task_count && a->device_of[task + 1] != a->device_of[task];
  return (size_t)is_begin + (size_t)is_end;
}

static void add_task(dsm__assignment *a, size_t task, double sign) {
  const size_t device = a->device_of[task];
  a->busy_seconds[device] += sign * seconds_of(a, task, device);
  a->held_bytes[device] += sign * dsm__task_need(a->instance, a->options, task, device);
  const double results = a->leaves[task] ? dsm__result_bytes(a->instance, task, device) : 0;
  a->sent_bytes[device] += sign * results;
  if (!a->routes.is_plain) {
    const size_t outside = a->instance->device_count;
    add_transfer(a, device, outside, results, sign);
    add_transfer(a, outside, device, dsm__input_bytes(&a->routes, task, device), sign);
  }
}

/* What a task makes. */
static void add_outputs(dsm__assignment *a, size_t task, double sign) {
  for (size_t k = a->first_output[task]; k < a->first_output[task + 1]; k++) {
    add_sent(a, a->outputs[k], sign * copies_of(a, a->outputs[k]));
    if (!a->routes.is_plain) {
      add_transfers(a, a->outputs[k], sign);
    }
  }
}

void dsm__assignment_move(dsm__assignment *a, size_t task, size_t device) {
  const size_t device_count = a->instance->device_count;
  const size_t from = a->device_of[task];
  a->run_ends -= ends_around(a, task);
  a->used_count -= --a->tasks_on[from] == 0 ? 1 : 0;
  a->used_count += a->tasks_on[device]++ == 0 ? 1 : 0;
  add_task(a, task, -1);
  add_outputs(a, task, -1);
  a->device_of[task] = device;
  a->run_ends += ends_around(a, task);
  add_task(a, task, 1);
  add_outputs(a, task, 1);
  for (size_t k = a->first_input[task]; k < a->first_input[task + 1]; k++) {
    const size_t t = a->inputs[k];
    const double before = copies_of(a, t);
    if (!a->routes.is_plain) {
      add_transfers(a, t, -1);
    }
    a->targets[t] -= --a->uses[t * device_count + from] == 0 ? 1 : 0;
    a->targets[t] += a->uses[t * device_count + device]++ == 0 ? 1 : 0;
    add_sent(a, t, copies_of(a, t) - before);
    if (!a->routes.is_plain) {
      add_transfers(a, t, 1);
    }
  }
}

void dsm__assignment_count(dsm__assignment *a) {
  const dsm_instance *const instance = a->instance;
  const size_t device_count = instance->device_count;
  for (size_t j = 0; j < device_count; j++) {
    a->busy_seconds[j] = a->sent_bytes[j] = a->held_bytes[j] = 0;
    a->tasks_on[j] = 0;
  }
  for (size_t r = 0; r < a->routes.carrier_count; r++) {
    a->carried_seconds[r] = 0;
  }
  a->moving_seconds = 0;
  a->used_count = a->run_ends = 0;
  a->cuts = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    add_task(a, i, 1);
    a->used_count += a->tasks_on[a->device_of[i]]++ == 0 ? 1 : 0;
    a->run_ends += i > 0 && a->device_of[i] != a->device_of[i - 1] ? 1 : 0;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    a->targets[t] = 0;
    for (size_t j = 0; j < device_count; j++) {
      a->uses[t * device_count + j] = 0;
    }
    for (size_t k = 0; k < it->consumer_count; k++) {
      const size_t place = t * device_count + a->device_of[it->consumers[k]];
      a->targets[t] += a->uses[place]++ == 0 ? 1 : 0;
    }
    add_sent(a, t, copies_of(a, t));
    if (!a->routes.is_plain) {
      add_transfers(a, t, 1);
    }
  }
}

size_t dsm__assignment_carriers(const dsm__assignment *a) {
  return a->routes.is_plain ? a->instance->device_count : a->routes.carrier_count;
}

double dsm__assignment_carried(const dsm__assignment *a, size_t carrier) {
  return a->routes.is_plain
             ? a->sent_bytes[carrier] / a->instance->devices[carrier].link_bytes_per_second
             : a->carried_seconds[carrier];
}

double dsm__assignment_latency(const dsm__assignment *a) {
  double sum = 0;
  for (size_t j = 0; j < a->instance->device_count; j++) {
    sum += dsm_instance_batch(a->instance, j) *
           (a->busy_seconds[j] + (a->routes.is_plain ? dsm__assignment_carried(a, j) : 0));
  }
  return sum + a->moving_seconds;
}

/* Seconds between requests, at the rate that is asked for or the most that the assignment does. */
static double seconds_between(const dsm__assignment *a) {
  return a->options->objective == DSM_OBJECTIVE_ENERGY ? 1 / a->options->required_rho
                                                       : 1 / dsm__assignment_value(a);
}

/* A request goes from task to task with those of its group, which is as large as the largest batch
 * so far, and waits where it is to grow (batch_latency.h). */
static double seconds_in_groups(const dsm__assignment *a) {
  const dsm_instance *const instance = a->instance;
  const double between = seconds_between(a);
  double seconds = a->moving_seconds;
  for (size_t j = 0; j < instance->device_count && a->routes.is_plain; j++) {
    seconds += dsm_instance_batch(instance, j) * dsm__assignment_carried(a, j);
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    double come = 1;
    for (size_t k = a->first_input[i]; k < a->first_input[i + 1]; k++) {
      come = fmax(come, a->groups[instance->tensors[a->inputs[k]].producer]);
    }
    a->groups[i] = fmax(come, dsm_instance_batch(instance, a->device_of[i]));
    seconds += (a->groups[i] - come) / 2 * between;
    seconds += a->groups[i] * seconds_of(a, i, a->device_of[i]);
  }
  return seconds;
}

double dsm__assignment_overflow(const dsm__assignment *a) {
  double over = 0;
  for (size_t j = 0; j < a->instance->device_count; j++) {
    over += fmax(a->held_bytes[j] - a->instance->devices[j].memory_bytes, 0);
  }
  return over;
}

bool dsm__assignment_is_staged(const dsm__assignment *a) {
  return !a->options->is_staged || a->run_ends + 1 == a->used_count;
}

double dsm__assignment_excess_cuts(const dsm__assignment *a) {
  return a->options->cuts_max > 0 ? fmax(a->cuts - (double)a->options->cuts_max, 0) : 0;
}

double dsm__assignment_delay(const dsm__assignment *a) {
  const double limit = a->options->latency_limit_seconds;
  if (!(limit > 0)) {
    return 0;
  }
  const double seconds =
      dsm__has_batches(a->instance) ? seconds_in_groups(a) : dsm__assignment_latency(a);
  return fmax(seconds / limit - 1, 0);
}

/* What a sum of times may be above the limit by: its rounding. */
static const double rounding = 1e-9;

bool dsm__assignment_is_allowed(const dsm__assignment *a) {
  return dsm__assignment_overflow(a) == 0 && dsm__assignment_is_staged(a) &&
         dsm__assignment_excess_cuts(a) == 0 && dsm__assignment_delay(a) <= rounding;
}

double dsm__assignment_watts(const dsm__assignment *a) {
  double watts = 0;
  for (size_t j = 0; j < a->instance->device_count; j++) {
    const dsm_instance_device *const it = &a->instance->devices[j];
    const double idle = a->options->is_unused_off && a->tasks_on[j] == 0 ? 0 : it->idle_watts;
    watts +=
        idle + (it->busy_watts - it->idle_watts) * a->busy_seconds[j] * a->options->required_rho;
  }
  return watts;
}

/* Of requests that all run each task on its one device, none is faster than the busiest device or
 * carrier allows, and all together reach that: nothing else is shared. For latency tasks and
 * transfers come one after the other, so that times add up. */
double dsm__assignment_value(const dsm__assignment *a) {
  const dsm_instance *const instance = a->instance;
  double worst = 0;
  for (size_t r = 0; r < dsm__assignment_carriers(a); r++) {
    worst = fmax(worst, dsm__assignment_carried(a, r));
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    worst = fmax(worst, a->busy_seconds[j]);
  }
  switch (a->options->objective) {
  case DSM_OBJECTIVE_LATENCY:
    return dsm__assignment_latency(a);
  case DSM_OBJECTIVE_ENERGY:
    return worst * a->options->required_rho <= 1 ? dsm__assignment_watts(a) : HUGE_VAL;
  case DSM_OBJECTIVE_THROUGHPUT:
  case DSM_OBJECTIVE_KIND_COUNT:
    break;
  }
  return 1 / worst;
}

static bool reserve(dsm__assignment *a, dsm__arena *arena) {
  const size_t task_count = a->instance->task_count;
  const size_t tensor_count = a->instance->tensor_count;
  const size_t device_count = a->instance->device_count;
  size_t reading_count = 0;
  for (size_t t = 0; t < tensor_count; t++) {
    reading_count += a->instance->tensors[t].consumer_count;
  }
  return DSM__RESERVE(arena, a->device_of, task_count) &&
         DSM__RESERVE(arena, a->busy_seconds, device_count) &&
         DSM__RESERVE(arena, a->sent_bytes, device_count) &&
         DSM__RESERVE(arena, a->held_bytes, device_count) &&
         DSM__RESERVE(arena, a->carried_seconds, a->routes.carrier_count) &&
         DSM__RESERVE(arena, a->tasks_on, device_count) &&
         DSM__RESERVE(arena, a->leader, task_count) && DSM__RESERVE(arena, a->mate, task_count) &&
         DSM__RESERVE(arena, a->leaves, task_count) && DSM__RESERVE(arena, a->groups, task_count) &&
         DSM__RESERVE(arena, a->uses, tensor_count * device_count + 1) &&
         DSM__RESERVE(arena, a->targets, tensor_count + 1) &&
         DSM__RESERVE(arena, a->first_input, task_count + 2) &&
         DSM__RESERVE(arena, a->inputs, reading_count + 1) &&
         DSM__RESERVE(arena, a->first_output, task_count + 2) &&
         DSM__RESERVE(arena, a->outputs, tensor_count + 1);
}

/* Counting sort of tensors by consumer and by producer: counts one place further, summed up, then
 * each place moves on to where the next begins. */
static void list_tensors(dsm__assignment *a) {
  const dsm_instance *const instance = a->instance;
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    a->first_output[it->producer + 2]++;
    for (size_t k = 0; k < it->consumer_count; k++) {
      a->first_input[it->consumers[k] + 2]++;
    }
  }
  for (size_t i = 2; i < instance->task_count + 2; i++) {
    a->first_output[i] += a->first_output[i - 1];
    a->first_input[i] += a->first_input[i - 1];
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    a->outputs[a->first_output[it->producer + 1]++] = t;
    for (size_t k = 0; k < it->consumer_count; k++) {
      a->inputs[a->first_input[it->consumers[k] + 1]++] = t;
    }
  }
}

/* Each task of a group behind the last before it, in a ring that its leader closes. */
static void list_groups(dsm__assignment *a) {
  for (size_t i = 0; i < a->instance->task_count; i++) {
    size_t last = i;
    while (last > 0 && !dsm__are_together(a->instance, i, last - 1)) {
      last--;
    }
    a->leader[i] = last == 0 ? i : a->leader[last - 1];
    a->mate[i] = a->leader[i];
    if (last > 0) {
      a->mate[last - 1] = i;
    }
  }
}

/* Each task begins on the first device that can run it; that there is one was asked before the
 * search (feasibility.c). */
bool dsm__assignment_init(dsm__assignment *a, dsm__arena *arena, const dsm_instance *instance,
                          const dsm_partition_options *options) {
  *a = (dsm__assignment){.instance = instance, .options = options};
  if (!dsm__routes_make(&a->routes, arena, instance, options) || !reserve(a, arena)) {
    return false;
  }
  list_tensors(a);
  list_groups(a);
  for (size_t i = 0; i < instance->task_count; i++) {
    a->leaves[i] = !options->does_keep_results && (a->first_output[i] == a->first_output[i + 1] ||
                                                   instance->tasks[i].result_bytes > 0);
    while (a->device_of[i] + 1 < instance->device_count &&
           !dsm__task_can_run(instance, options, i, a->device_of[i])) {
      a->device_of[i]++;
    }
  }
  dsm__assignment_count(a);
  return true;
}

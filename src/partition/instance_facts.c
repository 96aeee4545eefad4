/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * instance_facts.c: what follows from an instance and its options alone.
 *
 * The need of a task, and where it can run, decide what is a column of the programme, what a start
 * may do and what a bound may assume. So all of them ask here, and only the check of an answer does
 * not (partition_validate.c): it shares nothing with what it checks.
 */
#include "partition/instance_facts.h"

#include <math.h>
#include <string.h>

#include "partition/routes.h"

bool dsm__can_turn_off(const dsm_partition_options *options) {
  return options->is_unused_off && options->objective == DSM_OBJECTIVE_ENERGY;
}

double dsm__task_need(const dsm_instance *instance, const dsm_partition_options *options,
                      size_t task, size_t device) {
  return dsm_instance_weights_bytes(instance, task, device) +
         (options->does_count_activations
              ? dsm_instance_batch(instance, device) *
                    dsm_instance_activation_bytes(instance, task, device)
              : 0);
}

/*
 * Sets of devices are bounded by the sum of their memories. Where tasks need other bytes on each,
 * (3) is divided by a number for each device first, which keeps it, and then a task needs at least
 * the least of what it needs anywhere. With what all tasks need on a device for that number, this
 * loses nothing where each device has its own bytes a parameter.
 */
void dsm__memory_scales(double scales[DSM_DEVICES_MAX], const dsm_instance *instance,
                        const dsm_partition_options *options) {
  double first = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    double needed = 0;
    for (size_t i = 0; i < instance->task_count; i++) {
      needed += dsm__task_need(instance, options, i, j);
    }
    first = j == 0 ? needed / dsm_instance_weight_ratio(instance, 0) : first;
    scales[j] = needed > 0 ? needed / first : 1;
  }
}

double dsm__scaled_need(const dsm_instance *instance, const dsm_partition_options *options,
                        size_t task, const double scales[DSM_DEVICES_MAX]) {
  double least = HUGE_VAL;
  for (size_t j = 0; j < instance->device_count; j++) {
    least = fmin(least, dsm__task_need(instance, options, task, j) / scales[j]);
  }
  return least;
}

bool dsm__task_can_run(const dsm_instance *instance, const dsm_partition_options *options,
                       size_t task, size_t device) {
  return isfinite(dsm_instance_seconds(instance, task, device)) &&
         dsm__task_need(instance, options, task, device) <= instance->devices[device].memory_bytes;
}

double dsm__result_bytes(const dsm_instance *instance, size_t task, size_t device) {
  const dsm_task *const it = &instance->tasks[task];
  return (it->result_bytes > 0 ? it->result_bytes : it->output_bytes) *
         dsm_instance_element_ratio(instance, device);
}

size_t dsm__copies_max(const dsm_instance *instance, const dsm_partition_options *options) {
  const bool is_limited = options->copies_max > 0 && options->copies_max < instance->device_count;
  return is_limited ? options->copies_max : instance->device_count;
}

dsm_partition_options dsm__meant_options(const dsm_partition_options *options) {
  dsm_partition_options meant = *options;
  if (options->is_staged || options->cuts_max > 0) {
    meant.copies_max = 1;
  }
  return meant;
}

bool dsm__are_together(const dsm_instance *instance, size_t task, size_t other) {
  const char *const a = instance->tasks[task].group;
  const char *const b = instance->tasks[other].group;
  return a != NULL && b != NULL && strcmp(a, b) == 0;
}

double dsm__output_bytes(const dsm_instance *instance, size_t tensor, size_t device) {
  return tensor < instance->tensor_count
             ? dsm_instance_tensor_bytes(instance, tensor, device)
             : dsm__result_bytes(instance, tensor - instance->tensor_count, device);
}

size_t dsm__producer_of(const dsm_instance *instance, size_t tensor) {
  return tensor < instance->tensor_count ? instance->tensors[tensor].producer
                                         : tensor - instance->tensor_count;
}

void dsm__add_up_memory(const dsm_instance *instance, const dsm_partition_options *options,
                        double *needed, double *room) {
  double scales[DSM_DEVICES_MAX];
  dsm__memory_scales(scales, instance, options);
  *needed = 0;
  *room = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    *needed += dsm__scaled_need(instance, options, i, scales);
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    *room += instance->devices[j].memory_bytes / scales[j];
  }
}

bool dsm__makes_results(const dsm_instance *instance, size_t task) {
  if (instance->tasks[task].result_bytes > 0) {
    return true;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    if (instance->tensors[t].producer == task) {
      return false;
    }
  }
  return true;
}

bool dsm__leaves(const dsm_instance *instance, const dsm_partition_options *options, size_t task) {
  return !options->does_keep_results && dsm__makes_results(instance, task);
}

/*
 * Every tensor has one consumer, and no two tensors have the same producer or consumer. Then x_i on
 * one side of a tensor and x_{i+1} on the other is all that (4) compares, and (7) may hold as "at
 * least": what is too much can be taken off along the chain without breaking anything
 * (docs/partition.md, rulings). Tasks that run equally often leave nothing to be taken off one of
 * them alone.
 */
bool dsm__is_chain(const dsm_instance *instance) {
  for (size_t i = 0; i < instance->task_count; i++) {
    if (instance->tasks[i].group != NULL) {
      return false;
    }
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    if (it->consumer_count != 1) {
      return false;
    }
    for (size_t u = 0; u < t; u++) {
      if (instance->tensors[u].producer == it->producer ||
          instance->tensors[u].consumers[0] == it->consumers[0]) {
        return false;
      }
    }
  }
  return true;
}

/* How often a device runs a task if it does nothing else; 0: it cannot store or run it. */
static double rate_of(const dsm_instance *instance, const dsm_partition_options *options,
                      size_t task, size_t device) {
  return dsm__task_can_run(instance, options, task, device)
             ? 1 / dsm_instance_seconds(instance, task, device)
             : 0;
}

/* The sum of the `most` greatest rates of a task on a device alone. */
static double fastest_together(const dsm_instance *instance, const dsm_partition_options *options,
                               size_t task, size_t most) {
  const size_t device_count = instance->device_count;
  double sum = 0;
  for (size_t j = 0; j < device_count; j++) {
    const double rate = rate_of(instance, options, task, j);
    size_t ahead = 0;
    for (size_t k = 0; k < device_count; k++) {
      const double other = rate_of(instance, options, task, k);
      ahead += other > rate || (other == rate && k < j) ? 1 : 0;
    }
    sum += ahead < most ? rate : 0;
  }
  return sum;
}

/*
 * min_i sum_j 1 / p_ij over devices that can store i, the fastest ones as far as copies of i are
 * limited: no solution is faster.
 *
 * By (1) and (2) a device runs a task at most 1 / p_ij times a second, and by (7) all devices
 * together at least rho times. A task that takes no time somewhere says nothing of rho.
 */
double dsm__speed_limit(const dsm_instance *instance, const dsm_partition_options *options) {
  const size_t most = dsm__copies_max(instance, options);
  double least = HUGE_VAL;
  for (size_t i = 0; i < instance->task_count; i++) {
    least = fmin(least, fastest_together(instance, options, i, most));
  }
  return least;
}

/* Renaming equal devices turns an answer into an answer of the same worth. So the programme may ask
 * for one order of them, and bounds need to look at one set of each kind. Whether one is a host is
 * of the request's input alone, which hosts have already. */
bool dsm__devices_are_equal(const dsm_instance *instance, const dsm_partition_options *options,
                            size_t a, size_t b) {
  const dsm_instance_device *const x = &instance->devices[a];
  const dsm_instance_device *const y = &instance->devices[b];
  bool is_equal = dsm_instance_batch(instance, a) == dsm_instance_batch(instance, b) &&
                  x->memory_bytes == y->memory_bytes &&
                  x->link_bytes_per_second == y->link_bytes_per_second &&
                  x->incoming_bytes_per_second == y->incoming_bytes_per_second &&
                  x->transfer_seconds == y->transfer_seconds &&
                  x->element_bytes == y->element_bytes && x->weight_bytes == y->weight_bytes &&
                  (!options->does_count_input || x->is_accelerator == y->is_accelerator) &&
                  dsm__routes_are_equal(instance, a, b) && x->has_power == y->has_power &&
                  x->busy_watts == y->busy_watts && x->idle_watts == y->idle_watts;
  for (size_t i = 0; i < instance->task_count && is_equal; i++) {
    is_equal = dsm_instance_seconds(instance, i, a) == dsm_instance_seconds(instance, i, b);
  }
  return is_equal;
}

typedef struct range {
  double least;
  double most;
} range;

static void widen(range *seen, double seconds) {
  if (seconds > 0 && isfinite(seconds)) {
    seen->least = fmin(seen->least, seconds);
    seen->most = fmax(seen->most, seconds);
  }
}

/* Of a tensor that devices send in the least and in the most bytes for an element. */
static void widen_by(range *seen, double bytes, const range *ratios, double bytes_per_second) {
  widen(seen, bytes * ratios->least / bytes_per_second);
  widen(seen, bytes * ratios->most / bytes_per_second);
}

/* The times of tasks on devices that can run them and of tensors over links with a limit. */
static range times_of(const dsm_instance *instance) {
  range seen = {HUGE_VAL, 0};
  range ratios = {HUGE_VAL, 0};
  for (size_t j = 0; j < instance->device_count; j++) {
    widen(&ratios, dsm_instance_element_ratio(instance, j));
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    for (size_t j = 0; j < instance->device_count; j++) {
      widen(&seen, dsm_instance_seconds(instance, i, j));
    }
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const double bytes = instance->tensors[t].bytes;
    for (size_t j = 0; j < instance->device_count; j++) {
      widen(&seen,
            dsm_instance_tensor_bytes(instance, t, j) / instance->devices[j].link_bytes_per_second);
      widen_by(&seen, bytes, &ratios, instance->devices[j].incoming_bytes_per_second);
    }
    for (size_t p = 0; p < instance->port_count; p++) {
      widen_by(&seen, bytes, &ratios, instance->ports[p].bytes_per_second);
    }
    for (size_t q = 0; q < instance->pair_count; q++) {
      widen_by(&seen, bytes, &ratios, instance->pairs[q].bytes_per_second);
    }
  }
  return seen;
}

/* A solver with tolerances relative to 1 cannot tell small numbers from none where others are many
 * orders of ten larger. The range of all times, of tasks and of transfers, says how far its bounds
 * can be relied on (docs/partition.md, limits). */
double dsm__time_range(const dsm_instance *instance) {
  const range seen = times_of(instance);
  return fmax(seen.most / seen.least, 1);
}

/*
 * What is left out only loosens (4), (6) and the time of a request: every answer of the instance is
 * one of what remains, with at least the same worth, so a bound of that is one of the instance.
 *
 * The other way round an answer of what remains exceeds links, or the time of a request, by the
 * seconds of what was left out, each tensor sent once to every other device over the slowest link.
 * Where these together are no more than `seconds`, a part of a request's time below all tolerances,
 * pricing takes them into account again and the answer stays as good as it was (pricing.c). Where
 * they are more, nothing is left out, nor where transfers cost more than their bytes on a link.
 */
bool dsm__without_negligible(dsm_instance *made, dsm__arena *arena, const dsm_instance *instance,
                             double range_max, double seconds) {
  const range seen = times_of(instance);
  double fastest = 0;
  double slowest = HUGE_VAL;
  for (size_t j = 0; j < instance->device_count; j++) {
    const double link =
        instance->devices[j].link_bytes_per_second / dsm_instance_element_ratio(instance, j);
    fastest = isfinite(link) ? fmax(fastest, link) : fastest;
    slowest = fmin(slowest, link);
  }
  *made = *instance;
  dsm_tensor *const tensors =
      dsm__arena_array(arena, instance->tensor_count, sizeof *instance->tensors);
  if (tensors == NULL) {
    return false;
  }
  double left_out = 0;
  for (size_t t = 0; t < instance->tensor_count; t++) {
    tensors[t] = instance->tensors[t];
    if (tensors[t].bytes / fastest < seen.most / range_max) {
      left_out += (double)(instance->device_count - 1) * tensors[t].bytes / slowest;
      tensors[t].bytes = 0;
    }
  }
  made->tensors =
      left_out <= seconds && dsm__links_are_plain(instance) ? tensors : instance->tensors;
  return true;
}

/* The heaviest are those of which a device stores fewest, so that they tell the sets of equal
 * devices apart soonest. */
size_t dsm__order_tasks(const dsm_instance *instance, const dsm_partition_options *options,
                        size_t tasks[DSM__ORDER_TASKS_MAX]) {
  size_t count = 0;
  while (count < DSM__ORDER_TASKS_MAX && count < instance->task_count) {
    size_t best = instance->task_count;
    for (size_t i = 0; i < instance->task_count; i++) {
      bool is_taken = false;
      for (size_t k = 0; k < count; k++) {
        is_taken = is_taken || tasks[k] == i;
      }
      if (!is_taken &&
          (best == instance->task_count ||
           dsm__task_need(instance, options, i, 0) > dsm__task_need(instance, options, best, 0))) {
        best = i;
      }
    }
    tasks[count++] = best;
  }
  return count;
}

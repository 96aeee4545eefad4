/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition_validate_batches.c: how long requests take where devices run several together, from the
 * instance and the rates alone.
 *
 * Where pricing counts parts of requests that are so many together or more, here requests are
 * parcels of the same device and group, which are passed on from task to task.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "partition/partition_validate.h"

typedef struct walker {
  const dsm_partition *partition;
  const dsm_instance *instance;
  size_t device_count;
  double *parcels; /* [(i * m + j) * (m + 1) + g]: requests a second that leave task i on device j
                      as many together as the batch of device g; m: one by one */
  double seconds;
} walker;

static double batch_of(const walker *w, size_t device) {
  const uint32_t batch = device < w->device_count ? w->instance->devices[device].batch : 1;
  return batch > 1 ? batch : 1;
}

static bool has_batches(const walker *w) {
  bool has_one = false;
  for (size_t j = 0; j < w->device_count; j++) {
    has_one = has_one || batch_of(w, j) > 1;
  }
  return has_one;
}

static double rate(const walker *w, size_t task, size_t device) {
  return w->partition->rates[task * w->device_count + device];
}

static double *parcels_of(const walker *w, size_t task, size_t device) {
  return &w->parcels[(task * w->device_count + device) * (w->device_count + 1)];
}

/* ---- which requests go where ---- */

static bool reads(const dsm_tensor *tensor, size_t task) {
  bool does = false;
  for (size_t k = 0; k < tensor->consumer_count; k++) {
    does = does || tensor->consumers[k] == task;
  }
  return does;
}

/* The largest of its inputs, of equal ones the first; tensor_count: it has none. */
static size_t guide_of(const walker *w, size_t task) {
  size_t guide = w->instance->tensor_count;
  for (size_t t = 0; t < w->instance->tensor_count && w->instance->tensors[t].producer < task;
       t++) {
    const dsm_tensor *const it = &w->instance->tensors[t];
    const bool is_larger =
        guide == w->instance->tensor_count || it->bytes > w->instance->tensors[guide].bytes;
    guide = reads(it, task) && is_larger ? t : guide;
  }
  return guide;
}

/* Of the requests of a second that a tensor's producer ran on `from` those that go to `to`. */
static double passed(const walker *w, size_t t, size_t task, size_t from, size_t to) {
  const dsm_tensor *const tensor = &w->instance->tensors[t];
  const size_t m = w->device_count;
  const double made = rate(w, tensor->producer, from);
  double gone = 0;
  double wanted = 0;
  if (w->partition->moved != NULL && tensor->consumer_count == 1 && tensor->bytes > 0) {
    const double bytes = dsm_instance_tensor_bytes(w->instance, t, from);
    for (size_t j = 0; j < m; j++) {
      gone += w->partition->moved[(t * m + from) * m + j] / bytes;
    }
    return from == to ? fmax(made - gone, 0) : w->partition->moved[(t * m + from) * m + to] / bytes;
  }
  gone = fmax(made - rate(w, task, from), 0);
  for (size_t j = 0; j < m; j++) {
    wanted += fmax(rate(w, task, j) - rate(w, tensor->producer, j), 0);
  }
  const double wants = fmax(rate(w, task, to) - rate(w, tensor->producer, to), 0);
  return (from == to ? made - gone : 0) + (wanted > 0 ? gone * wants / wanted : 0);
}

/* ---- whether rates say that ---- */

static bool is_line(const walker *w) {
  const dsm_instance *const it = w->instance;
  bool is_one = true;
  for (size_t i = 0; i < it->task_count; i++) {
    size_t inputs = 0;
    size_t outputs = 0;
    for (size_t t = 0; t < it->tensor_count; t++) {
      inputs += reads(&it->tensors[t], i) ? 1 : 0;
      outputs += it->tensors[t].producer == i ? it->tensors[t].consumer_count : 0;
    }
    is_one = is_one && inputs <= 1 && outputs <= 1 && it->tasks[i].group == NULL;
  }
  return is_one;
}

static size_t places_of(const walker *w, size_t task) {
  size_t count = 0;
  for (size_t j = 0; j < w->device_count; j++) {
    count += rate(w, task, j) > 0 ? 1 : 0;
  }
  return count;
}

static bool is_known(const walker *w) {
  bool is_single = true;
  bool is_still = true;
  for (size_t i = 0; i < w->instance->task_count; i++) {
    is_single = is_single && places_of(w, i) == 1;
  }
  for (size_t t = 0; t < w->instance->tensor_count; t++) {
    const dsm_tensor *const it = &w->instance->tensors[t];
    for (size_t k = 0; k < it->consumer_count; k++) {
      for (size_t j = 0; j < w->device_count; j++) {
        const double made = rate(w, it->producer, j);
        const double used = rate(w, it->consumers[k], j);
        is_still = is_still && fabs(made - used) <= 1e-6 * fmax(made, used);
      }
    }
  }
  return is_single || is_still || is_line(w);
}

/* ---- parcels ---- */

/* The largest group by which a task gets what it needs besides its guide: all of its requests on a
 * device then have the same, on that device, or on the only one there is. */
static size_t other_group(const walker *w, size_t task, size_t guide, size_t device) {
  size_t largest = w->device_count;
  for (size_t t = 0; t < w->instance->tensor_count && w->instance->tensors[t].producer < task;
       t++) {
    const dsm_tensor *const it = &w->instance->tensors[t];
    for (size_t j = 0; j < w->device_count && t != guide && reads(it, task); j++) {
      const bool is_from = j == device || places_of(w, it->producer) == 1;
      for (size_t g = 0; g < w->device_count && is_from; g++) {
        const bool has_come = parcels_of(w, it->producer, j)[g] > rate(w, it->producer, j) / 2;
        largest = has_come && batch_of(w, g) > batch_of(w, largest) ? g : largest;
      }
    }
  }
  return largest;
}

/* Requests of a second come to a task on a device in groups, at a rate. */
static void arrive(walker *w, size_t task, size_t device, size_t group, double times, double at) {
  const double batch = batch_of(w, device);
  const bool is_filled = batch_of(w, group) >= batch;
  const double together = is_filled ? batch_of(w, group) : batch;
  w->seconds += is_filled ? 0 : times * (batch - batch_of(w, group)) / (2 * at);
  w->seconds += times * together * dsm_instance_seconds(w->instance, task, device);
  parcels_of(w, task, device)[is_filled ? group : device] += times;
}

static void run_task(walker *w, size_t task, size_t device, size_t guide) {
  const size_t m = w->device_count;
  if (guide == w->instance->tensor_count) {
    arrive(w, task, device, m, rate(w, task, device), w->partition->rho);
    return;
  }
  const size_t producer = w->instance->tensors[guide].producer;
  const size_t other = other_group(w, task, guide, device);
  for (size_t k = 0; k < m; k++) {
    const double made = rate(w, producer, k);
    const double times = made > 0 ? passed(w, guide, task, k, device) : 0;
    for (size_t g = 0; g <= m && times > 0; g++) {
      const double part = parcels_of(w, producer, k)[g] / made;
      if (part > 0) {
        const size_t group = batch_of(w, other) > batch_of(w, g) ? other : g;
        arrive(w, task, device, group, times * part, made);
      }
    }
  }
}

/* Where ways are not known: a batch at each task, and the longest wait before one of them. */
static double least_seconds(const walker *w) {
  double seconds = 0;
  double longest = 0;
  for (size_t i = 0; i < w->instance->task_count; i++) {
    double waiting = 0;
    for (size_t j = 0; j < w->device_count; j++) {
      const double x = rate(w, i, j);
      seconds += x > 0 ? x * batch_of(w, j) * dsm_instance_seconds(w->instance, i, j) : 0;
      waiting += x * (batch_of(w, j) - 1) / (2 * w->partition->rho);
    }
    longest = fmax(longest, waiting);
  }
  return seconds + longest;
}

bool dsm__check_batch_seconds(double *seconds, const dsm_partition *partition) {
  const size_t m = partition->instance->device_count;
  walker w = {.partition = partition, .instance = partition->instance, .device_count = m};
  dsm__arena *const arena = dsm__arena_new();
  const bool is_made =
      arena != NULL && DSM__RESERVE(arena, w.parcels, w.instance->task_count * m * (m + 1));
  const bool walks = is_made && has_batches(&w) && is_known(&w);
  for (size_t i = 0; i < w.instance->task_count && walks; i++) {
    const size_t guide = guide_of(&w, i);
    for (size_t j = 0; j < m; j++) {
      if (rate(&w, i, j) > 0) {
        run_task(&w, i, j, guide);
      }
    }
  }
  *seconds = walks ? w.seconds : least_seconds(&w);
  dsm__arena_free(arena);
  return is_made;
}

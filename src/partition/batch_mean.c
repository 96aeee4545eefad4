/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch_mean.c: groups of requests along all of their ways.
 *
 * What matters of a request is how many come with it. With the sizes of batches 1 = v_0 < v_1 < ...
 * let h_s(i, j) be the part of the requests which leave task i on device j that are v_s or more
 * together: 1 where the batch of j is that large, else what came so. Then a request is on average
 * one of 1 + sum_s (v_s - v_{s-1}) h_s, which is how many times p_ij the task takes, and in front
 * of a batch of b those of a guide on k wait sum (v_s - v_{s-1}) (1 - h_s) / 2 x_k over v_s <= b.
 * How many go from k to j is the rule of the simulation (dispatch_shares.c).
 */
#include "partition/batch_mean.h"

#include <math.h>

#include "partition/instance_facts.h"

/* Rates that are equal but for rounding, in parts of all requests. */
static const double rounding = 1e-6;

typedef struct finder {
  const dsm_instance *instance;
  const double *rates;
  double rho;
  const double *moved;
  double sizes[DSM_DEVICES_MAX + 1]; /* rising from 1, each once */
  size_t size_count;
  size_t *guides; /* [i]: the largest tensor that the task needs; tensor_count: none */
  double *parts;  /* [(i * m + j) * size_count + s]: h_s */
  double *others; /* likewise, of those that come: the largest by tensors that are no guide */
  double seconds;
} finder;

bool dsm__has_batches(const dsm_instance *instance) {
  bool has_one = false;
  for (size_t j = 0; j < instance->device_count; j++) {
    has_one = has_one || instance->devices[j].batch > 1;
  }
  return has_one;
}

/* ---- ways ---- */

static double rate(const finder *f, size_t task, size_t device) {
  return f->rates[task * f->instance->device_count + device];
}

bool dsm__ways_are_known(const dsm_instance *instance, const double *rates) {
  const size_t m = instance->device_count;
  bool is_single = true;
  bool is_still = true;
  for (size_t i = 0; i < instance->task_count; i++) {
    size_t places = 0;
    for (size_t j = 0; j < m; j++) {
      places += rates[i * m + j] > 0 ? 1 : 0;
    }
    is_single = is_single && places == 1;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    for (size_t k = 0; k < it->consumer_count * m; k++) {
      const double made = rates[it->producer * m + k % m];
      const double used = rates[it->consumers[k / m] * m + k % m];
      is_still = is_still && fabs(made - used) <= rounding * fmax(made, used);
    }
  }
  return is_single || is_still || dsm__is_chain(instance);
}

/* A tensor to one of its consumers. */
typedef struct stream {
  size_t tensor;
  size_t task;
  double lacking; /* what the consumer runs more often than the producer, over devices */
} stream;

static stream stream_of(const finder *f, size_t tensor, size_t task) {
  stream made = {.tensor = tensor, .task = task};
  const size_t producer = f->instance->tensors[tensor].producer;
  for (size_t j = 0; j < f->instance->device_count; j++) {
    made.lacking += fmax(rate(f, task, j) - rate(f, producer, j), 0);
  }
  return made;
}

/* Requests a second whose producer ran on `from` and whose consumer runs on `to`. */
static double flow(const finder *f, const stream *it, size_t from, size_t to) {
  const dsm_tensor *const tensor = &f->instance->tensors[it->tensor];
  const size_t m = f->instance->device_count;
  const double made = rate(f, tensor->producer, from);
  if (f->moved != NULL && tensor->consumer_count == 1 && tensor->bytes > 0) {
    const double *const row = &f->moved[(it->tensor * m + from) * m];
    double leaves = 0;
    for (size_t j = 0; j < m; j++) {
      leaves += row[j];
    }
    return to == from ? fmax(made - leaves, 0) : row[to];
  }
  const double stays = fmin(made, rate(f, it->task, from));
  const double lacks = fmax(rate(f, it->task, to) - rate(f, tensor->producer, to), 0);
  return (to == from ? stays : 0) + (it->lacking > 0 ? (made - stays) * (lacks / it->lacking) : 0);
}

/* ---- groups ---- */

static double *groups(const finder *f, double *of, size_t task, size_t device) {
  return &of[(task * f->instance->device_count + device) * f->size_count];
}

/* The part of a task's requests on a device that come by a tensor, so many together or more. */
static double arriving(const finder *f, const stream *it, size_t device, size_t size) {
  const size_t producer = f->instance->tensors[it->tensor].producer;
  double sum = 0;
  for (size_t k = 0; k < f->instance->device_count; k++) {
    sum += rate(f, producer, k) > 0
               ? flow(f, it, k, device) * groups(f, f->parts, producer, k)[size]
               : 0;
  }
  return fmin(sum / rate(f, it->task, device), 1);
}

/* What those of a guide on one device wait, times the rate at which they come, for a batch. */
static double missing(const finder *f, const double *guide, const double *others, double batch) {
  double sum = 0;
  for (size_t s = 1; s < f->size_count && f->sizes[s] <= batch; s++) {
    const double come = guide == NULL ? 0 : fmax(guide[s], others[s]);
    sum += (f->sizes[s] - f->sizes[s - 1]) * (1 - come);
  }
  return sum / 2;
}

static void add_waiting(finder *f, const stream *it, size_t device) {
  const double batch = dsm_instance_batch(f->instance, device);
  const double *const others = groups(f, f->others, it->task, device);
  if (it->tensor == f->instance->tensor_count) {
    f->seconds += rate(f, it->task, device) / f->rho * missing(f, NULL, others, batch);
    return;
  }
  const size_t guide = f->instance->tensors[it->tensor].producer;
  for (size_t k = 0; k < f->instance->device_count; k++) {
    const double made = rate(f, guide, k);
    f->seconds += made > 0 ? flow(f, it, k, device) / made *
                                 missing(f, groups(f, f->parts, guide, k), others, batch)
                           : 0;
  }
}

static void add_task(finder *f, size_t task) {
  const dsm_instance *const instance = f->instance;
  const size_t tensor = f->guides[task];
  const stream it =
      tensor < instance->tensor_count ? stream_of(f, tensor, task) : (stream){tensor, task, 0};
  for (size_t j = 0; j < instance->device_count; j++) {
    if (!(rate(f, task, j) > 0)) {
      continue;
    }
    double *const parts = groups(f, f->parts, task, j);
    double together = 1;
    parts[0] = 1;
    for (size_t s = 1; s < f->size_count; s++) {
      const double come = tensor < instance->tensor_count ? arriving(f, &it, j, s) : 0;
      parts[s] = dsm_instance_batch(instance, j) >= f->sizes[s]
                     ? 1
                     : fmax(come, groups(f, f->others, task, j)[s]);
      together += (f->sizes[s] - f->sizes[s - 1]) * parts[s];
    }
    add_waiting(f, &it, j);
    f->seconds += rate(f, task, j) * together * dsm_instance_seconds(instance, task, j);
  }
}

/* What comes to a consumer by a tensor that is not its largest. */
static void send(finder *f, size_t tensor, size_t task) {
  const stream it = stream_of(f, tensor, task);
  for (size_t j = 0; j < f->instance->device_count; j++) {
    double *const others = groups(f, f->others, task, j);
    for (size_t s = 1; s < f->size_count && rate(f, task, j) > 0; s++) {
      others[s] = fmax(others[s], arriving(f, &it, j, s));
    }
  }
}

/* Tensors are by producer, and tasks in order: all inputs come before. */
static void add_tasks(finder *f) {
  const dsm_instance *const instance = f->instance;
  size_t t = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    add_task(f, i);
    for (; t < instance->tensor_count && instance->tensors[t].producer == i; t++) {
      for (size_t c = 0; c < instance->tensors[t].consumer_count; c++) {
        const size_t consumer = instance->tensors[t].consumers[c];
        if (f->guides[consumer] != t) {
          send(f, t, consumer);
        }
      }
    }
  }
}

/* ---- at least ---- */

/* A group that comes to a task on j is at least as large as the batch of j when it leaves, and on
 * its way from 1 each growth by one was waited for 1 / 2 rho or longer. */
static void add_least(finder *f) {
  const dsm_instance *const instance = f->instance;
  double most = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    double waiting = 0;
    for (size_t j = 0; j < instance->device_count; j++) {
      const double batch = dsm_instance_batch(instance, j);
      const double x = rate(f, i, j);
      waiting += x * (batch - 1) / (2 * f->rho);
      f->seconds += x > 0 ? x * batch * dsm_instance_seconds(instance, i, j) : 0;
    }
    most = fmax(most, waiting);
  }
  f->seconds += most;
}

/* ---- all of it ---- */

static void find_sizes(finder *f) {
  f->sizes[f->size_count++] = 1;
  for (;;) {
    double next = HUGE_VAL;
    for (size_t j = 0; j < f->instance->device_count; j++) {
      const double batch = dsm_instance_batch(f->instance, j);
      next = batch > f->sizes[f->size_count - 1] ? fmin(next, batch) : next;
    }
    if (!isfinite(next)) {
      return;
    }
    f->sizes[f->size_count++] = next;
  }
}

static void find_guides(finder *f) {
  const dsm_instance *const instance = f->instance;
  for (size_t i = 0; i < instance->task_count; i++) {
    f->guides[i] = instance->tensor_count;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    for (size_t c = 0; c < it->consumer_count; c++) {
      size_t *const guide = &f->guides[it->consumers[c]];
      *guide = *guide == instance->tensor_count || it->bytes > instance->tensors[*guide].bytes
                   ? t
                   : *guide;
    }
  }
}

bool dsm__batch_mean_find(double *seconds, dsm__arena *arena, const dsm_instance *instance,
                          const double *rates, double rho, const double *moved) {
  finder f = {.instance = instance, .rates = rates, .rho = rho, .moved = moved};
  find_sizes(&f);
  const size_t places = instance->task_count * instance->device_count * f.size_count;
  if (!DSM__RESERVE(arena, f.guides, instance->task_count) ||
      !DSM__RESERVE(arena, f.parts, places) || !DSM__RESERVE(arena, f.others, places)) {
    return false;
  }
  if (dsm__ways_are_known(instance, rates)) {
    find_guides(&f);
    add_tasks(&f);
  } else {
    add_least(&f);
  }
  *seconds = f.seconds;
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programme_latency.c: (13), how long requests may take on average.
 *
 * With T_ij = b_j p_ij seconds of a batch, d the seconds of a transfer with those that are run
 * together with it, and w what the requests of a second wait for batches,
 *
 *   (13)  sum_ij T_ij x_ij + sum d f + w <= L rho,
 *   (13a) w >= sum_j x_ij (b_j - 1) / 2 R for each task i, with R a bound of rho.
 *
 * Both are less than requests take, so that no answer is cut off. A task takes max(b_j, g) p_ij,
 * with g those that come together: T_ij or more. And the g of a request is 1 at the first tasks, at
 * least b_j behind a task on j, and grows only where is waited, (b - g) / 2 r for growth from g to
 * b, at rates r <= rho <= R. So whoever runs a task on j has waited (b_j - 1) / 2 R or longer. Of a
 * task with several inputs that holds along the one by which the largest group comes, as all that
 * is waited before it counts. Where batches differ in nothing, w is just (b - 1) / 2, whatever rho
 * is: the least batch of all is taken out of (13a) as such, sum_j x_ij / rho being 1.
 *
 * Of chains, and where each task is in one place, more is said. Let the sizes of batches be v_0 <
 * v_1 < ..., D_s the step from v_{s-1} to v_s, and h_sij how many requests a second, in groups of
 * v_s or more, run task i on a device j with a smaller batch. Groups do not shrink from i to a
 * consumer k, and
 *
 *   (13b) sum_{b_j < v_s} h_skj + sum_{b_j >= v_s} x_kj >= the same of i,   h_sij <= x_ij,
 *
 * D_s p_ij h_sij are added to (13), and to (13a) what they have waited. Behind the first task r is
 * the rate of a device alone: on one chain a group grows to v_s on the way from a device k with a
 * smaller batch, at no more than U_s, the most that any such k runs a task; or at the first task e,
 * on a, at R; else U_s is R. So behind a task i without consumers
 *
 *   (13a) w >= sum_s (sum_{b_j >= v_s} x_ij + sum_{b_j < v_s} h_sij) D_s / 2 U_s
 *              - sum_s sum_{b_a >= v_s} x_ea D_s (1 / 2 U_s - 1 / 2 R).
 *
 * Of a request that is D_s / 2 R for v_s up to the batch of a and D_s / 2 U_s up to its group,
 * which it has waited. Where devices have the least of several batches nobody knows how large
 * groups are that come from the first task, and U_s is R too. Of other graphs the rates do not say
 * which requests are together, and what is said of an answer there has no h either (batch_mean.h).
 */
#include <math.h>

#include "partition/programme_writer.h"

static bool has_limit(const dsm__writer *w) {
  return w->options->latency_limit_seconds > 0;
}

/* R in requests per time unit; infinite: not known. */
static double rate_bound(const dsm__writer *w) {
  if (w->options->objective == DSM_OBJECTIVE_ENERGY) {
    return w->options->required_rho * w->form.time_unit;
  }
  const double bound =
      w->form.rho_limit > 0 ? w->form.rho_limit : dsm__speed_limit(w->instance, w->options);
  return bound * w->form.time_unit;
}

/* One chain of all tasks, in their order. Of several sizes to choose from it is not known which
 * come from the first task in how large groups. */
static bool is_one_chain(const dsm__writer *w) {
  return w->is_chain && !w->form.is_relaxed &&
         w->instance->tensor_count + 1 == w->instance->task_count;
}

/* U_s in requests per time unit: what devices with smaller batches run of a task, at most. */
static double stream_bound(const dsm__writer *w, double size) {
  const double bound = rate_bound(w);
  double most = 0;
  for (size_t j = 0; j < w->instance->device_count; j++) {
    for (size_t i = 0; i < w->instance->task_count && dsm_instance_batch(w->instance, j) < size;
         i++) {
      most = fmax(most, 1 / dsm__spent(w, i, j));
    }
  }
  return is_one_chain(w) && most > 0 ? fmin(most, bound) : bound;
}

void dsm__survey_batches(dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  double before = 0;
  double next = 0;
  while (isfinite(next)) {
    next = HUGE_VAL;
    for (size_t j = 0; j < instance->device_count; j++) {
      const double batch = dsm_instance_batch(instance, j);
      next = batch > before ? fmin(next, batch) : next;
    }
    if (isfinite(next)) {
      w->sizes[w->size_count++] = next;
    }
    before = next;
  }
  for (size_t s = 1; s < w->size_count; s++) {
    const double step = w->sizes[s] - w->sizes[s - 1];
    w->waits[s] = step / (2 * stream_bound(w, w->sizes[s]));
    w->first_waits[s] = w->waits[s] - step / (2 * rate_bound(w));
  }
}

static bool is_at_least(const dsm__writer *w, size_t device, size_t size) {
  return dsm_instance_batch(w->instance, device) >= w->sizes[size];
}

/* ---- columns ---- */

static bool has_groups(const dsm__writer *w) {
  return w->made->groups != NULL;
}

static size_t *group_column(const dsm__writer *w, size_t task, size_t device, size_t size) {
  return &w->made->groups[dsm__place_of(w, task, device) * w->size_count + size];
}

bool dsm__reserve_groups(dsm__writer *w, dsm__arena *arena) {
  const size_t places = w->instance->task_count * w->instance->device_count;
  const bool are_known = w->is_chain || dsm__copies_max(w->instance, w->options) == 1;
  return !has_limit(w) || !are_known || w->size_count < 2 ||
         DSM__RESERVE(arena, w->made->groups, places * w->size_count);
}

static void write_group_column(dsm__writer *w, size_t task, size_t device, size_t size) {
  const size_t rate = w->made->rate[dsm__place_of(w, task, device)];
  size_t *const column = group_column(w, task, device, size);
  if (*column == DSM__NO_COLUMN && !is_at_least(w, device, size) && rate != DSM__NO_COLUMN) {
    *column = dsm__write_column(w, (dsm__column){.kind = DSM__COLUMN_GROUP,
                                                 .major = task,
                                                 .device = device,
                                                 .target = size,
                                                 .upper = HUGE_VAL});
  }
}

/* A task without inputs is reached one by one, others in groups. */
static void write_group_columns(dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  const size_t device_count = instance->device_count;
  for (size_t k = 0; k < instance->task_count * device_count * w->size_count; k++) {
    w->made->groups[k] = DSM__NO_COLUMN;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    for (size_t c = 0; c < instance->tensors[t].consumer_count; c++) {
      for (size_t k = 0; k < device_count * (w->size_count - 1); k++) {
        write_group_column(w, instance->tensors[t].consumers[c], k % device_count,
                           1 + k / device_count);
      }
    }
  }
}

void dsm__write_latency_columns(dsm__writer *w) {
  double most = 0;
  w->made->waiting = DSM__NO_COLUMN;
  if (!has_limit(w) || !isfinite(rate_bound(w)) || w->size_count < 2) {
    w->made->groups = NULL;
    return;
  }
  for (size_t s = 1; s < w->size_count; s++) {
    most += w->waits[s] * rate_bound(w);
  }
  w->made->waiting =
      dsm__write_column(w, (dsm__column){.kind = DSM__COLUMN_WAITING, .upper = most});
  if (has_groups(w)) {
    write_group_columns(w);
  }
}

/* ---- rows ---- */

/* Requests of a task in groups of a size or more, times a factor. */
static void write_grouped(dsm__writer *w, size_t task, size_t size, double factor) {
  for (size_t j = 0; j < w->instance->device_count; j++) {
    if (is_at_least(w, j, size)) {
      dsm__write_entry(w, w->made->rate[dsm__place_of(w, task, j)], factor);
    } else if (has_groups(w)) {
      dsm__write_entry(w, *group_column(w, task, j, size), factor);
    }
  }
}

/* (13b) of a tensor. */
static void write_group_rows(dsm__writer *w, size_t tensor) {
  const dsm_tensor *const it = &w->instance->tensors[tensor];
  for (size_t c = 0; c < it->consumer_count; c++) {
    for (size_t s = 1; s < w->size_count; s++) {
      dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_GROUP,
                                   .major = tensor,
                                   .device = s,
                                   .consumer = c,
                                   .upper = HUGE_VAL});
      write_grouped(w, it->consumers[c], s, 1);
      write_grouped(w, it->producer, s, -1);
    }
  }
}

static void write_grouped_row(dsm__writer *w, size_t task, size_t device, size_t size) {
  const size_t column = *group_column(w, task, device, size);
  if (column != DSM__NO_COLUMN) {
    dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_GROUPED,
                                 .major = task,
                                 .device = device,
                                 .consumer = size,
                                 .lower = -HUGE_VAL});
    dsm__write_entry(w, column, 1);
    dsm__write_entry(w, w->made->rate[dsm__place_of(w, task, device)], -1);
  }
}

/* Requests of a task, times the sum of factors up to the size of their group. */
static void write_waits(dsm__writer *w, size_t task, const double *factors, double sign) {
  for (size_t j = 0; j < w->instance->device_count; j++) {
    double sum = 0;
    for (size_t s = 1; s < w->size_count; s++) {
      sum += is_at_least(w, j, s) ? sign * factors[s] : 0;
      if (has_groups(w) && !is_at_least(w, j, s)) {
        dsm__write_entry(w, *group_column(w, task, j, s), sign * factors[s]);
      }
    }
    dsm__write_entry(w, w->made->rate[dsm__place_of(w, task, j)], sum);
  }
}

/* (13a). Of the first task in its own place nothing is known but R. */
static void write_waiting_row(dsm__writer *w, size_t task) {
  double factors[DSM_DEVICES_MAX] = {0};
  for (size_t s = 1; s < w->size_count; s++) {
    factors[s] = w->waits[s] - (task == 0 ? w->first_waits[s] : 0);
  }
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_WAITING, .major = task, .upper = HUGE_VAL});
  dsm__write_entry(w, w->made->waiting, 1);
  write_waits(w, task, factors, -1);
  if (task > 0) {
    write_waits(w, 0, w->first_waits, 1);
  }
}

static void write_waiting_rows(dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  size_t t = 0; /* tensors are by producer */
  for (size_t i = 0; i < instance->task_count && w->made->waiting != DSM__NO_COLUMN; i++) {
    while (t < instance->tensor_count && instance->tensors[t].producer < i) {
      t++;
    }
    const bool is_last = t == instance->tensor_count || instance->tensors[t].producer > i;
    if (is_last || !has_groups(w)) {
      write_waiting_row(w, i);
    }
  }
  for (t = 0; has_groups(w) && t < instance->tensor_count; t++) {
    write_group_rows(w, t);
  }
  for (size_t k = 0; has_groups(w) && k < instance->task_count * instance->device_count; k++) {
    for (size_t s = 1; s < w->size_count; s++) {
      write_grouped_row(w, k / instance->device_count, k % instance->device_count, s);
    }
  }
}

/* What groups that are larger than a batch take besides that. */
static void write_group_seconds(dsm__writer *w, double limit) {
  const dsm_instance *const instance = w->instance;
  const size_t places = instance->task_count * instance->device_count;
  for (size_t k = 0; k < places * w->size_count && has_groups(w); k++) {
    const size_t s = k % w->size_count;
    const size_t place = k / w->size_count;
    if (w->made->groups[k] != DSM__NO_COLUMN) {
      const size_t task = place / instance->device_count;
      const size_t device = place % instance->device_count;
      dsm__write_entry(w, w->made->groups[k],
                       (w->sizes[s] - w->sizes[s - 1]) * dsm__spent(w, task, device) / limit);
    }
  }
}

/* In parts of the limit, so that the number of requests has the factor 1. */
static void write_limit_row(dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  const dsm__programme *const made = w->made;
  const double limit = w->options->latency_limit_seconds / w->form.time_unit;
  const size_t device_count = instance->device_count;
  const double waiting = (w->sizes[0] - 1) / 2;
  const double requests =
      made->rho == DSM__NO_COLUMN ? w->options->required_rho * w->form.time_unit : 0;
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_LATENCY,
                               .lower = -HUGE_VAL,
                               .upper = requests - waiting / limit});
  for (size_t k = 0; k < instance->task_count * device_count; k++) {
    const size_t task = k / device_count;
    const size_t device = k % device_count;
    if (made->rate[k] != DSM__NO_COLUMN) {
      dsm__write_entry(w, made->rate[k],
                       (dsm__batch_spent(w, task, device) + dsm__input_cost(w, task, device)) /
                           limit);
    }
  }
  for (size_t k = 0; k < (instance->tensor_count + instance->task_count) * device_count; k++) {
    const size_t tensor = k / device_count;
    const size_t device = k % device_count;
    const bool is_sent = made->sent[k] != DSM__NO_COLUMN;
    if (is_sent) {
      dsm__write_entry(w, made->sent[k], dsm__sending_cost(w, tensor, device) / limit);
    }
    for (size_t to = 0;
         is_sent && w->routes.has_targets && tensor < instance->tensor_count && to < device_count;
         to++) {
      dsm__write_entry(w, made->moved[k * device_count + to],
                       dsm__moving_cost(w, tensor, device, to) / limit);
    }
  }
  write_group_seconds(w, limit);
  dsm__write_entry(w, made->waiting, 1 / limit);
  dsm__write_entry(w, made->rho, -1);
}

void dsm__write_latency_rows(dsm__writer *w) {
  if (has_limit(w)) {
    write_limit_row(w);
    write_waiting_rows(w);
  }
}

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
 * Behind the first task r is the rate of a device alone. On one chain a group grows past v on the
 * way from a device k whose batch is no larger, at no more than U_v, the most that any such k runs
 * a task; or at the first task e, on a, at R. With v rising over the batches and D the step to the
 * next,
 *
 *   (13a) w >= sum_j x_ij sum_{v < b_j} D / 2 U_v - sum_a x_ea sum_{v < b_a} D (1 / 2 U_v - 1 / 2
 * R).
 *
 * Of a request by a and j that is D / 2 R for v < min(b_a, b_j) and D / 2 U_v for b_a <= v < b_j,
 * which it has waited, and for b_j <= v < b_a it is no more than 0.
 */
#include <math.h>

#include "partition/programme_writer.h"

static bool has_limit(const dsm__writer *w) {
  return w->options->latency_limit_seconds > 0;
}

static double least_batch(const dsm_instance *instance) {
  double least = HUGE_VAL;
  for (size_t j = 0; j < instance->device_count; j++) {
    least = fmin(least, dsm_instance_batch(instance, j));
  }
  return least;
}

static double largest_batch(const dsm_instance *instance) {
  double most = 1;
  for (size_t j = 0; j < instance->device_count; j++) {
    most = fmax(most, dsm_instance_batch(instance, j));
  }
  return most;
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

/* U_v in requests per time unit: what devices whose batches are no larger run of a task, at most.
 */
static double stream_bound(const dsm__writer *w, double size) {
  const double bound = rate_bound(w);
  double most = 0;
  for (size_t j = 0; j < w->instance->device_count; j++) {
    for (size_t i = 0; i < w->instance->task_count && dsm_instance_batch(w->instance, j) <= size;
         i++) {
      most = fmax(most, 1 / dsm__spent(w, i, j));
    }
  }
  return is_one_chain(w) && most > 0 ? fmin(most, bound) : bound;
}

/* From the least batch on; by device what (13a) has of a task, and of the first in its place. */
static void find_waits(const dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  const double most = largest_batch(instance);
  double next = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    w->waits[j] = w->first_waits[j] = 0;
  }
  for (double size = least_batch(instance); size < most; size = next) {
    next = most;
    for (size_t j = 0; j < instance->device_count; j++) {
      const double batch = dsm_instance_batch(instance, j);
      next = batch > size ? fmin(next, batch) : next;
    }
    const double bound = stream_bound(w, size);
    for (size_t j = 0; j < instance->device_count; j++) {
      const double step = dsm_instance_batch(instance, j) > size ? next - size : 0;
      w->waits[j] += step / (2 * bound);
      w->first_waits[j] += step / (2 * bound) - step / (2 * rate_bound(w));
    }
  }
}

void dsm__write_waiting_column(dsm__writer *w) {
  double most = 0;
  w->made->waiting = DSM__NO_COLUMN;
  if (!has_limit(w) || !isfinite(rate_bound(w))) {
    return;
  }
  find_waits(w);
  for (size_t j = 0; j < w->instance->device_count; j++) {
    most = fmax(most, w->waits[j]);
  }
  if (most > 0) {
    w->made->waiting = dsm__write_column(
        w, (dsm__column){.kind = DSM__COLUMN_WAITING, .upper = most * rate_bound(w)});
  }
}

/* (13a). */
static void write_waiting_row(dsm__writer *w, size_t task) {
  const size_t *const rate = w->made->rate;
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_WAITING, .major = task, .upper = HUGE_VAL});
  for (size_t j = 0; j < w->instance->device_count; j++) {
    const bool is_first = task == 0;
    dsm__write_entry(w, rate[dsm__place_of(w, task, j)],
                     (is_first ? w->first_waits[j] : 0) - w->waits[j]);
    if (!is_first) {
      dsm__write_entry(w, rate[dsm__place_of(w, 0, j)], w->first_waits[j]);
    }
  }
  dsm__write_entry(w, w->made->waiting, 1);
}

/* In parts of the limit, so that the number of requests has the factor 1. */
static void write_limit_row(dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  const dsm__programme *const made = w->made;
  const double limit = w->options->latency_limit_seconds / w->form.time_unit;
  const size_t device_count = instance->device_count;
  const double waiting = (least_batch(instance) - 1) / 2;
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
  dsm__write_entry(w, made->waiting, 1 / limit);
  dsm__write_entry(w, made->rho, -1);
}

void dsm__write_latency_rows(dsm__writer *w) {
  if (!has_limit(w)) {
    return;
  }
  write_limit_row(w);
  for (size_t i = 0; i < w->instance->task_count && w->made->waiting != DSM__NO_COLUMN; i++) {
    write_waiting_row(w, i);
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pricing_routes.c: traffic between devices made whole.
 *
 * The solver's numbers keep its rows but for tolerances, and rates have been cleaned since. Of a
 * tensor with one consumer, first no device may send more than it makes or receive more than it
 * uses: rows and columns of f are scaled down. What then is missing to x_i - x_k = sent - received
 * is a surplus on some devices and a lack, of the same sum, on others, and goes from those to these
 * directly. A surplus is what was received and made and not used, so sending it keeps "no more than
 * it makes", since no more was received than is used; the same holds of a lack.
 */
#include "partition/pricing_routes.h"

#include <math.h>

#include "partition/instance_facts.h"

/* As in pricing.c. */
static const double binding_margin = 1e-6;

bool dsm__traffic_begin(dsm__traffic *traffic, dsm_partition *partition, double *moved) {
  const dsm_instance *const instance = partition->instance;
  const size_t ways = instance->tensor_count * instance->device_count * instance->device_count;
  *traffic = (dsm__traffic){.moved = moved};
  if (!dsm__routes_make(&traffic->routes, partition->arena, instance, &partition->options)) {
    return false;
  }
  if (traffic->routes.has_targets && moved == NULL &&
      !DSM__RESERVE(partition->arena, traffic->moved, ways)) {
    return false;
  }
  return (!traffic->routes.has_targets || DSM__RESERVE(partition->arena, traffic->trial, ways)) &&
         (traffic->routes.is_plain ||
          DSM__RESERVE(partition->arena, traffic->carriers, traffic->routes.carrier_count));
}

/* ---- what is moved ---- */

/* f of a tensor, with its sums. */
typedef struct table {
  double *f;
  size_t count; /* of devices */
} table;

static double *cell(const table *t, size_t from, size_t to) {
  return &t->f[from * t->count + to];
}

static double sum_sent(const table *t, size_t from) {
  double sum = 0;
  for (size_t k = 0; k < t->count; k++) {
    sum += *cell(t, from, k);
  }
  return sum;
}

static double sum_received(const table *t, size_t to) {
  double sum = 0;
  for (size_t j = 0; j < t->count; j++) {
    sum += *cell(t, j, to);
  }
  return sum;
}

/* Nothing is below 0, sent to itself, or more than is made. */
static void clean(const table *t, const double *made) {
  for (size_t j = 0; j < t->count; j++) {
    for (size_t k = 0; k < t->count; k++) {
      *cell(t, j, k) = j == k ? 0 : fmin(fmax(*cell(t, j, k), 0), made[j]);
    }
  }
}

/* Nothing goes there and back. */
static void settle_single(const table *t, const double *made, const double *used) {
  for (size_t j = 0; j < t->count; j++) {
    for (size_t k = 0; k < j; k++) {
      const double both = fmin(*cell(t, j, k), *cell(t, k, j));
      *cell(t, j, k) -= both;
      *cell(t, k, j) -= both;
    }
  }
  for (size_t j = 0; j < t->count; j++) {
    const double sent = sum_sent(t, j);
    for (size_t k = 0; k < t->count && sent > made[j]; k++) {
      *cell(t, j, k) *= made[j] / sent;
    }
  }
  for (size_t k = 0; k < t->count; k++) {
    const double received = sum_received(t, k);
    for (size_t j = 0; j < t->count && received > used[k]; j++) {
      *cell(t, j, k) *= used[k] / received;
    }
  }
  for (size_t j = 0; j < t->count; j++) {
    double surplus = made[j] + sum_received(t, j) - sum_sent(t, j) - used[j];
    for (size_t k = 0; k < t->count && surplus > 0; k++) {
      const double lack = used[k] + sum_sent(t, k) - made[k] - sum_received(t, k);
      const double more = k == j ? 0 : fmax(fmin(surplus, lack), 0);
      *cell(t, j, k) += more;
      surplus -= more;
    }
  }
}

/* Adds `missing` copies, of each pair in parts of what it leaves below a copy of all that is made;
 * by device, of what it sends or of what it receives. */
static void add_copies(const table *t, const double *made, size_t device, bool is_sender,
                       double missing) {
  double room = 0;
  for (size_t k = 0; k < t->count; k++) {
    const size_t from = is_sender ? device : k;
    room += k == device ? 0 : made[from] - *cell(t, from, is_sender ? k : device);
  }
  for (size_t k = 0; k < t->count && missing > 0 && room > 0; k++) {
    const size_t from = is_sender ? device : k;
    double *const it = cell(t, from, is_sender ? k : device);
    *it += k == device ? 0 : fmin(missing / room, 1) * (made[from] - *it);
  }
}

/* The most by which what a device makes differs from what a consumer there uses: more (1), less
 * (-1). */
static double excess(const dsm_tensor *tensor, const double *rates, size_t device_count,
                     size_t device, double sign) {
  double most = 0;
  for (size_t k = 0; k < tensor->consumer_count; k++) {
    most = fmax(most, sign * (rates[tensor->producer * device_count + device] -
                              rates[tensor->consumers[k] * device_count + device]));
  }
  return most;
}

/* Takes back what a device gets beyond what its consumers lack, as far as who sends it still sends
 * all that a consumer there does not use. */
static void drop_surplus(const table *t, const dsm_tensor *tensor, const double *rates) {
  for (size_t j = 0; j < t->count; j++) {
    const double least = excess(tensor, rates, t->count, j, 1);
    for (size_t k = 0; k < t->count; k++) {
      const double lack = excess(tensor, rates, t->count, k, -1);
      const double surplus = fmin(sum_sent(t, j) - least, sum_received(t, k) - lack);
      *cell(t, j, k) -= fmax(fmin(surplus, *cell(t, j, k)), 0);
    }
  }
}

/* Each device gets what some consumer there lacks, and then sends what one does not use; nobody
 * more than that. */
static void settle_shared(const table *t, const dsm_tensor *tensor, const double *rates) {
  const double *const made = &rates[tensor->producer * t->count];
  for (size_t j = 0; j < t->count; j++) {
    const double lack = excess(tensor, rates, t->count, j, -1);
    add_copies(t, made, j, false, lack - sum_received(t, j));
  }
  for (size_t j = 0; j < t->count; j++) {
    const double surplus = excess(tensor, rates, t->count, j, 1);
    add_copies(t, made, j, true, surplus - sum_sent(t, j));
  }
  drop_surplus(t, tensor, rates);
}

void dsm__settle_moved(const dsm__traffic *traffic, const double *rates, size_t tensor,
                       double *copies) {
  const dsm_instance *const instance = traffic->routes.instance;
  const dsm_tensor *const it = &instance->tensors[tensor];
  const size_t device_count = instance->device_count;
  const table t = {&traffic->moved[tensor * device_count * device_count], device_count};
  const double *const made = &rates[it->producer * device_count];
  clean(&t, made);
  if (it->consumer_count == 1) {
    settle_single(&t, made, &rates[it->consumers[0] * device_count]);
  } else {
    settle_shared(&t, it, rates);
  }
  for (size_t j = 0; j < device_count; j++) {
    copies[j] = sum_sent(&t, j);
  }
}

/* ---- carriers ---- */

/* What is done with each kind of transfer: so many a second of so many bytes, so many together. */
typedef struct transfers {
  dsm__way way;
  double bytes;
  double times;
  double batch;
} transfers;

typedef void visit(void *context, const dsm__routes *routes, const transfers *it);

static void visit_all(const dsm__traffic *traffic, const dsm_partition_options *options,
                      const double *rates, const double *copies, visit *each, void *context) {
  const dsm__routes *const routes = &traffic->routes;
  const dsm_instance *const instance = routes->instance;
  const size_t m = instance->device_count;
  for (size_t t = 0; t < instance->tensor_count + instance->task_count; t++) {
    const bool has_targets = traffic->moved != NULL && t < instance->tensor_count;
    for (size_t j = 0; j < m; j++) {
      const double batch = dsm_instance_batch(instance, j);
      const double bytes = dsm__output_bytes(instance, t, j);
      for (size_t k = 0; k < m && has_targets; k++) {
        each(context, routes,
             &(transfers){dsm__way_between(routes, j, k), bytes,
                          traffic->moved[(t * m + j) * m + k], batch});
      }
      if (!has_targets) {
        each(context, routes,
             &(transfers){dsm__way_between(routes, j, m), bytes, copies[t * m + j], batch});
      }
    }
  }
  for (size_t i = 0; i < instance->task_count && options->does_count_input; i++) {
    for (size_t j = 0; j < m; j++) {
      each(context, routes,
           &(transfers){dsm__way_between(routes, m, j), dsm__input_bytes(routes, i, j),
                        rates[i * m + j], dsm_instance_batch(instance, j)});
    }
  }
}

static void carry(void *context, const dsm__routes *routes, const transfers *it) {
  dsm_carrier_use *const carriers = context;
  for (size_t h = 0; h < it->way.hop_count && it->bytes > 0 && it->times > 0; h++) {
    dsm_carrier_use *const use = &carriers[it->way.hops[h].carrier];
    use->bytes_per_second += it->times * it->bytes;
    use->transfers += it->times / it->batch;
    use->time_fraction += it->times * dsm__hop_seconds(routes, &it->way.hops[h], it->bytes);
  }
}

void dsm__count_carriers(const dsm__traffic *traffic, const dsm_partition_options *options,
                         const double *rates, const double *copies) {
  for (size_t r = 0; r < traffic->routes.carrier_count; r++) {
    const dsm__carrier *const it = &traffic->routes.carriers[r];
    traffic->carriers[r] = (dsm_carrier_use){.kind = it->kind,
                                             .index = it->index,
                                             .target = it->target,
                                             .capacity = it->bytes_per_second};
  }
  visit_all(traffic, options, rates, copies, carry, traffic->carriers);
}

double dsm__busiest_carrier(const dsm__traffic *traffic) {
  double most = 0;
  for (size_t r = 0; r < traffic->routes.carrier_count && traffic->carriers != NULL; r++) {
    most = fmax(most, traffic->carriers[r].time_fraction);
  }
  return most;
}

static void add_seconds(void *context, const dsm__routes *routes, const transfers *it) {
  double *const seconds = context;
  *seconds += it->times * it->batch * dsm__way_seconds(routes, it->way, it->bytes);
}

double dsm__moving_seconds(const dsm__traffic *traffic, const dsm_partition_options *options,
                           const double *rates, const double *copies) {
  double seconds = 0;
  visit_all(traffic, options, rates, copies, add_seconds, &seconds);
  return seconds;
}

/* ---- into the answer ---- */

bool dsm__traffic_hand_over(const dsm__traffic *traffic, dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  const dsm__routes *const routes = &traffic->routes;
  const size_t m = instance->device_count;
  if (routes->is_plain) {
    return true;
  }
  dsm_carrier_use *const kept =
      dsm__arena_array(partition->arena, routes->carrier_count, sizeof *kept);
  double *moved = NULL;
  if (kept == NULL || (routes->has_targets &&
                       !DSM__RESERVE(partition->arena, moved, instance->tensor_count * m * m))) {
    return false;
  }
  for (size_t k = 0; k < instance->tensor_count * m * m && moved != NULL; k++) {
    moved[k] = traffic->moved[k] * dsm__output_bytes(instance, k / (m * m), k / m % m);
  }
  partition->moved = moved;
  partition->carriers = kept;
  partition->carrier_count = 0;
  for (size_t r = m; r < routes->carrier_count; r++) {
    if (dsm__carrier_is_limited(routes, r)) {
      kept[partition->carrier_count] = traffic->carriers[r];
      kept[partition->carrier_count++].is_binding =
          partition->options.objective != DSM_OBJECTIVE_LATENCY &&
          traffic->carriers[r].time_fraction >= 1 - binding_margin;
    }
  }
  return true;
}

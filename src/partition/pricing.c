/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pricing.c: rates made whole, and what they do to the devices.
 *
 * The solver's rates keep its constraints but for its tolerances. Here they are made to keep them
 * exactly: rates that are mere rounding go, the rates of each task are scaled to the same sum, so
 * that (7) holds with equality, and all rates together are divided by what the busiest device or
 * link exceeds its limit by, so that (1) and (6) hold. For throughput each step lowers rho or
 * leaves it, and rho is counted from the rates that remain: what is reported can be reached,
 * whatever the solver said.
 *
 * Copies of a tensor that one task needs follow from the rates; of one that several need the solver
 * chose who sends, and that is kept as far as the limits leave it (settle_shared). What the answer
 * says of itself, the use of each device and what binds, is counted from these rates and from
 * nothing that the solver said.
 */
#include "partition/solver.h"

#include <math.h>

#include "base/arena.h"
#include "partition/batch_latency.h"
#include "partition/batch_mean.h"
#include "partition/instance_facts.h"
#include "partition/pricing_routes.h"

/* Below this part of a task's rate a device does not run it: a solver's rounding. */
static const double rate_dust = 1e-7;
/* Within this part of its limit a resource binds. */
static const double binding_margin = 1e-6;

typedef struct pricer {
  dsm_partition *made;
  const dsm_instance *instance;
  double *rates;
  double *copies;
  dsm__traffic traffic;
  double *kept; /* the answer's rates */
  bool *is_stored;
  double *sent;
  dsm_device_use *uses;
} pricer;

/* Least and most copies of a tensor that device j sends, and (`received`) gets, at these rates. */
typedef struct copy_counts {
  double least;
  double most;
  double received;
} copy_counts;

/* A device sends at least what it makes and one consumer does not use there, for the consumer that
 * lacks most; it receives at least what some consumer uses and it does not make. For a tensor with
 * one consumer the two are all there is to choose (constraint (4)). */
static copy_counts traffic_of(const dsm_instance *instance, const dsm_partition_options *options,
                              const double *rates, size_t tensor, size_t device) {
  const size_t device_count = instance->device_count;
  const size_t producer = dsm__producer_of(instance, tensor);
  const double made = rates[producer * device_count + device];
  if (tensor >= instance->tensor_count) {
    const double leaving = dsm__leaves(instance, options, producer) ? made : 0;
    return (copy_counts){.least = leaving, .most = leaving};
  }
  const dsm_tensor *const it = &instance->tensors[tensor];
  copy_counts traffic = {.least = 0};
  for (size_t k = 0; k < it->consumer_count; k++) {
    const double used = rates[it->consumers[k] * device_count + device];
    traffic.least = fmax(traffic.least, made - used);
    traffic.received = fmax(traffic.received, used - made);
  }
  traffic.most = it->consumer_count > 1 ? made * ((double)device_count - 1) : traffic.least;
  traffic.most = fmax(traffic.most, traffic.least);
  return traffic;
}

/* ---- rates ---- */

/* Drops what is rounding, and gives all tasks the same rate. That is the least of any task's, to
 * which the others are scaled down, or what is required. By the argument for chains in
 * docs/partition.md a task that ran more often than requests come does not have to. */
static void balance_rates(pricer *p, double wanted) {
  const size_t device_count = p->instance->device_count;
  double least = HUGE_VAL;
  for (size_t i = 0; i < p->instance->task_count; i++) {
    double *const rates = &p->rates[i * device_count];
    double sum = 0;
    for (size_t j = 0; j < device_count; j++) {
      rates[j] = fmax(rates[j], 0);
      sum += rates[j];
    }
    double kept = 0;
    for (size_t j = 0; j < device_count; j++) {
      rates[j] = rates[j] < rate_dust * sum ? 0 : rates[j];
      kept += rates[j];
    }
    least = fmin(least, kept);
  }
  const double rho = wanted > 0 ? wanted : least;
  for (size_t i = 0; i < p->instance->task_count; i++) {
    double *const rates = &p->rates[i * device_count];
    double sum = 0;
    for (size_t j = 0; j < device_count; j++) {
      sum += rates[j];
    }
    for (size_t j = 0; j < device_count; j++) {
      rates[j] = sum > 0 ? rates[j] * (rho / sum) : 0;
    }
  }
  p->made->rho = rho;
}

/* ---- copies ---- */

/* As the solver chose, within the limits, with as many sent as are received. Each device sends at
 * least what its consumers lack and at most a copy to each other device. Where fewer copies are
 * sent than received, all senders take a part of their spare that adds up to what is missing; where
 * more, all give up a part of what they send beyond their least. Both keep every limit, since a
 * part of a spare is within it. */
static void settle_shared(pricer *p, size_t tensor) {
  const size_t device_count = p->instance->device_count;
  double *const copies = &p->copies[tensor * device_count];
  double missing = 0;
  double room = 0;
  double excess = 0;
  for (size_t j = 0; j < device_count; j++) {
    const copy_counts traffic = traffic_of(p->instance, &p->made->options, p->rates, tensor, j);
    copies[j] = fmin(fmax(copies[j], traffic.least), traffic.most);
    missing += traffic.received - copies[j];
    room += traffic.most - copies[j];
    excess += copies[j] - traffic.least;
  }
  for (size_t j = 0; j < device_count; j++) {
    const copy_counts traffic = traffic_of(p->instance, &p->made->options, p->rates, tensor, j);
    if (missing > 0 && room > 0) {
      copies[j] += fmin(missing / room, 1) * (traffic.most - copies[j]);
    } else if (missing < 0 && excess > 0) {
      copies[j] += fmax(missing / excess, -1) * (copies[j] - traffic.least);
    }
  }
}

static void settle_copies(pricer *p) {
  const dsm_instance *const instance = p->instance;
  for (size_t t = 0; t < instance->tensor_count + instance->task_count; t++) {
    if (t < instance->tensor_count && p->traffic.moved != NULL) {
      dsm__settle_moved(&p->traffic, p->rates, t, &p->copies[t * instance->device_count]);
      continue;
    }
    if (t < instance->tensor_count && instance->tensors[t].consumer_count > 1) {
      settle_shared(p, t);
      continue;
    }
    for (size_t j = 0; j < instance->device_count; j++) {
      p->copies[t * instance->device_count + j] =
          traffic_of(instance, &p->made->options, p->rates, t, j).least;
    }
  }
}

/* ---- devices ---- */

static void count_use(pricer *p, size_t device) {
  const dsm_instance *const instance = p->instance;
  const size_t device_count = instance->device_count;
  dsm_device_use *const use = &p->uses[device];
  *use = (dsm_device_use){.is_off = p->made->options.is_unused_off};
  for (size_t i = 0; i < instance->task_count; i++) {
    const double rate = p->rates[i * device_count + device];
    if (rate > 0) {
      use->is_off = false;
      use->time_fraction += rate * dsm_instance_seconds(instance, i, device);
      use->memory_bytes += dsm__task_need(instance, &p->made->options, i, device);
    }
  }
  for (size_t t = 0; t < instance->tensor_count + instance->task_count; t++) {
    const size_t place = t * device_count + device;
    p->sent[place] = p->copies[place] * dsm__output_bytes(instance, t, device);
    use->link_bytes_per_second += p->sent[place];
  }
  use->link_fraction = use->link_bytes_per_second / instance->devices[device].link_bytes_per_second;
}

static void count_uses(pricer *p) {
  for (size_t j = 0; j < p->instance->device_count; j++) {
    count_use(p, j);
  }
  if (p->traffic.routes.is_plain) {
    return;
  }
  dsm__count_carriers(&p->traffic, &p->made->options, p->rates, p->copies);
  for (size_t j = 0; j < p->instance->device_count; j++) {
    p->uses[j].link_bytes_per_second = p->traffic.carriers[j].bytes_per_second;
    p->uses[j].link_fraction = p->traffic.carriers[j].time_fraction;
  }
}

/* (1) and (6) are kept exactly by slowing everything down: both are linear in the rates, so
 * dividing all rates and copies by the largest excess brings each of them to its limit or below. */
static void slow_down(pricer *p) {
  const dsm_instance *const instance = p->instance;
  double worst = 1;
  for (size_t j = 0; j < instance->device_count; j++) {
    worst = fmax(worst, p->uses[j].time_fraction);
    worst = fmax(worst, p->uses[j].link_fraction);
  }
  worst = fmax(worst, dsm__busiest_carrier(&p->traffic));
  if (worst == 1) {
    return;
  }
  p->made->rho /= worst;
  for (size_t k = 0; k < instance->task_count * instance->device_count; k++) {
    p->rates[k] /= worst;
  }
  for (size_t k = 0; k < (instance->tensor_count + instance->task_count) * instance->device_count;
       k++) {
    p->copies[k] /= worst;
  }
  const size_t ways = instance->tensor_count * instance->device_count * instance->device_count;
  for (size_t k = 0; k < ways && p->traffic.moved != NULL; k++) {
    p->traffic.moved[k] /= worst;
  }
  count_uses(p);
}

/* No task that is not stored there and could run would still fit. Memory binds only then: bytes
 * that are left over but hold no further task could not be used by any answer that stores the same.
 */
static bool is_memory_full(const pricer *p, size_t device) {
  const dsm_instance *const instance = p->instance;
  const double spare = instance->devices[device].memory_bytes - p->uses[device].memory_bytes;
  bool is_full = false;
  for (size_t i = 0; i < instance->task_count; i++) {
    if (p->rates[i * instance->device_count + device] > 0 ||
        !isfinite(dsm_instance_seconds(instance, i, device))) {
      continue;
    }
    if (dsm__task_need(instance, &p->made->options, i, device) <= spare) {
      return false;
    }
    is_full = true;
  }
  return is_full;
}

/* Seconds of all transfers on the idle server, one at a time: each tensor that moves takes its
 * bytes over the link that it leaves by, with those that are run together with it. Of one request,
 * or of those of a second. */
static double moving_seconds(const dsm__traffic *traffic, const dsm_partition_options *options,
                             const double *rates, const double *copies) {
  const dsm_instance *const instance = traffic->routes.instance;
  const size_t device_count = instance->device_count;
  if (!traffic->routes.is_plain) {
    return dsm__moving_seconds(traffic, options, rates, copies);
  }
  double seconds = 0;
  for (size_t t = 0; t < instance->tensor_count + instance->task_count; t++) {
    for (size_t j = 0; j < device_count; j++) {
      seconds += copies[t * device_count + j] * dsm_instance_batch(instance, j) *
                 dsm__output_bytes(instance, t, j) / instance->devices[j].link_bytes_per_second;
    }
  }
  return seconds;
}

/* On average over requests: their tasks and transfers one at a time, and what they wait for others.
 * False: out of memory. */
static bool find_mean(const pricer *p) {
  const dsm_instance *const instance = p->instance;
  double seconds = 0; /* of the requests of a second */
  for (size_t k = 0; k < instance->task_count * instance->device_count; k++) {
    seconds += p->rates[k] > 0 ? p->rates[k] * instance->seconds[k] : 0;
  }
  if (dsm__has_batches(instance) &&
      !dsm__batch_mean_find(&seconds, p->made->arena, instance, p->rates, p->made->rho,
                            p->traffic.moved)) {
    return false;
  }
  seconds += moving_seconds(&p->traffic, &p->made->options, p->rates, p->copies);
  p->made->mean_latency_seconds = seconds / p->made->rho;
  return true;
}

/* Of one request that runs each task where it most often runs, on the idle server: its tasks one at
 * a time, and its transfers; with those that are run together with it, and what it waits for them.
 * The rates become a placement of ones for that, with which copies are counted by the same code;
 * the answer's own rates have been kept before. False: out of memory. */
static bool find_latency(const pricer *p) {
  const dsm_instance *const instance = p->instance;
  const size_t device_count = instance->device_count;
  double *const usual = p->copies; /* has been copied into sent: free for a placement of ones */
  double *const one = p->rates;
  size_t *device_of = NULL;
  dsm__batch_latency batches;
  if (!DSM__RESERVE(p->made->arena, device_of, instance->task_count)) {
    return false;
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    size_t best = 0;
    for (size_t j = 1; j < device_count; j++) {
      best = one[i * device_count + j] > one[i * device_count + best] ? j : best;
    }
    for (size_t j = 0; j < device_count; j++) {
      one[i * device_count + j] = j == best ? 1 : 0;
    }
    device_of[i] = best;
  }
  if (!dsm__batch_latency_find(&batches, p->made->arena, instance, device_of, p->kept,
                               p->made->rho)) {
    return false;
  }
  for (size_t k = 0; k < (instance->tensor_count + instance->task_count) * device_count; k++) {
    usual[k] = 0;
  }
  pricer whole = *p;
  whole.traffic.moved = p->traffic.trial;
  settle_copies(&whole);
  p->made->waiting_seconds = batches.waiting_seconds;
  p->made->latency_seconds = batches.task_seconds + batches.waiting_seconds +
                             moving_seconds(&whole.traffic, &p->made->options, one, usual);
  return true;
}

/* Watts of all devices at these shares of time, but of those that are turned off; NAN if one that
 * works gives no power. */
static double watts_of(const dsm_instance *instance, const dsm_device_use *uses) {
  double watts = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm_instance_device *const it = &instance->devices[j];
    if (uses[j].is_off) {
      continue;
    }
    if (it->has_power) {
      watts += it->idle_watts + (it->busy_watts - it->idle_watts) * uses[j].time_fraction;
    } else if (uses[j].time_fraction > 0) {
      return (double)NAN;
    }
  }
  return watts;
}

/* ---- all of it ---- */

static bool reserve(pricer *p) {
  dsm_partition *const made = p->made;
  const size_t places = p->instance->task_count * p->instance->device_count;
  const size_t tensors =
      (p->instance->tensor_count + p->instance->task_count) * p->instance->device_count;
  p->kept = dsm__arena_array(made->arena, places, sizeof *p->kept);
  p->is_stored = dsm__arena_array(made->arena, places, sizeof *p->is_stored);
  p->sent = dsm__arena_array(made->arena, tensors, sizeof *p->sent);
  p->uses = dsm__arena_array(made->arena, p->instance->device_count, sizeof *p->uses);
  made->rates = p->kept;
  made->is_stored = p->is_stored;
  made->sent = p->sent;
  made->uses = p->uses;
  return p->kept != NULL && p->is_stored != NULL && p->sent != NULL && p->uses != NULL;
}

/* A task is stored where it runs, and nowhere else, so that (2) and (3) hold of the rates
 * themselves. After find_latency nothing is left of the working copies; the answer has its own. */
static void keep_rates(const pricer *p) {
  for (size_t k = 0; k < p->instance->task_count * p->instance->device_count; k++) {
    p->kept[k] = p->rates[k];
    p->is_stored[k] = p->kept[k] > 0;
  }
}

static void price_objective(pricer *p) {
  dsm_partition *const made = p->made;
  double watts = watts_of(p->instance, p->uses);
  if (made->options.objective == DSM_OBJECTIVE_LATENCY) {
    /* shares of the time of the request */
    made->rho = 1 / made->latency_seconds;
    for (size_t j = 0; j < p->instance->device_count; j++) {
      p->uses[j].time_fraction /= made->latency_seconds;
      p->uses[j].link_fraction /= made->latency_seconds;
    }
    for (size_t r = 0; r < p->traffic.routes.carrier_count && p->traffic.carriers != NULL; r++) {
      p->traffic.carriers[r].time_fraction /= made->latency_seconds;
    }
    watts = watts_of(p->instance, p->uses);
  }
  made->joules_per_request = isfinite(watts) ? watts / made->rho : 0;
  switch (made->options.objective) {
  case DSM_OBJECTIVE_LATENCY:
    made->objective = made->latency_seconds;
    break;
  case DSM_OBJECTIVE_ENERGY:
    made->objective = made->joules_per_request;
    break;
  case DSM_OBJECTIVE_THROUGHPUT:
  case DSM_OBJECTIVE_KIND_COUNT:
    made->objective = made->rho;
    break;
  }
}

bool dsm__price(dsm_partition *partition, dsm__placement placement) {
  const dsm_instance *const instance = partition->instance;
  pricer p = {.made = partition,
              .instance = instance,
              .rates = placement.rates,
              .copies = placement.copies};
  if (!reserve(&p) || !dsm__traffic_begin(&p.traffic, partition, placement.moved)) {
    return false;
  }
  const bool is_latency = partition->options.objective == DSM_OBJECTIVE_LATENCY;
  double wanted = is_latency ? 1 : 0;
  if (partition->options.objective == DSM_OBJECTIVE_ENERGY) {
    wanted = partition->options.required_rho;
  }
  balance_rates(&p, wanted);
  settle_copies(&p);
  count_uses(&p);
  if (partition->options.objective == DSM_OBJECTIVE_THROUGHPUT) {
    slow_down(&p);
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    dsm_device_use *const use = &p.uses[j];
    const dsm_instance_device *const it = &instance->devices[j];
    use->memory_fraction = it->memory_bytes > 0 ? use->memory_bytes / it->memory_bytes : 0;
    use->is_memory_binding = is_memory_full(&p, j);
    use->is_time_binding = !is_latency && use->time_fraction >= 1 - binding_margin;
    use->is_link_binding = !is_latency && use->link_fraction >= 1 - binding_margin;
  }
  keep_rates(&p);
  if (!find_mean(&p) || !find_latency(&p)) {
    return false;
  }
  price_objective(&p);
  return dsm__traffic_hand_over(&p.traffic, partition);
}

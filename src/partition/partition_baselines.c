/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition_baselines.c: the simple ways to use the devices of an instance (section 2.5 of the
 * paper): the whole network on each of them, requests spread so that all are equally busy, no
 * partitioning.
 *
 * A device that runs the whole network alone serves 1 / max(seconds, sending) requests a second, as
 * results leave while the next request is computed. Replication adds up the rates of all devices
 * that can, as far as ports that they share let them. So each of the three is a placement of the
 * programme, and the optimum is never below it; latency is that of the fastest device that takes
 * part, which a request may be given to.
 */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "dsm/limits.h"
#include "partition/instance_facts.h"

static const dsm__word baseline_kind_words[] = {
    [DSM_BASELINE_ACCELERATORS].key = "accelerators",
    [DSM_BASELINE_REPLICATION].key = "replication",
    [DSM_BASELINE_BEST_DEVICE].key = "best_device",
};
DSM__NAMED_WORDS(dsm__baseline_kind_words, "baseline of a partition", baseline_kind_words,
                 DSM_BASELINE_KIND_COUNT, dsm_baseline_kind, dsm_baseline_kind_name);

/* A device that runs the whole network alone. */
typedef struct alone {
  bool is_able; /* it holds all weights and can run every task */
  double rate;  /* requests per second */
  double latency_seconds;
  double results_bytes; /* of a request: out of the device, and into it from outside */
  double input_bytes;
} alone;

/* The least bandwidth of a way and the ports before a device; infinite: none is limited. */
static double narrowest(const dsm_instance *instance, size_t device, double rate) {
  for (size_t p = 0; p < instance->port_count; p++) {
    const dsm_port *const port = &instance->ports[p];
    rate = (port->devices >> device & 1) != 0 ? fmin(rate, port->bytes_per_second) : rate;
  }
  return rate;
}

/* So many transfers between a device and the world outside. */
typedef struct outer_way {
  double bytes; /* of all of them */
  double count;
} outer_way;

static void add_transfer(outer_way *way, double bytes) {
  way->bytes += bytes;
  way->count += bytes > 0 ? 1 : 0;
}

static double way_seconds(const outer_way *way, double rate, double transfer_seconds) {
  return way->bytes > 0 ? way->count * transfer_seconds + way->bytes / rate : 0;
}

static alone use_alone(const dsm_instance *instance, const dsm_partition_options *options,
                       size_t device) {
  const dsm_instance_device *const used = &instance->devices[device];
  const double incoming = used->incoming_bytes_per_second > 0 ? used->incoming_bytes_per_second
                                                              : used->link_bytes_per_second;
  const double link = used->link_bytes_per_second;
  const double batch = dsm_instance_batch(instance, device);
  const double fixed = used->transfer_seconds / batch;
  outer_way out = {0, 0};
  outer_way in = {0, 0};
  double seconds = 0;
  double memory = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    const double results =
        dsm__leaves(instance, options, i) ? dsm__result_bytes(instance, i, device) : 0;
    const double input =
        options->does_count_input && used->is_accelerator ? instance->tasks[i].input_bytes : 0;
    seconds += dsm_instance_seconds(instance, i, device);
    memory += dsm__task_need(instance, options, i, device);
    add_transfer(&out, results);
    add_transfer(&in, input);
  }
  const double moving = fmax(way_seconds(&out, link, fixed), way_seconds(&in, incoming, fixed));
  const double rate = 1 / fmax(seconds, moving);
  const double batch_seconds = seconds +
                               way_seconds(&out, narrowest(instance, device, link), fixed) +
                               way_seconds(&in, narrowest(instance, device, incoming), fixed);
  alone made = {.rate = rate,
                .latency_seconds = batch * batch_seconds + (batch - 1) / (2 * rate),
                .results_bytes = out.bytes,
                .input_bytes = in.bytes};
  made.is_able = memory <= used->memory_bytes && isfinite(made.latency_seconds) && made.rate > 0 &&
                 isfinite(made.rate);
  return made;
}

/* What is left of the time of ports, out and in. */
typedef struct port_room {
  double out[DSM_DEVICES_MAX];
  double in[DSM_DEVICES_MAX];
} port_room;

/* The rate that a device's ports still let it have, which it takes. Ports are nested and each
 * request costs the same behind all of them, but where devices put out results of other sizes; then
 * who comes first takes first. */
static double take_rate(port_room *room, const dsm_instance *instance, size_t device,
                        const alone *it) {
  double rate = it->rate;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t p = 0; p < instance->port_count; p++) {
      const dsm_port *const port = &instance->ports[p];
      const double out = it->results_bytes / port->bytes_per_second;
      const double in = it->input_bytes / port->bytes_per_second;
      if ((port->devices >> device & 1) == 0) {
        continue;
      }
      if (pass == 0) {
        rate = out > 0 ? fmin(rate, fmax(room->out[p], 0) / out) : rate;
        rate = in > 0 ? fmin(rate, fmax(room->in[p], 0) / in) : rate;
      } else {
        room->out[p] -= rate * out;
        room->in[p] -= rate * in;
      }
    }
  }
  return rate;
}

static port_room whole_room(void) {
  port_room room;
  for (size_t p = 0; p < DSM_DEVICES_MAX; p++) {
    room.out[p] = room.in[p] = 1;
  }
  return room;
}

/* One more device that takes its share of the requests. */
static void join_in(dsm_partition_baseline *baseline, const alone *device, double rate) {
  baseline->latency_seconds = baseline->is_feasible
                                  ? fmin(baseline->latency_seconds, device->latency_seconds)
                                  : device->latency_seconds;
  baseline->is_feasible = true;
  baseline->rho += rate;
  baseline->device_count++;
}

/* Whether a device alone is better than the best so far, for what is asked. */
static bool is_better(const dsm_partition_baseline *best, const alone *device,
                      dsm_objective_kind objective) {
  if (!best->is_feasible) {
    return true;
  }
  return objective == DSM_OBJECTIVE_LATENCY ? device->latency_seconds < best->latency_seconds
                                            : device->rate > best->rho;
}

void dsm_partition_baselines(const dsm_instance *instance, const dsm_partition_options *options,
                             dsm_partition_baseline baselines[DSM_BASELINE_KIND_COUNT]) {
  dsm_partition_options defaults;
  dsm_partition_options_init(&defaults);
  options = options == NULL ? &defaults : options;
  for (int k = 0; k < DSM_BASELINE_KIND_COUNT; k++) {
    baselines[k] = (dsm_partition_baseline){.kind = (dsm_baseline_kind)k};
  }
  port_room rooms[DSM_BASELINE_KIND_COUNT];
  for (int k = 0; k < DSM_BASELINE_KIND_COUNT; k++) {
    rooms[k] = whole_room();
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    alone device = use_alone(instance, options, j);
    if (!device.is_able) {
      continue;
    }
    if (instance->devices[j].is_accelerator) {
      join_in(&baselines[DSM_BASELINE_ACCELERATORS], &device,
              take_rate(&rooms[DSM_BASELINE_ACCELERATORS], instance, j, &device));
    }
    join_in(&baselines[DSM_BASELINE_REPLICATION], &device,
            take_rate(&rooms[DSM_BASELINE_REPLICATION], instance, j, &device));
    port_room own = whole_room();
    device.rate = take_rate(&own, instance, j, &device);
    dsm_partition_baseline *const best = &baselines[DSM_BASELINE_BEST_DEVICE];
    if (is_better(best, &device, options->objective)) {
      *best = (dsm_partition_baseline){.kind = DSM_BASELINE_BEST_DEVICE};
      join_in(best, &device, device.rate);
    }
  }
}

/* ---- replication as an answer ---- */

/* Whether an answer may store each task on so many devices. */
static bool is_allowed(const dsm_partition_options *options, size_t device_count) {
  const bool is_single = options->is_staged || options->cuts_max > 0;
  const size_t most = is_single ? 1 : options->copies_max;
  return most == 0 || device_count <= most;
}

/* The fastest device that can run the network alone and does not yet; device_count: none. */
static size_t next_fastest(const dsm_instance *instance, const dsm_partition_options *options,
                           const double *rates) {
  size_t fastest = instance->device_count;
  double best = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    const alone device = use_alone(instance, options, j);
    if (device.is_able && !(rates[j] > 0) && device.rate > best) {
      best = device.rate;
      fastest = j;
    }
  }
  return fastest;
}

bool dsm__replicate(double *rates, const dsm_instance *instance,
                    const dsm_partition_options *options, double least) {
  const size_t device_count = instance->device_count;
  port_room room = whole_room();
  double rate = 0;
  double seconds = 0; /* of the requests of a second */
  size_t used = 0;
  while (rate < least) {
    const size_t j = next_fastest(instance, options, rates);
    if (j == device_count || !is_allowed(options, ++used)) {
      return false;
    }
    const alone device = use_alone(instance, options, j);
    rates[j] = take_rate(&room, instance, j, &device);
    rate += rates[j];
    seconds += rates[j] * device.latency_seconds;
    if (!(rates[j] > 0)) { /* its ports are full */
      return false;
    }
  }
  if (options->latency_limit_seconds > 0 && seconds > options->latency_limit_seconds * rate) {
    return false;
  }
  for (size_t i = 1; i < instance->task_count; i++) {
    memcpy(&rates[i * device_count], rates, device_count * sizeof *rates);
  }
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition_baselines.c: the simple ways to use the devices of an instance (section 2.5 of the
 * paper): the whole network on each of them, requests spread so that all are equally busy, no
 * partitioning.
 *
 * A device that runs the whole network alone serves 1 / max(seconds, sending) requests a second, as
 * results leave while the next request is computed. Replication adds up the rates of all devices
 * that can: they share nothing. So each of the three is a placement of the programme, and the
 * optimum is never below it; latency is that of the fastest device that takes part, which a request
 * may be given to.
 */
#include <math.h>

#include "base/words.h"
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
} alone;

/* Bytes that leave the server for a request. */
static double all_results(const dsm_instance *instance, const dsm_partition_options *options) {
  double bytes = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    bytes += dsm__leaves(instance, options, i) ? dsm__result_bytes(instance, i) : 0;
  }
  return bytes;
}

static alone use_alone(const dsm_instance *instance, const dsm_partition_options *options,
                       size_t device, double results) {
  const dsm_instance_device *const used = &instance->devices[device];
  double seconds = 0;
  double memory = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    seconds += dsm_instance_seconds(instance, i, device);
    memory += dsm__task_need(instance, options, i);
  }
  const double sending = results > 0 ? results / used->link_bytes_per_second : 0;
  alone made = {.latency_seconds = seconds + sending, .rate = 1 / fmax(seconds, sending)};
  made.is_able = memory <= used->memory_bytes && isfinite(made.latency_seconds) && made.rate > 0 &&
                 isfinite(made.rate);
  return made;
}

/* One more device that takes its share of the requests. */
static void join_in(dsm_partition_baseline *baseline, const alone *device) {
  baseline->latency_seconds = baseline->is_feasible
                                  ? fmin(baseline->latency_seconds, device->latency_seconds)
                                  : device->latency_seconds;
  baseline->is_feasible = true;
  baseline->rho += device->rate;
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
  const double results = all_results(instance, options);
  for (size_t j = 0; j < instance->device_count; j++) {
    const alone device = use_alone(instance, options, j, results);
    if (!device.is_able) {
      continue;
    }
    if (instance->devices[j].is_accelerator) {
      join_in(&baselines[DSM_BASELINE_ACCELERATORS], &device);
    }
    join_in(&baselines[DSM_BASELINE_REPLICATION], &device);
    dsm_partition_baseline *const best = &baselines[DSM_BASELINE_BEST_DEVICE];
    if (is_better(best, &device, options->objective)) {
      *best = (dsm_partition_baseline){.kind = DSM_BASELINE_BEST_DEVICE};
      join_in(best, &device);
    }
  }
}

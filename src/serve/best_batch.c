/* SPDX-License-Identifier: GPL-3.0-or-later */
/* best_batch.c: the batch of an instance that serves most within limits. */
#include <math.h>

#include "serve/serving_instance.h"

enum { STEPS_MAX = 6 };

/* Explores a batch, and keeps it if it is better. */
static dsm_status try_batch(dsm__best_batch *best, dsm__instance *instance,
                            const dsm_serving_options *options, uint64_t requests, double *excess) {
  const dsm__serving_batch *batch = NULL;
  dsm_status status = dsm__instance_explore(instance, requests, &batch);
  if (status == DSM_OK && batch != NULL) {
    status = dsm__instance_explore_prefill(instance, dsm__serving_together(instance->of, requests));
  }
  *excess = HUGE_VAL;
  if (status != DSM_OK || batch == NULL) {
    return status;
  }
  const dsm_serving_state state = dsm__serving_state_of(instance, batch, false, batch->requests);
  *excess = dsm__serving_load(options, &state);
  if (*excess <= 1 &&
      (best->requests == 0 || state.requests_per_second > best->state.requests_per_second)) {
    best->requests = batch->requests;
    best->state = state;
  }
  return DSM_OK;
}

dsm_status dsm__best_batch_find(dsm__best_batch *best, dsm__instance *instance,
                                const dsm_serving_options *options, uint64_t start, bool is_most) {
  uint64_t low = start < instance->most ? start : instance->most;
  uint64_t high = instance->most;
  double at_low = 0;
  double at_high = 0;
  dsm_status status = try_batch(best, instance, options, high, &at_high);
  if (status == DSM_OK && low < high && !(is_most && at_high <= 1)) {
    status = try_batch(best, instance, options, low, &at_low);
  }
  for (int i = 0; i < STEPS_MAX && status == DSM_OK && at_high > 1 && high > low + 1; i++) {
    const double part = (1 - at_low) / (at_high - at_low);
    uint64_t next = at_low > 1 ? low / 2 : low + (uint64_t)(part * (double)(high - low));
    double excess = 0;
    next = next <= low && at_low <= 1 ? low + 1 : next;
    next = next < 1 ? 1 : next < high ? next : high - 1;
    status = try_batch(best, instance, options, next, &excess);
    if (at_low > 1) {
      high = low;
      at_high = at_low;
    }
    if (excess <= 1 || at_low > 1) {
      low = next;
      at_low = excess;
    } else {
      high = next;
      at_high = excess;
    }
    if (at_low <= 1 && at_low > 0.98) {
      break;
    }
  }
  return status;
}

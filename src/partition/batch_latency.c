/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "partition/batch_latency.h"

#include <math.h>

/* The task that makes the largest input of each, as in the simulation; task_count: it has none. */
static void find_guides(dsm__batch_latency *made, const dsm_instance *instance) {
  for (size_t i = 0; i < instance->task_count; i++) {
    made->guide[i] = instance->task_count;
    made->largest[i] = -1;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance->tensors[t];
    for (size_t c = 0; c < tensor->consumer_count; c++) {
      const size_t consumer = tensor->consumers[c];
      if (tensor->bytes > made->largest[consumer]) {
        made->largest[consumer] = tensor->bytes;
        made->guide[consumer] = tensor->producer;
      }
    }
  }
}

bool dsm__batch_latency_find(dsm__batch_latency *made, dsm__arena *arena,
                             const dsm_instance *instance, const size_t *device_of,
                             const double *rates, double rho) {
  const size_t m = instance->device_count;
  *made = (dsm__batch_latency){.task_seconds = 0};
  if (!DSM__RESERVE(arena, made->together, instance->task_count) ||
      !DSM__RESERVE(arena, made->largest, instance->task_count) ||
      !DSM__RESERVE(arena, made->guide, instance->task_count)) {
    return false;
  }
  find_guides(made, instance);
  for (size_t i = 0; i < instance->task_count; i++) {
    made->together[i] = 1;
  }
  size_t t = 0; /* tensors are by producer, and tasks in order: all inputs come before */
  for (size_t i = 0; i < instance->task_count; i++) {
    const double batch = dsm_instance_batch(instance, device_of[i]);
    const size_t guide = made->guide[i];
    if (batch > made->together[i]) {
      const double rate = guide == instance->task_count ? rho : rates[guide * m + device_of[guide]];
      made->waiting_seconds += (batch - made->together[i]) / (2 * rate);
      made->together[i] = batch;
    }
    made->task_seconds += made->together[i] * dsm_instance_seconds(instance, i, device_of[i]);
    for (; t < instance->tensor_count && instance->tensors[t].producer == i; t++) {
      for (size_t c = 0; c < instance->tensors[t].consumer_count; c++) {
        double *const other = &made->together[instance->tensors[t].consumers[c]];
        *other = fmax(*other, made->together[i]);
      }
    }
  }
  return true;
}

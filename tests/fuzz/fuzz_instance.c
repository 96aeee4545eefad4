/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz_instance.h"

#include <math.h>

static void check_tensor(const dsm_instance *instance, const dsm_tensor *tensor) {
  FUZZ_CHECK(isfinite(tensor->bytes) && tensor->bytes >= 0);
  FUZZ_CHECK(tensor->consumer_count > 0);
  size_t before = tensor->producer;
  for (size_t c = 0; c < tensor->consumer_count; c++) {
    FUZZ_CHECK(tensor->consumers[c] > before && tensor->consumers[c] < instance->task_count);
    before = tensor->consumers[c];
  }
}

void fuzz_check_instance(const dsm_instance *instance, size_t most) {
  FUZZ_CHECK(instance->name != NULL);
  FUZZ_CHECK(instance->task_count > 0 && instance->task_count <= DSM_TASKS_MAX);
  FUZZ_CHECK(most == 0 || instance->task_count <= most);
  FUZZ_CHECK(instance->device_count > 0 && instance->device_count <= DSM_DEVICES_MAX);
  for (size_t i = 0; i < instance->task_count; i++) {
    const dsm_task *const task = &instance->tasks[i];
    FUZZ_CHECK(task->name != NULL && task->name[0] != '\0');
    FUZZ_CHECK(isfinite(task->weights_bytes) && task->weights_bytes >= 0);
    FUZZ_CHECK(isfinite(task->activation_bytes) && task->activation_bytes >= 0);
    FUZZ_CHECK(isfinite(task->output_bytes) && task->output_bytes >= 0);
    for (size_t j = 0; j < instance->device_count; j++) {
      const double seconds = dsm_instance_seconds(instance, i, j);
      FUZZ_CHECK(seconds == 0 || (seconds >= 1e-12 && (isinf(seconds) || seconds <= 1e9)));
    }
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm_instance_device *const device = &instance->devices[j];
    FUZZ_CHECK(device->name != NULL && device->name[0] != '\0');
    FUZZ_CHECK(device->memory_bytes >= 1 && device->link_bytes_per_second >= 1);
    FUZZ_CHECK(device->busy_watts >= device->idle_watts && device->idle_watts >= 0);
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    FUZZ_CHECK(t == 0 || instance->tensors[t].producer >= instance->tensors[t - 1].producer);
    check_tensor(instance, &instance->tensors[t]);
  }
}

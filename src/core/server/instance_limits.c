/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instance_limits.c: times that are computed, or added up, within what a time may be. */
#include <math.h>
#include <stdio.h>

#include "server/instance_internal.h"
#include "server/server_internal.h"

static bool is_in_range(double seconds) {
  return isinf(seconds) || seconds == 0 ||
         (seconds >= DSM__SECONDS_MIN && seconds <= DSM__SECONDS_MAX);
}

/* Whether some task takes time wherever it can run. Without one nothing limits the rate. */
static bool takes_time(const dsm_instance *instance) {
  bool is_any = false;
  for (size_t i = 0; i < instance->task_count && !is_any; i++) {
    is_any = true;
    for (size_t j = 0; j < instance->device_count; j++) {
      is_any = is_any && dsm_instance_seconds(instance, i, j) > 0;
    }
  }
  return is_any;
}

dsm_status dsm__instance_check(const dsm_instance *instance, const char *file, dsm_diags *diags) {
  const dsm__place place = {.file = file};
  size_t first = 0;
  size_t count = 0; /* of times out of the range */
  for (size_t i = 0; i < instance->task_count * instance->device_count; i++) {
    const double seconds = instance->seconds[i];
    if (!is_in_range(seconds)) {
      first = count == 0 ? i : first;
      count++;
    }
  }
  if (count == 0 && !takes_time(instance)) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL,
                   "expected a task that takes time wherever it can run, found that each takes 0 s "
                   "somewhere: nothing limits how many requests there are a second");
    return DSM_ERROR_INVALID;
  }
  if (count == 0) {
    return DSM_OK;
  }
  char others[64] = "";
  if (count > 1) {
    (void)snprintf(others, sizeof others, ", and %zu more time%s out of this range", count - 1,
                   count == 2 ? "" : "s");
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL,
                 "expected times of tasks of " DSM__SECONDS_RANGE
                 ", found %.6g s for \"%s\" on \"%s\"%s",
                 instance->seconds[first], instance->tasks[first / instance->device_count].name,
                 instance->devices[first % instance->device_count].name, others);
  return DSM_ERROR_INVALID;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/timings/merge.h"

#include <string.h>

/* Between the names of layers that TensorRT has fused. */
static const char joint[] = " + ";

/* Copies of a tensor into another layout, which TensorRT names after the layer that reads it. */
static const char copy_begin[] = "Reformatting CopyNode";

/* The name that a row is called by: its own, or the first known of those that it is made of. */
static size_t find_lead(const dsm__merge *merge, const char *name, char *buffer) {
  size_t found = dsm__name_index_find(&merge->index, name);
  if (strncmp(name, copy_begin, sizeof copy_begin - 1) == 0) {
    return found;
  }
  while (found == SIZE_MAX) {
    const char *const end = strstr(name, joint);
    const size_t length = end == NULL ? strlen(name) : (size_t)(end - name);
    memcpy(buffer, name, length);
    buffer[length] = '\0';
    found = dsm__name_index_find(&merge->index, buffer);
    if (end == NULL) {
      break;
    }
    name = end + sizeof joint - 1;
  }
  return found;
}

static bool find_leads(dsm__merge *merge) {
  const size_t device_count = merge->timings->devices.count;
  if (!DSM__RESERVE(merge->arena, merge->leads, device_count)) {
    return false;
  }
  for (size_t d = 0; d < device_count; d++) {
    const dsm__timed_device *const device = &merge->timings->devices.items[d];
    if (!DSM__RESERVE(merge->arena, merge->leads[d], device->rows.count)) {
      return false;
    }
    for (size_t r = 0; r < device->rows.count; r++) {
      const char *const name = device->rows.items[r].name;
      char *const buffer = dsm__arena_strdup(merge->arena, name);
      if (buffer == NULL) {
        return false;
      }
      merge->leads[d][r] = find_lead(merge, name, buffer);
    }
  }
  return true;
}

/* Tasks are the names that rows of each device are called by. */
static bool choose_tasks(dsm__merge *merge) {
  size_t *counts = NULL; /* devices that have the name */
  if (!DSM__RESERVE(merge->arena, counts, merge->name_count)) {
    return false;
  }
  for (size_t d = 0; d < merge->timings->devices.count; d++) {
    for (size_t r = 0; r < merge->timings->devices.items[d].rows.count; r++) {
      const size_t lead = merge->leads[d][r];
      if (lead != SIZE_MAX && counts[lead] == d) {
        counts[lead]++;
      }
    }
  }
  for (size_t n = 0; n < merge->name_count; n++) {
    merge->is_task[n] = counts[n] == merge->timings->devices.count;
  }
  return true;
}

bool dsm__merge_is_task(const dsm__merge *merge, size_t device, size_t row) {
  const size_t lead = merge->leads[device][row];
  return lead != SIZE_MAX && merge->is_task[lead];
}

bool dsm__merge_targets(const dsm__merge *merge, size_t device, size_t **targets,
                        dsm__arena *arena) {
  const size_t count = merge->timings->devices.items[device].rows.count;
  if (!DSM__RESERVE(arena, *targets, count)) {
    return false;
  }
  size_t current = SIZE_MAX;
  for (size_t r = 0; r < count && current == SIZE_MAX; r++) {
    current = dsm__merge_is_task(merge, device, r) ? merge->leads[device][r] : SIZE_MAX;
  }
  for (size_t r = 0; r < count; r++) {
    current = dsm__merge_is_task(merge, device, r) ? merge->leads[device][r] : current;
    (*targets)[r] = current;
  }
  return true;
}

/* Adds all up. False if out of memory. */
static bool add_times(dsm__merge *merge) {
  const size_t device_count = merge->timings->devices.count;
  memset(merge->seconds, 0, merge->name_count * device_count * sizeof *merge->seconds);
  for (size_t d = 0; d < device_count; d++) {
    const dsm__timed_device *const device = &merge->timings->devices.items[d];
    size_t *targets = NULL;
    if (!dsm__merge_targets(merge, d, &targets, merge->arena)) {
      return false;
    }
    for (size_t r = 0; r < device->rows.count; r++) {
      if (targets[r] != SIZE_MAX) {
        merge->seconds[targets[r] * device_count + d] += device->rows.items[r].seconds;
      }
    }
  }
  return true;
}

/* What took no time on some device is no task. Times of the others only grow by that. */
static bool drop_instant(dsm__merge *merge) {
  const size_t device_count = merge->timings->devices.count;
  bool is_any = false;
  for (size_t n = 0; n < merge->name_count; n++) {
    for (size_t d = 0; d < device_count; d++) {
      if (merge->is_task[n] && !(merge->seconds[n * device_count + d] > 0)) {
        merge->is_task[n] = false;
        is_any = true;
      }
    }
  }
  return is_any;
}

bool dsm__merge_rows(dsm__merge *merge, const dsm__timings *timings, const char *const *names,
                     size_t name_count, dsm__arena *arena) {
  *merge =
      (dsm__merge){.timings = timings, .arena = arena, .names = names, .name_count = name_count};
  if (!DSM__RESERVE(arena, merge->index.entries, name_count) ||
      !DSM__RESERVE(arena, merge->is_task, name_count) ||
      !DSM__RESERVE(arena, merge->seconds, name_count * timings->devices.count)) {
    return false;
  }
  for (size_t n = 0; n < name_count; n++) {
    merge->index.entries[n] = (dsm__name_entry){names[n], n};
  }
  merge->index.count = name_count;
  dsm__name_index_sort(&merge->index);
  if (!find_leads(merge) || !choose_tasks(merge)) {
    return false;
  }
  do {
    if (!add_times(merge)) {
      return false;
    }
  } while (drop_instant(merge));
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/timings/timings.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "import/timings/batch_devices.h"

const dsm__layer_sizes dsm__no_sizes = {-1, -1, -1};

static bool is_row(const void *context, size_t index, const void *key) {
  const dsm__timed_device *const device = context;
  return strcmp(device->rows.items[index].name, key) == 0;
}

static uint32_t hash_of(const char *name) {
  return dsm__map_hash(0, name, strlen(name));
}

dsm__timed_device *dsm__timings_device(dsm__timings *timings, const char *name) {
  const dsm__batch_name split = dsm__batch_name_of(name);
  const size_t length = split.batch == 1 ? split.length : strlen(name); /* "@1" says nothing */
  for (size_t d = 0; d < timings->devices.count; d++) {
    const char *const other = timings->devices.items[d].name;
    if (strncmp(other, name, length) == 0 && other[length] == '\0') {
      return &timings->devices.items[d];
    }
  }
  const char *const copy = dsm__arena_strndup(timings->arena, name, length);
  if (copy == NULL || !DSM__LIST_RESERVE_IN(&timings->devices, 1, timings->arena)) {
    return NULL;
  }
  dsm__timed_device *const made = &timings->devices.items[timings->devices.count++];
  *made = (dsm__timed_device){.name = copy};
  return made;
}

/* The row of a name, made if it is new; SIZE_MAX if out of memory. */
static size_t find_row(dsm__timings *timings, dsm__timed_device *device, const char *name) {
  const uint32_t hash = hash_of(name);
  const size_t found = dsm__map_find(&device->index, hash, is_row, device, name);
  if (found != DSM__MAP_NONE) {
    return found;
  }
  const char *const copy = dsm__arena_strdup(timings->arena, name);
  if (copy == NULL || !DSM__LIST_RESERVE(&device->rows, 1) ||
      !dsm__map_add(&device->index, hash, device->rows.count)) {
    return SIZE_MAX;
  }
  device->rows.items[device->rows.count] =
      (dsm__timed_row){.name = copy, .sizes = dsm__no_sizes, .last_run = SIZE_MAX};
  return device->rows.count++;
}

bool dsm__timings_add(dsm__timings *timings, dsm__timed_device *device, const char *name,
                      size_t run, double seconds, const dsm__layer_sizes *sizes) {
  const size_t index = find_row(timings, device, name);
  if (index == SIZE_MAX || !DSM__LIST_RESERVE(&device->samples, 1)) {
    return false;
  }
  dsm__timed_row *const row = &device->rows.items[index];
  const size_t number = device->run_count + run;
  row->sizes = row->sizes.output_bytes < 0 ? *sizes : row->sizes;
  row->run_count += number == row->last_run ? 0 : 1;
  row->last_run = number;
  device->samples.items[device->samples.count++] = (dsm__time_sample){index, number, seconds};
  return true;
}

size_t dsm__timings_next_run(const dsm__timed_device *device, const char *name) {
  const size_t found = dsm__map_find(&device->index, hash_of(name), is_row, device, name);
  if (found == DSM__MAP_NONE) {
    return 0;
  }
  const dsm__timed_row *const row = &device->rows.items[found];
  return row->last_run == SIZE_MAX || row->last_run < device->run_count
             ? 0
             : row->last_run - device->run_count + 1;
}

void dsm__timings_end_file(dsm__timings *timings) {
  for (size_t d = 0; d < timings->devices.count; d++) {
    dsm__timed_device *const device = &timings->devices.items[d];
    size_t end = device->run_count;
    for (size_t i = 0; i < device->rows.count; i++) {
      const size_t last = device->rows.items[i].last_run;
      end = last != SIZE_MAX && last >= end ? last + 1 : end;
    }
    device->run_count = end;
  }
}

DSM__ORDER_OF(compare_samples, dsm__time_sample,
              dsm__order_then(dsm__order_then(dsm__order_whole(a->row, b->row),
                                              dsm__order_whole(a->run, b->run)),
                              dsm__order(a->seconds, b->seconds)));

/* Of sorted numbers, `count` of them above 0: the middle one, or the mean of the two. */
static double median(double *numbers, size_t count) {
  qsort(numbers, count, sizeof numbers[0], dsm__order_numbers);
  return count % 2 == 1 ? numbers[count / 2] : numbers[count / 2 - 1] / 2 + numbers[count / 2] / 2;
}

static bool make_medians(dsm__timed_device *device, dsm__arena *arena) {
  const size_t count = device->samples.count;
  dsm__time_sample *const samples = device->samples.items;
  double *const sums = dsm__arena_array(arena, count, sizeof *sums);
  if (sums == NULL) {
    return false;
  }
  dsm__sort(samples, count, sizeof samples[0], compare_samples);
  for (size_t first = 0; first < count;) {
    const size_t row = samples[first].row;
    size_t runs = 0;
    size_t end = first;
    for (; end < count && samples[end].row == row; end++) {
      const bool is_same = end > first && samples[end].run == samples[end - 1].run;
      runs += is_same ? 0 : 1;
      sums[runs - 1] = (is_same ? sums[runs - 1] : 0) + samples[end].seconds;
    }
    device->rows.items[row].seconds = median(sums, runs);
    first = end;
  }
  return true;
}

bool dsm__timings_finish(dsm__timings *timings) {
  for (size_t d = 0; d < timings->devices.count; d++) {
    if (!make_medians(&timings->devices.items[d], timings->arena)) {
      return false;
    }
  }
  return true;
}

void dsm__timings_fini(dsm__timings *timings) {
  for (size_t d = 0; d < timings->devices.count; d++) {
    dsm__timed_device *const device = &timings->devices.items[d];
    free(device->rows.items);
    free(device->samples.items);
    dsm__map_fini(&device->index);
  }
  dsm__arena_free(timings->arena);
}

void dsm__timing_note(const dsm__timing_file *file, const dsm__json_node *node, const char *format,
                      ...) {
  const dsm_severity severity = file->timings->is_strict ? DSM_SEVERITY_ERROR : DSM_SEVERITY_NOTE;
  va_list args;
  va_start(args, format);
  dsm__json_vfinding(node, severity, NULL, format, args);
  va_end(args);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch_tables.c: times over the size of a batch.
 *
 * A table has the sizes that were measured or computed. Between two of them times are on a straight
 * line; beyond them nothing is known, so that the sum of tasks that are joined is known where all
 * of them are. Times may fall with the size, as measured ones do: nothing depends on that.
 */
#include <math.h>
#include <string.h>

#include "dsm/limits.h"
#include "server/batch_tables.h"

/* Infinite beyond the table. */
static double table_seconds(const dsm_batch_table *table, uint32_t size) {
  for (size_t k = 0; k < table->count; k++) {
    const dsm_batch_time *const to = &table->times[k];
    if (to->size == size) {
      return to->seconds;
    }
    if (to->size > size && k > 0) {
      const dsm_batch_time *const from = &table->times[k - 1];
      const double part = (double)(size - from->size) / (double)(to->size - from->size);
      return from->seconds + part * (to->seconds - from->seconds);
    }
    if (to->size > size) {
      break;
    }
  }
  return HUGE_VAL;
}

double dsm_instance_batch_seconds(const dsm_instance *instance, size_t task, size_t device,
                                  uint32_t size) {
  const size_t place = task * instance->device_count + device;
  const double seconds = instance->seconds[place];
  const bool has_table = instance->tables != NULL && instance->tables[place].count > 0;
  if (!isfinite(seconds)) {
    return HUGE_VAL; /* also where a table is, of a task that is kept off the device */
  }
  if (has_table) {
    return table_seconds(&instance->tables[place], size);
  }
  return size == 1 || seconds == 0 ? seconds : HUGE_VAL;
}

static const dsm_batch_table *table_of(const dsm_instance *instance, size_t place) {
  return instance->tables != NULL && instance->tables[place].count > 0 ? &instance->tables[place]
                                                                       : NULL;
}

static dsm__batch_range range_of(const dsm_instance *instance, size_t task, size_t device) {
  const size_t place = task * instance->device_count + device;
  const dsm_batch_table *const table = table_of(instance, place);
  const double seconds = instance->seconds[place];
  if (!isfinite(seconds) || (table == NULL && seconds == 0)) {
    return (dsm__batch_range){1, DSM_DEVICE_BATCH_MAX, true};
  }
  return table == NULL
             ? (dsm__batch_range){1, 1, false}
             : (dsm__batch_range){table->times[0].size, table->times[table->count - 1].size, false};
}

/* ---- lists of sizes ---- */

void dsm__add_batch_size(dsm__batch_sizes *sizes, uint32_t size) {
  size_t at = 0;
  while (at < sizes->count && sizes->items[at] < size) {
    at++;
  }
  if (at < sizes->count && sizes->items[at] == size) {
    return;
  }
  memmove(&sizes->items[at + 1], &sizes->items[at], (sizes->count - at) * sizeof *sizes->items);
  sizes->items[at] = size;
  sizes->count++;
}

bool dsm__batch_sizes_of(dsm__batch_sizes *sizes, dsm__arena *arena, const dsm_instance *instance,
                         const dsm__batch_cells *cells, dsm__batch_range range) {
  size_t most = 1;
  for (size_t i = cells->first; i < cells->end; i++) {
    const dsm_batch_table *const table =
        table_of(instance, i * instance->device_count + cells->device);
    most += table == NULL ? 1 : table->count;
  }
  *sizes = (dsm__batch_sizes){.count = 0};
  if (!DSM__RESERVE(arena, sizes->items, most)) {
    return false;
  }
  for (size_t i = cells->first; i < cells->end; i++) {
    const size_t place = i * instance->device_count + cells->device;
    const dsm_batch_table *const table = table_of(instance, place);
    for (size_t k = 0; table != NULL && isfinite(instance->seconds[place]) && k < table->count;
         k++) {
      const uint32_t size = table->times[k].size;
      if (size >= range.least && size <= range.most) {
        dsm__add_batch_size(sizes, size);
      }
    }
  }
  if (sizes->count == 0 && range.least <= range.most) {
    dsm__add_batch_size(sizes, range.least);
  }
  return true;
}

/* ---- tables of joined tasks ---- */

dsm__batch_range dsm__common_batches(const dsm_instance *instance, const dsm__batch_cells *cells) {
  dsm__batch_range range = {1, DSM_DEVICE_BATCH_MAX, true};
  for (size_t i = cells->first; i < cells->end; i++) {
    const dsm__batch_range own = range_of(instance, i, cells->device);
    range.least = own.least > range.least ? own.least : range.least;
    range.most = own.most < range.most ? own.most : range.most;
    range.is_any = range.is_any && own.is_any;
  }
  return range;
}

bool dsm__join_tables(dsm_batch_table *joined, dsm__arena *arena, const dsm_instance *from,
                      const dsm__batch_cells *cells) {
  bool has_table = false;
  bool can_run = true;
  for (size_t i = cells->first; i < cells->end; i++) {
    const size_t place = i * from->device_count + cells->device;
    has_table = has_table || table_of(from, place) != NULL;
    can_run = can_run && isfinite(from->seconds[place]);
  }
  const dsm__batch_range range = dsm__common_batches(from, cells);
  *joined = (dsm_batch_table){.count = 0};
  if (!has_table || !can_run) {
    return true;
  }
  dsm__batch_sizes sizes;
  dsm_batch_time *times = NULL;
  if (!dsm__batch_sizes_of(&sizes, arena, from, cells, range)) {
    return false;
  }
  dsm__add_batch_size(&sizes, range.least);
  if (!DSM__RESERVE(arena, times, sizes.count)) {
    return false;
  }
  for (size_t k = 0; k < sizes.count; k++) {
    times[k].size = sizes.items[k];
    for (size_t i = cells->first; i < cells->end; i++) {
      times[k].seconds += dsm_instance_batch_seconds(from, i, cells->device, sizes.items[k]);
    }
  }
  *joined = (dsm_batch_table){times, sizes.count};
  return true;
}

/* ---- at chosen batches ---- */

bool dsm__instance_at(dsm_instance *made, dsm__arena *arena, const dsm_instance *instance,
                      const uint32_t *batches) {
  const size_t device_count = instance->device_count;
  double *seconds = NULL;
  dsm_instance_device *devices = NULL;
  if (!DSM__RESERVE(arena, seconds, instance->task_count * device_count) ||
      !DSM__RESERVE(arena, devices, device_count)) {
    return false;
  }
  for (size_t j = 0; j < device_count; j++) {
    devices[j] = instance->devices[j];
    devices[j].batch = batches[j];
    devices[j].batch_size_count = 0;
    for (size_t i = 0; i < instance->task_count; i++) {
      seconds[i * device_count + j] =
          dsm_instance_batch_seconds(instance, i, j, batches[j]) / (double)batches[j];
    }
  }
  *made = *instance;
  made->devices = devices;
  made->seconds = seconds;
  return true;
}

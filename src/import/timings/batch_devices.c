/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/timings/batch_devices.h"

#include <string.h>

#include "base/arena.h"
#include "dsm/limits.h"

dsm__batch_name dsm__batch_name_of(const char *name) {
  const size_t whole = strlen(name);
  const char *const at = strrchr(name, '@');
  const char *digit = at == NULL ? "" : at + 1;
  uint32_t batch = 0;
  if (*digit < '0' || *digit > '9' || at == name) {
    return (dsm__batch_name){whole, 1};
  }
  for (; *digit >= '0' && *digit <= '9' && batch <= DSM_DEVICE_BATCH_MAX; digit++) {
    batch = 10 * batch + (uint32_t)(*digit - '0');
  }
  if (*digit != '\0' && batch <= DSM_DEVICE_BATCH_MAX) {
    return (dsm__batch_name){whole, 1}; /* no number */
  }
  return (dsm__batch_name){(size_t)(at - name), batch <= DSM_DEVICE_BATCH_MAX ? batch : 0};
}

/* Which devices are one, and where each of them stands then. */
typedef struct folding {
  dsm_instance *instance;
  dsm__batch_name *names; /* [j] of before */
  size_t *place;          /* [j] of before: its number afterwards */
  size_t *times;          /* [j] of after: devices before that it is of */
  size_t count;           /* afterwards */
} folding;

static bool find_places(folding *f) {
  const dsm_instance *const it = f->instance;
  if (!DSM__RESERVE(it->arena, f->names, it->device_count) ||
      !DSM__RESERVE(it->arena, f->place, it->device_count) ||
      !DSM__RESERVE(it->arena, f->times, it->device_count)) {
    return false;
  }
  for (size_t j = 0; j < it->device_count; j++) {
    const char *const name = it->devices[j].name;
    f->names[j] = dsm__batch_name_of(name);
    f->place[j] = f->count;
    for (size_t k = 0; k < j; k++) {
      if (f->names[k].length == f->names[j].length &&
          memcmp(name, it->devices[k].name, f->names[j].length) == 0) {
        f->place[j] = f->place[k];
        break;
      }
    }
    f->count += f->place[j] == f->count ? 1 : 0;
    f->times[f->place[j]]++;
  }
  return true;
}

/* Whether times of the device are over the batch. */
static bool has_table(const folding *f, size_t device) {
  return f->times[f->place[device]] > 1 || f->names[device].batch > 1;
}

static void add_time(dsm_batch_table *table, dsm_batch_time *times, dsm_batch_time time) {
  size_t at = table->count++;
  for (; at > 0 && times[at - 1].size > time.size; at--) {
    times[at] = times[at - 1];
  }
  times[at] = time;
  table->times = times;
}

static bool fold_times(const folding *f, double *seconds, dsm_batch_table *tables) {
  dsm_instance *const it = f->instance;
  const size_t cells = it->task_count * f->count;
  dsm_batch_time **times = NULL;
  if (!DSM__RESERVE(it->arena, times, cells)) {
    return false;
  }
  for (size_t k = 0; k < it->task_count * it->device_count; k++) {
    const size_t device = k % it->device_count;
    const size_t cell = k / it->device_count * f->count + f->place[device];
    if (!has_table(f, device)) {
      seconds[cell] = it->seconds[k];
      continue;
    }
    if (times[cell] == NULL && !DSM__RESERVE(it->arena, times[cell], f->times[f->place[device]])) {
      return false;
    }
    add_time(&tables[cell], times[cell], (dsm_batch_time){f->names[device].batch, it->seconds[k]});
    seconds[cell] = tables[cell].times[0].seconds / tables[cell].times[0].size;
  }
  return true;
}

bool dsm__fold_batches(dsm_instance *instance) {
  folding f = {.instance = instance};
  double *seconds = NULL;
  dsm_batch_table *tables = NULL;
  dsm_instance_device *devices = NULL;
  if (!find_places(&f) || !DSM__RESERVE(instance->arena, devices, f.count) ||
      !DSM__RESERVE(instance->arena, seconds, instance->task_count * f.count) ||
      !DSM__RESERVE(instance->arena, tables, instance->task_count * f.count) ||
      !fold_times(&f, seconds, tables)) {
    return false;
  }
  for (size_t j = instance->device_count; j-- > 0;) {
    const char *const name = instance->devices[j].name;
    devices[f.place[j]] = instance->devices[j];
    devices[f.place[j]].name = dsm__arena_strndup(instance->arena, name, f.names[j].length);
    if (devices[f.place[j]].name == NULL) {
      return false;
    }
  }
  instance->devices = devices;
  instance->device_count = f.count;
  instance->seconds = seconds;
  instance->tables = tables;
  return true;
}

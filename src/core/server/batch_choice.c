/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch_choice.c: how many requests each device runs together, as options ask for it.
 *
 * A text names a device, or none for all, and sizes: "gpu=8", "gpu*=1,4,16", "best". The last text
 * that names a device counts. A device runs all of its tasks at the same size, so that it can have
 * those of which all tasks that can run there have times.
 */
#include <string.h>

#include "base/words.h"
#include "dsm/limits.h"
#include "server/instance_internal.h"

static const char best_word[] = "best";

/* A size without sign; 0: it is none. */
static uint32_t read_size(const char *text, size_t length) {
  uint32_t size = 0;
  for (size_t k = 0; k < length; k++) {
    if (text[k] < '0' || text[k] > '9' || size > DSM_DEVICE_BATCH_MAX) {
      return 0;
    }
    size = size * 10 + (uint32_t)(text[k] - '0');
  }
  return size <= DSM_DEVICE_BATCH_MAX ? size : 0;
}

/* Adds the sizes of a list; false: it is none. */
static bool add_sizes(dsm__batch_sizes *sizes, const char *list) {
  for (const char *at = list; at != NULL;) {
    const char *const comma = strchr(at, ',');
    const uint32_t size = read_size(at, comma == NULL ? strlen(at) : (size_t)(comma - at));
    if (size == 0) {
      return false;
    }
    dsm__add_batch_size(sizes, size);
    at = comma == NULL ? NULL : comma + 1;
  }
  return true;
}

static const char *list_of(const char *text) {
  const char *const equals = strrchr(text, '=');
  return equals == NULL ? text : equals + 1;
}

/* As many sizes as there may be in a text, and one more. */
static size_t most_sizes(const char *text) {
  size_t count = 2;
  for (const char *at = text; *at != '\0'; at++) {
    count += *at == ',' ? 1 : 0;
  }
  return count;
}

bool dsm__wanted_batch_sizes(dsm__batch_sizes *sizes, dsm__arena *arena,
                             const dsm_instance_options *options) {
  size_t most = 32; /* powers of two in 32 bits */
  for (size_t k = 0; k < options->batch_count; k++) {
    most += most_sizes(options->batches[k]);
  }
  *sizes = (dsm__batch_sizes){.count = 0};
  if (!DSM__RESERVE(arena, sizes->items, most)) {
    return false;
  }
  for (size_t k = 0; k < options->batch_count; k++) {
    const char *const list = list_of(options->batches[k]);
    const bool is_best = strcmp(list, best_word) == 0;
    for (uint32_t size = 1; is_best && size <= DSM_BATCH_POWER_MAX; size *= 2) {
      dsm__add_batch_size(sizes, size);
    }
    if (!is_best) {
      (void)add_sizes(sizes, list);
    }
  }
  if (sizes->count > 0) {
    dsm__add_batch_size(sizes, 1);
  }
  return true;
}

/* ---- what there is ---- */

static dsm__batch_cells all_tasks(const dsm_instance *instance, size_t device) {
  return (dsm__batch_cells){device, 0, instance->task_count};
}

static dsm_status report_none(const dsm_instance *instance, size_t device, const char *file,
                              dsm_diags *diags) {
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = file},
                 "a time without a batch is that of one request",
                 "expected a batch of which all tasks that \"%s\" can run have times, found none",
                 instance->devices[device].name);
  return DSM_ERROR_INVALID;
}

static dsm_status report_beyond(const dsm_instance *instance, size_t device, dsm__batch_range range,
                                uint32_t size, dsm_diags *diags) {
  const char *const name = instance->devices[device].name;
  return range.most == 1
             ? dsm__refuse(
                   diags, DSM_ERROR_USAGE,
                   "expected a batch of 1 for device \"%s\", which has times of that alone, "
                   "found %lu",
                   name, (unsigned long)size)
             : dsm__refuse(diags, DSM_ERROR_USAGE,
                           "expected a batch from %lu to %lu for device \"%s\", of which there are "
                           "times, found %lu",
                           (unsigned long)range.least, (unsigned long)range.most, name,
                           (unsigned long)size);
}

/* ---- what is asked for ---- */

typedef struct chooser {
  dsm_instance *instance;
  dsm_instance_device *devices;
  dsm_diags *diags;
} chooser;

static dsm_status choose(const chooser *c, size_t device, dsm__batch_range range,
                         const char *text) {
  dsm__arena *const arena = c->instance->arena;
  const char *const list = list_of(text);
  const bool is_best = strcmp(list, best_word) == 0;
  const dsm__batch_cells cells = all_tasks(c->instance, device);
  dsm__batch_sizes sizes = {.count = 0};
  if (is_best ? !dsm__batch_sizes_of(&sizes, arena, c->instance, &cells, range)
              : !DSM__RESERVE(arena, sizes.items, most_sizes(text))) {
    return dsm__out_of_memory(c->diags);
  }
  if (!is_best) {
    (void)add_sizes(&sizes, list);
  }
  for (size_t k = 0; k < sizes.count; k++) {
    if (sizes.items[k] < range.least || sizes.items[k] > range.most) {
      return report_beyond(c->instance, device, range, sizes.items[k], c->diags);
    }
  }
  dsm_instance_device *const it = &c->devices[device];
  it->batch = sizes.items[0];
  it->batch_sizes = sizes.items;
  it->batch_size_count = sizes.count;
  return DSM_OK;
}

/* The last text that names the device; NULL: none does. */
static const char *text_for(const char *name, const dsm_instance_options *options) {
  const char *found = NULL;
  for (size_t k = 0; k < options->batch_count; k++) {
    const char *const text = options->batches[k];
    const char *const equals = strrchr(text, '=');
    if (equals == NULL || dsm__name_is_of(text, (size_t)(equals - text), name)) {
      found = text;
    }
  }
  return found;
}

static dsm_status check_text(const chooser *c, const char *text) {
  const char *const list = list_of(text);
  const dsm_instance *const instance = c->instance;
  dsm__batch_sizes sizes = {.count = 0};
  if (!DSM__RESERVE(instance->arena, sizes.items, most_sizes(text))) {
    return dsm__out_of_memory(c->diags);
  }
  if (strcmp(list, best_word) != 0 && !add_sizes(&sizes, list)) {
    return dsm__refuse(c->diags, DSM_ERROR_USAGE,
                       "expected a batch from 1 to %d, several with commas, or best, found \"%s\"",
                       DSM_DEVICE_BATCH_MAX, list);
  }
  bool is_known = list == text;
  const char *names[DSM_DEVICES_MAX];
  for (size_t j = 0; j < instance->device_count; j++) {
    names[j] = instance->devices[j].name;
    is_known = is_known || dsm__name_is_of(text, (size_t)(list - text) - 1, names[j]);
  }
  if (is_known) {
    return DSM_OK;
  }
  char hint[256];
  char *const name = dsm__arena_strndup(instance->arena, text, (size_t)(list - text) - 1);
  if (name == NULL) {
    return dsm__out_of_memory(c->diags);
  }
  (void)dsm__nearest_hint(name, names, instance->device_count, hint, sizeof hint);
  dsm__diags_add(c->diags, DSM_SEVERITY_ERROR, (dsm__place){0}, hint[0] == '\0' ? NULL : hint,
                 "expected the name of a device, found \"%s\"", name);
  return DSM_ERROR_USAGE;
}

dsm_status dsm__instance_set_batches(dsm_instance *instance, const dsm_instance_options *options,
                                     const char *file, dsm_diags *diags) {
  chooser c = {.instance = instance, .diags = diags};
  if (options->batch_count == 0 && instance->tables == NULL) {
    return DSM_OK;
  }
  if (!DSM__RESERVE(instance->arena, c.devices, instance->device_count)) {
    return dsm__out_of_memory(diags);
  }
  memcpy(c.devices, instance->devices, instance->device_count * sizeof *c.devices);
  dsm_status status = DSM_OK;
  for (size_t k = 0; k < options->batch_count && status == DSM_OK; k++) {
    status = check_text(&c, options->batches[k]);
  }
  uint32_t batches[DSM_DEVICES_MAX];
  for (size_t j = 0; j < instance->device_count && status == DSM_OK; j++) {
    const dsm__batch_cells cells = all_tasks(instance, j);
    const dsm__batch_range range = dsm__common_batches(instance, &cells);
    const char *const text = text_for(instance->devices[j].name, options);
    c.devices[j].batch = range.least;
    if (range.least > range.most) {
      status = report_none(instance, j, file, diags);
    } else if (text != NULL && !range.is_any) {
      status = choose(&c, j, range, text);
    }
    batches[j] = c.devices[j].batch;
  }
  instance->devices = c.devices;
  dsm_instance made;
  if (status == DSM_OK && !dsm__instance_at(&made, instance->arena, instance, batches)) {
    status = dsm__out_of_memory(diags);
  }
  if (status == DSM_OK) {
    instance->seconds = made.seconds;
  }
  return status;
}

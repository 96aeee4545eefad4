/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * instance_place.c: where tasks may run, and which run together.
 *
 * A task that is kept off a device is one that cannot run there, so that whatever reads the times
 * keeps it. Tasks that run together can run where all of them can.
 */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "dsm/limits.h"
#include "server/instance_internal.h"

typedef struct placer {
  const dsm_instance *instance;
  dsm_task *tasks;
  double *seconds;
  const char **names; /* of tasks, or devices: what was probably meant */
  bool *is_allowed;   /* [j] */
  dsm_diags *diags;
} placer;

bool dsm__name_is_of(const char *pattern, size_t length, const char *name) {
  const bool is_open = length > 0 && pattern[length - 1] == '*';
  const size_t fixed = is_open ? length - 1 : length;
  return strncmp(name, pattern, fixed) == 0 && (is_open || name[fixed] == '\0');
}

static dsm_status report_unknown(const placer *p, const char *what, const char *text, size_t length,
                                 size_t name_count) {
  char hint[256];
  const char *const copy = dsm__arena_strndup(p->instance->arena, text, length);
  if (copy == NULL) {
    return dsm__out_of_memory(p->diags);
  }
  (void)dsm__nearest_hint(copy, p->names, name_count, hint, sizeof hint);
  dsm__diags_add(p->diags, DSM_SEVERITY_ERROR, (dsm__place){NULL, 0, 0, NULL},
                 hint[0] == '\0' ? NULL : hint, "expected the name of a %s, found \"%s\"", what,
                 copy);
  return DSM_ERROR_USAGE;
}

/* Takes a task that was named. */
typedef void task_visitor(placer *p, size_t task, const void *context);

static dsm_status each_task(placer *p, const char *pattern, size_t length, task_visitor *visit,
                            const void *context) {
  const size_t count = p->instance->task_count;
  bool is_known = false;
  for (size_t i = 0; i < count; i++) {
    p->names[i] = p->tasks[i].name;
    if (dsm__name_is_of(pattern, length, p->tasks[i].name)) {
      visit(p, i, context);
      is_known = true;
    }
  }
  return is_known ? DSM_OK : report_unknown(p, "task", pattern, length, count);
}

/* Walks the parts of a text between commas: `take` may end the walk. */
typedef dsm_status part_visitor(placer *p, const char *part, size_t length, const void *context);

static dsm_status each_part(placer *p, const char *text, part_visitor *take, const void *context) {
  dsm_status status = DSM_OK;
  for (const char *at = text; status == DSM_OK && at != NULL;) {
    const char *const comma = strchr(at, ',');
    status = take(p, at, comma == NULL ? strlen(at) : (size_t)(comma - at), context);
    at = comma == NULL ? NULL : comma + 1;
  }
  return status;
}

/* ---- pins ---- */

static dsm_status allow_device(placer *p, const char *name, size_t length, const void *context) {
  (void)context;
  const size_t count = p->instance->device_count;
  bool is_known = false;
  for (size_t j = 0; j < count; j++) {
    p->names[j] = p->instance->devices[j].name;
    if (dsm__name_is_of(name, length, p->names[j])) {
      p->is_allowed[j] = is_known = true;
    }
  }
  return is_known ? DSM_OK : report_unknown(p, "device", name, length, count);
}

static void keep_off(placer *p, size_t task, const void *context) {
  (void)context;
  for (size_t j = 0; j < p->instance->device_count; j++) {
    if (!p->is_allowed[j]) {
      p->seconds[task * p->instance->device_count + j] = HUGE_VAL;
    }
  }
}

static dsm_status pin(placer *p, const char *text) {
  const char *const equals = strrchr(text, '=');
  if (equals == NULL) {
    return dsm__refuse(p->diags, DSM_ERROR_USAGE, "expected TASK=DEVICE, found \"%s\"", text);
  }
  for (size_t j = 0; j < p->instance->device_count; j++) {
    p->is_allowed[j] = false;
  }
  const dsm_status status = each_part(p, equals + 1, allow_device, NULL);
  return status == DSM_OK ? each_task(p, text, (size_t)(equals - text), keep_off, NULL) : status;
}

/* ---- groups ---- */

/* A task that is in a group already brings the whole of it along. */
static void add_to_group(placer *p, size_t task, const void *group) {
  const char *const before = p->tasks[task].group;
  for (size_t i = 0; before != NULL && i < p->instance->task_count; i++) {
    if (p->tasks[i].group != NULL && strcmp(p->tasks[i].group, before) == 0) {
      p->tasks[i].group = group;
    }
  }
  p->tasks[task].group = group;
}

static dsm_status add_part(placer *p, const char *name, size_t length, const void *group) {
  return each_task(p, name, length, add_to_group, group);
}

static dsm_status group_together(placer *p, size_t number, const char *text) {
  if (strchr(text, ',') == NULL && strchr(text, '*') == NULL) {
    return dsm__refuse(p->diags, DSM_ERROR_USAGE, "expected TASK,TASK, found \"%s\"", text);
  }
  const char *const group = dsm__arena_printf(p->instance->arena, "together %zu", number + 1);
  return group == NULL ? dsm__out_of_memory(p->diags) : each_part(p, text, add_part, group);
}

/* Where one of a group cannot run none can. */
static void share_limits(placer *p) {
  const size_t device_count = p->instance->device_count;
  for (size_t i = 0; i < p->instance->task_count; i++) {
    const char *const group = p->tasks[i].group;
    for (size_t k = 0; group != NULL && k < p->instance->task_count; k++) {
      const bool is_mate = p->tasks[k].group != NULL && strcmp(p->tasks[k].group, group) == 0;
      for (size_t j = 0; is_mate && j < device_count; j++) {
        if (!isfinite(p->seconds[i * device_count + j])) {
          p->seconds[k * device_count + j] = HUGE_VAL;
        }
      }
    }
  }
}

/* ---- all of it ---- */

static bool has_groups(const dsm_instance *instance) {
  bool has_one = false;
  for (size_t i = 0; i < instance->task_count; i++) {
    has_one = has_one || instance->tasks[i].group != NULL;
  }
  return has_one;
}

dsm_status dsm__instance_place(dsm_instance *instance, const dsm_instance_options *options,
                               dsm_diags *diags) {
  if (options->pin_count == 0 && options->group_count == 0 && !has_groups(instance)) {
    return DSM_OK;
  }
  const size_t count = instance->task_count;
  placer p = {.instance = instance, .diags = diags};
  p.tasks = dsm__instance_tasks(instance, count, &p.seconds);
  if (p.tasks == NULL || !DSM__RESERVE(instance->arena, p.names, count + instance->device_count) ||
      !DSM__RESERVE(instance->arena, p.is_allowed, instance->device_count)) {
    return dsm__out_of_memory(diags);
  }
  memcpy(p.tasks, instance->tasks, count * sizeof *p.tasks);
  memcpy(p.seconds, instance->seconds, count * instance->device_count * sizeof *p.seconds);
  dsm_status status = DSM_OK;
  for (size_t k = 0; status == DSM_OK && k < options->pin_count; k++) {
    status = pin(&p, options->pins[k]);
  }
  for (size_t k = 0; status == DSM_OK && k < options->group_count; k++) {
    status = group_together(&p, k, options->groups[k]);
  }
  share_limits(&p);
  instance->tasks = p.tasks;
  instance->seconds = p.seconds;
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/timings/tasks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "dsm/instance.h"
#include "import/timings/batch_devices.h"
#include "import/timings/merge.h"
#include "server/instance_internal.h"
#include "workload/name_index.h"

/* Names of layers that a note tells; the others are in the profile's comment. */
enum { NAMES_TOLD = 5 };

/* What is being made. */
typedef struct making {
  const dsm__timings *timings;
  const dsm_profile_import_options *options;
  dsm__arena *arena;
  dsm__merge merge;
  size_t sized;          /* the device whose rows tell sizes, without a workload */
  const char **comments; /* of what counts with other layers */
  size_t comment_count;
  size_t comment_room;
  bool is_refused; /* a note is an error */
  dsm_diags *diags;
} making;

/* ---- what may be a task ---- */

/* The first device of which every row tells its sizes, or the number of devices. */
static size_t find_sized(const dsm__timings *timings) {
  for (size_t d = 0; d < timings->devices.count; d++) {
    const dsm__timed_device *const device = &timings->devices.items[d];
    size_t r = 0;
    while (r < device->rows.count && device->rows.items[r].sizes.output_bytes >= 0 &&
           device->rows.items[r].sizes.weights_bytes >= 0) {
      r++;
    }
    if (r == device->rows.count) {
      return d;
    }
  }
  return timings->devices.count;
}

static dsm_status gather_names(making *m, const char ***names, size_t *count) {
  const dsm_workload *const workload = m->options->workload;
  m->sized = find_sized(m->timings);
  if (workload == NULL && m->sized == m->timings->devices.count) {
    dsm__diags_add(m->diags, DSM_SEVERITY_ERROR, (dsm__place){0},
                   "--workload gives a network whose layers have these names; of CSV, columns "
                   "weights_bytes and output_bytes; ONNX Runtime's profile has them",
                   "expected sizes of weights and outputs for each layer of a device, found none "
                   "in these files");
    return DSM_ERROR_INVALID;
  }
  const dsm__timed_device *const device =
      workload == NULL ? &m->timings->devices.items[m->sized] : NULL;
  const size_t most = workload == NULL ? device->rows.count : workload->layer_count;
  if (most > DSM_TASKS_MAX) {
    return dsm__refuse(m->diags, DSM_ERROR_INVALID, "expected at most %d layers, found %zu",
                       DSM_TASKS_MAX, most);
  }
  if (!DSM__RESERVE(m->arena, *names, most)) {
    return dsm__out_of_memory(m->diags);
  }
  for (size_t i = 0; i < most; i++) {
    const char *const name =
        workload == NULL ? device->rows.items[i].name : workload->layers[i].name;
    if (dsm__is_plain_name(name)) {
      (*names)[(*count)++] = name;
    }
  }
  return DSM_OK;
}

/* ---- what does not match ---- */

/* Begins a list of names in a note; the rest is counted. */
typedef struct name_list {
  char text[NAMES_TOLD * 64 + 64];
  size_t used;
  size_t count;
} name_list;

static void list_name(name_list *list, const char *name) {
  if (list->count++ < NAMES_TOLD) {
    const int more = snprintf(list->text + list->used, sizeof list->text - list->used,
                              "%s\"%.48s\"", list->count == 1 ? "" : ", ", name);
    list->used += more > 0 ? (size_t)more : 0;
  }
}

static void note(making *m, const char *text, const char *names) {
  m->is_refused = m->options->is_strict;
  dsm__diags_add(m->diags, m->options->is_strict ? DSM_SEVERITY_ERROR : DSM_SEVERITY_NOTE,
                 (dsm__place){0}, NULL, "%s%s", text, names);
}

static void note_list(making *m, name_list *list, const char *before) {
  if (list->count > NAMES_TOLD) {
    (void)snprintf(list->text + list->used, sizeof list->text - list->used,
                   " and %zu more (all stand in the profile's comment)", list->count - NAMES_TOLD);
  }
  if (list->count > 0) {
    note(m, before, list->text);
  }
}

static bool add_comment(making *m, const char *text) {
  if (text == NULL || m->comment_count == m->comment_room) {
    return false;
  }
  m->comments[m->comment_count++] = text;
  return true;
}

/* Rows of a device that are no tasks. */
static bool note_device(making *m, size_t d) {
  const dsm__timed_device *const device = &m->timings->devices.items[d];
  name_list list = {.used = 0};
  size_t *targets = NULL;
  char before[320];
  if (!dsm__merge_targets(&m->merge, d, &targets, m->arena)) {
    return false;
  }
  for (size_t r = 0; r < device->rows.count; r++) {
    const dsm__timed_row *const row = &device->rows.items[r];
    if (!dsm__merge_is_task(&m->merge, d, r)) {
      list_name(&list, row->name);
      if (!add_comment(m, dsm__arena_printf(m->arena, "%s: %s (%.6g ms) counts with %s",
                                            device->name, row->name, 1e3 * row->seconds,
                                            m->merge.names[targets[r]]))) {
        return false;
      }
    }
  }
  (void)snprintf(before, sizeof before,
                 "device \"%s\": %zu of %zu timed layers match none that every device has, and "
                 "count with the one before: ",
                 device->name, list.count, device->rows.count);
  note_list(m, &list, before);
  return true;
}

/* Layers of the workload that have no time of their own. */
static bool note_layers(making *m) {
  name_list list = {.used = 0};
  const char *task = NULL;
  for (size_t n = 0; n < m->merge.name_count && task == NULL; n++) {
    task = m->merge.is_task[n] ? m->merge.names[n] : NULL;
  }
  for (size_t n = 0; n < m->merge.name_count; n++) {
    task = m->merge.is_task[n] ? m->merge.names[n] : task;
    if (!m->merge.is_task[n]) {
      list_name(&list, m->merge.names[n]);
      if (!add_comment(m, dsm__arena_printf(m->arena, "layer %s is part of the task of %s",
                                            m->merge.names[n], task))) {
        return false;
      }
    }
  }
  note_list(m, &list,
            "layers of the workload that have no time on every device are joined with the one "
            "before: ");
  return true;
}

static dsm_status note_all(making *m) {
  m->comment_room = m->merge.name_count;
  for (size_t d = 0; d < m->timings->devices.count; d++) {
    m->comment_room += m->timings->devices.items[d].rows.count;
  }
  bool is_done = DSM__RESERVE(m->arena, m->comments, m->comment_room);
  for (size_t d = 0; is_done && d < m->timings->devices.count; d++) {
    is_done = note_device(m, d);
  }
  if (is_done && m->options->workload != NULL) {
    is_done = note_layers(m);
  } else if (is_done && m->timings->devices.items[m->sized].rows.count > 1) {
    note(m,
         "the files tell no connections: each task is taken to need the one before it (--workload "
         "gives them)",
         "");
  }
  return !is_done ? dsm__out_of_memory(m->diags) : m->is_refused ? DSM_ERROR_INVALID : DSM_OK;
}

static size_t count_tasks(const dsm__merge *merge) {
  size_t count = 0;
  for (size_t n = 0; n < merge->name_count; n++) {
    count += merge->is_task[n] ? 1 : 0;
  }
  return count;
}

static dsm_status refuse_all(const making *m) {
  const dsm__timed_device *const first = &m->timings->devices.items[0];
  const dsm__timed_device *const last = &m->timings->devices.items[m->timings->devices.count - 1];
  const dsm_workload *const workload = m->options->workload;
  return dsm__refuse(m->diags, DSM_ERROR_INVALID,
                     "expected a layer that took time on every device%s%.128s, found none: \"%s\" "
                     "has \"%.60s\", %s \"%.60s\"",
                     workload == NULL ? "" : " and is one of ",
                     workload == NULL ? "" : workload->name, last->name, last->rows.items[0].name,
                     workload == NULL ? "another one" : "the workload",
                     workload == NULL ? first->rows.items[0].name : workload->layers[0].name);
}

/* ---- instances ---- */

/* A device is an accelerator, but for one that is called a CPU. */
static bool is_accelerator(const char *device) {
  return strncmp(device, "cpu", 3) != 0;
}

/* Devices of a server whose times are known. */
static dsm_server server_of(const making *m, dsm_device *devices) {
  for (size_t d = 0; d < m->timings->devices.count; d++) {
    const char *const name = m->timings->devices.items[d].name;
    devices[d] = (dsm_device){.name = name,
                              .kind = DSM_DEVICE_TIMES,
                              .is_accelerator = is_accelerator(name),
                              .memory_bytes = HUGE_VAL,
                              .link_bytes_per_second = HUGE_VAL};
  }
  return (dsm_server){.devices = devices, .device_count = m->timings->devices.count};
}

/* Layers that are no tasks are joined with the one before, those before the first with it. */
static dsm_status make_of_workload(const making *m, dsm_instance **instance) {
  const size_t task_count = count_tasks(&m->merge);
  dsm_device *devices = NULL;
  size_t *starts = NULL;
  if (!DSM__RESERVE(m->arena, devices, m->timings->devices.count) ||
      !DSM__RESERVE(m->arena, starts, task_count + 1)) {
    return dsm__out_of_memory(m->diags);
  }
  size_t part = 0;
  for (size_t n = 0; n < m->merge.name_count; n++) {
    if (m->merge.is_task[n]) {
      starts[part] = part == 0 ? 0 : n;
      part++;
    }
  }
  const dsm_server server = server_of(m, devices);
  const dsm__measured_layers measured = {m->merge.seconds, starts, task_count};
  return dsm__instance_measured(instance, m->options->workload, &server, m->options->batch,
                                &measured, m->diags);
}

/* The sizes of tasks: their weights together, and of one request of the batch that was timed the
 * most that is live, and what the last row puts out. */
static bool add_sizes(const making *m, const size_t *task_of, dsm_task *tasks) {
  const dsm__timed_device *const device = &m->timings->devices.items[m->sized];
  const double batch = dsm__batch_name_of(device->name).batch;
  size_t *targets = NULL;
  if (!dsm__merge_targets(&m->merge, m->sized, &targets, m->arena)) {
    return false;
  }
  for (size_t r = 0; r < device->rows.count; r++) {
    const dsm__layer_sizes *const sizes = &device->rows.items[r].sizes;
    dsm_task *const task = &tasks[task_of[targets[r]]];
    task->weights_bytes += sizes->weights_bytes;
    task->activation_bytes = fmax(task->activation_bytes, fmax(sizes->activation_bytes, 0) / batch);
    task->output_bytes = sizes->output_bytes / batch;
  }
  return true;
}

static bool make_devices(const making *m, dsm_instance *instance) {
  const size_t count = m->timings->devices.count;
  dsm_instance_device *devices = NULL;
  if (!DSM__RESERVE(instance->arena, devices, count)) {
    return false;
  }
  for (size_t d = 0; d < count; d++) {
    devices[d] = (dsm_instance_device){
        .name = dsm__arena_strdup(instance->arena, m->timings->devices.items[d].name),
        .is_accelerator = is_accelerator(m->timings->devices.items[d].name),
        .memory_bytes = HUGE_VAL,
        .link_bytes_per_second = HUGE_VAL};
    if (devices[d].name == NULL) {
      return false;
    }
  }
  instance->devices = devices;
  instance->device_count = count;
  return true;
}

/* Each task needs the one before it. */
static bool make_chain(const making *m, dsm_instance *instance, const char *name) {
  const size_t device_count = m->timings->devices.count;
  const size_t count = count_tasks(&m->merge);
  double *seconds = NULL;
  size_t *task_of = NULL;
  dsm__use *uses = NULL;
  instance->name = dsm__arena_strdup(instance->arena, dsm__is_plain_name(name) ? name : "network");
  dsm_task *const tasks =
      make_devices(m, instance) ? dsm__instance_tasks(instance, count, &seconds) : NULL;
  if (instance->name == NULL || tasks == NULL || !DSM__RESERVE(m->arena, uses, count) ||
      !DSM__RESERVE(m->arena, task_of, m->merge.name_count)) {
    return false;
  }
  size_t task = 0;
  for (size_t n = 0; n < m->merge.name_count; n++) {
    if (!m->merge.is_task[n]) {
      continue;
    }
    task_of[n] = task;
    tasks[task].name = dsm__arena_strdup(instance->arena, m->merge.names[n]);
    memcpy(&seconds[task * device_count], &m->merge.seconds[n * device_count],
           device_count * sizeof *seconds);
    if (tasks[task++].name == NULL) {
      return false;
    }
  }
  if (!add_sizes(m, task_of, tasks)) {
    return false;
  }
  for (size_t i = 0; i + 1 < count; i++) {
    uses[i] = (dsm__use){i, 0, i + 1, tasks[i].output_bytes};
  }
  instance->tasks = tasks;
  instance->task_count = count;
  instance->seconds = seconds;
  return dsm__instance_set_tensors(instance, uses, count - 1);
}

static dsm_status make_of_files(const making *m, dsm_instance **instance, const char *name) {
  dsm_instance *const made = dsm__instance_new();
  dsm_status status = made == NULL || !make_chain(m, made, name)
                          ? dsm__out_of_memory(m->diags)
                          : dsm__instance_check(made, NULL, m->diags);
  if (status != DSM_OK) {
    dsm_instance_free(made);
    return status;
  }
  *instance = made;
  return DSM_OK;
}

static dsm_status make_profile(making *m, char **text, const char *name) {
  const char **names = NULL;
  size_t name_count = 0;
  dsm_instance *instance = NULL;
  dsm_status status = gather_names(m, &names, &name_count);
  if (status == DSM_OK && !dsm__merge_rows(&m->merge, m->timings, names, name_count, m->arena)) {
    status = dsm__out_of_memory(m->diags);
  }
  if (status == DSM_OK && count_tasks(&m->merge) == 0) {
    status = refuse_all(m);
  }
  if (status == DSM_OK) {
    status = note_all(m);
  }
  if (status == DSM_OK) {
    status = m->options->workload != NULL ? make_of_workload(m, &instance)
                                          : make_of_files(m, &instance, name);
  }
  if (status == DSM_OK && !dsm__fold_batches(instance)) {
    status = dsm__out_of_memory(m->diags);
  }
  if (status == DSM_OK) {
    const dsm__profile_words words = {"measured times, medians over runs", m->comments,
                                      m->comment_count};
    status = dsm__profile_write(text, instance, &words, m->diags);
  }
  dsm_instance_free(instance);
  return status;
}

dsm_status dsm__profile_of_timings(char **text, const dsm__timings *timings, const char *name,
                                   const dsm_profile_import_options *options, dsm_diags *diags) {
  making m = {.timings = timings, .options = options, .arena = dsm__arena_new(), .diags = diags};
  if (m.arena == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = make_profile(&m, text, name);
  dsm__arena_free(m.arena);
  return status;
}

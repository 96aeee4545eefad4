/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition_read.c: a dsm-partition/1 read back, where each task is in one place.
 *
 * The answer and the instance that it is of are made again as far as the document says them: a task
 * has a time on the device that runs it and on no other. That is enough to check every constraint
 * and what the document says of itself, so a plan that was edited by hand is used only where it
 * still holds. What was proven of it, bound and relaxation, is taken as it stands.
 */
#include "partition/answer/partition_record.h"

#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "base/number_text.h"
#include "dsm/answer.h"
#include "partition/instance_facts.h"
#include "server/server_internal.h"

typedef struct reader {
  dsm_partition *partition;
  dsm__partition_document document;
  dsm__arena *arena;
  dsm_instance *instance;
  dsm_task *tasks;
  dsm_tensor *tensors;
  dsm_instance_device *devices;
  double *seconds;
  double *rates;
  bool *is_stored;
  double *sent;
  double *moved; /* NULL where only what devices send counts */
  dsm_device_use *uses;
  dsm__name_index task_names;
  dsm__name_index device_names;
} reader;

/* A number that some documents alone have, and these must; null is what stands for an infinite one.
 */
static double number(const dsm__json_node *object, const char *key) {
  const dsm__json_node node = dsm__json_member(object, key);
  double value = HUGE_VAL;
  if (dsm__json_require(&node, "a number, or null where it is infinite") &&
      !dsm__json_is_null(&node)) {
    (void)dsm__json_double(&node, (dsm__json_range){0, DBL_MAX, false}, &value);
  }
  return value;
}

/* The index that a name has; SIZE_MAX, and reported, if none has it. */
static size_t find(const dsm__json_node *node, const char *name, const dsm__name_index *names,
                   const char *what) {
  const size_t found = dsm__name_index_find(names, name);
  if (found == SIZE_MAX) {
    dsm__json_error(node, NULL, "expected the name of a %s, found \"%s\"", what, name);
  }
  return found;
}

/* ---- devices ---- */

static void take_device(reader *r, const dsm__json_node *item, size_t j) {
  const bool is_latency = r->partition->options.objective == DSM_OBJECTIVE_LATENCY;
  const dsm__device_row *const row = (const dsm__device_row *)r->document.devices.items + j;
  dsm_instance_device *const device = &r->devices[j];
  *device = row->device;
  device->batch = (uint32_t)row->batch;
  r->uses[j] = row->use;
  r->uses[j].link_bytes_per_second =
      number(item, is_latency ? "link_bytes" : "link_bytes_per_second");
  /* A device's own bytes stand beside those that sizes are stated for. */
  if ((device->element_bytes > 0 && !(r->instance->element_bytes > 0)) ||
      (device->weight_bytes > 0 && !(r->instance->weight_bytes > 0))) {
    dsm__json_error(item, NULL,
                    "expected element_bytes and weight_bytes of the plan beside those of a device, "
                    "found none");
  }
  r->device_names.entries[j] = (dsm__name_entry){device->name, j};
}

static bool take_devices(reader *r, const dsm__json_node *root) {
  const dsm__json_node list = dsm__json_member(root, "devices");
  const size_t count = r->document.devices.count;
  if (!DSM__RESERVE(r->arena, r->devices, count) || !DSM__RESERVE(r->arena, r->uses, count) ||
      !DSM__RESERVE(r->arena, r->device_names.entries, count)) {
    dsm__json_set_out_of_memory(root->doc);
    return false;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t j = 0; j < count; j++, item = dsm__json_next(&item)) {
    take_device(r, &item, j);
  }
  r->instance->devices = r->devices;
  r->instance->device_count = r->device_names.count = count;
  dsm__name_index_sort(&r->device_names);
  return dsm__index_differs(&list, &r->device_names);
}

/* ---- tasks ---- */

static void take_task(reader *r, const dsm__json_node *item, size_t i) {
  const dsm__task_row *const row = (const dsm__task_row *)r->document.tasks.items + i;
  const dsm__placement_row *const only = row->placements.items;
  const dsm__json_node list = dsm__json_member(item, "placements");
  const dsm__json_node placement = dsm__json_item(&list, 0);
  const dsm__json_node name = dsm__json_member(&placement, "device");
  r->tasks[i] = (dsm_task){.name = row->name,
                           .group = row->group,
                           .weights_bytes = row->weights_bytes,
                           .output_bytes = row->output_bytes,
                           .result_bytes = row->result_bytes,
                           .input_bytes = row->input_bytes};
  if (r->partition->options.does_count_activations) {
    r->tasks[i].activation_bytes = number(item, "activation_bytes");
  }
  r->task_names.entries[i] = (dsm__name_entry){row->name, i};
  if (row->placements.count > 1) {
    dsm__json_error(&list, "partition again with --copies 1",
                    "expected tasks in one place each, found \"%s\" on %zu devices", row->name,
                    row->placements.count);
    return;
  }
  const size_t device = find(&name, only->device, &r->device_names, "device");
  if (device != SIZE_MAX) {
    const size_t place = i * r->instance->device_count + device;
    r->rates[place] = only->rate;
    r->seconds[place] = only->seconds;
    r->is_stored[place] = true;
  }
}

static bool reserve_tasks(reader *r, size_t count) {
  const size_t places = count * r->instance->device_count;
  return DSM__RESERVE(r->arena, r->tasks, count) && DSM__RESERVE(r->arena, r->seconds, places) &&
         DSM__RESERVE(r->arena, r->rates, places) && DSM__RESERVE(r->arena, r->is_stored, places) &&
         DSM__RESERVE(r->arena, r->task_names.entries, count);
}

static bool take_tasks(reader *r, const dsm__json_node *root) {
  const dsm__json_node list = dsm__json_member(root, "tasks");
  const size_t count = r->document.tasks.count;
  if (!reserve_tasks(r, count)) {
    dsm__json_set_out_of_memory(root->doc);
    return false;
  }
  for (size_t k = 0; k < count * r->instance->device_count; k++) {
    r->seconds[k] = HUGE_VAL;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    take_task(r, &item, i);
  }
  r->instance->task_count = r->task_names.count = count;
  dsm__name_index_sort(&r->task_names);
  return dsm__index_differs(&list, &r->task_names);
}

/* ---- tensors ---- */

static void take_users(reader *r, const dsm__json_node *item, const dsm__tensor_row *row,
                       dsm_tensor *tensor) {
  const dsm__json_node list = dsm__json_member(item, "used_by");
  size_t *users = NULL;
  if (!DSM__RESERVE(r->arena, users, row->user_count)) {
    dsm__json_set_out_of_memory(item->doc);
    return;
  }
  size_t before = tensor->producer;
  dsm__json_node name = dsm__json_item(&list, 0);
  for (size_t k = 0; k < row->user_count; k++, name = dsm__json_next(&name)) {
    const size_t task = find(&name, row->users[k], &r->task_names, "task");
    if (task != SIZE_MAX && task <= before) {
      dsm__json_error(&name, NULL, "expected tasks in order, each after \"%s\", found \"%s\"",
                      r->tasks[before].name, r->tasks[task].name);
      return;
    }
    users[k] = before = task == SIZE_MAX ? before : task;
  }
  tensor->consumers = users;
  tensor->consumer_count = row->user_count;
}

static void take_tensors(reader *r, const dsm__json_node *root) {
  const dsm__json_node list = dsm__json_member(root, "tensors");
  const dsm__tensor_row *const rows = r->document.tensors.items;
  const size_t count = r->document.tensors.count;
  if (!dsm__json_is_present(&list)) {
    dsm__json_error(&list, "partition again with --copies 1",
                    "expected the tensors between tasks, which plans with each task in one place "
                    "have, found none");
    return;
  }
  if (!DSM__RESERVE(r->arena, r->tensors, count + 1) ||
      !DSM__RESERVE(r->arena, r->sent,
                    (count + r->instance->task_count) * r->instance->device_count)) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t t = 0; t < count; t++, item = dsm__json_next(&item)) {
    const dsm__json_node task = dsm__json_member(&item, "task");
    const size_t producer = find(&task, rows[t].task, &r->task_names, "task");
    r->tensors[t] = (dsm_tensor){.producer = producer, .bytes = rows[t].bytes};
    if (producer != SIZE_MAX) {
      take_users(r, &item, &rows[t], &r->tensors[t]);
    }
  }
  r->instance->tensor_count = count;
}

/* ---- what follows ---- */

/* What leaves each device: a copy to each other device with a consumer, and results. */
static void count_sent(const reader *r) {
  const dsm_instance *const it = r->instance;
  for (size_t t = 0; t < it->tensor_count; t++) {
    const dsm_tensor *const tensor = &it->tensors[t];
    for (size_t j = 0; j < it->device_count; j++) {
      const double made = r->rates[tensor->producer * it->device_count + j];
      for (size_t to = 0; to < it->device_count && made > 0; to++) {
        bool is_needed = false;
        for (size_t k = 0; k < tensor->consumer_count; k++) {
          is_needed = is_needed || r->is_stored[tensor->consumers[k] * it->device_count + to];
        }
        const double bytes = is_needed && to != j ? made * dsm_instance_tensor_bytes(it, t, j) : 0;
        r->sent[t * it->device_count + j] += bytes;
        if (r->moved != NULL) {
          r->moved[(t * it->device_count + j) * it->device_count + to] = bytes;
        }
      }
    }
  }
  for (size_t i = 0; i < it->task_count; i++) {
    const bool leaves = dsm__leaves(it, &r->partition->options, i);
    for (size_t j = 0; j < it->device_count && leaves; j++) {
      r->sent[(it->tensor_count + i) * it->device_count + j] =
          r->rates[i * it->device_count + j] * dsm__result_bytes(it, i, j);
    }
  }
}

/* What is beside the lists. */
static void take_answer(reader *r, const dsm__json_node *root) {
  dsm_partition *const made = r->partition;
  const dsm__json_node options = dsm__json_member(root, "options");
  *made = r->document.of;
  r->instance->name = r->document.instance;
  r->instance->batch = r->document.batch;
  r->instance->element_bytes = r->document.element_bytes;
  r->instance->weight_bytes = r->document.weight_bytes;
  if (made->options.objective != DSM_OBJECTIVE_THROUGHPUT) { /* the least is best */
    made->bound = isinf(made->bound) ? -HUGE_VAL : made->bound;
    made->relaxation = isinf(made->relaxation) ? -HUGE_VAL : made->relaxation;
  }
  if (made->options.objective == DSM_OBJECTIVE_ENERGY) {
    made->options.required_rho = number(&options, "required_rho");
  }
  if (made->options.latency_limit_seconds > 0) {
    made->mean_latency_seconds = number(root, "mean_latency_seconds");
  }
}

/* Energy is not counted again, as the document has no watts; all else of such an answer is what it
 * would be if the rate were what was asked for. */
static dsm_partition without_energy(const dsm_partition *made) {
  dsm_partition plain = *made;
  if (made->options.objective == DSM_OBJECTIVE_ENERGY) {
    plain.options.objective = DSM_OBJECTIVE_THROUGHPUT;
    plain.objective = plain.bound = plain.relaxation = made->rho;
  }
  return plain;
}

/* Where who receives a tensor matters: of such a partition that is checked too. */
static bool have_targets(const dsm_instance *instance) {
  bool have = instance->port_count + instance->pair_count > 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    have = have || instance->devices[j].incoming_bytes_per_second > 0;
  }
  return have;
}

/* Hands over what was read, and checks it. */
static void check(reader *r, const dsm__json_node *root) {
  dsm_partition *const made = r->partition;
  r->instance->tasks = r->tasks;
  r->instance->tensors = r->tensors;
  r->instance->seconds = r->seconds;
  made->instance = r->instance;
  made->rates = r->rates;
  made->is_stored = r->is_stored;
  made->sent = r->sent;
  made->uses = r->uses;
  const size_t m = r->instance->device_count;
  if (have_targets(r->instance) &&
      !DSM__RESERVE(r->arena, r->moved, r->instance->tensor_count * m * m + 1)) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  made->moved = r->moved;
  count_sent(r);
  dsm_diags *const findings = dsm_diags_new(1);
  if (findings == NULL) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  const dsm_partition plain = without_energy(made);
  if (dsm_partition_validate(&plain, findings) != DSM_OK) {
    dsm__json_error(root, NULL, "expected a plan that keeps its constraints: %s",
                    dsm_diags_get(findings, 0)->message);
  }
  dsm_diags_free(findings);
}

void dsm__partition_read(void *made, const dsm__json_node *root) {
  reader r = {.partition = made, .arena = ((dsm_partition *)made)->arena};
  const dsm__record_reader how = {.arena = r.arena, .wanted = DSM__FIELD_IS_READ};
  r.document.of = *r.partition;
  if (!dsm__document_only(root, &dsm__partition_record) ||
      !dsm__record_read(&how, root, &dsm__partition_record, &r.document)) {
    return;
  }
  r.instance = dsm__arena_array(r.arena, 1, sizeof *r.instance);
  if (r.instance == NULL) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  take_answer(&r, root);
  if (!take_devices(&r, root) || !take_tasks(&r, root) ||
      dsm__json_doc_error_count(root->doc) > 0) {
    return;
  }
  dsm__instance_links_read(r.instance, root, r.arena);
  take_tensors(&r, root);
  if (dsm__json_doc_error_count(root->doc) == 0 && !dsm__json_doc_is_out_of_memory(root->doc)) {
    check(&r, root);
  }
}

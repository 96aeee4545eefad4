/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export_stages.c: what each device of a partition runs, receives and sends (format
 * "dsm-deployment/1").
 *
 * A device is a stage: a request comes to it once, with all that its tasks need from others, and
 * goes on with all that others need from them. So each task is in one place, and the devices have
 * an order in which each tensor that moves goes forward. It is found by taking, again and again,
 * the device whose inputs are all made by those before, of several the one with the first task.
 */
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "partition/answer/partition_record.h"
#include "partition/instance_facts.h"
#include "report/data/export_files.h"

/* ---- the tables ---- */

typedef struct received_row {
  size_t tensor;
  const char *task;
  const char *device;
  double bytes;
  const char *const *users;
  size_t user_count;
} received_row;

DSM__OWN_RECORD(received_record, received_row, true, "A tensor that comes from another stage.",
                DSM__FIELD(COUNT, received_row, tensor, "tensor", 0, .help = "Its number, from 0."),
                DSM__FIELD(TEXT, received_row, task, "task", 0, .help = "That makes it."),
                DSM__FIELD(TEXT, received_row, device, "from", 0, .help = "Where that runs."),
                DSM__REAL(received_row, bytes, "bytes", 0, "bytes", "Of a request."),
                DSM__FIELD(TEXT_LIST, received_row, users, "used_by", 0,
                           .count_offset = offsetof(received_row, user_count),
                           .help = "Tasks of this stage that need it."));

typedef struct sent_row {
  size_t tensor;
  const char *task;
  double bytes;
  const char *const *devices;
  size_t device_count;
} sent_row;

DSM__OWN_RECORD(sent_record, sent_row, true, "A tensor that other stages need.",
                DSM__FIELD(COUNT, sent_row, tensor, "tensor", 0, .help = "Its number, from 0."),
                DSM__FIELD(TEXT, sent_row, task, "task", 0, .help = "That makes it."),
                DSM__REAL(sent_row, bytes, "bytes", 0, "bytes",
                          "Of a request, to each of the devices."),
                DSM__FIELD(TEXT_LIST, sent_row, devices, "to", 0,
                           .count_offset = offsetof(sent_row, device_count),
                           .help = "Devices that need it, each once."));

typedef struct result_row {
  const char *task;
  double bytes;
} result_row;

DSM__OWN_RECORD(result_record, result_row, true, "What leaves the server.",
                DSM__FIELD(TEXT, result_row, task, "task", 0, .help = "That makes it."),
                DSM__REAL(result_row, bytes, "bytes", 0, "bytes", "Of a request."));

typedef struct ran_row {
  const char *name;
  double seconds;
  double weights_bytes;
} ran_row;

DSM__OWN_RECORD(ran_record, ran_row, true, "A task of a stage.",
                DSM__FIELD(TEXT, ran_row, name, "name", 0, .help = "Its name."),
                DSM__REAL(ran_row, seconds, "seconds", 0, "seconds", "Of a request."),
                DSM__REAL(ran_row, weights_bytes, "weights_bytes", 0, "bytes",
                          "Of its parameters."));

typedef struct stage_row {
  const char *device;
  size_t batch;
  double element_bytes; /* 0: the device has none of its own */
  double weight_bytes;
  double seconds;
  double weights_bytes;
  double received_bytes;
  double sent_bytes;
  dsm__rows tasks;
  dsm__rows receives;
  dsm__rows sends;
  dsm__rows results;
} stage_row;

DSM__OWN_RECORD(
    stage_record, stage_row, false, "What a device does for a request.",
    DSM__FIELD(TEXT, stage_row, device, "device", 0, .help = "That runs it."),
    DSM__FIELD(COUNT, stage_row, batch, "batch", DSM__UNLESS_1, .min = 1,
               .max = DSM_DEVICE_BATCH_MAX,
               .help = "Requests that it runs together; absent for one."),
    DSM__FIELD(REAL, stage_row, element_bytes, "element_bytes", DSM__UNLESS_0, .unit = "bytes",
               .help = "Of an element of what it makes; absent: the device has none of "
                       "its own."),
    DSM__FIELD(REAL, stage_row, weight_bytes, "weight_bytes", DSM__UNLESS_0, .unit = "bytes",
               .help = "Of a parameter; absent: likewise."),
    DSM__REAL(stage_row, seconds, "seconds", 0, "seconds", "Of its tasks together."),
    DSM__REAL(stage_row, weights_bytes, "weights_bytes", 0, "bytes",
              "Of the parameters that it holds."),
    DSM__REAL(stage_row, received_bytes, "received_bytes", 0, "bytes", "From other stages."),
    DSM__REAL(stage_row, sent_bytes, "sent_bytes", 0, "bytes",
              "To other stages, and results that leave."),
    DSM__ROWS(stage_row, tasks, "tasks", ran_record, "In an order in which they run."),
    DSM__ROWS(stage_row, receives, "receives", received_record,
              "Before its tasks that need it run."),
    DSM__ROWS(stage_row, sends, "sends", sent_record, "By number."),
    DSM__ROWS(stage_row, results, "results", result_record, "What no task of the network needs."));

typedef struct document {
  const char *instance;
  double rho;
  double latency_seconds;
  bool does_keep_results;
  dsm__rows stages;
} document;

DSM__DOCUMENT(dsm__deployment_record, document, "dsm-deployment/1",
              "A partition to be deployed, each device a stage, written by `dsm export --to "
              "stages`.",
              DSM__FIELD(TEXT, document, instance, "instance", 0, .help = "Name of the problem."),
              DSM__REAL(document, rho, "requests_per_second", 0, "1/s",
                        "That the stages can do, all at work at the same time."),
              DSM__REAL(document, latency_seconds, "latency_seconds", 0, "seconds",
                        "Of one request on the idle server."),
              DSM__FIELD(FLAG, document, does_keep_results, "keep_results", 0,
                         .help = "Results stay on the device that makes them."),
              DSM__ROWS(document, stages, "stages", stage_record,
                        "In an order in which a request passes them; devices without tasks are "
                        "left out."));

/* ---- where tasks are, and the order of the devices ---- */

typedef struct lister {
  const dsm_partition *partition;
  const dsm_instance *instance;
  dsm__page *page;
  size_t *device_of; /* [i] */
  bool *is_used;     /* [j] */
  bool *is_listed;   /* [j] */
} lister;

static bool reserve(lister *l) {
  dsm__arena *const arena = l->page->arena;
  return DSM__RESERVE(arena, l->device_of, l->instance->task_count) &&
         DSM__RESERVE(arena, l->is_used, l->instance->device_count) &&
         DSM__RESERVE(arena, l->is_listed, l->instance->device_count);
}

static dsm_status place(lister *l, dsm_diags *diags) {
  const dsm_instance *const it = l->instance;
  for (size_t i = 0; i < it->task_count; i++) {
    size_t copies = 0;
    for (size_t j = 0; j < it->device_count; j++) {
      if (l->partition->is_stored[i * it->device_count + j]) {
        l->device_of[i] = j;
        copies++;
      }
    }
    if (copies != 1) {
      dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){NULL, 0, 0, NULL},
                     "partition again with --copies 1",
                     "expected each task in one place, found \"%s\" on %zu devices",
                     it->tasks[i].name, copies);
      return DSM_ERROR_INFEASIBLE;
    }
    l->is_used[l->device_of[i]] = true;
  }
  return DSM_OK;
}

/* A tensor by which a device that is not listed yet feeds a device; tensor_count: none does. */
static size_t find_waited(const lister *l, size_t device) {
  const dsm_instance *const it = l->instance;
  for (size_t t = 0; t < it->tensor_count; t++) {
    const dsm_tensor *const tensor = &it->tensors[t];
    const size_t from = l->device_of[tensor->producer];
    for (size_t k = 0; k < tensor->consumer_count && from != device && !l->is_listed[from]; k++) {
      if (l->device_of[tensor->consumers[k]] == device) {
        return t;
      }
    }
  }
  return it->tensor_count;
}

/* The next stage: of the tasks in order the first whose device is not listed and waits for none. */
static size_t find_next(const lister *l) {
  const dsm_instance *const it = l->instance;
  for (size_t i = 0; i < it->task_count; i++) {
    const size_t device = l->device_of[i];
    bool is_first = !l->is_listed[device];
    for (size_t k = 0; k < i && is_first; k++) {
      is_first = l->device_of[k] != device;
    }
    if (is_first && find_waited(l, device) == it->tensor_count) {
      return device;
    }
  }
  return it->device_count;
}

/* Each device that is left waits for another that is left. Going back along what they wait for, a
 * device comes twice: it sends something that leads back to it. */
static dsm_status report_circle(const lister *l, dsm_diags *diags) {
  const dsm_instance *const it = l->instance;
  size_t device = 0;
  while (!l->is_used[device] || l->is_listed[device]) {
    device++;
  }
  for (size_t step = 0; step < it->device_count; step++) {
    device = l->device_of[it->tensors[find_waited(l, device)].producer];
  }
  const size_t in = find_waited(l, device);
  size_t from = l->device_of[it->tensors[in].producer];
  size_t out = in;
  while (from != device) {
    out = find_waited(l, from);
    from = l->device_of[it->tensors[out].producer];
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){NULL, 0, 0, NULL},
                 "partition again with --stages",
                 "device \"%s\" is no one stage: others need \"%s\" of it before it can run what "
                 "needs \"%s\"",
                 it->devices[device].name, it->tasks[it->tensors[out].producer].name,
                 it->tasks[it->tensors[in].producer].name);
  return DSM_ERROR_INFEASIBLE;
}

/* ---- a stage ---- */

/* The consumers of a tensor on a device. */
static dsm__rows users_on(const lister *l, const dsm_tensor *tensor, size_t device) {
  dsm__rows made = dsm__rows_make(l->page, tensor->consumer_count, sizeof(const char *));
  const char **const names = made.items;
  const size_t most = made.count;
  made.count = 0;
  for (size_t k = 0; k < most; k++) {
    if (l->device_of[tensor->consumers[k]] == device) {
      names[made.count++] = l->instance->tasks[tensor->consumers[k]].name;
    }
  }
  return made;
}

/* The other devices that need a tensor. */
static dsm__rows targets_of(const lister *l, const dsm_tensor *tensor) {
  dsm__rows made = dsm__rows_make(l->page, l->instance->device_count, sizeof(const char *));
  const char **const names = made.items;
  const size_t most = made.count;
  made.count = 0;
  for (size_t j = 0; j < most; j++) {
    bool is_target = false;
    for (size_t k = 0; k < tensor->consumer_count; k++) {
      is_target = is_target || l->device_of[tensor->consumers[k]] == j;
    }
    if (is_target && j != l->device_of[tensor->producer]) {
      names[made.count++] = l->instance->devices[j].name;
    }
  }
  return made;
}

static void add_tensors(const lister *l, size_t device, stage_row *stage) {
  const dsm_instance *const it = l->instance;
  stage->receives = dsm__rows_make(l->page, it->tensor_count, sizeof(received_row));
  stage->sends = dsm__rows_make(l->page, it->tensor_count, sizeof(sent_row));
  received_row *const receives = stage->receives.items;
  sent_row *const sends = stage->sends.items;
  stage->receives.count = stage->sends.count = 0;
  for (size_t t = 0; t < it->tensor_count && receives != NULL && sends != NULL; t++) {
    const dsm_tensor *const tensor = &it->tensors[t];
    const char *const task = it->tasks[tensor->producer].name;
    const size_t from = l->device_of[tensor->producer];
    const double bytes = dsm_instance_tensor_bytes(it, t, from);
    const dsm__rows names = from == device ? targets_of(l, tensor) : users_on(l, tensor, device);
    if (names.count > 0 && from == device) {
      stage->sent_bytes += bytes * (double)names.count;
      sends[stage->sends.count++] = (sent_row){t, task, bytes, names.items, names.count};
    } else if (names.count > 0) {
      stage->received_bytes += bytes;
      receives[stage->receives.count++] =
          (received_row){t, task, it->devices[from].name, bytes, names.items, names.count};
    }
  }
}

static void add_tasks(const lister *l, size_t device, stage_row *stage) {
  const dsm_instance *const it = l->instance;
  stage->tasks = dsm__rows_make(l->page, it->task_count, sizeof(ran_row));
  stage->results = dsm__rows_make(l->page, it->task_count, sizeof(result_row));
  ran_row *const tasks = stage->tasks.items;
  result_row *const results = stage->results.items;
  stage->tasks.count = stage->results.count = 0;
  for (size_t i = 0; i < it->task_count && tasks != NULL && results != NULL; i++) {
    const dsm_task *const task = &it->tasks[i];
    if (l->device_of[i] != device) {
      continue;
    }
    const double seconds = dsm_instance_seconds(it, i, device);
    const double weights = dsm_instance_weights_bytes(it, i, device);
    tasks[stage->tasks.count++] = (ran_row){task->name, seconds, weights};
    stage->seconds += seconds;
    stage->weights_bytes += weights;
    if (dsm__makes_results(it, i)) {
      const double bytes = dsm__result_bytes(it, i, device);
      results[stage->results.count++] = (result_row){task->name, bytes};
      stage->sent_bytes += l->partition->options.does_keep_results ? 0 : bytes;
    }
  }
}

static dsm_status list_stages(lister *l, document *made, dsm_diags *diags) {
  made->stages = dsm__rows_make(l->page, l->instance->device_count, sizeof(stage_row));
  stage_row *const stages = made->stages.items;
  size_t used = 0;
  for (size_t j = 0; j < l->instance->device_count; j++) {
    used += l->is_used[j] ? 1 : 0;
  }
  made->stages.count = 0;
  while (made->stages.count < used && stages != NULL) {
    const size_t device = find_next(l);
    if (device == l->instance->device_count) {
      return report_circle(l, diags);
    }
    l->is_listed[device] = true;
    stage_row *const stage = &stages[made->stages.count++];
    stage->device = l->instance->devices[device].name;
    stage->batch = l->instance->devices[device].batch;
    stage->element_bytes = l->instance->devices[device].element_bytes;
    stage->weight_bytes = l->instance->devices[device].weight_bytes;
    add_tasks(l, device, stage);
    add_tensors(l, device, stage);
  }
  return DSM_OK;
}

/* The document, malloc'ed, to be freed whatever the status. */
static dsm_status stage_lists(char **text, const dsm_partition *partition, dsm_diags *diags) {
  dsm__page page = dsm__page_begin((dsm_table_style){.width = 0});
  lister l = {.partition = partition, .instance = partition->instance, .page = &page};
  document made = {.instance = partition->instance->name,
                   .rho = partition->rho,
                   .latency_seconds = partition->latency_seconds,
                   .does_keep_results = partition->options.does_keep_results};
  dsm_status status = DSM_OK;
  if (page.out.failed || !reserve(&l)) {
    page.out.failed = true;
  } else {
    status = place(&l, diags);
  }
  if (status == DSM_OK && !page.out.failed) {
    status = list_stages(&l, &made, diags);
  }
  dsm__data_json(&page, &dsm__deployment_record, &made);
  *text = dsm__page_finish(&page);
  return status == DSM_OK && *text == NULL ? dsm__out_of_memory(diags) : status;
}

dsm_status dsm_export_partition(dsm_export **made, const dsm_partition *partition,
                                dsm_diags *diags) {
  *made = NULL;
  dsm_export *const out = DSM__ARENA_OWNER(dsm_export);
  char *text = NULL;
  dsm_status status =
      out == NULL ? dsm__out_of_memory(diags) : stage_lists(&text, partition, diags);
  if (status == DSM_OK && text != NULL) {
    status = dsm__export_add(out, "stages.json", text, strlen(text), diags);
  }
  free(text);
  return dsm__export_finish(made, out, status);
}

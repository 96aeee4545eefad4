/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition_read.c: a dsm-partition/1 read back, where each task is in one place.
 *
 * The answer and the instance that it is of are made again as far as the document says them: a task
 * has a time on the device that runs it and on no other. That is enough to check every constraint
 * and what the document says of itself, so a plan that was edited by hand is used only where it
 * still holds. What was proven of it, bound and relaxation, is taken as it stands.
 */
#include "report/data/partition_read.h"

#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "base/number_text.h"
#include "dsm/answer.h"
#include "partition/instance_facts.h"
#include "server/server_internal.h"

static const dsm__json_range any_size = {0, DBL_MAX, false};
static const dsm__json_range any_number = {-DBL_MAX, DBL_MAX, false};

typedef struct reader {
  dsm_partition *partition;
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

/* ---- values ---- */

/* A number that must be there; null is what stands for an infinite one. */
static double number(const dsm__json_node *object, const char *key, dsm__json_range range,
                     double infinite) {
  const dsm__json_node node = dsm__json_member(object, key);
  double value = infinite;
  if (dsm__json_require(&node, "a number, or null where it is infinite") &&
      !dsm__json_is_null(&node)) {
    (void)dsm__json_double(&node, range, &value);
  }
  return value;
}

static bool flag(const dsm__json_node *object, const char *key) {
  bool value = false;
  const dsm__json_node node = dsm__json_member(object, key);
  if (dsm__json_require(&node, "true or false")) {
    (void)dsm__json_bool(&node, &value);
  }
  return value;
}

static size_t word(const dsm__json_node *object, const char *key, const dsm__words *words) {
  size_t value = 0;
  const dsm__json_node node = dsm__json_member(object, key);
  if (dsm__json_require(&node, words->what)) {
    (void)dsm__json_enum(&node, words, &value);
  }
  return value;
}

/* The index that a name has; SIZE_MAX, and reported, if none has it. */
static size_t find(const dsm__json_node *node, const dsm__name_index *names, const char *what) {
  const char *const name = dsm__json_text(node);
  const size_t found = name == NULL ? SIZE_MAX : dsm__name_index_find(names, name);
  if (found == SIZE_MAX) {
    char text[128];
    dsm__json_error(node, NULL, "expected the name of a %s, found %s", what,
                    dsm__json_found(node, text, sizeof text));
  }
  return found;
}

/* ---- devices ---- */

/* A device's own bytes stand beside those that sizes are stated for. */
static void read_precision(const reader *r, const dsm__json_node *item,
                           dsm_instance_device *device) {
  dsm__json_optional_double(item, "element_bytes", any_size, 0, &device->element_bytes);
  dsm__json_optional_double(item, "weight_bytes", any_size, 0, &device->weight_bytes);
  if ((device->element_bytes > 0 && !(r->instance->element_bytes > 0)) ||
      (device->weight_bytes > 0 && !(r->instance->weight_bytes > 0))) {
    dsm__json_error(item, NULL,
                    "expected element_bytes and weight_bytes of the plan beside those of a device, "
                    "found none");
  }
}

static void read_device(reader *r, const dsm__json_node *item, size_t j) {
  const bool is_latency = r->partition->options.objective == DSM_OBJECTIVE_LATENCY;
  dsm_instance_device *const device = &r->devices[j];
  dsm_device_use *const use = &r->uses[j];
  (void)dsm__json_read_name(item, "the device's name", r->arena, &device->name);
  device->is_accelerator = flag(item, "accelerator");
  uint64_t batch = 1;
  dsm__json_optional_u64(item, "batch", 1, DSM_DEVICE_BATCH_MAX, 1, &batch);
  device->batch = (uint32_t)batch;
  read_precision(r, item, device);
  device->memory_bytes = number(item, "memory_capacity_bytes", any_size, HUGE_VAL);
  device->link_bytes_per_second =
      number(item, "link_capacity_bytes_per_second", any_size, HUGE_VAL);
  dsm__json_optional_double(item, "incoming_capacity_bytes_per_second", any_size, 0,
                            &device->incoming_bytes_per_second);
  dsm__json_optional_double(item, "transfer_seconds", any_size, 0, &device->transfer_seconds);
  use->time_fraction = number(item, "time_fraction", any_size, HUGE_VAL);
  dsm__json_optional_bool(item, "off", false, &use->is_off);
  use->memory_bytes = number(item, "memory_bytes", any_size, HUGE_VAL);
  use->memory_fraction = number(item, "memory_fraction", any_size, HUGE_VAL);
  use->link_bytes_per_second =
      number(item, is_latency ? "link_bytes" : "link_bytes_per_second", any_size, HUGE_VAL);
  use->link_fraction = number(item, "link_fraction", any_size, HUGE_VAL);
}

/* Names of items that were read, to be found by. */
static void note_name(dsm__name_index *names, const char *name, size_t index) {
  if (name != NULL) {
    names->entries[names->count++] = (dsm__name_entry){name, index};
  }
}

static bool read_devices(reader *r, const dsm__json_node *root) {
  const dsm__json_node list = dsm__json_member(root, "devices");
  size_t count = 0;
  if (!dsm__json_require(&list, "a list of devices") ||
      !dsm__json_array(&list, 1, DSM_DEVICES_MAX, &count)) {
    return false;
  }
  if (!DSM__RESERVE(r->arena, r->devices, count) || !DSM__RESERVE(r->arena, r->uses, count) ||
      !DSM__RESERVE(r->arena, r->device_names.entries, count)) {
    dsm__json_set_out_of_memory(root->doc);
    return false;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t j = 0; j < count; j++, item = dsm__json_next(&item)) {
    read_device(r, &item, j);
    note_name(&r->device_names, r->devices[j].name, j);
  }
  dsm__name_index_sort(&r->device_names);
  r->instance->device_count = count;
  return dsm__index_differs(&list, &r->device_names);
}

/* Ports and pairs, as a profile has them. */
static void read_links(reader *r, const dsm__json_node *root) {
  dsm_instance *const it = r->instance;
  dsm__named_devices names[DSM_DEVICES_MAX];
  for (size_t j = 0; j < it->device_count; j++) {
    names[j] = (dsm__named_devices){r->devices[j].name, (uint64_t)1 << j};
  }
  const dsm__links links =
      dsm__links_read(root, &dsm__profile_link_units, names, it->device_count, r->arena);
  it->ports = links.ports;
  it->port_count = links.port_count;
  it->pairs = links.pairs;
  it->pair_count = links.pair_count;
}

/* ---- tasks ---- */

static void read_placement(reader *r, const dsm__json_node *item, size_t task) {
  const dsm__json_node name = dsm__json_member(item, "device");
  if (!dsm__json_require(&name, "the device that runs the task")) {
    return;
  }
  const size_t device = find(&name, &r->device_names, "device");
  const double rate = number(item, "rate", any_size, HUGE_VAL);
  const double seconds = number(item, "seconds", any_size, HUGE_VAL);
  if (device != SIZE_MAX) {
    const size_t place = task * r->instance->device_count + device;
    r->rates[place] = rate;
    r->seconds[place] = seconds;
    r->is_stored[place] = true;
  }
}

static void read_task(reader *r, const dsm__json_node *item, size_t i) {
  dsm_task *const task = &r->tasks[i];
  (void)dsm__json_read_name(item, "the task's name", r->arena, &task->name);
  task->weights_bytes = number(item, "weights_bytes", any_size, HUGE_VAL);
  task->output_bytes = number(item, "output_bytes", any_size, HUGE_VAL);
  const dsm__json_node group = dsm__json_member(item, "group");
  if (dsm__json_is_present(&group)) {
    (void)dsm__json_name(&group, DSM_NAME_BYTES_MAX, r->arena, &task->group);
  }
  dsm__json_optional_double(item, "result_bytes", any_size, 0, &task->result_bytes);
  dsm__json_optional_double(item, "input_bytes", any_size, 0, &task->input_bytes);
  if (r->partition->options.does_count_activations) {
    task->activation_bytes = number(item, "activation_bytes", any_size, HUGE_VAL);
  }
  const dsm__json_node list = dsm__json_member(item, "placements");
  size_t count = 0;
  if (!dsm__json_require(&list, "the device that runs the task") ||
      !dsm__json_array(&list, 1, DSM_DEVICES_MAX, &count)) {
    return;
  }
  const dsm__json_node only = dsm__json_item(&list, 0);
  if (count > 1) {
    dsm__json_error(&list, "partition again with --copies 1",
                    "expected tasks in one place each, found \"%s\" on %zu devices",
                    task->name == NULL ? "" : task->name, count);
    return;
  }
  read_placement(r, &only, i);
}

static bool reserve_tasks(reader *r, size_t count) {
  const size_t places = count * r->instance->device_count;
  return DSM__RESERVE(r->arena, r->tasks, count) && DSM__RESERVE(r->arena, r->seconds, places) &&
         DSM__RESERVE(r->arena, r->rates, places) && DSM__RESERVE(r->arena, r->is_stored, places) &&
         DSM__RESERVE(r->arena, r->task_names.entries, count);
}

static bool read_tasks(reader *r, const dsm__json_node *root) {
  const dsm__json_node list = dsm__json_member(root, "tasks");
  size_t count = 0;
  if (!dsm__json_require(&list, "a list of tasks") ||
      !dsm__json_array(&list, 1, DSM_TASKS_MAX, &count)) {
    return false;
  }
  if (!reserve_tasks(r, count)) {
    dsm__json_set_out_of_memory(root->doc);
    return false;
  }
  for (size_t k = 0; k < count * r->instance->device_count; k++) {
    r->seconds[k] = HUGE_VAL;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    read_task(r, &item, i);
    note_name(&r->task_names, r->tasks[i].name, i);
  }
  dsm__name_index_sort(&r->task_names);
  r->instance->task_count = count;
  return dsm__index_differs(&list, &r->task_names);
}

/* ---- tensors ---- */

static void read_users(reader *r, const dsm__json_node *item, dsm_tensor *tensor) {
  const dsm__json_node list = dsm__json_member(item, "used_by");
  size_t count = 0;
  size_t *users = NULL;
  if (!dsm__json_require(&list, "the tasks that need it") ||
      !dsm__json_array(&list, 1, DSM_TASKS_MAX, &count)) {
    return;
  }
  if (!DSM__RESERVE(r->arena, users, count)) {
    dsm__json_set_out_of_memory(item->doc);
    return;
  }
  size_t before = tensor->producer;
  dsm__json_node name = dsm__json_item(&list, 0);
  for (size_t k = 0; k < count; k++, name = dsm__json_next(&name)) {
    const size_t task = find(&name, &r->task_names, "task");
    if (task != SIZE_MAX && task <= before) {
      dsm__json_error(&name, NULL, "expected tasks in order, each after \"%s\", found \"%s\"",
                      r->tasks[before].name, r->tasks[task].name);
      return;
    }
    users[k] = before = task == SIZE_MAX ? before : task;
  }
  tensor->consumers = users;
  tensor->consumer_count = count;
}

static void read_tensors(reader *r, const dsm__json_node *root) {
  const dsm__json_node list = dsm__json_member(root, "tensors");
  size_t count = 0;
  if (!dsm__json_is_present(&list)) {
    dsm__json_error(&list, "partition again with --copies 1",
                    "expected the tensors between tasks, which plans with each task in one place "
                    "have, found none");
    return;
  }
  if (!dsm__json_array(&list, 0, SIZE_MAX, &count)) {
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
    const size_t producer = dsm__json_require(&task, "the task that makes it")
                                ? find(&task, &r->task_names, "task")
                                : SIZE_MAX;
    r->tensors[t] = (dsm_tensor){.producer = producer == SIZE_MAX ? 0 : producer,
                                 .bytes = number(&item, "bytes", any_size, HUGE_VAL)};
    if (producer != SIZE_MAX) {
      read_users(r, &item, &r->tensors[t]);
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

static void read_options(dsm_partition_options *options, const dsm__json_node *root) {
  const dsm__json_node node = dsm__json_member(root, "options");
  if (!dsm__json_require(&node, "what was asked for")) {
    return;
  }
  uint64_t copies = 0;
  options->time_limit_seconds = number(&node, "time_limit_seconds", any_size, HUGE_VAL);
  options->gap = number(&node, "gap", any_size, HUGE_VAL);
  options->does_count_activations = flag(&node, "count_activations");
  options->does_keep_results = flag(&node, "keep_results");
  dsm__json_optional_bool(&node, "count_input", false, &options->does_count_input);
  dsm__json_optional_bool(&node, "unused_off", false, &options->is_unused_off);
  dsm__json_optional_u64(&node, "copies", 1, DSM_DEVICES_MAX, 0, &copies);
  options->copies_max = (size_t)copies;
  dsm__json_optional_bool(&node, "stages", false, &options->is_staged);
  uint64_t cuts = 0;
  dsm__json_optional_u64(&node, "cuts", 1, (uint64_t)DSM_TASKS_MAX * DSM_DEVICES_MAX, 0, &cuts);
  options->cuts_max = (size_t)cuts;
  dsm__json_optional_double(&node, "latency_limit_seconds", any_size, 0,
                            &options->latency_limit_seconds);
  if (options->objective == DSM_OBJECTIVE_ENERGY) {
    options->required_rho = number(&node, "required_rho", any_size, HUGE_VAL);
  }
}

static void read_answer(reader *r, const dsm__json_node *root) {
  dsm_partition *const made = r->partition;
  made->options.objective = (dsm_objective_kind)word(root, "objective", &dsm__objective_words);
  made->status = (dsm_solution_status)word(root, "status", &dsm__solution_status_words);
  const double none = made->options.objective == DSM_OBJECTIVE_THROUGHPUT ? HUGE_VAL : -HUGE_VAL;
  made->is_heuristic = flag(root, "heuristic");
  made->rho = number(root, "rho", any_size, HUGE_VAL);
  made->latency_seconds = number(root, "latency_seconds", any_size, HUGE_VAL);
  made->objective = number(root, "objective_value", any_size, HUGE_VAL);
  made->bound = number(root, "bound", any_number, none);
  made->relaxation = number(root, "relaxation", any_number, none);
  made->gap = number(root, "gap", any_size, HUGE_VAL);
  dsm__json_optional_double(root, "waiting_seconds", any_size, 0, &made->waiting_seconds);
  dsm__json_optional_double(root, "joules_per_request", any_size, 0, &made->joules_per_request);
  read_options(&made->options, root);
  if (made->options.latency_limit_seconds > 0) {
    made->mean_latency_seconds = number(root, "mean_latency_seconds", any_size, HUGE_VAL);
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
  r->instance->devices = r->devices;
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

static void read_partition(void *made, const dsm__json_node *root) {
  reader r = {.partition = made, .arena = ((dsm_partition *)made)->arena};
  const size_t errors_before = dsm__json_doc_error_count(root->doc);
  if (!dsm__partition_only(root)) {
    return;
  }
  r.instance = dsm__arena_array(r.arena, 1, sizeof *r.instance);
  if (r.instance == NULL) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  const dsm__json_node name = dsm__json_member(root, "instance");
  if (dsm__json_require(&name, "the name of the problem")) {
    (void)dsm__json_string(&name, 1, DSM_NAME_BYTES_MAX, r.arena, &r.instance->name);
  }
  dsm__json_optional_u64(root, "batch", 1, DSM_DIMENSION_MAX, 0, &r.instance->batch);
  dsm__json_optional_double(root, "element_bytes", any_size, 0, &r.instance->element_bytes);
  dsm__json_optional_double(root, "weight_bytes", any_size, 0, &r.instance->weight_bytes);
  read_answer(&r, root);
  if (!read_devices(&r, root) || !read_tasks(&r, root) ||
      dsm__json_doc_error_count(root->doc) > errors_before) {
    return;
  }
  read_links(&r, root);
  read_tensors(&r, root);
  if (dsm__json_doc_error_count(root->doc) == errors_before &&
      !dsm__json_doc_is_out_of_memory(root->doc)) {
    check(&r, root);
  }
}

dsm_status dsm_partition_parse(dsm_partition **partition, const char *text, size_t length,
                               const char *file, dsm_diags *diags) {
  const dsm__json_input input = {text, length, file, NULL, 0};
  dsm_partition *const made = DSM__ARENA_OWNER(dsm_partition);
  const dsm_status status = dsm__json_doc_read(&input, diags, read_partition, made);
  *partition = status == DSM_OK ? made : NULL;
  if (status != DSM_OK) {
    dsm_partition_free(made);
  }
  return status;
}

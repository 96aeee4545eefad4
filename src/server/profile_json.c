/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile_json.c: the format "dsm-profile/1". */
#include "server/server_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/diag_add.h"
#include "base/words.h"
#include "dsm/file.h"
#include "plan/plan_internal.h"
#include "server/instance_internal.h"
#include "workload/name_index.h"

/* What is being read. */
typedef struct profile_reader {
  dsm_instance *instance;
  const char **device_names;
  const char **task_names;
  dsm_task *tasks;
  double *ratios; /* of each device: its times over what its list says */
  double *seconds;
  dsm_batch_table *tables; /* NULL: none yet */
  size_t task_count;
  dsm__name_index names; /* of tasks */
  dsm__use *uses;
  size_t use_count;
  size_t *last_users; /* of each task: the last that was found to need it, + 1 */
  bool *has_tensors;  /* of each task: it says who needs what it sends */
  size_t *senders;    /* of each task: the number of the last tensor that says it needs it, + 1 */
  size_t tensor_count;
} profile_reader;

DSM__OBJECT(dsm__profile_device_object, "device", {.name = "name"}, {.name = "accelerator"},
            {.name = "source"}, {.name = "memory_bytes"}, {.name = "link_bytes_per_second"},
            {.name = "incoming_bytes_per_second"}, {.name = "transfer_seconds"},
            {.name = "element_bytes"}, {.name = "weight_bytes"}, {.name = "seconds_ratio"},
            {.name = "power"});

/* A device's own bytes are held against those that the profile's sizes are stated for. */
static void read_precision(const dsm_instance *instance, const dsm__json_node *item,
                           dsm_instance_device *device) {
  const dsm__precision_keys keys = dsm__precision_read(item);
  device->element_bytes = keys.element_bytes;
  device->weight_bytes = keys.weight_bytes;
  if (keys.element_bytes > 0 && !(instance->element_bytes > 0)) {
    const dsm__json_node node = dsm__json_member(item, "element_bytes");
    dsm__json_error(&node, NULL,
                    "expected element_bytes of the profile, that its sizes are stated for, beside "
                    "those of a device, found none");
  } else if (keys.weight_bytes > 0 && !(instance->weight_bytes > 0)) {
    const dsm__json_node node = dsm__json_member(item, "weight_bytes");
    dsm__json_error(&node, NULL,
                    "expected weight_bytes of the profile, that its sizes are stated for, beside "
                    "those of a device, found none");
  }
}

static void read_device(profile_reader *reader, const dsm__json_node *item, size_t index,
                        dsm_instance_device *device) {
  if (!dsm__object_only(item, &dsm__profile_device_object, 0)) {
    return;
  }
  dsm__arena *const arena = reader->instance->arena;
  if (dsm__json_read_name(item, "the device's name", arena, &device->name)) {
    reader->device_names[index] = device->name;
  }
  const char *text = NULL;
  dsm__json_read_source(item, arena, &text);
  dsm__json_optional_bool(item, "accelerator", true, &device->is_accelerator);
  dsm__json_optional_double(item, "memory_bytes", dsm__capacity_range, HUGE_VAL,
                            &device->memory_bytes);
  dsm__json_optional_double(item, "link_bytes_per_second", dsm__capacity_range, HUGE_VAL,
                            &device->link_bytes_per_second);
  dsm__json_optional_double(item, "incoming_bytes_per_second", dsm__capacity_range, 0,
                            &device->incoming_bytes_per_second);
  device->transfer_seconds = dsm__transfer_read(&dsm__profile_link_units, item);
  read_precision(reader->instance, item, device);
  dsm__json_optional_double(item, "seconds_ratio", dsm__seconds_ratio_range, 1,
                            &reader->ratios[index]);
  const dsm__power power = dsm__power_read(item);
  device->has_power = power.is_given;
  device->busy_watts = power.busy_watts;
  device->idle_watts = power.idle_watts;
}

static bool read_devices(profile_reader *reader, const dsm__json_node *list) {
  size_t count = 0;
  if (!dsm__json_require(list, "a list of devices") ||
      !dsm__json_array(list, 1, DSM_DEVICES_MAX, &count)) {
    return false;
  }
  dsm__arena *const arena = reader->instance->arena;
  dsm_instance_device *const devices = dsm__arena_array(arena, count, sizeof *devices);
  reader->device_names = dsm__arena_array(arena, count, sizeof *reader->device_names);
  reader->ratios = dsm__arena_array(arena, count, sizeof *reader->ratios);
  if (devices == NULL || reader->device_names == NULL || reader->ratios == NULL) {
    dsm__json_set_out_of_memory(list->doc);
    return false;
  }
  const size_t errors_before = dsm__json_doc_error_count(list->doc);
  dsm__json_node item = dsm__json_item(list, 0);
  for (size_t j = 0; j < count; j++, item = dsm__json_next(&item)) {
    read_device(reader, &item, j, &devices[j]);
  }
  reader->instance->devices = devices;
  reader->instance->device_count = count;
  return dsm__names_differ(list, reader->device_names, count, arena) &&
         dsm__json_doc_error_count(list->doc) == errors_before;
}

static void read_links(profile_reader *reader, const dsm__json_node *root) {
  dsm_instance *const instance = reader->instance;
  dsm__named_devices names[DSM_DEVICES_MAX];
  for (size_t j = 0; j < instance->device_count; j++) {
    names[j] = (dsm__named_devices){instance->devices[j].name, (uint64_t)1 << j};
  }
  const dsm__links links = dsm__links_read(root, &dsm__profile_link_units, names,
                                           instance->device_count, instance->arena);
  instance->ports = links.ports;
  instance->port_count = links.port_count;
  instance->pairs = links.pairs;
  instance->pair_count = links.pair_count;
}

/* One of a table's times, [size, seconds]. */
static bool read_batch_time(const dsm__json_node *item, double ratio, dsm_batch_time *time,
                            uint64_t above) {
  size_t count = 0;
  uint64_t size = 0;
  if (!dsm__json_array(item, 2, 2, &count)) {
    return false;
  }
  const dsm__json_node first = dsm__json_item(item, 0);
  const dsm__json_node second = dsm__json_item(item, 1);
  const bool is_size = dsm__json_u64(&first, 1, DSM_DEVICE_BATCH_MAX, &size);
  const bool is_time = dsm__json_double(
      &second, (dsm__json_range){DSM__SECONDS_MIN, DSM__SECONDS_MAX, false}, &time->seconds);
  if (is_size && size <= above) {
    dsm__json_error(&first, NULL, "expected batches by rising size, above %llu, found %llu",
                    (unsigned long long)above, (unsigned long long)size);
    return false;
  }
  time->size = (uint32_t)size;
  time->seconds *= ratio;
  if (is_time && (time->seconds < DSM__SECONDS_MIN || time->seconds > DSM__SECONDS_MAX)) {
    dsm__json_error(&second, NULL,
                    "expected a time of 1e-12 to 1e9 s"
                    " with the device's seconds_ratio, found %.6g s",
                    time->seconds);
    return false;
  }
  return is_size && is_time;
}

/* A time, null, or times over the size of the batch; the task's own is then that of the first. */
static void read_time(profile_reader *reader, const dsm__json_node *node, size_t place) {
  dsm_instance *const instance = reader->instance;
  const double ratio = reader->ratios[place % instance->device_count];
  dsm_batch_time *times = NULL;
  size_t count = 0;
  if (!dsm__json_is_list(node)) {
    dsm__seconds_read(node, &reader->seconds[place]);
    reader->seconds[place] *= ratio;
    return;
  }
  if (!dsm__json_array(node, 1, DSM_BATCH_TIMES_MAX, &count)) {
    return;
  }
  if (!DSM__RESERVE(instance->arena, times, count) ||
      (reader->tables == NULL && !DSM__RESERVE(instance->arena, reader->tables,
                                               reader->task_count * instance->device_count))) {
    dsm__json_set_out_of_memory(node->doc);
    return;
  }
  dsm__json_node item = dsm__json_item(node, 0);
  for (size_t k = 0; k < count; k++, item = dsm__json_next(&item)) {
    if (!read_batch_time(&item, ratio, &times[k], k == 0 ? 0 : times[k - 1].size)) {
      return;
    }
  }
  reader->tables[place] = (dsm_batch_table){times, count};
  reader->seconds[place] = times[0].seconds / times[0].size;
}

static void read_seconds(profile_reader *reader, const dsm__json_node *item, size_t task) {
  const dsm__json_node node = dsm__json_member(item, "seconds");
  if (!dsm__json_require(&node, "an object with a time, or null, for each device") ||
      !dsm__json_object_only(&node, reader->device_names, reader->instance->device_count)) {
    return;
  }
  for (size_t j = 0; j < reader->instance->device_count; j++) {
    const dsm__json_node time = dsm__json_member(&node, reader->device_names[j]);
    if (dsm__json_require(&time, "seconds, or null where the task cannot run")) {
      read_time(reader, &time, task * reader->instance->device_count + j);
    }
  }
}

DSM__OBJECT(dsm__task_object, "task", {.name = "name"}, {.name = "weights_bytes"},
            {.name = "activation_bytes"}, {.name = "input_bytes"}, {.name = "output_bytes"},
            {.name = "result_bytes"}, {.name = "inputs"}, {.name = "tensors"}, {.name = "group"},
            {.name = "seconds"});

DSM__OBJECT(dsm__profile_tensor_object, "tensor", {.name = "bytes"}, {.name = "used_by"});

static void read_task(profile_reader *reader, const dsm__json_node *item, size_t index) {
  if (!dsm__object_only(item, &dsm__task_object, 0)) {
    return;
  }
  dsm_task *const task = &reader->tasks[index];
  if (dsm__json_read_name(item, "the task's name", reader->instance->arena, &task->name)) {
    reader->task_names[index] = task->name;
  }
  dsm__json_required_double_or_zero(item, "weights_bytes", "the size of the task's parameters",
                                    dsm__bytes_range, &task->weights_bytes);
  dsm__json_required_double_or_zero(item, "output_bytes", "the size of the task's output",
                                    dsm__bytes_range, &task->output_bytes);
  const dsm__json_node activations = dsm__json_member(item, "activation_bytes");
  if (dsm__json_is_present(&activations)) {
    dsm__json_double_or_zero(&activations, dsm__bytes_range, &task->activation_bytes);
  }
  const dsm__json_node input = dsm__json_member(item, "input_bytes");
  if (dsm__json_is_present(&input)) {
    dsm__json_double_or_zero(&input, dsm__bytes_range, &task->input_bytes);
  }
  const dsm__json_node results = dsm__json_member(item, "result_bytes");
  if (dsm__json_is_present(&results)) {
    dsm__json_double_or_zero(&results, dsm__bytes_range, &task->result_bytes);
  }
  reader->has_tensors[index] = dsm__json_has(item, "tensors");
  const dsm__json_node group = dsm__json_member(item, "group");
  if (dsm__json_is_present(&group)) {
    dsm__json_name(&group, DSM_NAME_BYTES_MAX, reader->instance->arena, &task->group);
  }
  read_seconds(reader, item, index);
}

/* The task that an item of `inputs` names, or SIZE_MAX. */
static size_t find_input(const profile_reader *reader, const dsm__json_node *item) {
  const char *const name = dsm__json_text(item);
  if (name == NULL) {
    const char *none = NULL;
    dsm__json_string(item, 1, DSM_NAME_BYTES_MAX, reader->instance->arena, &none);
    return SIZE_MAX;
  }
  const size_t found = dsm__name_index_find(&reader->names, name);
  if (found == SIZE_MAX) {
    char hint[256] = "";
    if (dsm__json_doc_keeps_findings(item->doc)) {
      (void)dsm__nearest_hint(name, reader->task_names, reader->task_count, hint, sizeof hint);
    }
    dsm__json_error(item, hint, "expected the name of a task, found \"%s\"", name);
  }
  return found;
}

static void add_use(profile_reader *reader, size_t producer, size_t consumer) {
  reader->last_users[producer] = consumer + 1;
  reader->uses[reader->use_count++] =
      (dsm__use){producer, 0, consumer, reader->tasks[producer].output_bytes};
}

static void read_inputs(profile_reader *reader, const dsm__json_node *item, size_t index) {
  const dsm__json_node list = dsm__json_member(item, "inputs");
  size_t count = 0;
  if (!dsm__json_is_present(&list)) {
    if (index > 0 && !reader->has_tensors[index - 1]) {
      add_use(reader, index - 1, index);
    }
    return;
  }
  if (!dsm__json_array(&list, 0, DSM_TASKS_MAX, &count)) {
    return;
  }
  dsm__json_node input = dsm__json_item(&list, 0);
  for (size_t k = 0; k < count; k++, input = dsm__json_next(&input)) {
    const size_t producer = find_input(reader, &input);
    if (producer != SIZE_MAX && reader->last_users[producer] == index + 1) {
      dsm__json_error(&input, NULL, "expected each input once, found \"%s\" again",
                      reader->tasks[producer].name);
    } else if (producer == index) {
      dsm__json_error(&input, NULL, "expected another task, found \"%s\" itself",
                      reader->tasks[producer].name);
    } else if (producer != SIZE_MAX && reader->has_tensors[producer]) {
      dsm__json_error(&input, NULL,
                      "expected a task that sends its output, found \"%s\", whose tensors say who "
                      "needs them",
                      reader->tasks[producer].name);
    } else if (producer != SIZE_MAX) {
      add_use(reader, producer, index);
    }
  }
}

/* The tasks that need a tensor. */
static void read_users(profile_reader *reader, const dsm__json_node *item, size_t producer,
                       double bytes) {
  const dsm__json_node list = dsm__json_member(item, "used_by");
  const size_t tensor = reader->tensor_count++;
  size_t count = 0;
  if (!dsm__json_require(&list, "the tasks that need it") ||
      !dsm__json_array(&list, 1, DSM_TASKS_MAX, &count)) {
    return;
  }
  dsm__json_node name = dsm__json_item(&list, 0);
  for (size_t k = 0; k < count; k++, name = dsm__json_next(&name)) {
    const size_t user = find_input(reader, &name);
    if (user != SIZE_MAX && reader->senders[user] == tensor + 1) {
      dsm__json_error(&name, NULL, "expected each task once, found \"%s\" again",
                      reader->tasks[user].name);
    } else if (user == producer) {
      dsm__json_error(&name, NULL, "expected another task, found \"%s\" itself",
                      reader->tasks[user].name);
    } else if (user != SIZE_MAX) {
      reader->senders[user] = tensor + 1;
      reader->uses[reader->use_count++] = (dsm__use){producer, tensor, user, bytes};
    }
  }
}

static void read_tensors(profile_reader *reader, const dsm__json_node *item, size_t index) {
  const dsm__json_node list = dsm__json_member(item, "tensors");
  size_t count = 0;
  if (!dsm__json_is_present(&list) || !dsm__json_array(&list, 1, DSM_TASKS_MAX, &count)) {
    return;
  }
  dsm__json_node tensor = dsm__json_item(&list, 0);
  for (size_t k = 0; k < count; k++, tensor = dsm__json_next(&tensor)) {
    double bytes = 0;
    if (dsm__object_only(&tensor, &dsm__profile_tensor_object, 0) &&
        dsm__json_required_double_or_zero(&tensor, "bytes", "the size of the tensor",
                                          dsm__bytes_range, &bytes)) {
      read_users(reader, &tensor, index, bytes);
    }
  }
}

static size_t count_items(const dsm__json_node *list) {
  size_t count = 0;
  dsm__json_node item = dsm__json_item(list, 0);
  for (; dsm__json_is_present(&item); item = dsm__json_next(&item)) {
    count++;
  }
  return count;
}

/* How many uses there can be. */
static size_t count_uses(const dsm__json_node *list, size_t task_count) {
  size_t most = 0;
  dsm__json_node item = dsm__json_item(list, 0);
  for (size_t i = 0; i < task_count; i++, item = dsm__json_next(&item)) {
    const dsm__json_node inputs = dsm__json_member(&item, "inputs");
    const dsm__json_node tensors = dsm__json_member(&item, "tensors");
    dsm__json_node tensor = dsm__json_item(&tensors, 0);
    most += 1 + count_items(&inputs);
    for (; dsm__json_is_present(&tensor); tensor = dsm__json_next(&tensor)) {
      const dsm__json_node users = dsm__json_member(&tensor, "used_by");
      most += count_items(&users);
    }
  }
  return most;
}

static bool make_room(profile_reader *reader, const dsm__json_node *list) {
  dsm__arena *const arena = reader->instance->arena;
  const size_t count = reader->task_count;
  reader->tasks = dsm__instance_tasks(reader->instance, count, &reader->seconds);
  return reader->tasks != NULL && DSM__RESERVE(arena, reader->task_names, count) &&
         DSM__RESERVE(arena, reader->last_users, count) &&
         DSM__RESERVE(arena, reader->has_tensors, count) &&
         DSM__RESERVE(arena, reader->senders, count) &&
         DSM__RESERVE(arena, reader->names.entries, count) &&
         DSM__RESERVE(arena, reader->uses, count_uses(list, count));
}

/* Reads the tasks, then what holds between them. */
static void read_tasks(profile_reader *reader, const dsm__json_node *list) {
  if (!dsm__json_require(list, "a list of tasks") ||
      !dsm__json_array(list, 1, DSM_TASKS_MAX, &reader->task_count)) {
    return;
  }
  if (!make_room(reader, list)) {
    dsm__json_set_out_of_memory(list->doc);
    return;
  }
  dsm__json_node item = dsm__json_item(list, 0);
  for (size_t i = 0; i < reader->task_count; i++, item = dsm__json_next(&item)) {
    read_task(reader, &item, i);
    if (reader->tasks[i].name != NULL) {
      reader->names.entries[reader->names.count++] = (dsm__name_entry){reader->tasks[i].name, i};
    }
  }
  dsm__name_index_sort(&reader->names);
  if (!dsm__names_differ(list, reader->task_names, reader->task_count, reader->instance->arena)) {
    return;
  }
  item = dsm__json_item(list, 0);
  for (size_t i = 0; i < reader->task_count; i++, item = dsm__json_next(&item)) {
    read_inputs(reader, &item, i);
    read_tensors(reader, &item, i);
  }
}

static void arrange(profile_reader *reader, const dsm__json_node *list) {
  reader->instance->tasks = reader->tasks;
  reader->instance->task_count = reader->task_count;
  reader->instance->seconds = reader->seconds;
  reader->instance->tables = reader->tables;
  dsm__circle circle;
  if (!dsm__instance_arrange(reader->instance, reader->uses, reader->use_count, &circle)) {
    dsm__json_set_out_of_memory(list->doc);
    return;
  }
  if (circle.count > 0) {
    const dsm__json_node item = dsm__json_item(list, circle.tasks[0]);
    const dsm__json_node inputs = dsm__json_member(&item, "inputs");
    const char *const words = dsm__circle_text(&circle, reader->tasks, reader->instance->arena);
    if (words == NULL) {
      dsm__json_set_out_of_memory(list->doc);
      return;
    }
    dsm__json_error(&inputs, NULL, "expected tasks that can run one after the other, found that %s",
                    words);
  }
}

DSM__OBJECT(dsm__profile_object, "profile", {.name = "format"}, {.name = "name"},
            {.name = "source"}, {.name = "element_bytes"}, {.name = "weight_bytes"},
            {.name = "tasks"}, {.name = "devices"}, {.name = "ports"}, {.name = "pairs"});

void dsm__profile_read(dsm_instance *instance, const dsm__json_node *root) {
  const size_t errors_before = dsm__json_doc_error_count(root->doc);
  if (!dsm__json_format(root, "dsm-profile/1") ||
      !dsm__object_only(root, &dsm__profile_object, 0)) {
    return;
  }
  profile_reader reader = {.instance = instance};
  const char *source_text = NULL;
  dsm__json_read_name(root, "the profile's name", instance->arena, &instance->name);
  dsm__json_read_source(root, instance->arena, &source_text);
  const dsm__precision_keys precision = dsm__precision_read(root);
  instance->element_bytes = precision.element_bytes;
  instance->weight_bytes = precision.weight_bytes;
  const dsm__json_node devices = dsm__json_member(root, "devices");
  const dsm__json_node tasks = dsm__json_member(root, "tasks");
  if (!read_devices(&reader, &devices)) {
    return; /* times cannot be read without the devices' names */
  }
  read_links(&reader, root);
  read_tasks(&reader, &tasks);
  if (reader.tasks != NULL && dsm__json_doc_error_count(root->doc) == errors_before &&
      !dsm__json_doc_is_out_of_memory(root->doc)) {
    arrange(&reader, &tasks);
  }
}

static void read_document(void *made, const dsm__json_node *root) {
  if (dsm__is_planner_graph(root)) {
    dsm__planner_read(made, root);
  } else {
    dsm__profile_read(made, root);
  }
}

dsm_status dsm_profile_parse(dsm_instance **instance, const char *text, size_t length,
                             const char *file, const dsm_instance_options *options,
                             dsm_diags *diags) {
  dsm_instance_options defaults;
  dsm_instance_options_init(&defaults);
  options = options == NULL ? &defaults : options;
  const dsm__json_input input = {text, length, file, options->overrides, options->override_count};
  dsm_instance *const made = dsm__instance_new();
  dsm_status status = dsm__json_doc_read(&input, diags, read_document, made);
  if (status == DSM_OK) {
    status = dsm__instance_place(made, options, diags);
  }
  if (status == DSM_OK) {
    status = dsm__instance_set_batches(made, options, file, diags);
  }
  if (status == DSM_OK) {
    status = dsm__instance_join(made, options->task_count, NULL, NULL)
                 ? dsm__instance_check(made, file, diags)
                 : dsm__out_of_memory(diags);
  }
  *instance = status == DSM_OK ? made : NULL;
  if (status != DSM_OK) {
    dsm_instance_free(made);
  }
  return status;
}

dsm_status dsm_profile_load(dsm_instance **instance, const char *path,
                            const dsm_instance_options *options, dsm_diags *diags) {
  *instance = NULL;
  char *text = NULL;
  size_t length = 0;
  dsm_status status = dsm_file_read(&text, &length, path, diags);
  if (status == DSM_OK) {
    status = dsm_profile_parse(instance, text, length, path, options, diags);
  }
  free(text);
  return status;
}

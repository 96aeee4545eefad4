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
#include "server/profile_record.h"
#include "workload/name_index.h"

/* What is being read. */
typedef struct profile_reader {
  dsm_instance *instance;
  dsm__profile document;
  const char **device_names;
  const char **task_names;
  dsm_task *tasks;
  double *seconds;
  dsm_batch_table *tables; /* NULL: none yet */
  dsm__name_index names;   /* of tasks */
  dsm__use *uses;
  size_t use_count;
  size_t *last_users; /* of each task: the last that was found to need it, + 1 */
  size_t *senders;    /* of each task: the number of the last tensor that says it needs it, + 1 */
  size_t tensor_count;
} profile_reader;

/* A device's own bytes are held against those that the profile's sizes are stated for. */
static void check_precision(const dsm_instance *instance, const dsm__json_node *item,
                            const dsm_instance_device *device) {
  const bool is_of_elements = device->element_bytes > 0 && !(instance->element_bytes > 0);
  const char *const key = is_of_elements ? "element_bytes" : "weight_bytes";
  const dsm__json_node node = dsm__json_member(item, key);
  if (is_of_elements || (device->weight_bytes > 0 && !(instance->weight_bytes > 0))) {
    dsm__json_error(&node, NULL,
                    "expected %s of the profile, that its sizes are stated for, beside those of a "
                    "device, found none",
                    key);
  }
}

static void take_device(profile_reader *reader, const dsm__json_node *item, size_t index,
                        dsm_instance_device *device) {
  const dsm__json_node power = dsm__json_member(item, "power");
  *device = reader->document.devices[index].of;
  reader->device_names[index] = device->name;
  if (!(device->weight_bytes > 0)) {
    device->weight_bytes = device->element_bytes;
  }
  check_precision(reader->instance, item, device);
  device->has_power = device->busy_watts > 0;
  dsm__power_check(&power, device->busy_watts, device->idle_watts);
}

/* False where tasks cannot be read, as their times stand at the devices' names. */
static bool take_devices(profile_reader *reader, const dsm__json_node *list) {
  const size_t count = reader->document.device_count;
  dsm__arena *const arena = reader->instance->arena;
  dsm_instance_device *devices = NULL;
  if (!DSM__RESERVE(arena, devices, count) || !DSM__RESERVE(arena, reader->device_names, count)) {
    dsm__json_set_out_of_memory(list->doc);
    return false;
  }
  bool are_named = count > 0;
  dsm__json_node item = dsm__json_item(list, 0);
  for (size_t j = 0; j < count; j++, item = dsm__json_next(&item)) {
    take_device(reader, &item, j, &devices[j]);
    are_named = are_named && devices[j].name != NULL;
  }
  reader->instance->devices = devices;
  reader->instance->device_count = count;
  return dsm__names_differ(list, reader->device_names, count, arena) && are_named;
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
  const double ratio = reader->document.devices[place % instance->device_count].seconds_ratio;
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
  if (dsm__json_lacks_memory(
          node->doc, !DSM__RESERVE(instance->arena, times, count) ||
                         (reader->tables == NULL &&
                          !DSM__RESERVE(instance->arena, reader->tables,
                                        reader->document.task_count * instance->device_count)))) {
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

/* The task of a name that stands in a list, or SIZE_MAX. */
static size_t find_task(const profile_reader *reader, const dsm__json_node *item,
                        const char *name) {
  const size_t found = dsm__name_index_find(&reader->names, name);
  if (found == SIZE_MAX) {
    char hint[256] = "";
    if (dsm__json_doc_keeps_findings(item->doc)) {
      (void)dsm__nearest_hint(name, reader->task_names, reader->document.task_count, hint,
                              sizeof hint);
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

static void take_inputs(profile_reader *reader, const dsm__json_node *item, size_t index) {
  const dsm__profile_task *const rows = reader->document.tasks;
  const dsm__json_node list = dsm__json_member(item, "inputs");
  if (!dsm__json_is_present(&list)) {
    if (index > 0 && rows[index - 1].tensor_count == 0) {
      add_use(reader, index - 1, index);
    }
    return;
  }
  dsm__json_node input = dsm__json_item(&list, 0);
  for (size_t k = 0; k < rows[index].input_count; k++, input = dsm__json_next(&input)) {
    const size_t producer = find_task(reader, &input, rows[index].inputs[k]);
    if (producer != SIZE_MAX && reader->last_users[producer] == index + 1) {
      dsm__json_error(&input, NULL, "expected each input once, found \"%s\" again",
                      reader->tasks[producer].name);
    } else if (producer == index) {
      dsm__json_error(&input, NULL, "expected another task, found \"%s\" itself",
                      reader->tasks[producer].name);
    } else if (producer != SIZE_MAX && rows[producer].tensor_count > 0) {
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
static void take_users(profile_reader *reader, const dsm__json_node *item, size_t producer,
                       const dsm__profile_tensor *of) {
  const dsm__json_node list = dsm__json_member(item, "used_by");
  const size_t tensor = reader->tensor_count++;
  dsm__json_node name = dsm__json_item(&list, 0);
  for (size_t k = 0; k < of->user_count; k++, name = dsm__json_next(&name)) {
    const size_t user = find_task(reader, &name, of->users[k]);
    if (user != SIZE_MAX && reader->senders[user] == tensor + 1) {
      dsm__json_error(&name, NULL, "expected each task once, found \"%s\" again",
                      reader->tasks[user].name);
    } else if (user == producer) {
      dsm__json_error(&name, NULL, "expected another task, found \"%s\" itself",
                      reader->tasks[user].name);
    } else if (user != SIZE_MAX) {
      reader->senders[user] = tensor + 1;
      reader->uses[reader->use_count++] = (dsm__use){producer, tensor, user, of->bytes};
    }
  }
}

static void take_tensors(profile_reader *reader, const dsm__json_node *item, size_t index) {
  const dsm__profile_task *const row = &reader->document.tasks[index];
  const dsm__json_node list = dsm__json_member(item, "tensors");
  dsm__json_node tensor = dsm__json_item(&list, 0);
  for (size_t k = 0; k < row->tensor_count; k++, tensor = dsm__json_next(&tensor)) {
    take_users(reader, &tensor, index, &row->tensors[k]);
  }
}

/* How many uses there can be. */
static size_t count_uses(const dsm__profile *document) {
  size_t most = document->task_count;
  for (size_t i = 0; i < document->task_count; i++) {
    most += document->tasks[i].input_count;
    for (size_t t = 0; t < document->tasks[i].tensor_count; t++) {
      most += document->tasks[i].tensors[t].user_count;
    }
  }
  return most;
}

static bool make_room(profile_reader *reader) {
  dsm__arena *const arena = reader->instance->arena;
  const size_t count = reader->document.task_count;
  reader->tasks = dsm__instance_tasks(reader->instance, count, &reader->seconds);
  return reader->tasks != NULL && DSM__RESERVE(arena, reader->task_names, count) &&
         DSM__RESERVE(arena, reader->last_users, count) &&
         DSM__RESERVE(arena, reader->senders, count) &&
         DSM__RESERVE(arena, reader->names.entries, count) &&
         DSM__RESERVE(arena, reader->uses, count_uses(&reader->document));
}

/* Takes the tasks, then what holds between them. */
static void take_tasks(profile_reader *reader, const dsm__json_node *list) {
  const size_t count = reader->document.task_count;
  if (count == 0) {
    return;
  }
  if (dsm__json_lacks_memory(list->doc, !make_room(reader))) {
    return;
  }
  dsm__json_node item = dsm__json_item(list, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    reader->tasks[i] = reader->document.tasks[i].of;
    reader->task_names[i] = reader->tasks[i].name;
    read_seconds(reader, &item, i);
    if (reader->tasks[i].name != NULL) {
      reader->names.entries[reader->names.count++] = (dsm__name_entry){reader->tasks[i].name, i};
    }
  }
  dsm__name_index_sort(&reader->names);
  if (!dsm__index_differs(list, &reader->names)) {
    return;
  }
  item = dsm__json_item(list, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    take_inputs(reader, &item, i);
    take_tensors(reader, &item, i);
  }
}

static void arrange(profile_reader *reader, const dsm__json_node *list) {
  reader->instance->tasks = reader->tasks;
  reader->instance->task_count = reader->document.task_count;
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
    if (dsm__json_lacks_memory(list->doc, words == NULL)) {
      return;
    }
    dsm__json_error(&inputs, NULL, "expected tasks that can run one after the other, found that %s",
                    words);
  }
}

static void read_profile(dsm_instance *instance, const dsm__json_node *root) {
  const dsm__record_reader records = {.arena = instance->arena, .wanted = DSM__FIELD_IS_READ};
  const dsm__json_node devices = dsm__json_member(root, "devices");
  const dsm__json_node tasks = dsm__json_member(root, "tasks");
  profile_reader reader = {.instance = instance};
  if (!dsm__document_only(root, &dsm__profile_record)) {
    return;
  }
  (void)dsm__record_read(&records, root, &dsm__profile_record, &reader.document);
  instance->name = reader.document.name;
  instance->element_bytes = reader.document.element_bytes;
  instance->weight_bytes = reader.document.weight_bytes > 0 ? reader.document.weight_bytes
                                                            : reader.document.element_bytes;
  if (dsm__json_doc_is_out_of_memory(root->doc) || !take_devices(&reader, &devices)) {
    return;
  }
  dsm__instance_links_read(instance, root, instance->arena);
  take_tasks(&reader, &tasks);
  if (dsm__json_doc_error_count(root->doc) == 0 && !dsm__json_doc_is_out_of_memory(root->doc)) {
    arrange(&reader, &tasks);
  }
}

DSM__DESCRIPTION(dsm__profile_description, PROFILE, "dsm-profile/1", dsm_instance,
                 dsm__instance_new, read_profile, dsm_instance_free);

static void read_document(void *made, const dsm__json_node *root) {
  if (dsm__is_planner_graph(root)) {
    dsm__planner_read(made, root);
  } else {
    read_profile(made, root);
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

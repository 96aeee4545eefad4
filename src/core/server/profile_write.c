/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile_write.c: an instance in the format "dsm-profile/1". */
#include <math.h>
#include <string.h>

#include "dsm/limits.h"
#include "server/instance_internal.h"
#include "server/profile_record.h"

/* Names of tasks that a planner graph joins may be too long for the format. */
static dsm_status check_tasks(const dsm_instance *instance, dsm_diags *diags) {
  for (size_t i = 0; i < instance->task_count; i++) {
    if (strlen(instance->tasks[i].name) > DSM_NAME_BYTES_MAX) {
      return dsm__refuse(diags, DSM_ERROR_USAGE,
                         "expected tasks with names of at most %d bytes, as a profile has them, "
                         "found \"%s\"",
                         DSM_NAME_BYTES_MAX, instance->tasks[i].name);
    }
  }
  return DSM_OK;
}

static void write_table(dsm__json_writer *writer, const dsm_batch_table *table) {
  dsm__json_begin_array(writer, true);
  for (size_t k = 0; k < table->count; k++) {
    dsm__json_begin_array(writer, true);
    dsm__json_write_u64(writer, table->times[k].size);
    dsm__json_write_double(writer, table->times[k].seconds);
    dsm__json_end_array(writer);
  }
  dsm__json_end_array(writer);
}

void dsm__profile_write_seconds(dsm__json_writer *writer, const void *task) {
  const dsm_instance *const instance = ((const dsm__profile_task *)task)->instance;
  const size_t index = ((const dsm__profile_task *)task)->index;
  dsm__json_begin_object(writer, true);
  for (size_t j = 0; j < instance->device_count; j++) {
    const double seconds = dsm_instance_seconds(instance, index, j);
    const size_t place = index * instance->device_count + j;
    dsm__json_write_key(writer, instance->devices[j].name);
    if (isfinite(seconds) && instance->tables != NULL && instance->tables[place].count > 0) {
      write_table(writer, &instance->tables[place]);
    } else if (isfinite(seconds)) {
      dsm__json_write_double(writer, seconds);
    } else {
      dsm__json_write_null(writer);
    }
  }
  dsm__json_end_object(writer);
}

/* Producers that send several tensors, or one of another size than their output, say themselves who
 * needs them. The tasks have counts of all their tensors. */
static bool is_own_sender(const dsm__profile_task *tasks, const dsm_tensor *tensor) {
  const dsm__profile_task *const producer = &tasks[tensor->producer];
  return producer->tensor_count > 1 || tensor->bytes != producer->of.output_bytes;
}

/* The names of those who need a tensor. */
static bool take_users(dsm__profile_tensor *row, dsm__arena *arena, const dsm_tensor *tensor,
                       const dsm_task *tasks) {
  const char **users = NULL;
  const size_t count = tensor->consumer_count;
  if (!DSM__RESERVE(arena, users, count)) {
    return false;
  }
  for (size_t c = 0; c < count; c++) {
    users[c] = tasks[tensor->consumers[c]].name;
  }
  *row = (dsm__profile_tensor){tensor->bytes, users, count};
  return true;
}

/* What each task needs, and what it sends where it says so itself; tensors stand by producer. */
static bool take_tensors(dsm__profile_task *tasks, dsm__arena *arena,
                         const dsm_instance *instance) {
  const size_t count = instance->task_count;
  dsm__profile_tensor *rows = NULL;
  const char ***inputs = NULL;
  bool is_made =
      DSM__RESERVE(arena, rows, instance->tensor_count) && DSM__RESERVE(arena, inputs, count);
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance->tensors[t];
    for (size_t c = 0; c < tensor->consumer_count && !is_own_sender(tasks, tensor); c++) {
      tasks[tensor->consumers[c]].input_count++;
    }
  }
  for (size_t i = 0; is_made && i < count; i++) {
    is_made = DSM__RESERVE(arena, inputs[i], tasks[i].input_count);
    tasks[i].inputs = inputs[i];
    tasks[i].input_count = 0;
  }
  for (size_t t = 0; is_made && t < instance->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance->tensors[t];
    dsm__profile_task *const producer = &tasks[tensor->producer];
    if (is_own_sender(tasks, tensor)) {
      producer->tensors = producer->tensors == NULL ? &rows[t] : producer->tensors;
      is_made = take_users(&rows[t], arena, tensor, instance->tasks);
      continue;
    }
    producer->tensor_count = 0;
    for (size_t c = 0; c < tensor->consumer_count; c++) {
      const size_t consumer = tensor->consumers[c];
      inputs[consumer][tasks[consumer].input_count++] = producer->of.name;
    }
  }
  return is_made;
}

static bool take_tasks(dsm__profile *document, dsm__arena *arena, const dsm_instance *instance) {
  dsm__profile_task *tasks = NULL;
  if (!DSM__RESERVE(arena, tasks, instance->task_count)) {
    return false;
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    tasks[i] = (dsm__profile_task){.of = instance->tasks[i], .instance = instance, .index = i};
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    tasks[instance->tensors[t].producer].tensor_count++;
  }
  if (!take_tensors(tasks, arena, instance)) {
    return false;
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    /* As a task without the key has it: the task before it. */
    if (i == 0 || (tasks[i].input_count == 1 && tasks[i].inputs[0] == tasks[i - 1].of.name)) {
      tasks[i].inputs = NULL;
    }
  }
  document->tasks = tasks;
  document->task_count = instance->task_count;
  return true;
}

static bool take_devices(dsm__profile *document, dsm__arena *arena, const dsm_instance *instance) {
  const dsm__device_names names = dsm__instance_device_names(instance);
  dsm__profile_device *const devices =
      dsm__arena_array(arena, instance->device_count, sizeof *devices);
  for (size_t j = 0; devices != NULL && j < instance->device_count; j++) {
    devices[j] = (dsm__profile_device){.of = instance->devices[j], .seconds_ratio = 1};
  }
  document->devices = devices;
  document->device_count = instance->device_count;
  document->ports = dsm__port_rows(arena, &names, instance->ports, instance->port_count);
  document->port_count = instance->port_count;
  document->pairs = dsm__pair_rows(arena, &names, instance->pairs, instance->pair_count);
  document->pair_count = instance->pair_count;
  return devices != NULL && document->ports != NULL && document->pairs != NULL;
}

static void write_profile(dsm__json_writer *writer, const dsm__profile *document,
                          const dsm__profile_words *words) {
  dsm__json_begin_object(writer, false);
  if (words->comment_count > 0) {
    dsm__json_put_array(writer, "//", false);
    for (size_t i = 0; i < words->comment_count; i++) {
      dsm__json_write_string(writer, words->comments[i]);
    }
    dsm__json_end_array(writer);
  }
  dsm__record_write_into(writer, &dsm__profile_record, document);
  dsm__json_end_object(writer);
  dsm__json_finish(writer);
}

dsm_status dsm_profile_text(char **text, const dsm_instance *instance, const char *source,
                            dsm_diags *diags) {
  const dsm__profile_words words = {.source = source};
  return dsm__profile_write(text, instance, &words, diags);
}

dsm_status dsm__profile_write(char **text, const dsm_instance *instance,
                              const dsm__profile_words *words, dsm_diags *diags) {
  *text = NULL;
  const dsm_status status = check_tasks(instance, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__profile document = {.name = instance->name,
                           .source = words->source,
                           .element_bytes = instance->element_bytes,
                           .weight_bytes = instance->weight_bytes};
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__arena *const arena = dsm__arena_new();
  if (arena != NULL && take_devices(&document, arena, instance) &&
      take_tasks(&document, arena, instance)) {
    write_profile(&writer, &document, words);
    *text = dsm__text_finish(&out);
  }
  dsm__arena_free(arena);
  return *text == NULL ? dsm__out_of_memory(diags) : DSM_OK;
}

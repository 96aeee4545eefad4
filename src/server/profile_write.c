/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile_write.c: an instance in the format "dsm-profile/1". */
#include <math.h>
#include <string.h>

#include "base/json_write.h"
#include "dsm/limits.h"
#include "server/instance_internal.h"

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

/* Where a number may be infinite: null, or no key. */
static void put_finite(dsm__json_writer *writer, const char *key, double value) {
  if (isfinite(value)) {
    dsm__json_put_double(writer, key, value);
  }
}

static void put_positive(dsm__json_writer *writer, const char *key, double value) {
  if (value > 0) {
    dsm__json_put_double(writer, key, value);
  }
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

static void write_seconds(dsm__json_writer *writer, const dsm_instance *instance, size_t task) {
  dsm__json_put_object(writer, "seconds", true);
  for (size_t j = 0; j < instance->device_count; j++) {
    const double seconds = dsm_instance_seconds(instance, task, j);
    const size_t place = task * instance->device_count + j;
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

static void write_device(dsm__json_writer *writer, const dsm_instance_device *device) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", device->name);
  dsm__json_put_bool(writer, "accelerator", device->is_accelerator);
  put_finite(writer, "memory_bytes", device->memory_bytes);
  put_finite(writer, "link_bytes_per_second", device->link_bytes_per_second);
  put_positive(writer, "incoming_bytes_per_second", device->incoming_bytes_per_second);
  put_positive(writer, "transfer_seconds", device->transfer_seconds);
  put_positive(writer, "element_bytes", device->element_bytes);
  put_positive(writer, "weight_bytes", device->weight_bytes);
  if (device->has_power) {
    dsm__json_put_object(writer, "power", true);
    dsm__json_put_double(writer, "busy_watts", device->busy_watts);
    dsm__json_put_double(writer, "idle_watts", device->idle_watts);
    dsm__json_end_object(writer);
  }
  dsm__json_end_object(writer);
}

static void write_names(dsm__json_writer *writer, const dsm_instance *instance, uint64_t devices) {
  dsm__json_put_array(writer, "devices", true);
  for (size_t j = 0; j < instance->device_count; j++) {
    if ((devices >> j & 1) != 0) {
      dsm__json_write_string(writer, instance->devices[j].name);
    }
  }
  dsm__json_end_array(writer);
}

static void write_ports(dsm__json_writer *writer, const dsm_instance *instance) {
  dsm__json_put_array(writer, "ports", false);
  for (size_t p = 0; p < instance->port_count; p++) {
    const dsm_port *const port = &instance->ports[p];
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "name", port->name);
    write_names(writer, instance, port->devices);
    dsm__json_put_double(writer, "bandwidth_bytes_per_second", port->bytes_per_second);
    dsm__json_put_bool(writer, "direct", port->is_direct);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void write_pairs(dsm__json_writer *writer, const dsm_instance *instance) {
  dsm__json_put_array(writer, "pairs", false);
  for (size_t q = 0; q < instance->pair_count; q++) {
    const dsm_device_pair *const pair = &instance->pairs[q];
    dsm__json_begin_object(writer, true);
    write_names(writer, instance,
                (uint64_t)1 << pair->devices[0] | (uint64_t)1 << pair->devices[1]);
    dsm__json_put_double(writer, "bandwidth_bytes_per_second", pair->bytes_per_second);
    put_positive(writer, "transfer_seconds", pair->transfer_seconds);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

/* The producers of each task whose outputs it needs as they are: those of task i from starts[i] to
 * before starts[i + 1]. Other producers send several tensors, or one of another size, and say
 * themselves who needs them. */
typedef struct inputs {
  size_t *starts;
  size_t *producers;
  size_t *tensor_counts; /* of each task */
} inputs;

static bool is_own_sender(const inputs *of, const dsm_instance *instance, size_t tensor) {
  const dsm_tensor *const it = &instance->tensors[tensor];
  return of->tensor_counts[it->producer] > 1 ||
         it->bytes != instance->tasks[it->producer].output_bytes;
}

static bool find_inputs(inputs *of, const dsm_instance *instance, dsm__arena *arena) {
  of->starts = dsm__arena_array(arena, instance->task_count + 2, sizeof *of->starts);
  of->tensor_counts = dsm__arena_array(arena, instance->task_count, sizeof *of->tensor_counts);
  if (of->starts == NULL || of->tensor_counts == NULL) {
    return false;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    of->tensor_counts[instance->tensors[t].producer]++;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    for (size_t c = 0; c < instance->tensors[t].consumer_count && !is_own_sender(of, instance, t);
         c++) {
      of->starts[instance->tensors[t].consumers[c] + 2]++;
    }
  }
  for (size_t i = 2; i < instance->task_count + 2; i++) {
    of->starts[i] += of->starts[i - 1];
  }
  of->producers =
      dsm__arena_array(arena, of->starts[instance->task_count + 1], sizeof *of->producers);
  for (size_t t = 0; of->producers != NULL && t < instance->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance->tensors[t];
    for (size_t c = 0; c < tensor->consumer_count && !is_own_sender(of, instance, t); c++) {
      /* starts[i + 1]: the next of task i */
      of->producers[of->starts[tensor->consumers[c] + 1]++] = tensor->producer;
    }
  }
  return of->producers != NULL;
}

/* None where they are what a task without the key has: the task before it. */
static void write_inputs(dsm__json_writer *writer, const dsm_instance *instance, const inputs *of,
                         size_t task) {
  const size_t first = of->starts[task];
  const size_t count = of->starts[task + 1] - first;
  if (task == 0 || (count == 1 && of->producers[first] == task - 1)) {
    return;
  }
  dsm__json_put_array(writer, "inputs", true);
  for (size_t k = 0; k < count; k++) {
    dsm__json_write_string(writer, instance->tasks[of->producers[first + k]].name);
  }
  dsm__json_end_array(writer);
}

static void write_tensors(dsm__json_writer *writer, const dsm_instance *instance, const inputs *of,
                          size_t task) {
  bool has_begun = false;
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance->tensors[t];
    if (tensor->producer != task || !is_own_sender(of, instance, t)) {
      continue;
    }
    if (!has_begun) {
      dsm__json_put_array(writer, "tensors", true);
      has_begun = true;
    }
    dsm__json_begin_object(writer, true);
    dsm__json_put_double(writer, "bytes", tensor->bytes);
    dsm__json_put_array(writer, "used_by", true);
    for (size_t c = 0; c < tensor->consumer_count; c++) {
      dsm__json_write_string(writer, instance->tasks[tensor->consumers[c]].name);
    }
    dsm__json_end_array(writer);
    dsm__json_end_object(writer);
  }
  if (has_begun) {
    dsm__json_end_array(writer);
  }
}

static void write_task(dsm__json_writer *writer, const dsm_instance *instance, const inputs *of,
                       size_t index) {
  const dsm_task *const task = &instance->tasks[index];
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", task->name);
  dsm__json_put_double(writer, "weights_bytes", task->weights_bytes);
  dsm__json_put_double(writer, "activation_bytes", task->activation_bytes);
  put_positive(writer, "input_bytes", task->input_bytes);
  dsm__json_put_double(writer, "output_bytes", task->output_bytes);
  put_positive(writer, "result_bytes", task->result_bytes);
  write_inputs(writer, instance, of, index);
  write_tensors(writer, instance, of, index);
  if (task->group != NULL) {
    dsm__json_put_string(writer, "group", task->group);
  }
  write_seconds(writer, instance, index);
  dsm__json_end_object(writer);
}

static void write_profile(dsm__json_writer *writer, const dsm_instance *instance,
                          const dsm__profile_words *words, const inputs *of) {
  dsm__json_begin_object(writer, false);
  if (words->comment_count > 0) {
    dsm__json_put_array(writer, "//", false);
    for (size_t i = 0; i < words->comment_count; i++) {
      dsm__json_write_string(writer, words->comments[i]);
    }
    dsm__json_end_array(writer);
  }
  dsm__json_put_string(writer, "format", "dsm-profile/1");
  dsm__json_put_string(writer, "name", instance->name);
  if (words->source != NULL) {
    dsm__json_put_string(writer, "source", words->source);
  }
  put_positive(writer, "element_bytes", instance->element_bytes);
  put_positive(writer, "weight_bytes", instance->weight_bytes);
  dsm__json_put_array(writer, "devices", false);
  for (size_t j = 0; j < instance->device_count; j++) {
    write_device(writer, &instance->devices[j]);
  }
  dsm__json_end_array(writer);
  if (instance->port_count > 0) {
    write_ports(writer, instance);
  }
  if (instance->pair_count > 0) {
    write_pairs(writer, instance);
  }
  dsm__json_put_array(writer, "tasks", false);
  for (size_t i = 0; i < instance->task_count; i++) {
    write_task(writer, instance, of, i);
  }
  dsm__json_end_array(writer);
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
  inputs of = {NULL, NULL, NULL};
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__arena *const arena = dsm__arena_new();
  if (arena != NULL && find_inputs(&of, instance, arena)) {
    write_profile(&writer, instance, words, &of);
    *text = dsm__text_finish(&out);
  }
  dsm__arena_free(arena);
  return *text == NULL ? dsm__out_of_memory(diags) : DSM_OK;
}

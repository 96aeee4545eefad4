/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instance_make.c: a workload's layers as tasks on a server's devices. */
#include <stdint.h>
#include <string.h>

#include "base/diag_add.h"
#include "model/equations.h"
#include "server/instance_internal.h"
#include "server/server_internal.h"

/* What is being made. */
typedef struct making {
  dsm_instance *instance;
  const dsm_workload *workload;
  const dsm_server *server;
  uint64_t batch;
  dsm_task *tasks;
  double *seconds;
  double *operations;
  double *weights_bytes;
  double *activation_bytes;
  double *input_bytes;
  double *per_task_seconds; /* of each device */
  dsm__batch_sizes sizes;   /* of batches, whose times are asked for */
  dsm__use *uses;
  size_t use_count;
  size_t *last_users; /* of each layer's output, then the network's input: its last reader + 1 */
} making;

static double stored_bytes(const making *m, size_t layer) {
  const dsm_layer *const made = &m->workload->layers[layer];
  return (double)made->stored_size * (double)made->timesteps * (double)m->batch *
         m->workload->element_bytes;
}

/* A layer reads what `from` has made, or the network's input: counts it once, and adds a use. */
static void add_use(making *m, size_t layer, size_t from) {
  size_t *const last_user =
      from == DSM_NETWORK_INPUT ? &m->last_users[m->workload->layer_count] : &m->last_users[from];
  if (*last_user == layer + 1) {
    return;
  }
  *last_user = layer + 1;
  if (from == DSM_NETWORK_INPUT) {
    const uint64_t elements = m->workload->is_list ? m->workload->layers[layer].input_elements
                                                   : m->workload->input_elements;
    const double bytes = m->workload->is_list ? m->workload->layers[layer].bytes.input : 0;
    m->input_bytes[layer] = (double)elements * (double)m->workload->layers[layer].timesteps *
                            (double)m->batch * dsm__stated_bytes(bytes, m->workload->element_bytes);
    m->activation_bytes[layer] += m->input_bytes[layer];
    return;
  }
  const double bytes = stored_bytes(m, from);
  m->uses[m->use_count++] = (dsm__use){from, from, layer, bytes};
  m->activation_bytes[layer] += bytes;
}

static void add_task(making *m, size_t index) {
  const dsm_layer *const layer = &m->workload->layers[index];
  m->activation_bytes[index] = stored_bytes(m, index);
  for (size_t p = 0; p < layer->producer_count; p++) {
    add_use(m, index, layer->producers[p]);
  }
  for (size_t p = 0; p < layer->shortcut_count; p++) {
    add_use(m, index, layer->shortcuts[p]);
  }
  for (size_t p = 0; p < layer->operand_count; p++) {
    add_use(m, index, layer->operands[p]);
  }
  m->weights_bytes[index] =
      (double)layer->parameters *
      dsm__layer_weight_bytes(layer, m->workload->weight_bytes, m->workload->element_bytes);
  m->operations[index] = dsm__layer_operations(layer, m->batch);
  m->tasks[index] = (dsm_task){.name = dsm__arena_strdup(m->instance->arena, layer->name),
                               .weights_bytes = m->weights_bytes[index],
                               .activation_bytes = m->activation_bytes[index],
                               .input_bytes = m->input_bytes[index],
                               .output_bytes = stored_bytes(m, index)};
}

static bool make_tasks(making *m) {
  dsm__arena *const arena = m->instance->arena;
  const size_t count = m->workload->layer_count;
  size_t uses_max = 0;
  for (size_t i = 0; i < count; i++) {
    const dsm_layer *const layer = &m->workload->layers[i];
    uses_max += layer->producer_count + layer->shortcut_count + layer->operand_count;
  }
  m->tasks = dsm__instance_tasks(m->instance, count, &m->seconds);
  if (m->tasks == NULL || !DSM__RESERVE(arena, m->operations, count) ||
      !DSM__RESERVE(arena, m->weights_bytes, count) ||
      !DSM__RESERVE(arena, m->input_bytes, count) ||
      !DSM__RESERVE(arena, m->activation_bytes, count) || !DSM__RESERVE(arena, m->uses, uses_max) ||
      !DSM__RESERVE(arena, m->last_users, count + 1)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    add_task(m, i);
    if (m->tasks[i].name == NULL) {
      return false;
    }
  }
  m->instance->tasks = m->tasks;
  m->instance->task_count = count;
  m->instance->seconds = m->seconds;
  return dsm__instance_set_tensors(m->instance, m->uses, m->use_count);
}

static bool copy_links(dsm_instance *instance, const dsm_server *server) {
  dsm__arena *const arena = instance->arena;
  dsm_port *const ports = dsm__arena_array(arena, server->port_count, sizeof *ports);
  dsm_device_pair *const pairs = dsm__arena_array(arena, server->pair_count, sizeof *pairs);
  if (ports == NULL || pairs == NULL) {
    return false;
  }
  for (size_t p = 0; p < server->port_count; p++) {
    ports[p] = server->ports[p];
    ports[p].name = dsm__arena_strdup(arena, server->ports[p].name);
    if (ports[p].name == NULL) {
      return false;
    }
  }
  for (size_t q = 0; q < server->pair_count; q++) {
    pairs[q] = server->pairs[q];
  }
  instance->ports = ports;
  instance->port_count = server->port_count;
  instance->pairs = pairs;
  instance->pair_count = server->pair_count;
  return true;
}

/* What sizes are stated for, where a device has its own. */
static void note_precision(making *m) {
  const dsm_workload *const workload = m->workload;
  for (size_t j = 0; j < m->server->device_count; j++) {
    if (m->server->devices[j].weight_bytes > 0) {
      m->instance->element_bytes = workload->element_bytes;
      m->instance->weight_bytes =
          dsm__stated_bytes(workload->weight_bytes, workload->element_bytes);
    }
  }
}

dsm_instance_device dsm__instance_device_of(const dsm_device *device) {
  return (dsm_instance_device){
      .name = device->name,
      .is_accelerator = device->is_accelerator,
      .memory_bytes = device->memory_bytes,
      .link_bytes_per_second = device->link_bytes_per_second,
      .incoming_bytes_per_second = device->incoming_bytes_per_second,
      .transfer_seconds = device->transfer_seconds,
      .element_bytes = device->element_bytes,
      .weight_bytes = device->weight_bytes,
      .has_power = device->has_power,
      .busy_watts = device->busy_watts,
      .idle_watts = device->idle_watts,
  };
}

static bool make_devices(making *m) {
  dsm__arena *const arena = m->instance->arena;
  const size_t count = m->server->device_count;
  dsm_instance_device *const devices = dsm__arena_array(arena, count, sizeof *devices);
  m->per_task_seconds = dsm__arena_array(arena, count, sizeof(double));
  if (devices == NULL || m->per_task_seconds == NULL) {
    return false;
  }
  for (size_t j = 0; j < count; j++) {
    const dsm_device *const device = &m->server->devices[j];
    devices[j] = dsm__instance_device_of(device);
    devices[j].name = dsm__arena_strdup(arena, device->name);
    m->per_task_seconds[j] = device->task_seconds;
    if (devices[j].name == NULL) {
      return false;
    }
  }
  m->instance->devices = devices;
  m->instance->device_count = count;
  note_precision(m);
  return copy_links(m->instance, m->server);
}

static bool make_name(making *m) {
  dsm__arena *const arena = m->instance->arena;
  m->instance->batch = m->batch;
  m->instance->name = dsm__arena_strdup(arena, m->workload->name);
  return m->instance->name != NULL;
}

static bool index_names(const making *m, dsm__name_index *names) {
  names->entries =
      dsm__arena_array(m->instance->arena, m->workload->layer_count, sizeof names->entries[0]);
  names->count = names->entries == NULL ? 0 : m->workload->layer_count;
  for (size_t i = 0; i < names->count; i++) {
    names->entries[i] = (dsm__name_entry){m->workload->layers[i].name, i};
  }
  dsm__name_index_sort(names);
  return names->entries != NULL;
}

/* Equal chips, as `count` makes them, are asked once. */
static size_t same_chip_before(const dsm_server *server, size_t device) {
  for (size_t j = 0; j < device; j++) {
    if (server->devices[device].chip != NULL &&
        server->devices[j].chip == server->devices[device].chip) {
      return j;
    }
  }
  return SIZE_MAX;
}

static dsm_status find_times(const making *m, double *seconds, dsm__request request,
                             dsm_diags *diags) {
  const size_t devices = m->server->device_count;
  dsm_status status = DSM_OK;
  for (size_t j = 0; j < devices; j++) {
    const size_t same = same_chip_before(m->server, j);
    if (same == SIZE_MAX) {
      request.element_ratio = dsm_instance_element_ratio(m->instance, j);
      request.weight_ratio = dsm_instance_weight_ratio(m->instance, j);
      const dsm_status one =
          dsm__task_times(&seconds[j], devices, &request, &m->server->devices[j], diags);
      status = one == DSM_OK ? status : one;
    }
    for (size_t i = 0; same != SIZE_MAX && i < m->workload->layer_count; i++) {
      seconds[i * devices + j] = seconds[i * devices + same];
    }
  }
  return status;
}

/* A batch of requests is one of as many times the samples: parameters are read once. */
static dsm_status add_batch(const making *m, dsm_batch_time *times, size_t number,
                            dsm__request request, dsm_diags *diags) {
  const uint32_t size = m->sizes.items[number];
  dsm__arena *const arena = m->instance->arena;
  const size_t layers = m->workload->layer_count;
  const size_t devices = m->server->device_count;
  double *operations = NULL;
  double *activation_bytes = NULL;
  double *seconds = NULL;
  if (!DSM__RESERVE(arena, operations, layers) || !DSM__RESERVE(arena, activation_bytes, layers) ||
      !DSM__RESERVE(arena, seconds, layers * devices)) {
    return dsm__out_of_memory(diags);
  }
  for (size_t i = 0; i < layers; i++) {
    operations[i] = size * m->operations[i];
    activation_bytes[i] = size * m->activation_bytes[i];
  }
  request.batch *= size;
  request.operations = operations;
  request.activation_bytes = activation_bytes;
  const dsm_status status = find_times(m, seconds, request, diags);
  for (size_t k = 0; k < layers * devices; k++) {
    times[k * m->sizes.count + number] = (dsm_batch_time){size, seconds[k]};
  }
  return status;
}

/* Times that are given are of one request: such a device has no table. */
static dsm_status make_tables(making *m, const dsm__request *request, dsm_diags *diags) {
  dsm__arena *const arena = m->instance->arena;
  const size_t devices = m->server->device_count;
  const size_t cells = m->workload->layer_count * devices;
  dsm_batch_table *tables = NULL;
  dsm_batch_time *times = NULL;
  if (!DSM__RESERVE(arena, tables, cells) || !DSM__RESERVE(arena, times, cells * m->sizes.count)) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status = DSM_OK;
  for (size_t k = 0; k < m->sizes.count && status == DSM_OK; k++) {
    if (m->batch * m->sizes.items[k] > DSM_DIMENSION_MAX) {
      return dsm__refuse(diags, DSM_ERROR_USAGE,
                         "expected batches of at most %d samples, found %lu requests of %llu",
                         DSM_DIMENSION_MAX, (unsigned long)m->sizes.items[k],
                         (unsigned long long)m->batch);
    }
    status = add_batch(m, times, k, *request, diags);
  }
  for (size_t k = 0; k < cells; k++) {
    if (m->server->devices[k % devices].kind != DSM_DEVICE_TIMES) {
      tables[k] = (dsm_batch_table){&times[k * m->sizes.count], m->sizes.count};
    }
  }
  m->instance->tables = tables;
  return status;
}

static dsm_status make_times(making *m, const dsm_instance_options *options, dsm_diags *diags) {
  dsm__request request = {
      .workload = m->workload,
      .batch = m->batch,
      .operations = m->operations,
      .weights_bytes = m->weights_bytes,
      .activation_bytes = m->activation_bytes,
  };
  if (!index_names(m, &request.names) ||
      !dsm__wanted_batch_sizes(&m->sizes, m->instance->arena, options)) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = find_times(m, m->seconds, request, diags);
  return status == DSM_OK && m->sizes.count > 0 ? make_tables(m, &request, diags) : status;
}

static dsm_status take_times(making *m, const dsm__measured_layers *measured, dsm_diags *diags) {
  memcpy(m->seconds, measured->seconds,
         m->workload->layer_count * m->server->device_count * sizeof *m->seconds);
  return dsm__instance_join_at(m->instance, measured->starts, measured->part_count)
             ? dsm__instance_check(m->instance, NULL, diags)
             : dsm__out_of_memory(diags);
}

static dsm_status make(making *m, const dsm_instance_options *options,
                       const dsm__measured_layers *measured, dsm_diags *diags) {
  if (!make_devices(m) || !make_name(m) || !make_tasks(m)) {
    return dsm__out_of_memory(diags);
  }
  if (measured != NULL) {
    return take_times(m, measured, diags);
  }
  dsm_status status = make_times(m, options, diags);
  if (status == DSM_OK) {
    status = dsm__instance_place(m->instance, options, diags);
  }
  if (status == DSM_OK) {
    status = dsm__instance_set_batches(m->instance, options, NULL, diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  return dsm__instance_join(m->instance, options->task_count, m->operations, m->per_task_seconds)
             ? dsm__instance_check(m->instance, NULL, diags)
             : dsm__out_of_memory(diags);
}

/* Samples whose outputs make a matmul's operand: where positions are samples, more than one. */
static uint64_t samples_of_operand(const dsm_workload *workload, const dsm_layer *layer) {
  uint64_t delivered = 0;
  for (size_t i = 0; i < layer->operand_count; i++) {
    const dsm_layer *const from = &workload->layers[layer->operands[i]];
    delivered += from->stored_elements * from->timesteps;
  }
  return delivered == 0 ? 0 : 1 + (layer->operand_elements - 1) / delivered;
}

/* Operands were checked with the workload's minibatch; here a request has the samples. */
static dsm_status check_operands(const dsm_workload *workload, uint64_t batch, dsm_diags *diags) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    const uint64_t samples = samples_of_operand(workload, &workload->layers[i]);
    if (samples > batch) {
      return dsm__refuse(
          diags, DSM_ERROR_USAGE,
          "expected a batch of at least %llu samples, from which \"%s\" has its operand, "
          "found %llu",
          (unsigned long long)samples, workload->layers[i].name, (unsigned long long)batch);
    }
  }
  return DSM_OK;
}

static dsm_status make_instance(dsm_instance **instance, const dsm_workload *workload,
                                const dsm_server *server, const dsm_instance_options *options,
                                const dsm__measured_layers *measured, dsm_diags *diags) {
  *instance = NULL;
  if (options->batch == 0 || options->batch > DSM_DIMENSION_MAX) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected a batch from 1 to %d, found %llu",
                       DSM_DIMENSION_MAX, (unsigned long long)options->batch);
  }
  const size_t most = options->task_count;
  if (workload->layer_count > DSM_TASKS_MAX && (most == 0 || most > DSM_TASKS_MAX)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected at most %d tasks, found %zu layers in %s",
                       DSM_TASKS_MAX, workload->layer_count, workload->name);
  }
  if (check_operands(workload, options->batch, diags) != DSM_OK) {
    return DSM_ERROR_USAGE;
  }
  making m = {.instance = dsm__instance_new(),
              .workload = workload,
              .server = server,
              .batch = options->batch};
  if (m.instance == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = make(&m, options, measured, diags);
  if (status != DSM_OK) {
    dsm_instance_free(m.instance);
    return status;
  }
  *instance = m.instance;
  return DSM_OK;
}

dsm_status dsm_instance_make(dsm_instance **instance, const dsm_workload *workload,
                             const dsm_server *server, const dsm_instance_options *options,
                             dsm_diags *diags) {
  dsm_instance_options defaults;
  dsm_instance_options_init(&defaults);
  return make_instance(instance, workload, server, options == NULL ? &defaults : options, NULL,
                       diags);
}

dsm_status dsm__instance_measured(dsm_instance **instance, const dsm_workload *workload,
                                  const dsm_server *server, uint64_t batch,
                                  const dsm__measured_layers *measured, dsm_diags *diags) {
  const dsm_instance_options options = {.batch = batch};
  return make_instance(instance, workload, server, &options, measured, diags);
}

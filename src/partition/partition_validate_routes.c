/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition_validate_routes.c: transfers of an answer, from the instance alone.
 *
 * Where the search makes a list of carriers for every way, here each carrier asks every transfer
 * whether it comes by.
 */
#include "partition/partition_validate.h"

#include <math.h>

/* What is asked about transfers: devices, `outside` = device_count for the world. */
typedef struct transfer {
  size_t from;
  size_t to;
  double bytes; /* of one */
  double times; /* a second */
} transfer;

static const dsm_device_pair *pair_of(const dsm_instance *instance, const transfer *it) {
  for (size_t q = 0; q < instance->pair_count; q++) {
    const size_t a = instance->pairs[q].devices[0];
    const size_t b = instance->pairs[q].devices[1];
    if ((a == it->from && b == it->to) || (b == it->from && a == it->to)) {
      return &instance->pairs[q];
    }
  }
  return NULL;
}

static bool holds(const dsm_port *port, const dsm_instance *instance, size_t device) {
  return device < instance->device_count && (port->devices & (uint64_t)1 << device) != 0;
}

/* No port within this one, or itself, joins both directly. */
static bool passes(const dsm_instance *instance, const dsm_port *port, const transfer *it) {
  if (pair_of(instance, it) != NULL) {
    return false;
  }
  for (size_t q = 0; q < instance->port_count; q++) {
    const dsm_port *const inner = &instance->ports[q];
    if (inner->is_direct && (inner->devices & ~port->devices) == 0 &&
        holds(inner, instance, it->from) && holds(inner, instance, it->to)) {
      return false;
    }
  }
  return true;
}

bool dsm__has_routes(const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  bool has = instance->port_count > 0 || instance->pair_count > 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    has = has || instance->devices[j].incoming_bytes_per_second > 0 ||
          instance->devices[j].transfer_seconds > 0;
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    has = has || (partition->options.does_count_input && instance->tasks[i].input_bytes > 0);
  }
  return has;
}

/* ---- all transfers ---- */

typedef void visit(void *context, const dsm_partition *partition, const transfer *it);

static void visit_tensor(const dsm_partition *partition, size_t t, visit *each, void *context) {
  const dsm_instance *const instance = partition->instance;
  const size_t m = instance->device_count;
  const bool is_tensor = t < instance->tensor_count;
  const dsm_task *const task = is_tensor ? NULL : &instance->tasks[t - instance->tensor_count];
  const double results = is_tensor                ? 0
                         : task->result_bytes > 0 ? task->result_bytes
                                                  : task->output_bytes;
  const double stated = is_tensor ? instance->tensors[t].bytes : results;
  const bool has_targets = partition->moved != NULL && is_tensor;
  for (size_t j = 0; j < m && stated > 0; j++) {
    const double bytes = stated * dsm_instance_element_ratio(instance, j);
    for (size_t k = 0; k < m && has_targets; k++) {
      each(context, partition,
           &(transfer){j, k, bytes, partition->moved[(t * m + j) * m + k] / bytes});
    }
    if (!has_targets) {
      each(context, partition, &(transfer){j, m, bytes, partition->sent[t * m + j] / bytes});
    }
  }
}

static void visit_all(const dsm_partition *partition, visit *each, void *context) {
  const dsm_instance *const instance = partition->instance;
  const size_t m = instance->device_count;
  for (size_t t = 0; t < instance->tensor_count + instance->task_count; t++) {
    visit_tensor(partition, t, each, context);
  }
  for (size_t i = 0; i < instance->task_count && partition->options.does_count_input; i++) {
    for (size_t j = 0; j < m; j++) {
      const double bytes = instance->devices[j].is_accelerator ? instance->tasks[i].input_bytes : 0;
      each(context, partition, &(transfer){m, j, bytes, partition->rates[i * m + j]});
    }
  }
}

/* ---- one carrier ---- */

typedef struct meter {
  dsm_carrier_kind kind;
  size_t index; /* device, port or pair */
  bool is_back; /* of a pair: from its second device */
  double seconds;
  double bytes;
} meter;

/* What is paid once for a batch of a device, for each of its requests. */
static double once(const dsm_instance *instance, size_t device, double seconds) {
  const uint32_t batch = instance->devices[device].batch;
  return batch > 1 ? seconds / batch : seconds;
}

/* Bandwidth of the meter's carrier if the transfer comes by it, else infinite; fixed cost there. */
static bool comes_by(const meter *m, const dsm_instance *instance, const transfer *it, double *rate,
                     double *fixed) {
  const size_t outside = instance->device_count;
  const dsm_device_pair *const pair = pair_of(instance, it);
  *fixed = 0;
  if (it->from == it->to) {
    return false;
  }
  switch (m->kind) {
  case DSM_CARRIER_LINK:
    *rate = instance->devices[m->index].link_bytes_per_second;
    *fixed = once(instance, m->index, instance->devices[m->index].transfer_seconds);
    return pair == NULL && it->from == m->index;
  case DSM_CARRIER_INCOMING: {
    const dsm_instance_device *const device = &instance->devices[m->index];
    const bool is_stated = device->incoming_bytes_per_second > 0;
    *rate = is_stated ? device->incoming_bytes_per_second : device->link_bytes_per_second;
    *fixed = it->from == outside ? once(instance, m->index, device->transfer_seconds) : 0;
    return pair == NULL && it->to == m->index && (is_stated || it->from == outside);
  }
  case DSM_CARRIER_PORT_OUT:
  case DSM_CARRIER_PORT_IN: {
    const dsm_port *const port = &instance->ports[m->index];
    *rate = port->bytes_per_second;
    return holds(port, instance, m->kind == DSM_CARRIER_PORT_OUT ? it->from : it->to) &&
           passes(instance, port, it);
  }
  case DSM_CARRIER_PAIR:
    *rate = instance->pairs[m->index].bytes_per_second;
    *fixed =
        once(instance, pair == NULL ? 0 : it->from, instance->pairs[m->index].transfer_seconds);
    return pair == &instance->pairs[m->index] && (it->from == pair->devices[1]) == m->is_back;
  case DSM_CARRIER_KIND_COUNT:
    break;
  }
  return false;
}

static void read_meter(void *context, const dsm_partition *partition, const transfer *it) {
  meter *const m = context;
  double rate = HUGE_VAL;
  double fixed = 0;
  if (it->bytes > 0 && comes_by(m, partition->instance, it, &rate, &fixed)) {
    m->seconds += it->times * (fixed + it->bytes / rate);
    m->bytes += it->times * it->bytes;
  }
}

double dsm__link_bytes(const dsm_partition *partition, size_t device) {
  meter m = {.kind = DSM_CARRIER_LINK, .index = device};
  visit_all(partition, read_meter, &m);
  return m.bytes;
}

static void check_carrier(dsm__checker *c, meter m, const char *words, const char *name) {
  visit_all(c->partition, read_meter, &m);
  if (c->partition->options.objective != DSM_OBJECTIVE_LATENCY && dsm__is_above(m.seconds, 1, 1)) {
    dsm__complain(c, "constraint (6): %s \"%s\" carries for %.9g of the time", words, name,
                  m.seconds);
  }
}

/* ---- a transfer on an idle server, with those of its batch ---- */

static void add_seconds(void *context, const dsm_partition *partition, const transfer *it) {
  const dsm_instance *const instance = partition->instance;
  double *const sum = context;
  const uint32_t together =
      instance->devices[it->from < instance->device_count ? it->from : it->to].batch;
  const double batch = together > 1 ? together : 1;
  double longest = 0;
  const size_t counts[] = {[DSM_CARRIER_LINK] = instance->device_count,
                           [DSM_CARRIER_INCOMING] = instance->device_count,
                           [DSM_CARRIER_PORT_OUT] = instance->port_count,
                           [DSM_CARRIER_PORT_IN] = instance->port_count,
                           [DSM_CARRIER_PAIR] = 2 * instance->pair_count};
  for (int kind = 0; kind < DSM_CARRIER_KIND_COUNT && it->bytes > 0; kind++) {
    for (size_t r = 0; r < counts[kind]; r++) {
      const bool is_pair = kind == DSM_CARRIER_PAIR;
      const meter m = {.kind = (dsm_carrier_kind)kind,
                       .index = is_pair ? r / 2 : r,
                       .is_back = is_pair && r % 2 == 1};
      double rate = HUGE_VAL;
      double fixed = 0;
      if (comes_by(&m, instance, it, &rate, &fixed)) {
        *sum += it->times * batch * fixed;
        longest = fmax(longest, it->bytes / rate);
      }
    }
  }
  *sum += it->times * batch * longest;
}

double dsm__transfer_seconds(const dsm_partition *partition) {
  double sum = 0;
  visit_all(partition, add_seconds, &sum);
  return sum;
}

/* ---- what is moved ---- */

static double copies_in(const dsm__checker *c, size_t tensor, size_t from, double bytes) {
  return bytes / dsm_instance_tensor_bytes(c->instance, tensor, from);
}

/* Of a tensor with one consumer what comes and is made is what goes and is used; of one with
 * several each device has what each consumer uses there, and at most a copy goes to each other. All
 * that in copies: bytes are those of the device that sends. */
static void check_moved(dsm__checker *c, size_t t) {
  const dsm_partition *const it = c->partition;
  const dsm_tensor *const tensor = &c->instance->tensors[t];
  const size_t m = c->instance->device_count;
  const double *const made = &it->rates[tensor->producer * m];
  const double *const f = &it->moved[t * m * m];
  for (size_t j = 0; j < m; j++) {
    double gone = 0;
    double come = 0;
    bool is_good = true;
    for (size_t k = 0; k < m; k++) {
      const double copies = copies_in(c, t, j, f[j * m + k]);
      gone += copies;
      come += copies_in(c, t, k, f[k * m + j]);
      is_good = is_good && copies >= 0 && !dsm__is_above(copies, made[j], c->scale);
    }
    for (size_t k = 0; k < tensor->consumer_count; k++) {
      const double used = it->rates[tensor->consumers[k] * m + j];
      const double has = made[j] + come;
      is_good = is_good && !dsm__is_above(used, has, c->scale);
      is_good =
          is_good && (tensor->consumer_count > 1 || !dsm__is_above(used + gone, has, c->scale));
    }
    is_good = is_good && (tensor->consumer_count > 1 || !dsm__is_above(gone, made[j], c->scale));
    const double sent = copies_in(c, t, j, it->sent[t * m + j]);
    if (!is_good || dsm__is_above(fabs(gone - sent), 0, c->scale)) {
      dsm__complain(c,
                    "constraint (12): what device \"%s\" makes, gets, sends and uses of the "
                    "output of task \"%s\" does not fit together",
                    c->instance->devices[j].name, c->instance->tasks[tensor->producer].name);
    }
  }
}

void dsm__check_routes(dsm__checker *c) {
  const dsm_instance *const instance = c->instance;
  for (size_t t = 0; t < instance->tensor_count && c->partition->moved != NULL; t++) {
    if (instance->tensors[t].bytes > 0) {
      check_moved(c, t);
    }
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    const char *const name = instance->devices[j].name;
    check_carrier(c, (meter){.kind = DSM_CARRIER_LINK, .index = j}, "the link of device", name);
    check_carrier(c, (meter){.kind = DSM_CARRIER_INCOMING, .index = j}, "the way into device",
                  name);
  }
  for (size_t p = 0; p < instance->port_count; p++) {
    const char *const name = instance->ports[p].name;
    check_carrier(c, (meter){.kind = DSM_CARRIER_PORT_OUT, .index = p}, "port out", name);
    check_carrier(c, (meter){.kind = DSM_CARRIER_PORT_IN, .index = p}, "port in", name);
  }
  for (size_t q = 0; q < 2 * instance->pair_count; q++) {
    const dsm_device_pair *const pair = &instance->pairs[q / 2];
    check_carrier(c, (meter){.kind = DSM_CARRIER_PAIR, .index = q / 2, .is_back = q % 2 == 1},
                  "the pair that is left by device", instance->devices[pair->devices[q % 2]].name);
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programme_routes.c: what transfers cost, and which of them go where.
 *
 * Where only links out of devices are limited it is enough to know how much each device sends
 * (c_tj). Ports, pairs and ways in ask who receives it: f_tjk is how often device j sends tensor t
 * to device k. Of a tensor with one consumer what a device makes and receives is what it sends and
 * uses, and it sends nothing that it has not made. Of one with several consumers each device is
 * sent what some consumer there lacks, by devices that make it, one copy each.
 */
#include <math.h>

#include "partition/programme_writer.h"

double dsm__input_cost(const dsm__writer *w, size_t task, size_t device) {
  const double bytes = dsm__input_bytes(&w->routes, task, device);
  const size_t outside = w->instance->device_count;
  return dsm_instance_batch(w->instance, device) *
         dsm__way_seconds(&w->routes, dsm__way_between(&w->routes, outside, device), bytes) /
         w->form.time_unit;
}

double dsm__moving_cost(const dsm__writer *w, size_t tensor, size_t from, size_t to) {
  return dsm_instance_batch(w->instance, from) *
         dsm__way_seconds(&w->routes, dsm__way_between(&w->routes, from, to),
                          dsm__output_bytes(w->instance, tensor, from)) /
         w->form.time_unit;
}

double dsm__sending_cost(const dsm__writer *w, size_t tensor, size_t device) {
  const bool is_result = tensor >= w->instance->tensor_count;
  return w->routes.has_targets && !is_result
             ? 0
             : dsm__moving_cost(w, tensor, device, w->instance->device_count);
}

/* ---- f_tjk ---- */

static size_t *moved_column(const dsm__writer *w, size_t tensor, size_t from, size_t to) {
  return &w->made->moved[dsm__place_of(w, tensor, from) * w->instance->device_count + to];
}

static bool is_needed(const dsm__writer *w, size_t tensor, size_t device) {
  const dsm_tensor *const it = &w->instance->tensors[tensor];
  bool is_used = false;
  for (size_t k = 0; k < it->consumer_count; k++) {
    is_used =
        is_used || w->made->rate[dsm__place_of(w, it->consumers[k], device)] != DSM__NO_COLUMN;
  }
  return is_used;
}

void dsm__write_moved_columns(dsm__writer *w, size_t tensor, size_t device) {
  if (!w->routes.has_targets || tensor >= w->instance->tensor_count) {
    return;
  }
  for (size_t k = 0; k < w->instance->device_count; k++) {
    *moved_column(w, tensor, device, k) = DSM__NO_COLUMN;
    if (k != device && is_needed(w, tensor, k)) {
      *moved_column(w, tensor, device, k) = dsm__write_column(
          w, (dsm__column){.kind = DSM__COLUMN_MOVED,
                           .major = tensor,
                           .device = device,
                           .target = k,
                           .upper = HUGE_VAL,
                           .cost = w->is_latency ? dsm__moving_cost(w, tensor, device, k) : 0});
    }
  }
}

/* f of all devices to this one, or of this one to all. */
static void write_sum(dsm__writer *w, size_t tensor, size_t device, bool is_received, double sign) {
  for (size_t k = 0; k < w->instance->device_count; k++) {
    const size_t from = is_received ? k : device;
    if (w->made->sent[dsm__place_of(w, tensor, from)] != DSM__NO_COLUMN) {
      dsm__write_entry(w, *moved_column(w, tensor, from, is_received ? device : k), sign);
    }
  }
}

static void write_balance(dsm__writer *w, size_t tensor, size_t device) {
  const dsm_tensor *const it = &w->instance->tensors[tensor];
  const size_t made = w->made->rate[dsm__place_of(w, it->producer, device)];
  const size_t sent = w->made->sent[dsm__place_of(w, tensor, device)];
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_BALANCE, .major = tensor, .device = device});
  dsm__write_entry(w, made, 1);
  dsm__write_entry(w, sent, -1);
  dsm__write_entry(w, w->made->rate[dsm__place_of(w, it->consumers[0], device)], -1);
  write_sum(w, tensor, device, true, 1);
  if (sent != DSM__NO_COLUMN) {
    dsm__begin_row(
        w, (dsm__row){.kind = DSM__ROW_OWN, .major = tensor, .device = device, .lower = -HUGE_VAL});
    dsm__write_entry(w, sent, 1);
    dsm__write_entry(w, made, -1);
  }
}

static void write_arrivals(dsm__writer *w, size_t tensor, size_t device) {
  const size_t received = w->made->received[dsm__place_of(w, tensor, device)];
  if (received != DSM__NO_COLUMN) {
    dsm__begin_row(
        w,
        (dsm__row){.kind = DSM__ROW_ARRIVAL, .major = tensor, .device = device, .upper = HUGE_VAL});
    write_sum(w, tensor, device, true, 1);
    dsm__write_entry(w, received, -1);
  }
  if (w->made->sent[dsm__place_of(w, tensor, device)] == DSM__NO_COLUMN) {
    return;
  }
  const size_t producer = dsm__producer_of(w->instance, tensor);
  for (size_t k = 0; k < w->instance->device_count; k++) {
    if (*moved_column(w, tensor, device, k) != DSM__NO_COLUMN) {
      dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_ONCE,
                                   .major = tensor,
                                   .device = device,
                                   .consumer = k,
                                   .lower = -HUGE_VAL});
      dsm__write_entry(w, *moved_column(w, tensor, device, k), 1);
      dsm__write_entry(w, w->made->rate[dsm__place_of(w, producer, device)], -1);
    }
  }
}

void dsm__write_moved_rows(dsm__writer *w, size_t tensor) {
  if (!w->routes.has_targets || tensor >= w->instance->tensor_count ||
      dsm__output_bytes(w->instance, tensor, 0) == 0) {
    return;
  }
  for (size_t j = 0; j < w->instance->device_count; j++) {
    const size_t sent = w->made->sent[dsm__place_of(w, tensor, j)];
    if (sent != DSM__NO_COLUMN) {
      dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_SENT, .major = tensor, .device = j});
      dsm__write_entry(w, sent, -1);
      write_sum(w, tensor, j, false, 1);
    }
    if (w->instance->tensors[tensor].consumer_count == 1) {
      write_balance(w, tensor, j);
    } else {
      write_arrivals(w, tensor, j);
    }
  }
}

/* ---- (6): carriers ---- */

/* In parts of what the carrier can do in a time unit, so that the limit is 1. */
static double share_of(const dsm__writer *w, const dsm__hop *hop, double bytes) {
  const double capacity = w->routes.carriers[hop->carrier].bytes_per_second * w->form.time_unit;
  return bytes > 0 ? bytes / capacity + hop->transfer_seconds / w->form.time_unit : 0;
}

/* The hop of a way that is on a carrier, or NULL. */
static const dsm__hop *hop_on(const dsm__writer *w, size_t from, size_t to, size_t carrier) {
  const dsm__way way = dsm__way_between(&w->routes, from, to);
  for (size_t h = 0; h < way.hop_count; h++) {
    if (way.hops[h].carrier == carrier) {
      return &way.hops[h];
    }
  }
  return NULL;
}

/* What device `from` sends outside, and to everyone where who receives matters not. */
static void write_sent_shares(dsm__writer *w, size_t carrier, size_t from) {
  const dsm_instance *const instance = w->instance;
  const dsm__hop *const hop = hop_on(w, from, instance->device_count, carrier);
  const size_t first = w->routes.has_targets ? instance->tensor_count : 0;
  for (size_t t = first; t < instance->tensor_count + instance->task_count && hop != NULL; t++) {
    dsm__write_entry(w, w->made->sent[dsm__place_of(w, t, from)],
                     share_of(w, hop, dsm__output_bytes(instance, t, from)));
  }
}

static void write_moved_shares(dsm__writer *w, size_t carrier, size_t from, size_t to) {
  const dsm__hop *const hop = hop_on(w, from, to, carrier);
  for (size_t t = 0; t < w->instance->tensor_count && hop != NULL; t++) {
    if (w->made->sent[dsm__place_of(w, t, from)] != DSM__NO_COLUMN) {
      dsm__write_entry(w, *moved_column(w, t, from, to),
                       share_of(w, hop, dsm__output_bytes(w->instance, t, from)));
    }
  }
}

static void write_input_shares(dsm__writer *w, size_t carrier, size_t device) {
  const dsm__hop *const hop = hop_on(w, w->instance->device_count, device, carrier);
  for (size_t i = 0; i < w->instance->task_count && hop != NULL; i++) {
    dsm__write_entry(w, w->made->rate[dsm__place_of(w, i, device)],
                     share_of(w, hop, dsm__input_bytes(&w->routes, i, device)));
  }
}

static void write_carrier_row(dsm__writer *w, size_t carrier) {
  const size_t device_count = w->instance->device_count;
  const bool is_link = carrier < device_count;
  dsm__begin_row(w, (dsm__row){.kind = is_link ? DSM__ROW_LINK : DSM__ROW_CARRIER,
                               .major = is_link ? 0 : carrier,
                               .device = is_link ? carrier : 0,
                               .lower = -HUGE_VAL,
                               .upper = 1});
  for (size_t j = 0; j < device_count; j++) {
    write_sent_shares(w, carrier, j);
    write_input_shares(w, carrier, j);
    for (size_t k = 0; k < device_count && w->routes.has_targets; k++) {
      write_moved_shares(w, carrier, j, k);
    }
  }
}

void dsm__write_carrier_rows(dsm__writer *w) {
  for (size_t r = 0; r < w->routes.carrier_count; r++) {
    if (dsm__carrier_is_limited(&w->routes, r)) {
      write_carrier_row(w, r);
    }
  }
}

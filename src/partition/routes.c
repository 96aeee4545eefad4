/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * routes.c: the way between two devices.
 *
 * A pair is a way of its own. Any other transfer leaves by the link of its device, goes up through
 * the ports that hold the sender alone, down through those that hold the receiver alone, and in.
 * Where both are behind a port whose devices do not reach each other directly, it goes up through
 * that and comes down again; the innermost port with direct ways ends the way up.
 */
#include "partition/routes.h"

#include <math.h>

static bool is_behind(const dsm_port *port, size_t device) {
  return device < 64 && (port->devices >> device & 1) != 0;
}

/* Carriers by number: links, ways in, ports out and in, pairs there and back. */
static size_t incoming_carrier(const dsm_instance *instance, size_t device) {
  return instance->device_count + device;
}

static size_t port_carrier(const dsm_instance *instance, size_t port, bool is_in) {
  return 2 * (instance->device_count + port) + (is_in ? 1 : 0);
}

static size_t pair_carrier(const dsm_instance *instance, size_t pair, bool is_back) {
  return 2 * (instance->device_count + instance->port_count + pair) + (is_back ? 1 : 0);
}

static void fill_carriers(const dsm_instance *instance, dsm__carrier *carriers) {
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm_instance_device *const it = &instance->devices[j];
    /* what carries the request's input where no limit is stated */
    const double incoming = it->incoming_bytes_per_second > 0 ? it->incoming_bytes_per_second
                                                              : it->link_bytes_per_second;
    carriers[j] = (dsm__carrier){DSM_CARRIER_LINK, j, j, it->link_bytes_per_second};
    carriers[incoming_carrier(instance, j)] = (dsm__carrier){DSM_CARRIER_INCOMING, j, j, incoming};
  }
  for (size_t p = 0; p < instance->port_count; p++) {
    const double rate = instance->ports[p].bytes_per_second;
    carriers[port_carrier(instance, p, false)] = (dsm__carrier){DSM_CARRIER_PORT_OUT, p, p, rate};
    carriers[port_carrier(instance, p, true)] = (dsm__carrier){DSM_CARRIER_PORT_IN, p, p, rate};
  }
  for (size_t q = 0; q < instance->pair_count; q++) {
    const dsm_device_pair *const it = &instance->pairs[q];
    const size_t a = it->devices[0];
    const size_t b = it->devices[1];
    carriers[pair_carrier(instance, q, false)] =
        (dsm__carrier){DSM_CARRIER_PAIR, a, b, it->bytes_per_second};
    carriers[pair_carrier(instance, q, true)] =
        (dsm__carrier){DSM_CARRIER_PAIR, b, a, it->bytes_per_second};
  }
}

/* ---- ways ---- */

static const dsm_device_pair *find_pair(const dsm_instance *instance, size_t a, size_t b) {
  for (size_t q = 0; q < instance->pair_count; q++) {
    const size_t *const it = instance->pairs[q].devices;
    if ((it[0] == a && it[1] == b) || (it[0] == b && it[1] == a)) {
      return &instance->pairs[q];
    }
  }
  return NULL;
}

/* Whether a transfer goes through port p: ports before it are inner ones. */
static bool is_crossed(const dsm_instance *instance, size_t p, size_t from, size_t to) {
  for (size_t q = 0; q <= p; q++) {
    const dsm_port *const it = &instance->ports[q];
    if (is_behind(it, from) && is_behind(it, to) && it->is_direct) {
      return false;
    }
  }
  return true;
}

typedef struct walk {
  dsm__hop *hops; /* NULL: only counted */
  size_t count;
} walk;

static void pass(walk *w, size_t carrier, double transfer_seconds) {
  if (w->hops != NULL) {
    w->hops[w->count] = (dsm__hop){carrier, transfer_seconds};
  }
  w->count++;
}

static void walk_ports(walk *w, const dsm_instance *instance, size_t from, size_t to) {
  for (size_t p = 0; p < instance->port_count; p++) {
    if (is_behind(&instance->ports[p], from) && is_crossed(instance, p, from, to)) {
      pass(w, port_carrier(instance, p, false), 0);
    }
  }
  for (size_t p = instance->port_count; p-- > 0;) {
    if (is_behind(&instance->ports[p], to) && is_crossed(instance, p, from, to)) {
      pass(w, port_carrier(instance, p, true), 0);
    }
  }
}

/* A device sends what a batch makes at once: each request pays a part of the fixed cost. */
static void walk_way(walk *w, const dsm_instance *instance, size_t from, size_t to) {
  const size_t outside = instance->device_count;
  if (from == to) {
    return;
  }
  const dsm_device_pair *const pair = find_pair(instance, from, to);
  if (pair != NULL) {
    const size_t number = (size_t)(pair - instance->pairs);
    pass(w, pair_carrier(instance, number, from > to),
         pair->transfer_seconds / dsm_instance_batch(instance, from));
    return;
  }
  if (from < outside) {
    pass(w, from, instance->devices[from].transfer_seconds / dsm_instance_batch(instance, from));
  }
  walk_ports(w, instance, from, to);
  if (to < outside && (from == outside || instance->devices[to].incoming_bytes_per_second > 0)) {
    pass(w, incoming_carrier(instance, to),
         from == outside ? instance->devices[to].transfer_seconds / dsm_instance_batch(instance, to)
                         : 0);
  }
}

static bool have_targets(const dsm_instance *instance) {
  bool has = instance->port_count + instance->pair_count > 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    has = has || instance->devices[j].incoming_bytes_per_second > 0;
  }
  return has;
}

bool dsm__links_are_plain(const dsm_instance *instance) {
  bool has_cost = false;
  for (size_t j = 0; j < instance->device_count; j++) {
    has_cost = has_cost || instance->devices[j].transfer_seconds > 0;
  }
  return !has_cost && !have_targets(instance);
}

static void survey(dsm__routes *routes, const dsm_partition_options *options) {
  const dsm_instance *const instance = routes->instance;
  routes->has_targets = have_targets(instance);
  for (size_t i = 0; i < instance->task_count && options->does_count_input; i++) {
    routes->has_input = routes->has_input || instance->tasks[i].input_bytes > 0;
  }
  routes->is_plain = dsm__links_are_plain(instance) && !routes->has_input;
}

bool dsm__routes_make(dsm__routes *routes, dsm__arena *arena, const dsm_instance *instance,
                      const dsm_partition_options *options) {
  const size_t places = instance->device_count + 1;
  *routes = (dsm__routes){.instance = instance};
  survey(routes, options);
  routes->carrier_count =
      2 * (instance->device_count + instance->port_count + instance->pair_count);
  walk w = {.hops = NULL};
  for (size_t way = 0; way < places * places; way++) {
    walk_way(&w, instance, way / places, way % places);
  }
  if (!DSM__RESERVE(arena, routes->carriers, routes->carrier_count) ||
      !DSM__RESERVE(arena, routes->first, places * places + 1) ||
      !DSM__RESERVE(arena, routes->hops, w.count + 1)) {
    return false;
  }
  fill_carriers(instance, routes->carriers);
  w = (walk){.hops = routes->hops};
  for (size_t way = 0; way < places * places; way++) {
    routes->first[way] = w.count;
    walk_way(&w, instance, way / places, way % places);
  }
  routes->first[places * places] = w.count;
  return true;
}

dsm__way dsm__way_between(const dsm__routes *routes, size_t from, size_t to) {
  const size_t way = from * (routes->instance->device_count + 1) + to;
  return (dsm__way){&routes->hops[routes->first[way]], routes->first[way + 1] - routes->first[way]};
}

bool dsm__carrier_is_limited(const dsm__routes *routes, size_t carrier) {
  const dsm__carrier *const it = &routes->carriers[carrier];
  switch (it->kind) {
  case DSM_CARRIER_LINK:
  case DSM_CARRIER_INCOMING: {
    const dsm_instance_device *const device = &routes->instance->devices[it->index];
    const bool is_finite = isfinite(it->bytes_per_second) || device->transfer_seconds > 0;
    return is_finite && (it->kind == DSM_CARRIER_LINK || routes->has_input ||
                         device->incoming_bytes_per_second > 0);
  }
  case DSM_CARRIER_PORT_OUT:
  case DSM_CARRIER_PORT_IN:
  case DSM_CARRIER_PAIR:
  case DSM_CARRIER_KIND_COUNT:
    break;
  }
  return true;
}

double dsm__hop_seconds(const dsm__routes *routes, const dsm__hop *hop, double bytes) {
  return bytes > 0 ? hop->transfer_seconds + bytes / routes->carriers[hop->carrier].bytes_per_second
                   : 0;
}

double dsm__way_seconds(const dsm__routes *routes, dsm__way way, double bytes) {
  double fixed = 0;
  double longest = 0;
  for (size_t h = 0; h < way.hop_count && bytes > 0; h++) {
    fixed += way.hops[h].transfer_seconds;
    longest = fmax(longest, bytes / routes->carriers[way.hops[h].carrier].bytes_per_second);
  }
  return fixed + longest;
}

double dsm__input_bytes(const dsm__routes *routes, size_t task, size_t device) {
  return routes->has_input && routes->instance->devices[device].is_accelerator
             ? routes->instance->tasks[task].input_bytes
             : 0;
}

bool dsm__routes_are_equal(const dsm_instance *instance, size_t a, size_t b) {
  bool is_equal = true;
  for (size_t p = 0; p < instance->port_count; p++) {
    is_equal = is_equal && is_behind(&instance->ports[p], a) == is_behind(&instance->ports[p], b);
  }
  for (size_t c = 0; c < instance->device_count && is_equal && instance->pair_count > 0; c++) {
    const dsm_device_pair *const x = find_pair(instance, a, c);
    const dsm_device_pair *const y = find_pair(instance, b, c);
    is_equal = c == a || c == b || (x == NULL && y == NULL) ||
               (x != NULL && y != NULL && x->bytes_per_second == y->bytes_per_second &&
                x->transfer_seconds == y->transfer_seconds);
  }
  return is_equal;
}

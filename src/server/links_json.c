/* SPDX-License-Identifier: GPL-3.0-or-later */
/* links_json.c: ports and pairs, in the units of a server or of a profile. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/words.h"
#include "dsm/limits.h"
#include "plan/plan_internal.h"
#include "server/server_internal.h"

const dsm__link_units dsm__server_link_units = {"bandwidth_GBps",        {1e-9, 1e9, false}, 1e9,
                                                "transfer_microseconds", {0, 1e9, false},    1e-6};
const dsm__link_units dsm__profile_link_units = {"bandwidth_bytes_per_second",
                                                 {DSM__CAPACITY_MIN, DSM__CAPACITY_MAX, false},
                                                 1,
                                                 "transfer_seconds",
                                                 {0, DSM__SECONDS_MAX, false},
                                                 1};

DSM__OBJECT(dsm__port_object, "port", {.name = "name"}, {.name = "devices"},
            {.name = "bandwidth_GBps"}, {.name = "direct"});
DSM__OBJECT(dsm__pair_object, "pair", {.name = "devices"}, {.name = "bandwidth_GBps"},
            {.name = "transfer_microseconds"});
DSM__OBJECT(dsm__profile_port_object, "port", {.name = "name"}, {.name = "devices"},
            {.name = "bandwidth_bytes_per_second"}, {.name = "direct"});
DSM__OBJECT(dsm__profile_pair_object, "pair", {.name = "devices"},
            {.name = "bandwidth_bytes_per_second"}, {.name = "transfer_seconds"});

typedef struct link_reader {
  const dsm__link_units *units;
  const dsm__named_devices *names;
  size_t name_count;
  dsm__arena *arena;
} link_reader;

static bool is_for_server(const link_reader *reader) {
  return reader->units == &dsm__server_link_units;
}

static void report_unknown(const link_reader *reader, const dsm__json_node *item,
                           const char *name) {
  const char *known[2 * DSM_DEVICES_MAX];
  for (size_t n = 0; n < reader->name_count; n++) {
    known[n] = reader->names[n].name;
  }
  char hint[256] = "";
  (void)dsm__nearest_hint(name, known, reader->name_count, hint, sizeof hint);
  dsm__json_error(item, hint, "expected the name of a device, found \"%s\"", name);
}

/* Bits of the devices that a list names; a name that stands for several equal ones means all. */
static uint64_t read_named(const link_reader *reader, const dsm__json_node *object) {
  const dsm__json_node list = dsm__json_member(object, "devices");
  size_t count = 0;
  uint64_t devices = 0;
  if (!dsm__json_require(&list, "a list of names of devices") ||
      !dsm__json_array(&list, 1, DSM_DEVICES_MAX, &count)) {
    return 0;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t k = 0; k < count; k++, item = dsm__json_next(&item)) {
    const char *const name = dsm__json_text(&item);
    const char *none = NULL;
    if (name == NULL) {
      dsm__json_string(&item, 1, DSM_NAME_BYTES_MAX, reader->arena, &none);
      continue;
    }
    size_t n = 0;
    while (n < reader->name_count && strcmp(reader->names[n].name, name) != 0) {
      n++;
    }
    if (n == reader->name_count) {
      report_unknown(reader, &item, name);
    } else if ((devices & reader->names[n].devices) != 0) {
      dsm__json_error(&item, NULL, "expected each device once, found \"%s\" again", name);
    } else {
      devices |= reader->names[n].devices;
    }
  }
  return devices;
}

static double read_bandwidth(const link_reader *reader, const dsm__json_node *object) {
  double value = 0;
  dsm__json_required_double(object, reader->units->bandwidth_key, "the bandwidth each way",
                            reader->units->bandwidth_range, &value);
  return value * reader->units->bandwidth_unit;
}

double dsm__transfer_read(const dsm__link_units *units, const dsm__json_node *object) {
  double value = 0;
  dsm__json_optional_double(object, units->transfer_key, units->transfer_range, 0, &value);
  return value * units->transfer_unit;
}

/* ---- ports ---- */

static size_t count_bits(uint64_t bits) {
  size_t count = 0;
  for (; bits != 0; bits &= bits - 1) {
    count++;
  }
  return count;
}

/* Of two nested ports the inner first; of others the first in the file. */
static int compare_ports(const void *left, const void *right) {
  const dsm_port *const a = left;
  const dsm_port *const b = right;
  return dsm__order_then(dsm__order_whole(count_bits(a->devices), count_bits(b->devices)),
                         dsm__order_whole(a->devices, b->devices));
}

static void check_nesting(const dsm__json_node *item, const dsm_port *ports, size_t port) {
  for (size_t p = 0; p < port; p++) {
    const uint64_t both = ports[p].devices & ports[port].devices;
    const bool is_nested = both == ports[p].devices || both == ports[port].devices;
    if (both != 0 && (!is_nested || ports[p].devices == ports[port].devices)) {
      const dsm__json_node devices = dsm__json_member(item, "devices");
      dsm__json_error(&devices, NULL,
                      "expected devices that are none of port \"%s\", some of them or all of them "
                      "and more, found %s",
                      ports[p].name, is_nested ? "the same" : "some of them and others");
      return;
    }
  }
}

static void read_ports(link_reader *reader, const dsm__json_node *root, dsm__links *links) {
  const dsm__json_node list = dsm__json_member(root, "ports");
  size_t count = 0;
  if (!dsm__json_is_present(&list) || !dsm__json_array(&list, 0, DSM_DEVICES_MAX, &count)) {
    return;
  }
  dsm_port *const ports = dsm__arena_array(reader->arena, count, sizeof *ports);
  const char **const names = dsm__arena_array(reader->arena, count, sizeof *names);
  if (ports == NULL || names == NULL) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t p = 0; p < count; p++, item = dsm__json_next(&item)) {
    if (!dsm__object_only(
            &item, is_for_server(reader) ? &dsm__port_object : &dsm__profile_port_object, 0)) {
      continue;
    }
    dsm__json_read_name(&item, "the port's name", reader->arena, &ports[p].name);
    names[p] = ports[p].name;
    ports[p].bytes_per_second = read_bandwidth(reader, &item);
    ports[p].devices = read_named(reader, &item);
    dsm__json_optional_bool(&item, "direct", true, &ports[p].is_direct);
    check_nesting(&item, ports, p);
  }
  if (dsm__names_differ(&list, names, count, reader->arena) && count > 1) {
    qsort(ports, count, sizeof *ports, compare_ports);
  }
  links->ports = ports;
  links->port_count = count;
}

/* ---- pairs ---- */

static bool has_pair(const dsm__links *links, size_t a, size_t b) {
  for (size_t q = 0; q < links->pair_count; q++) {
    if (links->pairs[q].devices[0] == a && links->pairs[q].devices[1] == b) {
      return true;
    }
  }
  return false;
}

/* Each two of the devices of an item. */
static void read_pair(link_reader *reader, const dsm__json_node *item, dsm__links *links,
                      dsm_device_pair *pairs) {
  if (!dsm__object_only(item, is_for_server(reader) ? &dsm__pair_object : &dsm__profile_pair_object,
                        0)) {
    return;
  }
  const double bandwidth = read_bandwidth(reader, item);
  const double transfer = dsm__transfer_read(reader->units, item);
  const uint64_t devices = read_named(reader, item);
  const dsm__json_node list = dsm__json_member(item, "devices");
  if (devices != 0 && count_bits(devices) < 2) {
    dsm__json_error(&list, NULL, "expected two devices or more, found one");
  }
  for (size_t b = 0; b < DSM_DEVICES_MAX; b++) {
    for (size_t a = 0; a < b && (devices >> b & 1) != 0; a++) {
      if ((devices >> a & 1) == 0) {
        continue;
      }
      if (has_pair(links, a, b)) {
        dsm__json_error(&list, NULL, "expected devices that are no pair yet, found two that are");
        return;
      }
      pairs[links->pair_count++] = (dsm_device_pair){{a, b}, bandwidth, transfer};
    }
  }
}

static void read_pairs(link_reader *reader, const dsm__json_node *root, dsm__links *links) {
  enum { PAIRS_MAX = DSM_DEVICES_MAX * (DSM_DEVICES_MAX - 1) / 2 };
  const dsm__json_node list = dsm__json_member(root, "pairs");
  size_t count = 0;
  if (!dsm__json_is_present(&list) || !dsm__json_array(&list, 0, PAIRS_MAX, &count)) {
    return;
  }
  dsm_device_pair *const pairs = dsm__arena_array(reader->arena, PAIRS_MAX, sizeof *pairs);
  if (pairs == NULL) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  links->pairs = pairs;
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t k = 0; k < count; k++, item = dsm__json_next(&item)) {
    read_pair(reader, &item, links, pairs);
  }
}

dsm__links dsm__links_read(const dsm__json_node *root, const dsm__link_units *units,
                           const dsm__named_devices *names, size_t name_count, dsm__arena *arena) {
  link_reader reader = {units, names, name_count, arena};
  dsm__links links = {.ports = NULL};
  read_ports(&reader, root, &links);
  read_pairs(&reader, root, &links);
  return links;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* links_json.c: ports and pairs whose devices have names, of a server or of a profile. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/words.h"
#include "dsm/limits.h"
#include "plan/plan_internal.h"
#include "server/links_record.h"
#include "server/server_internal.h"

typedef struct link_reader {
  const dsm__named_devices *names;
  size_t name_count;
  dsm__arena *arena;
  dsm__link_rows rows;
} link_reader;

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
static uint64_t find_named(const link_reader *reader, const dsm__json_node *object,
                           const char *const *names, size_t count) {
  const dsm__json_node list = dsm__json_member(object, "devices");
  uint64_t devices = 0;
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t k = 0; k < count; k++, item = dsm__json_next(&item)) {
    size_t n = 0;
    while (n < reader->name_count && strcmp(reader->names[n].name, names[k]) != 0) {
      n++;
    }
    if (n == reader->name_count) {
      report_unknown(reader, &item, names[k]);
    } else if ((devices & reader->names[n].devices) != 0) {
      dsm__json_error(&item, NULL, "expected each device once, found \"%s\" again", names[k]);
    } else {
      devices |= reader->names[n].devices;
    }
  }
  return devices;
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
DSM__ORDER_OF(compare_ports, dsm_port,
              dsm__order_then(dsm__order_whole(count_bits(a->devices), count_bits(b->devices)),
                              dsm__order_whole(a->devices, b->devices)));

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

static void take_ports(link_reader *reader, const dsm__json_node *root, dsm__links *links) {
  const dsm__json_node list = dsm__json_member(root, "ports");
  const size_t count = reader->rows.port_count;
  dsm_port *ports = NULL;
  const char **names = NULL;
  if (!DSM__RESERVE(reader->arena, ports, count) || !DSM__RESERVE(reader->arena, names, count)) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t p = 0; p < count; p++, item = dsm__json_next(&item)) {
    const dsm__port_row *const row = &reader->rows.ports[p];
    ports[p] = row->of;
    names[p] = ports[p].name;
    ports[p].devices = find_named(reader, &item, row->devices, row->device_count);
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
static void take_pair(link_reader *reader, const dsm__json_node *item, const dsm__pair_row *row,
                      dsm__links *links, dsm_device_pair *pairs) {
  const uint64_t devices = find_named(reader, item, row->devices, row->device_count);
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
      pairs[links->pair_count++] =
          (dsm_device_pair){{a, b}, row->of.bytes_per_second, row->of.transfer_seconds};
    }
  }
}

static void take_pairs(link_reader *reader, const dsm__json_node *root, dsm__links *links) {
  const dsm__json_node list = dsm__json_member(root, "pairs");
  const size_t most = (size_t)DSM_DEVICES_MAX * (DSM_DEVICES_MAX - 1) / 2;
  dsm_device_pair *pairs = NULL;
  if (reader->rows.pair_count == 0) {
    return;
  }
  if (dsm__json_lacks_memory(root->doc, !DSM__RESERVE(reader->arena, pairs, most))) {
    return;
  }
  links->pairs = pairs;
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t k = 0; k < reader->rows.pair_count; k++, item = dsm__json_next(&item)) {
    take_pair(reader, &item, &reader->rows.pairs[k], links, pairs);
  }
}

dsm__links dsm__links_read(const dsm__json_node *root, const dsm__record_type *rows,
                           const dsm__named_devices *names, size_t name_count, dsm__arena *arena) {
  const dsm__record_reader records = {.arena = arena, .wanted = DSM__FIELD_IS_READ};
  link_reader reader = {.names = names, .name_count = name_count, .arena = arena};
  dsm__links links = {.ports = NULL};
  (void)dsm__record_read(&records, root, rows, &reader.rows);
  take_ports(&reader, root, &links);
  take_pairs(&reader, root, &links);
  return links;
}

void dsm__instance_links_read(dsm_instance *instance, const dsm__json_node *root,
                              dsm__arena *arena) {
  dsm__named_devices names[DSM_DEVICES_MAX];
  for (size_t j = 0; j < instance->device_count; j++) {
    names[j] = (dsm__named_devices){instance->devices[j].name, (uint64_t)1 << j};
  }
  const dsm__links links =
      dsm__links_read(root, &dsm__profile_links_record, names, instance->device_count, arena);
  instance->ports = links.ports;
  instance->port_count = links.port_count;
  instance->pairs = links.pairs;
  instance->pair_count = links.pair_count;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server_json.c: the format "dsm-server/1". */
#include <math.h>
#include <string.h>

#include "dsm/limits.h"
#include "server/links_record.h"
#include "server/server_internal.h"
#include "system/system_internal.h"
#include "workload/byte_parameters.h"

#define CHIP (1U << DSM_DEVICE_CHIP)
#define ROOFLINE (1U << DSM_DEVICE_ROOFLINE)
#define FPGA (1U << DSM_DEVICE_FPGA)
#define TIMES (1U << DSM_DEVICE_TIMES)

static const dsm__object_key device_keys[] = {
    {.name = "name"},
    {.name = "kind"},
    {.name = "count"},
    {.name = "accelerator"},
    {.name = "memory_GB"},
    {.name = "link_GBps"},
    {.name = "incoming_GBps"},
    {.name = "transfer_microseconds"},
    {.name = "element_bytes"},
    {.name = "weight_bytes"},
    {.name = "power"},
    {.name = "source"},
    {"system", CHIP},
    {"peak_TFLOPs", ROOFLINE},
    {"memory_bandwidth_GBps", ROOFLINE},
    {"efficiency_ratio", ROOFLINE},
    {"clock_MHz", FPGA},
    {"multipliers", FPGA},
    {"initiation_interval_cycles", FPGA},
    {"instances", FPGA},
    {"task_microseconds", ROOFLINE | FPGA},
    {"times", TIMES},
    {"seconds_ratio", TIMES},
};
const dsm__object_type dsm__device_object = {.name = "device",
                                             .keys = device_keys,
                                             .count = DSM__COUNT_OF(device_keys),
                                             .kinds = &dsm__device_kind_words};

/* A device as its item describes it, before `count` multiplies it. */
typedef struct item_reader {
  dsm_server *server;
  dsm_device device;
  uint64_t count;
  double seconds_ratio;
} item_reader;

#define READ DSM__FIELD_IS_READ
#define REQUIRED (DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED)
#define VALUE(kind, member, key, flags, least, most, ...)                                          \
  DSM__FIELD(kind, item_reader, member, key, flags, .min = (least), .max = (most), __VA_ARGS__)
#define REAL(member, key, least, most, otherwise)                                                  \
  VALUE(REAL, member, key, READ, least, most, .fallback = (otherwise))
/* Rates and capacities: 1 to 1e18 bytes and bytes a second, 1e3 to 1e21 operations a second. */
#define RATE(member, key, per, what)                                                               \
  VALUE(REAL, member, key, REQUIRED, 1e-9, 1e9, .scale = (per), .expected = (what))
#define GIGABYTES(member, key, otherwise)                                                          \
  VALUE(REAL, member, key, READ, 1e-9, 1e9, .scale = 1e9, .fallback = (otherwise))
#define BYTES(member)                                                                              \
  REAL(device.member, #member, DSM__ELEMENT_BYTES_MIN, DSM__ELEMENT_BYTES_MAX, 0)
#define WATTS(member, flags, ...)                                                                  \
  VALUE(REAL, device.member, #member, flags, DSM__WATTS_MIN, DSM__WATTS_MAX, __VA_ARGS__)

/* clang-format off: a field a row */
DSM__OWN_RECORD(head_record, item_reader, true, "What all devices say first.",
                DSM__FIELD(TEXT, item_reader, device.name, "name", REQUIRED,
                           .max = DSM_NAME_BYTES_MAX, .expected = "the device's name"),
                DSM__FIELD(WORD, item_reader, device.kind, "kind", REQUIRED,
                           .words = &dsm__device_kind_words, .fallback = DSM_DEVICE_KIND_COUNT,
                           .expected = "\"chip\", \"roofline\", \"fpga\" or \"times\""),
                VALUE(COUNT, count, "count", READ, 1, DSM_DEVICES_MAX, .fallback = 1));

DSM__OWN_RECORD(power_record, item_reader, true, "What a device draws.",
                WATTS(busy_watts, REQUIRED, .expected = "the power of a busy device"),
                WATTS(idle_watts, READ | DSM__FIELD_OR_0, .fallback = 0));

DSM__OWN_RECORD(common_record, item_reader, true, "What devices of all kinds may say.",
                DSM__FIELD(TEXT, item_reader, device.source, "source", READ | DSM__FIELD_IS_TALL,
                           .max = DSM_TEXT_BYTES_MAX),
                DSM__FIELD(FLAG, item_reader, device.is_accelerator, "accelerator", READ,
                           .fallback = 1),
                GIGABYTES(device.memory_bytes, "memory_GB", (double)INFINITY),
                GIGABYTES(device.link_bytes_per_second, "link_GBps", (double)INFINITY),
                GIGABYTES(device.incoming_bytes_per_second, "incoming_GBps", 0),
                VALUE(REAL, device.transfer_seconds, "transfer_microseconds", READ, 0, 1e9,
                      .scale = 1e-6, .fallback = 0),
                BYTES(element_bytes), BYTES(weight_bytes),
                {.key = "power", .kind = DSM__FIELD_RECORD, .flags = READ, .type = &power_record});

DSM__OWN_RECORD(roofline_record, item_reader, true, "What a device says whose times are two peaks.",
                RATE(device.roofline.peak_flops, "peak_TFLOPs", 1e12,
                     "the peak, in 10^12 operations a second"),
                RATE(device.roofline.memory_bytes_per_second, "memory_bandwidth_GBps", 1e9,
                     "the bandwidth of the device's memory"),
                REAL(device.roofline.efficiency_ratio, "efficiency_ratio", 1e-6, 1, 1),
                REAL(device.task_seconds, "task_microseconds", 0, 1e9, 0));

DSM__OWN_RECORD(fpga_record, item_reader, true, "What a device of multipliers says: 1 Hz to 1 THz.",
                VALUE(REAL, device.fpga.clock_hertz, "clock_MHz", REQUIRED, 1e-6, 1e6, .scale = 1e6,
                      .expected = "the clock of the kernel"),
                VALUE(COUNT, device.fpga.multipliers, "multipliers", REQUIRED, 1, DSM_DIMENSION_MAX,
                      .expected = "the number of multipliers of an instance"),
                REAL(device.fpga.initiation_interval_cycles, "initiation_interval_cycles", 1, 1e9,
                     1),
                VALUE(COUNT, device.fpga.instances, "instances", READ, 1, DSM_SIDE_MAX,
                      .fallback = 1),
                REAL(device.task_seconds, "task_microseconds", 0, 1e9, 0));

DSM__OWN_RECORD(times_record, item_reader, true, "What a device of given times says beside them.",
                REAL(seconds_ratio, "seconds_ratio", 1e-3, 1e3, 1));
/* clang-format on */

static bool read_fields(item_reader *reader, const dsm__json_node *item,
                        const dsm__record_type *type) {
  const dsm__record_reader records = {.arena = reader->server->arena, .wanted = READ};
  return dsm__record_read(&records, item, type, reader);
}

static void read_chip(item_reader *reader, const dsm__json_node *item) {
  const dsm__json_node node = dsm__json_member(item, "system");
  if (!dsm__json_require(&node, "the chip's five tiers: a whole system")) {
    return;
  }
  dsm_system *const system = dsm__system_new();
  if (dsm__json_lacks_memory(item->doc, system == NULL)) {
    return;
  }
  reader->server->chips[reader->server->chip_count++] = system;
  reader->device.chip = system;
  dsm__system_read(system, &node, false);
}

static void read_times(item_reader *reader, const dsm__json_node *item) {
  const dsm__json_node node = dsm__json_member(item, "times");
  if (!dsm__json_require(&node, "an object with a time in seconds, or null, for each layer")) {
    return;
  }
  if (!dsm__json_is_object(&node)) {
    dsm__json_object_only(&node, NULL, 0);
    return;
  }
  size_t count = 0;
  dsm__json_node member = dsm__json_first_member(&node);
  for (; dsm__json_is_present(&member); member = dsm__json_next(&member)) {
    count++;
  }
  if (count > DSM_LAYERS_MAX) {
    dsm__json_error(&node, NULL, "expected at most %d times, found %zu", DSM_LAYERS_MAX, count);
    return;
  }
  (void)read_fields(reader, item, &times_record);
  dsm__arena *const arena = reader->server->arena;
  dsm_given_time *const times = dsm__arena_array(arena, count, sizeof *times);
  member = dsm__json_first_member(&node);
  for (size_t t = 0; times != NULL && t < count; t++, member = dsm__json_next(&member)) {
    times[t].task = dsm__arena_strdup(arena, dsm__json_key(&member));
    dsm__seconds_read(&member, &times[t].seconds);
    times[t].seconds *= reader->seconds_ratio;
    if (dsm__json_lacks_memory(item->doc, times[t].task == NULL)) {
      return;
    }
  }
  if (dsm__json_lacks_memory(item->doc, times == NULL)) {
    return;
  }
  reader->device.times = times;
  reader->device.time_count = count;
}

static void read_kind(item_reader *reader, const dsm__json_node *item) {
  switch (reader->device.kind) {
  case DSM_DEVICE_CHIP:
    read_chip(reader, item);
    break;
  case DSM_DEVICE_ROOFLINE:
    (void)read_fields(reader, item, &roofline_record);
    break;
  case DSM_DEVICE_FPGA:
    (void)read_fields(reader, item, &fpga_record);
    break;
  case DSM_DEVICE_TIMES:
    read_times(reader, item);
    break;
  case DSM_DEVICE_KIND_COUNT:
    break;
  }
  reader->device.task_seconds /= 1e6;
}

static void read_common(item_reader *reader, const dsm__json_node *item) {
  dsm_device *const device = &reader->device;
  const dsm__json_node power = dsm__json_member(item, "power");
  (void)read_fields(reader, item, &common_record);
  if (device->chip != NULL && !isfinite(device->memory_bytes)) {
    device->memory_bytes = dsm_system_usable_bytes(device->chip);
  }
  if (!(device->weight_bytes > 0)) {
    device->weight_bytes = device->element_bytes;
  }
  device->has_power = device->busy_watts > 0;
  dsm__power_check(&power, device->busy_watts, device->idle_watts);
}

/* Reads an item of `devices`; its name stays NULL where it has none. */
static void read_item(item_reader *reader, const dsm__json_node *item) {
  if (!dsm__json_is_object(item)) {
    dsm__object_only_any(item, &dsm__device_object, DSM__ANY_KIND);
    return;
  }
  (void)read_fields(reader, item, &head_record);
  if (reader->device.kind < DSM_DEVICE_KIND_COUNT) {
    dsm__object_only(item, &dsm__device_object, reader->device.kind);
    read_kind(reader, item);
    read_common(reader, item);
  }
}

/* A device, or as many as `count` says: NAME1, NAME2 ..., and a100.1, a100.2 where the name ends in
 * a digit. */
static bool append_devices(item_reader *reader, dsm_device *devices, size_t *count) {
  const char *const name = reader->device.name;
  const bool is_numbered = name[0] != '\0' && strchr("0123456789", name[strlen(name) - 1]) != NULL;
  for (uint64_t c = 0; c < reader->count; c++) {
    dsm_device device = reader->device;
    if (reader->count > 1) {
      device.name = dsm__arena_printf(reader->server->arena, "%s%s%llu", name,
                                      is_numbered ? "." : "", (unsigned long long)c + 1);
    }
    if (device.name == NULL) {
      return false;
    }
    devices[(*count)++] = device;
  }
  return true;
}

/* After `count`: is a name too long, or there twice? The finding is at the item that has it. */
static bool are_names_good(const dsm__json_node *list, const dsm_device *devices,
                           const size_t *items, size_t count) {
  for (size_t j = 0; j < count; j++) {
    const bool is_long = strlen(devices[j].name) > DSM_NAME_BYTES_MAX;
    bool is_second = false;
    for (size_t k = 0; k < j; k++) {
      is_second = is_second || strcmp(devices[j].name, devices[k].name) == 0;
    }
    if (is_long || is_second) {
      const dsm__json_node item = dsm__json_item(list, items[j]);
      const dsm__json_node name = dsm__json_member(&item, "name");
      dsm__json_error(&name, NULL,
                      is_long ? "expected a name with room for the number behind it, found \"%s\""
                              : "expected a name of its own, found a second device \"%s\"",
                      devices[j].name);
      return false;
    }
  }
  return true;
}

/* Names of all devices, then those of items that stand for several. */
static size_t name_devices(const dsm_server *server, const dsm__json_node *list,
                           const size_t *items, dsm__named_devices *names) {
  size_t count = server->device_count;
  for (size_t j = 0; j < server->device_count; j++) {
    names[j] = (dsm__named_devices){server->devices[j].name, (uint64_t)1 << j};
    const dsm__json_node item = dsm__json_item(list, items[j]);
    const dsm__json_node name = dsm__json_member(&item, "name");
    const char *const text = dsm__json_text(&name);
    if (j > 0 && items[j - 1] == items[j]) {
      const bool is_second = j == 1 || items[j - 2] != items[j];
      count += is_second ? 1 : 0;
      names[count - 1] =
          is_second ? (dsm__named_devices){text, (uint64_t)3 << (j - 1)}
                    : (dsm__named_devices){text, names[count - 1].devices | (uint64_t)1 << j};
    }
  }
  return count;
}

static void read_links(dsm_server *server, const dsm__json_node *root, const dsm__json_node *list,
                       const size_t *items) {
  dsm__named_devices names[2 * DSM_DEVICES_MAX];
  const size_t count = name_devices(server, list, items, names);
  const dsm__links links =
      dsm__links_read(root, &dsm__server_links_record, names, count, server->arena);
  server->ports = links.ports;
  server->port_count = links.port_count;
  server->pairs = links.pairs;
  server->pair_count = links.pair_count;
}

static void read_devices(dsm_server *server, const dsm__json_node *root,
                         const dsm__json_node *list) {
  const size_t errors_before_all = dsm__json_doc_error_count(list->doc);
  size_t item_count = 0;
  if (!dsm__json_array(list, 1, DSM_DEVICES_MAX, &item_count)) {
    return;
  }
  dsm_device *const devices = dsm__arena_array(server->arena, DSM_DEVICES_MAX, sizeof *devices);
  server->chips = dsm__arena_array(server->arena, DSM_DEVICES_MAX, sizeof(dsm_system *));
  size_t items[DSM_DEVICES_MAX] = {0};
  size_t count = 0;
  bool is_complete = devices != NULL && server->chips != NULL;
  dsm__json_node item = dsm__json_item(list, 0);
  for (size_t i = 0; is_complete && i < item_count; i++, item = dsm__json_next(&item)) {
    const size_t errors_before = dsm__json_doc_error_count(list->doc);
    item_reader reader = {.server = server};
    const size_t first = count;
    read_item(&reader, &item);
    if (reader.device.name == NULL || dsm__json_doc_error_count(list->doc) > errors_before) {
      continue;
    }
    if (count + reader.count > DSM_DEVICES_MAX) {
      dsm__json_error(list, NULL, "expected at most %d devices, found more", DSM_DEVICES_MAX);
      return;
    }
    is_complete = append_devices(&reader, devices, &count);
    for (size_t j = first; j < count; j++) {
      items[j] = i;
    }
  }
  if (dsm__json_lacks_memory(list->doc, !is_complete)) {
    return;
  }
  if (are_names_good(list, devices, items, count)) {
    server->devices = devices;
    server->device_count = count;
    if (dsm__json_doc_error_count(list->doc) == errors_before_all) { /* links name them all */
      read_links(server, root, list, items);
    }
  }
}

DSM__OBJECT(dsm__server_object, "server", {.name = "format"}, {.name = "name"}, {.name = "source"},
            {.name = "devices"}, {.name = "ports"}, {.name = "pairs"});

static void read_server(dsm_server *server, const dsm__json_node *root) {
  if (!dsm__json_format(root, "dsm-server/1") || !dsm__object_only(root, &dsm__server_object, 0)) {
    return;
  }
  dsm__json_read_name(root, "the server's name", server->arena, &server->name);
  dsm__json_read_source(root, server->arena, &server->source);
  const dsm__json_node devices = dsm__json_member(root, "devices");
  if (dsm__json_require(&devices, "a list of devices")) {
    read_devices(server, root, &devices);
  }
}

static dsm_server *new_server(void) {
  return DSM__ARENA_OWNER(dsm_server);
}

DSM__DESCRIPTION(dsm__server_description, SERVER, "dsm-server/1", dsm_server, new_server,
                 read_server, dsm_server_free);
DSM__DESCRIPTION_READERS(dsm__server_description, dsm_server, dsm_server_parse, dsm_server_load);

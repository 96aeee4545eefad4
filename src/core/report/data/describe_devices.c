/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/describe_devices.h"

#include "report/data/partition_links.h"
#include "report/table/number_style.h"
#include "server/server_internal.h"

typedef struct device_row {
  dsm_instance_device of;
  dsm_device_kind kind; /* beyond its words: of a profile */
  double peak_flops;    /* 0: its times are given */
  bool has_tasks;
  size_t runs_tasks;
} device_row;

/* In CSV a device's name is the path, and its memory the value. */
DSM__RECORD(
    dsm__described_device_record, device_row, false, "A device.",
    DSM__FIELD(TEXT, device_row, of.name, "name", DSM__COLUMN, .column = "path",
               .help = "Its name."),
    DSM__FIELD(WORD, device_row, kind, "kind", DSM__OPTIONAL, .words = &dsm__device_kind_words,
               .help = "Of a server's device."),
    DSM__FIELD(FLAG, device_row, of.is_accelerator, "accelerator", 0, .help = "Else a host."),
    DSM__FIELD(REAL, device_row, peak_flops, "peak_flops",
               DSM__ABOVE | DSM__COLUMN | DSM__MORE | DSM__UNLESS_0, .unit = "FLOP/s",
               .help = "Operations a second at most, 2 for a MAC; absent where times are given."),
    DSM__FIELD(COUNT, device_row, runs_tasks, "runs_tasks", 0,
               .stated_if = DSM__IF(device_row, has_tasks),
               .help = "Tasks of the profile that it can run."),
    DSM__FIELD(REAL, device_row, of.memory_bytes, "memory_bytes", DSM__COLUMN | DSM__NULLABLE,
               .column = "value", .unit = "bytes", .help = "null: unlimited."),
    DSM__REAL(device_row, of.link_bytes_per_second, "link_bytes_per_second", DSM__NULLABLE,
              "bytes/s", "Out of the device; null: unlimited."),
    DSM__FIELD(REAL, device_row, of.incoming_bytes_per_second, "incoming_bytes_per_second",
               DSM__UNLESS_0, .unit = "bytes/s", .help = "Into the device; absent: unlimited."),
    DSM__FIELD(REAL, device_row, of.transfer_seconds, "transfer_seconds", DSM__UNLESS_0,
               .unit = "seconds", .help = "Fixed cost of a transfer over its link; absent: none."),
    DSM__FIELD(REAL, device_row, of.element_bytes, "element_bytes", DSM__UNLESS_0, .unit = "bytes",
               .help = "Of an element of what it makes; absent: it has none of its own."),
    DSM__FIELD(REAL, device_row, of.weight_bytes, "weight_bytes", DSM__UNLESS_0, .unit = "bytes",
               .help = "Of a parameter; absent: likewise."),
    DSM__FIELD(REAL, device_row, of.busy_watts, "busy_watts", 0, .unit = "watts",
               .stated_if = DSM__IF(device_row, of.has_power), .help = "Absent if not stated."),
    DSM__FIELD(REAL, device_row, of.idle_watts, "idle_watts", 0, .unit = "watts",
               .stated_if = DSM__IF(device_row, of.has_power), .help = "Absent if not stated."));

double dsm__device_peak_flops(const dsm_device *device) {
  static const double flops_per_mac = 2;
  switch (device->kind) {
  case DSM_DEVICE_CHIP:
    return dsm_system_peak_flops(device->chip);
  case DSM_DEVICE_ROOFLINE:
    return device->roofline.peak_flops;
  case DSM_DEVICE_FPGA:
    return flops_per_mac * (double)device->fpga.multipliers * (double)device->fpga.instances *
           device->fpga.clock_hertz / device->fpga.initiation_interval_cycles;
  case DSM_DEVICE_TIMES:
  case DSM_DEVICE_KIND_COUNT:
    break;
  }
  return 0;
}

static dsm__rows server_devices(dsm__page *page, const dsm_server *server) {
  const dsm__rows made = dsm__rows_make(page, server->device_count, sizeof(device_row));
  device_row *const rows = made.items;
  for (size_t j = 0; j < made.count; j++) {
    const dsm_device *const device = &server->devices[j];
    rows[j] = (device_row){.of = dsm__instance_device_of(device),
                           .kind = device->kind,
                           .peak_flops = dsm__device_peak_flops(device)};
  }
  return made;
}

static dsm__rows profile_devices(dsm__page *page, const dsm_instance *profile) {
  const dsm__rows made = dsm__rows_make(page, profile->device_count, sizeof(device_row));
  device_row *const rows = made.items;
  for (size_t j = 0; j < made.count; j++) {
    rows[j] =
        (device_row){.of = profile->devices[j], .kind = DSM_DEVICE_KIND_COUNT, .has_tasks = true};
    for (size_t i = 0; i < profile->task_count; i++) {
      rows[j].runs_tasks += isfinite(dsm_instance_seconds(profile, i, j)) ? 1 : 0;
    }
  }
  return made;
}

/* What lies between devices, of a server and of a profile. */
#define BETWEEN(of, names)                                                                         \
  .ports =                                                                                         \
      dsm__rows_of(page, dsm__port_rows(page->arena, &(names), (of)->ports, (of)->port_count),     \
                   (of)->port_count),                                                              \
  .pairs =                                                                                         \
      dsm__rows_of(page, dsm__pair_rows(page->arena, &(names), (of)->pairs, (of)->pair_count),     \
                   (of)->pair_count)

dsm__described_devices dsm__described_devices_of_server(dsm__page *page, const dsm_server *server) {
  dsm__device_names names = {.count = server->device_count};
  for (size_t j = 0; j < names.count; j++) {
    names.names[j] = server->devices[j].name;
  }
  return (dsm__described_devices){.devices = server_devices(page, server), BETWEEN(server, names)};
}

dsm__described_devices dsm__described_devices_of_profile(dsm__page *page,
                                                         const dsm_instance *profile) {
  const dsm__device_names names = dsm__instance_device_names(profile);
  return (dsm__described_devices){.devices = profile_devices(page, profile),
                                  BETWEEN(profile, names)};
}

static void add_link(dsm__table *table, const char *name, const char *devices,
                     double bytes_per_second, double transfer_seconds) {
  DSM__TABLE_TEXTS(
      table, name, devices,
      isfinite(bytes_per_second) ? dsm__figure_scaled(bytes_per_second, "B/s").text : "unlimited",
      transfer_seconds > 0
          ? dsm__page_text(table->page, "%s us", dsm__figure_short(1e6 * transfer_seconds, 4).text)
          : "");
}

static const char *names_text(dsm__page *page, const char *const *names, size_t count) {
  const char *text = "";
  for (size_t i = 0; i < count; i++) {
    text = dsm__page_join(page, text, ", ", "%s", names[i]);
  }
  return text;
}

void dsm__described_links(dsm__table *table, const dsm__described_devices *of) {
  dsm__page *const page = table->page;
  const device_row *const devices = of->devices.items;
  const dsm__port_row *const ports = of->ports.items;
  const dsm__pair_row *const pairs = of->pairs.items;
  for (size_t j = 0; j < of->devices.count; j++) {
    const dsm_instance_device *const device = &devices[j].of;
    if (device->transfer_seconds > 0) {
      add_link(table, "link out", device->name, device->link_bytes_per_second,
               device->transfer_seconds);
    }
    if (device->incoming_bytes_per_second > 0) {
      add_link(table, "way in", device->name, device->incoming_bytes_per_second, 0);
    }
  }
  for (size_t p = 0; p < of->ports.count; p++) {
    const dsm_port *const port = &ports[p].of;
    add_link(table,
             dsm__page_text(page, "port %s%s", port->name, port->is_direct ? "" : ", not direct"),
             names_text(page, ports[p].devices, ports[p].device_count), port->bytes_per_second, 0);
  }
  for (size_t q = 0; q < of->pairs.count; q++) {
    add_link(table, "pair", names_text(page, pairs[q].devices, pairs[q].device_count),
             pairs[q].of.bytes_per_second, pairs[q].of.transfer_seconds);
  }
}

const void *dsm__described_device(const dsm__described_devices *of, size_t device) {
  return &((const device_row *)of->devices.items)[device];
}

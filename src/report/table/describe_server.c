/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/describe_table.h"

#include <math.h>

#include "report/table/number_style.h"
#include "report/table/table.h"

static const double flops_per_mac = 2;

double dsm__device_peak_flops(const dsm_device *device) {
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

size_t dsm__runnable_tasks(const dsm_instance *profile, size_t device) {
  size_t count = 0;
  for (size_t i = 0; i < profile->task_count; i++) {
    count += isfinite(dsm_instance_seconds(profile, i, device)) ? 1 : 0;
  }
  return count;
}

double dsm__all_weights(const dsm_instance *profile) {
  double sum = 0;
  for (size_t i = 0; i < profile->task_count; i++) {
    sum += profile->tasks[i].weights_bytes;
  }
  return sum;
}

/* ---- as a table ---- */

static const dsm__table_column server_columns[] = {
    {.title = "device", .is_name = true},
    {.title = "kind", .gap = 2},
    {.title = "role", .gap = 2, .rank = 2},
    {.title = "peak", .gap = 2, .is_right = true},
    {.title = "memory", .gap = 2, .is_right = true},
    {.title = "link", .gap = 2, .is_right = true},
    {.title = "busy W", .gap = 2, .is_right = true, .rank = 1},
};

static const dsm__table_column profile_columns[] = {
    {.title = "device", .is_name = true},
    {.title = "role", .gap = 2, .rank = 2},
    {.title = "runs tasks", .gap = 2, .is_right = true},
    {.title = "memory", .gap = 2, .is_right = true},
    {.title = "link", .gap = 2, .is_right = true},
    {.title = "busy W", .gap = 2, .is_right = true, .rank = 1},
};

static void add_capacity(dsm__table *table, double value, const char *unit) {
  dsm__table_text(table, isfinite(value) ? dsm__page_text(table->page, "%s",
                                                          dsm__figure_scaled(value, unit).text)
                                         : "unlimited");
}

static void add_limits(dsm__table *table, double memory_bytes, double link_bytes_per_second,
                       bool has_power, double busy_watts) {
  add_capacity(table, memory_bytes, "B");
  add_capacity(table, link_bytes_per_second, "B/s");
  dsm__table_add(
      table, DSM__STYLE_PLAIN,
      has_power ? dsm__page_text(table->page, "%s", dsm__figure_short(busy_watts, 4).text) : "-");
}

static const char *role_text(bool is_accelerator) {
  return is_accelerator ? "accelerator" : "host";
}

/* ---- what is said of links beside their bandwidth, and of precisions ---- */

static const dsm__table_column link_columns[] = {
    {.title = "connection", .is_name = true},
    {.title = "devices", .gap = 2, .is_name = true},
    {.title = "bandwidth", .gap = 2, .is_right = true},
    {.title = "a transfer", .gap = 2, .is_right = true},
};

/* Of a server or a profile. */
typedef struct connected {
  const dsm_instance_device *devices;
  size_t device_count;
  const dsm_port *ports;
  size_t port_count;
  const dsm_device_pair *pairs;
  size_t pair_count;
} connected;

static const char *names_text(dsm__page *page, const connected *of, uint64_t bits) {
  const char *text = "";
  for (size_t j = 0; j < of->device_count; j++) {
    text =
        (bits >> j & 1) != 0 ? dsm__page_join(page, text, ", ", "%s", of->devices[j].name) : text;
  }
  return text;
}

static void add_link(dsm__table *table, const char *name, const char *devices,
                     double bytes_per_second, double transfer_seconds) {
  DSM__TABLE_TEXTS(table, name, devices);
  add_capacity(table, bytes_per_second, "B/s");
  dsm__table_text(table, transfer_seconds > 0
                             ? dsm__page_text(table->page, "%s us",
                                              dsm__figure_short(1e6 * transfer_seconds, 4).text)
                             : "");
}

static void add_device_links(dsm__table *table, const dsm_instance_device *device) {
  if (device->transfer_seconds > 0) {
    add_link(table, "link out", device->name, device->link_bytes_per_second,
             device->transfer_seconds);
  }
  if (device->incoming_bytes_per_second > 0) {
    add_link(table, "way in", device->name, device->incoming_bytes_per_second, 0);
  }
}

/* Nothing where links out of devices have a bandwidth and nothing else. */
static void put_links(dsm__page *page, const connected *of) {
  dsm__table table = DSM__TABLE(page, link_columns);
  bool has_links = of->port_count + of->pair_count > 0;
  for (size_t j = 0; j < of->device_count; j++) {
    has_links = has_links || of->devices[j].transfer_seconds > 0 ||
                of->devices[j].incoming_bytes_per_second > 0;
    add_device_links(&table, &of->devices[j]);
  }
  for (size_t p = 0; p < of->port_count; p++) {
    const dsm_port *const port = &of->ports[p];
    add_link(&table,
             dsm__page_text(page, "port %s%s", port->name, port->is_direct ? "" : ", not direct"),
             names_text(page, of, port->devices), port->bytes_per_second, 0);
  }
  for (size_t q = 0; q < of->pair_count; q++) {
    const dsm_device_pair *const pair = &of->pairs[q];
    add_link(
        &table, "pair",
        names_text(page, of, (uint64_t)1 << pair->devices[0] | (uint64_t)1 << pair->devices[1]),
        pair->bytes_per_second, pair->transfer_seconds);
  }
  if (has_links) {
    dsm__page_break(page);
    dsm__table_print(&table);
  }
}

static const dsm__table_column precision_columns[] = {
    {.title = "precision", .is_name = true},
    {.title = "bytes an element", .gap = 2, .is_right = true},
    {.title = "a parameter", .gap = 2, .is_right = true},
};

static const char *bytes_text(dsm__page *page, double bytes) {
  return bytes > 0 ? dsm__page_text(page, "%s", dsm__figure_short(bytes, 4).text) : "as stated";
}

/* Nothing where no device has its own. */
static void put_precision(dsm__page *page, const connected *of) {
  dsm__table table = DSM__TABLE(page, precision_columns);
  bool has_own = false;
  for (size_t j = 0; j < of->device_count; j++) {
    const dsm_instance_device *const device = &of->devices[j];
    if (device->weight_bytes > 0) {
      DSM__TABLE_TEXTS(&table, device->name, bytes_text(page, device->element_bytes),
                       bytes_text(page, device->weight_bytes));
      has_own = true;
    }
  }
  if (has_own) {
    dsm__page_break(page);
    dsm__table_print(&table);
  }
}

/* What a server's device has of that. */
static dsm_instance_device connections_of(const dsm_device *device) {
  return (dsm_instance_device){.name = device->name,
                               .link_bytes_per_second = device->link_bytes_per_second,
                               .incoming_bytes_per_second = device->incoming_bytes_per_second,
                               .transfer_seconds = device->transfer_seconds,
                               .element_bytes = device->element_bytes,
                               .weight_bytes = device->weight_bytes};
}

void dsm__describe_server(dsm__page *page, const dsm_server *server) {
  const size_t count = server->device_count;
  dsm__page_line(page, DSM__STYLE_PLAIN, "%zu device%s", count, count == 1 ? "" : "s");
  dsm__describe_source(page, server->source);
  dsm__table table = DSM__TABLE(page, server_columns);
  for (size_t j = 0; j < count; j++) {
    const dsm_device *const device = &server->devices[j];
    const double peak = dsm__device_peak_flops(device);
    DSM__TABLE_TEXTS(
        &table, device->name, dsm_device_kind_name(device->kind), role_text(device->is_accelerator),
        peak > 0 ? dsm__page_text(page, "%s", dsm__figure_scaled(peak, "FLOP/s").text) : "-");
    add_limits(&table, device->memory_bytes, device->link_bytes_per_second, device->has_power,
               device->busy_watts);
  }
  dsm__table_print(&table);
  dsm_instance_device devices[DSM_DEVICES_MAX];
  for (size_t j = 0; j < count; j++) {
    devices[j] = connections_of(&server->devices[j]);
  }
  const connected all = {devices,           count, server->ports, server->port_count, server->pairs,
                         server->pair_count};
  put_links(page, &all);
  put_precision(page, &all);
}

void dsm__describe_profile(dsm__page *page, const dsm_instance *profile) {
  dsm__page_line(page, DSM__STYLE_PLAIN,
                 "%zu task%s with %s of parameters, %zu tensor%s between them", profile->task_count,
                 profile->task_count == 1 ? "" : "s",
                 dsm__figure_scaled(dsm__all_weights(profile), "B").text, profile->tensor_count,
                 profile->tensor_count == 1 ? "" : "s");
  dsm__page_break(page);
  dsm__table table = DSM__TABLE(page, profile_columns);
  for (size_t j = 0; j < profile->device_count; j++) {
    const dsm_instance_device *const device = &profile->devices[j];
    DSM__TABLE_TEXTS(&table, device->name, role_text(device->is_accelerator),
                     dsm__page_text(page, "%zu", dsm__runnable_tasks(profile, j)));
    add_limits(&table, device->memory_bytes, device->link_bytes_per_second, device->has_power,
               device->busy_watts);
  }
  dsm__table_print(&table);
  const connected all = {profile->devices,    profile->device_count, profile->ports,
                         profile->port_count, profile->pairs,        profile->pair_count};
  put_links(page, &all);
  put_precision(page, &all);
}

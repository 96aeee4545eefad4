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
}

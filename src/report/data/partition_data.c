/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_data.c: partitions for programs (format "dsm-partition/1", and CSV). */
#include <math.h>

#include "base/json_write.h"
#include "report/data/cells.h"
#include "report/data/json_parts.h"
#include "report/table/partition_gain.h"
#include "report/table/text_page.h"

/* ---- JSON ---- */

/* JSON has no infinity: null. */
static void put_number(dsm__json_writer *writer, const char *key, double value) {
  dsm__json_write_key(writer, key);
  if (isfinite(value)) {
    dsm__json_write_double(writer, value);
  } else {
    dsm__json_write_null(writer);
  }
}

static void write_answer(dsm__json_writer *writer, const dsm_partition *partition) {
  dsm__json_put_string(writer, "instance", partition->instance->name);
  dsm__json_put_string(writer, "objective", dsm_objective_kind_name(partition->options.objective));
  dsm__json_put_string(writer, "status", dsm_solution_status_name(partition->status));
  dsm__json_put_bool(writer, "heuristic", partition->is_heuristic);
  put_number(writer, "rho", partition->rho);
  put_number(writer, "requests_per_second", partition->rho);
  put_number(writer, "latency_seconds", partition->latency_seconds);
  if (partition->joules_per_request > 0) {
    put_number(writer, "joules_per_request", partition->joules_per_request);
  }
  put_number(writer, "objective_value", partition->objective);
  put_number(writer, "bound", partition->bound);
  put_number(writer, "relaxation", partition->relaxation);
  put_number(writer, "gap", partition->gap);
  put_number(writer, "solver_seconds", partition->solver_seconds);
}

static void write_options(dsm__json_writer *writer, const dsm_partition_options *options) {
  dsm__json_put_object(writer, "options", false);
  if (options->objective == DSM_OBJECTIVE_ENERGY) {
    put_number(writer, "required_rho", options->required_rho);
  }
  put_number(writer, "time_limit_seconds", options->time_limit_seconds);
  put_number(writer, "gap", options->gap);
  dsm__json_put_bool(writer, "count_activations", options->does_count_activations);
  dsm__json_put_bool(writer, "keep_results", options->does_keep_results);
  dsm__json_end_object(writer);
}

static void write_binds(dsm__json_writer *writer, const dsm_device_use *use) {
  dsm__json_put_array(writer, "binds", true);
  if (use->is_time_binding) {
    dsm__json_write_string(writer, "time");
  }
  if (use->is_memory_binding) {
    dsm__json_write_string(writer, "memory");
  }
  if (use->is_link_binding) {
    dsm__json_write_string(writer, "link");
  }
  dsm__json_end_array(writer);
}

static void write_devices(dsm__json_writer *writer, const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  const bool is_one_request = partition->options.objective == DSM_OBJECTIVE_LATENCY;
  dsm__json_put_array(writer, "devices", false);
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm_instance_device *const device = &instance->devices[j];
    const dsm_device_use *const use = &partition->uses[j];
    dsm__json_begin_object(writer, false);
    dsm__json_put_string(writer, "name", device->name);
    dsm__json_put_bool(writer, "accelerator", device->is_accelerator);
    put_number(writer, "time_fraction", use->time_fraction);
    put_number(writer, "memory_bytes", use->memory_bytes);
    put_number(writer, "memory_capacity_bytes", device->memory_bytes);
    put_number(writer, "memory_fraction", use->memory_fraction);
    put_number(writer, is_one_request ? "link_bytes" : "link_bytes_per_second",
               use->link_bytes_per_second);
    put_number(writer, "link_capacity_bytes_per_second", device->link_bytes_per_second);
    put_number(writer, "link_fraction", use->link_fraction);
    write_binds(writer, use);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void write_task(dsm__json_writer *writer, const dsm_partition *partition, size_t task) {
  const dsm_instance *const instance = partition->instance;
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "name", instance->tasks[task].name);
  put_number(writer, "weights_bytes", instance->tasks[task].weights_bytes);
  put_number(writer, "output_bytes", instance->tasks[task].output_bytes);
  dsm__json_put_array(writer, "placements", false);
  for (size_t j = 0; j < instance->device_count; j++) {
    const size_t at = task * instance->device_count + j;
    if (partition->is_stored[at]) {
      dsm__json_begin_object(writer, true);
      dsm__json_put_string(writer, "device", instance->devices[j].name);
      put_number(writer, "rate", partition->rates[at]);
      put_number(writer, "seconds", instance->seconds[at]);
      dsm__json_end_object(writer);
    }
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

static void write_tasks(dsm__json_writer *writer, const dsm_partition *partition) {
  dsm__json_put_array(writer, "tasks", false);
  for (size_t i = 0; i < partition->instance->task_count; i++) {
    write_task(writer, partition, i);
  }
  dsm__json_end_array(writer);
}

static void write_baselines(dsm__json_writer *writer, const dsm_partition *partition) {
  dsm__json_put_array(writer, "baselines", false);
  for (int k = 0; k < DSM_BASELINE_KIND_COUNT; k++) {
    const dsm_partition_baseline *const baseline = &partition->baselines[k];
    const double gain = dsm__partition_gain(partition, baseline);
    dsm__json_begin_object(writer, false);
    dsm__json_put_string(writer, "name", dsm_baseline_kind_name(baseline->kind));
    dsm__json_put_bool(writer, "feasible", baseline->is_feasible);
    dsm__json_put_u64(writer, "devices", baseline->device_count);
    if (baseline->is_feasible) {
      put_number(writer, "rho", baseline->rho);
      put_number(writer, "latency_seconds", baseline->latency_seconds);
    }
    if (gain > 0) {
      put_number(writer, "gain", gain);
    }
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

char *dsm_report_partition_json(const dsm_partition *partition, const dsm_dispatch *simulation) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-partition/1");
  write_answer(&writer, partition);
  write_options(&writer, &partition->options);
  write_devices(&writer, partition);
  write_tasks(&writer, partition);
  write_baselines(&writer, partition);
  if (simulation != NULL) {
    dsm__json_write_key(&writer, "simulation");
    dsm__dispatch_write(&writer, simulation);
  }
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

/* ---- CSV ---- */

static void add_number(dsm__cells *csv, double value) {
  if (isfinite(value)) {
    dsm__cells_double(csv, value);
  } else {
    dsm__cells_empty(csv, 1);
  }
}

static void add_answer(dsm__cells *csv, const dsm_partition *partition) {
  dsm__cells_text(csv, partition->instance->name);
  dsm__cells_text(csv, dsm_objective_kind_name(partition->options.objective));
  dsm__cells_text(csv, dsm_solution_status_name(partition->status));
  add_number(csv, partition->rho);
  add_number(csv, partition->latency_seconds);
  add_number(csv, partition->bound);
  add_number(csv, partition->gap);
}

static void add_row(dsm__cells *csv, const dsm_partition *partition, const dsm_dispatch *simulation,
                    size_t task, size_t device) {
  const dsm_instance *const instance = partition->instance;
  const size_t at = task * instance->device_count + device;
  const dsm_device_use *const use = &partition->uses[device];
  add_answer(csv, partition);
  dsm__cells_text(csv, instance->tasks[task].name);
  dsm__cells_text(csv, instance->devices[device].name);
  add_number(csv, partition->rates[at]);
  add_number(csv, instance->seconds[at]);
  add_number(csv, instance->tasks[task].weights_bytes);
  add_number(csv, instance->tasks[task].output_bytes);
  add_number(csv, use->time_fraction);
  add_number(csv, use->memory_fraction);
  add_number(csv, use->link_fraction);
  if (simulation != NULL) {
    add_number(csv, simulation->throughput);
    add_number(csv, simulation->mean_latency_seconds);
    add_number(csv, simulation->p99_latency_seconds);
    add_number(csv, simulation->devices[device].time_fraction);
    add_number(csv, simulation->devices[device].link_fraction);
    add_number(csv, simulation->devices[device].mean_queue);
  } else {
    dsm__cells_empty(csv, 6);
  }
  dsm__cells_end_row(csv);
}

char *dsm_report_partition_csv(const dsm_partition *partition, const dsm_dispatch *simulation) {
  static const char *const titles[] = {"instance",
                                       "objective",
                                       "status",
                                       "rho",
                                       "latency_seconds",
                                       "bound",
                                       "gap",
                                       "task",
                                       "device",
                                       "rate",
                                       "seconds",
                                       "weights_bytes",
                                       "output_bytes",
                                       "time_fraction",
                                       "memory_fraction",
                                       "link_fraction",
                                       "simulation.throughput",
                                       "simulation.latency.mean_seconds",
                                       "simulation.latency.p99_seconds",
                                       "simulation.time_fraction",
                                       "simulation.link_fraction",
                                       "simulation.mean_queue"};
  const dsm_instance *const instance = partition->instance;
  dsm__text_buffer out = {0};
  dsm__cells csv = {.out = &out};
  dsm__cells_texts(&csv, titles, DSM__COUNT_OF(titles));
  dsm__cells_end_row(&csv);
  for (size_t i = 0; i < instance->task_count; i++) {
    for (size_t j = 0; j < instance->device_count; j++) {
      if (partition->is_stored[i * instance->device_count + j]) {
        add_row(&csv, partition, simulation, i, j);
      }
    }
  }
  return dsm__text_finish(&out);
}

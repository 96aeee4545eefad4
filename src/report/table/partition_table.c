/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_table.c: where tasks run and why not faster, for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number_text.h"
#include "partition/batch_mean.h"
#include "report/answer.h"
#include "report/table/number_style.h"
#include "report/table/partition_gain.h"
#include "report/table/partition_placement.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

#define LABEL_WIDTH 14

/* ---- numbers ---- */

static const char *milliseconds(dsm__page *page, double seconds) {
  return dsm__page_text(page, "%s ms", dsm__figure_digits(1e3 * seconds, 4).text);
}

/* A share of a capacity; "-" for nothing and for a capacity without a limit. */
static const char *percent(dsm__page *page, double share) {
  return dsm__page_text(page, "%s", dsm__figure_percent(share).text);
}

/* ---- answer ---- */

static const char *value_text(dsm__page *page, const dsm_partition *partition, double value) {
  if (!isfinite(value)) {
    return "unknown";
  }
  switch (partition->options.objective) {
  case DSM_OBJECTIVE_LATENCY:
    return milliseconds(page, value);
  case DSM_OBJECTIVE_ENERGY:
    return dsm__page_text(page, "%s J", dsm__figure_digits(value, 4).text);
  case DSM_OBJECTIVE_THROUGHPUT:
  case DSM_OBJECTIVE_KIND_COUNT:
    break;
  }
  return dsm__page_text(page, "%s requests/s", dsm__figure_digits(value, 4).text);
}

/* Without seconds: the same input gives the same table. */
static const char *status_text(dsm__page *page, const dsm_partition *partition) {
  const char *found = "optimal within the gap";
  if (partition->status != DSM_SOLUTION_OPTIMAL) {
    found = partition->was_stopped ? "not proven: interrupted"
            : partition->solver_seconds < partition->options.time_limit_seconds
                ? "not proven: the solver's numbers are not exact enough for the gap"
                : "the time limit came before the proof";
    if (partition->statistics.column_count == 0) {
      found = "not proven: too large for the solver within the time limit";
    }
  }
  return partition->is_heuristic
             ? dsm__page_text(page, "%s; the answer is that of the heuristic at the start", found)
             : found;
}

static void put_placing(dsm__page *page, const dsm_partition_options *options) {
  if (options->copies_max > 0) {
    dsm__page_labelled(page, LABEL_WIDTH, "copies", "at most %zu of each task%s",
                       options->copies_max, options->is_staged ? ", each device a stage" : "");
  }
  if (options->cuts_max > 0) {
    dsm__page_labelled(page, LABEL_WIDTH, "cuts", "at most %zu", options->cuts_max);
  }
}

static const char *waiting_text(dsm__page *page, const dsm_partition *partition) {
  return partition->waiting_seconds > 0
             ? dsm__page_text(page, ", of it %s until batches are full, on average",
                              milliseconds(page, partition->waiting_seconds))
             : "";
}

/* Of the devices that have their own. */
static void put_precision(dsm__page *page, const dsm_instance *instance) {
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm_instance_device *const device = &instance->devices[j];
    if (device->element_bytes > 0) {
      dsm__page_labelled(page, LABEL_WIDTH, "precision", "%s: bytes an element %s, a parameter %s",
                         device->name, dsm__figure_short(device->element_bytes, 4).text,
                         dsm__figure_short(device->weight_bytes, 4).text);
    } else if (device->weight_bytes > 0) {
      dsm__page_labelled(page, LABEL_WIDTH, "precision", "%s: bytes a parameter %s", device->name,
                         dsm__figure_short(device->weight_bytes, 4).text);
    }
  }
}

static void put_off(dsm__page *page, const dsm_partition *partition) {
  const char *names = "";
  for (size_t j = 0; j < partition->instance->device_count; j++) {
    if (partition->uses[j].is_off) {
      names = dsm__page_text(page, "%s%s%s", names, names[0] == '\0' ? "" : ", ",
                             partition->instance->devices[j].name);
    }
  }
  if (partition->options.is_unused_off) {
    dsm__page_labelled(page, LABEL_WIDTH, "off", "%s", names[0] == '\0' ? "none" : names);
  }
}

static void put_answer(dsm__page *page, const dsm_partition *partition) {
  dsm__page_line(page, DSM__STYLE_HEADING, "%s: best %s on %zu device%s", partition->instance->name,
                 dsm_objective_kind_name(partition->options.objective),
                 partition->instance->device_count,
                 dsm__plural((double)partition->instance->device_count));
  dsm__page_break(page);
  dsm__page_labelled(page, LABEL_WIDTH, "throughput", "%s requests/s%s",
                     dsm__figure_digits(partition->rho, 4).text,
                     partition->is_bound ? ", a bound, as the network is not a chain" : "");
  const uint64_t batch = partition->instance->batch;
  if (batch > 1) {
    dsm__page_labelled(page, LABEL_WIDTH, "samples", "%s samples/s, %" PRIu64 " a request",
                       dsm__figure_digits((double)batch * partition->rho, 4).text, batch);
  }
  if (partition->whole_rho > 0) {
    dsm__page_labelled(page, LABEL_WIDTH, "whole",
                       "at most %s requests/s if each request runs as a whole",
                       dsm__figure_digits(partition->whole_rho, 4).text);
  }
  if (partition->simulated_rho > 0) {
    dsm__page_labelled(page, LABEL_WIDTH, "simulated", "%s requests/s",
                       dsm__figure_digits(partition->simulated_rho, 4).text);
  }
  dsm__page_labelled(page, LABEL_WIDTH, "latency", "%s%s",
                     milliseconds(page, partition->latency_seconds), waiting_text(page, partition));
  if (partition->options.latency_limit_seconds > 0) {
    dsm__page_labelled(page, LABEL_WIDTH, "mean", "%s a request, %sat most %s allowed",
                       milliseconds(page, partition->mean_latency_seconds),
                       partition->is_mean_bound ? "a bound, as the network is not a chain;  " : "",
                       milliseconds(page, partition->options.latency_limit_seconds));
  }
  if (partition->joules_per_request > 0) {
    dsm__page_labelled(page, LABEL_WIDTH, "energy", "%s J a request",
                       dsm__figure_digits(partition->joules_per_request, 4).text);
  }
  const char *const gap =
      isfinite(partition->gap)
          ? dsm__page_text(page, "%s %%", dsm__figure_fixed(100 * partition->gap, 3).text)
          : "unknown";
  dsm__page_labelled(page, LABEL_WIDTH, "bound", "%s, gap %s; linear relaxation %s",
                     value_text(page, partition, partition->bound), gap,
                     value_text(page, partition, partition->relaxation));
  dsm__page_labelled(page, LABEL_WIDTH, "solver", "%s", status_text(page, partition));
  put_placing(page, &partition->options);
  put_off(page, partition);
  put_precision(page, partition->instance);
}

/* ---- devices ---- */

static const dsm__table_column device_columns[] = {
    {.title = "device", .is_name = true},
    {.title = "batch", .gap = 2, .is_right = true, .is_optional = true},
    {.title = "time %", .gap = 2, .is_right = true},
    {.title = "memory", .gap = 2, .is_right = true, .rank = 2},
    {.title = "memory %", .gap = 2, .is_right = true},
    {.title = "link", .gap = 2, .is_right = true, .rank = 1},
    {.title = "link %", .gap = 2, .is_right = true},
    {.title = "binds", .gap = 2},
};

static const char *binds_text(dsm__page *page, const dsm_device_use *use) {
  const char *text = use->is_time_binding ? "time" : "";
  text = use->is_memory_binding ? dsm__page_join(page, text, ", ", "memory") : text;
  return use->is_link_binding ? dsm__page_join(page, text, ", ", "link") : text;
}

static void put_devices(dsm__page *page, const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  const char *const unit = partition->options.objective == DSM_OBJECTIVE_LATENCY ? "B" : "B/s";
  dsm__table table = DSM__TABLE(page, device_columns);
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm_device_use *const use = &partition->uses[j];
    const uint32_t batch = instance->devices[j].batch;
    dsm__table_text(&table, instance->devices[j].name);
    dsm__table_text(
        &table, dsm__has_batches(instance) ? dsm__figure_count(batch > 1 ? batch : 1).text : "");
    dsm__table_add(&table, dsm__style_of_utilization(use->time_fraction),
                   percent(page, use->time_fraction));
    DSM__TABLE_TEXTS(&table, dsm__figure_scaled(use->memory_bytes, "B").text,
                     percent(page, use->memory_fraction),
                     dsm__figure_scaled(use->link_bytes_per_second, unit).text,
                     percent(page, use->link_fraction), binds_text(page, use));
  }
  dsm__page_heading(page, "Devices, and what limits them");
  dsm__table_print(&table);
}

/* ---- ports, pairs, ways in ---- */

static const dsm__table_column carrier_columns[] = {
    {.title = "carrier", .is_name = true},
    {.title = "bandwidth", .gap = 2, .is_right = true, .rank = 1},
    {.title = "carries", .gap = 2, .is_right = true, .rank = 2},
    {.title = "time %", .gap = 2, .is_right = true},
    {.title = "binds", .gap = 2},
};

static const char *carrier_name(dsm__page *page, const dsm_instance *instance,
                                const dsm_carrier_use *use) {
  switch (use->kind) {
  case DSM_CARRIER_LINK:
    return instance->devices[use->index].name;
  case DSM_CARRIER_INCOMING:
    return dsm__page_text(page, "into %s", instance->devices[use->index].name);
  case DSM_CARRIER_PORT_OUT:
    return dsm__page_text(page, "%s out", instance->ports[use->index].name);
  case DSM_CARRIER_PORT_IN:
    return dsm__page_text(page, "%s in", instance->ports[use->index].name);
  case DSM_CARRIER_PAIR:
    return dsm__page_text(page, "%s to %s", instance->devices[use->index].name,
                          instance->devices[use->target].name);
  case DSM_CARRIER_KIND_COUNT:
    break;
  }
  return "";
}

static void put_carriers(dsm__page *page, const dsm_partition *partition) {
  const char *const unit = partition->options.objective == DSM_OBJECTIVE_LATENCY ? "B" : "B/s";
  dsm__table table = DSM__TABLE(page, carrier_columns);
  for (size_t r = 0; r < partition->carrier_count; r++) {
    const dsm_carrier_use *const use = &partition->carriers[r];
    DSM__TABLE_TEXTS(&table, carrier_name(page, partition->instance, use),
                     isfinite(use->capacity) ? dsm__figure_scaled(use->capacity, "B/s").text
                                             : "unlimited",
                     dsm__figure_scaled(use->bytes_per_second, unit).text,
                     percent(page, use->time_fraction), use->is_binding ? "yes" : "");
  }
  dsm__page_heading(page, "Ports, pairs and links into devices");
  dsm__table_print(&table);
}

/* ---- baselines ---- */

static const dsm__table_column baseline_columns[] = {
    {.title = "without partitioning"},
    {.title = "devices", .gap = 2, .is_right = true, .rank = 2},
    {.title = "requests/s", .gap = 2, .is_right = true},
    {.title = "latency ms", .gap = 2, .is_right = true, .rank = 1},
    {.title = "gain", .gap = 2, .is_right = true},
};

static void put_baselines(dsm__page *page, const dsm_partition *partition) {
  static const char *const labels[DSM_BASELINE_KIND_COUNT] = {
      "all of it on each accelerator", "all of it on each device", "all of it on the best device"};
  dsm__table table = DSM__TABLE(page, baseline_columns);
  for (int k = 0; k < DSM_BASELINE_KIND_COUNT; k++) {
    const dsm_partition_baseline *const baseline = &partition->baselines[k];
    const double gain = dsm__partition_gain(partition, baseline);
    DSM__TABLE_TEXTS(&table, labels[k], dsm__figure_count(baseline->device_count).text);
    if (!baseline->is_feasible) {
      dsm__table_add(&table, DSM__STYLE_FAINT, "impossible");
      dsm__table_add(&table, DSM__STYLE_FAINT, "-");
      dsm__table_add(&table, DSM__STYLE_FAINT, "-");
      continue;
    }
    DSM__TABLE_TEXTS(&table, dsm__figure_digits(baseline->rho, 4).text,
                     dsm__figure_digits(1e3 * baseline->latency_seconds, 4).text);
    dsm__table_add(&table, gain > 1 ? DSM__STYLE_GOOD : DSM__STYLE_PLAIN,
                   gain > 0 ? dsm__page_text(page, "%s x", dsm__figure_digits(gain, 3).text) : "-");
  }
  dsm__page_break(page);
  dsm__table_print(&table);
}

/* ---- simulation ---- */

static const dsm__table_column simulation_columns[] = {
    {.title = "device", .is_name = true},
    {.title = "time %", .gap = 2, .is_right = true},
    {.title = "link %", .gap = 2, .is_right = true},
    {.title = "mean queue", .gap = 2, .is_right = true},
    {.title = "most", .gap = 2, .is_right = true},
};

static const char *requests_text(dsm__page *page, const dsm_dispatch_options *options) {
  const char *const count = dsm__page_text(page, "Simulation of %s request%s",
                                           dsm__figure_count(options->request_count).text,
                                           dsm__plural((double)options->request_count));
  const char *const rule = dsm_dispatch_rule_name(options->rule);
  return options->window > 0
             ? dsm__page_text(page, "%s, %s at a time, dispatch %s", count,
                              dsm__figure_count(options->window).text, rule)
             : dsm__page_text(page, "%s that arrive at %s a second, seed %" PRIu64 ", dispatch %s",
                              count, dsm__figure_short(options->rate, 4).text, options->seed, rule);
}

/* What looks as if it were better than can be. */
static void put_explanations(dsm__page *page, const dsm_dispatch *simulation) {
  const dsm_partition *const partition = simulation->partition;
  const bool is_throughput = partition->options.objective == DSM_OBJECTIVE_THROUGHPUT;
  if (is_throughput && simulation->throughput > partition->bound) {
    dsm__page_labelled(
        page, LABEL_WIDTH, "",
        "the throughput is above the bound because it counts requests that were under way when the "
        "half began; of those that entered in it there are %s requests/s",
        dsm__figure_digits(simulation->throughput_within, 4).text);
  }
  if (simulation->p50_latency_seconds < partition->latency_seconds - partition->waiting_seconds) {
    dsm__page_labelled(page, LABEL_WIDTH, "",
                       "latencies are below that of the answer, where tasks run one after another: "
                       "here branches run at the same time on several devices");
  }
}

static void put_simulation(dsm__page *page, const dsm_dispatch *simulation) {
  const dsm_instance *const instance = simulation->partition->instance;
  dsm__page_heading(page, "%s", requests_text(page, &simulation->options));
  dsm__page_break(page);
  dsm__page_labelled(page, LABEL_WIDTH, "throughput", "%s requests/s in the steady half",
                     dsm__figure_digits(simulation->throughput, 4).text);
  dsm__page_labelled(page, LABEL_WIDTH, "latency", "mean %s, p50 %s, p95 %s, p99 %s",
                     milliseconds(page, simulation->mean_latency_seconds),
                     milliseconds(page, simulation->p50_latency_seconds),
                     milliseconds(page, simulation->p95_latency_seconds),
                     milliseconds(page, simulation->p99_latency_seconds));
  if (simulation->mean_waiting_seconds > 0) {
    dsm__page_labelled(page, LABEL_WIDTH, "waiting",
                       "mean %s until batches were full; %s batch%s began before",
                       milliseconds(page, simulation->mean_waiting_seconds),
                       dsm__figure_count(simulation->partial_batches).text,
                       simulation->partial_batches == 1 ? "" : "es");
  }
  put_explanations(page, simulation);
  dsm__table table = DSM__TABLE(page, simulation_columns);
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm_dispatch_device *const device = &simulation->devices[j];
    dsm__table_text(&table, instance->devices[j].name);
    dsm__table_add(&table, dsm__style_of_utilization(device->time_fraction),
                   percent(page, device->time_fraction));
    DSM__TABLE_TEXTS(&table, percent(page, device->link_fraction),
                     dsm__figure_fixed(device->mean_queue, 2).text,
                     dsm__figure_count(device->most_queued).text);
  }
  dsm__page_break(page);
  dsm__table_print(&table);
}

void dsm__show_partition(dsm__page *page, const dsm_answer *answer) {
  const dsm_dispatch *const simulation = dsm__simulation_of(answer);
  const dsm_partition *const partition = dsm__partition_of(answer);
  put_answer(page, partition);
  dsm__put_placement(page, partition);
  put_devices(page, partition);
  if (partition->carrier_count > 0) {
    put_carriers(page, partition);
  }
  put_baselines(page, partition);
  if (simulation != NULL) {
    put_simulation(page, simulation);
  }
}

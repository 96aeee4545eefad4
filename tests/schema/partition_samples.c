/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_samples.c: prints one report of partitions and simulations made by hand, by its name.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "dsm/export.h"
#include "report/made_partition.h"

/* A way into a device, and a pair. */
static const dsm_carrier_use carriers[] = {
    {.kind = DSM_CARRIER_INCOMING, .capacity = 8, .bytes_per_second = 4, .time_fraction = 0.5},
    {.kind = DSM_CARRIER_PAIR,
     .target = 1,
     .capacity = 8,
     .bytes_per_second = 8,
     .time_fraction = 1,
     .is_binding = true},
};

static void add_carriers(dsm_partition *partition) {
  partition->options.does_count_input = true;
  partition->carriers = carriers;
  partition->carrier_count = sizeof carriers / sizeof carriers[0];
}

static const dsm_port ports[] = {
    {.name = "bridge", .bytes_per_second = 9, .devices = 3, .is_direct = true}};
static const dsm_device_pair pairs[] = {{{0, 1}, 8, 0.5}};

/* The instance of the latency partition with all ways of transfers, whose first device has a
 * precision of its own. */
static dsm_instance with_all(dsm_instance_device devices[DSM_DEVICES_MAX]) {
  dsm_instance instance = *made_latency_partition.instance;
  memcpy(devices, instance.devices, instance.device_count * sizeof *devices);
  instance.element_bytes = instance.weight_bytes = 2;
  devices[0].element_bytes = 1;
  devices[0].batch = 2;
  devices[0].weight_bytes = 0.5;
  devices[0].incoming_bytes_per_second = 8;
  devices[0].transfer_seconds = 0.25;
  instance.ports = ports;
  instance.port_count = 1;
  instance.pairs = pairs;
  instance.pair_count = 1;
  instance.devices = devices;
  return instance;
}

/* The latency partition with each task in one place, joined layers and activations that count. */
static char *report_in_one_place(void) {
  dsm_task tasks[4];
  dsm_instance_device devices[DSM_DEVICES_MAX];
  dsm_instance instance = with_all(devices);
  dsm_partition placed = made_latency_partition;
  dsm_device_use uses[DSM_DEVICES_MAX];
  memcpy(tasks, instance.tasks, sizeof tasks);
  tasks[0].result_bytes = 5;
  tasks[0].input_bytes = 3;
  tasks[0].group = tasks[1].group = "convolutions";
  instance.tasks = tasks;
  placed.instance = &instance;
  placed.options.copies_max = 1;
  placed.options.is_staged = true;
  placed.options.cuts_max = 2;
  placed.options.is_unused_off = true;
  memcpy(uses, placed.uses, instance.device_count * sizeof *uses);
  uses[0].is_off = true;
  placed.uses = uses;
  add_carriers(&placed);
  return as_json(DSM_ANSWER(partition, &placed));
}

/* The latency partition as stages: its tasks are in one place each but for fc1. */
static char *report_stages(void) {
  static const bool is_stored[] = {true, false, true, false, true, false, false, true};
  dsm_instance_device devices[DSM_DEVICES_MAX];
  const dsm_instance instance = with_all(devices);
  dsm_partition placed = made_latency_partition;
  placed.instance = &instance;
  placed.is_stored = is_stored;
  dsm_export *made = NULL;
  char *text = NULL;
  if (dsm_export_partition(&made, &placed, NULL) == DSM_OK) {
    text = strdup(made->files[0].text);
    dsm_export_free(made);
  }
  return text;
}

/* As of a graph, a device with batches and requests of 8 samples, where whole requests and a
 * simulation stay below the throughput. */
static char *report_a_bound(void) {
  dsm_instance instance = *made_partition.instance;
  dsm_partition graph = made_partition;
  dsm_instance_device devices[DSM_DEVICES_MAX];
  memcpy(devices, instance.devices, instance.device_count * sizeof *devices);
  devices[0].batch = 4;
  instance.devices = devices;
  instance.batch = 8;
  graph.waiting_seconds = 0.01;
  graph.instance = &instance;
  graph.is_bound = true;
  graph.whole_rho = 19;
  const uint8_t first[DSM_DEVICES_MAX] = {0};
  const dsm_request_way way = {.rate = 19, .devices = first};
  graph.ways = &way;
  graph.way_count = 1;
  graph.simulated_rho = 18.5;
  graph.options.latency_limit_seconds = 0.2;
  graph.mean_latency_seconds = 0.19;
  graph.is_mean_bound = true;
  add_carriers(&graph);
  return as_json(DSM_ANSWER(partition, &graph));
}

/* The report that is asked for; NULL if there is none of this name. */
static char *report(const char *name, dsm_dispatch *simulation) {
  if (strcmp(name, "throughput") == 0) {
    return as_json(DSM_ANSWER(partition, &made_partition));
  }
  if (strcmp(name, "latency") == 0) {
    return as_json(DSM_ANSWER(partition, &made_latency_partition));
  }
  if (strcmp(name, "bound") == 0) {
    return report_a_bound();
  }
  if (strcmp(name, "place") == 0) {
    return report_in_one_place();
  }
  if (strcmp(name, "stages") == 0) {
    return report_stages();
  }
  if (strcmp(name, "energy") == 0) {
    return as_json(DSM_ANSWER(partition, &made_energy_partition));
  }
  if (strcmp(name, "window") == 0) {
    return as_json(DSM_ANSWER(dispatch, simulation));
  }
  if (strcmp(name, "rate") == 0) {
    simulation->options.window = 0;
    simulation->options.rate = 2.5;
    simulation->mean_waiting_seconds = 0.02;
    simulation->partial_batches = 1;
    return as_json(DSM_ANSWER(dispatch, simulation));
  }
  return strcmp(name, "trace") == 0 ? as_trace(DSM_ANSWER(dispatch, simulation)) : NULL;
}

int main(int argc, char **argv) {
  dsm_dispatch *const simulation = made_simulation(30);
  char *const text = argc == 2 && simulation != NULL ? report(argv[1], simulation) : NULL;
  const int code = text != NULL && fputs(text, stdout) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  free(text);
  dsm_dispatch_free(simulation);
  return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_samples.c: prints one report of partitions and simulations made by hand, by its name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/report.h"
#include "report/made_partition.h"

/* The report that is asked for; NULL if there is none of this name. */
static char *report(const char *name, dsm_dispatch *simulation) {
  if (strcmp(name, "throughput") == 0) {
    return dsm_report_partition_json(&made_partition, NULL);
  }
  if (strcmp(name, "latency") == 0) {
    return dsm_report_partition_json(&made_latency_partition, NULL);
  }
  if (strcmp(name, "energy") == 0) {
    return dsm_report_partition_json(&made_energy_partition, NULL);
  }
  if (strcmp(name, "window") == 0) {
    return dsm_report_partition_json(&made_partition, simulation);
  }
  if (strcmp(name, "rate") == 0) {
    simulation->options.window = 0;
    simulation->options.rate = 2.5;
    return dsm_report_partition_json(&made_partition, simulation);
  }
  return strcmp(name, "trace") == 0 ? dsm_report_dispatch_trace(simulation) : NULL;
}

int main(int argc, char **argv) {
  dsm_dispatch *const simulation = made_simulation(30);
  char *const text = argc == 2 && simulation != NULL ? report(argv[1], simulation) : NULL;
  const int code = text != NULL && fputs(text, stdout) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  free(text);
  dsm_dispatch_free(simulation);
  return code;
}

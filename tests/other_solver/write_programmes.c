/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write_programmes.c: random programmes as MPS files, and the values that dsm gives them.
 *
 * Usage: write_programmes FOLDER COUNT. Prints a line each: file, status, value of the MPS
 * objective (minus the rate, seconds, or watts).
 */
#include <stdio.h>
#include <stdlib.h>

#include "partition/small_instance.h"

static dsm_partition_options drawn(uint64_t seed) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.gap = 0;
  options.objective = (dsm_objective_kind)(seed % DSM_OBJECTIVE_KIND_COUNT);
  options.required_rho = 0.2;
  options.does_keep_results = seed % 2 == 0;
  options.does_count_input = seed % 8 < 4;
  options.copies_max = seed / 6 % 3; /* any number, one, two */
  options.is_staged = options.copies_max == 1 && seed % 3 != 0;
  options.cuts_max = options.copies_max == 1 && seed % 5 < 2 ? 1 + seed % 2 : 0;
  options.is_unused_off = seed / 3 % 3 != 0;
  return options;
}

/* Of some: between the shortest time of a request and half as much again. */
static void draw_limit(dsm_partition_options *options, const small_instance *s, uint64_t seed) {
  dsm_partition_options fastest = *options;
  fastest.objective = DSM_OBJECTIVE_LATENCY;
  dsm_partition *partition = NULL;
  if (options->objective != DSM_OBJECTIVE_LATENCY && seed % 5 < 3 &&
      dsm_partition_solve(&partition, &s->instance, &fastest, NULL) == DSM_OK) {
    options->latency_limit_seconds =
        partition->latency_seconds * (1.01 + (double)(seed % 50) / 100);
  }
  dsm_partition_free(partition);
}

static double value_of(const dsm_partition *partition) {
  switch (partition->options.objective) {
  case DSM_OBJECTIVE_LATENCY:
    return partition->latency_seconds;
  case DSM_OBJECTIVE_ENERGY:
    return partition->joules_per_request * partition->options.required_rho;
  case DSM_OBJECTIVE_THROUGHPUT:
  case DSM_OBJECTIVE_KIND_COUNT:
    break;
  }
  return -partition->rho;
}

static int write_programme(const char *folder, uint64_t seed) {
  small_instance s;
  small_random(&s, seed, 7, 4);
  if (seed % 4 < 2) {
    small_routes(&s, seed);
  }
  for (size_t j = 0; j < s.instance.device_count; j++) {
    s.devices[j].has_power = true;
  }
  if (seed % 7 == 3) {
    small_group(&s, 0);
  }
  if (seed % 3 == 1 && seed % 2 == 0) {
    small_precision(&s, seed);
  }
  if (seed % 5 == 4) {
    small_instant(&s, seed);
  }
  dsm_partition_options options = drawn(seed);
  draw_limit(&options, &s, seed);
  char path[4096];
  snprintf(path, sizeof path, "%s/programme%llu.mps", folder, (unsigned long long)seed);
  char *text = NULL;
  FILE *const file = fopen(path, "w");
  if (file == NULL || dsm_partition_mps(&text, &s.instance, &options, NULL) != DSM_OK) {
    return EXIT_FAILURE;
  }
  fputs(text, file);
  fclose(file);
  free(text);
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &s.instance, &options, NULL);
  printf("%s %s %.17g\n", path, status == DSM_OK ? "solved" : "infeasible",
         status == DSM_OK ? value_of(partition) : 0);
  dsm_partition_free(partition);
  return status == DSM_OK || status == DSM_ERROR_INFEASIBLE ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argument_count, char **arguments) {
  if (argument_count != 3) {
    return EXIT_FAILURE;
  }
  const long count = strtol(arguments[2], NULL, 10);
  int failed = EXIT_SUCCESS;
  for (long seed = 0; seed < count && failed == EXIT_SUCCESS; seed++) {
    failed = write_programme(arguments[1], (uint64_t)seed);
  }
  return failed;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hand.h"

#include <math.h>
#include <stdio.h>

unsigned hand_failures;

static const double plenty = 1e12; /* bytes a cycle */

void hand_machine_write(char text[HAND_TEXT_SIZE], const hand_machine *machine) {
  const int cores = machine->cores == 0 ? 1 : machine->cores;
  const int chips_x = machine->chips_x == 0 ? 1 : machine->chips_x;
  const double core_link = machine->core_link_cycles > 0 ? 1 / machine->core_link_cycles : plenty;
  (void)snprintf(
      text, HAND_TEXT_SIZE,
      "{\"pe\":{\"simd_macs\":1},\"array\":{\"rows\":1,\"columns\":1,\"startup_cycles\":%.17g},"
      "\"core\":{\"frequency_GHz\":1,\"scratchpad_MiB\":%.17g,\"scratchpad_bandwidth_GBps\":1,"
      "\"sfu_ops_per_cycle\":4,\"transcendental_passes\":0,\"streaming_buffer_KiB\":%.17g},"
      "\"chip\":{\"cores\":%d,\"interconnect\":\"ring\",\"core_link_bandwidth_GBps\":%.17g,"
      "\"memory\":{\"capacity_GB\":1,\"bandwidth_GBps\":%.17g}},"
      "\"system\":{\"topology\":\"torus_2d\",\"chips_x\":%d,\"chips_y\":%d,"
      "\"link_bandwidth_x_GBps\":%.17g,\"link_bandwidth_y_GBps\":%.17g},\"model\":{%s}}",
      machine->startup_cycles, machine->scratchpad_bytes / 1048576, machine->streaming_bytes / 1024,
      cores, core_link, machine->memory_bytes_per_cycle, chips_x, machine->chips_y, plenty,
      machine->link_bytes_per_cycle, machine->model == NULL ? "" : machine->model);
}

void hand_expect(const char *what, const double found, const double expected) {
  if (!(fabs(found - expected) <= 1e-9 * fabs(expected))) {
    fprintf(stderr, "%s: %.17g instead of %.17g\n", what, found, expected);
    hand_failures++;
  }
}

twin_result hand_explore(const char *workload, const hand_machine *machine,
                         const twin_options options) {
  char system[HAND_TEXT_SIZE];
  twin_result result;
  hand_machine_write(system, machine);
  if (!twin_explore(&result, workload, system, options) || !result.feasible) {
    fprintf(stderr, "not explored\n");
    hand_failures++;
  }
  return result;
}

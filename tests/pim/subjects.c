/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "subjects.h"

#include <stdio.h>

#include "suites.h"

dsm_rl_workload *bundled_workload(const char *name) {
  char path[512];
  dsm_rl_workload *workload = NULL;
  (void)snprintf(path, sizeof path, DSM_SOURCE_DIR "/rl-workloads/%s.json", name);
  ck_assert_int_eq(dsm_rl_workload_load(&workload, path, NULL, 0, NULL), DSM_OK);
  return workload;
}

dsm_pim_system *bundled_system(const char *name) {
  char path[512];
  dsm_pim_system *system = NULL;
  (void)snprintf(path, sizeof path, DSM_SOURCE_DIR "/pim-systems/%s.json", name);
  ck_assert_int_eq(dsm_pim_system_load(&system, path, NULL, 0, NULL), DSM_OK);
  return system;
}

/* least .. most. */
static uint64_t between(uint64_t *random, uint64_t least, uint64_t most) {
  return least + random_below(random, most - least + 1);
}

static double real_between(uint64_t *random, double least, double most) {
  enum { STEPS = 1000 };
  return least + (most - least) * (double)random_below(random, STEPS + 1) / STEPS;
}

dsm_rl_workload random_workload(uint64_t *random) {
  const uint64_t period = between(random, 1, 20);
  return (dsm_rl_workload){
      .name = "any",
      .algorithm = (dsm_rl_algorithm)random_below(random, DSM_RL_ALGORITHM_COUNT),
      .element_type = (dsm_rl_element)random_below(random, DSM_RL_ELEMENT_COUNT),
      .constants = (dsm_rl_constants)random_below(random, DSM_RL_CONSTANTS_COUNT),
      .sampling = (dsm_rl_sampling)random_below(random, DSM_RL_SAMPLING_COUNT),
      .states = between(random, 1, 6000),
      .actions = between(random, 1, 20),
      .transitions = between(random, 1, 100000),
      .record_bytes = between(random, 1, 4000),
      .episodes = period * between(random, 1, 40),
      .synchronization_period = period,
      .stride = 4,
      .agents = random_below(random, 3) == 0 ? between(random, 1, 80) : 0,
      .epsilon = real_between(random, 0, 1)};
}

dsm_pim_system random_system(uint64_t *random) {
  dsm_pim_system system = {.name = "any",
                           .cores = between(random, 1, 60),
                           .frequency_MHz = real_between(random, 50, 1000),
                           .dispatch_cycles = between(random, 1, 16),
                           .tasklets = between(random, 1, 24),
                           .mram = {.capacity_MiB = real_between(random, 1, 64),
                                    .access_cycles = real_between(random, 0, 200),
                                    .cycles_per_byte = real_between(random, 0.1, 4),
                                    .dma_bytes = between(random, 8, 4096)},
                           .wram = {.capacity_KiB = real_between(random, 0, 200)},
                           .host = {.to_cores_serial_GBps = real_between(random, 0.1, 10),
                                    .to_cores_parallel_GBps = real_between(random, 0.1, 10),
                                    .broadcast_GBps = real_between(random, 0.1, 20),
                                    .from_cores_serial_GBps = real_between(random, 0.1, 10),
                                    .from_cores_parallel_GBps = real_between(random, 0.1, 10),
                                    .call_us = real_between(random, 0, 300),
                                    .calls_per_core = between(random, 0, 5),
                                    .launch_ms = real_between(random, 0, 2)},
                           .power_W = real_between(random, 50, 300),
                           .call_instructions = real_between(random, 0, 10)};
  system.idle_power_W =
      random_below(random, 2) == 0 ? system.power_W : system.power_W * real_between(random, 0, 1);
  for (int o = 0; o < DSM_PIM_OPERATION_COUNT; o++) {
    system.instructions[o] = real_between(random, 1, 200);
  }
  return system;
}

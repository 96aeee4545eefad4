/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "made_partition.h"

#include <math.h>

enum { TASKS = 4, DEVICES = 2 };

static const dsm_task tasks[TASKS] = {
    {.name = "conv1", .weights_bytes = 4e6, .output_bytes = 2e6},
    {.name = "conv2", .weights_bytes = 6e6, .output_bytes = 1e6},
    {.name = "fc1", .weights_bytes = 5e8, .output_bytes = 4e3},
    {.name = "fc2", .weights_bytes = 1e8, .output_bytes = 2e3},
};
static const size_t consumers[TASKS] = {1, 2, 3};
static const dsm_tensor tensors[TASKS - 1] = {
    {.producer = 0, .bytes = 2e6, .consumers = &consumers[0], .consumer_count = 1},
    {.producer = 1, .bytes = 1e6, .consumers = &consumers[1], .consumer_count = 1},
    {.producer = 2, .bytes = 4e3, .consumers = &consumers[2], .consumer_count = 1},
};
static const dsm_instance_device devices[DEVICES] = {
    {.name = "gpu", .is_accelerator = true, .memory_bytes = 6e8, .link_bytes_per_second = 1e9},
    {.name = "cpu", .memory_bytes = HUGE_VAL, .link_bytes_per_second = HUGE_VAL},
};
static const double seconds[TASKS * DEVICES] = {0.01, 0.1, 0.02, 0.1, 0.03, 0.05, HUGE_VAL, 0.02};
static const dsm_instance instance = {.name = "net on pair",
                                      .tasks = tasks,
                                      .task_count = TASKS,
                                      .tensors = tensors,
                                      .tensor_count = TASKS - 1,
                                      .devices = devices,
                                      .device_count = DEVICES,
                                      .seconds = seconds};

static const bool is_stored[TASKS * DEVICES] = {true, false, true, false, true, true, false, true};
static const double rates[TASKS * DEVICES] = {20, 0, 20, 0, 12, 8, 0, 20};
static const double once[TASKS * DEVICES] = {1, 0, 1, 0, 1, 0, 0, 1};

static const dsm_device_use uses[DEVICES] = {
    {.time_fraction = 0.96,
     .memory_bytes = 5.1e8,
     .memory_fraction = 0.85,
     .link_bytes_per_second = 8.048e6,
     .link_fraction = 0.008048,
     .is_memory_binding = true},
    {.time_fraction = 1,
     .memory_bytes = 6e8,
     .link_bytes_per_second = 4e4,
     .is_time_binding = true},
};
static const dsm_device_use latency_uses[DEVICES] = {
    {.time_fraction = 0.75,
     .memory_bytes = 5.1e8,
     .memory_fraction = 0.85,
     .link_bytes_per_second = 4e3,
     .link_fraction = 5e-5,
     .is_time_binding = true,
     .is_memory_binding = true,
     .is_link_binding = true},
    {.time_fraction = 0.25, .memory_bytes = 1e8, .link_bytes_per_second = 2e3},
};

#define REPLICATED .is_feasible = true, .rho = 1 / 0.27, .latency_seconds = 0.27, .device_count = 1
#define BASELINES                                                                                  \
  .baselines = {{.kind = DSM_BASELINE_ACCELERATORS},                                               \
                {.kind = DSM_BASELINE_REPLICATION, REPLICATED},                                    \
                {.kind = DSM_BASELINE_BEST_DEVICE, REPLICATED}}

const dsm_partition made_partition = {
    .instance = &instance,
    .options = {.time_limit_seconds = 60, .gap = 1e-4},
    .rho = 20,
    .latency_seconds = 0.080004,
    .objective = 20,
    .bound = 20.001,
    .relaxation = 24,
    .gap = 5e-5,
    .solver_seconds = 0.125,
    .rates = rates,
    .is_stored = is_stored,
    .uses = uses,
    BASELINES,
};

const dsm_partition made_latency_partition = {
    .instance = &instance,
    .options = {.objective = DSM_OBJECTIVE_LATENCY,
                .time_limit_seconds = 2,
                .does_count_activations = true,
                .does_keep_results = true},
    .status = DSM_SOLUTION_LIMITED,
    .is_heuristic = true,
    .statistics = {.column_count = 12},
    .rho = 12.5,
    .latency_seconds = 0.080004,
    .objective = 0.080004,
    .bound = -HUGE_VAL,
    .relaxation = -HUGE_VAL,
    .gap = HUGE_VAL,
    .solver_seconds = 2,
    .rates = once,
    .is_stored = is_stored,
    .uses = latency_uses,
    BASELINES,
};

const dsm_partition made_energy_partition = {
    .instance = &instance,
    .options = {.objective = DSM_OBJECTIVE_ENERGY,
                .required_rho = 20,
                .time_limit_seconds = 60,
                .gap = 1e-4,
                .copies_max = 2},
    .rho = 20,
    .latency_seconds = 0.080004,
    .joules_per_request = 12.5,
    .objective = 12.5,
    .bound = 12.5,
    .relaxation = 11,
    .solver_seconds = 0.5,
    .rates = rates,
    .is_stored = is_stored,
    .uses = uses,
    BASELINES,
};

dsm_dispatch *made_simulation(size_t request_count) {
  const dsm_dispatch_options options = {
      .request_count = request_count, .window = 4, .does_record = true};
  dsm_dispatch *dispatch = NULL;
  return dsm_dispatch_run(&dispatch, &made_partition, &options, NULL) == DSM_OK ? dispatch : NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "two_devices.h"

static const dsm_task tasks[] = {
    {.name = "a", .weights_bytes = 3, .output_bytes = 2},
    {.name = "b", .weights_bytes = 4, .output_bytes = 1},
    {.name = "c", .weights_bytes = 2, .output_bytes = 1},
};
static const size_t consumers[] = {1, 2};
static const dsm_tensor tensors[] = {
    {.producer = 0, .bytes = 2, .consumers = consumers, .consumer_count = 2},
    {.producer = 1, .bytes = 1, .consumers = &consumers[1], .consumer_count = 1},
};
static const dsm_instance_device devices[] = {
    {.name = "x",
     .memory_bytes = 7,
     .link_bytes_per_second = 4,
     .has_power = true,
     .busy_watts = 9,
     .idle_watts = 1},
    {.name = "y",
     .memory_bytes = 6,
     .link_bytes_per_second = 3,
     .has_power = true,
     .busy_watts = 5,
     .idle_watts = 2},
};
static const double seconds[] = {0.5, 1, 1, 0.25, 0.5, 0.5};
const dsm_instance two_devices = {.name = "graph",
                                  .tasks = tasks,
                                  .task_count = 3,
                                  .tensors = tensors,
                                  .tensor_count = 2,
                                  .devices = devices,
                                  .device_count = 2,
                                  .seconds = seconds};

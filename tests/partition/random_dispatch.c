/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random_dispatch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "random_numbers.h"

static const char *const task_names[RANDOM_TASKS] = {"t1", "t2", "t3", "t4",
                                                     "t5", "t6", "t7", "t8"};
static const char *const device_names[RANDOM_DEVICES] = {"d1", "d2", "d3", "d4"};

/* From low to high, with all digits of a double: no two sums of such numbers are equal by chance.
 */
static double uniform(uint64_t *state, double low, double high) {
  return low + (high - low) * ldexp((double)(random_next(state) >> 11), -53);
}

static void point(random_dispatch *made) {
  made->instance.name = "random";
  made->instance.tasks = made->tasks;
  made->instance.tensors = made->tensors;
  made->instance.devices = made->devices;
  made->instance.seconds = made->seconds;
  made->partition.instance = &made->instance;
  made->partition.is_stored = made->is_stored;
  made->partition.rates = made->rates;
  made->partition.options = (dsm_partition_options){.time_limit_seconds = 60, .gap = 1e-4};
}

static void add_tensor(random_dispatch *made, size_t producer, double bytes) {
  made->tensors[made->instance.tensor_count] =
      (dsm_tensor){.producer = producer,
                   .bytes = bytes,
                   .consumers = made->consumers[made->instance.tensor_count]};
  made->instance.tensor_count++;
}

static void add_consumer(random_dispatch *made, size_t tensor, size_t task) {
  dsm_tensor *const wider = &made->tensors[tensor];
  made->consumers[tensor][wider->consumer_count++] = task;
}

void chain_make(random_dispatch *made, size_t task_count, size_t device_count) {
  memset(made, 0, sizeof *made);
  point(made);
  made->instance.task_count = task_count;
  made->instance.device_count = device_count;
  for (size_t i = 0; i < task_count; i++) {
    made->tasks[i] = (dsm_task){.name = task_names[i], .weights_bytes = 1, .output_bytes = 1};
    if (i + 1 < task_count) {
      add_tensor(made, i, 1);
      add_consumer(made, i, i + 1);
    }
  }
  for (size_t j = 0; j < device_count; j++) {
    made->devices[j] = (dsm_instance_device){.name = device_names[j],
                                             .is_accelerator = true,
                                             .memory_bytes = HUGE_VAL,
                                             .link_bytes_per_second = HUGE_VAL};
  }
  for (size_t k = 0; k < task_count * device_count; k++) {
    made->seconds[k] = 1;
  }
}

/* Some tensors, in the order of their producers; a task with several may follow another twice. */
static void make_graph(random_dispatch *made, uint64_t *state) {
  made->instance.tensor_count = 0;
  for (size_t i = 0; i + 1 < made->instance.task_count; i++) {
    made->tensors[made->instance.tensor_count].consumer_count = 0;
    for (size_t copies = 1 + random_below(state, 5) / 4; copies > 0; copies--) {
      const size_t tensor = made->instance.tensor_count;
      const double bytes = random_below(state, 6) == 0 ? 0 : uniform(state, 0.1, 2);
      add_tensor(made, i, bytes);
      for (size_t k = i + 1; k < made->instance.task_count; k++) {
        if (random_below(state, 3) == 0) {
          add_consumer(made, tensor, k);
        }
      }
      made->instance.tensor_count -= made->tensors[tensor].consumer_count == 0 ? 1 : 0;
    }
  }
}

static void store(random_dispatch *made, uint64_t *state) {
  const size_t device_count = made->instance.device_count;
  assert(device_count > 0);
  for (size_t i = 0; i < made->instance.task_count; i++) {
    for (size_t j = 0; j < device_count; j++) {
      const size_t at = i * device_count + j;
      made->seconds[at] = random_below(state, 5) == 0 ? HUGE_VAL : uniform(state, 0.1, 1);
      made->is_stored[at] = random_below(state, 2) == 0;
    }
    const size_t sure = i * device_count + random_below(state, device_count);
    made->seconds[sure] = uniform(state, 0.1, 1);
    made->is_stored[sure] = true;
  }
}

/* Some of the devices that store a task run it, and all of them together once a second. */
static void run_where_stored(random_dispatch *made, uint64_t *state) {
  const size_t device_count = made->instance.device_count;
  for (size_t i = 0; i < made->instance.task_count; i++) {
    double *const rates = &made->rates[i * device_count];
    double sum = 0;
    size_t last = 0;
    for (size_t j = 0; j < device_count; j++) {
      const size_t at = i * device_count + j;
      const bool can_run = made->is_stored[at] && isfinite(made->seconds[at]);
      rates[j] = can_run && random_below(state, 4) > 0 ? uniform(state, 0.1, 1) : 0;
      sum += rates[j];
      last = can_run ? j : last;
    }
    rates[last] = sum > 0 ? rates[last] : 1;
    sum = sum > 0 ? sum : 1;
    for (size_t j = 0; j < device_count; j++) {
      rates[j] /= sum;
    }
  }
}

void random_dispatch_make(random_dispatch *made, uint64_t seed) {
  uint64_t state = seed;
  const size_t task_count = 1 + random_below(&state, RANDOM_TASKS);
  chain_make(made, task_count, 1 + random_below(&state, RANDOM_DEVICES));
  if (random_below(&state, 2) == 0) {
    make_graph(made, &state);
  }
  for (size_t i = 0; i < task_count; i++) {
    made->tasks[i].output_bytes = random_below(&state, 4) == 0 ? 0 : uniform(&state, 0.1, 1);
  }
  for (size_t j = 0; j < made->instance.device_count; j++) {
    made->devices[j].link_bytes_per_second =
        random_below(&state, 3) == 0 ? HUGE_VAL : uniform(&state, 0.5, 8);
  }
  store(made, &state);
  run_where_stored(made, &state);
  for (size_t t = 0; t < made->instance.tensor_count; t++) {
    dsm_task *const task = &made->tasks[made->tensors[t].producer];
    task->result_bytes = random_below(&state, 4) == 0 ? uniform(&state, 0.1, 1) : 0;
  }
  made->partition.options.does_keep_results = random_below(&state, 2) == 0;
}

void random_dispatch_routes(random_dispatch *made, uint64_t seed) {
  uint64_t state = seed ^ 0x9a7e;
  dsm_instance *const it = &made->instance;
  const uint64_t all = ((uint64_t)1 << it->device_count) - 1;
  const uint64_t outer = 1 + random_below(&state, all);
  it->ports = made->ports;
  it->pairs = made->pairs;
  if ((outer & (outer - 1)) != 0) { /* of several devices one is within an inner port */
    made->ports[it->port_count++] =
        (dsm_port){"inner", uniform(&state, 0.5, 8), outer & -outer, random_below(&state, 2) == 0};
  }
  made->ports[it->port_count++] =
      (dsm_port){"outer", uniform(&state, 0.5, 8), outer, random_below(&state, 2) == 0};
  if (it->device_count > 1) {
    made->pairs[it->pair_count++] =
        (dsm_device_pair){{0, it->device_count - 1}, uniform(&state, 2, 9), 0.01};
  }
  for (size_t j = 0; j < it->device_count; j++) {
    dsm_instance_device *const device = &made->devices[j];
    device->incoming_bytes_per_second = random_below(&state, 2) == 0 ? uniform(&state, 0.5, 8) : 0;
    device->transfer_seconds = random_below(&state, 2) == 0 ? uniform(&state, 0, 0.2) : 0;
    device->is_accelerator = random_below(&state, 3) != 0;
  }
  for (size_t i = 0; i < it->task_count; i++) {
    made->tasks[i].input_bytes = random_below(&state, 2) == 0 ? uniform(&state, 0.1, 1) : 0;
  }
  made->partition.options.does_count_input = random_below(&state, 2) == 0;
}

void random_dispatch_instant(random_dispatch *made, uint64_t seed) {
  uint64_t state = seed ^ 0x105;
  for (size_t k = made->instance.device_count;
       k < made->instance.task_count * made->instance.device_count; k++) {
    made->seconds[k] =
        isfinite(made->seconds[k]) && random_below(&state, 3) == 0 ? 0 : made->seconds[k];
  }
}

void random_dispatch_ways(random_dispatch *made, uint64_t seed) {
  uint64_t state = seed ^ 0x3a75;
  const size_t device_count = made->instance.device_count;
  made->partition.ways = made->ways;
  made->partition.way_count = 1 + random_below(&state, RANDOM_WAYS);
  for (size_t k = 0; k < made->partition.way_count; k++) {
    made->ways[k] = (dsm_request_way){uniform(&state, 0.1, 1), made->way_devices[k]};
    for (size_t i = 0; i < made->instance.task_count; i++) {
      size_t device = 0;
      do {
        device = random_below(&state, device_count);
      } while (!(made->rates[i * device_count + device] > 0));
      made->way_devices[k][i] = (uint8_t)device;
    }
  }
}

/* Of what a device makes a random part to each device that runs the first consumer. */
void random_dispatch_moved(random_dispatch *made, uint64_t seed) {
  uint64_t state = seed ^ 0x30ed;
  const size_t m = made->instance.device_count;
  made->partition.moved = made->moved;
  for (size_t t = 0; t < made->instance.tensor_count; t++) {
    const dsm_tensor *const tensor = &made->tensors[t];
    for (size_t j = 0; j < m; j++) {
      double parts[RANDOM_DEVICES] = {0};
      double sum = 0;
      for (size_t k = 0; k < m; k++) {
        const bool is_run = made->rates[tensor->consumers[0] * m + k] > 0;
        parts[k] = is_run ? uniform(&state, 0.1, 1) : 0;
        sum += parts[k];
      }
      for (size_t k = 0; k < m; k++) {
        const double rate = made->rates[tensor->producer * m + j] * parts[k] / sum;
        made->moved[(t * m + j) * m + k] =
            k == j ? 0 : rate * dsm_instance_tensor_bytes(&made->instance, t, j);
      }
    }
  }
}

void random_dispatch_precision(random_dispatch *made, uint64_t seed) {
  uint64_t state = seed ^ 0xb17e;
  made->instance.element_bytes = 2;
  for (size_t j = 0; j < made->instance.device_count; j++) {
    made->devices[j].element_bytes = random_below(&state, 2) == 0 ? uniform(&state, 0.5, 4) : 0;
  }
}

void random_dispatch_batches(random_dispatch *made, uint64_t seed) {
  uint64_t state = seed ^ 0xba7c;
  for (size_t j = 0; j < made->instance.device_count; j++) {
    made->devices[j].batch = (uint32_t)random_below(&state, 5);
  }
}

dsm_dispatch_options random_dispatch_options(uint64_t seed, size_t request_count) {
  uint64_t state = seed ^ 0x5eed;
  dsm_dispatch_options options;
  dsm_dispatch_options_init(&options);
  options.request_count = request_count;
  options.seed = random_next(&state);
  options.does_record = true;
  options.window = random_below(&state, 3) == 0 ? 0 : 1 + random_below(&state, 9);
  options.rate = options.window > 0 ? 0 : uniform(&state, 0.2, 4);
  options.rule = random_below(&state, 2) == 0 ? DSM_DISPATCH_RATES : DSM_DISPATCH_EARLIEST;
  return options;
}

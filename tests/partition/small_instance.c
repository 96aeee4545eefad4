/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "small_instance.h"

#include <math.h>
#include <string.h>

#include "random_numbers.h"

static const char *const task_names[SMALL_TASKS] = {"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"};
static const char *const device_names[SMALL_DEVICES] = {"d1", "d2", "d3", "d4"};

void small_relink(small_instance *made) {
  dsm_instance *const it = &made->instance;
  it->tensor_count = it->task_count - 1;
  for (size_t t = 0; t < it->tensor_count; t++) {
    made->consumers[t][0] = t + 1;
    made->tensors[t] = (dsm_tensor){.producer = t,
                                    .bytes = made->tasks[t].output_bytes,
                                    .consumers = made->consumers[t],
                                    .consumer_count = 1};
  }
}

void small_chain(small_instance *made, size_t task_count, size_t device_count) {
  memset(made, 0, sizeof *made);
  made->instance = (dsm_instance){.name = "small",
                                  .tasks = made->tasks,
                                  .task_count = task_count,
                                  .tensors = made->tensors,
                                  .devices = made->devices,
                                  .device_count = device_count,
                                  .seconds = made->seconds};
  for (size_t i = 0; i < task_count; i++) {
    made->tasks[i] = (dsm_task){.name = task_names[i], .weights_bytes = 1};
    for (size_t j = 0; j < device_count; j++) {
      made->seconds[i * device_count + j] = 1;
    }
  }
  for (size_t j = 0; j < device_count; j++) {
    made->devices[j] = (dsm_instance_device){
        .name = device_names[j], .memory_bytes = HUGE_VAL, .link_bytes_per_second = HUGE_VAL};
  }
  small_relink(made);
}

static double between(uint64_t *random, double low, double high) {
  return low + (high - low) * (double)random_below(random, 1000001) / 1e6;
}

/* Each task but the last has consumers: the next task, or some of the later ones. */
static void branch(small_instance *made, uint64_t *random) {
  dsm_instance *const it = &made->instance;
  it->tensor_count = 0;
  for (size_t i = 0; i + 1 < it->task_count; i++) {
    dsm_tensor *const tensor = &made->tensors[it->tensor_count];
    size_t *const consumers = made->consumers[it->tensor_count];
    size_t count = 0;
    for (size_t k = i + 1; k < it->task_count; k++) {
      if (random_below(random, 10) < (k == i + 1 ? 7 : 4)) {
        consumers[count++] = k;
      }
    }
    if (count > 0) {
      *tensor = (dsm_tensor){.producer = i,
                             .bytes = made->tasks[i].output_bytes,
                             .consumers = consumers,
                             .consumer_count = count};
      it->tensor_count++;
    }
  }
}

static void draw_devices(small_instance *made, uint64_t *random, double weights) {
  const size_t device_count = made->instance.device_count;
  const bool is_tight = random_below(random, 4) != 0;
  for (size_t j = 0; j < device_count; j++) {
    dsm_instance_device *const it = &made->devices[j];
    if (j > 0 && random_below(random, 4) == 0) {
      /* an equal of the one before */
      *it = made->devices[j - 1];
      it->name = device_names[j];
      for (size_t i = 0; i < made->instance.task_count; i++) {
        made->seconds[i * device_count + j] = made->seconds[i * device_count + j - 1];
      }
      continue;
    }
    if (is_tight) {
      it->memory_bytes = floor(weights * between(random, 0.4, 1));
    }
    if (random_below(random, 3) != 0) {
      it->link_bytes_per_second = between(random, 0.2, 6);
    }
    it->has_power = true;
    it->idle_watts = between(random, 0, 20);
    it->busy_watts = it->idle_watts + between(random, 1, 100);
  }
}

void small_random(small_instance *made, uint64_t seed, size_t tasks_max, size_t devices_max) {
  uint64_t random = seed;
  const size_t task_count = 1 + random_below(&random, tasks_max);
  const size_t device_count =
      random_below(&random, 12) == 0 ? 1 : 2 + random_below(&random, devices_max - 1);
  small_chain(made, task_count, device_count);
  double weights = 0;
  for (size_t i = 0; i < task_count; i++) {
    dsm_task *const task = &made->tasks[i];
    task->weights_bytes = (double)random_below(&random, 12);
    task->activation_bytes = (double)random_below(&random, 3);
    task->output_bytes = (double)random_below(&random, 5);
    weights += task->weights_bytes;
    for (size_t j = 0; j < device_count; j++) {
      const bool can_run = random_below(&random, 16) != 0;
      made->seconds[i * device_count + j] = can_run ? between(&random, 0.2, 4) : HUGE_VAL;
    }
  }
  draw_devices(made, &random, weights);
  small_relink(made);
  if (random_below(&random, 2) == 0) {
    branch(made, &random);
  }
  for (size_t t = 0; t < made->instance.tensor_count; t++) {
    dsm_task *const task = &made->tasks[made->tensors[t].producer];
    task->result_bytes = random_below(&random, 4) == 0 ? (double)random_below(&random, 5) : 0;
  }
}

static void draw_ports(small_instance *made, uint64_t *random) {
  const uint64_t all = ((uint64_t)1 << made->instance.device_count) - 1;
  const uint64_t outer = 1 + random_below(random, all);
  const uint64_t some = 1 + random_below(random, all);
  const bool is_nested = random_below(random, 2) == 0;
  const uint64_t inner = is_nested ? outer & some : all & ~outer;
  if (inner != 0 && inner != outer) {
    made->ports[made->instance.port_count++] =
        (dsm_port){"inner", between(random, 0.5, 6), inner, random_below(random, 2) == 0};
  }
  made->ports[made->instance.port_count++] =
      (dsm_port){"outer", between(random, 0.5, 6), outer, random_below(random, 2) == 0};
}

void small_routes(small_instance *made, uint64_t seed) {
  uint64_t random = seed + 1;
  dsm_instance *const it = &made->instance;
  it->ports = made->ports;
  it->pairs = made->pairs;
  if (random_below(&random, 3) != 0) {
    draw_ports(made, &random);
  }
  if (it->device_count > 1 && random_below(&random, 2) == 0) {
    made->pairs[it->pair_count++] = (dsm_device_pair){
        {0, 1}, between(&random, 0.5, 20), random_below(&random, 2) == 0 ? 0.1 : 0};
  }
  for (size_t j = 0; j < it->device_count; j++) {
    dsm_instance_device *const device = &made->devices[j];
    device->incoming_bytes_per_second =
        random_below(&random, 3) == 0 ? between(&random, 0.2, 6) : 0;
    device->transfer_seconds = random_below(&random, 3) == 0 ? between(&random, 0, 0.5) : 0;
    device->is_accelerator = random_below(&random, 3) != 0;
  }
  for (size_t i = 0; i < it->task_count; i++) {
    made->tasks[i].input_bytes =
        i == 0 || random_below(&random, 4) == 0 ? (double)random_below(&random, 5) : 0;
  }
}

void small_precision(small_instance *made, uint64_t seed) {
  static const double sizes[] = {0.5, 1, 1.5, 4};
  uint64_t random = seed + 2;
  made->instance.element_bytes = 2;
  made->instance.weight_bytes = 1;
  for (size_t j = 0; j < made->instance.device_count; j++) {
    dsm_instance_device *const device = &made->devices[j];
    const size_t kind = random_below(&random, 4);
    device->element_bytes = kind % 2 == 1 ? sizes[random_below(&random, 4)] : 0;
    device->weight_bytes = kind > 1 ? sizes[random_below(&random, 4)] : device->element_bytes;
  }
}

void small_instant(small_instance *made, uint64_t seed) {
  uint64_t random = seed + 3;
  const dsm_instance *const it = &made->instance;
  const size_t kept = random_below(&random, it->task_count);
  for (size_t k = 0; k < it->task_count * it->device_count; k++) {
    if (k / it->device_count != kept && isfinite(made->seconds[k]) &&
        random_below(&random, 3) == 0) {
      made->seconds[k] = 0;
    }
  }
}

double small_elements(const dsm_instance *instance, size_t device) {
  const double own = instance->devices[device].element_bytes;
  return own == 0 ? 1 : own / instance->element_bytes;
}

double small_weights(const dsm_instance *instance, size_t device) {
  const double own = instance->devices[device].weight_bytes;
  return own == 0 ? 1 : own / instance->weight_bytes;
}

void small_group(small_instance *made, size_t first) {
  const size_t device_count = made->instance.device_count;
  for (size_t j = 0; j < device_count; j++) {
    bool can_all = true;
    for (size_t i = first; i < made->instance.task_count; i += 2) {
      can_all = can_all && isfinite(made->seconds[i * device_count + j]);
    }
    for (size_t i = first; i < made->instance.task_count; i += 2) {
      made->tasks[i].group = "together";
      made->seconds[i * device_count + j] =
          can_all ? made->seconds[i * device_count + j] : HUGE_VAL;
    }
  }
}

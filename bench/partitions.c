/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partitions.c: how long the search for a partition takes, and how good the answer is then. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "tables.h"

enum { TASKS_MAX = 200, DEVICES_MAX = 8 };

/* A question. Memories are these parts of all parameters. */
typedef struct question {
  size_t task_count; /* 0: the layers of ResNet-50 */
  size_t device_count;
  size_t kind_count; /* devices of a kind are equal */
  double memory_fraction;
  double link_GBps;
  dsm_objective_kind objective;
  double gap;
  double limit_seconds;
} question;

static const question questions[] = {
    {0, 4, 4, 0.40, 12, DSM_OBJECTIVE_THROUGHPUT, 0.01, 30},
    {0, 4, 2, 0.40, 12, DSM_OBJECTIVE_THROUGHPUT, 0.01, 30},
    {0, 4, 1, 0.40, 12, DSM_OBJECTIVE_THROUGHPUT, 0.01, 30},
    {0, 4, 4, 0.30, 2, DSM_OBJECTIVE_THROUGHPUT, 0.01, 30},
    {0, 4, 2, 0.30, 2, DSM_OBJECTIVE_THROUGHPUT, 0.01, 30},
    {0, 4, 1, 0.30, 2, DSM_OBJECTIVE_THROUGHPUT, 0.01, 30},
    {0, 4, 2, 0.40, 12, DSM_OBJECTIVE_LATENCY, 0.01, 30},
    {0, 4, 2, 0.40, 12, DSM_OBJECTIVE_ENERGY, 0.01, 30},
    {200, 8, 3, 0.20, 12, DSM_OBJECTIVE_THROUGHPUT, 0.01, 60},
    {200, 8, 8, 0.16, 2, DSM_OBJECTIVE_THROUGHPUT, 0.01, 60},
    {200, 8, 1, 0.16, 2, DSM_OBJECTIVE_THROUGHPUT, 0.01, 60},
    {200, 8, 3, 0.16, 2, DSM_OBJECTIVE_LATENCY, 0.01, 60},
};

/* Devices by kind, made so that each is best at something. */
typedef struct kind {
  double flops;        /* per second */
  double bytes;        /* per second, of its memory */
  double task_seconds; /* fixed */
  double busy_watts;
} kind;

static const kind kinds[DEVICES_MAX] = {
    {20e12, 320e9, 12e-6, 70}, {0.27e12, 115e9, 4e-6, 85}, {2e12, 40e9, 1e-6, 45},
    {8e12, 200e9, 8e-6, 60},   {12e12, 250e9, 10e-6, 120}, {1e12, 60e9, 2e-6, 25},
    {5e12, 130e9, 6e-6, 55},   {0.6e12, 90e9, 3e-6, 40},
};

/* Work of a task besides what an instance says. */
typedef struct work {
  double flops;
  double bytes;
} work;

typedef struct problem {
  dsm_instance instance;
  dsm_task tasks[TASKS_MAX];
  work works[TASKS_MAX];
  dsm_tensor tensors[TASKS_MAX];
  size_t consumers[TASKS_MAX];
  dsm_instance_device devices[DEVICES_MAX];
  double seconds[TASKS_MAX * DEVICES_MAX];
} problem;

static double next_unit(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) / 9007199254740992.0;
}

/* A network whose layers lose in size and gain in parameters from first to last. */
static void make_chain(problem *p, size_t task_count) {
  uint64_t random = 1;
  p->instance.task_count = task_count;
  for (size_t i = 0; i < task_count; i++) {
    const double depth = (double)i / (double)task_count;
    p->tasks[i] =
        (dsm_task){.name = "task",
                   .weights_bytes = 1e4 * pow(200, depth) * (0.3 + 3 * next_unit(&random)),
                   .output_bytes = 8e5 * pow(0.05, depth) * (0.5 + next_unit(&random))};
    p->works[i].flops = 2e8 * (1 + 3 * next_unit(&random));
  }
}

/* The layers of ResNet-50 as a chain, a request of one sample. */
static bool make_resnet(problem *p, const bench_paths *paths) {
  char path[PATH_SIZE];
  (void)snprintf(path, sizeof path, "%s/workloads/resnet50.json", paths->source);
  dsm_workload *workload = NULL;
  if (dsm_workload_load(&workload, path, NULL, 0, NULL) != DSM_OK ||
      workload->layer_count > TASKS_MAX) {
    return false;
  }
  static const dsm_given_time none = {.task = "", .seconds = 1};
  const dsm_device rate = {
      .name = "flops",
      .kind = DSM_DEVICE_ROOFLINE,
      .memory_bytes = HUGE_VAL,
      .link_bytes_per_second = HUGE_VAL,
      .roofline = {.peak_flops = 1, .memory_bytes_per_second = 1e30, .efficiency_ratio = 1},
      .times = &none};
  const dsm_server server = {.name = "work", .devices = &rate, .device_count = 1};
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options.batch = 1;
  dsm_instance *made = NULL;
  const dsm_status status = dsm_instance_make(&made, workload, &server, &options, NULL);
  if (status == DSM_OK) {
    p->instance.task_count = made->task_count;
    for (size_t i = 0; i < made->task_count; i++) {
      p->tasks[i] = made->tasks[i];
      p->tasks[i].name = "layer";
      p->works[i].flops = dsm_instance_seconds(made, i, 0);
    }
  }
  dsm_instance_free(made);
  dsm_workload_free(workload);
  return status == DSM_OK;
}

static void add_devices(problem *p, const question *asked) {
  const size_t task_count = p->instance.task_count;
  double weights = 0;
  for (size_t i = 0; i < task_count; i++) {
    const double before = i == 0 ? p->tasks[i].output_bytes : p->tasks[i - 1].output_bytes;
    weights += p->tasks[i].weights_bytes;
    p->works[i].bytes = p->tasks[i].weights_bytes + p->tasks[i].output_bytes + before;
    p->consumers[i] = i + 1;
    p->tensors[i] = (dsm_tensor){.producer = i,
                                 .bytes = p->tasks[i].output_bytes,
                                 .consumers = &p->consumers[i],
                                 .consumer_count = 1};
  }
  for (size_t j = 0; j < asked->device_count; j++) {
    const kind *const it = &kinds[j * asked->kind_count / asked->device_count];
    p->devices[j] = (dsm_instance_device){.name = "device",
                                          .memory_bytes = asked->memory_fraction * weights,
                                          .link_bytes_per_second = asked->link_GBps * 1e9,
                                          .has_power = true,
                                          .busy_watts = it->busy_watts,
                                          .idle_watts = it->busy_watts / 4};
    for (size_t i = 0; i < task_count; i++) {
      p->seconds[i * asked->device_count + j] =
          it->task_seconds + fmax(p->works[i].flops / it->flops, p->works[i].bytes / it->bytes);
    }
  }
  p->instance.name = "bench";
  p->instance.tasks = p->tasks;
  p->instance.tensors = p->tensors;
  p->instance.tensor_count = task_count - 1;
  p->instance.devices = p->devices;
  p->instance.device_count = asked->device_count;
  p->instance.seconds = p->seconds;
}

static bool bench_question(const question *asked, const bench_paths *paths) {
  problem *const p = calloc(1, sizeof *p);
  if (p == NULL) {
    return false;
  }
  bool is_done = true;
  if (asked->task_count == 0) {
    is_done = make_resnet(p, paths);
  } else {
    make_chain(p, asked->task_count);
  }
  dsm_partition *partition = NULL;
  if (is_done) {
    add_devices(p, asked);
    dsm_partition_options options;
    dsm_partition_options_init(&options);
    options.objective = asked->objective;
    options.required_rho = 200;
    options.gap = asked->gap;
    options.time_limit_seconds = asked->limit_seconds;
    is_done = dsm_partition_solve(&partition, &p->instance, &options, NULL) == DSM_OK;
  }
  if (is_done) {
    printf("| %s | %zu | %zu | %zu | %.2f | %g | %s | %.2f | %.2f%% | %.2f%% | %s |\n",
           asked->task_count == 0 ? "ResNet-50" : "made", p->instance.task_count,
           asked->device_count, asked->kind_count, asked->memory_fraction, asked->link_GBps,
           dsm_objective_kind_name(asked->objective), partition->solver_seconds,
           partition->gap * 100,
           fabs(partition->relaxation - partition->objective) / partition->objective * 100,
           partition->is_heuristic ? "start" : "solver");
    (void)fflush(stdout);
  }
  dsm_partition_free(partition);
  free(p);
  return is_done;
}

bool bench_partitions(const bench_paths *paths) {
  printf(
      "## Partitions\n\n"
      "One thread; seconds by the clock. The gap asked for is 1 %%, the limit 30 s, for 200 tasks "
      "60 s.\n\n"
      "| tasks of | tasks | devices | kinds | memory | link GB/s | objective | s | gap | to "
      "relaxation | answer of |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool is_done = true;
  for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
    is_done = bench_question(&questions[i], paths) && is_done;
  }
  printf("\n");
  return is_done;
}

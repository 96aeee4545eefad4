/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweeps.c: points of sweeps, one by one, with what they share found once, and as a sweep runs. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"
#include "tables.h"

enum { THREADS_MAX = 2, OVERRIDES_MAX = 8 };

typedef struct given_sweep {
  const char *shown;
  const char *specification;
} given_sweep;

static const given_sweep sweeps[] = {
    {"scratchpad x link bandwidth x memory bandwidth",
     "{\"format\": \"dsm-sweep/1\", \"name\": \"bandwidths\", \"workloads\": [\"resnet50\"],"
     " \"systems\": [\"torus64\"], \"axes\": ["
     "{\"path\": \"system.core.scratchpad_MiB\","
     " \"range\": {\"from\": 0.5, \"to\": 5, \"step\": 0.5}},"
     "{\"path\": \"system.system.link_bandwidth_x_GBps\","
     " \"range\": {\"from\": 60, \"to\": 240, \"step\": 20}},"
     "{\"path\": \"system.chip.memory.bandwidth_GBps\","
     " \"range\": {\"from\": 64, \"to\": 640, \"step\": 64}}]}"},
    {"minibatch x optimizations",
     "{\"format\": \"dsm-sweep/1\", \"name\": \"ladder\", \"workloads\": [\"resnet50\"],"
     " \"systems\": [\"torus64\"], \"axes\": ["
     "{\"path\": \"workload.minibatch\", \"range\": {\"from\": 64, \"to\": 1344, \"step\": 64}},"
     "{\"path\": \"options.optimize\", \"values\": [\"none\", \"hybrid\", \"hybrid+reuse\","
     " \"hybrid+reuse+dysm\", \"hybrid+reuse+dysm+pipeline\", \"all\"]}]}"},
    {"memory capacity",
     "{\"format\": \"dsm-sweep/1\", \"name\": \"capacity\", \"workloads\": [\"resnet50\"],"
     " \"systems\": [\"torus64\"], \"axes\": ["
     "{\"path\": \"system.chip.memory.capacity_GB\","
     " \"range\": {\"from\": 0.1, \"to\": 10, \"step\": 0.1}}]}"},
};

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static dsm_status read_bundled(void *context, const char *name, const char *folder,
                               dsm_description kind, char **text, size_t *length, char **file,
                               dsm_diags *diags) {
  const bench_paths *const paths = context;
  char path[PATH_SIZE];
  (void)folder;
  snprintf(path, sizeof path, "%s/%s/%s.json", paths->source,
           kind == DSM_DESCRIPTION_WORKLOAD ? "workloads" : "systems", name);
  *file = strdup(path);
  return dsm_file_read(text, length, path, diags);
}

/* ---- points by themselves ---- */

/* Points that threads take one after the other. */
typedef struct job {
  const dsm_sweep *sweep;
  bool is_sharing; /* with an explorer a thread */
  atomic_size_t next;
  atomic_size_t failures; /* points that could not be explored, other than for want of memory */
} job;

static bool is_below(const char *path, const char *root) {
  const size_t length = strlen(root);
  return strncmp(path, root, length) == 0 && path[length] == '.';
}

/* "hybrid+reuse", "all" or "none". */
static dsm_optimization_set optimizations_of(const char *text) {
  dsm_optimization_set set = 0;
  if (strcmp(text, "all") == 0) {
    return dsm_mode_optimizations(DSM_MODE_TRAINING);
  }
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    const bool is_in = strstr(text, dsm_optimization_name((dsm_optimization)o)) != NULL;
    set |= is_in ? DSM_OPTIMIZATION_BIT(o) : 0;
  }
  return set;
}

/* Reads and explores a point. */
static bool explore_point(const dsm_sweep *sweep, size_t point, dsm_explorer *explorer) {
  dsm_override of_workload[OVERRIDES_MAX];
  dsm_override of_system[OVERRIDES_MAX];
  size_t workload_count = 0;
  size_t system_count = 0;
  dsm_explore_options options = sweep->options;
  for (size_t c = 0; c < sweep->column_count && c < OVERRIDES_MAX; c++) {
    const char *const path = sweep->columns[c].path;
    const dsm_axis_value *const value = dsm_sweep_value(sweep, point, c);
    if (is_below(path, "workload")) {
      of_workload[workload_count++] = (dsm_override){strchr(path, '.') + 1, value->json, NULL};
    } else if (is_below(path, "system")) {
      of_system[system_count++] = (dsm_override){strchr(path, '.') + 1, value->json, NULL};
    } else if (is_below(path, "options")) {
      options.optimizations = optimizations_of(value->text);
    }
  }
  dsm_workload *workload = NULL;
  dsm_system *system = NULL;
  dsm_plan *plan = NULL;
  dsm_status status =
      dsm_workload_parse(&workload, sweep->workloads[0].text, sweep->workloads[0].length, "bench",
                         of_workload, workload_count, NULL);
  if (status == DSM_OK) {
    status = dsm_system_parse(&system, sweep->systems[0].text, sweep->systems[0].length, "bench",
                              of_system, system_count, NULL);
  }
  if (status == DSM_OK) {
    status = explorer == NULL
                 ? dsm_explore(&plan, workload, system, &options, NULL)
                 : dsm_explorer_explore(explorer, &plan, workload, system, &options, NULL);
  }
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
  return status == DSM_OK || status == DSM_ERROR_INFEASIBLE;
}

static void *explore_points(void *argument) {
  job *const j = argument;
  dsm_explorer *const explorer = j->is_sharing ? dsm_explorer_new() : NULL;
  for (;;) {
    const size_t point = atomic_fetch_add(&j->next, 1);
    if (point >= j->sweep->point_count) {
      break;
    }
    if (!explore_point(j->sweep, point, explorer)) {
      atomic_fetch_add(&j->failures, 1);
    }
  }
  dsm_explorer_free(explorer);
  return NULL;
}

static bool explore_all(const dsm_sweep *sweep, bool is_sharing, size_t thread_count) {
  job j = {.sweep = sweep, .is_sharing = is_sharing};
  atomic_init(&j.next, 0);
  atomic_init(&j.failures, 0);
  pthread_t threads[THREADS_MAX];
  size_t started = 0;
  while (started + 1 < thread_count &&
         pthread_create(&threads[started], NULL, explore_points, &j) == 0) {
    started++;
  }
  explore_points(&j);
  for (size_t t = 0; t < started; t++) {
    pthread_join(threads[t], NULL);
  }
  return started + 1 == thread_count && atomic_load(&j.failures) == 0;
}

/* ---- a whole sweep ---- */

static bool run_sweep(const dsm_sweep *sweep, size_t thread_count) {
  char folder[] = "/tmp/dsm-bench-XXXXXX";
  char path[sizeof folder + 16];
  dsm_store *store = NULL;
  dsm_sweep_progress progress = {0};
  dsm_sweep_run_options options;
  dsm_sweep_run_options_init(&options);
  options.thread_count = thread_count;
  if (mkdtemp(folder) == NULL) {
    return false;
  }
  snprintf(path, sizeof path, "%s/sweep.sqlite", folder);
  const bool is_done = dsm_store_open(&store, path, sweep, NULL) == DSM_OK &&
                       dsm_sweep_run(store, sweep, &options, &progress, NULL) == DSM_OK;
  dsm_store_close(store);
  unlink(path);
  rmdir(folder);
  return is_done && progress.done == sweep->point_count;
}

/* ---- the table ---- */

typedef enum way { WAY_ALONE = 0, WAY_SHARING, WAY_SWEEP, WAY_COUNT } way;

static const char *const way_names[] = {
    [WAY_ALONE] = "`dsm_explore`, each by itself",
    [WAY_SHARING] = "`dsm_explorer_explore`",
    [WAY_SWEEP] = "`dsm_sweep_run`, with the database",
};

static bool bench_way(const given_sweep *given, const dsm_sweep *sweep, way how,
                      size_t thread_count) {
  const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = seconds_of(CLOCK_MONOTONIC);
  const bool is_done = how == WAY_SWEEP ? run_sweep(sweep, thread_count)
                                        : explore_all(sweep, how == WAY_SHARING, thread_count);
  const double seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
  const double by_clock = seconds_of(CLOCK_MONOTONIC) - wall;
  const double points = (double)sweep->point_count;
  if (is_done) {
    printf("| %s | %zu | %s | %zu | %.2f | %.2f | %.0f | %.2f | %.0f |\n", given->shown,
           sweep->point_count, way_names[how], thread_count, seconds, seconds / points * 1e3,
           points / seconds, by_clock, points / by_clock);
    fflush(stdout);
  }
  return is_done;
}

static bool bench_sweep(const given_sweep *given, const dsm_sweep_source *source) {
  dsm_sweep *sweep = NULL;
  if (dsm_sweep_make(&sweep, given->specification, strlen(given->specification), "bench", NULL,
                     NULL, source, NULL) != DSM_OK) {
    return false;
  }
  bool is_done = true;
  for (size_t threads = 1; threads <= THREADS_MAX; threads++) {
    for (int how = 0; how < WAY_COUNT; how++) {
      is_done = bench_way(given, sweep, (way)how, threads) && is_done;
    }
  }
  dsm_sweep_free(sweep);
  return is_done;
}

bool bench_sweeps(const bench_paths *paths) {
  bench_paths own = *paths;
  const dsm_sweep_source source = {.read = read_bundled, .context = &own};
  printf("## Sweeps\n\n"
         "ResNet-50 on torus64, training, `--optimize all` where optimizations do not vary: "
         "processor seconds of all threads, and seconds by the clock.\n\n"
         "| varied | points | by | threads | s | ms a point | points/s | s by the clock | "
         "points/s by the clock |\n|---|---|---|---|---|---|---|---|---|\n");
  bool is_done = true;
  for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++) {
    is_done = bench_sweep(&sweeps[i], &source) && is_done;
  }
  printf("\n");
  return is_done;
}

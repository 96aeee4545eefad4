/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chains.c: chains of layers, read and explored in one process. */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "tables.h"

/* A chain of fully connected layers, all different or all the same; malloc'ed text. */
static char *make_chain(size_t layer_count, bool is_distinct) {
  const size_t size = 256 + layer_count * 128;
  char *const text = malloc(size);
  if (text == NULL) {
    return NULL;
  }
  size_t length = (size_t)snprintf(
      text, size,
      "{\"format\":\"dsm-workload/1\",\"name\":\"chain\",\"minibatch\":256,\"layers\":[");
  for (size_t i = 0; i < layer_count; i++) {
    const size_t in = is_distinct ? 256 + i : 1024;
    const size_t out = is_distinct ? 257 + i : 1024;
    length += (size_t)snprintf(
        text + length, size - length,
        "%s{\"name\":\"l%zu\",\"type\":\"fc\",\"in\":%zu,\"out\":%zu,\"aux\":[{\"op\":\"relu\"}]}",
        i == 0 ? "" : ",", i, in, out);
  }
  snprintf(text + length, size - length, "]}");
  return text;
}

typedef struct chain {
  size_t layer_count;
  bool is_distinct;
  size_t thread_count;
  const char *shown; /* optimizations */
  dsm_optimization_set optimizations;
} chain;

static bool measure_chain(const dsm_system *system, const chain *of, dsm_mode mode,
                          search_cost *cost) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = mode;
  options.thread_count = of->thread_count;
  options.optimizations = of->optimizations;
  char *const text = make_chain(of->layer_count, of->is_distinct);
  const search_task task = {text, system, &options,
                            of->layer_count >= 10000 && of->is_distinct ? 3 : RUNS};
  const bool is_done = text != NULL && measure_search(&task, cost);
  free(text);
  return is_done;
}

static bool bench_chain(const dsm_system *system, const chain *of) {
  search_cost cost = {0, 0, 0, 0, 0};
  const bool is_done = measure_chain(system, of, DSM_MODE_TRAINING, &cost);
  if (is_done) {
    printf("| %zu | %llu | %s | %zu | %.2f | %.2f | %.2f | %llu | %.1f |\n", of->layer_count,
           (unsigned long long)cost.distinct_layers, of->shown, of->thread_count,
           cost.parse_cpu_seconds * 1e3, cost.explore_cpu_seconds * 1e3, cost.explore_seconds * 1e3,
           (unsigned long long)cost.evaluations,
           (double)cost.evaluations / cost.explore_cpu_seconds / 1e6);
  }
  return is_done;
}

static bool load_system(const bench_paths *paths, dsm_system **system) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/systems/torus64.json", paths->source);
  const dsm_override capacity = {"chip.memory.capacity_GB", "100000", NULL};
  return dsm_system_load(system, path, &capacity, 1, NULL) == DSM_OK;
}

bool bench_inference_chains(const bench_paths *paths) {
  static const size_t counts[] = {10, 100, 1000, 10000};
  dsm_system *system = NULL;
  if (!load_system(paths, &system)) {
    return false;
  }
  printf("## Growth with distinct layers, for inference\n\n"
         "The chain of distinct layers with everything, one thread: processor time of exploring "
         "it.\n\n"
         "| layers | inference ms | training ms | ratio |\n|---|---|---|---|\n");
  bool is_done = true;
  for (size_t i = 0; is_done && i < sizeof counts / sizeof counts[0]; i++) {
    double seconds[2] = {0, 0};
    for (int m = 0; is_done && m < 2; m++) {
      const dsm_mode mode = m == 0 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING;
      const chain of = {counts[i], true, 1, "all", dsm_mode_optimizations(mode)};
      search_cost cost = {0, 0, 0, 0, 0};
      is_done = measure_chain(system, &of, mode, &cost);
      seconds[m] = cost.explore_cpu_seconds;
    }
    if (is_done) {
      printf("| %zu | %.1f | %.1f | %.1f |\n", counts[i], seconds[0] * 1e3, seconds[1] * 1e3,
             seconds[0] / seconds[1]);
    }
  }
  printf("\n");
  dsm_system_free(system);
  return is_done;
}

bool bench_chains(const bench_paths *paths) {
  static const size_t counts[] = {10, 100, 1000, 10000};
  const dsm_optimization_set hybrid = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  const dsm_optimization_set all = dsm_mode_optimizations(DSM_MODE_TRAINING);
  dsm_system *system = NULL;
  if (!load_system(paths, &system)) {
    return false;
  }
  printf("## Growth with distinct layers\n\n"
         "A chain of fully connected layers with relu on torus64 (memory capacity lifted), "
         "minibatch 256, in one process: reading and checking the text, and exploring.\n\n"
         "| layers | distinct | optimize | threads | read ms | explore ms | by the clock | "
         "evaluations | million/s |\n|---|---|---|---|---|---|---|---|---|\n");
  bool is_done = true;
  for (int distinct = 1; distinct >= 0; distinct--) {
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
      const chain chains[] = {{counts[i], distinct != 0, 1, "hybrid", hybrid},
                              {counts[i], distinct != 0, 1, "all", all}};
      is_done = bench_chain(system, &chains[0]) && bench_chain(system, &chains[1]) && is_done;
    }
  }
  const chain threaded = {10000, true, 2, "all", all};
  is_done = bench_chain(system, &threaded) && is_done;
  printf("\n");
  dsm_system_free(system);
  return is_done;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench.c: how fast dsm is. Prints the tables of docs/performance.md as Markdown.
 *
 * Usage: dsm_bench DSM SOURCE_DIR
 *
 * Whole processes are timed from outside, with the operating system's account of their memory; the
 * search is timed inside this process. Each figure is the median of several runs after a warm-up.
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* wait4 */

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dsm/dsm.h"

extern char **environ;

enum { RUNS = 9, PATH_SIZE = 4096 };

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare_doubles(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof values[0], compare_doubles);
  return values[count / 2];
}

typedef struct process_cost {
  double wall_seconds;
  double peak_megabytes;
  int exit_code;
} process_cost;

static process_cost run_process(char *const *arguments) {
  process_cost cost = {0, 0, -1};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const double start = now_seconds();
  pid_t pid = 0;
  if (posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environ) == 0) {
    int status = 0;
    struct rusage usage;
    if (wait4(pid, &status, 0, &usage) == pid) {
      cost.wall_seconds = now_seconds() - start;
      cost.peak_megabytes = (double)usage.ru_maxrss / 1024;
      cost.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
  }
  posix_spawn_file_actions_destroy(&actions);
  return cost;
}

typedef struct search_cost {
  double parse_seconds;
  double explore_seconds;
  uint64_t evaluations;
  uint64_t distinct_layers;
} search_cost;

static bool run_search(const char *text, const dsm_system *system,
                       const dsm_explore_options *options, search_cost *cost) {
  dsm_workload *workload = NULL;
  dsm_plan *plan = NULL;
  const double start = now_seconds();
  bool is_done =
      dsm_workload_parse(&workload, text, strlen(text), "bench", NULL, 0, NULL) == DSM_OK;
  const double parsed = now_seconds();
  is_done = is_done && dsm_explore(&plan, workload, system, options, NULL) == DSM_OK;
  if (is_done) {
    cost->parse_seconds = parsed - start;
    cost->explore_seconds = now_seconds() - parsed;
    cost->evaluations = plan->statistics.evaluations;
    cost->distinct_layers = plan->statistics.distinct_layers;
  }
  dsm_plan_free(plan);
  dsm_workload_free(workload);
  return is_done;
}

/* Million evaluations a second of a pair, in this process; 0 if it cannot be explored. */
static double bench_rate(const char *source_dir, const char *workload, const char *system,
                         dsm_mode mode, uint64_t *evaluations) {
  char path[PATH_SIZE];
  char *text = NULL;
  size_t length = 0;
  dsm_system *machine = NULL;
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = mode;
  double seconds[RUNS];
  search_cost cost = {0, 0, 0, 0};
  snprintf(path, sizeof path, "%s/systems/%s.json", source_dir, system);
  bool is_done = dsm_system_load(&machine, path, NULL, 0, NULL) == DSM_OK;
  snprintf(path, sizeof path, "%s/workloads/%s.json", source_dir, workload);
  is_done = is_done && dsm_file_read(&text, &length, path, NULL) == DSM_OK;
  for (int i = 0; i < RUNS && is_done; i++) {
    is_done = run_search(text, machine, &options, &cost);
    seconds[i] = cost.explore_seconds;
  }
  free(text);
  dsm_system_free(machine);
  *evaluations = cost.evaluations;
  return is_done ? (double)cost.evaluations / median(seconds, RUNS) / 1e6 : 0;
}

/* One row: `dsm explore WORKLOAD SYSTEM` as a whole process, and the rate of its search. */
static void bench_pair(const char *dsm, const char *source_dir, const char *workload,
                       const char *system, dsm_mode mode) {
  char program[PATH_SIZE];
  char names[4][64];
  snprintf(program, sizeof program, "%s", dsm);
  snprintf(names[0], sizeof names[0], "explore");
  snprintf(names[1], sizeof names[1], "%s", workload);
  snprintf(names[2], sizeof names[2], "%s", system);
  snprintf(names[3], sizeof names[3], "--mode=%s", dsm_mode_name(mode));
  char *const arguments[] = {program, names[0], names[1], names[2], names[3], NULL};
  double walls[RUNS];
  process_cost cost = run_process(arguments);
  double peak = 0;
  for (int i = 0; i < RUNS && cost.exit_code == 0; i++) {
    cost = run_process(arguments);
    walls[i] = cost.wall_seconds;
    peak = cost.peak_megabytes > peak ? cost.peak_megabytes : peak;
  }
  if (cost.exit_code != 0) {
    printf("| %s | %s | %s | exit %d | | | |\n", workload, system, dsm_mode_name(mode),
           cost.exit_code);
    return;
  }
  uint64_t evaluations = 0;
  const double rate = bench_rate(source_dir, workload, system, mode, &evaluations);
  printf("| %s | %s | %s | %.1f | %.1f | %llu | %.1f |\n", workload, system, dsm_mode_name(mode),
         median(walls, RUNS) * 1e3, peak, (unsigned long long)evaluations, rate);
}

static void bench_processes(const char *dsm, const char *source_dir) {
  static const char *const workloads[] = {"vgg16",   "resnet50",  "gnmt",   "gnmt_vocab",
                                          "alexnet", "googlenet", "raider", "mobilenet_v2"};
  static const char *const systems[] = {"torus64", "torus64_symmetric", "torus16", "torus256",
                                        "chip1"};
  printf("## Whole process\n\n"
         "`dsm explore WORKLOAD SYSTEM` at minibatch 256, one thread, median of %d runs. `exit 4`: "
         "the pair does not fit its memory.\n\n"
         "| workload | system | mode | ms | peak MB | evaluations | million/s |\n"
         "|---|---|---|---|---|---|---|\n",
         RUNS);
  for (size_t s = 0; s < sizeof systems / sizeof systems[0]; s++) {
    for (size_t w = 0; w < sizeof workloads / sizeof workloads[0]; w++) {
      bench_pair(dsm, source_dir, workloads[w], systems[s], DSM_MODE_TRAINING);
    }
  }
  for (size_t w = 0; w < sizeof workloads / sizeof workloads[0]; w++) {
    bench_pair(dsm, source_dir, workloads[w], "chip1", DSM_MODE_INFERENCE);
  }
  printf("\n");
}

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

static bool bench_chain(const dsm_system *system, size_t layer_count, bool is_distinct,
                        size_t thread_count) {
  const int runs = layer_count >= 10000 && is_distinct ? 3 : RUNS;
  double explore[RUNS];
  double parse[RUNS];
  search_cost cost = {0, 0, 0, 0};
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.thread_count = thread_count;
  char *const text = make_chain(layer_count, is_distinct);
  bool is_done = text != NULL;
  for (int i = 0; i < runs && is_done; i++) {
    is_done = run_search(text, system, &options, &cost);
    explore[i] = cost.explore_seconds;
    parse[i] = cost.parse_seconds;
  }
  free(text);
  if (!is_done) {
    return false;
  }
  const double seconds = median(explore, (size_t)runs);
  printf("| %zu | %llu | %zu | %.2f | %.2f | %llu | %.1f |\n", layer_count,
         (unsigned long long)cost.distinct_layers, thread_count, median(parse, (size_t)runs) * 1e3,
         seconds * 1e3, (unsigned long long)cost.evaluations,
         (double)cost.evaluations / seconds / 1e6);
  return true;
}

static bool bench_growth(const char *source_dir) {
  static const size_t counts[] = {10, 100, 1000, 10000};
  char path[PATH_SIZE];
  dsm_system *system = NULL;
  snprintf(path, sizeof path, "%s/systems/torus64.json", source_dir);
  const dsm_override capacity = {"chip.memory.capacity_GB", "100000", NULL};
  if (dsm_system_load(&system, path, &capacity, 1, NULL) != DSM_OK) {
    return false;
  }
  printf("## Growth with layers\n\n"
         "A chain of fully connected layers with relu on torus64 (memory capacity lifted), "
         "minibatch 256, in one process: reading and checking the text, and exploring.\n\n"
         "| layers | distinct | threads | read ms | explore ms | evaluations | million "
         "evaluations/s |\n|---|---|---|---|---|---|---|\n");
  bool is_done = true;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    is_done = bench_chain(system, counts[i], true, 1) && is_done;
  }
  is_done = bench_chain(system, 10000, true, 2) && is_done;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    is_done = bench_chain(system, counts[i], false, 1) && is_done;
  }
  printf("\n");
  dsm_system_free(system);
  return is_done;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: dsm_bench DSM SOURCE_DIR\n");
    return 2;
  }
  bench_processes(argv[1], argv[2]);
  if (!bench_growth(argv[2])) {
    fprintf(stderr, "dsm_bench: a chain could not be explored\n");
    return 1;
  }
  return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* wait4 */

#include "measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds_of_timeval(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static int compare_doubles(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Sorts the values. */
static double median(double *values, size_t count) {
  qsort(values, count, sizeof values[0], compare_doubles);
  return values[count / 2];
}

static process_cost run_process(char *const *arguments) {
  process_cost cost = {0, 0, -1};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  if (posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environ) == 0) {
    int status = 0;
    struct rusage usage;
    if (wait4(pid, &status, 0, &usage) == pid) {
      cost.cpu_seconds = seconds_of_timeval(usage.ru_utime) + seconds_of_timeval(usage.ru_stime);
      cost.peak_megabytes = (double)usage.ru_maxrss / 1024;
      cost.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
  }
  posix_spawn_file_actions_destroy(&actions);
  return cost;
}

process_cost run_processes(const char *const words[WORDS_MAX], size_t run_count) {
  static char texts[WORDS_MAX][PATH_SIZE];
  char *arguments[WORDS_MAX + 1] = {NULL};
  size_t count = 0;
  for (size_t i = 0; i < WORDS_MAX; i++) {
    if (words[i] != NULL) {
      snprintf(texts[count], sizeof texts[count], "%s", words[i]);
      arguments[count] = texts[count];
      count++;
    }
  }
  double seconds[RUNS];
  process_cost cost = run_process(arguments);
  double peak = cost.peak_megabytes;
  for (size_t i = 0; i < run_count && cost.exit_code == 0; i++) {
    cost = run_process(arguments);
    seconds[i] = cost.cpu_seconds;
    peak = cost.peak_megabytes > peak ? cost.peak_megabytes : peak;
  }
  if (cost.exit_code == 0) {
    cost.cpu_seconds = median(seconds, run_count);
    cost.peak_megabytes = peak;
  }
  return cost;
}

void print_columns(const char *const *names, size_t count, const char *behind, size_t first_count) {
  for (size_t c = 0; c < count; c++) {
    printf(" %s%s |", names[c], behind);
  }
  printf("\n|");
  for (size_t c = 0; c < first_count + count; c++) {
    printf("---|");
  }
  printf("\n");
}

static bool search_once(const search_task *task, search_cost *cost) {
  dsm_workload *workload = NULL;
  dsm_plan *plan = NULL;
  const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  bool is_done = dsm_workload_parse(&workload, task->text, strlen(task->text), "bench", NULL, 0,
                                    NULL) == DSM_OK;
  const double parsed = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = seconds_of(CLOCK_MONOTONIC);
  is_done = is_done && dsm_explore(&plan, workload, task->system, task->options, NULL) == DSM_OK;
  if (is_done) {
    cost->parse_cpu_seconds = parsed - start;
    cost->explore_seconds = seconds_of(CLOCK_MONOTONIC) - wall;
    cost->explore_cpu_seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - parsed;
    cost->evaluations = plan->statistics.evaluations;
    cost->distinct_layers = plan->statistics.distinct_layers;
  }
  dsm_plan_free(plan);
  dsm_workload_free(workload);
  return is_done;
}

static bool search_often(const search_task *task, search_cost *cost) {
  double parse[RUNS];
  double explore[RUNS];
  double explore_cpu[RUNS];
  for (size_t i = 0; i < task->run_count; i++) {
    if (!search_once(task, cost)) {
      return false;
    }
    parse[i] = cost->parse_cpu_seconds;
    explore[i] = cost->explore_seconds;
    explore_cpu[i] = cost->explore_cpu_seconds;
  }
  cost->parse_cpu_seconds = median(parse, task->run_count);
  cost->explore_seconds = median(explore, task->run_count);
  cost->explore_cpu_seconds = median(explore_cpu, task->run_count);
  return true;
}

bool measure_search(const search_task *task, search_cost *cost) {
  int ends[2];
  if (pipe(ends) != 0) {
    return false;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    search_cost found = {0, 0, 0, 0, 0};
    const bool is_done =
        search_often(task, &found) && write(ends[1], &found, sizeof found) == (ssize_t)sizeof found;
    _exit(is_done ? 0 : 1);
  }
  close(ends[1]);
  const bool is_read = pid > 0 && read(ends[0], cost, sizeof *cost) == (ssize_t)sizeof *cost;
  close(ends[0]);
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && is_read && status == 0;
}

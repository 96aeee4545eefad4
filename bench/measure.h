/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measure.h: what programs and searches cost. */
#ifndef DSM_BENCH_MEASURE_H
#define DSM_BENCH_MEASURE_H

#include "dsm/dsm.h"

enum { RUNS = 9, PATH_SIZE = 4096 };

typedef struct process_cost {
  double cpu_seconds;    /**< user and system, median over the runs */
  double peak_megabytes; /**< largest over the runs */
  int exit_code;
} process_cost;

enum { WORDS_MAX = 10 };

/** Runs a program run_count times after a warm-up, at most RUNS: with the first of some words, and
 * the others that are not NULL as its arguments. */
process_cost run_processes(const char *const words[WORDS_MAX], size_t run_count);

/** Prints the head of a Markdown table whose first columns are printed already: the others, a name
 * and what stands behind it each, and the line below all of them. */
void print_columns(const char *const *names, size_t count, const char *behind, size_t first_count);

typedef struct search_cost {
  double parse_cpu_seconds;
  double explore_seconds;     /**< by the clock */
  double explore_cpu_seconds; /**< of all threads */
  uint64_t evaluations;
  uint64_t distinct_layers;
} search_cost;

typedef struct search_task {
  const char *text; /**< of the workload */
  const dsm_system *system;
  const dsm_explore_options *options;
  size_t run_count; /**< at most RUNS */
} search_task;

/**
 * Medians of reading a workload and exploring it. In a process of its own: a program that is
 * started later would inherit the peak memory of this one. False if it cannot be explored.
 */
bool measure_search(const search_task *task, search_cost *cost);

#endif

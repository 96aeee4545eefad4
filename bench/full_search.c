/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full_search.c: full search against chips, minibatch and layers, and for inference, as whole
 * processes. */
#include <stdio.h>

#include "measure.h"
#include "tables.h"

/* How large a torus is, and how the command line asks for it. */
typedef struct torus {
  const char *shown;
  const char *name;
  const char *chips_x; /* an override, or NULL */
  const char *chips_y;
} torus;

static const torus tori[] = {
    {"64", "torus64", NULL, NULL},
    {"1,024", "torus1024", NULL, NULL},
    {"4,096", "torus4096", NULL, NULL},
    {"65,536", "torus4096", "--set=system.system.chips_x=256", "--set=system.system.chips_y=256"},
};

/* Runs `dsm explore NETWORK SYSTEM --optimize all`, with up to two more arguments, NULL for none.
 */
static process_cost run_explore(const bench_paths *paths, const char *network, const torus *on,
                                const char *const more[2]) {
  const char *const words[WORDS_MAX] = {paths->dsm,  "explore",        network,
                                        on->name,    "--optimize=all", on->chips_x,
                                        on->chips_y, more[0],          more[1]};
  return run_processes(words, RUNS);
}

/* Prints milliseconds; returns the peak memory. */
static double print_cell(process_cost cost) {
  if (cost.exit_code != 0) {
    printf(" exit %d |", cost.exit_code);
    return 0;
  }
  printf(" %.1f |", cost.cpu_seconds * 1e3);
  return cost.peak_megabytes;
}

enum { COLUMNS_MAX = 8 };

typedef struct minibatch_table {
  const char *heading;
  const char *mode;                     /* an argument */
  const char *minibatches[COLUMNS_MAX]; /* ends with NULL where there are fewer */
  const torus *tori;
  size_t torus_count;
} minibatch_table;

static void bench_row(const bench_paths *paths, const minibatch_table *table, const char *network,
                      const torus *on) {
  double peak = 0;
  printf("| %s | %s |", network, on->shown);
  for (size_t m = 0; m < COLUMNS_MAX && table->minibatches[m] != NULL; m++) {
    char minibatch[64];
    snprintf(minibatch, sizeof minibatch, "--minibatch=%s", table->minibatches[m]);
    const char *const more[2] = {table->mode, minibatch};
    const double one = print_cell(run_explore(paths, network, on, more));
    peak = one > peak ? one : peak;
  }
  printf(" %.1f |\n", peak);
}

static void bench_minibatches(const bench_paths *paths, const minibatch_table *table) {
  static const char *const names[] = {"vgg16", "resnet50", "gnmt", "googlenet"};
  printf("## %s\n\n"
         "`dsm explore NETWORK SYSTEM --optimize all --minibatch N %s` as a whole process, one "
         "thread: milliseconds, median of %d runs, and the largest peak of the row in MB.\n\n"
         "| network | chips |",
         table->heading, table->mode, RUNS);
  size_t columns = 0;
  for (; columns < COLUMNS_MAX && table->minibatches[columns] != NULL; columns++) {
    printf(" N = %s |", table->minibatches[columns]);
  }
  printf(" peak MB |\n|---|---|---|");
  for (size_t i = 0; i < columns; i++) {
    printf("---|");
  }
  printf("\n");
  for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
    for (size_t t = 0; t < table->torus_count; t++) {
      bench_row(paths, table, names[n], &table->tori[t]);
    }
  }
  printf("\n");
}

void bench_full_search(const bench_paths *paths) {
  const minibatch_table training = {.heading = "Full search against chips and minibatch",
                                    .mode = "--mode=training",
                                    .minibatches = {"256", "512", "1024", "2048", "4096", "8192"},
                                    .tori = tori,
                                    .torus_count = sizeof tori / sizeof tori[0]};
  bench_minibatches(paths, &training);
}

static const char *const workloads[] = {"alexnet",      "gnmt",   "gnmt_vocab", "googlenet",
                                        "mobilenet_v2", "raider", "resnet50",   "vgg16"};
static const char *const systems[] = {"chip1",           "torus16",
                                      "torus64",         "torus64_symmetric",
                                      "torus64_refined", "torus64_refined_symmetric",
                                      "torus256",        "torus1024",
                                      "torus4096"};
enum {
  WORKLOADS = sizeof workloads / sizeof workloads[0],
  SYSTEMS = sizeof systems / sizeof systems[0],
  LARGEST_MINIBATCH = 16384
};

/* A network on a system with a minibatch, and what exploring it for inference costs. */
typedef struct inference {
  const char *workload;
  const char *system;
  unsigned minibatch;
  process_cost cost;
} inference;

/* `dsm explore WORKLOAD SYSTEM --mode inference --minibatch N --optimize LIST`. */
static process_cost run_inference(const bench_paths *paths, const inference *of,
                                  const char *optimize, size_t run_count) {
  char minibatch[64];
  char list[64];
  snprintf(minibatch, sizeof minibatch, "--minibatch=%u", of->minibatch);
  snprintf(list, sizeof list, "--optimize=%s", optimize);
  const char *const words[WORDS_MAX] = {paths->dsm, "explore", of->workload,      of->system,
                                        minibatch,  list,      "--mode=inference"};
  return run_processes(words, run_count);
}

/* The slowest minibatch of a pair, of the powers of two that fit the memory. */
static inference find_slowest(const bench_paths *paths, const char *workload, const char *system) {
  inference slowest = {.workload = workload, .system = system};
  for (unsigned n = 1; n <= LARGEST_MINIBATCH; n *= 2) {
    inference one = {.workload = workload, .system = system, .minibatch = n};
    one.cost = run_inference(paths, &one, "all", 1);
    if (one.cost.exit_code == 0 && one.cost.cpu_seconds >= slowest.cost.cpu_seconds) {
      slowest = one;
    }
  }
  return slowest;
}

/* The slowest of a network again, beside the same without preloading. */
static void print_beside(const bench_paths *paths, const inference *slowest) {
  const process_cost all = run_inference(paths, slowest, "all", RUNS);
  const process_cost without = run_inference(paths, slowest, "hybrid,reuse,dysm,pipeline", RUNS);
  printf("| %s | %s | %u | %.1f | %.1f | %.1f | %.1f |\n", slowest->workload, slowest->system,
         slowest->minibatch, all.cpu_seconds * 1e3, without.cpu_seconds * 1e3,
         all.cpu_seconds / without.cpu_seconds, all.peak_megabytes);
}

void bench_inference(const bench_paths *paths) {
  inference slowest[WORKLOADS] = {{.minibatch = 0}};
  printf("## Full search for inference, with preloading\n\n"
         "`dsm explore NETWORK SYSTEM --mode inference --minibatch N` as a whole process, one "
         "thread, for N = 1, 2, 4 .. %d as far as it fits: milliseconds of the slowest N, which "
         "stands behind them; one run each.\n\n| system |",
         LARGEST_MINIBATCH);
  print_columns(workloads, WORKLOADS, "", 1);
  for (size_t s = 0; s < SYSTEMS; s++) {
    printf("| %s |", systems[s]);
    for (size_t w = 0; w < WORKLOADS; w++) {
      const inference one = find_slowest(paths, workloads[w], systems[s]);
      printf(" %.0f (%u) |", one.cost.cpu_seconds * 1e3, one.minibatch);
      slowest[w] = one.cost.cpu_seconds >= slowest[w].cost.cpu_seconds ? one : slowest[w];
    }
    printf("\n");
  }
  printf("\nThe slowest of each network again, in the same run beside the search without "
         "preloading (`--optimize hybrid,reuse,dysm,pipeline`): medians of %d runs.\n\n"
         "| network | system | N | ms | ms without | ratio | peak MB |\n"
         "|---|---|---|---|---|---|---|\n",
         RUNS);
  for (size_t w = 0; w < WORKLOADS; w++) {
    print_beside(paths, &slowest[w]);
  }
  printf("\n");
}

/* The networks that bench/CMakeLists.txt has make_network.py make. */
static const struct {
  const char *file;
  const char *shown;
} networks[] = {
    {"residual50", "residual, 50 layers"},
    {"residual100", "residual, 100 layers"},
    {"residual200", "residual, 200 layers"},
    {"residual500", "residual, 500 layers"},
    {"residual1000", "residual, 1,000 layers"},
    {"residual2000", "residual, 2,000 layers"},
    {"residual5000", "residual, 5,000 layers"},
    {"residual10000", "residual, 10,000 layers"},
    {"transformer96", "transformer, 96 blocks, 769 layers"},
    {"transformer96_samples", "the same, positions as samples"},
};

void bench_large_networks(const bench_paths *paths) {
  static const char *const lifted[2] = {"--set=system.chip.memory.capacity_GB=1e6", NULL};
  printf("## Full search against layers and chips\n\n"
         "`dsm explore NETWORK SYSTEM --optimize all` at minibatch 4096, memory capacity lifted "
         "(`--set system.chip.memory.capacity_GB=1e6`), as a whole process, one thread: "
         "milliseconds, median of %d runs, and the largest peak of the row.\n\n"
         "| network |",
         RUNS);
  for (size_t t = 0; t < sizeof tori / sizeof tori[0]; t++) {
    printf(" %s chips |", tori[t].shown);
  }
  printf(" peak MB |\n|---|---|---|---|---|---|\n");
  for (size_t n = 0; n < sizeof networks / sizeof networks[0]; n++) {
    char path[PATH_SIZE];
    double peak = 0;
    snprintf(path, sizeof path, "%s/%s.json", paths->networks, networks[n].file);
    printf("| %s |", networks[n].shown);
    for (size_t t = 0; t < sizeof tori / sizeof tori[0]; t++) {
      const double one = print_cell(run_explore(paths, path, &tori[t], lifted));
      peak = one > peak ? one : peak;
    }
    printf(" %.1f |\n", peak);
  }
  printf("\n");
}

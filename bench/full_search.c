/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full_search.c: full search against chips, minibatch and layers, as whole processes. */
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

enum { ARGUMENTS_MAX = 9 };

/* Runs `dsm explore NETWORK SYSTEM --optimize all`, with up to two more arguments, NULL for none.
 */
static process_cost run_explore(const bench_paths *paths, const char *network, const torus *on,
                                const char *const more[2]) {
  char words[ARGUMENTS_MAX][PATH_SIZE];
  char *arguments[ARGUMENTS_MAX + 1];
  const char *const given[ARGUMENTS_MAX] = {paths->dsm,  "explore",        network,
                                            on->name,    "--optimize=all", on->chips_x,
                                            on->chips_y, more[0],          more[1]};
  size_t count = 0;
  for (size_t i = 0; i < ARGUMENTS_MAX; i++) {
    if (given[i] != NULL) {
      snprintf(words[count], sizeof words[count], "%s", given[i]);
      arguments[count] = words[count];
      count++;
    }
  }
  arguments[count] = NULL;
  return run_processes(arguments, RUNS);
}

static double print_cell(process_cost cost) {
  if (cost.exit_code != 0) {
    printf(" exit %d |", cost.exit_code);
    return 0;
  }
  printf(" %.1f |", cost.wall_seconds * 1e3);
  return cost.peak_megabytes;
}

void bench_full_search(const bench_paths *paths) {
  static const char *const networks[] = {"vgg16", "resnet50", "gnmt"};
  static const char *const minibatches[] = {"256", "512", "1024", "2048", "4096", "8192"};
  printf(
      "## Full search against chips and minibatch\n\n"
      "`dsm explore NETWORK SYSTEM --optimize all --minibatch N` as a whole process, one thread: "
      "milliseconds, median of %d runs, and the largest peak of the row.\n\n"
      "| network | chips |",
      RUNS);
  for (size_t m = 0; m < sizeof minibatches / sizeof minibatches[0]; m++) {
    printf(" N = %s |", minibatches[m]);
  }
  printf(" peak MB |\n|---|---|---|---|---|---|---|---|---|\n");
  for (size_t n = 0; n < sizeof networks / sizeof networks[0]; n++) {
    for (size_t t = 0; t < sizeof tori / sizeof tori[0]; t++) {
      double peak = 0;
      printf("| %s | %s |", networks[n], tori[t].shown);
      for (size_t m = 0; m < sizeof minibatches / sizeof minibatches[0]; m++) {
        char minibatch[64];
        snprintf(minibatch, sizeof minibatch, "--minibatch=%s", minibatches[m]);
        const char *const more[2] = {minibatch, NULL};
        const double one = print_cell(run_explore(paths, networks[n], &tori[t], more));
        peak = one > peak ? one : peak;
      }
      printf(" %.1f |\n", peak);
    }
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_counts.c: full search on chips whose core count has many divisors, as whole processes. */
#include <stdio.h>

#include "measure.h"
#include "tables.h"

static const char *const core_counts[] = {"720", "5040", "720720"};
enum { CORE_COUNTS = sizeof core_counts / sizeof core_counts[0], FEW_RUNS = 3 };

/* A network, and how it is searched on all chips of a row. */
typedef struct row {
  const char *network; /* bundled, or the name of a made one's file */
  bool is_made;
  const char *mode;
  const char *layout_move;
  size_t count; /* of core counts: more take longer than a benchmark should */
} row;

static process_cost run_explore(const bench_paths *paths, const row *of, const char *system,
                                const char *cores) {
  char network[PATH_SIZE];
  char mode[64];
  char moves[64];
  char count[64];
  snprintf(network, sizeof network, "%s%s%s%s", of->is_made ? paths->networks : "",
           of->is_made ? "/" : "", of->network, of->is_made ? ".json" : "");
  snprintf(mode, sizeof mode, "--mode=%s", of->mode);
  snprintf(moves, sizeof moves, "--set=system.model.layout_move=%s", of->layout_move);
  snprintf(count, sizeof count, "--set=system.chip.cores=%s", cores);
  const char *const words[WORDS_MAX] = {paths->dsm,
                                        "explore",
                                        network,
                                        system,
                                        mode,
                                        moves,
                                        count,
                                        "--minibatch=256",
                                        "--set=system.chip.memory.capacity_GB=100"};
  return run_processes(words, FEW_RUNS);
}

void bench_core_counts(const bench_paths *paths) {
  static const char *const systems[] = {"chip1", "torus16"};
  static const row rows[] = {
      {"convolutions20", true, "training", "none", 3},
      {"vgg16", false, "training", "none", 3},
      {"resnet50", false, "training", "none", 3},
      {"googlenet", false, "training", "none", 2},
      {"convolutions20", true, "training", "exact", 2},
      {"vgg16", false, "training", "exact", 1},
      {"resnet50", false, "training", "exact", 1},
      {"convolutions20", true, "inference", "none", 1},
      {"vgg16", false, "inference", "none", 1},
  };
  printf("## Full search against cores of a chip\n\n"
         "`dsm explore NETWORK SYSTEM --mode MODE --set system.model.layout_move=MOVES --set "
         "system.chip.cores=CORES --minibatch 256 --set system.chip.memory.capacity_GB=100`: "
         "milliseconds, median of %d runs.\n\n| network | system | mode | layout_move |",
         FEW_RUNS);
  print_columns(core_counts, CORE_COUNTS, " cores", 4);
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    for (size_t s = 0; s < sizeof systems / sizeof systems[0]; s++) {
      printf("| %s | %s | %s | %s |", rows[r].network, systems[s], rows[r].mode,
             rows[r].layout_move);
      for (size_t c = 0; c < CORE_COUNTS; c++) {
        const bool is_run = c < rows[r].count;
        const process_cost cost =
            is_run ? run_explore(paths, &rows[r], systems[s], core_counts[c]) : (process_cost){0};
        if (is_run) {
          printf(" %.0f", cost.cpu_seconds * 1e3);
        }
        printf(" |");
      }
      printf("\n");
    }
  }
  printf("\n");
}

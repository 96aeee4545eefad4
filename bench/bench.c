/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench.c: how fast dsm is. Prints the tables of docs/evidence/performance.md as Markdown.
 *
 * Usage: dsm_bench DSM SOURCE_DIR NETWORKS_DIR [partitions|inference|blocks]
 * With `partitions`, `inference` or `blocks` these tables alone.
 *
 * Times are processor time, user and system, which other processes on the machine disturb less than
 * they do the clock: of whole processes by the operating system's account, with their memory, and
 * of searches in a child of this process. Each figure is the median of several runs after a
 * warm-up.
 */
#include <stdio.h>
#include <string.h>

#include "tables.h"

int main(int argc, char **argv) {
  const char *const only = argc == 5 ? argv[4] : "";
  const bool is_inference = strcmp(only, "inference") == 0;
  const bool is_blocks = strcmp(only, "blocks") == 0;
  if (argc < 4 || argc > 5 ||
      (argc == 5 && !is_inference && !is_blocks && strcmp(only, "partitions") != 0)) {
    fprintf(stderr, "usage: dsm_bench DSM SOURCE_DIR NETWORKS_DIR [partitions|inference|blocks]\n");
    return 2;
  }
  const bench_paths paths = {argv[1], argv[2], argv[3]};
  if (is_inference) {
    bench_inference(&paths);
    return bench_inference_chains(&paths) ? 0 : 1;
  }
  if (is_blocks) {
    bench_blocks(&paths);
    return 0;
  }
  if (argc == 5) {
    return bench_partitions(&paths) ? 0 : 1;
  }
  bench_full_search(&paths);
  bench_inference(&paths);
  bench_large_networks(&paths);
  bench_core_counts(&paths);
  bench_bundled(&paths);
  bench_blocks(&paths);
  if (!bench_chains(&paths) || !bench_inference_chains(&paths)) {
    fprintf(stderr, "dsm_bench: a chain could not be explored\n");
    return 1;
  }
  if (!bench_sweeps(&paths)) {
    fprintf(stderr, "dsm_bench: a sweep could not be run\n");
    return 1;
  }
  if (!bench_partitions(&paths)) {
    fprintf(stderr, "dsm_bench: a partition could not be found\n");
    return 1;
  }
  return 0;
}

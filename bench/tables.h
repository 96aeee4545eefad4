/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tables.h: the tables of docs/evidence/performance.md. Each prints Markdown. */
#ifndef DSM_BENCH_TABLES_H
#define DSM_BENCH_TABLES_H

#include <stdbool.h>

typedef struct bench_paths {
  const char *dsm;      /**< the program */
  const char *source;   /**< folder with workloads/ and systems/ */
  const char *networks; /**< folder with what make_network.py made */
} bench_paths;

/** Bundled networks of the paper and its time on bundled systems, with hybrid alone and with
 * everything. */
void bench_bundled(const bench_paths *paths);

/** Those of equal blocks, on large systems. */
void bench_blocks(const bench_paths *paths);

/** Full search against chips and minibatch. */
void bench_full_search(const bench_paths *paths);

/** Full search for inference of every bundled network on every bundled system. */
void bench_inference(const bench_paths *paths);

/** Full search of generated networks against layers and chips. */
void bench_large_networks(const bench_paths *paths);

/** Full search against the cores of a chip. */
void bench_core_counts(const bench_paths *paths);

/** Chains of layers, in one process. False if one cannot be explored. */
bool bench_chains(const bench_paths *paths);

/** The same for inference beside training, layers all distinct. False as above. */
bool bench_inference_chains(const bench_paths *paths);

/** Sweeps, in this process: points by themselves, with what they share found once, and recorded.
 * False if one cannot be run. */
bool bench_sweeps(const bench_paths *paths);

/** Partitions: seconds until the gap is reached. False if one cannot be solved. */
bool bench_partitions(const bench_paths *paths);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * network.h: one parallelism for each layer, so that the whole step is fastest.
 *
 * Without anything held on chip, layers influence each other only through the relayouts between
 * neighbours in execution order, whatever the graph, and through the memory of the chip that they
 * share. So the search is a shortest path through a trellis of layers x parallelisms, under one
 * constraint: sum of kept bytes + largest transient bytes <= capacity (section 12).
 */
#ifndef DSM_SEARCH_NETWORK_H
#define DSM_SEARCH_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "dsm/mapping.h"

/** A layer run under a parallelism. */
typedef struct dsm__choice {
  double cycles;          /**< all passes and reductions; infinite: not allowed */
  double kept_bytes;      /**< for the whole step */
  double transient_bytes; /**< while the layer runs */
} dsm__choice;

/** What of the torus changes its role between two parallelisms: bit 0 for X, bit 1 for Y. */
enum { DSM__ROLE_CHANGES = 4 };
unsigned dsm__role_change(dsm_parallelism before, dsm_parallelism after);

typedef struct dsm__network_stage {
  dsm__choice choices[DSM_PARALLELISM_COUNT];
  double relayout_cycles[DSM__ROLE_CHANGES]; /**< into this layer from the one before; [0] is 0 */
} dsm__network_stage;

typedef struct dsm__network {
  dsm__network_stage *stages; /**< in execution order */
  size_t stage_count;
  double capacity_bytes; /**< for the sum of kept and the largest of transient bytes */
} dsm__network;

typedef struct dsm__network_answer {
  bool is_feasible;           /**< some sequence fits the memory */
  double cycles;              /**< of the sequence found */
  double lower_bound_cycles;  /**< no feasible sequence is faster */
  double smallest_need_bytes; /**< of any sequence */
} dsm__network_answer;

/**
 * Finds the fastest sequence that fits; among equals the lexicographically first. Where none fits,
 * `sequence` is the one of smallest need. The answer is exact, unless the memory constraint makes
 * exactness too dear (more than DSM__LABELS_MAX partial sequences that do not dominate each other):
 * then the best sequence found, and a bound below it. False if out of memory.
 */
bool dsm__network_search(const dsm__network *network, dsm__arena *arena, dsm_parallelism *sequence,
                         dsm__network_answer *answer);

/** Most partial sequences kept at once. */
#define DSM__LABELS_MAX ((size_t)1 << 20)

/** Cost of the best sequence through each (layer, parallelism), memory aside: fills
 * through[stage_count][DSM_PARALLELISM_COUNT] row by row. False if out of memory. */
bool dsm__network_through(const dsm__network *network, dsm__arena *arena, double *through);

#endif

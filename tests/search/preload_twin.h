/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload_twin.h: small networks for inference, and all their mappings with preloaded weights. */
#ifndef DSM_TESTS_SEARCH_PRELOAD_TWIN_H
#define DSM_TESTS_SEARCH_PRELOAD_TWIN_H

#include "dsm/dsm.h"
#include "plan/holding.h"

enum { TWIN_LAYERS_MAX = 4, TWIN_SPLITS_MAX = 64 };

typedef struct preload_twin {
  dsm_workload *workload;
  dsm_system *system;
  dsm_machine machine;
  dsm_explore_options options; /**< inference; hybrid, reuse and preload, or some of them */
  dsm_loops splits[TWIN_SPLITS_MAX];
  size_t split_count;
  bool is_memory_short; /**< some mappings need more than a chip has */
} preload_twin;

/** A network of 2 to 4 layers on one or two chips of 2 to 4 cores, whose weights do not all fit. */
preload_twin preload_twin_draw(uint64_t seed);

/** The same from a list of layers, as JSON, and overrides of chip1. */
preload_twin preload_twin_of(const char *layers, const char *minibatch,
                             const dsm_override *overrides, size_t override_count);
/** Lets a chip have so much memory that some mappings fit: with share 0 those that need least. */
void preload_twin_limit_memory(preload_twin *twin, double share);

void preload_twin_free(preload_twin *twin);

/**
 * The least step of all mappings: all parallelisms, held outputs, levels, core splits, and
 * fractions of weights. Of these it suffices to look at none, as much as helps and all, and, of one
 * layer, at what fills the room: a layer's time is concave in its fraction until it is constant.
 */
double preload_twin_fastest(const preload_twin *twin);

/** What the paper's procedure (section 10) comes to: weights in the order of what they save. Where
 * memory is short, with the parallelisms of the fastest mapping without preloading. */
double preload_twin_greedy(const preload_twin *twin);

/** The step of a random mapping that is legal, predicted by dsm__plan_make; infinite if the one
 * drawn is not. */
double preload_twin_random(const preload_twin *twin, uint64_t *state);

#endif

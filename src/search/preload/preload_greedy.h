/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload_greedy.h: the paper's order in which weights are preloaded (section 10). */
#ifndef DSM_SEARCH_PRELOAD_PRELOAD_GREEDY_H
#define DSM_SEARCH_PRELOAD_PRELOAD_GREEDY_H

#include "search/preload/residents.h"
#include "search/problem.h"

/** A layer's weights, as often as it pays best to replicate them. */
typedef struct dsm__preload_item {
  size_t layer;
  double bytes;          /**< of each core */
  double saved_per_byte; /**< cycles; of the chip's bytes */
} dsm__preload_item;

/** Layers by what their weights save, most first. */
typedef struct dsm__preload_greedy {
  dsm__preload_item *items;
  size_t count;
} dsm__preload_greedy;

/** Orders the layers of a solution without preloading, nothing being held; false if out of memory.
 * Their runs join the residents. Belongs to the problem's arena. */
bool dsm__preload_greedy_find(dsm__preload_greedy *greedy, dsm__problem *problem,
                              const dsm__solution *solution, dsm__residents *residents);

/** What each layer gets of a room, in that order; the last one gets what is left. */
void dsm__preload_greedy_budgets(const dsm__preload_greedy *greedy, double room_bytes,
                                 double *budgets, size_t layer_count);

#endif

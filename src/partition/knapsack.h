/* SPDX-License-Identifier: GPL-3.0-or-later */
/* knapsack.h: the most that whole things are worth together in limited room. */
#ifndef DSM_PARTITION_KNAPSACK_H
#define DSM_PARTITION_KNAPSACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct dsm__item {
  double need;    /**< > 0 */
  double worth;   /**< > 0 */
  double density; /**< worth / need */
  size_t label;   /**< of equal ones the lower comes first */
} dsm__item;

typedef struct dsm__knapsack {
  dsm__item *items;
  size_t item_count;
  double room;    /**< >= 0 */
  double *needs;  /**< [k]: of the first k items */
  double *worths; /**< [k]: of the first k items */
  struct dsm__packing *now;
  struct dsm__packing *next;
} dsm__knapsack;

/** For up to item_max items. False: out of memory. */
bool dsm__knapsack_reserve(dsm__knapsack *knapsack, dsm__arena *arena, size_t item_max);

/** Orders the items by what a unit of room is worth, derives the sums, and widens the room by what
 * sums of needs that are no whole numbers may be rounded up. First of all, once for a room. */
void dsm__knapsack_order(dsm__knapsack *knapsack);

/** With one item split: the items before *split are in, of that one a part (item_count: none). */
double dsm__knapsack_relaxed(const dsm__knapsack *knapsack, size_t *split, double *part);

/** Whole items. Exact, or (where too many packings stay in question) between that and what is
 * relaxed. */
double dsm__knapsack_whole(dsm__knapsack *knapsack);

#endif

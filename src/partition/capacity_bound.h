/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capacity_bound.h: a bound that counts whole tasks, without a solver.
 *
 * A set F of devices holds at most the sum of their memories; each task that is not stored on F is
 * paid for at the prices of the other devices. With a price l_j >= 0 of each device's time,
 *
 *   rho * min_K sum_i v_i(K) <= sum_j l_j,   v_i(K) = min_j l_j p_ij over all devices for i in K,
 *                                            over those outside F for i not in K,
 *   over sets K of tasks with sum_{i in K} w_i <= sum_{j in F} M_j, where w_i and M_j are scaled
 *   if devices store a task in other bytes (dsm__memory_scales).
 *
 * The minimum is a knapsack problem. A linear relaxation splits tasks where it is filled; here it
 * is solved for whole tasks. For latency all prices are 1. For energy they are (busy_j - idle_j),
 * and stay so: that the devices' time is limited is left out, so the bound can only be lower.
 */
#ifndef DSM_PARTITION_CAPACITY_BOUND_H
#define DSM_PARTITION_CAPACITY_BOUND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "dsm/partition.h"
#include "partition/assignment.h"

/* ---- the most that whole things are worth together in limited room ---- */

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

/* ---- a bound that counts whole tasks, without a solver ---- */

/** A search over sets and prices of a size that depends on the instance alone, unless is_over says
 * so before. *bound is of the objective (energy: watts); infinite: nothing is known. False: out of
 * memory. */
bool dsm__capacity_bound_find(double *bound, dsm__arena *arena, const dsm_instance *instance,
                              const dsm_partition_options *options, dsm__is_over *is_over,
                              void *context);

#endif

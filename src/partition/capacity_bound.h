/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * room_bound.h: a bound that counts whole tasks, without a solver.
 *
 * A set F of devices holds at most the sum of their memories; each task that is not stored on F is
 * paid for at the prices of the other devices. With a price l_j >= 0 of each device's time,
 *
 *   rho * min_K sum_i v_i(K) <= sum_j l_j,   v_i(K) = min_j l_j p_ij over all devices for i in K,
 *                                            over those outside F for i not in K,
 *   over sets K of tasks with sum_{i in K} w_i <= sum_{j in F} M_j.
 *
 * The minimum is a knapsack problem. A linear relaxation splits tasks where it is filled; here it
 * is solved for whole tasks. For latency all prices are 1. For energy they are (busy_j - idle_j),
 * and stay so: that the devices' time is limited is left out, so the bound can only be lower.
 */
#ifndef DSM_PARTITION_CAPACITY_BOUND_H
#define DSM_PARTITION_CAPACITY_BOUND_H

#include "base/arena.h"
#include "dsm/partition.h"
#include "partition/is_over.h"

typedef struct dsm__room_bound {
  double value;    /**< of the objective (energy: watts); infinite: nothing is known */
  bool *is_in_set; /**< [j] the set that it is of */
} dsm__room_bound;

/** A search over sets and prices of a size that depends on the instance alone, unless is_over says
 * so before. False: out of memory. */
bool dsm__room_bound_find(dsm__room_bound *bound, dsm__arena *arena, const dsm_instance *instance,
                          const dsm_partition_options *options, dsm__is_over *is_over,
                          void *context);

#endif

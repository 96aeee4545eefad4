/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pricing_routes.h: which devices send each other what, made whole, and what that does to
 * carriers. */
#ifndef DSM_PARTITION_PRICING_ROUTES_H
#define DSM_PARTITION_PRICING_ROUTES_H

#include "dsm/partition.h"
#include "partition/routes.h"

typedef struct dsm__traffic {
  dsm__routes routes;
  double *moved;             /**< [(t * m + j) * m + k] tensors; NULL where targets matter not */
  double *trial;             /**< the same, of one request */
  dsm_carrier_use *carriers; /**< by number; NULL where routes are plain */
} dsm__traffic;

/** Takes what a solver said was moved, which it changes; NULL: nothing. False: out of memory. */
bool dsm__traffic_begin(dsm__traffic *traffic, dsm_partition *partition, double *moved);

/** Brings what is moved of a tensor into line with the rates, which add up to the same for all
 * tasks: near to what it was, nothing back and forth, and counts what each device sends. */
void dsm__settle_moved(const dsm__traffic *traffic, const double *rates, size_t tensor,
                       double *copies);

/** Use of all carriers, not yet whether one binds. */
void dsm__count_carriers(const dsm__traffic *traffic, const dsm_partition_options *options,
                         const double *rates, const double *copies);

/** The largest share of time of a carrier; 0 where routes are plain. */
double dsm__busiest_carrier(const dsm__traffic *traffic);

/** Seconds of all transfers of a request, one after the other. */
double dsm__moving_seconds(const dsm__traffic *traffic, const dsm_partition_options *options,
                           const double *rates, const double *copies);

/** Gives the partition what was moved, and its carriers. False: out of memory. */
bool dsm__traffic_hand_over(const dsm__traffic *traffic, dsm_partition *partition);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * routes.h: what carries a transfer on its way, and for how long (docs/partition.md, ways of
 * transfers).
 *
 * A carrier is the link out of a device, the way into one, a direction of a port, or a direction of
 * a pair. A transfer of b bytes takes s + b / B of the time of each carrier with B bytes a second
 * and a fixed cost s, and on an idle server the sum of s and the longest b / B.
 */
#ifndef DSM_PARTITION_ROUTES_H
#define DSM_PARTITION_ROUTES_H

#include "base/arena.h"
#include "dsm/partition.h"

typedef struct dsm__carrier {
  dsm_carrier_kind kind;
  size_t index;  /**< device or port; of a pair the device that sends */
  size_t target; /**< of a pair the other device */
  double bytes_per_second;
} dsm__carrier;

/** A carrier on a way. */
typedef struct dsm__hop {
  size_t carrier;
  double transfer_seconds; /**< fixed cost there, of a request: one for the sender's batch */
} dsm__hop;

typedef struct dsm__routes {
  const dsm_instance *instance;
  bool is_plain;          /**< links with bandwidths and nothing else */
  bool has_targets;       /**< who receives matters, not only who sends */
  bool has_input;         /**< the request's input counts */
  dsm__carrier *carriers; /**< the links out of the devices first, by number */
  size_t carrier_count;
  size_t *first; /**< private: [from * (m + 1) + to] */
  dsm__hop *hops;
} dsm__routes;

/** The carriers between two devices; `hops` of them from *way on. Device number device_count is the
 * world outside, which has the request's input and gets the results. */
typedef struct dsm__way {
  const dsm__hop *hops;
  size_t hop_count;
} dsm__way;

/** False: out of memory. */
bool dsm__routes_make(dsm__routes *routes, dsm__arena *arena, const dsm_instance *instance,
                      const dsm_partition_options *options);

dsm__way dsm__way_between(const dsm__routes *routes, size_t from, size_t to);

/** Whether a carrier can be what limits: a way into a device only where it has a limit, or the
 * request's input comes by it. */
bool dsm__carrier_is_limited(const dsm__routes *routes, size_t carrier);

/** Of the carrier's time; 0 for no bytes. */
double dsm__hop_seconds(const dsm__routes *routes, const dsm__hop *hop, double bytes);

/** Of a transfer on an idle server; 0 for no bytes. */
double dsm__way_seconds(const dsm__routes *routes, dsm__way way, double bytes);

/** What task i gets of the request's input on device j: 0 on a host, which has it. */
double dsm__input_bytes(const dsm__routes *routes, size_t task, size_t device);

/** Whether links with bandwidths are all that carries transfers, but for the request's input. */
bool dsm__links_are_plain(const dsm_instance *instance);

/** Whether two devices can change places without a change of ports and pairs. */
bool dsm__routes_are_equal(const dsm_instance *instance, size_t a, size_t b);

#endif

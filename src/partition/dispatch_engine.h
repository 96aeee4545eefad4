/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch_engine.h: the simulation itself: requests go in, moments come out. */
#ifndef DSM_PARTITION_DISPATCH_ENGINE_H
#define DSM_PARTITION_DISPATCH_ENGINE_H

#include "partition/dispatch_graph.h"
#include "partition/dispatch_queues.h"
#include "partition/dispatch_timeline.h"

/** A device and its outgoing link. */
typedef struct dsm__dispatch_server {
  dsm__timeline timeline;
  double busy_seconds; /**< in all */
  double link_free_seconds;
  double link_busy_seconds;
  double trial_seconds;  /**< link_free_seconds, but while a decision is tried out */
  double waited_seconds; /**< by all tasks together */
  size_t most_queued;
  dsm__waiting_line line;
} dsm__dispatch_server;

/** A request that is in the server. */
typedef struct dsm__flight {
  struct dsm__flight *next; /**< in the list of those that are free */
  double entered_seconds;
  uint32_t request;
  size_t results_due;
  double *arrivals;   /**< of shared tensors, by number and device; below 0: not sent there */
  uint16_t *awaited;  /**< of a task: producers that have not ended */
  uint8_t *placement; /**< of a task: the device that it was given to */
} dsm__flight;

typedef struct dsm__dispatch_engine {
  dsm__dispatch_graph graph;
  dsm_dispatch_options options;
  dsm__arena *arena; /**< for all that dies with the simulation */
  dsm_diags *diags;
  dsm__dispatch_server *servers;
  dsm__agenda agenda;
  dsm__flight *free_flights;
  uint64_t random;
  size_t entered_count; /**< requests that have a place on the agenda, or had */
  double *entries;      /**< when requests entered, in the order in which they leave */
  double *ends;         /**< when they left, likewise */
  size_t flight_count;  /**< requests that were ever under way at a time */
  size_t flights_max;   /**< of them there is room for so many */
  size_t done_count;
  DSM__LIST(dsm_dispatch_event) events;
} dsm__dispatch_engine;

/** Requests that may be under way at a time: they take 1 GiB. */
size_t dsm__flights_max(const dsm_instance *instance);

/** Runs all requests. The engine's graph, options, flights_max, arena and diags are set, the rest
 * is zero. */
DSM_NODISCARD dsm_status dsm__dispatch_engine_run(dsm__dispatch_engine *engine);

#endif

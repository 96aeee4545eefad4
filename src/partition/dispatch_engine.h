/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch_engine.h: the simulation of a runtime: requests go in, moments come out. */
#ifndef DSM_PARTITION_DISPATCH_ENGINE_H
#define DSM_PARTITION_DISPATCH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/growing_list.h"
#include "base/words.h"
#include "dsm/dispatch.h"
#include "partition/routes.h"

/* ---- a partition laid out for a simulation ---- */

/** Lists of numbers: those of i are items[first[i]] .. items[first[i + 1] - 1], ascending. */
typedef struct dsm__lists {
  size_t *first;
  size_t *items;
} dsm__lists;

typedef struct dsm__dispatch_graph {
  const dsm_instance *instance;
  bool does_keep_results;
  dsm__routes routes;
  dsm__lists inputs;       /**< of a task: tensors that it needs */
  dsm__lists followers;    /**< of a task: tasks that need something of it, each once */
  dsm__lists candidates;   /**< of a task: devices that may get it */
  size_t *producer_counts; /**< of a task: tasks that it waits for */
  size_t *shared_numbers;  /**< of a tensor: 1, 2, ... of those with several consumers; else 0 */
  size_t shared_count;     /**< tensors with several consumers */
  size_t result_count;     /**< tasks with results */
} dsm__dispatch_graph;

/** Fills the graph from an arena. DSM_ERROR_INVALID: a task that no device may get. */
DSM_NODISCARD dsm_status dsm__dispatch_graph_make(dsm__dispatch_graph *graph, dsm__arena *arena,
                                                  const dsm_partition *partition,
                                                  dsm_dispatch_rule rule, dsm_diags *diags);

extern const dsm__words dsm__dispatch_rule_words;

/* ---- routes by the rates of the answer ---- */

/** How many requests went where, beside how many should have. With ways, requests go those. */
typedef struct dsm__dispatch_shares {
  const dsm_partition *partition;
  uint64_t *gone;  /**< of a way: requests that go it; NULL: there are no ways */
  uint64_t begun;  /**< requests in all */
  double way_rate; /**< of all ways */
  size_t *guides;  /**< of a task: the task whose device its own depends on; task_count: none */
  size_t *guide_tensors; /**< and the tensor that it makes for it */
  uint32_t **given; /**< of a task and its guide's device: to each device, and then in all; NULL:
                         none yet */
  dsm__arena *arena;
} dsm__dispatch_shares;

DSM_NODISCARD dsm_status dsm__dispatch_shares_make(dsm__dispatch_shares *shares, dsm__arena *arena,
                                                   const dsm_partition *partition,
                                                   dsm_diags *diags);

/** The way of the next request, that which is furthest behind, the first of equal ones; 0 where
 * there are no ways. */
uint32_t dsm__dispatch_shares_begin(dsm__dispatch_shares *shares);

/** Counts a request's task to *device or, where that is device_count, to the device that is
 * furthest behind, the first of equal ones; with ways *device is that of the way. `placement` has
 * the devices of tasks before. False: out of memory. */
bool dsm__dispatch_shares_take(dsm__dispatch_shares *shares, const uint8_t *placement, size_t way,
                               size_t task, size_t *device);

/* ---- what is to happen, in order of time, and tasks that wait in line ---- */

/** At one moment, what comes first is handled first. */
typedef enum dsm__happening_kind {
  DSM__TASK_ENDS = 0,
  DSM__RESULT_LEFT, /**< the server, by a link */
  DSM__REQUEST_ENTERS,
  DSM__HAPPENING_KIND_COUNT
} dsm__happening_kind;

typedef struct dsm__happening {
  double seconds;
  struct dsm__flight *flight; /**< NULL for a request that enters */
  uint32_t request;
  uint16_t task;
  uint8_t kind; /**< dsm__happening_kind */
} dsm__happening;

/** A binary heap: by time, kind, request, task. All zero is an empty one. */
typedef struct dsm__agenda {
  dsm__happening *items;
  size_t count;
  size_t capacity;
} dsm__agenda;

/** False if out of memory. */
bool dsm__agenda_add(dsm__agenda *agenda, dsm__arena *arena, dsm__happening happening);

/** Takes the first; there must be one. */
dsm__happening dsm__agenda_take(dsm__agenda *agenda);

/** `line` holds the moments at which those who wait are served. Those served until now go, and one
 * more waits until it begins; false if out of memory. */
bool dsm__waiting_line_join(dsm__agenda *line, dsm__arena *arena, double now, double begin);

/* ---- when a device is taken ---- */

typedef struct dsm__gap {
  double begin;
  double end;
} dsm__gap;

/** All zero but `shortest` is a device that nothing was given to. */
typedef struct dsm__timeline {
  double shortest; /**< seconds of the shortest task; gaps below that are not kept */
  double end;      /**< of all that was given to the device */
  dsm__gap *gaps;  /**< ascending, from number `head` on */
  size_t head;
  size_t tail; /**< behind the last */
  size_t capacity;
} dsm__timeline;

/** A place on a timeline. */
typedef struct dsm__slot {
  size_t gap; /**< number of the gap; `tail`: behind all */
  double begin;
} dsm__slot;

/** The earliest place for a task that is ready at a time, which is now or later. */
dsm__slot dsm__timeline_find(dsm__timeline *timeline, double now, double ready, double seconds);

/** Takes a place that was found since the last was taken; false if out of memory. */
bool dsm__timeline_take(dsm__timeline *timeline, dsm__arena *arena, double now, dsm__slot slot,
                        double seconds);

/* ---- the simulation itself ---- */

/** A carrier of transfers, which carries one at a time. */
typedef struct dsm__dispatch_carrier {
  double free_seconds;  /**< when it is free */
  double trial_seconds; /**< free_seconds, but while a decision is tried out */
  double busy_seconds;  /**< in all */
} dsm__dispatch_carrier;

/** A device. */
typedef struct dsm__dispatch_server {
  dsm__timeline timeline;
  double busy_seconds;   /**< in all */
  double waited_seconds; /**< by all tasks together */
  size_t most_queued;
  dsm__agenda line;
} dsm__dispatch_server;

/** Requests that wait for a task on a device until its batch is full. */
typedef struct dsm__forming {
  struct dsm__flight **members; /**< NULL: there were none yet */
  size_t count;
  bool is_waited_for;    /**< some waited for others */
  double ready_seconds;  /**< when all inputs so far are there */
  double joined_seconds; /**< sum of the times at which they came */
  double first_seconds;  /**< when the first came */
} dsm__forming;

/** A request that is in the server. */
typedef struct dsm__flight {
  struct dsm__flight *next; /**< in the list of those that are free */
  double entered_seconds;   /**< since its own epoch */
  double epoch_seconds;
  uint32_t request;
  uint32_t way; /**< by the rates, where there are ways */
  size_t results_due;
  double *arrivals;   /**< of shared tensors, by number and device; below 0: not sent there */
  uint16_t *awaited;  /**< of a task: producers that have not ended */
  uint8_t *placement; /**< of a task: the device that it was given to */
} dsm__flight;

typedef struct dsm__dispatch_engine {
  dsm__dispatch_graph graph;
  dsm__dispatch_shares shares; /**< of DSM_DISPATCH_RATES */
  dsm_dispatch_options options;
  dsm__arena *arena; /**< for all that dies with the simulation */
  dsm_diags *diags;
  dsm__dispatch_server *servers;
  dsm__dispatch_carrier *carriers; /**< by number */
  dsm__forming *forming;           /**< of a task and device */
  uint8_t *filling;       /**< of a task and the device that its guide ran on (or device_count): the
                             device       whose batch requests that come from there go to, + 1; 0: none */
  size_t forming_count;   /**< batches that are not full */
  double filling_seconds; /**< waited in all until batches were full */
  size_t partial_count;   /**< batches that began before they were full */
  double now_seconds;     /**< moments are since the epoch */
  double epoch_seconds;   /**< since the beginning */
  double epoch_most;      /**< seconds after which an epoch may end */
  dsm__agenda agenda;
  dsm__flight *free_flights;
  uint64_t random;
  size_t entered_count; /**< requests that have a place on the agenda, or had */
  double *entries;      /**< when requests entered, in the order in which they leave */
  double *ends;         /**< when they left, likewise; both since the beginning */
  double *latencies;    /**< of which the difference has too few digits after a long time */
  size_t flight_count;  /**< requests that were ever under way at a time */
  size_t flights_max;   /**< of them there is room for so many */
  size_t done_count;
  DSM__LIST(dsm_dispatch_event) events;
} dsm__dispatch_engine;

/** Requests that may be under way at a time: they take 1 GiB. */
size_t dsm__flights_max(const dsm_instance *instance);

/** Runs all requests. The engine's graph, shares, options, flights_max, arena and diags are set,
 * the rest is zero. */
DSM_NODISCARD dsm_status dsm__dispatch_engine_run(dsm__dispatch_engine *engine);

#endif

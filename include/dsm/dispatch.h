/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * dispatch.h: a runtime at work on a partition (section 2.7 of the paper): a discrete-event
 * simulation in which each task goes to a device that holds its parameters: by the rates of the
 * answer, or to the one that can finish it first. Links carry one transfer at a time, in the order
 * in which they are asked for. The same seed gives the same run. The rules in full:
 * docs/dispatch.md.
 */
#ifndef DSM_DISPATCH_H
#define DSM_DISPATCH_H

#include "dsm/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which device gets a task that is ready. */
typedef enum dsm_dispatch_rule {
  DSM_DISPATCH_RATES = 0, /**< the one that is furthest behind its share of the answer's rates */
  DSM_DISPATCH_EARLIEST,  /**< the one that can end it first, ties to the first device: the paper's
                             rule */
  DSM_DISPATCH_RULE_COUNT
} dsm_dispatch_rule;

/** How requests come, and where their tasks go. */
typedef struct dsm_dispatch_options {
  dsm_dispatch_rule rule;
  size_t request_count; /**< 1 .. DSM_REQUESTS_MAX */
  size_t window; /**< closed loop: so many requests are in the server at a time; 0: arrivals */
  double rate;   /**< arrivals per second, exponential gaps; 0: closed loop */
  uint64_t seed;
  bool does_record; /**< keep every task and transfer, for a trace */
} dsm_dispatch_options;

/** 1000 requests, a window of 16, by the rates. */
DSM_API void dsm_dispatch_options_init(dsm_dispatch_options *options);

/** So many requests at a time, and in all, as fill the batches of an instance as often as those of
 * dsm_dispatch_options_init fill a batch of one: where several are to be chosen from, the largest.
 */
DSM_API void dsm_dispatch_options_scale(dsm_dispatch_options *options,
                                        const dsm_instance *instance);

/** A task or a transfer that occupied a device or its link. */
typedef struct dsm_dispatch_event {
  size_t request;
  size_t task;   /**< that ran, or whose output moved */
  size_t device; /**< that ran it, or whose link it left by; device_count: of the request's input */
  size_t target; /**< of a transfer: the device that it went to (device_count: out of the server);
                      of a task: the device itself */
  bool is_transfer;
  double begin_seconds;
  double end_seconds;
} dsm_dispatch_event;

/** A device over the whole simulation. */
typedef struct dsm_dispatch_device {
  double time_fraction; /**< busy, over the whole run */
  double link_fraction; /**< its outgoing link occupied, over the whole run */
  double mean_queue;    /**< tasks that wait for it, over time */
  size_t most_queued;
} dsm_dispatch_device;

/** What a simulation found. */
typedef struct dsm_dispatch {
  const dsm_partition *partition; /**< borrowed */
  dsm_dispatch_options options;
  double seconds;           /**< until the last result */
  double throughput;        /**< requests per second in the steady half: from the end of the first
                                 quarter of requests to that of the third */
  double throughput_within; /**< of those of them that entered in it too: at most the optimum of the
                                 partition, while `throughput` also counts requests that were
                                 under way when the half began */
  double mean_latency_seconds;
  double p50_latency_seconds; /**< nearest rank */
  double p95_latency_seconds;
  double p99_latency_seconds;
  double mean_waiting_seconds; /**< of it: until the batches of devices were full, all together */
  size_t partial_batches; /**< that began before they were full, as nothing else would happen */
  const dsm_dispatch_device *devices;
  const dsm_dispatch_event *events; /**< by begin, then request, task; if recorded. What takes no
                                       time is no event */
  size_t event_count;

  struct dsm__arena *arena; /**< private */
} dsm_dispatch;

/**
 * Could the options be simulated for an instance? DSM_ERROR_USAGE: they contradict each other, are
 * out of range, or ask for a window that would take more than 1 GiB, or a trace whose tasks alone
 * are more than DSM_TRACE_EVENTS_MAX. Options may be NULL. dsm_dispatch_run asks this first; before
 * a partition is solved for it is worth asking.
 */
DSM_API DSM_NODISCARD dsm_status dsm_dispatch_check(const dsm_instance *instance,
                                                    const dsm_dispatch_options *options,
                                                    dsm_diags *diags);

/**
 * Simulates. *dispatch borrows the partition and belongs to the caller. Options may be NULL. Of the
 * partition only instance, options, and by the rule ways, or rates and moved, or is_stored matter.
 * DSM_ERROR_USAGE: as of dsm_dispatch_check, also more than DSM_TRACE_EVENTS_MAX events with
 * transfers, or requests under way that would take more than 1 GiB; DSM_ERROR_INVALID: a task that
 * no device runs at a rate above 0, or stores and can run, or times that a double cannot hold;
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_dispatch_run(dsm_dispatch **dispatch,
                                                  const dsm_partition *partition,
                                                  const dsm_dispatch_options *options,
                                                  dsm_diags *diags);
/** Frees a simulation; NULL is fine. */
DSM_API void dsm_dispatch_free(dsm_dispatch *dispatch);

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_dispatch_rule_name(dsm_dispatch_rule rule);

#ifdef __cplusplus
}
#endif

#endif

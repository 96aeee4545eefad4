/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dispatch.c: checks what is asked, runs the engine, and sums up what came out.
 *
 * Throughput is counted over the second and third quarter of the requests that are done, where the
 * pipeline is full and has not begun to run dry. Why it is never above the optimum of the
 * programme, but for what is under way at the beginning, is shown in docs/dispatch.md: the tasks
 * run in that time, divided by it, are a solution of the programme.
 */
#include "dsm/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/order.h"
#include "base/words.h"
#include "dsm/limits.h"
#include "partition/dispatch_engine.h"

static const dsm__word rule_words[] = {
    [DSM_DISPATCH_RATES].key = "rates",
    [DSM_DISPATCH_EARLIEST].key = "earliest",
};
DSM__NAMED_WORDS(dsm__dispatch_rule_words, "rule of dispatch", rule_words, DSM_DISPATCH_RULE_COUNT,
                 dsm_dispatch_rule, dsm_dispatch_rule_name);

void dsm_dispatch_options_init(dsm_dispatch_options *options) {
  *options = (dsm_dispatch_options){.request_count = 1000, .window = 16};
}

void dsm_dispatch_options_scale(dsm_dispatch_options *options, const dsm_instance *instance) {
  size_t largest = 1;
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm_instance_device *const it = &instance->devices[j];
    const size_t last = it->batch_size_count > 0 ? it->batch_sizes[it->batch_size_count - 1] : 1;
    largest = last > largest ? last : largest;
    largest = it->batch > largest ? it->batch : largest;
  }
  const size_t most = DSM_REQUESTS_MAX / options->request_count;
  options->window *= largest;
  options->request_count *= largest < most ? largest : most;
}

static dsm_status check_options(const dsm_dispatch_options *options, dsm_diags *diags) {
  if (options->request_count < 1 || options->request_count > DSM_REQUESTS_MAX) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected 1 to %d requests, found %zu",
                       DSM_REQUESTS_MAX, options->request_count);
  }
  if (isnan(options->rate) || isinf(options->rate) || options->rate < 0) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a positive rate of requests per second, found %g", options->rate);
  }
  if ((options->window > 0) == (options->rate > 0)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected either a window of requests or a rate of arrivals, found %s",
                       options->window > 0 ? "both" : "neither");
  }
  return DSM_OK;
}

/* The whole window is under way at once. */
static dsm_status check_window(const dsm_instance *instance, const dsm_dispatch_options *options,
                               dsm_diags *diags) {
  const size_t most = dsm__flights_max(instance);
  if (options->window <= most || options->request_count <= most) {
    return DSM_OK;
  }
  return dsm__refuse(diags, DSM_ERROR_USAGE,
                     "expected a window of at most %zu requests, for which there is room in 1 GiB, "
                     "found %zu",
                     most, options->window);
}

/* The tasks alone are events; transfers are counted when they come. */
static dsm_status check_trace(const dsm_instance *instance, const dsm_dispatch_options *options,
                              dsm_diags *diags) {
  const size_t most = DSM_TRACE_EVENTS_MAX / (instance->task_count == 0 ? 1 : instance->task_count);
  if (!options->does_record || options->request_count <= most) {
    return DSM_OK;
  }
  return dsm__refuse(
      diags, DSM_ERROR_USAGE,
      "expected at most %zu requests of %zu task%s with a trace, which has at most %d "
      "events, found %zu requests",
      most, instance->task_count, dsm__plural((double)instance->task_count), DSM_TRACE_EVENTS_MAX,
      options->request_count);
}

dsm_status dsm_dispatch_check(const dsm_instance *instance, const dsm_dispatch_options *options,
                              dsm_diags *diags) {
  dsm_dispatch_options defaults;
  dsm_dispatch_options_init(&defaults);
  options = options == NULL ? &defaults : options;
  dsm_status status = check_options(options, diags);
  if (status == DSM_OK) {
    status = check_window(instance, options, diags);
  }
  return status == DSM_OK ? check_trace(instance, options, diags) : status;
}

/* ---- summary ---- */

/* The smallest value that so many percent do not exceed; of sorted values. */
static double nearest_rank(const double *sorted, size_t count, size_t percent) {
  return sorted[(percent * count + 99) / 100 - 1];
}

/* Sorts the latencies. */
static void sum_up_latencies(dsm_dispatch *dispatch, double *latencies) {
  const size_t count = dispatch->options.request_count;
  double sum = 0;
  for (size_t q = 0; q < count; q++) {
    sum += latencies[q];
  }
  qsort(latencies, count, sizeof *latencies, dsm__order_numbers);
  dispatch->mean_latency_seconds = sum / (double)count;
  dispatch->p50_latency_seconds = nearest_rank(latencies, count, 50);
  dispatch->p95_latency_seconds = nearest_rank(latencies, count, 95);
  dispatch->p99_latency_seconds = nearest_rank(latencies, count, 99);
}

/*
 * Of the whole run where there is no half to speak of: there all requests enter within it.
 *
 * throughput_within counts only the requests that also entered in that time: what it says is at
 * most the optimum without any correction.
 */
static void sum_up_throughput(dsm_dispatch *dispatch, const double *ends, const double *entries) {
  const size_t count = dispatch->options.request_count;
  const size_t first = count / 4;
  const size_t last = 3 * count / 4;
  const double seconds = first > 0 ? ends[last - 1] - ends[first - 1] : 0;
  if (!(seconds > 0)) {
    dispatch->throughput = (double)count / ends[count - 1];
    dispatch->throughput_within = dispatch->throughput;
    return;
  }
  size_t within = 0;
  for (size_t q = first; q < last; q++) {
    within += entries[q] >= ends[first - 1] ? 1 : 0;
  }
  dispatch->throughput = (double)(last - first) / seconds;
  dispatch->throughput_within = (double)within / seconds;
}

static int compare_events(const void *left, const void *right) {
  const dsm_dispatch_event *const a = left;
  const dsm_dispatch_event *const b = right;
  const size_t of_a[] = {a->request, a->task, a->is_transfer, a->target};
  const size_t of_b[] = {b->request, b->task, b->is_transfer, b->target};
  int order = dsm__order(a->begin_seconds, b->begin_seconds);
  for (size_t k = 0; k < DSM__COUNT_OF(of_a); k++) {
    order = dsm__order_then(order, dsm__order_whole(of_a[k], of_b[k]));
  }
  return order;
}

static dsm_status keep_events(dsm_dispatch *dispatch, const dsm__dispatch_engine *engine,
                              dsm_diags *diags) {
  if (!dispatch->options.does_record) {
    return DSM_OK;
  }
  dsm_dispatch_event *const events =
      dsm__arena_array(dispatch->arena, engine->events.count, sizeof *events);
  if (events == NULL) {
    return dsm__out_of_memory(diags);
  }
  memcpy(events, engine->events.items, engine->events.count * sizeof *events);
  qsort(events, engine->events.count, sizeof *events, compare_events);
  dispatch->events = events;
  dispatch->event_count = engine->events.count;
  return DSM_OK;
}

static dsm_status sum_up(dsm_dispatch *dispatch, const dsm__dispatch_engine *engine,
                         dsm_diags *diags) {
  const size_t device_count = dispatch->partition->instance->device_count;
  dsm_dispatch_device *const devices =
      dsm__arena_array(dispatch->arena, device_count, sizeof *devices);
  if (devices == NULL) {
    return dsm__out_of_memory(diags);
  }
  dispatch->seconds = engine->ends[dispatch->options.request_count - 1];
  dispatch->mean_waiting_seconds =
      engine->filling_seconds / (double)dispatch->options.request_count;
  dispatch->partial_batches = engine->partial_count;
  sum_up_throughput(dispatch, engine->ends, engine->entries);
  sum_up_latencies(dispatch, engine->latencies);
  for (size_t j = 0; j < device_count; j++) {
    const dsm__dispatch_server *const server = &engine->servers[j];
    devices[j] =
        (dsm_dispatch_device){.time_fraction = server->busy_seconds / dispatch->seconds,
                              .link_fraction = engine->carriers[j].busy_seconds / dispatch->seconds,
                              .mean_queue = server->waited_seconds / dispatch->seconds,
                              .most_queued = server->most_queued};
  }
  dispatch->devices = devices;
  return keep_events(dispatch, engine, diags);
}

/* ---- all of it ---- */

static dsm_status simulate(dsm_dispatch *dispatch, dsm__arena *scratch, dsm_diags *diags) {
  dsm__dispatch_engine engine = {.options = dispatch->options,
                                 .flights_max = dsm__flights_max(dispatch->partition->instance),
                                 .arena = scratch,
                                 .diags = diags};
  dsm_status status = dsm__dispatch_graph_make(&engine.graph, scratch, dispatch->partition,
                                               dispatch->options.rule, diags);
  if (status == DSM_OK && dispatch->options.rule == DSM_DISPATCH_RATES) {
    status = dsm__dispatch_shares_make(&engine.shares, scratch, dispatch->partition, diags);
  }
  if (status == DSM_OK) {
    status = dsm__dispatch_engine_run(&engine);
  }
  return status == DSM_OK ? sum_up(dispatch, &engine, diags) : status;
}

static dsm_dispatch *new_dispatch(const dsm_partition *partition,
                                  const dsm_dispatch_options *options) {
  dsm_dispatch *const made = DSM__ARENA_OWNER(dsm_dispatch);
  if (made != NULL) {
    made->partition = partition;
    made->options = *options;
  }
  return made;
}

dsm_status dsm_dispatch_run(dsm_dispatch **dispatch, const dsm_partition *partition,
                            const dsm_dispatch_options *options, dsm_diags *diags) {
  *dispatch = NULL;
  dsm_dispatch_options defaults;
  dsm_dispatch_options_init(&defaults);
  options = options == NULL ? &defaults : options;
  dsm_status status = dsm_dispatch_check(partition->instance, options, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm_dispatch *made = new_dispatch(partition, options);
  dsm__arena *const scratch = dsm__arena_new();
  status =
      made == NULL || scratch == NULL ? dsm__out_of_memory(diags) : simulate(made, scratch, diags);
  dsm__arena_free(scratch);
  if (status != DSM_OK) {
    dsm_dispatch_free(made);
    made = NULL;
  }
  *dispatch = made;
  return status;
}

DSM__ARENA_FREE(dsm_dispatch, dsm_dispatch_free);

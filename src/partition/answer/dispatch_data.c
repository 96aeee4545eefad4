/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch_data.c: a simulation for programs (format "dsm-dispatch/1", inside of a partition). */
#include "partition/answer/dispatch_data.h"

#include "partition/dispatch_engine.h"

DSM__RECORD(dsm__dispatch_device_record, dsm__dispatch_device_row, false, "A device.",
            DSM__FIELD(TEXT, dsm__dispatch_device_row, name, "name", 0, .help = "Its name."),
            DSM__REAL(dsm__dispatch_device_row, of.time_fraction, "time_fraction", DSM__COLUMN,
                      "ratio", "Busy, over the whole run."),
            DSM__REAL(dsm__dispatch_device_row, of.link_fraction, "link_fraction", DSM__COLUMN,
                      "ratio", "Its outgoing link occupied, over the whole run."),
            DSM__REAL(dsm__dispatch_device_row, of.mean_queue, "mean_queue",
                      DSM__COLUMN | DSM__LESS, "tasks", "Tasks that wait for it, over time."),
            DSM__FIELD(COUNT, dsm__dispatch_device_row, of.most_queued, "most_queued", 0,
                       .help = "Most of them at a time."));

DSM__OWN_RECORD(latency_record, dsm_dispatch, false, "The time of a request.",
                DSM__REAL(dsm_dispatch, mean_latency_seconds, "mean_seconds",
                          DSM__ABOVE | DSM__COLUMN | DSM__LESS, "seconds", "The mean."),
                DSM__REAL(dsm_dispatch, p50_latency_seconds, "p50_seconds", DSM__ABOVE | DSM__LESS,
                          "seconds", "By nearest rank."),
                DSM__REAL(dsm_dispatch, p95_latency_seconds, "p95_seconds", DSM__ABOVE | DSM__LESS,
                          "seconds", "By nearest rank."),
                DSM__REAL(dsm_dispatch, p99_latency_seconds, "p99_seconds",
                          DSM__ABOVE | DSM__COLUMN | DSM__LESS, "seconds", "By nearest rank."));

DSM__DOCUMENT(
    dsm__dispatch_record, dsm__dispatch_row, "dsm-dispatch/1",
    "A runtime at work on a partition, simulated; stands under `simulation` of dsm-partition/1.",
    DSM__FIELD(WORD, dsm__dispatch_row, of.options.rule, "rule", 0,
               .words = &dsm__dispatch_rule_words, .help = "Which device gets a task."),
    DSM__FIELD(COUNT, dsm__dispatch_row, of.options.request_count, "requests", 0, .min = 1,
               .max = DSM_REQUESTS_MAX, .help = "That were simulated."),
    DSM__FIELD(COUNT, dsm__dispatch_row, of.options.window, "window", DSM__UNLESS_0, .min = 1,
               .help = "Closed loop: requests in the server at a time."),
    DSM__FIELD(REAL, dsm__dispatch_row, of.options.rate, "rate", DSM__ABOVE,
               .stated_if = DSM__UNLESS(dsm__dispatch_row, of.options.window), .unit = "1/s",
               .help = "In place of window: arrivals per second, with exponential gaps."),
    DSM__FIELD(COUNT, dsm__dispatch_row, of.options.seed, "seed", 0,
               .stated_if = DSM__UNLESS(dsm__dispatch_row, of.options.window),
               .help = "What the gaps of arrivals are drawn from."),
    DSM__REAL(dsm__dispatch_row, of.seconds, "seconds", DSM__ABOVE | DSM__LESS, "seconds",
              "Until the last result."),
    DSM__REAL(dsm__dispatch_row, of.throughput, "throughput", DSM__ABOVE | DSM__COLUMN | DSM__MORE,
              "1/s", "Requests per second in the steady half."),
    DSM__REAL(dsm__dispatch_row, of.throughput_within, "throughput_within", DSM__MORE, "1/s",
              "The same of the requests that also entered in it."),
    DSM__FIELD(RECORD, dsm__dispatch_row, of, "latency", DSM__COLUMN, .type = &latency_record,
               .help = "The time of a request."),
    DSM__FIELD(REAL, dsm__dispatch_row, of.mean_waiting_seconds, "waiting_seconds",
               DSM__ABOVE | DSM__LESS | DSM__UNLESS_0, .unit = "seconds",
               .help = "Of the mean latency, until batches were full; absent where none waited."),
    DSM__FIELD(COUNT, dsm__dispatch_row, of.partial_batches, "partial_batches", 0,
               .stated_if = DSM__IF(dsm__dispatch_row, of.mean_waiting_seconds),
               .help = "Batches that began before they were full, as nothing else would happen; "
                       "beside waiting_seconds."),
    DSM__ROWS(dsm__dispatch_row, devices, "devices", dsm__dispatch_device_record,
              "In the order of the partition's."));

dsm__dispatch_row dsm__dispatch_row_of(dsm__page *page, const dsm_dispatch *dispatch) {
  const dsm_instance *const instance = dispatch->partition->instance;
  const dsm__dispatch_row row = {
      .of = *dispatch,
      .devices = dsm__rows_make(page, instance->device_count, sizeof(dsm__dispatch_device_row)),
  };
  dsm__dispatch_device_row *const rows = row.devices.items;
  for (size_t j = 0; j < row.devices.count; j++) {
    rows[j] = (dsm__dispatch_device_row){instance->devices[j].name, dispatch->devices[j]};
  }
  return row;
}

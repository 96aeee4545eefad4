/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/json_parts.h"

static void write_requests(dsm__json_writer *writer, const dsm_dispatch_options *options) {
  dsm__json_put_u64(writer, "requests", options->request_count);
  if (options->window > 0) {
    dsm__json_put_u64(writer, "window", options->window);
  } else {
    dsm__json_put_double(writer, "rate", options->rate);
    dsm__json_put_u64(writer, "seed", options->seed);
  }
}

static void write_latency(dsm__json_writer *writer, const dsm_dispatch *dispatch) {
  dsm__json_put_object(writer, "latency", false);
  dsm__json_put_double(writer, "mean_seconds", dispatch->mean_latency_seconds);
  dsm__json_put_double(writer, "p50_seconds", dispatch->p50_latency_seconds);
  dsm__json_put_double(writer, "p95_seconds", dispatch->p95_latency_seconds);
  dsm__json_put_double(writer, "p99_seconds", dispatch->p99_latency_seconds);
  dsm__json_end_object(writer);
}

static void write_devices(dsm__json_writer *writer, const dsm_dispatch *dispatch) {
  const dsm_instance *const instance = dispatch->partition->instance;
  dsm__json_put_array(writer, "devices", false);
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm_dispatch_device *const device = &dispatch->devices[j];
    dsm__json_begin_object(writer, false);
    dsm__json_put_string(writer, "name", instance->devices[j].name);
    dsm__json_put_double(writer, "time_fraction", device->time_fraction);
    dsm__json_put_double(writer, "link_fraction", device->link_fraction);
    dsm__json_put_double(writer, "mean_queue", device->mean_queue);
    dsm__json_put_u64(writer, "most_queued", device->most_queued);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

void dsm__dispatch_write(dsm__json_writer *writer, const dsm_dispatch *dispatch) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "format", "dsm-dispatch/1");
  write_requests(writer, &dispatch->options);
  dsm__json_put_double(writer, "seconds", dispatch->seconds);
  dsm__json_put_double(writer, "throughput", dispatch->throughput);
  dsm__json_put_double(writer, "throughput_within", dispatch->throughput_within);
  write_latency(writer, dispatch);
  write_devices(writer, dispatch);
  dsm__json_end_object(writer);
}

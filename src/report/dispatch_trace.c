/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dispatch_trace.c: a simulation in the Trace Event Format (JSON object format), for Perfetto and
 * Chrome: complete events (ph X) with names of processes and threads by metadata events (ph M).
 *
 * Slices of a thread may nest but not overlap, and viewers cut times down to whole nanoseconds. So
 * times are rounded to these here, an end and the begin that follows it in the same way, and are
 * written such that 1000 times the number, as a double, is not below them.
 */
#include <math.h>

#include "base/json_write.h"
#include "report/page.h"

enum { TASKS_THREAD = 1, LINK_THREAD = 2 };

/* Microseconds of a whole number of nanoseconds. */
static double microseconds_of(double nanoseconds) {
  const double microseconds = nanoseconds / 1000;
  return microseconds * 1000 < nanoseconds ? nextafter(microseconds, HUGE_VAL) : microseconds;
}

static uint64_t process_of(size_t device) {
  return device + 1; /* 0 is the idle process */
}

/* ---- names ---- */

static void begin_metadata(dsm__json_writer *writer, const char *name, size_t device,
                           uint64_t thread) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", name);
  dsm__json_put_string(writer, "ph", "M");
  dsm__json_put_u64(writer, "pid", process_of(device));
  dsm__json_put_u64(writer, "tid", thread);
  dsm__json_write_key(writer, "args");
  dsm__json_begin_object(writer, true);
}

static void end_metadata(dsm__json_writer *writer) {
  dsm__json_end_object(writer);
  dsm__json_end_object(writer);
}

static void write_name(dsm__json_writer *writer, const char *kind, size_t device, uint64_t thread,
                       const char *name) {
  begin_metadata(writer, kind, device, thread);
  dsm__json_put_string(writer, "name", name);
  end_metadata(writer);
}

static void write_names(dsm__json_writer *writer, const dsm_instance *instance) {
  for (size_t j = 0; j < instance->device_count; j++) {
    write_name(writer, "process_name", j, TASKS_THREAD, instance->devices[j].name);
    begin_metadata(writer, "process_sort_index", j, TASKS_THREAD);
    dsm__json_put_u64(writer, "sort_index", process_of(j));
    end_metadata(writer);
    write_name(writer, "thread_name", j, TASKS_THREAD, "tasks");
    write_name(writer, "thread_name", j, LINK_THREAD, "link");
  }
}

/* ---- events ---- */

static void write_event(dsm__json_writer *writer, const dsm_instance *instance,
                        const dsm_dispatch_event *event) {
  const double begin = round(1e9 * event->begin_seconds);
  const double end = round(1e9 * event->end_seconds);
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", instance->tasks[event->task].name);
  dsm__json_put_string(writer, "cat", event->is_transfer ? "transfer" : "task");
  dsm__json_put_string(writer, "ph", "X");
  dsm__json_put_double(writer, "ts", microseconds_of(begin));
  dsm__json_put_double(writer, "dur", microseconds_of(end - begin));
  dsm__json_put_u64(writer, "pid", process_of(event->device));
  dsm__json_put_u64(writer, "tid", event->is_transfer ? LINK_THREAD : TASKS_THREAD);
  dsm__json_write_key(writer, "args");
  dsm__json_begin_object(writer, true);
  dsm__json_put_u64(writer, "request", event->request);
  dsm__json_put_u64(writer, "task", event->task);
  if (event->is_transfer && event->target < instance->device_count) {
    dsm__json_put_string(writer, "to", instance->devices[event->target].name);
  }
  dsm__json_end_object(writer);
  dsm__json_end_object(writer);
}

char *dsm_report_dispatch_trace(const dsm_dispatch *dispatch) {
  const dsm_instance *const instance = dispatch->partition->instance;
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "displayTimeUnit", "ns");
  dsm__json_write_key(&writer, "otherData");
  dsm__json_begin_object(&writer, true);
  dsm__json_put_string(&writer, "format", "dsm-trace/1");
  dsm__json_put_string(&writer, "instance", instance->name);
  dsm__json_end_object(&writer);
  dsm__json_write_key(&writer, "traceEvents");
  dsm__json_begin_array(&writer, false);
  write_names(&writer, instance);
  for (size_t v = 0; v < dispatch->event_count && !out.failed; v++) {
    write_event(&writer, instance, &dispatch->events[v]);
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

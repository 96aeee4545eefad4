/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/trace_events.h"

#include <math.h>

/* Microseconds of a whole number of nanoseconds. */
static double microseconds_of(double nanoseconds) {
  const double microseconds = nanoseconds / 1000;
  return microseconds * 1000 < nanoseconds ? nextafter(microseconds, HUGE_VAL) : microseconds;
}

void dsm__trace_begin(dsm__json_writer *writer, const char *format) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "displayTimeUnit", "ns");
  dsm__json_put_object(writer, "otherData", true);
  dsm__json_put_string(writer, "format", format);
}

void dsm__trace_begin_events(dsm__json_writer *writer) {
  dsm__json_end_object(writer);
  dsm__json_put_array(writer, "traceEvents", false);
}

void dsm__trace_end(dsm__json_writer *writer) {
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
  dsm__json_finish(writer);
}

/* ---- names ---- */

static void begin_metadata(dsm__json_writer *writer, const char *kind, dsm__trace_track track) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", kind);
  dsm__json_put_string(writer, "ph", "M");
  dsm__json_put_u64(writer, "pid", track.process);
  dsm__json_put_u64(writer, "tid", track.thread);
  dsm__json_put_object(writer, "args", true);
}

void dsm__trace_put_name(dsm__json_writer *writer, const char *kind, dsm__trace_track track,
                         const char *name) {
  begin_metadata(writer, kind, track);
  dsm__json_put_string(writer, "name", name);
  dsm__trace_end_event(writer);
}

void dsm__trace_put_place(dsm__json_writer *writer, const char *kind, dsm__trace_track track,
                          uint64_t place) {
  begin_metadata(writer, kind, track);
  dsm__json_put_u64(writer, "sort_index", place);
  dsm__trace_end_event(writer);
}

/* ---- events ---- */

void dsm__trace_begin_slice(dsm__json_writer *writer, const dsm__trace_slice *slice) {
  const double begin = round(slice->begin_nanoseconds);
  const double end = round(slice->end_nanoseconds);
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", slice->name);
  dsm__json_put_string(writer, "cat", slice->category);
  dsm__json_put_string(writer, "ph", "X");
  dsm__json_put_double(writer, "ts", microseconds_of(begin));
  dsm__json_put_double(writer, "dur", microseconds_of(end - begin));
  dsm__json_put_u64(writer, "pid", slice->track.process);
  dsm__json_put_u64(writer, "tid", slice->track.thread);
  dsm__json_put_object(writer, "args", true);
}

void dsm__trace_begin_counters(dsm__json_writer *writer, const char *name, uint64_t process,
                               double nanoseconds) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", name);
  dsm__json_put_string(writer, "ph", "C");
  dsm__json_put_double(writer, "ts", microseconds_of(round(nanoseconds)));
  dsm__json_put_u64(writer, "pid", process);
  dsm__json_put_object(writer, "args", true);
}

void dsm__trace_end_event(dsm__json_writer *writer) {
  dsm__json_end_object(writer);
  dsm__json_end_object(writer);
}

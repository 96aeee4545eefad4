/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace_events.h: events of the Trace Event Format (JSON object form), for Perfetto and Chrome:
 * complete events (ph X), counters (ph C), and names of processes and threads by metadata events
 * (ph M).
 *
 * Slices of a thread may nest but not overlap, and viewers cut times down to whole nanoseconds. So
 * times are rounded to these here, an end and the begin that follows it in the same way, and are
 * written such that 1000 times the number, as a double, is not below them.
 */
#ifndef DSM_REPORT_DATA_TRACE_EVENTS_H
#define DSM_REPORT_DATA_TRACE_EVENTS_H

#include "base/json_write.h"

/** Where an event is shown. */
typedef struct dsm__trace_track {
  uint64_t process;
  uint64_t thread;
} dsm__trace_track;

/* A trace in three parts: what `otherData` says of it, then the events. */
void dsm__trace_begin(dsm__json_writer *writer, const char *format); /* then put members */
void dsm__trace_begin_events(dsm__json_writer *writer);              /* then events */
void dsm__trace_end(dsm__json_writer *writer);

/** What a process or thread is called; `kind` is "process_name" or "thread_name". */
void dsm__trace_put_name(dsm__json_writer *writer, const char *kind, dsm__trace_track track,
                         const char *name);

/** Where it stands; `kind` is "process_sort_index" or "thread_sort_index". */
void dsm__trace_put_place(dsm__json_writer *writer, const char *kind, dsm__trace_track track,
                          uint64_t place);

/** A slice: something that lasts. Times are from the beginning of the trace. */
typedef struct dsm__trace_slice {
  const char *name;
  const char *category;
  dsm__trace_track track;
  double begin_nanoseconds;
  double end_nanoseconds;
} dsm__trace_slice;

/** Begins a slice's event; its arguments are then put, until dsm__trace_end_event. */
void dsm__trace_begin_slice(dsm__json_writer *writer, const dsm__trace_slice *slice);

/** Begins an event that sets counters of a process, which are then put. */
void dsm__trace_begin_counters(dsm__json_writer *writer, const char *name, uint64_t process,
                               double nanoseconds);

void dsm__trace_end_event(dsm__json_writer *writer);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch_trace.c: a simulation as a trace: a process a device, with its tasks and its link. */
#include "partition/answer/dispatch_data.h"
#include "report/data/trace_events.h"
#include "report/table/text_page.h"

enum { TASKS_THREAD = 1, LINK_THREAD = 2 };

static dsm__trace_track track_of(size_t device, uint64_t thread) {
  return (dsm__trace_track){device + 1, thread}; /* 0 is the idle process */
}

static void write_names(dsm__json_writer *writer, const dsm_instance *instance) {
  for (size_t j = 0; j < instance->device_count; j++) {
    const dsm__trace_track tasks = track_of(j, TASKS_THREAD);
    dsm__trace_put_name(writer, "process_name", tasks, instance->devices[j].name);
    dsm__trace_put_place(writer, "process_sort_index", tasks, tasks.process);
    dsm__trace_put_name(writer, "thread_name", tasks, "tasks");
    dsm__trace_put_name(writer, "thread_name", track_of(j, LINK_THREAD), "link");
  }
}

static void write_event(dsm__json_writer *writer, const dsm_instance *instance,
                        const dsm_dispatch_event *event) {
  /* the request's input, which comes from outside, stands beside the device that gets it */
  const bool is_input = event->device == instance->device_count;
  const size_t device = is_input ? event->target : event->device;
  const dsm__trace_slice slice = {
      .name = instance->tasks[event->task].name,
      .category = is_input             ? "input"
                  : event->is_transfer ? "transfer"
                                       : "task",
      .track = track_of(device, event->is_transfer ? LINK_THREAD : TASKS_THREAD),
      .begin_nanoseconds = 1e9 * event->begin_seconds,
      .end_nanoseconds = 1e9 * event->end_seconds,
  };
  dsm__trace_begin_slice(writer, &slice);
  dsm__json_put_u64(writer, "request", event->request);
  dsm__json_put_u64(writer, "task", event->task);
  if (event->is_transfer && event->target < instance->device_count) {
    dsm__json_put_string(writer, "to", instance->devices[event->target].name);
  }
  dsm__trace_end_event(writer);
}

void dsm__put_dispatch_trace(dsm__page *page, const dsm_answer *answer) {
  const dsm_dispatch *const dispatch = answer->of;
  const dsm_instance *const instance = dispatch->partition->instance;
  dsm__json_writer writer = {.out = &page->out};
  dsm__trace_begin(&writer, "dsm-trace/1");
  dsm__json_put_string(&writer, "instance", instance->name);
  dsm__trace_begin_events(&writer);
  write_names(&writer, instance);
  for (size_t v = 0; v < dispatch->event_count && !page->out.failed; v++) {
    write_event(&writer, instance, &dispatch->events[v]);
  }
  dsm__trace_end(&writer);
}

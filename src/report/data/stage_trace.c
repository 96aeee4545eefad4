/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/stage_trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "plan/step_stages.h"
#include "report/data/trace_events.h"

enum { STAGES_PROCESS = 2 };

typedef struct stage_tracer {
  dsm__json_writer *writer;
  const dsm_plan *plan;
} stage_tracer;

static void write_names(const stage_tracer *t) {
  const dsm__trace_track process = {STAGES_PROCESS, 1};
  char name[64];
  dsm__trace_put_name(t->writer, "process_name", process, "stages of the step");
  for (size_t s = 0; s < t->plan->stages.count; s++) {
    const dsm__trace_track track = {STAGES_PROCESS, s + 1};
    (void)snprintf(name, sizeof name, "stage %zu", s + 1);
    dsm__trace_put_name(t->writer, "thread_name", track, name);
    dsm__trace_put_place(t->writer, "thread_sort_index", track, s + 1);
  }
}

/* `micro_batch`: from 1; 0: of the whole step. */
static void draw(const stage_tracer *t, size_t stage, const char *what, uint64_t micro_batch,
                 double end_cycles, double cycles) {
  const double frequency = t->plan->system->core.frequency_GHz;
  char name[64];
  (void)snprintf(name, sizeof name, micro_batch > 0 ? "%s %" PRIu64 : "%s", what, micro_batch);
  const dsm__trace_slice slice = {.name = name,
                                  .category = "stage",
                                  .track = {STAGES_PROCESS, stage + 1},
                                  .begin_nanoseconds = (end_cycles - cycles) / frequency,
                                  .end_nanoseconds = end_cycles / frequency};
  if (cycles > 0) {
    dsm__trace_begin_slice(t->writer, &slice);
    dsm__json_put_string(t->writer, "first_layer", t->plan->stages.first_layer_names[stage]);
    if (micro_batch > 0) {
      dsm__json_put_u64(t->writer, "micro_batch", micro_batch);
    }
    dsm__json_put_double(t->writer, "cycles", cycles);
    dsm__trace_end_event(t->writer);
  }
}

bool dsm__stage_trace_write(dsm__json_writer *writer, const dsm_plan *plan, dsm__arena *arena) {
  const stage_tracer t = {writer, plan};
  const size_t count = plan->stages.count;
  const uint64_t micro_batches = plan->micro_batches;
  dsm__stage_cost *costs = NULL;
  dsm__makespan_times times;
  dsm__schedule schedule;
  if (count <= 1) {
    return true;
  }
  if (!DSM__RESERVE(arena, costs, count)) {
    return false;
  }
  for (size_t s = 0; s < count; s++) {
    costs[s] = dsm__stage_own_cost(plan, s);
  }
  if (!dsm__stage_times_fill(costs, count, micro_batches, arena, &times) ||
      dsm__schedule_find(&times, false, arena, &schedule) < 0) {
    return false;
  }
  write_names(&t);
  for (size_t s = 0; s < count && !writer->out->failed; s++) {
    const size_t from = s * micro_batches;
    for (uint64_t i = 0; i < micro_batches; i++) {
      draw(&t, s, "forward", i + 1, schedule.forward_ends[from + i], costs[s].forward);
      draw(&t, s, "backward", i + 1, schedule.backward_ends[from + i], costs[s].backward);
    }
    draw(&t, s, "sums and updates", 0,
         schedule.backward_ends[from + micro_batches - 1] + costs[s].once, costs[s].once);
  }
  return true;
}

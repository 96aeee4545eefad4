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

/* What a slice shows. */
typedef struct drawing {
  size_t run;
  const char *what;
  uint64_t micro_batch; /* from 1; 0: of the whole step */
  double end_cycles;
  double cycles;
} drawing;

static void put_drawing_name(const stage_tracer *t, const drawing *of, char *name, size_t size) {
  const size_t count = t->plan->stages.count;
  if (of->micro_batch == 0) {
    (void)snprintf(name, size, "%s", of->what);
  } else if (t->plan->stages.interleave > 1) {
    (void)snprintf(name, size, "%s %" PRIu64 ", run %zu", of->what, of->micro_batch,
                   of->run / count + 1);
  } else {
    (void)snprintf(name, size, "%s %" PRIu64, of->what, of->micro_batch);
  }
}

static void draw(const stage_tracer *t, const drawing *of) {
  const dsm_stages *const stages = &t->plan->stages;
  const double frequency = t->plan->system->core.frequency_GHz;
  char name[96];
  put_drawing_name(t, of, name, sizeof name);
  const dsm__trace_slice slice = {.name = name,
                                  .category = "stage",
                                  .track = {STAGES_PROCESS, of->run % stages->count + 1},
                                  .begin_nanoseconds = (of->end_cycles - of->cycles) / frequency,
                                  .end_nanoseconds = of->end_cycles / frequency};
  if (of->cycles > 0) {
    dsm__trace_begin_slice(t->writer, &slice);
    dsm__json_put_string(t->writer, "first_layer", stages->first_layer_names[of->run]);
    dsm__json_put_count(t->writer, "micro_batch", of->micro_batch);
    if (of->micro_batch > 0 && stages->interleave > 1) {
      dsm__json_put_u64(t->writer, "run", of->run / stages->count + 1);
    }
    dsm__json_put_double(t->writer, "cycles", of->cycles);
    dsm__trace_end_event(t->writer);
  }
}

/* When passes of runs end; costs are of runs. False if out of memory. */
static bool find_schedule(const dsm_plan *plan, const dsm__stage_cost *costs, dsm__arena *arena,
                          dsm__schedule *schedule) {
  const dsm__interleaving of = dsm__interleaving_of(&plan->stages, plan->micro_batches);
  return dsm__stages_schedule_find(costs, &of, arena, schedule) >= 0;
}

/* Behind the last way back of all its runs, which is that of its first. */
static void draw_once(const stage_tracer *t, const dsm__stage_cost *costs,
                      const dsm__schedule *schedule, size_t stage) {
  const size_t count = t->plan->stages.count;
  const size_t last = (stage + 1) * t->plan->micro_batches - 1;
  const double *const ends =
      schedule->update_ends != NULL ? schedule->update_ends : schedule->backward_ends;
  double once = 0;
  for (size_t r = stage; r < dsm__stage_run_count(&t->plan->stages); r += count) {
    once += costs[r].once;
  }
  draw(t, &(drawing){.run = stage,
                     .what = "sums and updates",
                     .end_cycles = ends[last] + once,
                     .cycles = once});
}

bool dsm__stage_trace_write(dsm__json_writer *writer, const dsm_plan *plan, dsm__arena *arena) {
  const stage_tracer t = {writer, plan};
  const size_t runs = dsm__stage_run_count(&plan->stages);
  dsm__stage_cost *costs = NULL;
  dsm__schedule schedule;
  if (plan->stages.count <= 1) {
    return true;
  }
  if (!DSM__RESERVE(arena, costs, runs)) {
    return false;
  }
  for (size_t r = 0; r < runs; r++) {
    costs[r] = dsm__stage_own_cost(plan, r);
  }
  if (!find_schedule(plan, costs, arena, &schedule)) {
    return false;
  }
  write_names(&t);
  for (size_t r = 0; r < runs && !writer->out->failed; r++) {
    for (uint64_t i = 0; i < plan->micro_batches; i++) {
      const size_t at = r * plan->micro_batches + i;
      draw(&t, &(drawing){r, "forward", i + 1, schedule.forward_ends[at], costs[r].forward});
      const double apart = schedule.update_ends != NULL ? costs[r].update : 0;
      draw(&t,
           &(drawing){r, "backward", i + 1, schedule.backward_ends[at], costs[r].backward - apart});
      if (schedule.update_ends != NULL && apart > 0) {
        draw(&t, &(drawing){r, "gradients of weights", i + 1, schedule.update_ends[at], apart});
      }
    }
    if (r < plan->stages.count) {
      draw_once(&t, costs, &schedule, r);
    }
  }
  return true;
}

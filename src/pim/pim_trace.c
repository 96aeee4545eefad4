/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pim_trace.c: a training on cores in memory as a trace: a track for each group of cores that have
 * the same work. Cores that have a transition less, or an agent less, wait for the others.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "pim/kernel.h"
#include "pim/pim_views.h"
#include "report/data/trace_events.h"
#include "report/table/text_page.h"

enum {
  PROCESS = 1,
  GROUPS = 2,
  SLICES_MAX = 1000 /* of a kind in a track: of more rounds several are one slice */
};

/* Cores that have the same work. */
typedef struct group {
  uint64_t cores;
  double transitions; /* of a core, or of each of its agents */
  double rounds;      /* between averages; of agents those that follow each other on a core */
} group;

typedef struct tracer {
  dsm__json_writer *writer;
  const dsm_pim_plan *plan;
  bool has_agents;
  group groups[GROUPS]; /* that with more work first */
  size_t count;
} tracer;

/* Work that is not shared out evenly leaves the last cores one share less. */
static void group_cores(tracer *t) {
  const dsm_rl_workload *const workload = t->plan->workload;
  const uint64_t cores = dsm_pim_working_cores(workload, t->plan->cost.choice.cores);
  const uint64_t work = t->has_agents ? workload->agents : workload->transitions;
  const uint64_t more = work % cores;
  const uint64_t least = work / cores;
  const double share = (double)least;
  const double rounds = dsm__pim_rounds(workload);
  const double all = (double)workload->transitions;
  const group even = {cores - more, t->has_agents ? all : share, t->has_agents ? share : rounds};
  if (more > 0) {
    t->groups[t->count++] =
        (group){more, t->has_agents ? all : share + 1, t->has_agents ? share + 1 : rounds};
  }
  t->groups[t->count++] = even;
}

/* A round of a group: its part of the episodes. */
static double round_seconds(const tracer *t, const group *of) {
  const dsm_pim_plan *const plan = t->plan;
  const double episodes = (double)plan->workload->episodes / dsm__pim_rounds(plan->workload);
  return dsm__pim_busy_seconds(plan->system, of->transitions * episodes, 1,
                               plan->cost.update.cycles);
}

/* ---- slices ---- */

/* A part of the training on a track. */
typedef struct part {
  const char *name;
  const char *category; /* the word of plans for it */
  size_t track;
  double begin_seconds;
  double seconds;
  double first_round; /* from 1; 0: once a training */
  double rounds;
} part;

static void draw(const tracer *t, const part *of) {
  const dsm__trace_slice slice = {.name = of->name,
                                  .category = of->category,
                                  .track = {PROCESS, of->track + 1},
                                  .begin_nanoseconds = DSM__NS_PER_SECOND * of->begin_seconds,
                                  .end_nanoseconds =
                                      DSM__NS_PER_SECOND * (of->begin_seconds + of->seconds)};
  if (!(of->seconds > 0)) {
    return;
  }
  dsm__trace_begin_slice(t->writer, &slice);
  if (of->first_round > 0) {
    dsm__json_put_double(t->writer, "first_round", of->first_round);
    dsm__json_put_double(t->writer, "rounds", of->rounds);
  }
  dsm__json_put_double(t->writer, "seconds", of->seconds);
  dsm__trace_end_event(t->writer);
}

/* All groups synchronise together, when that with most work is done. */
static void draw_rounds(const tracer *t, size_t track, double begin_seconds) {
  const group *const of = &t->groups[track];
  const double all = t->groups[0].rounds;
  const double each = ceil(all / SLICES_MAX);
  const double longest = round_seconds(t, &t->groups[0]);
  const double own = round_seconds(t, of);
  const double exchange = t->plan->cost.between_cores_seconds / all;
  double done = 0;
  while (done < of->rounds && !t->writer->out->failed) {
    const double rounds = fmin(each, of->rounds - done);
    const double begin = begin_seconds + done * (longest + exchange);
    draw(t, &(part){t->has_agents ? "compute an agent" : "compute", "kernel", track, begin,
                    rounds * own, done + 1, rounds});
    draw(t, &(part){"synchronise", "between_cores", track, begin + rounds * longest,
                    rounds * exchange, done + 1, rounds});
    done += each;
  }
}

static void draw_group(const tracer *t, size_t track) {
  const dsm_pim_cost *const cost = &t->plan->cost;
  const double collect = cost->seconds - cost->cores_to_host_seconds;
  draw(t, &(part){"load", "host_to_cores", track, 0, cost->host_to_cores_seconds, 0, 0});
  draw_rounds(t, track, cost->host_to_cores_seconds);
  draw(t, &(part){"collect", "cores_to_host", track, collect, cost->cores_to_host_seconds, 0, 0});
}

/* ---- the whole ---- */

static void write_other(dsm__json_writer *writer, const dsm_pim_plan *plan) {
  const dsm_pim_choice *const choice = &plan->cost.choice;
  dsm__json_put_string(writer, "workload", plan->workload->name);
  dsm__json_put_string(writer, "system", plan->system->name);
  dsm__json_put_u64(writer, "cores", choice->cores);
  dsm__json_put_u64(writer, "tasklets", choice->tasklets);
  dsm__json_put_string(writer, "transfers", dsm_pim_transfers_name(choice->transfers));
  dsm__json_put_double(writer, "seconds", plan->cost.seconds);
}

static void write_names(const tracer *t) {
  uint64_t first = 1;
  char name[128];
  dsm__trace_put_name(t->writer, "process_name", (dsm__trace_track){PROCESS, 1},
                      t->plan->system->name);
  for (size_t g = 0; g < t->count; g++) {
    const group *const of = &t->groups[g];
    const dsm__trace_track track = {PROCESS, g + 1};
    (void)snprintf(name, sizeof name, "cores %" PRIu64 " to %" PRIu64 ", %s of each: %.0f", first,
                   first + of->cores - 1, t->has_agents ? "agents" : "transitions",
                   t->has_agents ? of->rounds : of->transitions);
    dsm__trace_put_name(t->writer, "thread_name", track, name);
    dsm__trace_put_place(t->writer, "thread_sort_index", track, g + 1);
    first += of->cores;
  }
}

void dsm__put_pim_trace(dsm__page *page, const dsm_answer *answer) {
  const dsm_pim_plan *const plan = answer->of;
  dsm__json_writer writer = {.out = &page->out};
  tracer t = {.writer = &writer, .plan = plan, .has_agents = plan->workload->agents > 0};
  group_cores(&t);
  dsm__trace_begin(&writer, "dsm-pim-trace/1");
  write_other(&writer, plan);
  dsm__trace_begin_events(&writer);
  write_names(&t);
  for (size_t g = 0; g < t.count && !page->out.failed; g++) {
    draw_group(&t, g);
  }
  dsm__trace_end(&writer);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_trace.c: a predicted step as a trace: one process, since all chips do the same, with a track
 * for each resource of a chip.
 *
 * The model says how long the parts of a pass take and what overlaps, not when each of its
 * invocations runs. So invocations of a kind are drawn as one, and the parts of a pass one after
 * the other: relayout; for each kind of invocation the layout moves, the computation of the arrays
 * with its stream of transfers beneath, the rotation, the sums between cores and the auxiliary
 * work; then handing over, the sum of gradients, the weight update and the broadcast. The transfers
 * of a group begin together, on each link one after the other.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/order.h"
#include "model/engine.h"
#include "model/names.h"
#include "report/answer.h"
#include "report/data/stage_trace.h"
#include "report/data/trace_events.h"
#include "report/memory_timeline.h"
#include "report/table/text_page.h"

enum { CHIP_PROCESS = 1 };

typedef enum track {
  TRACK_PASSES = 1,
  TRACK_ARRAYS,
  TRACK_SPECIAL,
  TRACK_MEMORY,
  TRACK_CORE_LINKS,
  TRACK_AXIS, /* of the first axis, and so on */
  TRACK_SHARED = TRACK_AXIS + DSM_AXES_MAX,
  TRACKS_OF_LINKS
} track;

static const char *const track_labels[] = {
    [TRACK_PASSES] = "passes",
    [TRACK_ARRAYS] = "arrays",
    [TRACK_SPECIAL] = "special function units",
    [TRACK_MEMORY] = "memory bus",
    [TRACK_CORE_LINKS] = NULL,
};
_Static_assert(DSM__COUNT_OF(track_labels) == TRACK_AXIS, "a name for each track");

static track track_of_link(dsm_link link) {
  if (link == DSM_LINK_MEMORY || link == DSM_LINK_AUXILIARY_MEMORY) {
    return TRACK_MEMORY;
  }
  if (link == DSM_LINK_SHARED) {
    return TRACK_SHARED;
  }
  return link >= DSM_LINK_RING ? TRACK_CORE_LINKS : (track)((unsigned)TRACK_AXIS + (unsigned)link);
}

typedef struct tracer {
  dsm__json_writer *writer;
  const dsm_plan *plan;
  dsm__arena *arena; /* of names */
} tracer;

/* The pass that is being drawn, and how far it is. */
typedef struct drawing {
  tracer *tracer;
  const dsm__step_span *span;
  const dsm_pass_plan *pass;
  const dsm_invocation *invocation; /* NULL: once a step */
  double now_cycles;                /* from the beginning of the step */
} drawing;

/* ---- slices ---- */

static double nanoseconds_of(const tracer *t, double cycles) {
  return cycles / t->plan->system->core.frequency_GHz;
}

/* Begins a slice of the pass, which never goes beyond `limit_cycles`; its arguments are left open.
 */
static void begin_slice(const drawing *d, track on, const char *category, const char *what,
                        double begin_cycles, double cycles, double limit_cycles) {
  const tracer *const t = d->tracer;
  const char *const layer = t->plan->layers[d->span->layer].layer->name;
  const char *const name = dsm__arena_printf(t->arena, "%s %s", layer, what);
  const dsm__trace_slice slice = {
      .name = name == NULL ? what : name,
      .category = category,
      .track = {CHIP_PROCESS, (uint64_t)on},
      .begin_nanoseconds = nanoseconds_of(t, dsm__smaller(begin_cycles, limit_cycles)),
      .end_nanoseconds = nanoseconds_of(t, dsm__smaller(begin_cycles + cycles, limit_cycles)),
  };
  t->writer->out->failed |= name == NULL;
  dsm__trace_begin_slice(t->writer, &slice);
  dsm__json_put_string(t->writer, "layer", layer);
  dsm__json_put_string(t->writer, "pass", dsm_pass_name(d->span->pass));
}

/* Ends it with what all slices say. */
static void end_slice(const drawing *d, double cycles) {
  dsm__json_writer *const writer = d->tracer->writer;
  if (d->invocation != NULL) {
    dsm__json_put_string(writer, "invocations", dsm_invocation_kind_name(d->invocation->kind));
    dsm__json_put_u64(writer, "count", d->invocation->count);
  }
  dsm__json_put_double(writer, "cycles", cycles);
  dsm__trace_end_event(writer);
}

/* Of invocations of a kind; of several the name says how many. */
static void draw_work(const drawing *d, track on, const char *category, double cycles) {
  const char *const pass = dsm_pass_name(d->span->pass);
  char what[64];
  if (d->invocation->count > 1) {
    (void)snprintf(what, sizeof what, "%s, %" PRIu64 " %s", pass, d->invocation->count,
                   dsm_invocation_kind_name(d->invocation->kind));
  } else {
    (void)snprintf(what, sizeof what, "%s", pass);
  }
  if (cycles > 0) {
    begin_slice(d, on, category, what, d->now_cycles, cycles,
                d->span->begin_cycles + d->span->cycles);
    end_slice(d, cycles);
  }
}

/* ---- transfers ---- */

/* Transfers of a group, how often their bytes count, and by how much their cycles. */
typedef struct transfers {
  const dsm_plan_transfer *items;
  size_t count;
  dsm_group group;
  double bytes_times;
  double cycles_times;
} transfers;

static void draw_transfer(const drawing *d, const transfers *list, const dsm_plan_transfer *one,
                          double begin_cycles, double limit_cycles) {
  dsm__json_writer *const writer = d->tracer->writer;
  const double cycles = one->cycles * list->cycles_times;
  begin_slice(d, track_of_link(one->link),
              list->group == DSM_GROUP_STREAM ? "overlapped" : "not_overlapped",
              dsm_plan_transfer_name(d->tracer->plan, one->transfer, one->axis), begin_cycles,
              cycles, limit_cycles);
  dsm__json_put_string(writer, "transfer",
                       dsm_plan_transfer_name(d->tracer->plan, one->transfer, one->axis));
  dsm__json_put_string(writer, "group", dsm_group_name(one->group));
  dsm__json_put_double(writer, "bytes", one->bytes * list->bytes_times);
  end_slice(d, cycles);
}

/* On each track one after the other, within `cycles` from now on. */
static void draw_transfers(const drawing *d, const transfers *list, double cycles) {
  double used_cycles[TRACKS_OF_LINKS] = {0};
  const double limit_cycles =
      dsm__smaller(d->now_cycles + cycles, d->span->begin_cycles + d->span->cycles);
  for (size_t i = 0; i < list->count; i++) {
    const dsm_plan_transfer *const one = &list->items[i];
    if (one->group == list->group) {
      double *const used = &used_cycles[track_of_link(one->link)];
      draw_transfer(d, list, one, d->now_cycles + *used, limit_cycles);
      *used += one->cycles * list->cycles_times;
    }
  }
}

/* A group of an invocation that does not overlap. */
static void draw_group(drawing *d, dsm_group group, double cycles) {
  const dsm_invocation *const invocation = d->invocation;
  const transfers list = {
      .items = invocation->transfers,
      .count = invocation->transfer_count,
      .group = group,
      .bytes_times = (double)invocation->count,
      .cycles_times = invocation->times,
  };
  if (cycles > 0) {
    draw_transfers(d, &list, cycles * invocation->times);
    d->now_cycles += cycles * invocation->times;
  }
}

/* A group that occurs once a step; in a pipeline, where its cycles are a share of what it takes,
 * its transfers shrink with it. */
static void draw_once(drawing *d, dsm_group group) {
  const double cycles = d->pass->group_cycles[group];
  double link_cycles[TRACKS_OF_LINKS] = {0};
  double longest_cycles = 0;
  for (size_t i = 0; i < d->pass->transfer_count; i++) {
    const dsm_plan_transfer *const one = &d->pass->transfers[i];
    if (one->group == group) {
      double *const used = &link_cycles[track_of_link(one->link)];
      *used += one->cycles;
      longest_cycles = *used > longest_cycles ? *used : longest_cycles;
    }
  }
  const transfers list = {
      .items = d->pass->transfers,
      .count = d->pass->transfer_count,
      .group = group,
      .bytes_times = 1,
      .cycles_times = longest_cycles > cycles ? cycles / longest_cycles : 1,
  };
  if (cycles > 0) {
    draw_transfers(d, &list, cycles);
    d->now_cycles += cycles;
  }
}

/* ---- passes ---- */

static void draw_invocations(drawing *d) {
  const dsm_invocation_cost *const cost = &d->invocation->cost;
  const double times = d->invocation->times;
  const double compute_cycles = (cost->primary + cost->overlapped_visible) * times;
  const transfers stream = {
      .items = d->invocation->transfers,
      .count = d->invocation->transfer_count,
      .group = DSM_GROUP_STREAM,
      .bytes_times = (double)d->invocation->count,
      .cycles_times = times,
  };
  draw_group(d, DSM_GROUP_OVERHEAD, cost->overhead); /* in which nothing works */
  draw_group(d, DSM_GROUP_LAYOUT_MOVE, cost->layout_move);
  draw_work(d, TRACK_ARRAYS, "compute", cost->primary * times);
  draw_transfers(d, &stream, compute_cycles);
  d->now_cycles += compute_cycles;
  draw_group(d, DSM_GROUP_ROTATION, cost->rotation);
  draw_group(d, DSM_GROUP_PARTIAL_SUM, cost->partial_sum);
  draw_work(d, TRACK_SPECIAL, "auxiliary", cost->auxiliary * times);
  draw_group(d, DSM_GROUP_AUXILIARY, cost->auxiliary);
}

/* Operations that run again before a pass, without their product. */
static void draw_operations_again(drawing *d) {
  const dsm_layer_plan *const layer = &d->tracer->plan->layers[d->span->layer];
  const double cycles = d->pass->group_cycles[DSM_GROUP_RECOMPUTE];
  if (layer->decisions.is_product_kept && cycles > 0) {
    begin_slice(d, TRACK_SPECIAL, "auxiliary", dsm_invocation_kind_name(DSM_INVOCATION_RECOMPUTE),
                d->now_cycles, cycles, d->span->begin_cycles + d->span->cycles);
    end_slice(d, cycles);
    d->now_cycles += cycles;
  }
}

static void draw_pass_slice(const drawing *d) {
  dsm__json_writer *const writer = d->tracer->writer;
  const dsm_plan *const plan = d->tracer->plan;
  const dsm_pass_plan *const pass = d->pass;
  const size_t pipeline = plan->layers[d->span->layer].pipeline;
  const double end_cycles = d->span->begin_cycles + d->span->cycles;
  begin_slice(d, TRACK_PASSES, "pass", dsm_pass_name(d->span->pass), d->span->begin_cycles,
              d->span->cycles, end_cycles);
  dsm__json_put_string(writer, "parallelism",
                       dsm_plan_parallelism_name(plan, pass->share.parallelism));
  dsm__json_put_string(writer, "bound", dsm_plan_bound_name(plan, pass->bound));
  dsm__json_put_double(writer, "utilization", pass->utilization);
  if (pipeline != DSM_NO_PIPELINE) {
    dsm__json_put_string(writer, "pipeline", plan->pipelines[pipeline].name);
  }
  dsm__json_put_double(writer, "primary", pass->cycles.primary);
  dsm__json_put_double(writer, "overlapped_visible", pass->cycles.overlapped_visible);
  dsm__json_put_double(writer, "auxiliary", pass->cycles.auxiliary);
  dsm__json_put_double(writer, "non_overlapped", pass->cycles.non_overlapped);
  end_slice(d, pass->cycles.total);
}

static void draw_span(tracer *t, const dsm__step_span *span) {
  static const dsm_group after[] = {DSM_GROUP_HAND_OVER,     DSM_GROUP_SUM_OF_GRADIENTS,
                                    DSM_GROUP_WEIGHT_UPDATE, DSM_GROUP_BROADCAST_WEIGHTS,
                                    DSM_GROUP_TIED_WEIGHTS,  DSM_GROUP_ISSUE};
  drawing d = {
      .tracer = t,
      .span = span,
      .pass = &t->plan->layers[span->layer].passes[span->pass],
      .now_cycles = span->begin_cycles,
  };
  draw_pass_slice(&d);
  draw_once(&d, DSM_GROUP_RELAYOUT);
  draw_operations_again(&d);
  for (unsigned i = 0; i < d.pass->invocation_count; i++) {
    d.invocation = &d.pass->invocations[i];
    if (d.invocation->times > 0) {
      draw_invocations(&d);
    }
  }
  d.invocation = NULL;
  for (size_t i = 0; i < DSM__COUNT_OF(after); i++) {
    draw_once(&d, after[i]);
  }
}

static void draw_memory(tracer *t, const dsm__step_span *span, const dsm__memory_use *use,
                        const dsm__memory_use *most) {
  dsm__trace_begin_counters(t->writer, "memory of a chip (bytes)", CHIP_PROCESS,
                            nanoseconds_of(t, span->begin_cycles));
  for (int kind = 0; kind < DSM__MEMORY_KIND_COUNT; kind++) {
    if (kind >= DSM__MEMORY_CACHE && most->bytes[kind] <= 0) {
      continue; /* where there is no cache, or nothing is made anew */
    }
    dsm__json_put_double(t->writer, dsm__word_key(&dsm__memory_kind_words, (size_t)kind),
                         use->bytes[kind]);
  }
  dsm__trace_end_event(t->writer);
}

/* ---- the whole ---- */

/* "X links" */
static const char *axis_label(dsm__arena *arena, const char *axis) {
  const bool is_letter = strlen(axis) == 1;
  return dsm__arena_printf(arena, "%c%s links", is_letter ? toupper(axis[0]) : axis[0], axis + 1);
}

static const char *label_of(tracer *t, unsigned at) {
  const dsm_system *const system = t->plan->system;
  if (at == TRACK_SHARED) {
    return "shared memory";
  }
  if (at >= TRACK_AXIS) {
    return axis_label(t->arena, system->system.axes[at - TRACK_AXIS].name);
  }
  return at == TRACK_CORE_LINKS
             ? dsm_plan_link_name(t->plan, dsm__core_links_derive(&system->chip).link)
             : track_labels[at];
}

static void write_name(tracer *t, unsigned at) {
  const dsm__trace_track one = {CHIP_PROCESS, at};
  const char *const label = label_of(t, at);
  dsm__trace_put_name(t->writer, "thread_name", one, label == NULL ? "links" : label);
  t->writer->out->failed |= label == NULL;
  dsm__trace_put_place(t->writer, "thread_sort_index", one, one.thread);
}

static void write_names(tracer *t) {
  const char *const system = t->plan->system->name;
  const char *const process = dsm__arena_printf(t->arena, "a chip of %s", system);
  const dsm__trace_track chip = {CHIP_PROCESS, TRACK_PASSES};
  dsm__trace_put_name(t->writer, "process_name", chip, process == NULL ? system : process);
  t->writer->out->failed |= process == NULL;
  const dsm_network *const network = &t->plan->system->system;
  for (unsigned i = TRACK_PASSES; i < TRACK_AXIS + network->axis_count; i++) {
    write_name(t, i);
  }
  if (t->plan->system->chip.shared_memory.capacity_MB > 0) {
    write_name(t, TRACK_SHARED);
  }
}

static void write_other(dsm__json_writer *writer, const dsm_plan *plan) {
  dsm__json_put_string(writer, "workload", plan->workload->name);
  dsm__json_put_string(writer, "system", plan->system->name);
  dsm__json_put_string(writer, "mode", dsm_mode_name(plan->options.mode));
  dsm__json_put_u64(writer, "minibatch", plan->workload->minibatch);
  dsm__json_put_double(writer, "frequency_GHz", plan->system->core.frequency_GHz);
  dsm__json_put_double(writer, "step_cycles", plan->result.step_cycles);
}

void dsm__put_step_trace(dsm__page *page, const dsm_answer *answer) {
  const dsm_plan *const plan = answer->of;
  dsm__step_timeline step;
  dsm__memory_timeline memory;
  if (page->out.failed || !dsm__step_timeline_derive(&step, plan, page->arena) ||
      !dsm__memory_timeline_derive(&memory, &step, page->arena)) {
    page->out.failed = true;
    return;
  }
  dsm__json_writer writer = {.out = &page->out};
  tracer t = {.writer = &writer, .plan = plan, .arena = page->arena};
  dsm__trace_begin(&writer, "dsm-step/1");
  write_other(&writer, plan);
  dsm__trace_begin_events(&writer);
  write_names(&t);
  for (size_t i = 0; i < step.span_count && !page->out.failed; i++) {
    draw_memory(&t, &step.spans[i], &memory.uses[i], &memory.most);
    draw_span(&t, &step.spans[i]);
  }
  page->out.failed |= !dsm__stage_trace_write(&writer, plan, page->arena);
  dsm__trace_end(&writer);
}

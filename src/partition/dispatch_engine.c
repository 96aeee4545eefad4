/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dispatch_engine.c: a runtime that gives tasks to devices, simulated event by event
 * (docs/dispatch.md, rules).
 *
 * Time goes from one happening to the next on an agenda. A task is given to a device when all of
 * its inputs are made: to that which is furthest behind its share (dispatch_shares.c), or to that
 * which can end it first: for each candidate its inputs are sent on trial, and the first gap in the
 * device's time behind that is looked for. Only the choice is then carried out. So a decision uses
 * what is known at its time and changes nothing decided before, and the order of happenings at the
 * same time (kind, request, task) makes every run the same.
 *
 * A request under way is a flight; flights are used again, so that memory grows with the requests
 * at a time and not with those in all.
 */
#include "partition/dispatch_engine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "dsm/limits.h"
#include "partition/instance_facts.h"
#include "partition/random_draw.h"

typedef dsm__dispatch_engine engine;
typedef dsm__flight flight;

static dsm_status out_of_memory(const engine *e) {
  return dsm__out_of_memory(e->diags);
}

static dsm_status add_happening(engine *e, dsm__happening happening) {
  if (!isfinite(happening.seconds)) {
    return dsm__refuse(e->diags, DSM_ERROR_INVALID,
                       "request %lu of the simulation does not end at a finite time",
                       (unsigned long)happening.request);
  }
  return dsm__agenda_add(&e->agenda, e->arena, happening) ? DSM_OK : out_of_memory(e);
}

static dsm_status record(engine *e, const dsm_dispatch_event *event) {
  if (!e->options.does_record) {
    return DSM_OK;
  }
  if (e->events.count == DSM_TRACE_EVENTS_MAX) {
    dsm__diags_add(e->diags, DSM_SEVERITY_ERROR, (dsm__place){0}, "simulate fewer requests",
                   "expected at most %d tasks and transfers in a trace, found more",
                   DSM_TRACE_EVENTS_MAX);
    return DSM_ERROR_USAGE;
  }
  if (!DSM__LIST_RESERVE_IN(&e->events, 1, e->arena)) {
    return out_of_memory(e);
  }
  e->events.items[e->events.count++] = *event;
  return DSM_OK;
}

/* ---- flights ---- */

size_t dsm__flights_max(const dsm_instance *instance) {
  static const size_t most_bytes = (size_t)1 << 30;
  size_t shared_count = 0;
  for (size_t t = 0; t < instance->tensor_count; t++) {
    shared_count += instance->tensors[t].consumer_count > 1 ? 1 : 0;
  }
  return most_bytes / (sizeof(flight) + shared_count * instance->device_count * sizeof(double) +
                       instance->task_count * (sizeof(uint16_t) + sizeof(uint8_t)));
}

/* Requests that come faster than they are served are more and more at a time. */
static dsm_status check_flights(const engine *e) {
  if (e->free_flights != NULL || e->flight_count < e->flights_max) {
    return DSM_OK;
  }
  dsm__diags_add(e->diags, DSM_SEVERITY_ERROR, (dsm__place){0}, "lower the rate",
                 "expected at most %zu requests under way at a time, for which there is room in "
                 "1 GiB, found more",
                 e->flights_max);
  return DSM_ERROR_USAGE;
}

static flight *new_flight(engine *e) {
  const size_t task_count = e->graph.instance->task_count;
  e->flight_count++;
  flight *const made = dsm__arena_alloc(e->arena, sizeof *made);
  if (made == NULL) {
    return NULL;
  }
  made->arrivals = dsm__arena_array(
      e->arena, e->graph.shared_count * e->graph.instance->device_count, sizeof *made->arrivals);
  made->awaited = dsm__arena_array(e->arena, task_count, sizeof *made->awaited);
  made->placement = dsm__arena_array(e->arena, task_count, sizeof *made->placement);
  return made->arrivals == NULL || made->awaited == NULL || made->placement == NULL ? NULL : made;
}

/* A flight for a request that enters; NULL if out of memory. */
static flight *take_flight(engine *e, uint32_t request, double now) {
  flight *taken = e->free_flights;
  if (taken != NULL) {
    e->free_flights = taken->next;
  } else {
    taken = new_flight(e);
    if (taken == NULL) {
      return NULL;
    }
  }
  taken->request = request;
  taken->entered_seconds = now;
  taken->results_due = e->graph.result_count;
  taken->way = e->options.rule == DSM_DISPATCH_RATES ? dsm__dispatch_shares_begin(&e->shares) : 0;
  for (size_t i = 0; i < e->graph.instance->task_count; i++) {
    taken->awaited[i] = (uint16_t)e->graph.producer_counts[i];
  }
  for (size_t s = 0; s < e->graph.shared_count * e->graph.instance->device_count; s++) {
    taken->arrivals[s] = -1;
  }
  return taken;
}

/* ---- transfers ---- */

/* What moves: a tensor, the result of a task or its part of the request's input; device_count
 * stands for the world outside. */
typedef struct transfer {
  size_t task;
  size_t from;
  size_t to;
  dsm__way way;
  double bytes;
} transfer;

static transfer make_transfer(const engine *e, size_t task, size_t from, size_t to, double bytes) {
  return (transfer){.task = task,
                    .from = from,
                    .to = to,
                    .way = dsm__way_between(&e->graph.routes, from, to),
                    .bytes = bytes};
}

static bool takes_time(const engine *e, const transfer *moved) {
  return dsm__way_seconds(&e->graph.routes, moved->way, moved->bytes) > 0;
}

/* When a transfer begins and ends. On each carrier it begins when that is free and it has begun on
 * the one before, and ends after its time there, not before it ends on the one before: bytes pass
 * on as they come. */
typedef struct span {
  double begin;
  double end;
} span;

static span occupy(engine *e, const transfer *moved, double now, bool is_trial) {
  span made = {now, now};
  double start = now;
  bool is_first = true;
  for (size_t h = 0; h < moved->way.hop_count; h++) {
    const dsm__hop *const hop = &moved->way.hops[h];
    dsm__dispatch_carrier *const carrier = &e->carriers[hop->carrier];
    const double seconds = dsm__hop_seconds(&e->graph.routes, hop, moved->bytes);
    if (!(seconds > 0)) {
      continue;
    }
    start = fmax(start, is_trial ? carrier->trial_seconds : carrier->free_seconds);
    made.begin = is_first ? start : made.begin;
    made.end = fmax(start + seconds, made.end);
    start += hop->transfer_seconds;
    is_first = false;
    carrier->trial_seconds = made.end;
    if (!is_trial) {
      carrier->free_seconds = made.end;
      carrier->busy_seconds += seconds;
    }
  }
  return made;
}

/* Occupies a way; *end is when the transfer is over. */
static dsm_status send_over(engine *e, const flight *f, const transfer *moved, double now,
                            double *end) {
  const span made = occupy(e, moved, now, false);
  *end = made.end;
  return record(e, &(dsm_dispatch_event){.request = f->request,
                                         .task = moved->task,
                                         .device = moved->from,
                                         .target = moved->to,
                                         .is_transfer = true,
                                         .begin_seconds = made.begin,
                                         .end_seconds = made.end});
}

/* Where the arrival of a shared tensor on a device is kept; NULL for a tensor that one task needs.
 */
static double *arrival_of(const engine *e, const flight *f, size_t tensor, size_t device) {
  const size_t number = e->graph.shared_numbers[tensor];
  return number == 0 ? NULL : &f->arrivals[(number - 1) * e->graph.instance->device_count + device];
}

/* The transfer of a task's input to a device. */
static transfer input_transfer(const engine *e, const flight *f, size_t tensor, size_t device) {
  const size_t producer = e->graph.instance->tensors[tensor].producer;
  const size_t from = f->placement[producer];
  return make_transfer(e, producer, from, device,
                       dsm_instance_tensor_bytes(e->graph.instance, tensor, from));
}

/* The transfer of what a task reads of the request's input. */
static transfer entry_transfer(const engine *e, size_t task, size_t device) {
  return make_transfer(e, task, e->graph.instance->device_count, device,
                       dsm__input_bytes(&e->graph.routes, task, device));
}

static void end_trial(engine *e, const transfer *moved) {
  for (size_t h = 0; h < moved->way.hop_count; h++) {
    dsm__dispatch_carrier *const carrier = &e->carriers[moved->way.hops[h].carrier];
    carrier->trial_seconds = carrier->free_seconds;
  }
}

/*
 * When all inputs of a task could be on a device. Carriers are left as they are.
 *
 * Several inputs of a task may leave by one link one after the other, so that carriers are advanced
 * on trial; afterwards each stands where it was.
 */
static double try_inputs(engine *e, const flight *f, size_t task, size_t device, double now) {
  const dsm__lists *const inputs = &e->graph.inputs;
  const transfer entry = entry_transfer(e, task, device);
  double ready = takes_time(e, &entry) ? occupy(e, &entry, now, true).end : now;
  for (size_t n = inputs->first[task]; n < inputs->first[task + 1]; n++) {
    const transfer moved = input_transfer(e, f, inputs->items[n], device);
    const double *const arrival = arrival_of(e, f, inputs->items[n], device);
    if (!takes_time(e, &moved)) {
      continue;
    }
    ready =
        fmax(ready, arrival != NULL && *arrival >= 0 ? *arrival : occupy(e, &moved, now, true).end);
  }
  for (size_t n = inputs->first[task]; n < inputs->first[task + 1]; n++) {
    const transfer moved = input_transfer(e, f, inputs->items[n], device);
    end_trial(e, &moved);
  }
  end_trial(e, &entry);
  return ready;
}

/* The same, for good. */
static dsm_status send_inputs(engine *e, const flight *f, size_t task, size_t device, double now) {
  const dsm__lists *const inputs = &e->graph.inputs;
  const transfer entry = entry_transfer(e, task, device);
  double end = 0;
  dsm_status status = takes_time(e, &entry) ? send_over(e, f, &entry, now, &end) : DSM_OK;
  for (size_t n = inputs->first[task]; n < inputs->first[task + 1] && status == DSM_OK; n++) {
    const transfer moved = input_transfer(e, f, inputs->items[n], device);
    double *const arrival = arrival_of(e, f, inputs->items[n], device);
    if (takes_time(e, &moved) && (arrival == NULL || *arrival < 0)) {
      status = send_over(e, f, &moved, now, &end);
      if (arrival != NULL) {
        *arrival = end;
      }
    }
  }
  return status;
}

/* ---- tasks ---- */

/* Where a task goes. */
typedef struct choice {
  size_t device;
  dsm__slot slot;
  double end;
} choice;

/* The first place for a task on a device, behind its inputs. */
static choice try_device(engine *e, const flight *f, size_t task, size_t device, double now) {
  const double ready = try_inputs(e, f, task, device, now);
  const double seconds = dsm_instance_seconds(e->graph.instance, task, device);
  const dsm__slot slot = seconds > 0
                             ? dsm__timeline_find(&e->servers[device].timeline, now, ready, seconds)
                             : (dsm__slot){.begin = ready}; /* waits for nothing else */
  return (choice){.device = device, .slot = slot, .end = slot.begin + seconds};
}

/* Of equal ends the first candidate is taken. What an input takes on the way counts for each
 * candidate, so that a device which has the inputs already is preferred as far as that is worth. */
static choice choose_earliest(engine *e, const flight *f, size_t task, double now) {
  const dsm__lists *const candidates = &e->graph.candidates;
  choice best = {.end = HUGE_VAL};
  for (size_t n = candidates->first[task]; n < candidates->first[task + 1]; n++) {
    const choice tried = try_device(e, f, task, candidates->items[n], now);
    best = tried.end < best.end ? tried : best;
  }
  return best;
}

/* False: out of memory. */
static bool choose(choice *chosen, engine *e, const flight *f, size_t task, double now) {
  if (e->options.rule == DSM_DISPATCH_EARLIEST) {
    *chosen = choose_earliest(e, f, task, now);
    return true;
  }
  size_t device = 0;
  const bool is_done = dsm__dispatch_shares_take(&e->shares, f->placement, f->way, task, &device);
  *chosen = try_device(e, f, task, device, now);
  return is_done;
}

/* Gives a task, all of whose inputs are made, to a device. */
static dsm_status give(engine *e, flight *f, size_t task, double now) {
  choice best;
  if (!choose(&best, e, f, task, now)) {
    return out_of_memory(e);
  }
  const dsm__happening ends = {.seconds = best.end,
                               .flight = f,
                               .request = f->request,
                               .task = (uint16_t)task,
                               .kind = DSM__TASK_ENDS};
  dsm_status status = add_happening(e, ends);
  if (status != DSM_OK) {
    return status;
  }
  status = send_inputs(e, f, task, best.device, now);
  if (status != DSM_OK) {
    return status;
  }
  dsm__dispatch_server *const server = &e->servers[best.device];
  const double seconds = dsm_instance_seconds(e->graph.instance, task, best.device);
  f->placement[task] = (uint8_t)best.device;
  server->busy_seconds += seconds;
  server->waited_seconds += best.slot.begin - now;
  if ((seconds > 0 && !dsm__timeline_take(&server->timeline, e->arena, now, best.slot, seconds)) ||
      !dsm__waiting_line_join(&server->line, e->arena, now, best.slot.begin)) {
    return out_of_memory(e);
  }
  server->most_queued =
      server->line.count > server->most_queued ? server->line.count : server->most_queued;
  return record(e, &(dsm_dispatch_event){.request = f->request,
                                         .task = task,
                                         .device = best.device,
                                         .target = best.device,
                                         .begin_seconds = best.slot.begin,
                                         .end_seconds = best.end});
}

/* ---- what happens ---- */

/* In a closed loop a request enters when one is done; else times between arrivals are drawn from
 * the exponential distribution, so that arrivals are a Poisson process of the rate. */
static dsm_status plan_entry(engine *e, double now) {
  if (e->entered_count == e->options.request_count) {
    return DSM_OK;
  }
  const bool is_closed = e->options.window > 0;
  const double at = is_closed ? now : now + dsm__exponential_gap(&e->random, e->options.rate);
  return add_happening(e, (dsm__happening){.seconds = at,
                                           .request = (uint32_t)e->entered_count++,
                                           .kind = DSM__REQUEST_ENTERS});
}

static dsm_status enter(engine *e, uint32_t request, double now) {
  dsm_status status = check_flights(e);
  if (status != DSM_OK) {
    return status;
  }
  flight *const f = take_flight(e, request, now);
  if (f == NULL) {
    return out_of_memory(e);
  }
  status = e->options.window > 0 ? DSM_OK : plan_entry(e, now);
  for (size_t i = 0; i < e->graph.instance->task_count && status == DSM_OK; i++) {
    if (e->graph.producer_counts[i] == 0) {
      status = give(e, f, i, now);
    }
  }
  return status;
}

static dsm_status finish_result(engine *e, flight *f, double now) {
  if (--f->results_due > 0) {
    return DSM_OK;
  }
  e->entries[e->done_count] = f->entered_seconds;
  e->ends[e->done_count++] = now;
  f->next = e->free_flights;
  e->free_flights = f;
  return e->options.window > 0 ? plan_entry(e, now) : DSM_OK;
}

static dsm_status send_result(engine *e, flight *f, size_t task, double now) {
  const dsm_instance *const instance = e->graph.instance;
  const size_t from = f->placement[task];
  const double bytes = e->graph.does_keep_results ? 0 : dsm__result_bytes(instance, task, from);
  const transfer moved = make_transfer(e, task, from, instance->device_count, bytes);
  if (!takes_time(e, &moved)) {
    return finish_result(e, f, now);
  }
  double end = 0;
  const dsm_status status = send_over(e, f, &moved, now, &end);
  return status != DSM_OK ? status
                          : add_happening(e, (dsm__happening){.seconds = end,
                                                              .flight = f,
                                                              .request = f->request,
                                                              .task = (uint16_t)task,
                                                              .kind = DSM__RESULT_LEFT});
}

static dsm_status end_task(engine *e, flight *f, size_t task, double now) {
  const dsm__lists *const followers = &e->graph.followers;
  if (followers->first[task] == followers->first[task + 1]) {
    return send_result(e, f, task, now);
  }
  dsm_status status = DSM_OK;
  for (size_t n = followers->first[task]; n < followers->first[task + 1] && status == DSM_OK; n++) {
    if (--f->awaited[followers->items[n]] == 0) {
      status = give(e, f, followers->items[n], now);
    }
  }
  const bool has_results = e->graph.instance->tasks[task].result_bytes > 0;
  return status == DSM_OK && has_results ? send_result(e, f, task, now) : status;
}

static dsm_status handle(engine *e, const dsm__happening *happening) {
  switch ((dsm__happening_kind)happening->kind) {
  case DSM__TASK_ENDS:
    return end_task(e, happening->flight, happening->task, happening->seconds);
  case DSM__RESULT_LEFT:
    return finish_result(e, happening->flight, happening->seconds);
  case DSM__REQUEST_ENTERS:
    return enter(e, happening->request, happening->seconds);
  case DSM__HAPPENING_KIND_COUNT:
    break;
  }
  return DSM_OK;
}

/*
 * How long the shortest task takes that a device may get.
 *
 * A gap in which not even the shortest task fits will never be used, and need not be kept
 * (dispatch_timeline.c).
 */
static void find_shortest(engine *e) {
  const dsm__lists *const candidates = &e->graph.candidates;
  for (size_t j = 0; j < e->graph.instance->device_count; j++) {
    e->servers[j].timeline.shortest = HUGE_VAL;
  }
  for (size_t i = 0; i < e->graph.instance->task_count; i++) {
    for (size_t n = candidates->first[i]; n < candidates->first[i + 1]; n++) {
      double *const shortest = &e->servers[candidates->items[n]].timeline.shortest;
      const double seconds = dsm_instance_seconds(e->graph.instance, i, candidates->items[n]);
      *shortest = seconds > 0 ? fmin(*shortest, seconds) : *shortest; /* 0 needs no gap */
    }
  }
}

dsm_status dsm__dispatch_engine_run(dsm__dispatch_engine *e) {
  const size_t count = e->options.request_count;
  e->random = e->options.seed;
  if (!DSM__RESERVE(e->arena, e->servers, e->graph.instance->device_count) ||
      !DSM__RESERVE(e->arena, e->carriers, e->graph.routes.carrier_count) ||
      !DSM__RESERVE(e->arena, e->entries, count) || !DSM__RESERVE(e->arena, e->ends, count)) {
    return out_of_memory(e);
  }
  find_shortest(e);
  const size_t first_count = e->options.window == 0      ? 1
                             : e->options.window < count ? e->options.window
                                                         : count;
  dsm_status status = DSM_OK;
  for (size_t q = 0; q < first_count && status == DSM_OK; q++) {
    status = plan_entry(e, 0);
  }
  while (status == DSM_OK && e->agenda.count > 0) {
    const dsm__happening next = dsm__agenda_take(&e->agenda);
    status = handle(e, &next);
  }
  assert(status != DSM_OK || e->done_count == count);
  return status;
}

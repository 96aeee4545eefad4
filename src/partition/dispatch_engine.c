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
#include "base/random_draw.h"
#include "dsm/limits.h"
#include "partition/instance_facts.h"

typedef dsm__dispatch_engine engine;
typedef dsm__flight flight;

static dsm_status out_of_memory(const engine *e) {
  return dsm__out_of_memory(e->diags);
}

static dsm_status add_happening(engine *e, dsm__happening happening) {
  if (!isfinite(e->epoch_seconds + happening.seconds)) {
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
  dsm_dispatch_event *const kept = &e->events.items[e->events.count++];
  *kept = *event;
  kept->begin_seconds += e->epoch_seconds;
  kept->end_seconds += e->epoch_seconds;
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
  taken->epoch_seconds = e->epoch_seconds;
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
  double ready; /* when its inputs are there */
} choice;

/* Of a whole batch. */
static double batch_seconds(const engine *e, size_t task, size_t device) {
  const dsm_instance *const instance = e->graph.instance;
  return dsm_instance_batch(instance, device) * dsm_instance_seconds(instance, task, device);
}

/* The first place for it on a device; one without time waits for nothing else. */
static dsm__slot find_slot(engine *e, size_t device, double now, double ready, double seconds) {
  return seconds > 0 ? dsm__timeline_find(&e->servers[device].timeline, now, ready, seconds)
                     : (dsm__slot){.begin = ready};
}

/* Of equal ends the first candidate is taken. What an input takes on the way counts for each
 * candidate, so that a device which has the inputs already is preferred as far as that is worth. */
static choice choose_earliest(engine *e, const flight *f, size_t task, double now) {
  const dsm__lists *const candidates = &e->graph.candidates;
  choice best = {.device = 0};
  double first = HUGE_VAL;
  for (size_t n = candidates->first[task]; n < candidates->first[task + 1]; n++) {
    const size_t device = candidates->items[n];
    const double seconds = batch_seconds(e, task, device);
    const double ready = try_inputs(e, f, task, device, now);
    const dsm__slot slot = find_slot(e, device, now, ready, seconds);
    if (slot.begin + seconds < first) {
      first = slot.begin + seconds;
      best = (choice){device, ready};
    }
  }
  return best;
}

/* Requests that come from one device fill one batch after the other. */
static uint8_t *filling_of(const engine *e, const flight *f, size_t task) {
  const size_t device_count = e->graph.instance->device_count;
  const bool has_guide = e->options.rule == DSM_DISPATCH_RATES &&
                         e->shares.guides[task] < e->graph.instance->task_count;
  const size_t from = has_guide ? f->placement[e->shares.guides[task]] : device_count;
  return &e->filling[task * (device_count + 1) + from];
}

/* False: out of memory. */
static bool choose(choice *chosen, engine *e, const flight *f, size_t task, double now) {
  const uint8_t filled = *filling_of(e, f, task);
  size_t device = filled > 0 ? filled - 1U : e->graph.instance->device_count;
  if (e->options.rule == DSM_DISPATCH_EARLIEST && filled == 0) {
    *chosen = choose_earliest(e, f, task, now);
    return true;
  }
  const bool is_done = e->options.rule == DSM_DISPATCH_EARLIEST ||
                       dsm__dispatch_shares_take(&e->shares, f->placement, f->way, task, &device);
  *chosen = (choice){device, try_inputs(e, f, task, device, now)};
  return is_done;
}

/* Begins a batch; one that is not full takes as long as a full one. */
static dsm_status begin_batch(engine *e, dsm__forming *batch, size_t task, size_t device,
                              double now) {
  const size_t device_count = e->graph.instance->device_count;
  const double seconds = batch_seconds(e, task, device);
  dsm__dispatch_server *const server = &e->servers[device];
  const double ready = fmax(now, batch->ready_seconds);
  const dsm__slot slot = find_slot(e, device, now, ready, seconds);
  dsm_status status = DSM_OK;
  for (size_t n = 0; n < batch->count && status == DSM_OK; n++) {
    flight *const f = batch->members[n];
    status = add_happening(e, (dsm__happening){.seconds = slot.begin + seconds,
                                               .flight = f,
                                               .request = f->request,
                                               .task = (uint16_t)task,
                                               .kind = DSM__TASK_ENDS});
    server->waited_seconds += slot.begin - now;
    if (status == DSM_OK && !dsm__waiting_line_join(&server->line, e->arena, now, slot.begin)) {
      status = out_of_memory(e);
    }
    if (status == DSM_OK) {
      status = record(e, &(dsm_dispatch_event){.request = f->request,
                                               .task = task,
                                               .device = device,
                                               .target = device,
                                               .begin_seconds = slot.begin,
                                               .end_seconds = slot.begin + seconds});
    }
  }
  server->busy_seconds += seconds;
  server->most_queued =
      server->line.count > server->most_queued ? server->line.count : server->most_queued;
  if (status == DSM_OK && seconds > 0 &&
      !dsm__timeline_take(&server->timeline, e->arena, now, slot, seconds)) {
    return out_of_memory(e);
  }
  e->filling_seconds += (double)batch->count * now - batch->joined_seconds;
  e->forming_count--;
  batch->count = 0;
  for (size_t from = 0; from <= device_count && batch->is_waited_for; from++) {
    uint8_t *const filled = &e->filling[task * (device_count + 1) + from];
    *filled = *filled == device + 1 ? 0 : *filled;
  }
  return status;
}

/* A request becomes one of a batch, which begins when it is full. */
static dsm_status join_batch(engine *e, flight *f, size_t task, choice at, double now) {
  const dsm_instance *const instance = e->graph.instance;
  const size_t size = (size_t)dsm_instance_batch(instance, at.device);
  dsm__forming *const batch = &e->forming[task * instance->device_count + at.device];
  if (batch->members == NULL && !DSM__RESERVE(e->arena, batch->members, size)) {
    return out_of_memory(e);
  }
  if (batch->count == 0) {
    e->forming_count++;
    batch->first_seconds = now;
    batch->ready_seconds = at.ready;
    batch->joined_seconds = 0;
  }
  batch->members[batch->count++] = f;
  batch->ready_seconds = fmax(batch->ready_seconds, at.ready);
  batch->joined_seconds += now;
  if (batch->count == size) {
    return begin_batch(e, batch, task, at.device, now);
  }
  batch->is_waited_for = true;
  *filling_of(e, f, task) = (uint8_t)(at.device + 1);
  return DSM_OK;
}

/* Nothing else will happen: the batch whose first request came first begins as it is, of equal ones
 * that of the first task and device. */
static dsm_status begin_oldest(engine *e) {
  const dsm_instance *const instance = e->graph.instance;
  const size_t count = instance->task_count * instance->device_count;
  size_t oldest = count;
  for (size_t k = 0; k < count; k++) {
    if (e->forming[k].count > 0 &&
        (oldest == count || e->forming[k].first_seconds < e->forming[oldest].first_seconds)) {
      oldest = k;
    }
  }
  e->partial_count++;
  return begin_batch(e, &e->forming[oldest], oldest / instance->device_count,
                     oldest % instance->device_count, e->now_seconds);
}

/* Gives a task, all of whose inputs are made, to a device. */
static dsm_status give(engine *e, flight *f, size_t task, double now) {
  choice chosen;
  if (!choose(&chosen, e, f, task, now)) {
    return out_of_memory(e);
  }
  const dsm_status status = send_inputs(e, f, task, chosen.device, now);
  f->placement[task] = (uint8_t)chosen.device;
  return status == DSM_OK ? join_batch(e, f, task, chosen, now) : status;
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
  e->entries[e->done_count] = f->epoch_seconds + f->entered_seconds;
  e->ends[e->done_count] = e->epoch_seconds + now;
  e->latencies[e->done_count++] = now - f->entered_seconds + (e->epoch_seconds - f->epoch_seconds);
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

/*
 * A request arrives while nothing runs, and time has passed of which the shortest task is less than
 * a millionth: time begins anew with it, as exact as at first. Nothing that was given to devices
 * and links, unless a transfer is still on its way, ends later. What waits for a batch came before
 * 0.
 */
static void begin_epoch(engine *e, dsm__happening *arrival) {
  const size_t device_count = e->graph.instance->device_count;
  const double passed = arrival->seconds;
  for (size_t c = 0; c < e->graph.routes.carrier_count; c++) {
    if (e->carriers[c].free_seconds > passed) {
      return;
    }
  }
  for (size_t c = 0; c < e->graph.routes.carrier_count; c++) {
    e->carriers[c].free_seconds = e->carriers[c].trial_seconds = 0;
  }
  for (size_t j = 0; j < device_count; j++) {
    dsm__timeline *const timeline = &e->servers[j].timeline;
    timeline->end = 0;
    timeline->tail = timeline->head;
    e->servers[j].line.count = 0;
  }
  for (size_t k = 0; k < e->graph.instance->task_count * device_count; k++) {
    dsm__forming *const batch = &e->forming[k];
    batch->ready_seconds = 0;
    batch->first_seconds -= passed;
    batch->joined_seconds -= (double)batch->count * passed;
    for (size_t n = 0; n < batch->count; n++) {
      double *const arrivals = batch->members[n]->arrivals;
      for (size_t s = 0; s < e->graph.shared_count * device_count; s++) {
        arrivals[s] = fmin(arrivals[s], 0);
      }
    }
  }
  e->epoch_seconds += passed;
  arrival->seconds = 0;
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
  e->epoch_most = HUGE_VAL;
  for (size_t j = 0; j < e->graph.instance->device_count; j++) {
    e->servers[j].timeline.shortest = HUGE_VAL;
  }
  for (size_t i = 0; i < e->graph.instance->task_count; i++) {
    for (size_t n = candidates->first[i]; n < candidates->first[i + 1]; n++) {
      double *const shortest = &e->servers[candidates->items[n]].timeline.shortest;
      const double seconds = batch_seconds(e, i, candidates->items[n]);
      *shortest = seconds > 0 ? fmin(*shortest, seconds) : *shortest; /* 0 needs no gap */
      e->epoch_most = fmin(e->epoch_most, ldexp(*shortest, 20));
    }
  }
}

dsm_status dsm__dispatch_engine_run(dsm__dispatch_engine *e) {
  const size_t count = e->options.request_count;
  const size_t device_count = e->graph.instance->device_count;
  const size_t task_count = e->graph.instance->task_count;
  e->random = e->options.seed;
  if (!DSM__RESERVE(e->arena, e->servers, device_count) ||
      !DSM__RESERVE(e->arena, e->forming, task_count * device_count) ||
      !DSM__RESERVE(e->arena, e->filling, task_count * (device_count + 1)) ||
      !DSM__RESERVE(e->arena, e->carriers, e->graph.routes.carrier_count) ||
      !DSM__RESERVE(e->arena, e->entries, count) || !DSM__RESERVE(e->arena, e->ends, count) ||
      !DSM__RESERVE(e->arena, e->latencies, count)) {
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
  while (status == DSM_OK && e->agenda.count + e->forming_count > 0) {
    if (e->agenda.count == 0) {
      status = begin_oldest(e);
      continue;
    }
    dsm__happening next = dsm__agenda_take(&e->agenda);
    if (e->agenda.count == 0 && next.kind == DSM__REQUEST_ENTERS && next.seconds > e->epoch_most) {
      begin_epoch(e, &next);
    }
    e->now_seconds = next.seconds;
    status = handle(e, &next);
  }
  assert(status != DSM_OK || e->done_count == count);
  return status;
}

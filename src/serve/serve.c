/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve.c: the front of what a user and what a chip gets, over instances and their batches.
 *
 * Between two batches that are known, b1 < b2, steps take no less than those of b1: no batch from
 * b1 to b2 - 1 gives a user more than b1's bound, or a chip more than b2 - 1 requests would at the
 * steps of b1's bound. Where some batch that is known gives as much of both but for the gap,
 * nothing between is looked for; else a batch between them is explored.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "serve/serving_instance.h"
#include "workload/workload_internal.h"

static const dsm__word limit_words[] = {[DSM_SERVING_LIMIT_NONE] = {.key = "none"},
                                        [DSM_SERVING_LIMIT_MEMORY] = {.key = "memory"},
                                        [DSM_SERVING_LIMIT_TTFT] = {.key = "ttft"},
                                        [DSM_SERVING_LIMIT_TPOT] = {.key = "tpot"}};
DSM__NAMED_WORDS(dsm__serving_limit_words, "limit of serving", limit_words, DSM_SERVING_LIMIT_COUNT,
                 dsm_serving_limit, dsm_serving_limit_name);

static const double least_reserve = 0.1; /* assumption: of the memory, for what servers keep */

void dsm_serving_options_init(dsm_serving_options *options) {
  *options = (dsm_serving_options){
      .input_tokens = 1024, .output_tokens = 256, .parallelisms = DSM_PARALLELISM_ALL, .gap = 0.05};
}

void dsm_serving_free(dsm_serving *serving) {
  if (serving != NULL) {
    dsm__arena_free(serving->arena);
  }
}

/* ---- what is looked for ---- */

/* Batches between two, of which the first is known. */
typedef struct interval {
  size_t instance;
  uint64_t low;  /* known */
  uint64_t high; /* known, or too many */
} interval;

/* What a batch gives. */
typedef struct coordinates {
  double user; /* tokens a second; without later ones first tokens */
  double chip; /* requests a second */
} coordinates;

typedef struct search {
  dsm_serving *to;
  dsm__serving_request request;
  DSM__LIST(dsm__instance) instances;
  DSM__LIST(interval) open;
  DSM__LIST(coordinates) known; /* of batches within the limits */
  dsm_explorer *explorer;
  dsm__arena *arena; /* the answer's */
  dsm_diags *diags;
  double arriving; /* requests that are prefilled together, where they do not wait for it */
  bool has_asked;  /* only some numbers of requests */
  bool is_told;    /* why there is no answer, by what found that */
} search;

/* So many requests in the long run, in steps of a batch's time, or (is_least) of its bound. */
static dsm_serving_state state_of(const search *s, const dsm__instance *instance,
                                  const dsm__serving_batch *batch, bool is_least,
                                  uint64_t requests) {
  const double number =
      s->request.decode == NULL ? (double)s->to->options.prefill_batch : (double)requests;
  const dsm__serving_step prefill =
      dsm__instance_prefill_of(instance, dsm__serving_together(&s->request, batch->requests));
  const double decode = is_least ? batch->step.least_seconds : batch->step.seconds;
  const dsm_serving_times times = {.output_tokens = s->to->options.output_tokens,
                                   .prefill_seconds =
                                       is_least ? prefill.least_seconds : prefill.seconds,
                                   .prefill_batch = dsm__serving_together(&s->request, requests),
                                   .decode = {&number, &decode, 1}};
  return dsm_serving_closed(&times, number);
}

static coordinates coordinates_of(const dsm_serving_state *state, uint64_t chips) {
  const bool has_later = !isnan(state->tpot_seconds);
  return (coordinates){.user = 1 / (has_later ? state->tpot_seconds : state->ttft_seconds),
                       .chip = state->requests_per_second / (double)chips};
}

static bool is_within(const search *s, const dsm_serving_state *state) {
  const dsm_serving_options *const options = &s->to->options;
  return (options->ttft_seconds == 0 || state->ttft_seconds <= options->ttft_seconds) &&
         (options->tpot_seconds == 0 || !(state->tpot_seconds > options->tpot_seconds));
}

/* ---- the front ---- */

static bool make_known(search *s, const dsm__instance *instance, const dsm__serving_batch *batch) {
  const dsm_serving_state state = state_of(s, instance, batch, false, batch->requests);
  if (!is_within(s, &state)) {
    return true;
  }
  if (!DSM__LIST_RESERVE_IN(&s->known, 1, s->arena)) {
    return false;
  }
  s->known.items[s->known.count++] = coordinates_of(&state, instance->chips);
  return true;
}

static dsm_status add_interval(search *s, size_t instance, uint64_t low, uint64_t high) {
  if (!DSM__LIST_RESERVE_IN(&s->open, 1, s->arena)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  s->open.items[s->open.count++] = (interval){instance, low, high};
  return DSM_OK;
}

/* How much more than what is known an interval could give, relative; 0 and less: nothing. */
static double excess_of(const search *s, const interval *of, const dsm__serving_batch *low) {
  const dsm__instance *const instance = &s->instances.items[of->instance];
  const uint64_t chips = instance->chips;
  const dsm_serving_state least = state_of(s, instance, low, true, low->requests);
  const dsm_serving_state most = state_of(s, instance, low, true, of->high - 1);
  const coordinates bound = {coordinates_of(&least, chips).user, coordinates_of(&most, chips).chip};
  double excess = is_within(s, &least) ? HUGE_VAL : 0;
  for (size_t i = 0; i < s->known.count && excess > 0; i++) {
    const coordinates *const known = &s->known.items[i];
    excess = fmin(excess, fmax(bound.user / known->user, bound.chip / known->chip) - 1);
  }
  return excess;
}

static dsm_status explore(search *s, size_t instance, uint64_t requests,
                          const dsm__serving_batch **batch) {
  dsm__instance *const of = &s->instances.items[instance];
  dsm_status status = dsm__instance_explore(of, requests, batch);
  if (status == DSM_OK && *batch != NULL) {
    status = dsm__instance_explore_prefill(of, dsm__serving_together(&s->request, requests));
  }
  return status == DSM_OK && *batch != NULL && !make_known(s, of, *batch) ? DSM_ERROR_OUT_OF_MEMORY
                                                                          : status;
}

/* Explores a batch in the middle, by ratio. */
static dsm_status divide(search *s, interval of) {
  const double middle = sqrt((double)of.low * (double)of.high);
  const uint64_t requests = middle > (double)of.low + 1 ? (uint64_t)middle : of.low + 1;
  const dsm__serving_batch *batch = NULL;
  dsm_status status = explore(s, of.instance, requests, &batch);
  if (status == DSM_OK && batch != NULL) {
    status = add_interval(s, of.instance, requests, of.high);
  }
  return status == DSM_OK ? add_interval(s, of.instance, of.low, requests) : status;
}

/* The least and the most requests of an instance, and what is between them. */
static dsm_status begin_instance(search *s, size_t instance) {
  const dsm__serving_batch *batch = NULL;
  dsm__instance *const of = &s->instances.items[instance];
  dsm_status status = dsm__instance_provision(of, s->to->options.gap / 2);
  if (status != DSM_OK || of->most == 0) {
    return status;
  }
  for (size_t i = 0; i < of->batches.count; i++) {
    if (!make_known(s, of, &of->batches.items[i])) {
      return DSM_ERROR_OUT_OF_MEMORY;
    }
  }
  status = explore(s, instance, 1, &batch);
  if (status == DSM_OK && of->most > 1) {
    status = explore(s, instance, of->most, &batch);
  }
  if (status == DSM_OK && of->most > 1) {
    status = add_interval(s, instance, 1, of->most);
  }
  return status == DSM_OK ? add_interval(s, instance, of->most, of->too_many) : status;
}

/* Wide intervals first, of all instances, so that good batches are known early. */
static dsm_status find_front(search *s) {
  dsm_status status = DSM_OK;
  for (size_t i = 0; status == DSM_OK && i < s->instances.count; i++) {
    status = begin_instance(s, i);
  }
  for (size_t next = 0; status == DSM_OK && next < s->open.count; next++) {
    const interval of = s->open.items[next];
    const dsm__serving_batch *low = NULL;
    status = dsm__instance_explore(&s->instances.items[of.instance], of.low, &low);
    if (status == DSM_OK) {
      assert(low != NULL);
      const double excess = excess_of(s, &of, low);
      if (excess > s->to->options.gap && of.high > of.low + 1) {
        status = divide(s, of);
      } else if (excess < HUGE_VAL) {
        s->to->reached_gap = fmax(s->to->reached_gap, excess);
      }
    }
  }
  return status;
}

/* ---- the answer ---- */

/* The limit that the next larger batch is above; past the largest one memory is. */
static dsm_serving_limit limit_of(const search *s, const dsm__instance *instance, size_t index) {
  const dsm_serving_options *const options = &s->to->options;
  if (index + 1 == instance->batches.count) {
    return instance->too_many <= DSM_SERVING_BATCH_MAX && s->request.decode != NULL
               ? DSM_SERVING_LIMIT_MEMORY
               : DSM_SERVING_LIMIT_NONE;
  }
  const dsm__serving_batch *const next = &instance->batches.items[index + 1];
  const dsm_serving_state state = state_of(s, instance, next, false, next->requests);
  return options->tpot_seconds > 0 && state.tpot_seconds > options->tpot_seconds
             ? DSM_SERVING_LIMIT_TPOT
         : options->ttft_seconds > 0 && state.ttft_seconds > options->ttft_seconds
             ? DSM_SERVING_LIMIT_TTFT
             : DSM_SERVING_LIMIT_NONE;
}

static dsm_serving_point point_of(const search *s, const dsm__instance *instance, size_t index) {
  const dsm__serving_batch *const batch = &instance->batches.items[index];
  const dsm_serving_state state = state_of(s, instance, batch, false, batch->requests);
  const coordinates gives = coordinates_of(&state, instance->chips);
  const dsm__serving_step prefill =
      dsm__instance_prefill_of(instance, dsm__serving_together(&s->request, batch->requests));
  const bool has_decode = batch->step.seconds > 0;
  const double gaps[] = {prefill.seconds / prefill.least_seconds - 1,
                         has_decode ? batch->step.seconds / batch->step.least_seconds - 1 : 0};
  return (dsm_serving_point){
      .instance = instance->name,
      .chips = instance->chips,
      .requests = s->request.decode == NULL ? s->to->options.prefill_batch : batch->requests,
      .user_tokens_per_second = isnan(state.tpot_seconds) ? 0 : gives.user,
      .chip_tokens_per_second = (double)s->to->options.output_tokens * gives.chip,
      .chip_requests_per_second = gives.chip,
      .ttft_seconds = state.ttft_seconds,
      .tpot_seconds = state.tpot_seconds,
      .request_seconds = state.request_seconds,
      .decode_seconds = batch->step.seconds,
      .prefill_seconds = prefill.seconds,
      .memory_bytes = fmax(batch->step.memory_bytes, prefill.memory_bytes),
      .gap = fmax(gaps[0], gaps[1]),
      .bound = has_decode ? batch->step.bound : prefill.bound,
      .limit = limit_of(s, instance, index)};
}

/* Does some batch that is known give more of the one, and as much of the other? */
static bool is_beaten(const search *s, coordinates point) {
  for (size_t i = 0; i < s->known.count; i++) {
    const coordinates *const other = &s->known.items[i];
    if (other->user >= point.user && other->chip >= point.chip &&
        (other->user > point.user || other->chip > point.chip)) {
      return true;
    }
  }
  return false;
}

/* Into its place: users' tokens falling; of equals the first stays alone. */
static void insert_point(dsm_serving_point *points, size_t *count, dsm_serving_point point) {
  size_t i = *count;
  for (; i > 0 && points[i - 1].chip_requests_per_second > point.chip_requests_per_second; i--) {
    points[i] = points[i - 1];
  }
  if (i > 0 && points[i - 1].chip_requests_per_second == point.chip_requests_per_second) {
    memmove(&points[i], &points[i + 1], (*count - i) * sizeof *points);
    return;
  }
  points[i] = point;
  ++*count;
}

static dsm_status collect_points(search *s) {
  dsm_serving_point *const points = dsm__arena_array(s->arena, s->known.count + 1, sizeof *points);
  if (points == NULL) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < s->instances.count; i++) {
    const dsm__instance *const instance = &s->instances.items[i];
    for (size_t b = 0; b < instance->batches.count; b++) {
      const dsm__serving_batch *const batch = &instance->batches.items[b];
      const dsm_serving_state state = state_of(s, instance, batch, false, batch->requests);
      if (is_within(s, &state) && !is_beaten(s, coordinates_of(&state, instance->chips))) {
        insert_point(points, &s->to->point_count, point_of(s, instance, b));
      }
    }
  }
  s->to->points = points;
  if (s->to->point_count > 0) {
    s->to->best = points[s->to->point_count - 1];
  }
  return DSM_OK;
}

/* ---- numbers of requests that are asked for ---- */

static double most_together(const search *s, uint64_t running) {
  return fmin((double)s->to->options.prefill_batch, (double)running);
}

/* A run begins with all requests at once, and as many are prefilled together as may be: on average
 * the first token waits for half of these prefills, and the later ones for the other half. */
static void begin_run(const search *s, const dsm__instance *instance,
                      const dsm__serving_batch *batch, dsm_serving_point *point) {
  if (!(s->to->options.waves > 0) || s->request.decode == NULL) {
    return;
  }
  const double first = 1 / s->to->options.waves;
  const double running = (double)batch->requests;
  const double together = most_together(s, batch->requests);
  const double steps = (double)s->to->options.output_tokens - 1;
  const double prefill = dsm__instance_prefill_of(instance, together).seconds;
  const double prefills = running / together;
  const double ttft = (prefills + 1) / 2 * prefill;
  const double request = prefills * prefill + steps * batch->step.seconds;
  const double served = 1 / point->chip_requests_per_second;
  point->ttft_seconds += first * (ttft - point->ttft_seconds);
  point->request_seconds += first * (request - point->request_seconds);
  point->tpot_seconds = (point->request_seconds - point->ttft_seconds) / steps;
  point->user_tokens_per_second = 1 / point->tpot_seconds;
  point->chip_requests_per_second =
      1 / (served + first * (request * (double)instance->chips / running - served));
  point->chip_tokens_per_second =
      (double)s->to->options.output_tokens * point->chip_requests_per_second;
}

/* Of a batch, and of more requests than fit: those wait until one of them ends. */
static dsm_status add_asked(search *s, uint64_t requests, dsm_serving_point *point) {
  dsm__instance *const instance = &s->instances.items[0];
  const dsm__serving_batch *batch = NULL;
  const uint64_t running = requests < instance->most ? requests : instance->most;
  dsm_status status = explore(s, 0, running, &batch);
  if (status == DSM_OK && s->to->options.waves > 0) {
    status = dsm__instance_explore_prefill(instance, most_together(s, running));
  }
  if (status != DSM_OK) {
    return status;
  }
  if (batch == NULL) { /* the tries were too few: one that is known, with at most as many */
    batch = &instance->batches.items[0];
    for (size_t i = 1; i < instance->batches.count && batch[1].requests <= running; i++) {
      batch++;
    }
  }
  *point = point_of(s, instance, (size_t)(batch - instance->batches.items));
  begin_run(s, instance, batch, point);
  const double waiting = (double)(requests > batch->requests ? requests - batch->requests : 0) /
                         (double)instance->chips / point->chip_requests_per_second;
  point->ttft_seconds += waiting;
  point->request_seconds += waiting;
  point->requests = requests;
  s->to->reached_gap = fmax(s->to->reached_gap, point->gap);
  return DSM_OK;
}

static dsm_status find_asked(search *s, const dsm_serving_options *options) {
  dsm_serving_point *const points =
      dsm__arena_array(s->arena, options->request_count, sizeof *points);
  dsm__instance *const instance = &s->instances.items[0];
  *instance = s->instances.items[s->instances.count - 1]; /* all chips */
  s->instances.count = 1;
  for (size_t i = 0; i < options->request_count; i++) {
    instance->too_many =
        options->requests[i] >= instance->too_many ? options->requests[i] + 1 : instance->too_many;
  }
  dsm_status status = points == NULL ? DSM_ERROR_OUT_OF_MEMORY
                                     : dsm__instance_provision(instance, options->gap / 2);
  for (size_t i = 0; status == DSM_OK && instance->most > 0 && i < options->request_count; i++) {
    status = add_asked(s, options->requests[i], &points[i]);
    s->to->best =
        i == 0 || points[i].chip_requests_per_second > s->to->best.chip_requests_per_second
            ? points[i]
            : s->to->best;
    s->to->point_count = i + 1;
  }
  s->to->points = points;
  return status;
}

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* Nothing is within the limits: says what there is. */
static dsm_status refuse_limits(const search *s) {
  dsm_serving_state fastest[2] = {{.ttft_seconds = HUGE_VAL}, {.tpot_seconds = HUGE_VAL}};
  uint64_t chips[2] = {0, 0};
  for (size_t i = 0; i < s->instances.count; i++) {
    const dsm__instance *const instance = &s->instances.items[i];
    if (instance->most == 0) {
      continue;
    }
    const dsm_serving_state state = state_of(s, instance, &instance->batches.items[0], false, 1);
    if (state.ttft_seconds < fastest[0].ttft_seconds) {
      fastest[0] = state;
      chips[0] = instance->chips;
    }
    if (state.tpot_seconds < fastest[1].tpot_seconds) {
      fastest[1] = state;
      chips[1] = instance->chips;
    }
  }
  if (chips[0] == 0) {
    const dsm__instance *const largest = &s->instances.items[s->instances.count - 1];
    return dsm__refuse(s->diags, DSM_ERROR_INFEASIBLE,
                       "%s: weights, the cache of a request and a prefill of %llu do not fit %llu "
                       "chip%s, of %.4g GB each without the reserve",
                       s->to->name, (unsigned long long)dsm__serving_together(&s->request, 1),
                       (unsigned long long)largest->chips, plural(largest->chips),
                       dsm_system_usable_bytes(&largest->system) / DSM__BYTES_PER_GB);
  }
  char tpot[64] = "";
  if (s->request.decode != NULL) {
    (void)snprintf(tpot, sizeof tpot, ", the least TPOT %.4g ms, on %llu",
                   1e3 * fastest[1].tpot_seconds, (unsigned long long)chips[1]);
  }
  return dsm__refuse(
      s->diags, DSM_ERROR_INFEASIBLE,
      "%s: nothing is within the limits: the least TTFT is %.4g ms, on %llu chip%s%s", s->to->name,
      1e3 * fastest[0].ttft_seconds, (unsigned long long)chips[0], plural(chips[0]), tpot);
}

/* ---- a rate ---- */

/* Decode steps of an instance by requests, as dsm_serving_times has them. */
typedef struct tables {
  double *requests;
  double *seconds;
  dsm_serving_times times;
} tables;

static double arriving_together(const search *s, const dsm__instance *instance) {
  return s->request.decode == NULL ? (double)s->to->options.prefill_batch
                                   : fmin(s->arriving, (double)instance->most);
}

static bool fill_tables(const search *s, const dsm__instance *instance, double together,
                        tables *to) {
  const size_t count = instance->batches.count;
  to->requests = dsm__arena_array(s->arena, count, sizeof *to->requests);
  to->seconds = dsm__arena_array(s->arena, count, sizeof *to->seconds);
  if (to->requests == NULL || to->seconds == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    to->requests[i] = (double)instance->batches.items[i].requests;
    to->seconds[i] = instance->batches.items[i].step.seconds;
  }
  to->times =
      (dsm_serving_times){.output_tokens = s->to->options.output_tokens,
                          .prefill_seconds = dsm__instance_prefill_of(instance, together).seconds,
                          .prefill_batch = together,
                          .decode = {to->requests, to->seconds, count}};
  return true;
}

static bool serves(const search *s, const tables *of, uint64_t instances,
                   dsm_serving_state *state) {
  return dsm_serving_open(state, &of->times, s->to->options.rate / (double)instances) &&
         is_within(s, state);
}

/* The fewest instances of a kind for the rate, of at most so many; 0: they are too few. More of
 * them have fewer requests each. */
static uint64_t fewest(const search *s, const tables *of, uint64_t most, dsm_serving_state *state) {
  uint64_t low = 0;
  uint64_t high = most;
  if (most == 0 || !serves(s, of, most, state)) {
    return 0;
  }
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    *(serves(s, of, middle, state) ? &high : &low) = middle;
  }
  (void)serves(s, of, high, state);
  return high;
}

static dsm_status find_fleet(search *s) {
  dsm_serving_fleet *const fleet = &s->to->fleet;
  double largest = 0;
  if (s->to->options.rate == 0) {
    return DSM_OK;
  }
  for (size_t i = 0; i < s->instances.count; i++) {
    const dsm__instance *const instance = &s->instances.items[i];
    const uint64_t most = s->to->options.chips / instance->chips;
    dsm_serving_state state;
    tables of;
    if (instance->most == 0) {
      continue;
    }
    /* Prefills of those that arrive one by one, and, where that is too slow, of those that wait. */
    const double together[] = {arriving_together(s, instance),
                               dsm__serving_together(&s->request, instance->most)};
    for (size_t k = 0; k < DSM__COUNT_OF(together); k++) {
      if (!fill_tables(s, instance, together[k], &of)) {
        return DSM_ERROR_OUT_OF_MEMORY;
      }
      const uint64_t instances = fewest(s, &of, most, &state);
      largest = fmax(largest, (double)most * dsm_serving_largest_rate(&of.times));
      if (instances > 0 && (fleet->instances == 0 || instances * instance->chips < fleet->chips)) {
        *fleet = (dsm_serving_fleet){instances, instances * instance->chips, instance->name, state};
      }
    }
  }
  return fleet->instances > 0
             ? DSM_OK
             : dsm__refuse(
                   s->diags, DSM_ERROR_INFEASIBLE,
                   "%s: %.6g requests a second are more than %llu chip%s can serve within the "
                   "limits; without these it is %.4g at most",
                   s->to->name, s->to->options.rate, (unsigned long long)s->to->options.chips,
                   plural(s->to->options.chips), largest);
}

/* ---- prefill and decode apart ---- */

/* The cache of a request's input over a link of the outermost axis that has several chips. */
static double transfer_seconds(const search *s, const dsm_system *system) {
  const dsm_network *const chips = &system->system;
  unsigned a = chips->axis_count - 1;
  while (a > 0 && chips->axes[a].chips == 1) {
    a--;
  }
  const double link =
      dsm__bytes_of_GB(chips->axes[a].bandwidth_GBps) * chips->axes[a].efficiency_ratio;
  return s->to->cache_bytes_per_token * (double)s->to->options.input_tokens / link;
}

/* A batch of one instance behind the prefills of another. */
static void try_apart(search *s, const dsm__instance *prefill, const dsm__instance *decode,
                      const tables *of, uint64_t requests, double transfer) {
  const dsm_serving_options *const options = &s->to->options;
  dsm_serving_apart *const best = &s->to->apart;
  dsm_serving_times times = of->times;
  dsm_serving_split split;
  times.prefill_batch = arriving_together(s, prefill);
  times.prefill_seconds = dsm__instance_prefill_of(prefill, times.prefill_batch).seconds;
  if (!dsm_serving_divide(&split, &times, prefill->chips, decode->chips, (double)requests,
                          options->chips)) {
    return;
  }
  const dsm_serving_state state = {.ttft_seconds = times.prefill_seconds + transfer,
                                   .tpot_seconds = split.tpot_seconds};
  const double rate = split.requests_per_second;
  if (is_within(s, &state) &&
      (best->prefill_instance == NULL || rate > best->split.requests_per_second ||
       (rate == best->split.requests_per_second && split.chips < best->split.chips))) {
    *best = (dsm_serving_apart){.prefill_instance = prefill->name,
                                .decode_instance = decode->name,
                                .requests = requests,
                                .split = split,
                                .transfer_seconds = transfer,
                                .ttft_seconds = state.ttft_seconds,
                                .chip_tokens_per_second =
                                    (double)options->output_tokens * rate / (double)split.chips};
  }
}

static dsm_status find_apart(search *s, const dsm_system *system) {
  const bool has_decode = s->request.decode != NULL;
  if (!s->to->options.is_disaggregated) {
    return DSM_OK;
  }
  for (size_t d = 0; d < s->instances.count && has_decode; d++) {
    const dsm__instance *const decode = &s->instances.items[d];
    tables of;
    if (decode->most > 0 && !fill_tables(s, decode, arriving_together(s, decode), &of)) {
      return DSM_ERROR_OUT_OF_MEMORY;
    }
    for (size_t p = 0; p < s->instances.count && decode->most > 0; p++) {
      for (size_t b = 0; b < decode->batches.count && s->instances.items[p].most > 0; b++) {
        try_apart(s, &s->instances.items[p], decode, &of, decode->batches.items[b].requests,
                  transfer_seconds(s, system));
      }
    }
  }
  if (s->to->apart.prefill_instance == NULL) {
    dsm__diags_add(s->diags, DSM_SEVERITY_NOTE, (dsm__place){0}, NULL,
                   "%s: no prefill and decode apart: %s", s->to->name,
                   has_decode ? "no two instances have the chips and are within the limits"
                              : "nothing is decoded");
  }
  return DSM_OK;
}

/* ---- what is asked ---- */

static dsm_status derive_request(search *s, const dsm_workload *workload) {
  const dsm_serving_options *const options = &s->to->options;
  const uint64_t in = options->input_tokens;
  const uint64_t out = options->output_tokens;
  const uint64_t hit = (uint64_t)(options->prefix_hit * (double)in);
  dsm__serving_request *const request = &s->request;
  s->to->cached_tokens = hit < in ? hit : in - 1;
  request->options = options;
  request->growth = 1;
  s->arriving = fmax(1, (double)options->prefill_batch);
  request->is_batch_asked = options->prefill_batch > 0;
  if (options->prefill_batch == 0) {
    const uint64_t together = DSM_SERVING_PREFILL_TOKENS / (in - s->to->cached_tokens);
    s->to->options.prefill_batch = out > 1 && together > 1 ? together : 1;
  }
  dsm_status status = dsm_workload_phase(&request->prefill, workload, DSM_PHASE_PREFILL,
                                         in - s->to->cached_tokens, in, s->diags);
  if (status != DSM_OK) {
    return status;
  }
  if (out == 0) {
    return DSM_OK;
  }
  dsm_workload *last = NULL;
  status = dsm_workload_phase(&last, workload, DSM_PHASE_DECODE, 1, in + out, s->diags);
  if (status == DSM_OK) {
    request->cache_bytes = dsm__workload_cache_bytes(last);
    s->to->cache_bytes_per_token = dsm__workload_added_cache_bytes(last);
    s->to->cache_bytes_per_request = request->cache_bytes;
  }
  dsm_workload_free(last);
  if (status == DSM_OK && out > 1) {
    status =
        dsm_workload_phase(&request->decode, workload, DSM_PHASE_DECODE, 1, in + out / 2, s->diags);
  }
  if (status == DSM_OK && out > 1) {
    request->growth = request->cache_bytes / dsm__workload_cache_bytes(request->decode);
  }
  return status;
}

static const char *instance_name(const search *s, const dsm_network *network) {
  const char *name = "";
  for (unsigned a = 0; a < network->axis_count && name != NULL; a++) {
    const dsm_network_axis *const axis = &network->axes[a];
    name = axis->chips == 1
               ? name
               : dsm__arena_printf(s->arena, "%s%s%s=%llu", name, name[0] == '\0' ? "" : ",",
                                   axis->name, (unsigned long long)axis->chips);
  }
  return name != NULL && name[0] == '\0'
             ? dsm__arena_printf(s->arena, "%s=1", network->axes[0].name)
             : name;
}

static dsm_status add_instance(search *s, const dsm_system *system) {
  const uint64_t chips = dsm_system_chips(system);
  if (chips > s->to->options.chips) {
    return DSM_OK;
  }
  if (!DSM__LIST_RESERVE_IN(&s->instances, 1, s->arena)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  dsm__instance *const instance = &s->instances.items[s->instances.count++];
  *instance = (dsm__instance){.of = &s->request,
                              .system = *system,
                              .name = instance_name(s, &system->system),
                              .chips = chips,
                              .too_many = s->has_asked ? 1 : UINT64_MAX,
                              .explorer = s->explorer,
                              .arena = s->arena,
                              .explorations = &s->to->explorations};
  return instance->name == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
}

/* Parts of the system: of one chip, then along ever more axes, each whole before the next. */
static dsm_status add_instances(search *s, const dsm_system *system) {
  dsm_system part = *system;
  dsm_network *const network = &part.system;
  part.chip.memory.reserve_ratio = fmax(part.chip.memory.reserve_ratio, least_reserve);
  if (part.core.graph_overhead_us > 0) {
    part.core.operation_overhead_us = part.core.graph_overhead_us;
    part.core.issue_us = 0;
  }
  for (unsigned a = 0; a < network->axis_count; a++) {
    network->axes[a].chips = 1;
  }
  dsm_status status = add_instance(s, &part);
  for (unsigned a = 0; a < network->axis_count; a++) {
    const uint64_t all = system->system.axes[a].chips;
    for (uint64_t chips = 2; chips <= all && status == DSM_OK; chips++) {
      network->axes[a].chips = chips;
      status = all % chips == 0 ? add_instance(s, &part) : DSM_OK;
    }
    network->axes[a].chips = all;
  }
  return status;
}

/* A number that is asked for: NaN is in no range. */
typedef struct asked_number {
  double value;
  double least;
  double most;
  const char *expected; /* with the option's name */
} asked_number;

static dsm_status check_options(const dsm_serving_options *options, dsm_diags *diags) {
  const double in = (double)options->input_tokens;
  const double out = (double)options->output_tokens;
  const asked_number numbers[] = {
      {in, 1, DSM_SIDE_MAX, "input-tokens: expected 1 token or more, and at most 1048576"},
      {in + out, 1, DSM_SIDE_MAX,
       "output-tokens: expected at most 1048576 tokens with those of the input, found more"},
      {options->prefix_hit, 0, 1, "prefix-hit: expected a share from 0 to 1"},
      {(double)options->prefill_batch, 0, DSM_SERVING_BATCH_MAX,
       "prefill-batch: expected 1 to 65536 requests"},
      {options->waves, 0, HUGE_VAL, "waves: expected a number of requests"},
      {options->gap, DBL_MIN, 1, "gap: expected a ratio above 0, to 1"},
      {options->ttft_seconds, 0, HUGE_VAL, "ttft: expected a time"},
      {options->tpot_seconds, 0, HUGE_VAL, "tpot: expected a time"},
      {options->rate, 0, HUGE_VAL, "rate: expected requests a second"}};
  for (size_t i = 0; i < DSM__COUNT_OF(numbers); i++) {
    if (!(numbers[i].value >= numbers[i].least && numbers[i].value <= numbers[i].most)) {
      return dsm__refuse(diags, DSM_ERROR_USAGE, "%s", numbers[i].expected);
    }
  }
  return DSM_OK;
}

static dsm_status answer(search *s, const dsm_workload *workload, const dsm_system *system,
                         const dsm_serving_options *options) {
  dsm_status status = derive_request(s, workload);
  s->is_told = status != DSM_OK;
  if (status == DSM_OK) {
    status = add_instances(s, system);
  }
  if (status == DSM_OK && options->requests != NULL) {
    status = find_asked(s, options);
  } else if (status == DSM_OK) {
    status = find_front(s);
    status = status == DSM_OK ? collect_points(s) : status;
  }
  if (status == DSM_OK && s->to->point_count == 0) {
    status = refuse_limits(s);
  }
  if (status == DSM_OK) {
    status = find_fleet(s);
  }
  return status == DSM_OK ? find_apart(s, system) : status;
}

dsm_status dsm_serve(dsm_serving **serving, const dsm_workload *workload, const dsm_system *system,
                     const dsm_serving_options *options, dsm_diags *diags) {
  *serving = NULL;
  dsm_status status = check_options(options, diags);
  if (status != DSM_OK) {
    return status;
  }
  search s = {.to = DSM__ARENA_OWNER(dsm_serving), .explorer = dsm_explorer_new(), .diags = diags};
  status = DSM_ERROR_OUT_OF_MEMORY;
  if (s.to != NULL && s.explorer != NULL) {
    s.arena = s.to->arena;
    s.has_asked = options->requests != NULL;
    s.to->options = *options;
    s.to->options.requests = NULL;
    s.to->options.request_count = 0;
    s.to->options.chips = options->chips > 0 ? options->chips : dsm_system_chips(system);
    s.to->name = dsm__arena_printf(s.arena, "%s on %s", workload->name, system->name);
    status = s.to->name == NULL ? DSM_ERROR_OUT_OF_MEMORY : answer(&s, workload, system, options);
  }
  dsm_workload_free(s.request.decode);
  dsm_workload_free(s.request.prefill);
  dsm_explorer_free(s.explorer);
  if (status == DSM_OK) {
    *serving = s.to;
    return DSM_OK;
  }
  dsm_serving_free(s.to);
  return status == DSM_ERROR_OUT_OF_MEMORY && !s.is_told ? dsm__out_of_memory(diags) : status;
}

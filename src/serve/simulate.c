/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * simulate.c: an instance event by event, the twin of the closed forms in long_run.c.
 *
 * Requests are served in the order in which they come. While the first one that waits has room in
 * the KV cache, its prefill goes first: as a step of its own, or in chunks, one in each step,
 * beside decodes. All running requests take part in a decode step. Where the cache has no room for
 * another step, the request that was admitted last leaves (a preemption), and is prefilled again,
 * before others, with what it has made. Between two events steps are alike, so they are taken at
 * once.
 *
 * Requests in the middle are measured. Those before them (a tenth, and those that are there at
 * first) and behind them (a tenth) only make the load that these see (assumption: so many are
 * enough).
 */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/order.h"
#include "base/random_draw.h"
#include "serve/serving_instance.h"

typedef struct request {
  uint64_t in;
  uint64_t out;
  uint64_t made; /* steps that made tokens of it, the prefill among them */
  double arrival;
  double first; /* when its first token was made */
  double end;   /* 0: not yet */
} request;

typedef struct simulation {
  const dsm_serving_scenario *of;
  request *all; /* in the order of their arrival */
  uint64_t total;
  uint64_t created;  /* have arrived, or have a time at which they will */
  uint64_t taken;    /* of these were admitted at least once */
  uint64_t *running; /* in the order of their admission */
  uint64_t running_count;
  uint64_t *again; /* have left; the last one first */
  uint64_t again_count;
  uint64_t chunked;     /* is prefilled in chunks; total: none is */
  uint64_t chunks_left; /* of it */
  double used;          /* tokens in the cache */
  double now;
  uint64_t random;
  uint64_t preemptions;
  uint64_t first_measured;
  uint64_t left; /* measured ones that have not ended */
} simulation;

/* ---- requests ---- */

/* Tokens that a decode step makes of a request: the mean in each (an assumption). */
static double tokens_of(const simulation *s) {
  return fmax(1, s->of->times->tokens_per_step);
}

/* Decode steps that a request needs. */
static uint64_t wanted(const simulation *s, const request *of) {
  return of->out > 1 ? 1 + (uint64_t)ceil(((double)of->out - 1) / tokens_of(s) - 0.5) : 1;
}

static void make_request(simulation *s, uint64_t index) {
  const dsm_serving_scenario *const of = s->of;
  request *const made = &s->all[index];
  *made = (request){.in = of->input_tokens, .out = of->times->output_tokens};
  if (of->lengths != NULL) {
    const uint64_t drawn = dsm__splitmix64(&s->random) % of->length_count;
    const uint64_t next = index * of->every;
    const dsm_serving_length *const length =
        &of->lengths[of->has_arrivals ? next % of->length_count : drawn];
    made->in = length->input_tokens;
    made->out = length->output_tokens;
    made->arrival = length->arrival_seconds;
  }
}

/* Tokens that so many steps made, of which the first one is its prefill, which makes one. */
static double made_in(const simulation *s, uint64_t steps) {
  return steps > 0 ? 1 + ((double)steps - 1) * tokens_of(s) : 0;
}

/* Tokens that a prefill works on. */
static double prefilled(const simulation *s, const request *of) {
  const double share = (double)s->of->new_tokens / (double)s->of->input_tokens;
  return fmax(1, share * (double)of->in) + made_in(s, of->made);
}

static double held(const simulation *s, const request *of) {
  return (double)of->in + made_in(s, of->made);
}

static void finish(simulation *s, uint64_t index) {
  request *const of = &s->all[index];
  of->end = s->now;
  s->used -= held(s, of);
  if (index >= s->first_measured && index < s->first_measured + s->of->requests) {
    s->left--;
  }
  if (s->of->rate == 0 && s->created < s->total) { /* replaced at once */
    make_request(s, s->created);
    s->all[s->created++].arrival = s->now;
  }
}

/* A prefill has ended, which makes a token. */
static void join(simulation *s, uint64_t index) {
  request *const of = &s->all[index];
  of->first = of->made == 0 ? s->now : of->first;
  s->used -= held(s, of);
  of->made++;
  s->used += held(s, of);
  if (of->made >= wanted(s, of)) {
    finish(s, index);
  } else {
    s->running[s->running_count++] = index;
  }
}

/* ---- admission ---- */

static bool is_waiting(const simulation *s) {
  return s->again_count > 0 || (s->taken < s->created && s->all[s->taken].arrival <= s->now);
}

/* Is there room for the first request that waits, and for the next token of all? */
static bool has_room(const simulation *s, uint64_t ahead) {
  const uint64_t index = s->again_count > 0 ? s->again[s->again_count - 1] : s->taken;
  const uint64_t there = s->running_count + ahead;
  const double after = s->used + held(s, &s->all[index]) + (double)(there + 1) * tokens_of(s);
  return there == 0 || (there < s->of->running && after <= s->of->cache_tokens);
}

static uint64_t admit(simulation *s) {
  const uint64_t index = s->again_count > 0 ? s->again[--s->again_count] : s->taken++;
  s->used += held(s, &s->all[index]);
  return index;
}

/* Prefills requests that wait, as many as go together, in a step of their own. */
static void prefill(simulation *s) {
  const dsm_serving_times *const times = s->of->times;
  const uint64_t first = s->running_count;
  double tokens = 0;
  uint64_t count = 0;
  while ((double)count < times->prefill_batch && is_waiting(s) && has_room(s, count)) {
    const uint64_t index = admit(s);
    tokens += prefilled(s, &s->all[index]);
    s->running[first + count++] = index;
  }
  const double share = tokens / ((double)times->prefill_batch * (double)s->of->new_tokens);
  s->now += times->prefill_seconds * (times->prefill_batch > 1 ? fmax(1, share) : share);
  for (uint64_t i = 0; i < count; i++) {
    join(s, s->running[first + i]); /* at its place or before it */
  }
}

static void begin_chunks(simulation *s) {
  const double chunk = (double)s->of->new_tokens / (double)s->of->times->chunks;
  s->chunked = admit(s);
  s->chunks_left = (uint64_t)ceil(prefilled(s, &s->all[s->chunked]) / chunk * (1 - 1e-12));
}

/* ---- steps ---- */

/* Preempts the request that was admitted last. */
static void preempt(simulation *s) {
  const uint64_t index = s->running[--s->running_count];
  s->used -= held(s, &s->all[index]);
  s->again[s->again_count++] = index;
  s->preemptions++;
}

/* Steps until something changes: a request ends, the cache is full, a prompt has its last chunk, or
 * a request arrives for which there may be room. */
static double alike(const simulation *s, double seconds) {
  const bool has_chunk = s->chunked < s->total;
  double steps = has_chunk ? (double)s->chunks_left : HUGE_VAL;
  for (uint64_t i = 0; i < s->running_count; i++) {
    const request *const of = &s->all[s->running[i]];
    steps = fmin(steps, (double)(wanted(s, of) - of->made));
  }
  if (s->running_count > 0) {
    const double room =
        floor((s->of->cache_tokens - s->used) / ((double)s->running_count * tokens_of(s)));
    steps = fmin(steps, fmax(1, room));
  }
  if (!has_chunk && s->again_count == 0 && s->taken < s->created &&
      s->all[s->taken].arrival > s->now) {
    steps = fmin(steps, ceil((s->all[s->taken].arrival - s->now) / seconds));
  }
  return steps;
}

static void step(simulation *s) {
  const dsm_serving_times *const times = s->of->times;
  const bool has_chunk = s->chunked < s->total;
  while (s->running_count > 1 &&
         s->used + (double)s->running_count * tokens_of(s) > s->of->cache_tokens) {
    preempt(s);
  }
  const double seconds =
      dsm__curve_seconds(has_chunk ? &times->chunked : &times->decode, (double)s->running_count);
  const double steps = alike(s, seconds);
  uint64_t kept = 0;
  s->now += steps * seconds;
  s->used += steps * (double)s->running_count * tokens_of(s);
  for (uint64_t i = 0; i < s->running_count; i++) {
    request *const of = &s->all[s->running[i]];
    of->made += (uint64_t)steps;
    if (of->made >= wanted(s, of)) {
      finish(s, s->running[i]);
    } else {
      s->running[kept++] = s->running[i];
    }
  }
  s->running_count = kept;
  if (has_chunk) {
    s->chunks_left -= (uint64_t)steps;
    if (s->chunks_left == 0) {
      const uint64_t whole = s->chunked;
      s->chunked = s->total;
      join(s, whole);
    }
  }
}

static void run(simulation *s) {
  while (s->left > 0) {
    const bool is_idle = s->chunked == s->total;
    if (is_idle && is_waiting(s) && has_room(s, 0)) {
      s->of->times->chunks > 0 ? begin_chunks(s) : prefill(s);
    } else if (s->running_count > 0 || !is_idle) {
      step(s);
    } else {
      s->now = s->all[s->taken].arrival; /* nobody is there */
    }
  }
}

/* ---- begin and end ---- */

static bool begin(simulation *s, dsm__arena *arena) {
  const dsm_serving_scenario *const of = s->of;
  const bool is_closed = of->rate == 0;
  const uint64_t there = is_closed ? of->running : 0;
  const uint64_t more = of->has_arrivals ? 0 : of->requests / 10;
  s->first_measured = there + more;
  s->left = of->requests;
  s->total = s->first_measured + of->requests + more + there;
  s->random = of->seed;
  s->chunked = s->total;
  s->all = dsm__arena_array(arena, s->total, sizeof *s->all);
  s->running = dsm__arena_array(arena, of->running + 1, sizeof *s->running);
  s->again = dsm__arena_array(arena, of->running + 1, sizeof *s->again);
  if (s->all == NULL || s->running == NULL || s->again == NULL) {
    return false;
  }
  s->created = is_closed ? there : s->total;
  double arrival = 0;
  for (uint64_t i = 0; i < s->created; i++) {
    make_request(s, i);
    if (!is_closed && !of->has_arrivals) {
      arrival += dsm__exponential_gap(&s->random, of->rate);
      s->all[i].arrival = arrival;
    }
  }
  for (uint64_t i = 0; i < there && s->all[i].out > 1; i++) { /* of any age */
    request *const one = &s->all[admit(s)];
    one->made = 1 + dsm__splitmix64(&s->random) % (wanted(s, one) > 1 ? wanted(s, one) - 1 : 1);
    s->used += made_in(s, one->made);
    s->running[s->running_count++] = i;
  }
  return true;
}

static dsm_serving_spread spread_of(double *values, uint64_t count) {
  dsm_serving_spread spread = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
  double sum = 0;
  for (uint64_t i = 0; i < count; i++) {
    sum += values[i];
  }
  if (count > 0) {
    qsort(values, count, sizeof *values, dsm__order_numbers);
    spread.mean = sum / (double)count;
    spread.p50 = values[(count - 1) / 2];
    spread.p90 = values[(uint64_t)ceil(0.9 * (double)count) - 1];
    spread.p99 = values[(uint64_t)ceil(0.99 * (double)count) - 1];
  }
  return spread;
}

static bool is_good(const dsm_serving_scenario *of, double ttft, double tpot) {
  return (of->ttft_seconds == 0 || ttft <= of->ttft_seconds) &&
         (of->tpot_seconds == 0 || !(tpot > of->tpot_seconds));
}

static bool measure(const simulation *s, dsm_serving_simulation *to, dsm__arena *arena) {
  const uint64_t count = s->of->requests;
  double *const ttft = dsm__arena_array(arena, count, sizeof *ttft);
  double *const tpot = dsm__arena_array(arena, count, sizeof *tpot);
  double *const whole = dsm__arena_array(arena, count, sizeof *whole);
  double first_end = HUGE_VAL;
  double last_end = 0;
  uint64_t answered = 0;
  uint64_t good = 0;
  if (ttft == NULL || tpot == NULL || whole == NULL) {
    return false;
  }
  for (uint64_t i = 0; i < count; i++) {
    const request *const one = &s->all[s->first_measured + i];
    const double later = one->out > 1 ? (one->end - one->first) / (double)(one->out - 1) : 0;
    ttft[i] = one->first - one->arrival;
    whole[i] = one->end - one->arrival;
    good += is_good(s->of, ttft[i], later) ? 1 : 0;
    first_end = fmin(first_end, one->end);
    last_end = fmax(last_end, one->end);
    if (one->out > 1) {
      tpot[answered++] = later;
    }
  }
  const double rate = last_end > first_end ? (double)(count - 1) / (last_end - first_end)
                                           : (double)count / last_end;
  *to = (dsm_serving_simulation){.requests = count,
                                 .ttft = spread_of(ttft, count),
                                 .tpot = spread_of(tpot, answered),
                                 .request = spread_of(whole, count),
                                 .requests_per_second = rate,
                                 .good_requests_per_second = rate * (double)good / (double)count,
                                 .preemptions = s->preemptions};
  return true;
}

dsm_status dsm_serving_simulate(dsm_serving_simulation *simulated,
                                const dsm_serving_scenario *scenario) {
  simulation s = {.of = scenario};
  dsm__arena *const arena = dsm__arena_new();
  bool is_good_so_far = arena != NULL && begin(&s, arena);
  if (is_good_so_far) {
    run(&s);
    is_good_so_far = measure(&s, simulated, arena);
  }
  dsm__arena_free(arena);
  return is_good_so_far ? DSM_OK : DSM_ERROR_OUT_OF_MEMORY;
}

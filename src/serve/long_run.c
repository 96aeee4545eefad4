/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long_run.c: an instance in the long run (docs/serving.md): closed forms of a queue whose steps
 * take what tables say. simulate.c is their twin. */
#include <math.h>

#include "serve/serving_instance.h"

/* ---- what times say ---- */

double dsm__curve_seconds(const dsm_serving_curve *curve, double requests) {
  size_t i = 0;
  while (i < curve->count && curve->requests[i] < requests) {
    i++;
  }
  if (i == curve->count) {
    return HUGE_VAL;
  }
  if (i == 0 || curve->requests[i] == requests) {
    return curve->seconds[i];
  }
  const double before = curve->requests[i - 1];
  const double part = (requests - before) / (curve->requests[i] - before);
  return curve->seconds[i - 1] + part * (curve->seconds[i] - curve->seconds[i - 1]);
}

/* Tokens of a request in a step. */
static double tokens_of(const dsm_serving_times *times) {
  return fmax(1, times->tokens_per_step);
}

/* Decode steps of a request after its first token. All below counts by these, but for TPOT. */
static double steps_of(const dsm_serving_times *times) {
  return times->output_tokens > 1 ? ((double)times->output_tokens - 1) / tokens_of(times) : 0;
}

/* A prefill, divided among its requests. */
static double share_of_prefill(const dsm_serving_times *times) {
  return times->prefill_seconds / (double)times->prefill_batch;
}

/* ---- requests that are always there ---- */

static dsm_serving_state closed_state(const dsm_serving_times *times, double requests, double ttft,
                                      double step, double cycle) {
  return (dsm_serving_state){.running = requests,
                             .ttft_seconds = ttft,
                             .tpot_seconds = step / tokens_of(times),
                             .request_seconds = cycle,
                             .requests_per_second = requests / cycle,
                             .requests_in_system = requests};
}

/* No decode: prefills one after the other. */
static dsm_serving_state closed_prefills(const dsm_serving_times *times, double requests) {
  const double batches = ceil(requests / (double)times->prefill_batch);
  const double ttft = batches * times->prefill_seconds;
  dsm_serving_state state = closed_state(times, requests, ttft, (double)NAN, ttft);
  state.requests_per_second = 1 / share_of_prefill(times);
  return state;
}

static dsm_serving_state closed_chunks(const dsm_serving_times *times, double requests) {
  const double steps = steps_of(times);
  const double chunks = (double)times->chunks;
  if (requests * chunks > chunks + steps) { /* each step carries one */
    const double step = dsm__curve_seconds(&times->chunked, steps / chunks);
    const double cycle = requests * chunks * step;
    return closed_state(times, requests, cycle - steps * step, step, cycle);
  }
  const double share = (requests - 1) * chunks / steps; /* of steps, which carry one */
  const double carrying = dsm__curve_seconds(&times->chunked, requests - 1);
  const double step = share * carrying + (1 - share) * dsm__curve_seconds(&times->decode, requests);
  const double ttft = chunks * carrying;
  return closed_state(times, requests, ttft, step, ttft + steps * step);
}

dsm_serving_state dsm_serving_closed(const dsm_serving_times *times, double requests) {
  const double steps = steps_of(times);
  if (!(steps > 0)) {
    return closed_prefills(times, requests);
  }
  if (times->chunks > 0) {
    return closed_chunks(times, requests);
  }
  /* Prefills while one request runs. With fewer requests than go together, one has them all. */
  const double prefills = fmax(1, requests / (double)times->prefill_batch);
  const double cycle =
      steps * dsm__curve_seconds(&times->decode, requests) + prefills * times->prefill_seconds;
  const double waiting = (prefills - 1) / (2 * steps); /* prefills before one's own */
  const double ttft = (1 + waiting) * times->prefill_seconds;
  return closed_state(times, requests, ttft, (cycle - ttft) / steps, cycle);
}

dsm_serving_state dsm_serving_benchmark(const dsm_serving_times *times, double requests,
                                        double waves) {
  const double steps = steps_of(times);
  const double prefill = times->prefill_seconds;
  const double decode = dsm__curve_seconds(&times->decode, requests);
  const double groups = fmax(1, requests / times->prefill_batch);
  const double first = 1 / waves;
  /* The first group waits for itself, the last one for all. */
  const double begun = (groups + 1) / 2 * prefill + (groups - 1) / 2 * decode;
  /* Later ones wait for a pass and for their own. Each has a prefill, but what was launched before
   * the first of them is; where there is one group, nobody decodes beside it. */
  const double own_passes = fmin(2, groups);
  const double passes = fmax(groups, steps + own_passes);
  const double cycle = groups * prefill + passes * decode;
  const double waited =
      fmax((2 - 1 / groups) * prefill + own_passes * decode, cycle - steps * (prefill + decode));
  const double request =
      first * (groups * prefill + (steps + (groups - 1) / 2) * decode) + (1 - first) * cycle;
  const double ttft = first * begun + (1 - first) * waited;
  return closed_state(times, requests, ttft, (request - ttft) / steps, request);
}

/* ---- requests that arrive ---- */

/* If so many requests are in a step, how many run on average? The answer is the least number that
 * gives itself. */
typedef struct arrivals {
  const dsm_serving_times *times;
  double rate;
  double load;  /* share of the time that prefills take; with chunks by running requests */
  double ahead; /* requests in a step beside those that run on average */
} arrivals;

static double chunk_load(const arrivals *of, double running) {
  return of->rate * (double)of->times->chunks *
         dsm__curve_seconds(&of->times->chunked, running + of->ahead);
}

/* A decode step, with its part of the time that chunks or prefills add. */
static double step_of(const arrivals *of, double running) {
  const double decode = dsm__curve_seconds(&of->times->decode, running + of->ahead);
  if (of->times->chunks == 0) {
    return decode / (1 - of->load);
  }
  const double left = 1 - (chunk_load(of, running) - of->rate * (double)of->times->chunks * decode);
  return left > 0 ? decode / left : HUGE_VAL;
}

static double made_by(const arrivals *of, double running) {
  return of->rate * steps_of(of->times) * step_of(of, running);
}

/* Steps are linear between two numbers of the table. False: no number gives itself. */
static bool find_running(const arrivals *of, double *running) {
  const dsm_serving_curve *const decode = &of->times->decode;
  double low = 0;
  double high = 0;
  size_t i = 0;
  while (i < decode->count && made_by(of, high) > high) {
    low = high;
    high = fmax(0, decode->requests[i++] - of->ahead);
  }
  if (made_by(of, high) > high) {
    return false;
  }
  double middle = low + (high - low) / 2;
  while (middle > low && middle < high) {
    *(made_by(of, middle) > middle ? &low : &high) = middle;
    middle = low + (high - low) / 2;
  }
  *running = high;
  return true;
}

static dsm_serving_state open_state(const arrivals *of, double running, double ttft, double step) {
  const double steps = steps_of(of->times);
  const double request = steps > 0 ? ttft + steps * step : ttft;
  return (dsm_serving_state){.running = running,
                             .ttft_seconds = ttft,
                             .tpot_seconds = steps > 0 ? step / tokens_of(of->times) : (double)NAN,
                             .request_seconds = request,
                             .requests_per_second = of->rate,
                             .requests_in_system = of->rate * request};
}

/* A prefill, behind the requests that wait. */
static double queued(double seconds, double load) {
  return seconds + load / (2 * (1 - load)) * seconds;
}

static bool open_chunks(dsm_serving_state *state, arrivals of) {
  const double steps = steps_of(of.times);
  const double chunks = (double)of.times->chunks;
  double running = 0;
  of.ahead = 1;
  if (!find_running(&of, &running) || !(chunk_load(&of, running) < 1)) {
    return false;
  }
  const double load = chunk_load(&of, running);
  const double decode = dsm__curve_seconds(&of.times->decode, running + 1);
  const double carrying = dsm__curve_seconds(&of.times->chunked, running + 1);
  const double step = step_of(&of, running);
  const double ttft = queued(chunks * carrying, load) + (1 - exp(-running)) * decode / 2;
  const double own = fmin(load * chunks / 2,
                          fmax(0, load - of.rate * chunks * step) + steps); /* chunks beside it */
  *state = open_state(&of, running, ttft, step + own * (carrying - decode) / steps);
  return true;
}

bool dsm_serving_open(dsm_serving_state *state, const dsm_serving_times *times, double rate) {
  const double steps = steps_of(times);
  const double prefill = times->prefill_seconds;
  arrivals of = {.times = times, .rate = rate, .load = rate * share_of_prefill(times)};
  double running = 0;
  if (steps > 0 && times->chunks > 0) {
    return open_chunks(state, of);
  }
  if (!(of.load < 1)) {
    return false;
  }
  if (!(steps > 0)) {
    *state = open_state(&of, 0, queued(prefill, of.load), (double)NAN);
    return true;
  }
  of.ahead = 1 / ((1 - of.load) * (1 - of.load));
  if (!find_running(&of, &running)) {
    return false;
  }
  const double decode = dsm__curve_seconds(&times->decode, running + of.ahead);
  const double ttft = queued(prefill, of.load) + (1 - exp(-running / of.ahead)) * decode / 2;
  const double tpot = decode / (1 - of.load) + of.load / (1 - of.load) * (ttft - decode) / steps;
  *state = open_state(&of, running, ttft, tpot);
  return true;
}

/* Between two numbers of the table a rate only rises or only falls. */
double dsm_serving_largest_rate(const dsm_serving_times *times) {
  const dsm_serving_curve *const decode = &times->decode;
  double largest = steps_of(times) > 0 ? 0 : 1 / share_of_prefill(times);
  for (size_t i = 0; i < decode->count && steps_of(times) > 0; i++) {
    largest = fmax(largest, dsm_serving_closed(times, decode->requests[i]).requests_per_second);
  }
  return largest;
}

/* ---- prefills and decode steps apart ---- */

bool dsm_serving_divide(dsm_serving_split *split, const dsm_serving_times *times,
                        uint64_t prefill_chips, uint64_t decode_chips, double requests,
                        uint64_t chips) {
  const double prefills = 1 / share_of_prefill(times);
  const double decodes =
      requests / (steps_of(times) * dsm__curve_seconds(&times->decode, requests));
  uint64_t low = 1; /* the fewest instances whose prefills are no fewer than the others decode */
  uint64_t high = chips / prefill_chips;
  double rate = 0;
  if (chips < prefill_chips + decode_chips) {
    return false;
  }
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const uint64_t others = (chips - middle * prefill_chips) / decode_chips;
    if ((double)middle * prefills >= (double)others * decodes) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  for (uint64_t n = low > 1 ? low - 1 : low; n <= low; n++) {
    const uint64_t others = (chips - n * prefill_chips) / decode_chips;
    const double prefilled = (double)n * prefills;
    const double decoded = (double)others * decodes;
    if (fmin(prefilled, decoded) > rate) {
      rate = fmin(prefilled, decoded);
      /* Of the kind that can do more, only as many as are needed. */
      *split = (dsm_serving_split){
          .prefill_instances = prefilled > rate ? (uint64_t)ceil(rate / prefills) : n,
          .decode_instances = decoded > rate ? (uint64_t)ceil(rate / decodes) : others,
          .requests_per_second = rate};
    }
  }
  split->chips = split->prefill_instances * prefill_chips + split->decode_instances * decode_chips;
  const arrivals of = {.times = times, .rate = rate / (double)split->decode_instances};
  split->running = requests;
  (void)find_running(&of, &split->running);
  split->running = fmin(split->running, requests);
  split->tpot_seconds = dsm__curve_seconds(&times->decode, split->running) / tokens_of(times);
  return true;
}

bool dsm_serving_open_apart(dsm_serving_state *state, const dsm_serving_times *times,
                            double prefill_rate, double decode_rate) {
  const arrivals of = {.times = times, .rate = decode_rate};
  const double load = prefill_rate * share_of_prefill(times);
  double running = 0;
  if (!(load < 1) || !find_running(&of, &running)) {
    return false;
  }
  *state = open_state(&of, running, queued(times->prefill_seconds, load),
                      dsm__curve_seconds(&times->decode, running));
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fleet.c: how many instances serve a request rate, the simulation of one of them, and
 * disaggregated prefill and decode. */
#include <math.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/units.h"
#include "serve/search.h"

/* ---- a rate ---- */

static double arriving_together(const dsm__serving_search *s, const dsm__instance *instance) {
  return s->request.decode == NULL ? (double)s->request.prefill_most
                                   : fmin(s->arriving, (double)instance->most);
}

/* Decode steps of an instance by requests, and its prefill. False if out of memory. */
static bool fill_times(const dsm__serving_search *s, const dsm__instance *instance, double together,
                       dsm_serving_times *to) {
  enum { REQUESTS, SECONDS, OTHERS, CHUNKED, LISTS };
  const size_t count = instance->batches.count;
  double *const all = dsm__arena_array(s->arena, LISTS * count, sizeof *all);
  if (all == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const dsm__serving_batch *const batch = &instance->batches.items[i];
    all[REQUESTS * count + i] = (double)batch->requests;
    all[SECONDS * count + i] = batch->step.seconds;
    all[OTHERS * count + i] = (double)batch->requests - 1; /* beside a chunk */
    all[CHUNKED * count + i] = batch->chunked.seconds;
  }
  *to = (dsm_serving_times){.output_tokens = s->to->options.output_tokens,
                            .prefill_seconds = dsm__instance_prefill_of(instance, together).seconds,
                            .prefill_batch = together,
                            .decode = {all, all + SECONDS * count, count},
                            .chunks = s->request.chunks,
                            .chunked = {all + OTHERS * count, all + CHUNKED * count, count},
                            .tokens_per_step = s->to->tokens_per_step};
  return true;
}

/* What instances of a kind do with the requests that come to them. */
typedef enum kind { BOTH, PREFILL, DECODE } kind;

/* Does each of so many instances serve its part of the rate within its limits? The cache moves from
 * one that only prefills. */
static bool serves(const dsm__serving_search *s, const dsm_serving_times *times, kind of,
                   uint64_t instances, double transfer, dsm_serving_state *state) {
  const double rate = s->to->options.rate / (double)instances;
  if (of == BOTH ? !dsm_serving_open(state, times, rate)
                 : !dsm_serving_open_apart(state, times, of == PREFILL ? rate : 0,
                                           of == DECODE ? rate : 0)) {
    return false;
  }
  state->ttft_seconds = of == DECODE ? 0 : state->ttft_seconds + transfer;
  state->tpot_seconds = of == PREFILL ? 0 : state->tpot_seconds;
  return dsm__serving_is_within(&s->to->options, state);
}

/* The fewest instances of a kind that serve the rate, `most` at most. The more there are, the fewer
 * requests each has. 0: `most` are too few. */
static uint64_t fewest(const dsm__serving_search *s, const dsm_serving_times *times, kind of,
                       uint64_t most, double transfer, dsm_serving_state *state) {
  uint64_t low = 0;
  uint64_t high = most;
  if (most == 0 || !serves(s, times, of, most, transfer, state)) {
    return 0;
  }
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    *(serves(s, times, of, middle, transfer, state) ? &high : &low) = middle;
  }
  (void)serves(s, times, of, high, transfer, state);
  return high;
}

dsm_status dsm__serving_find_fleet(dsm__serving_search *s) {
  dsm_serving_fleet *const fleet = &s->to->fleet;
  double largest = 0;
  if (s->to->options.rate == 0) {
    return DSM_OK;
  }
  for (size_t i = 0; i < s->instances.count; i++) {
    const dsm__instance *const instance = &s->instances.items[i];
    const uint64_t most = s->to->options.chips / instance->chips;
    dsm_serving_state state;
    dsm_serving_times of;
    if (instance->most == 0) {
      continue;
    }
    /* Requests are prefilled one by one as they arrive; or, where that needs more chips, together
     * with those that wait. */
    const double together[] = {arriving_together(s, instance),
                               dsm__serving_together(&s->request, instance->most)};
    for (size_t k = 0; k < DSM__COUNT_OF(together); k++) {
      if (!fill_times(s, instance, together[k], &of)) {
        return DSM_ERROR_OUT_OF_MEMORY;
      }
      const uint64_t instances = fewest(s, &of, BOTH, most, 0, &state);
      const double each = dsm_serving_largest_rate(&of);
      largest = fmax(largest, (double)most * each);
      if (instances > 0 && (fleet->instances == 0 || instances * instance->chips < fleet->chips)) {
        const double load = s->to->options.rate / ((double)instances * each);
        *fleet = (dsm_serving_fleet){instances, instances * instance->chips, instance->name, state,
                                     load};
      }
    }
  }
  s->largest_rate = largest;
  return DSM_OK;
}

dsm_status dsm__serving_refuse_rate(const dsm__serving_search *s) {
  const dsm_serving_options *const options = &s->to->options;
  return dsm__refuse(s->diags, DSM_ERROR_INFEASIBLE,
                     "%s: %.6g requests a second are more than %llu chip%s can serve within the "
                     "limits; without these it is %.4g at most",
                     s->to->name, options->rate, (unsigned long long)options->chips,
                     dsm__plural((double)options->chips), s->largest_rate);
}

/* ---- event by event ---- */

dsm__instance *dsm__serving_instance_called(const dsm__serving_search *s, const char *name) {
  size_t i = 0;
  while (s->instances.items[i].name != name) {
    i++;
  }
  return &s->instances.items[i];
}

/* At an instance of the fleet with its part of the rate, or at that of the best point. */
dsm_status dsm__serving_simulate(dsm__serving_search *s) {
  const dsm_serving_options *const options = &s->to->options;
  const dsm_serving_lengths *const trace = options->lengths;
  const bool is_open = options->rate > 0;
  const char *const name = is_open ? s->to->fleet.instance : s->to->best.instance;
  dsm_serving_times of;
  if (options->simulated_requests == 0 || name == NULL) {
    return DSM_OK;
  }
  const dsm__instance *const instance = dsm__serving_instance_called(s, name);
  const uint64_t best = s->to->best.requests;
  const uint64_t running = best < instance->most ? best : instance->most; /* others wait */
  const double together =
      is_open ? arriving_together(s, instance) : dsm__serving_together(&s->request, running);
  const uint64_t each = is_open ? s->to->fleet.instances : 1;
  const uint64_t asked = options->simulated_requests;
  const uint64_t comes = s->has_arrivals ? 1 + (trace->count - 1) / each : asked;
  if (!fill_times(s, instance, together, &of)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  const dsm_serving_scenario scenario = {.times = &of,
                                         .input_tokens = options->input_tokens,
                                         .new_tokens = s->request.new_tokens,
                                         .lengths = trace != NULL ? trace->items : NULL,
                                         .length_count = trace != NULL ? trace->count : 0,
                                         .has_arrivals = s->has_arrivals,
                                         .every = each,
                                         .running = is_open ? instance->most : running,
                                         .rate = is_open ? options->rate / (double)each : 0,
                                         .cache_tokens =
                                             (double)instance->most * (double)s->request.end,
                                         .requests = comes < asked ? comes : asked,
                                         .seed = options->seed,
                                         .ttft_seconds = options->ttft_seconds,
                                         .tpot_seconds = options->tpot_seconds};
  return dsm_serving_simulate(&s->to->simulation, &scenario);
}

/* ---- prefill and decode apart ---- */

/* Time to move the KV cache of a request's input: over the stated link, or over one of the
 * outermost axis that has several chips. */
static double transfer_seconds(const dsm__serving_search *s, const dsm_system *system) {
  const dsm_network *const chips = &system->system;
  unsigned a = chips->axis_count - 1;
  while (a > 0 && chips->axes[a].chips == 1) {
    a--;
  }
  const double link = chips->cache_link_GBps > 0 ? dsm__bytes_of_GB(chips->cache_link_GBps)
                                                 : dsm__bytes_of_GB(chips->axes[a].bandwidth_GBps) *
                                                       chips->axes[a].efficiency_ratio;
  return s->to->cache_bytes_per_token * (double)s->to->options.input_tokens / link;
}

/* Two kinds of instances, and the time to move a cache from one to the other. */
typedef struct pair {
  const dsm__instance *prefill;
  const dsm__instance *decode;
  dsm_serving_times times; /* of both */
  double transfer;
} pair;

/* Keeps it if it serves more than the best so far, or as much with fewer chips. */
static void keep_apart(dsm__serving_search *s, const pair *of, uint64_t requests,
                       const dsm_serving_split *split, double ttft) {
  dsm_serving_apart *const best = &s->to->apart;
  const double rate = split->requests_per_second;
  if (best->prefill_instance == NULL || rate > best->split.requests_per_second ||
      (rate == best->split.requests_per_second && split->chips < best->split.chips)) {
    *best = (dsm_serving_apart){.prefill_instance = of->prefill->name,
                                .decode_instance = of->decode->name,
                                .requests = requests,
                                .split = *split,
                                .transfer_seconds = of->transfer,
                                .ttft_seconds = ttft,
                                .chip_tokens_per_second = (double)s->to->options.output_tokens *
                                                          rate / (double)split->chips};
  }
}

/* Tries the fewest of both for the rate. */
static void try_rate(dsm__serving_search *s, const pair *of) {
  const uint64_t chips = s->to->options.chips;
  dsm_serving_state first;
  dsm_serving_state later = {.running = 0};
  const uint64_t prefills =
      fewest(s, &of->times, PREFILL, chips / of->prefill->chips, of->transfer, &first);
  const uint64_t decodes =
      fewest(s, &of->times, DECODE, chips / of->decode->chips, of->transfer, &later);
  const dsm_serving_split split = {.prefill_instances = prefills,
                                   .decode_instances = decodes,
                                   .chips =
                                       prefills * of->prefill->chips + decodes * of->decode->chips,
                                   .running = later.running,
                                   .requests_per_second = s->to->options.rate,
                                   .tpot_seconds = later.tpot_seconds};
  if (prefills > 0 && decodes > 0 && split.chips <= chips) {
    keep_apart(s, of, of->decode->most, &split, first.ttft_seconds);
  }
}

/* Tries all batches that are known. */
static void try_batches(dsm__serving_search *s, const pair *of) {
  for (size_t b = 0; b < of->decode->batches.count; b++) {
    const uint64_t requests = of->decode->batches.items[b].requests;
    dsm_serving_split split;
    if (dsm_serving_divide(&split, &of->times, of->prefill->chips, of->decode->chips,
                           (double)requests, s->to->options.chips)) {
      const dsm_serving_state state = {.ttft_seconds = of->times.prefill_seconds + of->transfer,
                                       .tpot_seconds = split.tpot_seconds};
      if (dsm__serving_is_within(&s->to->options, &state)) {
        keep_apart(s, of, requests, &split, state.ttft_seconds);
      }
    }
  }
}

dsm_status dsm__serving_find_apart(dsm__serving_search *s, const dsm_system *system) {
  const bool has_decode = s->request.decode != NULL;
  if (!s->to->options.is_disaggregated) {
    return DSM_OK;
  }
  for (size_t d = 0; d < s->instances.count && has_decode; d++) {
    const dsm__instance *const decode = &s->instances.items[d];
    dsm_serving_times of;
    if (decode->most > 0 && !fill_times(s, decode, arriving_together(s, decode), &of)) {
      return DSM_ERROR_OUT_OF_MEMORY;
    }
    for (size_t p = 0; p < s->instances.count && decode->most > 0; p++) {
      const dsm__instance *const prefill = &s->instances.items[p];
      if (prefill->most > 0) {
        pair both = {prefill, decode, of, transfer_seconds(s, system)};
        both.times.prefill_batch = arriving_together(s, prefill);
        both.times.prefill_seconds =
            dsm__instance_prefill_of(prefill, both.times.prefill_batch).seconds;
        (s->to->options.rate > 0 ? try_rate : try_batches)(s, &both);
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

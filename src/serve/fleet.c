/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fleet.c: how many instances serve a request rate, the simulation of one of them, and
 * disaggregated prefill and decode. */
#include <math.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/units.h"
#include "serve/search.h"

/* ---- a rate ---- */

/* Decode steps of an instance by requests, in the form of dsm_serving_times. */
typedef struct tables {
  double *requests;
  double *seconds;
  double *others; /* beside a chunk */
  double *chunked;
  dsm_serving_times times;
} tables;

static double arriving_together(const dsm__serving_search *s, const dsm__instance *instance) {
  return s->request.decode == NULL ? (double)s->request.prefill_most
                                   : fmin(s->arriving, (double)instance->most);
}

static bool fill_tables(const dsm__serving_search *s, const dsm__instance *instance,
                        double together, tables *to) {
  const size_t count = instance->batches.count;
  to->requests = dsm__arena_array(s->arena, count, sizeof *to->requests);
  to->seconds = dsm__arena_array(s->arena, count, sizeof *to->seconds);
  to->others = dsm__arena_array(s->arena, count, sizeof *to->others);
  to->chunked = dsm__arena_array(s->arena, count, sizeof *to->chunked);
  if (to->requests == NULL || to->seconds == NULL || to->others == NULL || to->chunked == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    to->requests[i] = (double)instance->batches.items[i].requests;
    to->seconds[i] = instance->batches.items[i].step.seconds;
    to->others[i] = to->requests[i] - 1;
    to->chunked[i] = instance->batches.items[i].chunked.seconds;
  }
  to->times =
      (dsm_serving_times){.output_tokens = s->to->options.output_tokens,
                          .prefill_seconds = dsm__instance_prefill_of(instance, together).seconds,
                          .prefill_batch = together,
                          .decode = {to->requests, to->seconds, count},
                          .chunks = s->request.chunks,
                          .chunked = {to->others, to->chunked, count},
                          .tokens_per_step = s->to->tokens_per_step};
  return true;
}

static bool serves(const dsm__serving_search *s, const tables *of, uint64_t instances,
                   dsm_serving_state *state) {
  return dsm_serving_open(state, &of->times, s->to->options.rate / (double)instances) &&
         dsm__serving_is_within(&s->to->options, state);
}

/* The fewest instances of a kind that serve the rate, `most` at most. The more there are, the fewer
 * requests each has. 0: `most` are too few. */
static uint64_t fewest(const dsm__serving_search *s, const tables *of, uint64_t most,
                       dsm_serving_state *state) {
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
    tables of;
    if (instance->most == 0) {
      continue;
    }
    /* Requests are prefilled one by one as they arrive; or, where that needs more chips, together
     * with those that wait. */
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

const dsm__instance *dsm__serving_instance_called(const dsm__serving_search *s, const char *name) {
  size_t i = 0;
  while (s->instances.items[i].name != name) {
    i++;
  }
  return &s->instances.items[i];
}

/* At an instance of the fleet with its part of the rate, or at that of the best point. */
dsm_status dsm__serving_simulate(dsm__serving_search *s) {
  const bool is_open = s->to->options.rate > 0;
  const char *const name = is_open ? s->to->fleet.instance : s->to->best.instance;
  tables of;
  if (s->to->options.simulated_requests == 0 || name == NULL) {
    return DSM_OK;
  }
  const dsm__instance *const instance = dsm__serving_instance_called(s, name);
  const uint64_t best = s->to->best.requests;
  const uint64_t running = best < instance->most ? best : instance->most; /* others wait */
  const double together =
      is_open ? arriving_together(s, instance) : dsm__serving_together(&s->request, running);
  return fill_tables(s, instance, together, &of)
             ? dsm__instance_simulate(s->to, instance, &of.times, s->has_arrivals)
             : DSM_ERROR_OUT_OF_MEMORY;
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

/* Tries a batch of one instance behind the prefills of another. */
static void try_apart(dsm__serving_search *s, const dsm__instance *prefill,
                      const dsm__instance *decode, const tables *of, uint64_t requests,
                      double transfer) {
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
  if (dsm__serving_is_within(&s->to->options, &state) &&
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

dsm_status dsm__serving_find_apart(dsm__serving_search *s, const dsm_system *system) {
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
      const dsm__instance *const prefill = &s->instances.items[p];
      if (s->to->options.rate > 0 && prefill->most > 0) {
        dsm_serving_times times = of.times;
        times.prefill_batch = arriving_together(s, prefill);
        times.prefill_seconds = dsm__instance_prefill_of(prefill, times.prefill_batch).seconds;
        dsm__apart_at_rate(s->to, prefill, decode, &times, transfer_seconds(s, system));
        continue;
      }
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

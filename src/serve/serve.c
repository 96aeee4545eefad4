/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve.c: the front of what a user and what a chip gets, over instances and their batches.
 *
 * Take two batches that are known, b1 < b2. Between them steps take no less than those of b1. So no
 * batch from b1 to b2 - 1 gives a user more than b1's bound does, or a chip more than b2 - 1
 * requests would with steps as short as b1's bound. Where some known batch gives as much of both,
 * within the gap, nothing between the two is explored; else a batch between them is.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/units.h"
#include "serve/bill.h"
#include "serve/instance_shapes.h"
#include "serve/search.h"
#include "workload/workload_internal.h"

static const dsm__word limit_words[] = {[DSM_SERVING_LIMIT_NONE] = {.key = "none"},
                                        [DSM_SERVING_LIMIT_MEMORY] = {.key = "memory"},
                                        [DSM_SERVING_LIMIT_TTFT] = {.key = "ttft"},
                                        [DSM_SERVING_LIMIT_TPOT] = {.key = "tpot"}};
DSM__NAMED_WORDS(dsm__serving_limit_words, "limit of serving", limit_words, DSM_SERVING_LIMIT_COUNT,
                 dsm_serving_limit, dsm_serving_limit_name);

static const double least_reserve = 0.1; /* assumption: of the memory, for what servers keep */

void dsm_serving_options_init(dsm_serving_options *options) {
  *options = (dsm_serving_options){.input_tokens = 1024,
                                   .output_tokens = 256,
                                   .parallelisms = DSM_PARALLELISM_ALL,
                                   .gap = 0.05,
                                   .seed = 1};
}

void dsm_serving_free(dsm_serving *serving) {
  if (serving != NULL) {
    dsm__arena_free(serving->arena);
  }
}

/* ---- what is looked for ---- */

dsm_serving_state dsm__serving_state_of(const dsm__instance *instance,
                                        const dsm__serving_batch *batch, bool is_least,
                                        uint64_t requests) {
  const dsm_serving_options *const options = instance->of->options;
  const double number =
      (double)(instance->of->decode == NULL ? instance->of->prefill_most : requests);
  const dsm__serving_step prefill =
      dsm__instance_prefill_of(instance, dsm__serving_together(instance->of, batch->requests));
  const double decode = is_least ? batch->step.least_seconds : batch->step.seconds;
  const double others = number - 1;
  const double chunked = is_least ? batch->chunked.least_seconds : batch->chunked.seconds;
  const dsm_serving_times times = {
      .output_tokens = options->output_tokens,
      .prefill_seconds = is_least ? prefill.least_seconds : prefill.seconds,
      .prefill_batch = dsm__serving_together(instance->of, requests),
      .decode = {&number, &decode, 1},
      .chunks = instance->of->chunks,
      .chunked = {&others, &chunked, 1},
      .tokens_per_step =
          dsm_serving_tokens_per_step(options->speculated_tokens, options->acceptance)};
  return dsm_serving_closed(&times, number);
}

static dsm__coordinates coordinates_of(const dsm_serving_state *state, uint64_t chips) {
  const bool has_later = !isnan(state->tpot_seconds);
  return (dsm__coordinates){.user = 1 / (has_later ? state->tpot_seconds : state->ttft_seconds),
                            .chip = state->requests_per_second / (double)chips};
}

double dsm__serving_load(const dsm_serving_options *options, const dsm_serving_state *state) {
  const double ttft = options->ttft_seconds > 0 ? state->ttft_seconds / options->ttft_seconds : 0;
  const double tpot = options->tpot_seconds > 0 ? state->tpot_seconds / options->tpot_seconds : 0;
  return fmax(ttft, tpot); /* NaN is passed over: there are no later tokens */
}

bool dsm__serving_is_within(const dsm_serving_options *options, const dsm_serving_state *state) {
  return dsm__serving_load(options, state) <= 1;
}

/* ---- the front ---- */

static bool make_known(dsm__serving_search *s, const dsm__instance *instance,
                       const dsm__serving_batch *batch) {
  const dsm_serving_state state = dsm__serving_state_of(instance, batch, false, batch->requests);
  if (!dsm__serving_is_within(&s->to->options, &state)) {
    return true;
  }
  if (!DSM__LIST_RESERVE_IN(&s->known, 1, s->arena)) {
    return false;
  }
  s->known.items[s->known.count++] = coordinates_of(&state, instance->chips);
  return true;
}

static dsm_status add_interval(dsm__serving_search *s, size_t instance, uint64_t low,
                               uint64_t high) {
  if (!DSM__LIST_RESERVE_IN(&s->open, 1, s->arena)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  s->open.items[s->open.count++] = (dsm__batch_interval){instance, low, high};
  return DSM_OK;
}

/* How much more than known batches an interval could give, relative; 0 or less: nothing. */
static double excess_of(const dsm__serving_search *s, const dsm__batch_interval *of,
                        const dsm__serving_batch *low) {
  const dsm__instance *const instance = &s->instances.items[of->instance];
  const uint64_t chips = instance->chips;
  dsm_serving_state least = dsm__serving_state_of(instance, low, true, low->requests);
  const dsm_serving_state most = dsm__serving_state_of(instance, low, true, of->high - 1);
  /* With more requests more steps carry a chunk, and steps with one may have a lower bound. */
  least.tpot_seconds = fmin(least.tpot_seconds, most.tpot_seconds);
  const dsm__coordinates bound = {coordinates_of(&least, chips).user,
                                  coordinates_of(&most, chips).chip};
  double excess = dsm__serving_is_within(&s->to->options, &least) ? HUGE_VAL : 0;
  for (size_t i = 0; i < s->known.count && excess > 0; i++) {
    const dsm__coordinates *const known = &s->known.items[i];
    excess = fmin(excess, fmax(bound.user / known->user, bound.chip / known->chip) - 1);
  }
  return excess;
}

dsm_status dsm__serving_explore(dsm__serving_search *s, size_t instance, uint64_t requests,
                                const dsm__serving_batch **batch) {
  dsm__instance *const of = &s->instances.items[instance];
  dsm_status status = dsm__instance_explore(of, requests, batch);
  if (status == DSM_OK && *batch != NULL) {
    status = dsm__instance_explore_prefill(of, dsm__serving_together(&s->request, requests));
  }
  return status == DSM_OK && *batch != NULL && !make_known(s, of, *batch) ? DSM_ERROR_OUT_OF_MEMORY
                                                                          : status;
}

/*
 * A batch between two, so that what is before it, and behind it, is whole numbers of intervals that
 * need no more. Where requests rise by a ratio, a chip's tokens rise by less.
 */
static uint64_t part_of(const dsm__serving_search *s, const dsm__batch_interval *of,
                        double excess) {
  static const double filled = 0.95; /* assumption: of the gap, as nothing is quite even */
  const double low = (double)of->low;
  const double high = (double)of->high;
  const double parts = ceil(log1p(excess) / log1p(filled * s->to->options.gap));
  const double share = parts < 1e6 ? floor(parts / 2) / parts : 0.5;
  const double middle = low * pow(high / low, share);
  return middle < low + 1 ? of->low + 1 : middle > high - 1 ? of->high - 1 : (uint64_t)middle;
}

/* Explores a batch between. */
static dsm_status divide(dsm__serving_search *s, dsm__batch_interval of, double excess) {
  const uint64_t requests = part_of(s, &of, excess);
  const dsm__serving_batch *batch = NULL;
  dsm_status status = dsm__serving_explore(s, of.instance, requests, &batch);
  if (status == DSM_OK && batch != NULL) {
    status = add_interval(s, of.instance, requests, of.high);
  }
  return status == DSM_OK ? add_interval(s, of.instance, of.low, requests) : status;
}

/* The least and the most requests of an instance, and what is between them. */
static dsm_status begin_instance(dsm__serving_search *s, size_t instance) {
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
  status = dsm__serving_explore(s, instance, 1, &batch);
  if (status == DSM_OK && of->most > 1) {
    status = dsm__serving_explore(s, instance, of->most, &batch);
  }
  const uint64_t least = of->batches.items[0].requests; /* 1, but where the tries were too few */
  if (status == DSM_OK && of->most > least) {
    status = add_interval(s, instance, least, of->most);
  }
  return status == DSM_OK ? add_interval(s, instance, of->most, of->too_many) : status;
}

/* Wide intervals first, of all instances, so that good batches are known early. */
static dsm_status find_front(dsm__serving_search *s) {
  dsm_status status = DSM_OK;
  for (size_t i = 0; status == DSM_OK && i < s->instances.count; i++) {
    status = begin_instance(s, i);
  }
  for (size_t next = 0; status == DSM_OK && next < s->open.count; next++) {
    const dsm__batch_interval of = s->open.items[next];
    const dsm__serving_batch *low = NULL;
    status = dsm__instance_explore(&s->instances.items[of.instance], of.low, &low);
    if (status == DSM_OK) {
      assert(low != NULL);
      const double excess = excess_of(s, &of, low);
      const bool has_others = of.high > of.low + 1 && s->request.decode != NULL;
      if (excess > s->to->options.gap && has_others) {
        status = divide(s, of, excess);
      } else if (excess < HUGE_VAL) {
        s->to->reached_gap = fmax(s->to->reached_gap, excess);
      }
    }
  }
  return status;
}

/* ---- the answer ---- */

/* The limit that the next larger batch exceeds; beyond the largest batch that is memory. */
static dsm_serving_limit limit_of(const dsm__serving_search *s, const dsm__instance *instance,
                                  size_t index) {
  const dsm_serving_options *const options = &s->to->options;
  if (index + 1 == instance->batches.count) {
    return instance->too_many <= instance->ceiling && s->request.decode != NULL
               ? DSM_SERVING_LIMIT_MEMORY
               : DSM_SERVING_LIMIT_NONE;
  }
  const dsm__serving_batch *const next = &instance->batches.items[index + 1];
  const dsm_serving_state state = dsm__serving_state_of(instance, next, false, next->requests);
  return options->tpot_seconds > 0 && state.tpot_seconds > options->tpot_seconds
             ? DSM_SERVING_LIMIT_TPOT
         : options->ttft_seconds > 0 && state.ttft_seconds > options->ttft_seconds
             ? DSM_SERVING_LIMIT_TTFT
             : DSM_SERVING_LIMIT_NONE;
}

double dsm__serving_million_dollars(const dsm__serving_search *s, double tokens_per_second) {
  return tokens_per_second > 0 ? s->chip_second_dollars / tokens_per_second * 1e6 : 0;
}

dsm_serving_point dsm__serving_point_of(const dsm__serving_search *s, const dsm__instance *instance,
                                        size_t index) {
  const dsm__serving_batch *const batch = &instance->batches.items[index];
  const dsm_serving_state state = dsm__serving_state_of(instance, batch, false, batch->requests);
  const dsm__coordinates gives = coordinates_of(&state, instance->chips);
  const double tokens = (double)s->to->options.output_tokens * gives.chip;
  const dsm__serving_step prefill =
      dsm__instance_prefill_of(instance, dsm__serving_together(&s->request, batch->requests));
  const bool has_decode = batch->step.seconds > 0;
  const bool has_chunks = s->request.chunks > 0;
  const double chunked = batch->chunked.seconds;
  const dsm__serving_step *const prefilling = has_chunks ? &batch->chunked : &prefill;
  const double gaps[] = {prefilling->seconds / prefilling->least_seconds - 1,
                         has_decode ? batch->step.seconds / batch->step.least_seconds - 1 : 0};
  return (dsm_serving_point){
      .instance = instance->name,
      .chips = instance->chips,
      .requests = s->request.decode == NULL ? s->request.prefill_most : batch->requests,
      .user_tokens_per_second = isnan(state.tpot_seconds) ? 0 : gives.user,
      .chip_tokens_per_second = tokens,
      .chip_requests_per_second = gives.chip,
      .million_dollars = dsm__serving_million_dollars(s, tokens),
      .ttft_seconds = state.ttft_seconds,
      .tpot_seconds = state.tpot_seconds,
      .request_seconds = state.request_seconds,
      .decode_seconds = batch->step.seconds,
      .prefill_seconds = has_chunks ? (double)s->request.chunks * chunked : prefill.seconds,
      .chunked_seconds = chunked,
      .memory_bytes = fmax(batch->step.memory_bytes, prefilling->memory_bytes),
      .gap = fmax(gaps[0], gaps[1]),
      .bound = has_decode ? batch->step.bound : prefill.bound,
      .split = has_decode ? batch->step.split : prefill.split,
      .prefill_split = has_decode ? prefill.split : NULL,
      .parts = has_decode ? batch->step.parts : prefill.parts,
      .limit = limit_of(s, instance, index)};
}

/* Does some known batch give as much of both, and more of one? */
static bool is_beaten(const dsm__serving_search *s, dsm__coordinates point) {
  for (size_t i = 0; i < s->known.count; i++) {
    const dsm__coordinates *const other = &s->known.items[i];
    if (other->user >= point.user && other->chip >= point.chip &&
        (other->user > point.user || other->chip > point.chip)) {
      return true;
    }
  }
  return false;
}

/* Into its place, the fastest for a user first; of equal points only the first stays. */
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

static dsm_status collect_points(dsm__serving_search *s) {
  dsm_serving_point *const points = dsm__arena_array(s->arena, s->known.count + 1, sizeof *points);
  if (points == NULL) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < s->instances.count; i++) {
    const dsm__instance *const instance = &s->instances.items[i];
    for (size_t b = 0; b < instance->batches.count; b++) {
      const dsm__serving_batch *const batch = &instance->batches.items[b];
      const dsm_serving_state state =
          dsm__serving_state_of(instance, batch, false, batch->requests);
      if (dsm__serving_is_within(&s->to->options, &state) &&
          !is_beaten(s, coordinates_of(&state, instance->chips))) {
        insert_point(points, &s->to->point_count, dsm__serving_point_of(s, instance, b));
      }
    }
  }
  s->to->points = points;
  if (s->to->point_count > 0) {
    s->to->best = points[s->to->point_count - 1];
  }
  return DSM_OK;
}

/* Near a limit the front is coarser than the best row should be: searches on from that one. */
static dsm_status find_best(dsm__serving_search *s) {
  dsm_serving *const to = s->to;
  const dsm__serving_batch *batch = NULL;
  dsm__best_batch best = {.requests = 0};
  if (to->point_count == 0 || s->request.decode == NULL) {
    return DSM_OK;
  }
  dsm__instance *const instance = dsm__serving_instance_called(s, to->best.instance);
  const uint64_t start = to->best.requests;
  dsm_status status =
      dsm__best_batch_find(&best, instance, &to->options, start, start == instance->most);
  if (status == DSM_OK && best.requests != start) {
    status = dsm__instance_explore(instance, best.requests, &batch);
  }
  if (status != DSM_OK || batch == NULL) {
    return status;
  }
  to->point_count = 0;
  return make_known(s, instance, batch) ? collect_points(s) : DSM_ERROR_OUT_OF_MEMORY;
}

/* Nothing is within the limits: says the least TTFT and TPOT that there are. */
static dsm_status refuse_limits(const dsm__serving_search *s) {
  dsm_serving_state fastest[2] = {{.ttft_seconds = HUGE_VAL}, {.tpot_seconds = HUGE_VAL}};
  uint64_t chips[2] = {0, 0};
  for (size_t i = 0; i < s->instances.count; i++) {
    const dsm__instance *const instance = &s->instances.items[i];
    if (instance->most == 0) {
      continue;
    }
    const dsm_serving_state state =
        dsm__serving_state_of(instance, &instance->batches.items[0], false, 1);
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
                       (unsigned long long)largest->chips, dsm__plural((double)largest->chips),
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
      1e3 * fastest[0].ttft_seconds, (unsigned long long)chips[0], dsm__plural((double)chips[0]),
      tpot);
}

/* ---- what is asked ---- */

dsm_status dsm__serving_request_derive(dsm__serving_request *request, const dsm_workload *workload,
                                       const dsm_serving_options *options, dsm_diags *diags) {
  const uint64_t in = options->input_tokens;
  const uint64_t out = options->output_tokens;
  const uint64_t hit = (uint64_t)(options->prefix_hit * (double)in);
  *request = (dsm__serving_request){.options = options,
                                    .network = workload,
                                    .cached_tokens = hit < in ? hit : in - 1,
                                    .context = in + out / 2,
                                    .end = in + out,
                                    .growth = 1};
  request->new_tokens = in - request->cached_tokens;
  const uint64_t together = DSM_SERVING_PREFILL_TOKENS / request->new_tokens;
  request->is_batch_asked = options->prefill_batch > 0;
  request->prefill_most = request->is_batch_asked   ? options->prefill_batch
                          : out > 1 && together > 1 ? together
                                                    : 1;
  if (options->lengths != NULL) {
    const dsm__serving_means means = dsm__lengths_means(options->lengths);
    request->context = means.context;
    request->end = means.end;
  }
  if (options->waves > 0) { /* servers admit a request for the tokens that it has so far */
    request->end = request->context;
  }
  dsm_status status = dsm_workload_phase(&request->prefill, workload, DSM_PHASE_PREFILL,
                                         in - request->cached_tokens, in, diags);
  if (status != DSM_OK) {
    return status;
  }
  if (out == 0) {
    return DSM_OK;
  }
  dsm_workload *last = NULL;
  status = dsm_workload_phase(&last, workload, DSM_PHASE_DECODE, 1, request->end, diags);
  if (status == DSM_OK) {
    request->cache_bytes = dsm__workload_cache_bytes(last);
    request->added_bytes = dsm__workload_added_cache_bytes(last);
  }
  dsm_workload_free(last);
  if (status == DSM_OK && out > 1) {
    status = dsm_workload_phase(&request->decode, workload, DSM_PHASE_DECODE,
                                options->speculated_tokens + 1, request->context, diags);
  }
  if (status == DSM_OK && out > 1) {
    request->growth = request->cache_bytes / dsm__workload_cache_bytes(request->decode);
  }
  if (status == DSM_OK && out > 1) {
    status = dsm__speculation_begin(request, diags);
  }
  if (status == DSM_OK && options->chunk_tokens > 0) {
    dsm__chunks_begin(request);
  }
  return status;
}

void dsm__serving_request_fini(dsm__serving_request *request) {
  dsm_workload_free(request->draft);
  dsm_workload_free(request->decode);
  dsm_workload_free(request->prefill);
}

static const char *instance_name(const dsm__serving_search *s, const dsm_network *network) {
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

/* Where each step has a chunk, more requests only wait. */
static uint64_t most_requests(const dsm__serving_request *of, double tokens_per_step) {
  const double steps = ((double)of->options->output_tokens - 1) / tokens_per_step;
  const double useful = of->chunks > 0 ? 1 + ceil(steps / (double)of->chunks) : HUGE_VAL;
  return (uint64_t)fmin(useful, DSM_SERVING_BATCH_MAX);
}

static dsm_status add_instance(dsm__serving_search *s, const dsm_system *system) {
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
                              .ceiling = most_requests(&s->request, s->to->tokens_per_step),
                              .explorer = s->explorer,
                              .diags = s->diags,
                              .arena = s->arena,
                              .explorations = &s->to->explorations};
  return instance->name == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
}

/* Those that are asked for. */
static dsm_status add_shapes(dsm__serving_search *s, const dsm_system *system, dsm_system *part) {
  dsm__shapes shapes;
  dsm_status status = dsm__shapes_read(&shapes, s->to->options.instances, system, s->diags);
  for (size_t i = 0; status == DSM_OK && dsm__shapes_apply(&shapes, i, &part->system); i++) {
    status = add_instance(s, part);
  }
  return status == DSM_OK && s->instances.count == 0
             ? dsm__refuse(s->diags, DSM_ERROR_USAGE,
                           "instance: expected one of at most %llu chips, found '%s'",
                           (unsigned long long)s->to->options.chips, s->to->options.instances)
             : status;
}

/* Parts of the system: of one chip, then along ever more axes, each whole before the next. */
static dsm_status add_instances(dsm__serving_search *s, const dsm_system *system) {
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
  if (s->to->options.instances != NULL) {
    return add_shapes(s, system, &part);
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

/* An option that is a number: NaN is in no range. */
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
      {options->chunk_tokens > 0 ? out : 2, 2, DSM_SIDE_MAX,
       "chunk: expected an answer of more than one token beside it"},
      {options->acceptance, 0, 1, "speculate: expected an acceptance from 0 to 1"},
      {(double)options->speculated_tokens, 0, out > 1 ? fmin(1024, in + floor(out / 2) - 1) : 1024,
       "speculate: expected at most 1024 tokens, and fewer than a request has on average"},
      {(double)options->simulated_requests, 0, DSM_SERVING_REQUESTS_MAX,
       "simulate: expected at most 1000000 requests"},
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

/* The means of a trace take the place of both lengths. */
static void take_means(dsm__serving_search *s) {
  dsm_serving_options *const options = &s->to->options;
  if (options->lengths != NULL) {
    const dsm__serving_means means = dsm__lengths_means(options->lengths);
    s->has_arrivals = options->rate == 0 && means.rate > 0;
    options->rate = s->has_arrivals ? means.rate : options->rate;
    options->input_tokens = means.input_tokens;
    options->output_tokens = means.output_tokens;
  }
}

/* How to set an engine for the answer, and what would be cheaper. */
static dsm_status tell_engine(dsm__serving_search *s, const dsm_workload *workload) {
  dsm_serving *const to = s->to;
  const dsm_serving_fleet *const fleet = &to->fleet;
  const bool has_fleet = fleet->instances > 0;
  const char *const name = has_fleet ? fleet->instance : to->best.instance;
  const double together = has_fleet ? ceil(fleet->state.requests_in_system) : 0;
  to->engine = dsm__serving_engine_of(dsm__serving_instance_called(s, name),
                                      has_fleet ? (uint64_t)together : to->best.requests, workload);
  to->engine.instances = has_fleet ? fleet->instances : 1;
  to->engine.network = dsm__arena_strdup(s->arena, workload->name);
  if (to->engine.network == NULL) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  return to->options.has_changes && s->asked == NULL
             ? dsm__serving_find_changes(&(dsm__bill_request){
                   to, dsm__serving_instance_called(s, to->best.instance), workload})
             : DSM_OK;
}

/* An hour has capital, and energy at full use; of all chips alike, whichever make an instance. */
static double chip_second_dollars(const dsm_system *system) {
  static const double hour_seconds = 3600;
  dsm_machine_cost cost;
  const bool is_known = system->technology.is_stated &&
                        dsm_machine_cost_of(system, &cost, NULL) == DSM_OK &&
                        isfinite(cost.hour_dollars);
  return is_known ? cost.hour_dollars / hour_seconds / (double)dsm_system_chips(system) : 0;
}

/* The request, and the instances. */
static dsm_status prepare(dsm__serving_search *s, const dsm_workload *workload,
                          const dsm_system *system) {
  take_means(s);
  s->to->tokens_per_step =
      dsm_serving_tokens_per_step(s->to->options.speculated_tokens, s->to->options.acceptance);
  dsm_status status = check_options(&s->to->options, s->diags);
  if (status == DSM_OK) {
    status = dsm__serving_request_derive(&s->request, workload, &s->to->options, s->diags);
  }
  s->is_told = status != DSM_OK;
  s->arriving = s->request.is_batch_asked ? (double)s->request.prefill_most : 1;
  s->chip_second_dollars = chip_second_dollars(system);
  s->to->cached_tokens = s->request.cached_tokens;
  s->to->cache_bytes_per_token = s->request.added_bytes;
  s->to->cache_bytes_per_request = s->request.cache_bytes;
  return status == DSM_OK ? add_instances(s, system) : status;
}

static dsm_status answer(dsm__serving_search *s, const dsm_workload *workload,
                         const dsm_system *system) {
  dsm_status status = prepare(s, workload, system);
  if (status == DSM_OK && s->asked != NULL) {
    status = dsm__serving_find_asked(s);
  } else if (status == DSM_OK) {
    status = find_front(s);
    status = status == DSM_OK ? collect_points(s) : status;
    status = status == DSM_OK ? find_best(s) : status;
  }
  if (status == DSM_OK && s->to->point_count == 0) {
    status = refuse_limits(s);
  }
  if (status == DSM_OK) {
    status = dsm__serving_find_fleet(s);
  }
  if (status == DSM_OK) {
    status = dsm__serving_find_apart(s, system);
  }
  if (status == DSM_OK && s->to->options.rate > 0 && s->to->fleet.instances == 0 &&
      s->to->apart.prefill_instance == NULL) {
    status = dsm__serving_refuse_rate(s);
  }
  if (status == DSM_OK) {
    status = dsm__serving_simulate(s);
  }
  return status == DSM_OK ? tell_engine(s, workload) : status;
}

static dsm_status begin(dsm__serving_search *s, const dsm_workload *workload,
                        const dsm_system *system, const dsm_serving_options *options) {
  s->to = DSM__ARENA_OWNER(dsm_serving);
  s->explorer = dsm_explorer_new();
  if (s->to == NULL || s->explorer == NULL) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  s->arena = s->to->arena;
  s->asked = options->requests == NULL ? NULL : options;
  s->to->options = *options;
  s->to->options.requests = NULL;
  s->to->options.request_count = 0;
  s->to->options.chips = options->chips > 0 ? options->chips : dsm_system_chips(system);
  s->to->name = dsm__arena_printf(s->arena, "%s on %s", workload->name, system->name);
  return s->to->name == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
}

/* Hands the answer over, or frees it. */
static dsm_status end(dsm__serving_search *s, dsm_status status, dsm_serving **serving) {
  dsm__serving_request_fini(&s->request);
  dsm_explorer_free(s->explorer);
  if (status == DSM_OK) {
    const dsm_workload *const draft = s->to->options.draft;
    s->to->draft = draft == NULL ? NULL : dsm__arena_strdup(s->arena, draft->name);
    s->to->options.draft = NULL;
    s->to->options.lengths = NULL;
    s->to->options.prefill_batch = s->request.prefill_most;
    *serving = s->to;
    return DSM_OK;
  }
  dsm_serving_free(s->to);
  return status == DSM_ERROR_OUT_OF_MEMORY && !s->is_told ? dsm__out_of_memory(s->diags) : status;
}

dsm_status dsm_serve_step(dsm_plan **plan, const dsm_workload *workload, const dsm_system *system,
                          const dsm_serving_options *options, uint64_t requests, dsm_diags *diags) {
  dsm_serving *to = NULL;
  *plan = NULL;
  dsm__serving_search s = {.diags = diags};
  dsm_status status = begin(&s, workload, system, options);
  if (status == DSM_OK) {
    status = prepare(&s, workload, system);
  }
  if (status == DSM_OK) {
    dsm__instance *const last = &s.instances.items[s.instances.count - 1];
    status = dsm__instance_plan(last, requests, plan);
    if (status == DSM_ERROR_INFEASIBLE) {
      (void)dsm__refuse(diags, status, "%s: a step of %llu request%s does not fit %s", s.to->name,
                        (unsigned long long)requests, dsm__plural((double)requests), last->name);
    }
  }
  status = end(&s, status, &to);
  dsm_serving_free(to);
  return status;
}

dsm_status dsm_serve(dsm_serving **serving, const dsm_workload *workload, const dsm_system *system,
                     const dsm_serving_options *options, dsm_diags *diags) {
  *serving = NULL;
  dsm__serving_search s = {.diags = diags};
  const dsm_status status = begin(&s, workload, system, options);
  return end(&s, status == DSM_OK ? answer(&s, workload, system) : status, serving);
}

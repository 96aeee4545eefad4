/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * changes.c: what one change would do to the bill. The best instance is served again with the
 * machine, the network or the limits changed in one place, at the best batch within the limits.
 *
 * A change of what takes less than a tenth of a request's time is left out: to halve that time
 * saves a twentieth at most.
 */
#include <math.h>
#include <string.h>

#include "serve/bill.h"

static const double least_share = 0.1; /* assumption: below it a change is not worth a line */

/* What is changed of an instance. */
typedef struct changed {
  dsm_system system;
  dsm_workload workload; /* borrows all that is in it */
  dsm_serving_options options;
} changed;

/* ---- what could be otherwise ---- */

static void double_memory_rate(changed *to) {
  to->system.chip.memory.bandwidth_GBps *= 2;
}

static void double_memory(changed *to) {
  to->system.chip.memory.capacity_GB *= 2;
}

static void double_arrays(changed *to) {
  to->system.pe.simd_macs *= 2;
  to->system.chip.peak_TFLOPS *= 2;
}

static void double_links(changed *to) {
  dsm_network *const network = &to->system.system;
  for (unsigned a = 0; a < network->axis_count; a++) {
    network->axes[a].bandwidth_GBps *= 2;
    network->axes[a].latency_us /= 2;
  }
  for (int p = 0; p < DSM_PROTOCOL_COUNT; p++) {
    network->protocols[p].base_us /= 2;
    network->protocols[p].step_us /= 2;
    network->protocols[p].most_GBps *= 2;
  }
  network->collective_base_us /= 2;
}

static void halve_overheads(changed *to) {
  to->system.core.operation_overhead_us /= 2;
  to->system.core.issue_us /= 2;
  to->system.system.step_overhead_us /= 2;
  to->system.system.request_overhead_us /= 2;
}

static void halve_input(changed *to) {
  to->options.prefix_hit += (1 - to->options.prefix_hit) / 2;
}

/* Bits of a set of what a request's time goes to: the parts of a step in order, then the prefill.
 */
enum { PREFILL = 7, SHARES };
#define SHARE(part) (1U << (offsetof(dsm_serving_parts, part) / sizeof(double)))

/* A change, and when it may help: what it improves takes some of the time, or is the limit that
 * stops more requests. */
typedef struct change_row {
  const char *text;
  void (*make)(changed *to);
  size_t limit; /* or: place of a time in the options, which is twice as long */
  dsm_element_type type;
  dsm_use use;     /* of the type; with weights products too */
  unsigned shares; /* a set */
  dsm_serving_limit stops;
} change_row;

static const change_row rows[] = {
    {.text = "memory twice as fast",
     .make = double_memory_rate,
     .shares = SHARE(weights) | SHARE(cache) | SHARE(others)},
    {.text = "memory twice as large", .make = double_memory, .stops = DSM_SERVING_LIMIT_MEMORY},
    {.text = "arithmetic twice as fast", .make = double_arrays, .shares = SHARE(products)},
    {.text = "links twice as fast", .make = double_links, .shares = SHARE(collectives)},
    {.text = "half the overheads",
     .make = halve_overheads,
     .shares = SHARE(overhead) | SHARE(host)},
    {.text = "fp8 weights and products",
     .type = DSM_ELEMENT_TYPE_FP8,
     .shares = SHARE(weights) | SHARE(products),
     .stops = DSM_SERVING_LIMIT_MEMORY},
    {.text = "nvfp4 weights and products",
     .type = DSM_ELEMENT_TYPE_NVFP4,
     .shares = SHARE(weights) | SHARE(products),
     .stops = DSM_SERVING_LIMIT_MEMORY},
    {.text = "fp8 cache",
     .type = DSM_ELEMENT_TYPE_FP8,
     .use = DSM_USE_CACHE,
     .shares = SHARE(cache),
     .stops = DSM_SERVING_LIMIT_MEMORY},
    {.text = "half of each input cached", .make = halve_input, .shares = 1U << PREFILL},
    {.text = "TTFT limit twice as long",
     .limit = offsetof(dsm_serving_options, ttft_seconds),
     .stops = DSM_SERVING_LIMIT_TTFT},
    {.text = "TPOT limit twice as long",
     .limit = offsetof(dsm_serving_options, tpot_seconds),
     .stops = DSM_SERVING_LIMIT_TPOT},
};

static double bytes_of(const dsm_workload *workload, dsm_use use) {
  const double cache = workload->cache_bytes;
  return use == DSM_USE_WEIGHTS              ? dsm__usual_weight_bytes(workload)
         : use == DSM_USE_CACHE && cache > 0 ? cache
                                             : workload->element_bytes;
}

static void make_change(const change_row *row, changed *to) {
  if (row->make != NULL) {
    row->make(to);
  } else if (row->limit > 0) {
    *(double *)(void *)((char *)&to->options + row->limit) *= 2;
  } else if (row->type != DSM_ELEMENT_TYPE_ANY) {
    to->workload.types.of[row->use] = row->type;
    to->workload.types.of[row->use == DSM_USE_WEIGHTS ? DSM_USE_OPERANDS : row->use] = row->type;
  }
}

static bool may_help(const change_row *row, const dsm__bill_request *asked,
                     const double shares[SHARES]) {
  const bool is_narrow = row->type != DSM_ELEMENT_TYPE_ANY &&
                         bytes_of(asked->workload, row->use) <= dsm_element_type_bytes(row->type);
  const bool has_cache = asked->serving->cache_bytes_per_token > 0;
  const bool needs_cache = row->use == DSM_USE_CACHE || (row->shares & 1U << PREFILL) != 0;
  double share = 0;
  for (unsigned i = 0; i < SHARES; i++) {
    share += (row->shares >> i & 1U) != 0 ? shares[i] : 0;
  }
  return !is_narrow && (has_cache || !needs_cache) &&
         (share >= least_share ||
          (row->stops != DSM_SERVING_LIMIT_NONE && row->stops == asked->serving->best.limit));
}

/* ---- the answer ---- */

static dsm_status serve_changed(const change_row *row, const dsm__bill_request *asked,
                                dsm__best_batch *best) {
  changed to = {.system = asked->instance->system,
                .workload = *asked->workload,
                .options = *asked->instance->of->options};
  dsm__serving_request request = {.options = &to.options};
  make_change(row, &to);
  dsm_status status = dsm__serving_request_derive(&request, &to.workload, &to.options, NULL);
  dsm__instance instance = {.of = &request,
                            .system = to.system,
                            .name = asked->instance->name,
                            .chips = asked->instance->chips,
                            .ceiling = asked->instance->ceiling,
                            .explorer = asked->instance->explorer,
                            .arena = asked->instance->arena,
                            .explorations = asked->instance->explorations};
  *best = (dsm__best_batch){.requests = 0};
  /* Where memory does not stop it, as many requests as before are mostly more than enough; and
   * of what needs as much memory no more than these fit. */
  const uint64_t before = asked->serving->best.requests;
  const bool needs_memory = row->stops == DSM_SERVING_LIMIT_MEMORY;
  const bool has_same_steps = row->make == NULL && row->type == DSM_ELEMENT_TYPE_ANY;
  if (has_same_steps) {
    instance = *asked->instance;
    instance.batches.capacity = instance.batches.count; /* what is added goes elsewhere */
    instance.prefills.capacity = instance.prefills.count;
  } else if (status == DSM_OK &&
             !(needs_memory && asked->serving->best.limit == DSM_SERVING_LIMIT_MEMORY)) {
    status = dsm__instance_provision_as(&instance, asked->instance);
  }
  for (bool is_again = false; status == DSM_OK; is_again = true) {
    if (instance.most > 0) {
      status = dsm__best_batch_find(best, &instance, &to.options, before,
                                    before == asked->instance->most);
    }
    if (is_again || status != DSM_OK || !needs_memory || best->requests < instance.most) {
      break;
    }
    status = dsm__instance_provision(&instance, to.options.gap / 2);
  }
  if (request.decode == NULL) {
    best->requests = best->requests > 0 ? request.prefill_most : 0;
  }
  dsm__serving_request_fini(&request);
  return status;
}

/* Into its place; the row without a change is the last one. */
static void add_change(dsm_serving *to, dsm_serving_change *changes, dsm_serving_change change) {
  size_t i = to->change_count++;
  for (; i > 0 && changes[i - 1].bill > change.bill; i--) {
    changes[i] = changes[i - 1];
  }
  changes[i] = change;
}

static dsm_status try_change(const change_row *row, const dsm__bill_request *asked,
                             dsm_serving_change *changes) {
  dsm_serving *const to = asked->serving;
  dsm__best_batch best;
  const dsm_status status = serve_changed(row, asked, &best);
  const double served = best.state.requests_per_second / (double)to->best.chips;
  const double before = to->best.chip_requests_per_second;
  if (status == DSM_OK && best.requests > 0 && served > before) {
    add_change(
        to, changes,
        (dsm_serving_change){.change = row->text,
                             .requests = best.requests,
                             .chip_tokens_per_second = served * (double)to->options.output_tokens,
                             .chip_requests_per_second = served,
                             .ttft_seconds = best.state.ttft_seconds,
                             .tpot_seconds = best.state.tpot_seconds,
                             .bill = before / served});
  }
  return status == DSM_ERROR_INVALID ? DSM_OK : status; /* layers that cannot be so */
}

/* Shares of the time of a request, or of a prefill where nothing is decoded. */
static void find_shares(const dsm__bill_request *asked, double shares[SHARES]) {
  const dsm_serving *const serving = asked->serving;
  const dsm_serving_point *const best = &serving->best;
  const uint64_t tokens = serving->options.output_tokens;
  const double steps = tokens > 1 ? (double)tokens - 1 : 1;
  const double all = best->request_seconds;
  memcpy(shares, &best->parts, sizeof best->parts);
  for (int i = 0; i < PREFILL; i++) {
    shares[i] *= steps / all;
  }
  const double together = dsm__serving_together(asked->instance->of, best->requests);
  shares[PREFILL] = best->prefill_seconds * (double)best->requests / together / all;
}

/* The type of elements with that use: the stated one, or one that is as wide. */
static dsm_element_type type_of(const dsm_workload *workload, dsm_use use) {
  static const dsm_element_type usual[] = {DSM_ELEMENT_TYPE_FP8, DSM_ELEMENT_TYPE_BF16,
                                           DSM_ELEMENT_TYPE_FP32};
  const dsm_element_type stated = workload->types.of[use];
  for (size_t i = 0; i < DSM__COUNT_OF(usual) && stated == DSM_ELEMENT_TYPE_ANY; i++) {
    if (dsm_element_type_bytes(usual[i]) == bytes_of(workload, use)) {
      return usual[i];
    }
  }
  return stated;
}

/* Of the longest request at its end: an engine refuses longer ones. */
static uint64_t positions_of(const dsm_serving_options *options) {
  const dsm_serving_lengths *const trace = options->lengths;
  uint64_t most = trace == NULL ? options->input_tokens + options->output_tokens : 0;
  for (size_t i = 0; trace != NULL && i < trace->count; i++) {
    const uint64_t end = trace->items[i].input_tokens + trace->items[i].output_tokens;
    most = end > most ? end : most;
  }
  return most;
}

dsm_serving_engine dsm__serving_engine_of(const dsm__instance *instance, uint64_t requests,
                                          const dsm_workload *workload) {
  size_t b = 0;
  while (b + 1 < instance->batches.count && instance->batches.items[b].requests < requests) {
    b++;
  }
  const dsm__serving_batch *const batch = &instance->batches.items[b];
  const bool has_decode = instance->of->decode != NULL;
  return (dsm_serving_engine){
      .network = workload->name,
      .instance = instance->name,
      .chips = instance->chips,
      .requests = has_decode ? batch->requests : instance->of->prefill_most,
      .positions = positions_of(instance->of->options),
      .memory_ratio = 1 - instance->system.chip.memory.reserve_ratio,
      .ways = has_decode ? batch->step.ways
                         : instance->prefills.items[instance->prefills.count - 1].step.ways,
      .weights = type_of(workload, DSM_USE_WEIGHTS),
      .activations = type_of(workload, DSM_USE_ACTIVATIONS),
      .cache = type_of(workload, DSM_USE_CACHE)};
}

dsm_status dsm__serving_find_changes(const dsm__bill_request *asked) {
  dsm_serving *const to = asked->serving;
  double shares[SHARES];
  dsm_serving_change *const changes =
      dsm__arena_array(to->arena, DSM__COUNT_OF(rows) + 1, sizeof *changes);
  if (changes == NULL) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  to->changes = changes;
  find_shares(asked, shares);
  add_change(to, changes,
             (dsm_serving_change){.change = "as it is",
                                  .requests = to->best.requests,
                                  .chip_tokens_per_second = to->best.chip_tokens_per_second,
                                  .chip_requests_per_second = to->best.chip_requests_per_second,
                                  .ttft_seconds = to->best.ttft_seconds,
                                  .tpot_seconds = to->best.tpot_seconds,
                                  .bill = 1});
  dsm_status status = DSM_OK;
  for (size_t r = 0; r < DSM__COUNT_OF(rows) && status == DSM_OK; r++) {
    if (may_help(&rows[r], asked, shares)) {
      status = try_change(&rows[r], asked, changes);
    }
  }
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* at_rate.c: requests that arrive at an instance: their simulation, and the fewest instances for a
 * rate where prefill and decode are disaggregated. */
#include "serve/serving_instance.h"

dsm_status dsm__instance_simulate(dsm_serving *to, const dsm__instance *instance,
                                  const dsm_serving_times *times, bool has_arrivals) {
  const dsm_serving_options *const options = &to->options;
  const dsm_serving_lengths *const trace = options->lengths;
  const bool is_open = to->fleet.instances > 0;
  const uint64_t each = is_open ? to->fleet.instances : 1;
  const uint64_t asked = options->simulated_requests;
  const uint64_t comes = has_arrivals ? 1 + (trace->count - 1) / each : asked;
  const dsm_serving_scenario scenario = {
      .times = times,
      .input_tokens = options->input_tokens,
      .new_tokens = instance->of->new_tokens,
      .lengths = trace != NULL ? trace->items : NULL,
      .length_count = trace != NULL ? trace->count : 0,
      .has_arrivals = has_arrivals,
      .every = each,
      .running = is_open || to->best.requests > instance->most ? instance->most : to->best.requests,
      .rate = is_open ? options->rate / (double)each : 0,
      .cache_tokens = (double)instance->most * (double)instance->of->end,
      .requests = comes < asked ? comes : asked,
      .seed = options->seed,
      .ttft_seconds = options->ttft_seconds,
      .tpot_seconds = options->tpot_seconds};
  return dsm_serving_simulate(&to->simulation, &scenario);
}

/* The fewest instances of a kind that meet its limit, each with an equal part of the requests; the
 * more there are, the smaller is the part. 0: `most` are too few. */
static uint64_t fewest(const dsm_serving_options *options, const dsm_serving_times *times,
                       bool is_prefill, uint64_t most, double transfer, dsm_serving_state *state) {
  uint64_t low = 0;
  uint64_t high = most + 1;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    const double rate = options->rate / (double)middle;
    dsm_serving_state tried;
    bool is_enough =
        dsm_serving_open_apart(&tried, times, is_prefill ? rate : 0, is_prefill ? 0 : rate);
    if (is_enough) {
      tried.ttft_seconds = is_prefill ? tried.ttft_seconds + transfer : 0;
      tried.tpot_seconds = is_prefill ? 0 : tried.tpot_seconds;
      is_enough = dsm__serving_is_within(options, &tried);
    }
    if (is_enough) {
      *state = tried;
      high = middle;
    } else {
      low = middle;
    }
  }
  return high <= most ? high : 0;
}

void dsm__apart_at_rate(dsm_serving *to, const dsm__instance *prefill, const dsm__instance *decode,
                        const dsm_serving_times *times, double transfer) {
  const dsm_serving_options *const options = &to->options;
  dsm_serving_state first;
  dsm_serving_state later;
  const uint64_t chips = options->chips;
  const uint64_t prefills = fewest(options, times, true, chips / prefill->chips, transfer, &first);
  const uint64_t decodes = fewest(options, times, false, chips / decode->chips, transfer, &later);
  const uint64_t used = prefills * prefill->chips + decodes * decode->chips;
  if (prefills == 0 || decodes == 0 || used > chips ||
      (to->apart.prefill_instance != NULL && used >= to->apart.split.chips)) {
    return;
  }
  to->apart = (dsm_serving_apart){.prefill_instance = prefill->name,
                                  .decode_instance = decode->name,
                                  .requests = decode->most,
                                  .split = {.prefill_instances = prefills,
                                            .decode_instances = decodes,
                                            .chips = used,
                                            .running = later.running,
                                            .requests_per_second = options->rate,
                                            .tpot_seconds = later.tpot_seconds},
                                  .transfer_seconds = transfer,
                                  .ttft_seconds = first.ttft_seconds,
                                  .chip_tokens_per_second = (double)options->output_tokens *
                                                            options->rate / (double)used};
}

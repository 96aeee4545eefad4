/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serving_data.c: what serving gives: its document (format "dsm-serving/1", and CSV), a text and a
 * page. */
#include <math.h>

#include "base/companion.h"
#include "base/element_types.h"
#include "dsm/limits.h"
#include "report/answer.h"
#include "report/data/records.h"
#include "serve/plot_serving.h"
#include "serve/serving_instance.h"

#define READ (DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED)
#define SECONDS(struct_type, member, key, flags, about)                                            \
  DSM__FIELD(REAL, struct_type, member, key, DSM__FIELD_IS_READ | (flags), .unit = "seconds",      \
             .help = (about))
#define RATE(struct_type, member, key, flags, about)                                               \
  DSM__FIELD(REAL, struct_type, member, key, DSM__FIELD_IS_READ | (flags), .unit = "1/s",          \
             .help = (about))
#define COUNT(struct_type, member, key, flags, about)                                              \
  DSM__FIELD(COUNT, struct_type, member, key, READ | (flags), .min = 1, .max = DSM_PRODUCT_MAX,    \
             .help = (about))
#define NAME(struct_type, member, about)                                                           \
  DSM__FIELD(TEXT, struct_type, member, "instance", READ | DSM__COLUMN | DSM__CHOSEN,              \
             .max = DSM_TEXT_BYTES_MAX, .help = (about))

#define TPOT(struct_type, member, flags)                                                           \
  DSM__FIELD(REAL, struct_type, member, "tpot_seconds",                                            \
             DSM__FIELD_IS_READ | DSM__LESS | DSM__OPTIONAL | (flags), .fallback = (double)NAN,    \
             .unit = "seconds", .help = "Between two later ones; absent: there are none.")
#define TTFT(struct_type, member, flags)                                                           \
  SECONDS(struct_type, member, "ttft_seconds", DSM__LESS | DSM__FIELD_IS_REQUIRED | (flags),       \
          "To the first token of a request, on average.")

#define PART(member, key, about)                                                                   \
  SECONDS(dsm_serving_parts, member, key, DSM__COLUMN | DSM__LESS | DSM__FIELD_IS_REQUIRED, about)

DSM__OWN_RECORD(parts_record, dsm_serving_parts, true, "What the seconds of a step go to.",
                PART(weights, "weights_seconds", "Of a step: reading weights from memory."),
                PART(cache, "cache_seconds", "Of a step: reading the KV cache from memory."),
                PART(products, "products_seconds", "Of a step: products, and transfers on chip."),
                PART(collectives, "collectives_seconds",
                     "Of a step: links between chips, and their latency."),
                PART(others, "others_seconds",
                     "Of a step: normalisations, activations and their like."),
                PART(overhead, "overhead_seconds", "Of a step: starts of kernels."),
                PART(host, "host_seconds", "Of a step: the host, which schedules and samples."));

DSM__OWN_RECORD(
    point_record, dsm_serving_point, true, "An instance with a batch.",
    NAME(dsm_serving_point, instance,
         "Its chips along each axis that has several, or along the innermost."),
    COUNT(dsm_serving_point, chips, "chips", DSM__COLUMN, "Of the instance."),
    COUNT(dsm_serving_point, requests, "requests", DSM__COLUMN, "That run together."),
    RATE(dsm_serving_point, user_tokens_per_second, "user_tokens_per_second",
         DSM__COLUMN | DSM__MORE | DSM__UNLESS_0,
         "Of a user, 1 / TPOT; absent: there are no later tokens."),
    RATE(dsm_serving_point, chip_tokens_per_second, "chip_tokens_per_second",
         DSM__COLUMN | DSM__MORE | DSM__UNLESS_0, "Tokens of answers; absent: there are none."),
    RATE(dsm_serving_point, chip_requests_per_second, "chip_requests_per_second",
         DSM__COLUMN | DSM__MORE | DSM__FIELD_IS_REQUIRED, "Requests that a chip serves."),
    DSM__FIELD(REAL, dsm_serving_point, million_dollars, "dollars_per_million_tokens",
               DSM__FIELD_IS_READ | DSM__COLUMN | DSM__LESS | DSM__UNLESS_0, .unit = "$",
               .help = "Hours of chips for tokens of answers; absent: no prices are stated."),
    TTFT(dsm_serving_point, ttft_seconds, DSM__COLUMN),
    TPOT(dsm_serving_point, tpot_seconds, DSM__COLUMN),
    SECONDS(dsm_serving_point, request_seconds, "request_seconds",
            DSM__COLUMN | DSM__LESS | DSM__FIELD_IS_REQUIRED, "To its last token."),
    SECONDS(dsm_serving_point, decode_seconds, "decode_seconds",
            DSM__COLUMN | DSM__LESS | DSM__UNLESS_0, "Of a decode step; absent: there is none."),
    SECONDS(dsm_serving_point, prefill_seconds, "prefill_seconds",
            DSM__COLUMN | DSM__LESS | DSM__FIELD_IS_REQUIRED, "Of a prefill."),
    SECONDS(dsm_serving_point, chunked_seconds, "chunked_seconds",
            DSM__COLUMN | DSM__LESS | DSM__UNLESS_0,
            "Of a step with a chunk (chunked prefill); absent: there is none."),
    DSM__FIELD(REAL, dsm_serving_point, memory_bytes, "memory_bytes",
               READ | DSM__COLUMN | DSM__LESS, .unit = "bytes",
               .help = "Of a chip, with the caches of all requests at their ends."),
    DSM__FIELD(REAL, dsm_serving_point, gap, "gap", READ | DSM__COLUMN | DSM__ASIDE,
               .unit = "ratio", .help = "How far steps are above their optimum at most."),
    DSM__FIELD(TEXT, dsm_serving_point, bound, "bound", READ | DSM__COLUMN | DSM__CHOSEN,
               .max = DSM_NAME_BYTES_MAX,
               .help = "What most of a step is spent on: of a decode, or else of the prefill."),
    DSM__FIELD(WORD, dsm_serving_point, limit, "limit", READ | DSM__COLUMN | DSM__CHOSEN,
               .words = &dsm__serving_limit_words,
               .help = "What the next larger batch that was explored does not meet."),
    DSM__FIELD(TEXT, dsm_serving_point, split, "split", READ | DSM__COLUMN | DSM__CHOSEN,
               .max = DSM_TEXT_BYTES_MAX, .help = "How chips share the step: TP, EP, DP and CP."),
    DSM__FIELD(TEXT, dsm_serving_point, prefill_split, "prefill_split",
               DSM__FIELD_IS_READ | DSM__COLUMN | DSM__CHOSEN | DSM__OPTIONAL,
               .max = DSM_TEXT_BYTES_MAX, .stated_if = DSM__IF(dsm_serving_point, prefill_split),
               .help = "The same of a prefill; absent: that is the step."),
    DSM__PART(dsm_serving_point, parts, parts_record));

#define WAYS(member, key, about)                                                                   \
  DSM__FIELD(RECORD, dsm_serving_engine, ways.member, key, DSM__FIELD_IS_READ,                     \
             .type = &shares_record, .stated_if = DSM__IF(dsm_serving_engine, ways.member.tensor), \
             .help = (about))
#define TYPE(member, key, about)                                                                   \
  DSM__FIELD(WORD, dsm_serving_engine, member, key, READ | DSM__CHOSEN,                            \
             .words = &dsm__element_type_words, .help = (about))

DSM__OWN_RECORD(shares_record, dsm_serving_shares, true, "How many chips share layers, and how.",
                COUNT(dsm_serving_shares, tensor, "tensor", DSM__CHOSEN,
                      "TP: heads, or features of weights."),
                COUNT(dsm_serving_shares, expert, "expert", DSM__CHOSEN, "EP: experts."),
                COUNT(dsm_serving_shares, data, "data", DSM__CHOSEN, "DP: requests."),
                COUNT(dsm_serving_shares, context, "context", DSM__CHOSEN, "CP: positions."));

DSM__OWN_RECORD(
    engine_record, dsm_serving_engine, false, "What an engine is told, for `dsm export`.",
    DSM__FIELD(TEXT, dsm_serving_engine, network, "network", READ | DSM__ASKED,
               .max = DSM_NAME_BYTES_MAX, .help = "Its name."),
    NAME(dsm_serving_engine, instance, "Chips of one instance, as of points."),
    COUNT(dsm_serving_engine, instances, "instances", DSM__FIGURE,
          "1, or with a rate as many as it needs."),
    COUNT(dsm_serving_engine, chips, "chips", DSM__FIGURE, "Of one."),
    COUNT(dsm_serving_engine, requests, "requests", DSM__FIGURE,
          "That run together on one at most."),
    COUNT(dsm_serving_engine, positions, "positions", DSM__ASKED, "Of the longest at its end."),
    DSM__FIELD(REAL, dsm_serving_engine, memory_ratio, "memory_ratio", READ | DSM__ASKED, .max = 1,
               .unit = "ratio", .help = "Share of a chip's memory that it uses."),
    TYPE(weights, "weights", "Type of weights; any: it is not a usual one."),
    TYPE(activations, "activations", "The same of activations."),
    TYPE(cache, "cache", "The same of the KV cache."),
    WAYS(attention, "attention", "How chips share attentions."),
    WAYS(dense, "dense", "The same of layers with weights that all tokens use."),
    WAYS(experts, "experts", "The same of layers with experts."));

DSM__OWN_RECORD(
    change_record, dsm_serving_change, true,
    "The instance of the best point with one thing otherwise, at its best batch.",
    DSM__FIELD(TEXT, dsm_serving_change, change, "change", READ | DSM__CHOSEN,
               .max = DSM_TEXT_BYTES_MAX, .help = "What is changed."),
    COUNT(dsm_serving_change, requests, "requests", DSM__FIGURE, "That run together then."),
    RATE(dsm_serving_change, chip_tokens_per_second, "chip_tokens_per_second",
         DSM__MORE | DSM__UNLESS_0, "Tokens of answers; absent: there are none."),
    RATE(dsm_serving_change, chip_requests_per_second, "chip_requests_per_second",
         DSM__MORE | DSM__FIELD_IS_REQUIRED, "Requests that a chip serves."),
    TTFT(dsm_serving_change, ttft_seconds, 0), TPOT(dsm_serving_change, tpot_seconds, 0),
    DSM__FIELD(REAL, dsm_serving_change, bill, "bill", READ | DSM__LESS, .unit = "ratio",
               .help = "Chips for as many requests a second, over those without a change."));

DSM__OWN_RECORD(
    fleet_record, dsm_serving_fleet, false, "Equal instances for a rate of requests.",
    COUNT(dsm_serving_fleet, instances, "instances", DSM__LESS, "How many."),
    COUNT(dsm_serving_fleet, chips, "chips", DSM__LESS, "Of all of them."),
    NAME(dsm_serving_fleet, instance, "Chips of one, as of points."),
    DSM__FIELD(REAL, dsm_serving_fleet, load, "load",
               DSM__FIELD_IS_READ | DSM__FIGURE | DSM__UNLESS_0, .unit = "ratio",
               .help = "The rate over the largest that they serve. Above 0.8 times are longer."),
    DSM__FIELD(REAL, dsm_serving_fleet, state.running, "running", DSM__FIELD_IS_READ | DSM__FIGURE,
               .unit = "requests", .help = "Requests in a decode step of one, on average."),
    TTFT(dsm_serving_fleet, state.ttft_seconds, 0), TPOT(dsm_serving_fleet, state.tpot_seconds, 0),
    SECONDS(dsm_serving_fleet, state.request_seconds, "request_seconds",
            DSM__LESS | DSM__FIELD_IS_REQUIRED, "To its last token."));

DSM__OWN_RECORD(
    apart_record, dsm_serving_apart, false, "Prefill and decode on instances of their own.",
    DSM__FIELD(TEXT, dsm_serving_apart, prefill_instance, "prefill_instance", READ | DSM__CHOSEN,
               .max = DSM_TEXT_BYTES_MAX, .help = "Chips of one that prefills, as of points."),
    COUNT(dsm_serving_apart, split.prefill_instances, "prefill_instances", DSM__FIGURE,
          "How many."),
    DSM__FIELD(TEXT, dsm_serving_apart, decode_instance, "decode_instance", READ | DSM__CHOSEN,
               .max = DSM_TEXT_BYTES_MAX, .help = "Chips of one that decodes, as of points."),
    COUNT(dsm_serving_apart, split.decode_instances, "decode_instances", DSM__FIGURE, "How many."),
    COUNT(dsm_serving_apart, split.chips, "chips", DSM__FIGURE, "Of all of them."),
    COUNT(dsm_serving_apart, requests, "requests", DSM__FIGURE,
          "That run together on one that decodes, at most."),
    DSM__FIELD(REAL, dsm_serving_apart, split.running, "running", READ | DSM__FIGURE,
               .unit = "requests", .help = "The same on average."),
    RATE(dsm_serving_apart, split.requests_per_second, "requests_per_second",
         DSM__MORE | DSM__FIELD_IS_REQUIRED, "That all of them serve."),
    RATE(dsm_serving_apart, chip_tokens_per_second, "chip_tokens_per_second",
         DSM__MORE | DSM__FIELD_IS_REQUIRED, "Tokens of answers, of a chip that is used."),
    SECONDS(dsm_serving_apart, transfer_seconds, "transfer_seconds",
            DSM__LESS | DSM__FIELD_IS_REQUIRED,
            "For the KV cache of a request's input to move to a decode instance."),
    SECONDS(dsm_serving_apart, ttft_seconds, "ttft_seconds", DSM__LESS | DSM__FIELD_IS_REQUIRED,
            "To the first token, with it."),
    SECONDS(dsm_serving_apart, split.tpot_seconds, "tpot_seconds",
            DSM__LESS | DSM__FIELD_IS_REQUIRED, "Between later ones."));

DSM__OWN_RECORD(spread_record, dsm_serving_spread, false, "A time over all requests.",
                SECONDS(dsm_serving_spread, mean, "mean_seconds",
                        DSM__LESS | DSM__FIELD_IS_REQUIRED, "Mean of all requests."),
                SECONDS(dsm_serving_spread, p50, "p50_seconds", DSM__LESS | DSM__FIELD_IS_REQUIRED,
                        "What half of the requests do not exceed."),
                SECONDS(dsm_serving_spread, p90, "p90_seconds", DSM__LESS | DSM__FIELD_IS_REQUIRED,
                        "What 90 % of the requests do not exceed."),
                SECONDS(dsm_serving_spread, p99, "p99_seconds", DSM__LESS | DSM__FIELD_IS_REQUIRED,
                        "What 99 % of the requests do not exceed."));

#define SPREAD(member, key, about)                                                                 \
  DSM__FIELD(RECORD, dsm_serving_simulation, member, key, READ, .type = &spread_record,            \
             .expected = "a mean and percentiles", .help = (about))

DSM__OWN_RECORD(
    simulation_record, dsm_serving_simulation, false,
    "Requests event by event, at an instance of the fleet or of the best point.",
    COUNT(dsm_serving_simulation, requests, "requests", DSM__FIGURE, "That were measured."),
    SPREAD(ttft, "ttft", "To the first token."),
    DSM__FIELD(RECORD, dsm_serving_simulation, tpot, "tpot", DSM__FIELD_IS_READ,
               .type = &spread_record,
               .stated_if = DSM__IF_ABOVE(dsm_serving_simulation, tpot.p99, 0),
               .help = "Between later ones; absent: there are none."),
    SPREAD(request, "request", "To the last token."),
    RATE(dsm_serving_simulation, requests_per_second, "requests_per_second",
         DSM__MORE | DSM__FIELD_IS_REQUIRED, "That end."),
    RATE(dsm_serving_simulation, good_requests_per_second, "good_requests_per_second",
         DSM__MORE | DSM__FIELD_IS_REQUIRED, "Goodput: of these within both limits."),
    DSM__FIELD(COUNT, dsm_serving_simulation, preemptions, "preemptions", READ | DSM__FIGURE,
               .max = DSM_PRODUCT_MAX,
               .help = "Times that a request left a full cache, to be prefilled again."));

typedef struct document {
  dsm_serving of;
  const char *best_limit; /* for people */
} document;

#define TOKENS(member, key, least, about)                                                          \
  DSM__FIELD(COUNT, document, of.member, key, READ | DSM__ASKED, .min = (least),                   \
             .max = DSM_SIDE_MAX, .unit = "tokens", .help = (about))

DSM__OWN_ANSWER(
    serving_record, document, "dsm-serving/1", "What serving a language model gives", "dsm serve",
    DSM__FIELD(TEXT, document, of.name, "name", READ | DSM__ASKED, .max = DSM_TEXT_BYTES_MAX,
               .help = "Of the workload and the system."),
    TOKENS(options.input_tokens, "input_tokens", 1, "Of a request."),
    TOKENS(options.output_tokens, "output_tokens", 0, "Of its answer; 0: it has none."),
    DSM__FIELD(COUNT, document, of.cached_tokens, "cached_tokens", DSM__FIELD_IS_READ,
               .max = DSM_SIDE_MAX, .unit = "tokens",
               .help = "Prefix caching: of the input that are in the KV cache already."),
    COUNT(document, of.options.prefill_batch, "prefill_batch", DSM__ASKED,
          "Requests that are prefilled together, at most."),
    DSM__FIELD(
        COUNT, document, of.options.chunk_tokens, "chunk_tokens",
        DSM__FIELD_IS_READ | DSM__ASKED | DSM__UNLESS_0, .max = DSM_SIDE_MAX, .unit = "tokens",
        .help =
            "Chunked prefill: of a prompt, in a step with decodes; absent: prefills are whole."),
    DSM__FIELD(COUNT, document, of.options.speculated_tokens, "speculated_tokens",
               DSM__FIELD_IS_READ | DSM__ASKED | DSM__UNLESS_0, .max = DSM_SIDE_MAX,
               .unit = "tokens",
               .help = "Speculative decoding: those that a decode step checks; absent: none."),
    DSM__FIELD(REAL, document, of.options.acceptance, "acceptance",
               DSM__FIELD_IS_READ | DSM__ASKED | DSM__UNLESS_0, .max = 1, .unit = "ratio",
               .help = "Acceptance rate of these, if those before are accepted; absent: 0."),
    DSM__FIELD(TEXT, document, of.draft, "draft", DSM__FIELD_IS_READ | DSM__ASKED | DSM__OPTIONAL,
               .max = DSM_TEXT_BYTES_MAX,
               .help = "The workload that guesses them; absent: heads of the network itself."),
    DSM__FIELD(REAL, document, of.tokens_per_step, "tokens_per_step", READ | DSM__FIGURE,
               .unit = "tokens", .help = "Of a request, that a decode step makes on average."),
    COUNT(document, of.options.chips, "most_chips", DSM__ASKED, "Chips that there are."),
    SECONDS(document, of.options.ttft_seconds, "ttft_limit_seconds", DSM__UNLESS_0 | DSM__ASKED,
            "Longest time to the first token; absent: any."),
    SECONDS(document, of.options.tpot_seconds, "tpot_limit_seconds", DSM__UNLESS_0 | DSM__ASKED,
            "Longest time between later ones; absent: any."),
    RATE(document, of.options.rate, "rate", DSM__UNLESS_0 | DSM__ASKED,
         "Requests that arrive; absent: as many as can be served."),
    DSM__FIELD(REAL, document, of.options.gap, "gap", READ | DSM__ASKED, .max = 1, .unit = "ratio",
               .help = "Within which the front was to be proven, relative."),
    DSM__FIELD(REAL, document, of.reached_gap, "reached_gap", READ | DSM__ASIDE, .unit = "ratio",
               .help = "Within which the front is proven, relative."),
    DSM__FIELD(COUNT, document, of.explorations, "explorations", READ | DSM__ASIDE,
               .max = DSM_PRODUCT_MAX, .help = "Steps that were explored."),
    DSM__FIELD(REAL, document, of.cache_bytes_per_token, "cache_bytes_per_token",
               DSM__FIELD_IS_READ | DSM__LESS | DSM__UNLESS_0, .unit = "bytes",
               .help = "What a token of a request adds, on all chips; absent: there is no cache."),
    DSM__FIELD(REAL, document, of.cache_bytes_per_request, "cache_bytes_per_request",
               DSM__FIELD_IS_READ | DSM__LESS | DSM__UNLESS_0, .unit = "bytes",
               .help = "Of one at its end; likewise."),
    DSM__FIELD(RECORD, document, of.best, "best", READ, .type = &point_record,
               .expected = "the point with most requests a chip",
               .help = "The point with most requests a second a chip."),
    DSM__FIELD(RECORD, document, of.fleet, "fleet", DSM__FIELD_IS_READ, .type = &fleet_record,
               .stated_if = DSM__IF(document, of.fleet.instances),
               .help = "With a rate: the fewest chips that serve it."),
    DSM__FIELD(RECORD, document, of.simulation, "simulated", DSM__FIELD_IS_READ,
               .type = &simulation_record, .stated_if = DSM__IF(document, of.simulation.requests),
               .help = "With --simulate: what requests meet one by one."),
    DSM__FIELD(RECORD, document, of.apart, "disaggregated", DSM__FIELD_IS_READ,
               .type = &apart_record, .stated_if = DSM__IF(document, of.apart.requests),
               .help = "With --disaggregate: most requests of all chips; absent: nothing is within "
                       "the limits."),
    DSM__FIELD(RECORD, document, of.engine, "engine", READ, .type = &engine_record,
               .expected = "what an engine is told",
               .help = "How to run it: the fleet with a rate, or else the best point."),
    DSM__FIELD(LIST, document, of.changes, "changes", DSM__FIELD_IS_READ | DSM__UNLESS_0,
               .count_offset = offsetof(document, of.change_count), .type = &change_record,
               .max = DSM_SWEEP_POINTS_MAX,
               .help = "What one thing otherwise would save, the most first, and nothing last."),
    DSM__FIELD(LIST, document, of.points, "points", READ,
               .count_offset = offsetof(document, of.point_count), .type = &point_record, .min = 1,
               .max = DSM_SWEEP_POINTS_MAX, .expected = "the points of the front",
               .help = "The front within the limits, the fastest for a user first."));

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  static const char *const limits[DSM_SERVING_LIMIT_COUNT] = {
      [DSM_SERVING_LIMIT_NONE] = "More requests serve no more tokens",
      [DSM_SERVING_LIMIT_MEMORY] = "More requests do not fit the memory",
      [DSM_SERVING_LIMIT_TTFT] = "More requests wait too long for their first token",
      [DSM_SERVING_LIMIT_TPOT] = "With more requests later tokens take too long"};
  const dsm_serving *const serving = answer->of;
  (void)page;
  *(document *)to = (document){.of = *serving,
                               .best_limit = serving->best.requests == DSM_SERVING_BATCH_MAX
                                                 ? "More requests are not tried"
                                                 : limits[serving->best.limit]};
}

/* ---- for people ---- */

DSM__OWN_RECORD(shown_record, document, false, "An answer with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &serving_record},
                DSM__SAID(TEXT, document, best_limit));

#define HAS_TOKENS DSM__IF_ABOVE(document, of.best.user_tokens_per_second, 0)
#define HAS_CACHE DSM__IF_ABOVE(document, of.cache_bytes_per_token, 0)

static const dsm__fact facts[] = {
    DSM__FACT("requests", "{input_tokens} token{input_tokens;s} in{cached_tokens?, "
                          "{cached_tokens} of them cached|}, {output_tokens} out"),
    DSM__FACT_IF("cache",
                 "{cache_bytes_per_token:=} bytes a token, {cache_bytes_per_request} a "
                 "request at its end",
                 HAS_CACHE),
    DSM__FACT_IF("draft",
                 "{speculated_tokens} token{speculated_tokens;s} ahead{draft?, made by {draft}|}: "
                 "{tokens_per_step:4} tokens a step",
                 DSM__IF(document, of.options.speculated_tokens)),
    DSM__FACT("limits", "{ttft_limit_seconds?TTFT {ttft_limit_seconds:m4} "
                        "ms|}{tpot_limit_seconds?{ttft_limit_seconds?, |}TPOT "
                        "{tpot_limit_seconds:m4} ms|}"),
    DSM__FACT("most",
              "{best.chip_tokens_per_second?{best.chip_tokens_per_second:4} tokens/s a "
              "chip, |}{best.chip_requests_per_second:4} requests/s a chip: instances of "
              "{best.chips} chip{best.chips;s}, {best.requests} "
              "request{best.requests;s} at a time. {best_limit}; most of a step is spent on "
              "{best.bound}"),
    DSM__FACT_IF("split", "{best.split}{best.prefill_split?; prefill {best.prefill_split}|}",
                 DSM__IF_ABOVE(document, of.best.chips, 1)),
    DSM__FACT("step", "{best.weights_seconds:m4} ms for weights, {best.cache_seconds:m4} cache, "
                      "{best.products_seconds:m4} products, {best.collectives_seconds:m4} "
                      "collectives, {best.others_seconds:m4} other operations, "
                      "{best.overhead_seconds:m4} starts of kernels, {best.host_seconds:m4} host"),
    DSM__FACT_IF(
        "rate",
        "{rate:~6} requests/s need {fleet.chips} of {most_chips} chips: {fleet.instances} "
        "instance{fleet.instances;s} ({fleet.instance}){fleet.load?, at {fleet.load:%1} % of "
        "the most that they serve|}; TTFT {fleet.ttft_seconds:m4} "
        "ms{fleet.tpot_seconds?, TPOT {fleet.tpot_seconds:m4} ms|}",
        DSM__IF(document, of.fleet.instances)),
    DSM__FACT_IF("by event",
                 "{simulated.requests} request{simulated.requests;s}: TTFT "
                 "{simulated.ttft.mean_seconds:m4} ms, P50 {simulated.ttft.p50_seconds:m4}, P90 "
                 "{simulated.ttft.p90_seconds:m4}, P99 "
                 "{simulated.ttft.p99_seconds:m4}{simulated.tpot?; TPOT "
                 "{simulated.tpot.mean_seconds:m4} ms, P50 {simulated.tpot.p50_seconds:m4}, P90 "
                 "{simulated.tpot.p90_seconds:m4}, P99 {simulated.tpot.p99_seconds:m4}|}; "
                 "{simulated.requests_per_second:4} requests/s, "
                 "{simulated.good_requests_per_second:4} within the limits, "
                 "{simulated.preemptions} preemption{simulated.preemptions;s}",
                 DSM__IF(document, of.simulation.requests)),
    DSM__FACT_IF("apart",
                 "{disaggregated.chip_tokens_per_second:4} tokens/s a chip, "
                 "{disaggregated.requests_per_second:4} requests/s of {disaggregated.chips} of "
                 "{most_chips} chips: {disaggregated.prefill_instances} "
                 "instance{disaggregated.prefill_instances;s} to prefill "
                 "({disaggregated.prefill_instance}), {disaggregated.decode_instances} to decode "
                 "({disaggregated.decode_instance}) {disaggregated.requests} requests at a time; "
                 "TTFT {disaggregated.ttft_seconds:m4} ms, of which "
                 "{disaggregated.transfer_seconds:m4} ms to move the cache, TPOT "
                 "{disaggregated.tpot_seconds:m4} ms",
                 DSM__IF(document, of.apart.requests)),
    DSM__FACT("proven", "the front is at most {reached_gap:%2} % below the optimum, "
                        "{explorations} step{explorations;s} explored"),
};

static const dsm__table_column columns[] = {
    DSM__COLUMN_OF("instance", "{instance}", .is_name = true),
    DSM__NUMBERS("chips", "{chips}"),
    DSM__NUMBERS("requests", "{requests}"),
    DSM__COLUMN_OF("tokens/s user", "{user_tokens_per_second:4|}", .is_right = true,
                   .is_optional = true),
    DSM__COLUMN_OF("tokens/s chip", "{chip_tokens_per_second:4|}", .is_right = true,
                   .is_optional = true),
    DSM__COLUMN_OF("requests/s chip", "{chip_requests_per_second:4}", .is_right = true, .rank = 3),
    DSM__COLUMN_OF("$/Mtoken", "{dollars_per_million_tokens:4|}", .is_right = true,
                   .is_optional = true),
    DSM__NUMBERS("TTFT ms", "{ttft_seconds:m4}"),
    DSM__COLUMN_OF("TPOT ms", "{tpot_seconds:m4|}", .is_right = true, .is_optional = true),
    DSM__COLUMN_OF("decode ms", "{decode_seconds:m4|}", .is_right = true, .is_optional = true,
                   .rank = 1),
    DSM__COLUMN_OF("chunk ms", "{chunked_seconds:m4|}", .is_right = true, .is_optional = true,
                   .rank = 1),
    DSM__COLUMN_OF("memory", "{memory_bytes}", .is_right = true, .rank = 2),
    DSM__COLUMN_OF("bound", "{bound}", .rank = 1),
    DSM__COLUMN_OF("split", "{split}", .rank = 1),
};
static const dsm__row_table points = {
    .list = "points", DSM__COLUMNS(columns), .most = 20, .is_spread = true};

static const dsm__table_column change_columns[] = {
    DSM__COLUMN_OF("change", "{change}", .is_name = true),
    DSM__NUMBERS("requests", "{requests}"),
    DSM__COLUMN_OF("tokens/s chip", "{chip_tokens_per_second:4|}", .is_right = true,
                   .is_optional = true),
    DSM__COLUMN_OF("requests/s chip", "{chip_requests_per_second:4}", .is_right = true, .rank = 3),
    DSM__NUMBERS("TTFT ms", "{ttft_seconds:m4}"),
    DSM__COLUMN_OF("TPOT ms", "{tpot_seconds:m4|}", .is_right = true, .is_optional = true),
    DSM__NUMBERS("bill %", "{bill:+1}"),
};
static const dsm__row_table changes = {.list = "changes", DSM__COLUMNS(change_columns)};

static const dsm__section sections[] = {
    {.id = "summary", .title = "Summary", DSM__FACTS(facts)},
    {.id = "front",
     .title = "Front of a user's tokens and a chip's",
     .heading = "What a user and what a chip gets, and the batch that gives it",
     .table = &points},
    {.id = "bill",
     .title = "What would change the bill",
     .heading = "What would change the bill: chips for as many requests, with one thing otherwise",
     .table = &changes,
     .is_optional = true},
    {.id = "users",
     .title = "Users against chips",
     .when = {HAS_TOKENS},
     .draw = dsm__plot_serving_front,
     .label = "Tokens a second of a chip over those of a user, a line an instance. The table of "
              "the front has the numbers.",
     .caption = "The dark square is the row with most tokens a chip. Point at one for its batch."},
    {.id = "steps",
     .title = "What a token takes",
     .when = {HAS_TOKENS},
     .draw = dsm__plot_serving_steps,
     .label = "Milliseconds between two tokens over requests that run together, by what they go "
              "to.",
     .caption = "Batches of {best.instance} that are on the front."},
};

static const dsm__layout layout = {.type = &shown_record,
                                   .heading = "{name}",
                                   .title = "{name}",
                                   .subtitle = "what serving gives",
                                   .series = 8,
                                   DSM__SECTIONS(sections)};

/* ---- read, to be shown and compared ---- */

static void read_serving(void *made, const dsm__json_node *root) {
  dsm_serving *const serving = made;
  const dsm__record_reader reader = {.arena = serving->arena, .wanted = DSM__FIELD_IS_READ};
  document read_back = {.of = *serving};
  if (dsm__document_only(root, &serving_record) &&
      dsm__record_read(&reader, root, &serving_record, &read_back)) {
    *serving = read_back.of;
  }
}

DSM__READ_BY(dsm_serving, dsm_serving_free,
             dsm__json_doc_read(from, diags, read_serving, made = DSM__ARENA_OWNER(dsm_serving)));

const dsm_answer_kind dsm_answer_serving = {
    .record = &serving_record,
    .fill = fill,
    .tables = {"points"},
    .layout = &layout,
    .figures = {{"front", dsm__plot_serving_front, dsm__serving_has_tokens, "tokens of answers"},
                {"steps", dsm__plot_serving_steps, dsm__serving_has_tokens, "tokens of answers"}},
    .read = read,
    .discard = discard,
    .judged = {
        .paths = {"best.chip_requests_per_second", "best.tpot_seconds", "best.ttft_seconds"}}};

static const dsm__limit limits[] = {DSM__LIMIT(DSM_SERVING_BATCH_MAX),
                                    DSM__LIMIT(DSM_SERVING_REQUESTS_MAX),
                                    DSM__LIMIT(DSM_SERVING_LENGTHS_MAX)};
static const dsm__words *const words[] = {&dsm__serving_limit_words};

const dsm__companion dsm__companion_serve = {.kinds = {&dsm_answer_serving},
                                             .formats = {&serving_record},
                                             DSM__LIMITS(limits),
                                             DSM__WORD_LISTS(words)};

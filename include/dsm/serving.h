/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * serving.h: what steps of a language model mean to the people who wait for its tokens.
 *
 * An *instance* works on one batch of running requests (continuous batching). Each request has a
 * prefill, which makes its first token, and takes part in decode steps, each of which makes one
 * token of each running request. While somebody waits for a prefill and memory allows it, the
 * prefill goes first. From the times of these steps follow the time to the first token (TTFT), the
 * time between two later ones (TPOT), and how many requests are served (docs/serving.md).
 *
 * All times are in seconds, all rates in 1/s.
 */
#ifndef DSM_SERVING_H
#define DSM_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/element_type.h"
#include "dsm/plan.h"
#include "dsm/status.h"
#include "dsm/strategy.h"
#include "dsm/system.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- steady state ---- */

/** Seconds of a step by the requests in it: known for some numbers of requests, linear between
 * them, and below the first as at the first. No step has more than the last: it would take for
 * ever. */
typedef struct dsm_serving_curve {
  const double *requests; /**< rising; len = count */
  const double *seconds;  /**< len = count */
  size_t count;
} dsm_serving_curve;

/** How long the steps of an instance take. */
typedef struct dsm_serving_times {
  uint64_t output_tokens;   /**< O: of a request, its first one included; 0 and 1: no decode */
  double prefill_seconds;   /**< of `prefill_batch` requests */
  double prefill_batch;     /**< requests that are prefilled together, on average: 1 or more */
  dsm_serving_curve decode; /**< D: a decode step of so many running requests */
  uint64_t chunks; /**< k: chunks of a prefill, each in a step with decodes; 0: a prefill is
                        a step of its own */
  dsm_serving_curve chunked; /**< X: a step with a chunk, beside so many decodes; with chunks */
  double tokens_per_step;    /**< that a decode step makes of a request, on average, 1 or more; 0:
                                  1 */
} dsm_serving_times;

/** Speculative decoding: tokens that a decode step makes on average if it checks K of a draft, each
 * accepted with the chance a, 0 to 1, if those before it are: (1 - a^(K+1)) / (1 - a). */
DSM_API double dsm_serving_tokens_per_step(uint64_t speculated, double acceptance);

/** An instance in the long run. */
typedef struct dsm_serving_state {
  double running;             /**< requests in a decode step, on average */
  double ttft_seconds;        /**< from its arrival to the first token of a request, on average */
  double tpot_seconds;        /**< between two later ones; NaN: requests have none */
  double request_seconds;     /**< to its last token */
  double requests_per_second; /**< that are served */
  double requests_in_system;  /**< running, prefilled or waiting */
} dsm_serving_state;

/** `requests`, 1 or more, are always there: one that ends is replaced at once. */
DSM_API dsm_serving_state dsm_serving_closed(const dsm_serving_times *times, double requests);

/** A benchmark of equal requests, `requests` of them at a time, whose O is above 1. It begins with
 * all at once, and each place has `waves` of them, 1 or more: one that ends is replaced at once.
 * The first wave is prefilled in groups of `prefill_batch`, one in each step, beside which requests
 * decode. A group ends together, so the next one of its size takes its place together. By then the
 * host has launched another step (engines launch one ahead), for which it waits. */
DSM_API dsm_serving_state dsm_serving_benchmark(const dsm_serving_times *times, double requests,
                                                double waves);

/** Requests arrive at random (Poisson), `rate` a second on average, above 0. False: the instance
 * cannot serve so many in the long run, or more would run together than the tables hold. */
DSM_API bool dsm_serving_open(dsm_serving_state *state, const dsm_serving_times *times,
                              double rate);

/** The largest rate that an instance serves in the long run with batches that the table of decode
 * steps holds. */
DSM_API double dsm_serving_largest_rate(const dsm_serving_times *times);

/** Disaggregated serving: instances that only prefill, and others that only decode. */
typedef struct dsm_serving_split {
  uint64_t prefill_instances;
  uint64_t decode_instances;
  uint64_t chips;             /**< of both */
  double running;             /**< requests in a decode step of one, on average */
  double requests_per_second; /**< of all */
  double tpot_seconds;
} dsm_serving_split;

/** Finds the most requests a second that `chips` chips serve at most, and the fewest chips that
 * serve as many. `times` has the prefill of an instance of `prefill_chips`, and the decode steps of
 * one of `decode_chips`, which runs at most `requests`. O is above 1. False: one instance of each
 * already has more chips. Exact, over all numbers of instances. */
DSM_API bool dsm_serving_divide(dsm_serving_split *split, const dsm_serving_times *times,
                                uint64_t prefill_chips, uint64_t decode_chips, double requests,
                                uint64_t chips);

/** Requests arrive at random: `prefill_rate` a second at each prefill instance, and from there
 * `decode_rate` at each decode instance. Fills TTFT, as of prefills alone, and TPOT and the running
 * requests, as of decode steps alone. O is above 1. False: more arrive than are served, or than the
 * table holds. */
DSM_API bool dsm_serving_open_apart(dsm_serving_state *state, const dsm_serving_times *times,
                                    double prefill_rate, double decode_rate);

/* ---- event by event ---- */

/** A request of a trace. */
typedef struct dsm_serving_length {
  uint64_t input_tokens;  /**< 1 or more */
  uint64_t output_tokens; /**< 1 or more */
  double arrival_seconds; /**< in a trace with arrivals; they never fall */
} dsm_serving_length;

/** Most requests of a trace. */
#define DSM_SERVING_LENGTHS_MAX 100000

/** A trace. */
typedef struct dsm_serving_lengths {
  const dsm_serving_length *items;
  size_t count; /**< 1 or more */
  bool has_arrivals;

  struct dsm__arena *arena; /**< private */
} dsm_serving_lengths;

/**
 * Reads a trace of comma-separated values named `file` in findings: a line with the names of
 * columns, input_tokens, output_tokens and, if it is known, arrival_seconds, then one for each
 * request. Other columns are passed over. *lengths belongs to the caller. DSM_ERROR_INVALID with
 * one finding, and NULL: a column is missing, a line has another number of fields or a value out of
 * range, or there are no requests or more than DSM_SERVING_LENGTHS_MAX. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_serving_lengths_parse(dsm_serving_lengths **lengths,
                                                           const char *text, size_t length,
                                                           const char *file, dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_serving_lengths_free(dsm_serving_lengths *lengths);

/** What is simulated: an instance, and the requests that come to it. */
typedef struct dsm_serving_scenario {
  const dsm_serving_times *times;
  uint64_t input_tokens; /**< of a request of `times`; all have as many, and as many of output, if
                              there is no trace */
  uint64_t new_tokens;   /**< of these, which a prefill of `times` works on, 1 or more; the time of
                              other prefills is proportional to their tokens (an assumption) */
  const dsm_serving_length *lengths; /**< a trace: drawn at random, or with arrivals in order; NULL:
                                          none */
  size_t length_count;
  bool has_arrivals;   /**< the trace says when requests come; `rate` is above 0 then */
  uint64_t every;      /**< only each so-many-th request of the trace comes here; 1: all do */
  uint64_t running;    /**< requests that are always there, or with a rate the most that run at a
                            time; `times` has decode steps for as many */
  double rate;         /**< requests a second, at random; 0: one that ends is replaced at once */
  double cache_tokens; /**< tokens for which the memory has a KV cache */
  uint64_t requests;   /**< that are measured, 1 or more */
  uint64_t seed;
  double ttft_seconds; /**< of a request that counts as good; 0: any */
  double tpot_seconds;
} dsm_serving_scenario;

/** A mean, and what half, 90 % and 99 % of the requests do not exceed; NaN: there are none. */
typedef struct dsm_serving_spread {
  double mean;
  double p50;
  double p90;
  double p99;
} dsm_serving_spread;

/** What a simulation found. */
typedef struct dsm_serving_simulation {
  uint64_t requests; /**< that were measured; 0: nothing was simulated */
  dsm_serving_spread ttft;
  dsm_serving_spread tpot; /**< of requests with more than one token */
  dsm_serving_spread request;
  double requests_per_second;
  double good_requests_per_second; /**< goodput: of these within both limits */
  uint64_t preemptions;            /**< times that a request left the full cache */
} dsm_serving_simulation;

/** Simulates an instance event by event. First come, first served: while the first request that
 * waits has room, its prefill goes before decodes, or one of its chunks in each step. Where the
 * cache is full, the request that was admitted last is preempted, and prefilled again later.
 * DSM_ERROR_OUT_OF_MEMORY. */
DSM_API DSM_NODISCARD dsm_status dsm_serving_simulate(dsm_serving_simulation *simulated,
                                                      const dsm_serving_scenario *scenario);

/* ---- instances ---- */

/** Most requests of a batch that are tried. */
#define DSM_SERVING_BATCH_MAX 65536

/** Most requests that are simulated. */
#define DSM_SERVING_REQUESTS_MAX 1000000

/** Most new tokens that are prefilled together by default: TensorRT-LLM's default of
 * max_num_tokens, and what vLLM and SGLang take on GPUs of today. */
#define DSM_SERVING_PREFILL_TOKENS 8192

/** The question. */
typedef struct dsm_serving_options {
  uint64_t input_tokens;  /**< of a request, 1 or more */
  uint64_t output_tokens; /**< of its answer; 0: it has none, as of an encoder */
  double prefix_hit;      /**< prefix caching: share of the input in the KV cache already, 0 to 1 */
  uint64_t prefill_batch; /**< requests that are prefilled together; 0: as many as end in the same
                               step, with at most DSM_SERVING_PREFILL_TOKENS new tokens; of those
                               that arrive at random or evenly 1 */
  dsm_parallelism_set parallelisms; /**< that steps may have, and */
  dsm_role_set roles[DSM_AXES_MAX]; /**< roles along the system's axes: as in dsm_explore_options */
  const uint64_t *requests; /**< only these numbers of requests, on all chips; NULL: the front. They
                                 are borrowed during the call, NULL in an answer */
  size_t request_count;
  double waves; /**< with them: a benchmark (dsm_serving_benchmark) with so many for each place; 1:
                     nothing but the beginning. Memory holds the caches of requests at their mean
                     context, not at their ends. 0: a run without a beginning */
  uint64_t chunk_tokens;      /**< chunked prefill: of a prompt that share a step with decodes; 0: a
                                   prefill is a step of its own. With an answer of more than one token */
  uint64_t speculated_tokens; /**< speculative decoding: that a decode step checks; 0: none */
  double acceptance;          /**< acceptance rate: the chance of each of them, 0 to 1 */
  const dsm_workload *draft;  /**< guesses them one by one; borrowed during the call; NULL: heads of
                                   the network itself do, which are among its layers */
  double gap;            /**< relative distance from the optimum within which the front is proven,
                              above 0 to 1 */
  const char *instances; /**< "gpu=1,2,4": chips of instances along axes, divisors of these; NULL:
                              of one chip, then along ever more axes, each whole before the next */
  double ttft_seconds;   /**< longest mean time to the first token; 0: any */
  double tpot_seconds;   /**< longest mean time between later ones; 0: any */
  double rate;           /**< requests a second that are to be served; 0: as many as can be */
  uint64_t chips;        /**< at most; 0: those of the system */
  const dsm_serving_lengths *lengths; /**< requests whose means take the place of input_tokens and
                                           output_tokens, and with arrivals of a rate that is not
                                           given; borrowed during the call; NULL: none */
  uint64_t simulated_requests;        /**< requests of a simulation, at an instance of the fleet, or
                                         without        a rate at the best point; 0: none */
  uint64_t seed;                      /**< of the simulation's random numbers */
  bool has_changes;      /**< look for what would make the best instance cheaper, too */
  bool is_disaggregated; /**< look for prefill and decode on instances of their own, too; with an
                              answer of more than one token */
} dsm_serving_options;

/** The only place of defaults: 1024 tokens in, 256 out, a gap of 5 %, no limits, a seed of 1. */
DSM_API void dsm_serving_options_init(dsm_serving_options *options);

/** What stops a larger batch. */
typedef enum dsm_serving_limit {
  DSM_SERVING_LIMIT_NONE = 0, /**< nothing: it only makes fewer tokens, or makes them slower */
  DSM_SERVING_LIMIT_MEMORY,
  DSM_SERVING_LIMIT_TTFT,
  DSM_SERVING_LIMIT_TPOT,
  DSM_SERVING_LIMIT_COUNT
} dsm_serving_limit;

/** "none", "memory", "ttft" or "tpot". Never NULL. */
DSM_API const char *dsm_serving_limit_name(dsm_serving_limit limit);

/** How many chips share layers, and how: each is 1 or more. All 0: there are no such layers. */
typedef struct dsm_serving_shares {
  uint64_t tensor;  /**< TP: heads, or features of weights */
  uint64_t expert;  /**< EP: experts */
  uint64_t data;    /**< DP: requests */
  uint64_t context; /**< CP: positions */
} dsm_serving_shares;

/** How chips share a step: as in most of the time of its layers. */
typedef struct dsm_serving_ways {
  dsm_serving_shares attention;
  dsm_serving_shares dense;   /**< layers with weights that all tokens use */
  dsm_serving_shares experts; /**< layers with experts */
} dsm_serving_ways;

/** Where the seconds of a step go; the parts add up to it. */
typedef struct dsm_serving_parts {
  double weights;     /**< reading weights from memory */
  double cache;       /**< reading the KV cache from memory */
  double products;    /**< products, and transfers on chip */
  double collectives; /**< links between chips, with their latency */
  double others;      /**< normalisations, activations and their like */
  double overhead;    /**< starts of kernels */
  double host;        /**< the host, which schedules and samples */
} dsm_serving_parts;

/** An instance with a batch. */
typedef struct dsm_serving_point {
  const char *instance; /**< its chips along each axis that has several, "gpu=8"; "gpu=1" */
  uint64_t chips;       /**< of it */
  uint64_t requests;    /**< that run together */
  double user_tokens_per_second; /**< 1 / TPOT; 0: no request has more than one token */
  double chip_tokens_per_second; /**< tokens of answers; 0: there are none */
  double chip_requests_per_second;
  double million_dollars; /**< of a million tokens of answers: hours of the chips, with energy at
                             full use; 0: the system states no prices, or there are no tokens */
  double ttft_seconds;
  double tpot_seconds; /**< NaN: no request has more than one token */
  double request_seconds;
  double decode_seconds;     /**< a step of it; 0: there is none */
  double prefill_seconds;    /**< of options.prefill_batch requests, or of all where these are
                                  fewer; in chunks: of all of these */
  double chunked_seconds;    /**< a step that carries a chunk, beside all other requests; 0: none */
  double memory_bytes;       /**< of a chip, with the caches of all requests at their ends */
  double gap;                /**< of both steps: at most so much above the optimum, relative */
  const char *bound;         /**< what most of the step (decode, or the prefill) is spent on */
  const char *split;         /**< how chips share it, in words: "TP 8" */
  const char *prefill_split; /**< the same of the prefill, beside a decode step */
  dsm_serving_parts parts;   /**< what it goes to */
  dsm_serving_limit limit;
} dsm_serving_point;

/** How to set an engine so that it runs an instance as the answer has it. */
typedef struct dsm_serving_engine {
  const char *network;
  const char *instance;     /**< as of points */
  uint64_t instances;       /**< 1, or with a rate as many as it needs */
  uint64_t chips;           /**< of one */
  uint64_t requests;        /**< that run together on it at most */
  uint64_t positions;       /**< of the longest request at its end */
  double memory_ratio;      /**< of a chip's memory that it uses */
  dsm_serving_ways ways;    /**< of its steps */
  dsm_element_type weights; /**< any: the type is not stated, and has no usual width */
  dsm_element_type activations;
  dsm_element_type cache;
} dsm_serving_engine;

/** The instance of the best point with one change, at its best batch within the limits. */
typedef struct dsm_serving_change {
  const char *change; /**< what, in words */
  uint64_t requests;  /**< that run together then */
  double chip_tokens_per_second;
  double chip_requests_per_second;
  double ttft_seconds;
  double tpot_seconds; /**< NaN: no request has more than one token */
  double bill;         /**< chips for as many requests a second, over those without a change */
} dsm_serving_change;

/** Equal instances that serve a request rate. */
typedef struct dsm_serving_fleet {
  uint64_t instances;
  uint64_t chips; /**< of all of them */
  const char *instance;
  dsm_serving_state state; /**< of an instance, to which its part of the requests comes */
  double load; /**< the rate over the largest that they serve (dsm_serving_largest_rate); above 0.8
                    the state is not that of a simulation: requests wait until others end */
} dsm_serving_fleet;

/** Disaggregated serving: prefill and decode on instances of their own. */
typedef struct dsm_serving_apart {
  const char *prefill_instance;
  const char *decode_instance;
  uint64_t requests; /**< of a decode instance, at most */
  dsm_serving_split split;
  double transfer_seconds;       /**< to move the KV cache of a request's input */
  double ttft_seconds;           /**< with it */
  double chip_tokens_per_second; /**< of the chips that are used */
} dsm_serving_apart;

/** An answer. */
typedef struct dsm_serving {
  const char *name; /**< of the workload and the system */
  dsm_serving_options options;
  uint64_t cached_tokens;         /**< of the input */
  double cache_bytes_per_token;   /**< that is added by a token of a request, on all chips */
  double cache_bytes_per_request; /**< at its end */
  double tokens_per_step;         /**< that a decode step makes of a request */
  const char *draft;              /**< name of the draft model; NULL: none */
  uint64_t explorations;
  double reached_gap;              /**< within which the front is proven */
  const dsm_serving_point *points; /**< the front within the limits, the fastest for a user first */
  size_t point_count;
  dsm_serving_point best;    /**< most tokens (or requests) a second a chip within the limits */
  dsm_serving_engine engine; /**< that of the fleet where there is a rate, else of the best point */
  const dsm_serving_change *changes; /**< the one that saves most first; no change is last */
  size_t change_count;
  dsm_serving_fleet fleet; /**< fewest chips for the rate; instances 0: no rate was asked for */
  dsm_serving_simulation simulation; /**< requests 0: it was not asked for */
  dsm_serving_apart apart; /**< instances NULL: not asked for, or nothing is within the limits */

  struct dsm__arena *arena; /**< private */
} dsm_serving;

/**
 * Serves a workload on instances of a system: all of its chips, or equal parts of them, the
 * innermost axis first. Each decode step and prefill is explored, with a bound; the front of
 * tokens a second for a user against those a second for a chip is proven within options->gap for
 * all batches. Steps of a batch run at a context of the input and half of the answer; the memory
 * holds all requests at their ends, with 10 % of the capacity in reserve at least (an assumption).
 * *serving belongs to the caller. DSM_ERROR_USAGE: an option is out of its range.
 * DSM_ERROR_INVALID: the network generates nothing (dsm_workload_phase). DSM_ERROR_INFEASIBLE: it
 * does not fit, or no instance meets the limits or the rate; a finding says what would.
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_serve(dsm_serving **serving, const dsm_workload *workload,
                                           const dsm_system *system,
                                           const dsm_serving_options *options, dsm_diags *diags);

/**
 * Explores one decode step of so many requests, or a prefill where nothing is decoded, on the last
 * of the instances of dsm_serve with these options: the largest one. Its memory keeps room for the
 * caches of these requests at their ends. *plan belongs to the caller. Errors are those of
 * dsm_serve.
 */
DSM_API DSM_NODISCARD dsm_status dsm_serve_step(dsm_plan **plan, const dsm_workload *workload,
                                                const dsm_system *system,
                                                const dsm_serving_options *options,
                                                uint64_t requests, dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_serving_free(dsm_serving *serving);

#ifdef __cplusplus
}
#endif

#endif

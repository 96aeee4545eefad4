/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * serving.h: what steps of a language model mean to the people who wait for its tokens.
 *
 * An *instance* works on one batch of running requests: each has a prefill, which makes its first
 * token, and takes part in decode steps, which make one token of each. While somebody waits for a
 * prefill and memory allows, that goes first. From what these steps take follow the time to the
 * first token (TTFT), that between two later ones (TPOT), and how many requests are served
 * (docs/serving.md).
 *
 * All times are in seconds, all rates in 1/s.
 */
#ifndef DSM_SERVING_H
#define DSM_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/status.h"
#include "dsm/strategy.h"
#include "dsm/system.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- steady state ---- */

/** Seconds of a step by the requests in it: known for some numbers of requests, linear between
 * them, below the first as there; beyond the last it has none, and takes for ever. */
typedef struct dsm_serving_curve {
  const double *requests; /**< rising; len = count */
  const double *seconds;  /**< len = count */
  size_t count;
} dsm_serving_curve;

/** What an instance takes. */
typedef struct dsm_serving_times {
  uint64_t output_tokens;   /**< O: of a request, its first one included; 0 and 1: no decode */
  double prefill_seconds;   /**< of `prefill_batch` requests */
  double prefill_batch;     /**< requests that are prefilled together, on average: 1 or more */
  dsm_serving_curve decode; /**< D: a decode step of so many running requests */
  uint64_t chunks;          /**< k: parts of a prefill, each in a step of running requests; 0: it is
                                 a step of its own */
  dsm_serving_curve chunked; /**< X: such a step, beside so many running requests; with chunks */
} dsm_serving_times;

/** What it does in the long run. */
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

/** Requests arrive at random (Poisson), `rate` a second on average, above 0. False: these are more
 * than are served in the long run, or more would run together than the tables hold. */
DSM_API bool dsm_serving_open(dsm_serving_state *state, const dsm_serving_times *times,
                              double rate);

/** The largest rate that is served in the long run, by batches that the table of decode steps
 * holds. */
DSM_API double dsm_serving_largest_rate(const dsm_serving_times *times);

/** Instances that only prefill, and others that only decode. */
typedef struct dsm_serving_split {
  uint64_t prefill_instances;
  uint64_t decode_instances;
  uint64_t chips;             /**< of both */
  double running;             /**< requests in a decode step of one, on average */
  double requests_per_second; /**< of all */
  double tpot_seconds;
} dsm_serving_split;

/** Most requests a second of at most so many chips, with as few of them as do as many: `times` has
 * the prefill of an instance of `prefill_chips`, and decode steps of one of `decode_chips`, which
 * has at most `requests`. O is above 1. False: an instance of each has more chips. Exact, over all
 * numbers of instances. */
DSM_API bool dsm_serving_divide(dsm_serving_split *split, const dsm_serving_times *times,
                                uint64_t prefill_chips, uint64_t decode_chips, double requests,
                                uint64_t chips);

/* ---- instances ---- */

/** Most requests of a batch that are tried. */
#define DSM_SERVING_BATCH_MAX 65536

/** New tokens that are prefilled together, unless it is said otherwise: max_num_tokens of
 * TensorRT-LLM has this default, and vLLM and SGLang take as many on GPUs of today. */
#define DSM_SERVING_PREFILL_TOKENS 8192

/** What is asked. */
typedef struct dsm_serving_options {
  uint64_t input_tokens;  /**< of a request, 1 or more */
  uint64_t output_tokens; /**< of its answer; 0: it has none, as of an encoder */
  double prefix_hit;      /**< share of the input that is in the cache already, 0 to 1 */
  uint64_t prefill_batch; /**< requests that are prefilled together; 0: those that ended in the
                               same step, as many as have DSM_SERVING_PREFILL_TOKENS new tokens at
                               most; of those that arrive at random or evenly 1 */
  dsm_parallelism_set parallelisms; /**< of steps, and */
  dsm_role_set roles[DSM_AXES_MAX]; /**< of the system's axes, as in dsm_explore_options */
  const uint64_t *requests; /**< only these numbers of requests, on all chips; NULL: the front. They
                                 are borrowed during the call, NULL in an answer */
  size_t request_count;
  double waves; /**< with them: requests that each place has in a run, which begins with all of them
                     at once; 0: the run has no beginning, 1: nothing but it */
  double gap;   /**< relative distance from the optimum within which the front is proven,
                     above 0 to 1 */
  double ttft_seconds;   /**< longest mean time to the first token; 0: any */
  double tpot_seconds;   /**< longest mean time between later ones; 0: any */
  double rate;           /**< requests a second that are to be served; 0: as many as can be */
  uint64_t chips;        /**< at most; 0: those of the system */
  bool is_disaggregated; /**< prefills on instances of their own are looked for too; with an answer
                              of more than one token */
} dsm_serving_options;

/** The only place of defaults: 1024 tokens in, 256 out, a gap of 5 %, no limits. */
DSM_API void dsm_serving_options_init(dsm_serving_options *options);

/** What more requests of a batch meet first. */
typedef enum dsm_serving_limit {
  DSM_SERVING_LIMIT_NONE = 0, /**< nothing: they only serve fewer tokens, or slower */
  DSM_SERVING_LIMIT_MEMORY,
  DSM_SERVING_LIMIT_TTFT,
  DSM_SERVING_LIMIT_TPOT,
  DSM_SERVING_LIMIT_COUNT
} dsm_serving_limit;

/** "none", "memory", "ttft" or "tpot". Never NULL. */
DSM_API const char *dsm_serving_limit_name(dsm_serving_limit limit);

/** An instance with a batch. */
typedef struct dsm_serving_point {
  const char *instance; /**< its chips along each axis that has several, "gpu=8"; "gpu=1" */
  uint64_t chips;       /**< of it */
  uint64_t requests;    /**< that run together */
  double user_tokens_per_second; /**< 1 / TPOT; 0: no request has more than one token */
  double chip_tokens_per_second; /**< tokens of answers; 0: there are none */
  double chip_requests_per_second;
  double ttft_seconds;
  double tpot_seconds; /**< NaN: no request has more than one token */
  double request_seconds;
  double decode_seconds;  /**< a step of it; 0: there is none */
  double prefill_seconds; /**< of options.prefill_batch requests, or of all where these are fewer */
  double memory_bytes;    /**< of a chip, with the caches of all requests at their ends */
  double gap;             /**< of both steps: at most so much above the optimum, relative */
  const char *bound;      /**< what most of the step (decode, or the prefill) is spent on */
  dsm_serving_limit limit;
} dsm_serving_point;

/** So many equal instances for a rate. */
typedef struct dsm_serving_fleet {
  uint64_t instances;
  uint64_t chips; /**< of all of them */
  const char *instance;
  dsm_serving_state state; /**< of an instance, to which its part of the requests comes */
} dsm_serving_fleet;

/** Prefill and decode on instances of their own, with most requests a second of all chips. */
typedef struct dsm_serving_apart {
  const char *prefill_instance;
  const char *decode_instance;
  uint64_t requests; /**< of a decode instance, at most */
  dsm_serving_split split;
  double transfer_seconds;       /**< of the cache of a request's input, over a link */
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
  uint64_t explorations;
  double reached_gap;              /**< within which the front is proven */
  const dsm_serving_point *points; /**< the front within the limits, the fastest for a user first */
  size_t point_count;
  dsm_serving_point best;  /**< most tokens (or requests) a second a chip within the limits */
  dsm_serving_fleet fleet; /**< fewest chips for the rate; instances 0: no rate was asked for */
  dsm_serving_apart
      apart; /**< instance NULL: it was not asked for, or nothing is within the limits */

  struct dsm__arena *arena; /**< private */
} dsm_serving;

/**
 * Serves a workload on instances of a system: all of its chips, or equal parts of them, the
 * innermost axis first. Each decode step and prefill is explored, with a bound; the front of
 * tokens a second for a user against those a second for a chip is proven within options->gap for
 * all batches. Steps of a batch run at a context of the input and half of the answer; the memory
 * holds all requests at their ends, with 10 % of the capacity in reserve at least (an assumption).
 * *serving belongs to the caller. DSM_ERROR_USAGE: the options are none. DSM_ERROR_INVALID: the
 * network generates nothing (dsm_workload_phase). DSM_ERROR_INFEASIBLE: it does not fit, or no
 * instance meets the limits or the rate; a finding says what would. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_serve(dsm_serving **serving, const dsm_workload *workload,
                                           const dsm_system *system,
                                           const dsm_serving_options *options, dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_serving_free(dsm_serving *serving);

#ifdef __cplusplus
}
#endif

#endif

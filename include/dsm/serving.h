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
  uint64_t prefill_batch;   /**< requests that are prefilled together: 1 or more */
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

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serving_instance.h: how long steps of an instance take, each explored when first needed. */
#ifndef DSM_SERVE_SERVING_INSTANCE_H
#define DSM_SERVE_SERVING_INSTANCE_H

#include "base/arena.h"
#include "base/growing_list.h"
#include "base/words.h"
#include "dsm/explore.h"
#include "dsm/serving.h"

extern const dsm__words dsm__serving_limit_words;

/** The phases of a request, and what its cache takes. */
typedef struct dsm__serving_request {
  const dsm_serving_options *options;
  uint64_t prefill_most;       /**< requests that are prefilled together at most */
  bool is_batch_asked;         /**< the user asks for just so many */
  dsm_workload *prefill;       /**< of one of these */
  dsm_workload *decode;        /**< at the mean context; NULL: there is none */
  const dsm_workload *network; /**< as it is described; borrowed */
  uint64_t cached_tokens;      /**< of the input */
  uint64_t new_tokens;         /**< of the input: those that are not in the cache */
  uint64_t context;            /**< of decode steps */
  uint64_t end;                /**< context for which a request has room: that at its end, or in a
                                    benchmark the mean */
  uint64_t chunks;             /**< of a prefill; 0: it is a step of its own */
  uint64_t chunk_tokens;       /**< of each */
  dsm_workload *draft;         /**< NULL: there is none */
  double draft_weights_bytes;
  double draft_cache_bytes; /**< of a request at its end */
  double cache_bytes;       /**< at `end` */
  double added_bytes;       /**< to it by a token */
  double growth;            /**< a request's cache at its end over that at the mean context */
} dsm__serving_request;

/** A step. */
typedef struct dsm__serving_step {
  bool fits;
  double seconds;
  double least_seconds;     /**< no plan takes less */
  double attention_seconds; /**< products of attentions, without starting kernels */
  double memory_bytes;      /**< of a chip, without caches of requests that have no part in it */
  const char *bound;
  const char *split; /**< how chips share it, in words */
  dsm_serving_ways ways;
  dsm_serving_parts parts;
} dsm__serving_step;

/** A batch whose step is known. */
typedef struct dsm__serving_batch {
  uint64_t requests;
  dsm__serving_step step;    /**< all zero: there is none */
  dsm__serving_step chunked; /**< with one decode fewer and a chunk; all zero without chunks */
} dsm__serving_batch;

typedef DSM__LIST(dsm__serving_batch) dsm__serving_batches;

/** A step that is to be explored. */
typedef struct dsm__serving_task {
  const dsm_workload *workload;
  double requests; /**< that the host has work with */
  double bytes;    /**< a chip, that others take */
  double growth;   /**< factor by which its own cache grows until its requests end */
} dsm__serving_task;

/** An instance. Its memory has room for the most requests that it can run; a prefill takes what
 * these leave. */
typedef struct dsm__instance {
  const dsm__serving_request *of;
  dsm_system system;
  const char *name;
  uint64_t chips;
  uint64_t most;                 /**< requests that fit; 0: not one does */
  uint64_t ceiling;              /**< requests of which more are not tried */
  uint64_t too_many;             /**< more than these, and known not to fit, or not to be tried */
  dsm__serving_batches batches;  /**< decode steps that were explored and fit, by requests */
  dsm__serving_batches prefills; /**< the same of prefills, beside the caches of `most` */
  dsm_explorer *explorer;        /**< borrowed, of all instances */
  dsm_diags *diags;              /**< borrowed: why a question cannot be explored */
  dsm__arena *arena;             /**< borrowed: of names and batches */
  uint64_t *explorations;        /**< counted there */
  dsm_plan **kept;               /**< where a copy of the last plan goes; NULL: nowhere */
} dsm__instance;

/** What requests of a trace are on average. */
typedef struct dsm__serving_means {
  uint64_t input_tokens;
  uint64_t output_tokens;
  uint64_t context; /**< over all decode steps */
  uint64_t end;     /**< of context, likewise */
  double rate;      /**< at which they come; 0: it is not known */
} dsm__serving_means;

/** The means of a trace. */
dsm__serving_means dsm__lengths_means(const dsm_serving_lengths *lengths);

/** Seconds of a step of so many requests. */
double dsm__curve_seconds(const dsm_serving_curve *curve, double requests);

/** Explores a step, unless it does not fit. */
DSM_NODISCARD dsm_status dsm__instance_step(dsm__instance *instance, dsm__serving_step *step,
                                            const dsm__serving_task *task);

/** How many chunks a prompt has, and of how many tokens. */
void dsm__chunks_begin(dsm__serving_request *request);

/** Explores a pass of so many decodes, whose attentions take so long, and a chunk. It may not fit.
 */
DSM_NODISCARD dsm_status dsm__chunks_explore(dsm__instance *instance, dsm__serving_step *step,
                                             uint64_t requests, double decode_attention_seconds);

/** A request of a network; options are borrowed. */
DSM_NODISCARD dsm_status dsm__serving_request_derive(dsm__serving_request *request,
                                                     const dsm_workload *workload,
                                                     const dsm_serving_options *options,
                                                     dsm_diags *diags);
void dsm__serving_request_fini(dsm__serving_request *request);

/** So many requests in the long run, in steps of a batch's time, or (is_least) of its bound. */
dsm_serving_state dsm__serving_state_of(const dsm__instance *instance,
                                        const dsm__serving_batch *batch, bool is_least,
                                        uint64_t requests);

/** How much of the limits a state takes: up to 1 it is within them. */
double dsm__serving_load(const dsm_serving_options *options, const dsm_serving_state *state);
bool dsm__serving_is_within(const dsm_serving_options *options, const dsm_serving_state *state);

/** The batch that serves most within limits. */
typedef struct dsm__best_batch {
  uint64_t requests; /**< 0: none is within them */
  dsm_serving_state state;
} dsm__best_batch;

/** Keeps the best of an instance, to within 2 % of a limit: times rise nearly evenly with requests.
 * `start` of them, which are a good guess, are tried too, unless they were the most (is_most). */
DSM_NODISCARD dsm_status dsm__best_batch_find(dsm__best_batch *best, dsm__instance *instance,
                                              const dsm_serving_options *options, uint64_t start,
                                              bool is_most);

/** The decode step of a draft, if there is one. */
DSM_NODISCARD dsm_status dsm__speculation_begin(dsm__serving_request *request, dsm_diags *diags);

/** Bytes of a chip that a draft takes, with so many requests at their ends. */
double dsm__draft_bytes(const dsm__instance *instance, double requests);

/** Adds the draft's steps to a batch of so many requests; its decode step says whether it fits. */
DSM_NODISCARD dsm_status dsm__speculation_add(dsm__instance *instance, dsm__serving_batch *batch,
                                              uint64_t requests);

/** Finds the most requests that fit, to within that share of them, and their prefill. */
DSM_NODISCARD dsm_status dsm__instance_provision(dsm__instance *instance, double share);

/** Takes as many requests as another instance has, which need no more memory, and finds the
 * prefill.
 */
DSM_NODISCARD dsm_status dsm__instance_provision_as(dsm__instance *instance,
                                                    const dsm__instance *like);

/** Explores the decode step of a batch, unless it is known. *batch is NULL if it does not fit. */
DSM_NODISCARD dsm_status dsm__instance_explore(dsm__instance *instance, uint64_t requests,
                                               const dsm__serving_batch **batch);

/** The plan of a step of so many requests, of a prefill where nothing is decoded; it belongs to the
 * caller, and to nothing of the instance. DSM_ERROR_INFEASIBLE, without a finding: it does not fit.
 */
DSM_NODISCARD dsm_status dsm__instance_plan(dsm__instance *instance, uint64_t requests,
                                            dsm_plan **plan);

/** Requests that are prefilled together, on average, while b run: those whose predecessors ended in
 * the same decode step. In a step lambda = b / (O - 1) end on average, by chance (Poisson); in a
 * step where any does, lambda / (1 - exp(-lambda)) do. */
double dsm__serving_together(const dsm__serving_request *of, uint64_t requests);

/** Explores the prefills of the two explored sizes around so many together, unless they are known.
 */
DSM_NODISCARD dsm_status dsm__instance_explore_prefill(dsm__instance *instance, double together);

/** The prefill of so many together, linear between the two sizes that were explored. */
dsm__serving_step dsm__instance_prefill_of(const dsm__instance *instance, double together);

#endif

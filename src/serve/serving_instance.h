/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serving_instance.h: what steps of an instance take, explored when they are first asked for. */
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
  dsm_workload *prefill; /**< of requests that are prefilled together */
  dsm_workload *decode;  /**< at the mean context; NULL: there is none */
  uint64_t cached_tokens;
  double cache_bytes; /**< at its end */
  double added_bytes; /**< to it by a token */
  double growth;      /**< the cache at its end over that at the mean context */
} dsm__serving_request;

/** A step. */
typedef struct dsm__serving_step {
  bool fits;
  double seconds;
  double least_seconds; /**< no plan takes less */
  double memory_bytes;  /**< of a chip, without caches of requests that have no part in it */
  const char *bound;
  const char *split; /**< how chips share it, in words */
  dsm_serving_ways ways;
  dsm_serving_parts parts;
} dsm__serving_step;

/** A batch whose decode step is known. */
typedef struct dsm__serving_batch {
  uint64_t requests;
  dsm__serving_step decode; /**< all zero: there is none */
} dsm__serving_batch;

/** An instance. Its memory is for the most requests that it can have: a prefill has what these
 * leave. */
typedef struct dsm__instance {
  const dsm__serving_request *of;
  dsm_system system;
  const char *name;
  uint64_t chips;
  uint64_t most;             /**< requests that fit; 0: not one does */
  uint64_t too_many;         /**< more than these, and known not to fit, or not to be tried */
  dsm__serving_step prefill; /**< of a request, beside them */
  DSM__LIST(dsm__serving_batch) batches; /**< that were explored and fit, by requests */
  dsm_explorer *explorer;                /**< borrowed, of all instances */
  dsm__arena *arena;                     /**< borrowed: of names and batches */
  uint64_t *explorations;                /**< counted there */
  dsm_plan **kept;                       /**< where a copy of the last plan goes; NULL: nowhere */
} dsm__instance;

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

bool dsm__serving_is_within(const dsm_serving_options *options, const dsm_serving_state *state);

/** Finds the most requests that fit, but for a share of them, and the prefill. */
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

#endif

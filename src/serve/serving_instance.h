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
  const dsm_serving_options *options; /**< whose prefill_batch is the most that go together, */
  bool is_batch_asked;                /**< as is asked for: so many do */
  dsm_workload *prefill;
  dsm_workload *decode; /**< at the mean context; NULL: there is none */
  double cache_bytes;   /**< at its end */
  double growth;        /**< these over those at the mean context */
} dsm__serving_request;

/** A step. */
typedef struct dsm__serving_step {
  bool fits;
  double seconds;
  double least_seconds; /**< no plan takes less */
  double memory_bytes;  /**< of a chip, without caches of requests that have no part in it */
  const char *bound;
} dsm__serving_step;

/** A batch whose step is known. */
typedef struct dsm__serving_batch {
  uint64_t requests;
  dsm__serving_step step; /**< all zero: there is none */
} dsm__serving_batch;

typedef DSM__LIST(dsm__serving_batch) dsm__serving_batches;

/** An instance. Its memory is for the most requests that it can have: a prefill has what these
 * leave. */
typedef struct dsm__instance {
  const dsm__serving_request *of;
  dsm_system system;
  const char *name;
  uint64_t chips;
  uint64_t most;                 /**< requests that fit; 0: not one does */
  uint64_t too_many;             /**< more than these, and known not to fit, or not to be tried */
  dsm__serving_batches batches;  /**< decode steps that were explored and fit, by requests */
  dsm__serving_batches prefills; /**< the same of prefills, beside the caches of `most` */
  dsm_explorer *explorer;        /**< borrowed, of all instances */
  dsm__arena *arena;             /**< borrowed: of names and batches */
  uint64_t *explorations;        /**< counted there */
} dsm__instance;

/** Finds the most requests that fit, below `too_many` and but for a share of them, and the prefill
 * beside these. */
DSM_NODISCARD dsm_status dsm__instance_provision(dsm__instance *instance, double share);

/** Explores the decode step of a batch, unless it is known. *batch is NULL if it does not fit. */
DSM_NODISCARD dsm_status dsm__instance_explore(dsm__instance *instance, uint64_t requests,
                                               const dsm__serving_batch **batch);

/** Requests that are prefilled together, on average, while so many run. Those go together that
 * ended in the same decode step: of so many b / (O - 1) do on average, by chance (Poisson), and
 * where some do as many as lambda / (1 - exp(-lambda)). */
double dsm__serving_together(const dsm__serving_request *of, uint64_t requests);

/** Explores prefills of so many together, unless they are known: of whole numbers around it. */
DSM_NODISCARD dsm_status dsm__instance_explore_prefill(dsm__instance *instance, double together);

/** The prefill of so many together, which was explored: between two numbers it rises evenly. */
dsm__serving_step dsm__instance_prefill_of(const dsm__instance *instance, double together);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search.h: the search for an answer of serving, in parts. */
#ifndef DSM_SERVE_SEARCH_H
#define DSM_SERVE_SEARCH_H

#include "serve/serving_instance.h"

/** Batches between two, of which the first is known. */
typedef struct dsm__batch_interval {
  size_t instance;
  uint64_t low;  /**< known */
  uint64_t high; /**< known, or too many */
} dsm__batch_interval;

/** What a batch gives. */
typedef struct dsm__coordinates {
  double user; /**< tokens a second; without later ones first tokens */
  double chip; /**< requests a second */
} dsm__coordinates;

/** A search, whose answer is `to`. */
typedef struct dsm__serving_search {
  dsm_serving *to;
  dsm__serving_request request;
  DSM__LIST(dsm__instance) instances;
  DSM__LIST(dsm__batch_interval) open;
  DSM__LIST(dsm__coordinates) known; /**< of batches within the limits */
  dsm_explorer *explorer;
  dsm__arena *arena; /**< the answer's */
  dsm_diags *diags;
  const dsm_serving_options *asked; /**< with batches that the user asks for; NULL: none */
  double chip_second_dollars;       /**< of the system; 0: it states no prices */
  double arriving;                  /**< requests that are prefilled together as they arrive */
  double largest_rate;              /**< of all chips, no matter the limits */
  bool has_arrivals;                /**< the rate is that of a trace */
  bool is_told;                     /**< a finding already says why there is no answer */
} dsm__serving_search;

/** Explores a batch of an instance by its place, and the prefills that go with it. *batch is NULL
 * if it does not fit. */
DSM_NODISCARD dsm_status dsm__serving_explore(dsm__serving_search *s, size_t instance,
                                              uint64_t requests, const dsm__serving_batch **batch);

/** What a million tokens of a chip that makes so many a second cost; 0: it is not known. */
double dsm__serving_million_dollars(const dsm__serving_search *s, double tokens_per_second);

/** The point of a batch of an instance; `index` is its place there. */
dsm_serving_point dsm__serving_point_of(const dsm__serving_search *s, const dsm__instance *instance,
                                        size_t index);

/** Finds the points of the batches that are asked for, on all chips. */
DSM_NODISCARD dsm_status dsm__serving_find_asked(dsm__serving_search *s);

/** The instance of that name; there is one. */
dsm__instance *dsm__serving_instance_called(const dsm__serving_search *s, const char *name);

/** Finds the fewest instances for the rate, if there is one. */
DSM_NODISCARD dsm_status dsm__serving_find_fleet(dsm__serving_search *s);

/** Finds disaggregated prefill and decode instances, if that is asked for. */
DSM_NODISCARD dsm_status dsm__serving_find_apart(dsm__serving_search *s, const dsm_system *system);

/** Reports that too few chips are there for the rate. */
DSM_NODISCARD dsm_status dsm__serving_refuse_rate(const dsm__serving_search *s);

/** Simulates as many requests as are asked for. */
DSM_NODISCARD dsm_status dsm__serving_simulate(dsm__serving_search *s);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reductions.h: sums of gradients, and ways back of weights, of several layers that are one
 * collective (section 5, model.fused_reductions). */
#ifndef DSM_PLAN_REDUCTIONS_H
#define DSM_PLAN_REDUCTIONS_H

#include <stddef.h>

#include "dsm/model.h"
#include "plan/plan_internal.h"

/** Collectives of the same kind along the same axes have the same members, and are one: their
 * number. */
enum { DSM__COLLECTIVE_COUNT = 3 << DSM_AXES_MAX, DSM__NO_COLLECTIVE = DSM__COLLECTIVE_COUNT };

/** What a layer pays of the collectives that it is in, and what counts of the rest. */
typedef struct dsm__reductions {
  double shares[DSM__COLLECTIVE_COUNT]; /**< of their latency */
  double weight;                        /**< of all that is left; 0: they take no time */
  double hidden[DSM_PASS_COUNT]; /**< of what each pass of the last micro-batch takes, how much does
                                      not count (section 13, overlapped reductions) */
} dsm__reductions;

/** The collectives that a layer is in; of the two groups, without latency as with it. */
typedef struct dsm__joined {
  unsigned sum_of_gradients;
  unsigned broadcast_weights;
} dsm__joined;

/** Gives a layer its part. */
void dsm__share_reductions(dsm_weight_traffic *traffic, const dsm__reductions *reductions);

/** The collectives of a mapping. */
typedef struct dsm__collectives {
  size_t layers[DSM__COLLECTIVE_COUNT];         /**< that are in it */
  double latency_cycles[DSM__COLLECTIVE_COUNT]; /**< 0 where no layer is */
} dsm__collectives;

/** Those of layers outside pipelines: a stage's chips sum nothing of other layers. `joined` (of
 * each layer; NULL: not asked for) becomes those that it is in. */
void dsm__collectives_derive(dsm__collectives *collectives, const dsm_workload *workload,
                             const dsm_machine *machine, dsm_mode mode,
                             const dsm__decisions *decisions, dsm__joined *joined);

/** The latency of all of them. */
double dsm__collectives_latency(const dsm__collectives *collectives);

/** Even shares: 1 in a collective that no layer is in. */
dsm__reductions dsm__even_shares(const dsm__collectives *collectives);

/** Each layer pays its own, but with a weight. */
dsm__reductions dsm__whole_shares(double weight);

#endif

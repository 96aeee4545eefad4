/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_REDUCTIONS_H
#define DSM_TESTS_TWIN_REDUCTIONS_H

/* Sums of gradients and ways back of weights (section 5): of a layer, and what layers outside
 * pipelines share (model.fused_reductions). */

#include "twin_cost.h"

typedef enum { TWIN_SUM, TWIN_WAY_BACK, TWIN_WAY_BACK_ALONE } twin_half_kind;

/* A half of an all-reduce: the sum, or its way back. */
typedef struct {
  bool exists;
  twin_half_kind kind;
  bool is_member[TWIN_MAX_AXES]; /* of more than one chip */
  double moving_cycles;          /* without latency */
  double latency_cycles;         /* the base included */
} twin_half;

/* The two halves of a layer with weights; false: it has none. */
bool twin_halves_of(twin_half halves[2], const twin_context *context, const twin_node *node,
                    const twin_parallelism parallelism[TWIN_PASS_COUNT]);

/* How a layer's gradients are summed. */
typedef struct {
  bool is_grouped; /* in a pipeline */
  twin_parallelism parallelism[TWIN_PASS_COUNT];
  /* Without what is priced here; of a pipeline those of the group, in one of its layers. */
  double update_cycles;
  double backward_cycles; /* after it */
} twin_summed_layer;

/* Are sums and ways back no part of the price of a pass? */
bool twin_halves_are_apart(const twin_system *system);

/* What each layer pays of them that passes do not have: where they are fused a part of the latency
 * of each half that several layers have in common; where they overlap what can be seen. 0 in
 * groups. len(layers) = len(cycles) = number of nodes */
void twin_price_reductions(double *cycles, const twin_context *context,
                           const twin_summed_layer *layers);

#endif

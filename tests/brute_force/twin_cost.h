/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_COST_H
#define DSM_TESTS_TWIN_COST_H

/*
 * The equations of model.md, sections 1 to 6 and 12, for one layer, pass, parallelism and split,
 * and for a whole network. Products of counts come first and divisions last, so that what is exact
 * in real arithmetic stays exact.
 */

#include "twin_input.h"

/* What a parallelism makes of the torus (section 3). */
typedef struct {
  double m;  /* chips along X */
  double n;  /* chips along Y */
  double nm; /* chips that share the features */
  double nd; /* chips that share the minibatch */
  bool x_is_data;
  bool y_is_data;
} twin_layout;

/* One invocation of one pass under one split. */
typedef struct {
  double split[TWIN_DIM_COUNT]; /* in, out, ij, kij, mb */
  double primary;               /* cycles */
  double overlapped;            /* cycles */
  double auxiliary;             /* cycles */
  double non_overlapped;        /* cycles: partial sums and backward rotation */
  double total;                 /* cycles */
  double core_bytes;            /* s_in + s_out + kcore, a tie-break */
} twin_invocation;

typedef struct {
  const twin_workload *workload;
  const twin_system *system;
  bool inference;
} twin_context;

twin_layout twin_layout_of(const twin_system *system, twin_parallelism parallelism);

bool twin_has_pass(const twin_node *node, twin_pass_kind pass, bool inference);

/* Invocations of a pass in a step: T, and 2 T for the backward pass of a matmul, whose operands
 * both get errors. */
double twin_invocation_count(const twin_node *node, twin_pass_kind pass);

/* Section 3: does no core stay idle along any dimension? */
bool twin_split_is_valid(const twin_context *context, const twin_node *node,
                         twin_parallelism parallelism, const double split[TWIN_DIM_COUNT]);

twin_invocation twin_invocation_of(const twin_context *context, const twin_node *node,
                                   twin_pass_kind pass, twin_parallelism parallelism,
                                   const double split[TWIN_DIM_COUNT]);

/* Cycles of gradient reduction, weight broadcast and weight update, once per full minibatch. */
double twin_weight_exchange_cycles(const twin_context *context, const twin_node *node,
                                   twin_parallelism parallelism);

/* Cycles, one way, of the change from `from` to `to` before the layer with index `boundary` (1..).
 */
double twin_relayout_cycles(const twin_context *context, size_t boundary, twin_parallelism from,
                            twin_parallelism to);

double twin_ideal_cycles(const twin_context *context);

/* Section 12, bytes per chip; len(sequence) = node_count. */
double twin_memory_bytes(const twin_context *context, const twin_parallelism *sequence);

#endif

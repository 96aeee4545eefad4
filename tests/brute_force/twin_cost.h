/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_COST_H
#define DSM_TESTS_TWIN_COST_H

/*
 * The equations of model.md, sections 2 to 8, 11 and 12, for one layer, pass, parallelism and
 * split, and for what happens once a step. Products of counts come first and divisions last, so
 * that what is exact in real arithmetic stays exact.
 */

#include "twin_network.h"
#include "twin_quantities.h"

/* One invocation of one pass under one split. */
typedef struct {
  double split[TWIN_DIM_COUNT]; /* in, out, ij, kij, mb */
  double primary;               /* cycles */
  double overlapped;            /* cycles */
  double auxiliary;             /* cycles */
  double non_overlapped;        /* cycles: sums and moves between cores, and backward rotation */
  double total;                 /* cycles */
  double core_bytes;            /* s_in + s_out + kcore, a tie-break */
  double kernel_bytes;          /* of the kernel where it can stay: kcore, or ker */
} twin_invocation;

typedef struct {
  const twin_workload *workload;
  const twin_system *system;
  bool inference;
} twin_context;

/* The circumstances of an invocation (sections 7 and 8). */
typedef struct {
  double samples;           /* S */
  double cap_bytes;         /* scratchpad of a core that is left */
  double free_bytes;        /* shared memory that is left */
  bool is_input_held;       /* in_h */
  bool is_output_held;      /* out_h */
  bool is_shortcut_held;    /* sh_h */
  double deferred_elements; /* per sample: output of the layer before, written now */
  bool accumulates;         /* update: adds to gradients that lie in memory */
  bool is_resident;         /* the whole kernel (update: the gradient) is on chip already */
} twin_condition; /* Where layout_move is "exact" there is more: see twin_layout_move_cycles(). */

/* A node is one of the context's workload. */
size_t twin_node_index(const twin_context *context, const twin_node *node);

/* Bytes of a partial sum: the system's word goes before the workload's. */
double twin_partial_sum_bytes(const twin_context *context);

/* Bytes of a sum that is not finished over those of what it becomes: of a gradient, as many as its
 * weight has, else of an element. */
double twin_sum_widening(const twin_context *context, const twin_node *node, twin_pass_kind pass);

/* mbc of an invocation with `samples` samples. */
double twin_samples_per_chip(twin_layout layout, double samples);

/* The whole minibatch at once, nothing held: an invocation of sections 3 to 5. */
twin_condition twin_plain_condition(const twin_context *context, const twin_node *node);

/* What cores read and write, wherever it lies: as if nothing were held. */
twin_condition twin_open_condition(const twin_condition *condition);

/* Section 3: does no core stay idle along any dimension? */
bool twin_split_is_valid(const twin_context *context, const twin_node *node,
                         twin_parallelism parallelism, const double split[TWIN_DIM_COUNT],
                         double samples);

twin_invocation twin_invocation_of(const twin_context *context, const twin_node *node,
                                   twin_pass_kind pass, twin_parallelism parallelism,
                                   const double split[TWIN_DIM_COUNT],
                                   const twin_condition *condition);

/*
 * Cycles of gradient reduction, weight broadcast and weight update, once per full minibatch, where
 * the gradients are in the layout `update` and the weights needed in `forward` and `backward`
 * (section 11; the latter is ignored where there is no backward pass). Of the last alone where the
 * others are priced for all layers together (twin_reductions.h).
 */
double twin_weight_exchange_cycles(const twin_context *context, const twin_node *node,
                                   const twin_parallelism parallelism[TWIN_PASS_COUNT]);

/* Cycles, one way, of the change from `from` to `to` before the layer with index `boundary` (1..).
 */
double twin_relayout_cycles(const twin_context *context, size_t boundary, twin_parallelism from,
                            twin_parallelism to);

/* Of the arrays, by the type of elements, over that of 16 bits. */
double twin_array_rate(const twin_context *context, const twin_node *node, twin_pass_kind pass);

double twin_ideal_cycles(const twin_context *context);

/* Section 12, bytes per chip. The need of a mapping is the sum of what its layers keep, the largest
 * of what they have for a while, and in training the network's input. */
double twin_kept_bytes(const twin_context *context, size_t layer, twin_parallelism forward);
/* Of the input products of all timesteps, where they are hoisted. */
double twin_hoisted_bytes(const twin_context *context, size_t layer, twin_parallelism forward);
/* Without the network's input. */
double twin_transient_bytes(const twin_context *context, size_t layer, twin_parallelism forward,
                            twin_parallelism backward);
double twin_network_input_bytes(const twin_context *context, twin_parallelism parallelism);
/* Inference: is the network's input still to be read when `layer` runs? */
bool twin_input_is_live(const twin_workload *workload, size_t layer);

/* With one parallelism a layer; len(sequence) = node_count. */
double twin_memory_bytes(const twin_context *context, const twin_parallelism *sequence);

#endif

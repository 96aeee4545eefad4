/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_PRICE_H
#define DSM_TESTS_TWIN_PRICE_H

/*
 * What a mapping costs. Everything is computed from the mapping alone; only the cycles of the best
 * core split of an invocation are remembered, since they are asked for again and again.
 */

#include "twin_space.h"
#include "twin_splits.h"

typedef enum {
  TWIN_INVOCATION_FIRST,      /* also the first of several spatial minibatches */
  TWIN_INVOCATION_ACCUMULATE, /* update of a later spatial minibatch */
  TWIN_INVOCATION_KIND_COUNT
} twin_invocation_kind;

/* Circumstances of an invocation: layer, pass, parallelism, factor, what is held before it, whether
 * its output is, and the kind. */
enum {
  TWIN_LIVE_SETS = 1 << (TWIN_MAX_LAYERS - 1),
  TWIN_MEMO_SIZE = (int)TWIN_MAX_LAYERS * (int)TWIN_PASS_COUNT * (int)TWIN_PARALLELISM_COUNT *
                   (int)TWIN_MAX_FACTORS * (int)TWIN_LIVE_SETS * 2 * (int)TWIN_INVOCATION_KIND_COUNT
};

/* Cycles of the best split in given circumstances; negative: not computed yet. */
typedef struct {
  double best[TWIN_MEMO_SIZE];
  double steady[TWIN_MAX_LAYERS][TWIN_PASS_COUNT][TWIN_PARALLELISM_COUNT];
  double hoisted[TWIN_MAX_LAYERS][TWIN_PASS_COUNT][TWIN_PARALLELISM_COUNT]; /* of a pass */
  double exchange[TWIN_MAX_LAYERS][TWIN_PARALLELISM_COUNT][TWIN_PARALLELISM_COUNT]
                 [TWIN_PARALLELISM_COUNT];
  double relayout[TWIN_MAX_LAYERS][TWIN_PARALLELISM_COUNT][TWIN_PARALLELISM_COUNT];
} twin_memo;

typedef struct {
  twin_space space;
  twin_memo *memo;
  /* Where layouts of held tensors are decisions they are no part of the circumstances, and all
   * splits are kept: len(candidates) = TWIN_MEMO_SIZE, NULL: not enumerated yet. Else NULL. */
  twin_candidates **candidates;
  const twin_splits *splits; /* of layers with one timestep; NULL: the best */
} twin_pricer;

/* A pass of a layer outside groups, over the step, with what is paid once a step; without the
 * relayouts between layers. Looks at nothing of later layers and, of this one, of later passes. */
double twin_price_pass(const twin_pricer *pricer, const twin_mapping *mapping, size_t layer,
                       twin_pass_kind pass);

/* The relayout (forward or backward) between a layer and the one before it. */
double twin_price_boundary(const twin_pricer *pricer, const twin_mapping *mapping, size_t layer,
                           twin_pass_kind pass);

/* One layer of a pipeline group on its own columns and rows (section 9). Where the kernel cannot
 * stay, or would be slower to, fetching and kept steps are the same. */
typedef struct {
  double kept_steps[TWIN_PASS_COUNT];     /* cycles, hand-over included; 0 without the pass */
  double fetching_steps[TWIN_PASS_COUNT]; /* likewise */
  double kept_extra[TWIN_PASS_COUNT];     /* cycles: what the first timestep takes more if kept */
  double exchange;                        /* cycles: reduction */
  double kept_bytes;
  double transient_bytes;
} twin_stage;

typedef enum { TWIN_STAGE_FIRST = 1, TWIN_STAGE_LAST = 2 } twin_stage_place; /* bits */

twin_stage twin_price_stage(const twin_pricer *pricer, size_t layer, size_t columns, size_t rows,
                            twin_parallelism parallelism, unsigned place);

typedef struct {
  double cycles;
  double after_forward_cycles; /* the steps of backward and update */
  double kept_bytes;
  double transient_bytes;
} twin_group_price;

/* Which passes of a stage fetch the weights in each timestep although they could keep them. */
typedef struct {
  bool passes[TWIN_PASS_COUNT];
} twin_fetching;

/* len(stages) = len(fetching) = count */
twin_group_price twin_price_group(const twin_pricer *pricer, size_t first, size_t count,
                                  const twin_stage *stages, const twin_fetching *fetching);

/* The least price of all choices of what fetches, and such a choice. */
twin_group_price twin_price_group_best(const twin_pricer *pricer, size_t first, size_t count,
                                       const twin_stage *stages, twin_fetching *fetching);

/* Section 12, of a layer outside groups: what it has for a while, the network's input included. */
double twin_price_transient(const twin_pricer *pricer, const twin_mapping *mapping, size_t layer);

/* The whole mapping, which must be admissible. */
twin_cost twin_price(const twin_pricer *pricer, const twin_mapping *mapping);

/* Is a need within the capacity of a chip's memory? */
bool twin_fits(const twin_space *space, double need_bytes);

/* False if out of memory; to be freed with twin_pricer_free(). */
bool twin_pricer_make(twin_pricer *out, const twin_context *context, twin_options options);
void twin_pricer_free(twin_pricer *pricer);

#endif

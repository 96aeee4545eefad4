/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block.h: a stage that is a graph of operations, and the options that it has.
 *
 * Each operation makes one tensor. Its backward pass needs some tensors, of the block or its input,
 * which is always there; the error of its own; and makes the errors of its inputs. Backward passes
 * run in reverse order. What is not saved from the forward to the backward pass of the block is
 * computed again in between, as often as it pays.
 */
#ifndef DSM_CHAIN_BLOCK_H
#define DSM_CHAIN_BLOCK_H

#include <assert.h>

#include "chain/chain.h"
#include "dsm/limits.h"

/** Tensors, a bit each, as the operations that make them are numbered. */
typedef uint64_t dsm__tensors;

static inline dsm__tensors dsm__tensor(size_t number) {
  assert(number < DSM_REMAT_OPERATIONS_MAX);
  return (dsm__tensors)1 << number;
}

typedef struct dsm__remat_operation {
  const char *name;
  double forward_seconds;
  double backward_seconds;
  double bytes;
  double error_bytes;
  double temporary_bytes; /**< while it runs, forward or backward */
  dsm__tensors inputs;    /**< all of earlier operations */
  bool reads_input;       /**< that of the block */
  dsm__tensors needs;     /**< of its backward pass: of earlier operations, or its own */
} dsm__remat_operation;

typedef struct dsm__remat_block {
  const dsm__remat_operation *operations; /**< the last one makes the block's output */
  size_t count;
  double input_error_bytes; /**< of the error that it hands on */
} dsm__remat_block;

/** Bytes of tensors. */
double dsm__remat_tensor_bytes(const dsm__remat_block *block, dsm__tensors set);

/** What backward passes need, and the output. */
dsm__tensors dsm__remat_needed(const dsm__remat_block *block);

/** Errors that are there before, and during, the backward pass of an operation. */
double dsm__remat_errors_before(const dsm__remat_block *block, size_t operation);
double dsm__remat_errors_during(const dsm__remat_block *block, size_t operation);

/** A way to run a block. */
typedef struct dsm__remat_way {
  dsm__tensors saved;
  double saved_bytes;
  double forward_seconds;
  double backward_seconds;
  double forward_peak;  /**< of the block's tensors */
  double backward_peak; /**< of tensors and errors */
} dsm__remat_way;

/** Every operation runs once in order, and what is not saved goes after its last use. */
void dsm__remat_run_plainly(const dsm__remat_block *block, dsm__remat_way *way);

/** Runs the block backward once, with what is saved; what is missing is computed when the first
 * backward pass needs some of it, once. */
void dsm__remat_recompute_once(const dsm__remat_block *block, dsm__remat_way *way);

/** Ways, in an arena. */
typedef struct dsm__remat_ways {
  dsm__remat_way *items;
  size_t count;
  size_t capacity;
} dsm__remat_ways;

/**
 * Adds the fastest ways within a peak of tensors and errors: of each size of what is saved, where
 * more makes them faster, at most `most`. Exact: it finds shortest paths over the sets of tensors
 * that are there. False if out of memory.
 */
bool dsm__remat_ways_within(const dsm__remat_block *block, double peak, size_t most,
                            dsm__remat_ways *ways, dsm__arena *arena);

/** Sets that are looked at in all, with a step from each, to find the options of some blocks. */
#define DSM__REMAT_BLOCK_WORK 2e8

/** Fills the output, the plain forward pass and the options of a stage that is this block; its
 * first option saves all that is needed. They are exact where that takes at most so much work.
 * False if out of memory. */
bool dsm__remat_block_options(const dsm__remat_block *block, double work, dsm_remat_stage *stage,
                              dsm__arena *arena);

#endif

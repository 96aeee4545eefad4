/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memo.h: what passes of layers cost, kept between explorations.
 *
 * An answer is found again by a key that holds, by value, everything that it depends on. What
 * depends on the whole exploration (the system's parameters, precision, mode) is a *context*, and
 * what depends on the layer its shape: both stand in keys as numbers. A memo that cannot grow, for
 * want of memory or at its limit, keeps no more and is emptied before the next exploration.
 */
#ifndef DSM_SEARCH_MEMO_H
#define DSM_SEARCH_MEMO_H

#include "search/distinct.h"
#include "search/layer_search.h"

/** Most bytes that the memo of an explorer takes. */
#define DSM__MEMO_BYTES_MAX ((size_t)64 << 20)

/** What an answer is about. */
typedef enum dsm__memo_kind {
  DSM__MEMO_BEST_PASS = 0, /**< dsm__best_pass_find */
  DSM__MEMO_LEAST_PASS,    /**< dsm__least_pass_find */
  DSM__MEMO_LEAST_CYCLES,  /**< the cycles of a pass with something held, as variants.c scores */
  DSM__MEMO_FRONT          /**< how many core splits it looks at for that */
} dsm__memo_kind;

/** All that an answer depends on; no padding, so that bytes can be compared. */
typedef struct dsm__memo_key {
  uint32_t context; /**< of the pass */
  uint32_t shape;
  uint32_t is_hoisted;
  uint32_t chips[DSM_AXES_MAX];              /**< of the machine, perhaps a stage of a pipeline */
  double link_bytes_per_cycle[DSM_AXES_MAX]; /**< 0 where the pass sends nothing along the axis */
  uint64_t minibatch;
  uint64_t dysm_factor;
  uint64_t held_elements;
  uint64_t deferred_elements;
  double preloaded_bytes;
  double resident_fraction;
  uint8_t kind;
  uint8_t pass;
  uint8_t parallelism;
  uint8_t is_input_held;
  uint8_t is_output_held;
  uint8_t is_shortcut_held;
  uint8_t is_moving_free;
  uint8_t may_keep_kernel; /**< over timesteps; 0 of scores */
} dsm__memo_key;
_Static_assert(sizeof(dsm__memo_key) == 104, "no padding");

/** Cycles of a pass, and what it took to find them. */
typedef struct dsm__memo_score {
  double cycles;
  uint64_t evaluations;
} dsm__memo_score;

/** What is asked of a pass with roles. */
typedef enum dsm__memo_asked {
  DSM__MEMO_PASS,       /**< what it takes, */
  DSM__MEMO_FLOOR,      /**< at least, */
  DSM__MEMO_HELD_FLOOR, /**< at least, whatever is held, */
  DSM__MEMO_HELD,       /**< with what is held, over the front of its core splits, */
  DSM__MEMO_HELD_FRONT, /**< and what it took to find that */
} dsm__memo_asked;

/** All that a pass with roles depends on within one search of a machine, but for what is gathered
 * of its weights; no padding. */
typedef struct dsm__memo_role_key {
  const dsm_layer *layer;
  uint64_t minibatch;
  uint64_t micro_batches;
  uint64_t dysm_factor;
  uint32_t parallelism;
  dsm_axis_set gathered_before;
  dsm_axis_set summed_later;
  dsm_axis_set gathered_in_update;
  uint8_t pass;
  uint8_t is_recomputed;
  uint8_t is_error_apart;
  uint8_t asked; /**< dsm__memo_asked */
  uint8_t is_input_held;
  uint8_t is_output_held;
  uint8_t is_shortcut_held;
  uint8_t is_moving_free;
  double held_bytes;
  double deferred_bytes;
} dsm__memo_role_key;
_Static_assert(sizeof(void *) != 8 || sizeof(dsm__memo_role_key) == 72, "no padding");

/** All that a move between layers with roles depends on within one search of a machine; no padding.
 */
typedef struct dsm__memo_move_key {
  uint64_t elements[DSM_AXES_MAX];
  uint64_t minibatch;
  uint64_t micro_batches;
  uint64_t layouts; /**< before and after, 2 bits an axis */
} dsm__memo_move_key;

/** Most bytes of a memo of such passes. */
#define DSM__ROLE_MEMO_BYTES_MAX ((size_t)32 << 20)

typedef struct dsm__memo dsm__memo;

/** An empty memo that takes at most so many bytes, which are counted somewhere too (NULL: nowhere);
 * NULL if out of memory. */
dsm__memo *dsm__memo_new(size_t bytes_max, atomic_size_t *counted);
void dsm__memo_free(dsm__memo *memo);

/** Begins an exploration: gives the context of each pass. False: this one goes without a memo. */
bool dsm__memo_begin(dsm__memo *memo, const dsm_system *system, dsm_precision precision,
                     dsm_mode mode, uint32_t contexts[DSM_PASS_COUNT]);

/** The number of a layer's shape; false: the layer goes without a memo. */
bool dsm__memo_shape(dsm__memo *memo, const dsm_layer *layer, bool are_forks_counted,
                     uint32_t *shape);

/** What is kept under a key, valid until something is put; NULL: nothing. */
const dsm__best_pass *dsm__memo_best_pass(const dsm__memo *memo, const dsm__memo_key *key);
const dsm__memo_score *dsm__memo_score_of(const dsm__memo *memo, const dsm__memo_key *key);

const dsm__memo_score *dsm__memo_role(const dsm__memo *memo, const dsm__memo_role_key *key);

/** The cycles of a move are kept here; NaN: they are not known yet. Another move may take the place
 * of those that have been. */
double *dsm__memo_move(dsm__memo *memo, const dsm__memo_move_key *key);

/** Keeps an answer, if there is room, under a key that has none. */
void dsm__memo_put_best_pass(dsm__memo *memo, const dsm__memo_key *key, const dsm__best_pass *best);
void dsm__memo_put_score(dsm__memo *memo, const dsm__memo_key *key, dsm__memo_score score);
void dsm__memo_put_role(dsm__memo *memo, const dsm__memo_role_key *key, dsm__memo_score score);

#endif

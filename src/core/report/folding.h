/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * folding.h: equal layers are shown once: which layers are a row of tables, figures and lists.
 *
 * A network that repeats a block has the same layers again and again. Where a run of layers
 * repeats, each of its layers is a row for all repetitions in which its numbers are the same; the
 * first and the last repetition often differ, because of their neighbours, and then have rows of
 * their own. A network without repeats has a row for each layer.
 */
#ifndef DSM_REPORT_FOLDING_H
#define DSM_REPORT_FOLDING_H

#include "base/arena.h"
#include "dsm/plan.h"

/** Equal layers. */
typedef struct dsm__fold_row {
  size_t first; /**< the first of its layers */
  size_t count; /**< of them: 1 or more */
} dsm__fold_row;

/** The layers of a network, each in one row. */
typedef struct dsm__folding {
  const dsm__fold_row *rows; /**< in the order in which they are shown */
  size_t row_count;
  const size_t *next; /**< of each layer: the next one of its row, or SIZE_MAX */
} dsm__folding;

/** No repeated run of layers is longer than this. */
#define DSM__FOLD_PERIOD_MAX 256

/**
 * Folds a sequence of layers: `kinds` tell layers apart by what they are, so that they show where a
 * run repeats, and `classes`, numbers below `count`, by all that is shown of them; layers of a
 * class are of a kind. False if out of memory. O(count), times DSM__FOLD_PERIOD_MAX at most.
 */
bool dsm__fold(dsm__folding *folding, const size_t *kinds, const size_t *classes, size_t count,
               dsm__arena *arena);

/** The rows of a plan's layers; is_unfolded: each layer is one. Empty, without rows, and false if
 * out of memory. */
bool dsm__fold_plan(dsm__folding *folding, const dsm_plan *plan, bool is_unfolded,
                    dsm__arena *arena);

/** The same, where equal layers are one row wherever in the network they are; rows stand in the
 * order of their first layers. */
bool dsm__fold_equal(dsm__folding *folding, const dsm_plan *plan, bool is_unfolded,
                     dsm__arena *arena);

/** Lines with equal texts as one row, wherever they stand; rows stand in the order of their first
 * lines. */
bool dsm__fold_equal_texts(dsm__folding *folding, const char *const *texts, size_t count,
                           bool is_unfolded, dsm__arena *arena);

/** The rows of lines that are to be shown, in which equal texts are folded likewise: where a run of
 * lines repeats. */
bool dsm__fold_texts(dsm__folding *folding, const char *const *texts, size_t count,
                     bool is_unfolded, dsm__arena *arena);

#endif

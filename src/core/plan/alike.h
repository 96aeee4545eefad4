/* SPDX-License-Identifier: GPL-3.0-or-later */
/* alike.h: layers of a plan that are equal in all that is shown of them, such as the blocks of a
 * network: the same loops, the same decisions, the same times of each pass. */
#ifndef DSM_PLAN_ALIKE_H
#define DSM_PLAN_ALIKE_H

#include "base/arena.h"
#include "dsm/plan.h"

/** In what layers are equal. */
typedef enum dsm__alikeness {
  DSM__ALIKE_LOOPS = 0, /**< what they compute: loops, elements, auxiliary operations */
  DSM__ALIKE_NUMBERS    /**< that, what is decided for them, and what they take */
} dsm__alikeness;

/** Layers in classes. */
typedef struct dsm__alike {
  const size_t *class_of; /**< of each layer: its class, 0 .. count - 1 in order of appearance */
  size_t count;
} dsm__alike;

/**
 * The classes of layers, of a plan or of a baseline. Numbers that differ by rounding alone, in the
 * last three of their digits, are taken for equal. Their names and places do not count, nor what
 * of a chip's memory they have. False if out of memory. O(layers).
 */
bool dsm__alike_find(dsm__alike *alike, const dsm_layer_plan *layers, size_t count,
                     dsm__alikeness alikeness, dsm__arena *arena);

#endif

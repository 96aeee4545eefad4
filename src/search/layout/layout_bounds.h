/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_bounds.h: what layouts add at least to what is still to come.
 *
 * From the last layer back, what a layer adds is looked at as a function of the layouts that it
 * reads: its passes at their best core splits, its own output at its best layout, with what that
 * adds to later layers. Of this function of several layouts a sum of functions of one layout each
 * is split off, the *dues* of the tensors that the layer reads, and a constant; what is left over
 * is not negative. Of a layer that can run in several ways, the least dues count. So with the
 * layouts of what is held, the cycles to the end are at least the constants of the layers to come
 * and the dues of the held tensors. Where layers read one tensor each, that is exact.
 */
#ifndef DSM_SEARCH_LAYOUT_LAYOUT_BOUNDS_H
#define DSM_SEARCH_LAYOUT_LAYOUT_BOUNDS_H

#include "search/layout/layout_uses.h"

/** What the users of a tensor add, for each of its layouts. */
typedef struct dsm__layout_dues {
  double *by_user;  /**< [user * choices + choice]; infinite: that user never reads it */
  double *sum;      /**< of the users from `next_user` on */
  size_t next_user; /**< of its users; they are in order of execution */
} dsm__layout_dues;

typedef struct dsm__layout_bounds {
  dsm__layout_uses *uses;
  dsm__layout_dues *dues; /**< of each tensor */
  double *rest; /**< of each node: least cycles to the end, but for dues of what is held */
} dsm__layout_bounds;

/** Finds all bounds; false if out of memory. dsm__layout_bounds_fini in any case. */
bool dsm__layout_bounds_find(dsm__layout_bounds *bounds, dsm__layout_uses *uses);
void dsm__layout_bounds_fini(dsm__layout_bounds *bounds);

/** The dues of a layer's output to its users from layer `boundary` on: of each of its choices. */
const double *dsm__layout_dues_from(dsm__layout_bounds *bounds, dsm__held_slot slot, size_t layer,
                                    size_t boundary);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_choices.h: the layouts that a held tensor may as well be restricted to.
 *
 * A layout matters only through the useful core splits (layout_profiles.h) of the passes that touch
 * the tensor: those that fit it, and those that do not. A layout that another one covers, because
 * every useful split that fits it fits the other too, is never better and is left out.
 */
#ifndef DSM_SEARCH_LAYOUT_LAYOUT_CHOICES_H
#define DSM_SEARCH_LAYOUT_LAYOUT_CHOICES_H

#include "base/growing_list.h"
#include "search/layout/layout_profiles.h"

/** A held tensor: the output of a layer, with a parallelism and a factor, as one number. */
typedef uint32_t dsm__held_slot;

/** The layouts of a tensor that are left: indices into all layouts, ascending. */
typedef struct dsm__slot_layouts {
  const uint32_t *items;
  size_t count;
} dsm__slot_layouts;

/** What a split has to divide of a layout. */
typedef struct dsm__layout_demand {
  uint64_t code; /**< dsm__fit_code */
  dsm__held_slot slot;
} dsm__layout_demand;

typedef struct dsm__layout_choices {
  const dsm__divisors *divisors;
  const uint64_t *layouts; /**< codes of all */
  size_t layout_count;
  dsm__deadline *deadline; /**< once it is over, tensors are left any layout */
  DSM__LIST(dsm__layout_demand) demands;
  dsm__slot_layouts *slots; /**< set by dsm__layout_choices_derive, of each slot */
} dsm__layout_choices;

/** Adds what the useful splits of a pass demand of a tensor that it touches as the layer's output,
 * or as part of its input. False if out of memory. */
bool dsm__layout_choices_add(dsm__layout_choices *choices, dsm__held_slot slot,
                             const dsm__profile *profile, bool is_output);

/** Finds the layouts that are left of slots 0 .. slot_count - 1, once all demands are there; false
 * if out of memory. */
bool dsm__layout_choices_derive(dsm__layout_choices *choices, size_t slot_count, dsm__arena *arena);

void dsm__layout_choices_fini(dsm__layout_choices *choices);

#endif

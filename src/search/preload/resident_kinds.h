/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resident_kinds.h: which runs of layers (section 10) cost the same, whatever the room set aside.
 *
 * All that a run's costs take of what is held elsewhere and of W is the room left in a scratchpad,
 * and of that only what section 5 makes of it: into how many tiles a core's kernel and features
 * fall with each core split; and with which splits the kernel can stay over timesteps (section 7).
 * Both fall from one number to the next as room grows, so that all rooms between two that agree in
 * them agree as well, to the last bit. Of the tiles those do not count that no fraction on chip can
 * make matter:
 *
 * - features that do not move are fetched in no order but kernel-outer, in one tile or in many;
 * - a kernel that is one tile is fetched kernel-outer too: that is best for any fraction;
 * - where features * (n1 - 1) > kernel * (tiles of the features - 1), feature-outer moves less for
 *   any fraction, and so long as any weights are needed on chip it needs fewer.
 */
#ifndef DSM_SEARCH_PRELOAD_RESIDENT_KINDS_H
#define DSM_SEARCH_PRELOAD_RESIDENT_KINDS_H

#include "search/layer_table.h"

typedef struct dsm__resident_kinds dsm__resident_kinds;

/** None yet; NULL if out of memory. */
dsm__resident_kinds *dsm__resident_kinds_new(void);
void dsm__resident_kinds_free(dsm__resident_kinds *kinds);

/** A forward pass of a layer of a class, as it is run. */
typedef struct dsm__kind_query {
  const dsm__layer_table *table;
  const dsm__layer_setting *setting;
  size_t class_index;
  dsm_parallelism parallelism;
  unsigned factor_index;
  double most_preloaded_bytes; /**< that will be asked for: at least that of the setting */
} dsm__kind_query;

/** A run's kind, and what is held beside it: with what room for weights is set aside, that decides
 * what it costs. */
typedef struct dsm__resident_place {
  size_t kind;
  double held_bytes;
} dsm__resident_place;

/**
 * The number of all runs that cost the same; numbers are given from 0 on, each the first time it
 * occurs. SIZE_MAX if out of memory. Tables have to be of the same search. Sets *place, with which
 * the same can be asked for another room.
 */
size_t dsm__resident_kinds_find(dsm__resident_kinds *kinds, const dsm__kind_query *query,
                                dsm__resident_place *place);

/** The number of a run with so much set aside for weights, where that is known; else SIZE_MAX. */
size_t dsm__resident_kinds_known(const dsm__resident_kinds *kinds, const dsm_machine *machine,
                                 const dsm__resident_place *place, double preloaded_bytes);

#endif

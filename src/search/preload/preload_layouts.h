/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload_layouts.h: mappings with preloaded weights where held tensors have layouts (section 7,
 * model.layout_move "exact"). */
#ifndef DSM_SEARCH_PRELOAD_PRELOAD_LAYOUTS_H
#define DSM_SEARCH_PRELOAD_PRELOAD_LAYOUTS_H

#include "search/preload/preload_level.h"

/** A mapping of a level, in which nothing held moves, laid out. */
typedef struct dsm__preload_laid {
  dsm__preload_level level;     /**< as the level, but that runs move what does not fit */
  dsm__residents residents;     /**< its runs */
  dsm__preload_mapping mapping; /**< the same path, with the room given out anew */
  dsm__decisions decisions;     /**< with layouts, and the splits of the mapping */
} dsm__preload_laid;

/**
 * Lays out what a mapping holds, in turn with giving out the room for weights. The answer is good,
 * and not proven to be the best. False if out of memory. dsm__preload_laid_fini in any case; the
 * level, in whose arena the answer is, must outlive it.
 */
bool dsm__preload_lay_out(dsm__preload_laid *laid, dsm__preload_level *level,
                          const dsm__preload_mapping *mapping);
void dsm__preload_laid_fini(dsm__preload_laid *laid);

/** Writes how the steps of a mapping run into the decisions of its layers: all steps, or those with
 * weights on chip. */
void dsm__preload_decide_steps(const dsm__preload_level *level, const dsm__preload_mapping *mapping,
                               bool are_all, dsm__layer_decision *layers);

#endif

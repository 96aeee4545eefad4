/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload_candidates.h: what the search of levels of room begins with (section 10): layouts of
 * held tensors (section 7, model.layout_move "exact"), and bounds of all steps of room at once
 * (section 13). */
#ifndef DSM_SEARCH_PRELOAD_PRELOAD_CANDIDATES_H
#define DSM_SEARCH_PRELOAD_PRELOAD_CANDIDATES_H

#include "search/preload/preload_level.h"
#include "search/preload/residents.h"
#include "search/problem.h"

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

/** What is known of a step of room. */
typedef struct dsm__preload_screened {
  double bound; /**< no mapping with this room is faster than it and the limit */
  /** Where holding can pay (dsm__graph_request); NULL where the bound leaves nothing, or where
   * nothing was looked at. */
  uint64_t *worthwhile;
  bool is_any; /**< it can pay somewhere */
} dsm__preload_screened;

/** What is asked. */
typedef struct dsm__preload_screening {
  const dsm__problem *problem; /**< with choices; what is found lives in its arena */
  const dsm__factors *factors;
  dsm__residents *residents;
  bool is_holding; /**< outputs may be held */
  double limit;    /**< cycles of a mapping that is known */
} dsm__preload_screening;

/** Bounds screened[c] for the rooms c / DSM__PRELOAD_STEPS of all, c from 1 on. Where nothing can
 * be said they stay 0. Adds to *evaluations. False if out of memory. */
bool dsm__preload_screen(const dsm__preload_screening *screening, dsm__preload_screened *screened,
                         uint64_t *evaluations);

#endif

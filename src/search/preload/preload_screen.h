/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload_screen.h: bounds of all steps of room at once, before any is searched (section 13). */
#ifndef DSM_SEARCH_PRELOAD_PRELOAD_SCREEN_H
#define DSM_SEARCH_PRELOAD_PRELOAD_SCREEN_H

#include "search/preload/preload_level.h"

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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_deal.h: may runs of segments be dealt out to stages, round by round, so that none takes
 * more than a limit? */
#ifndef DSM_SEARCH_STAGES_STAGE_DEAL_H
#define DSM_SEARCH_STAGES_STAGE_DEAL_H

#include <stdbool.h>
#include <stddef.h>

/** What stages take at least of segments that follow each other. */
typedef struct dsm__deal {
  size_t stages;
  size_t runs;         /**< of each: run r is of stage r modulo them */
  size_t count;        /**< of segments */
  const double *taken; /**< of each segment and the end: by all before it */
  const double *given; /**< where a run begins or ends, by the stage of each; len = count + 1 */
  const double *round; /**< and how much more where it is the first stage's, behind another */
  double most;         /**< that a stage may take */
} dsm__deal;

/** Is there a cut with which no stage takes more? True also where that takes too long to tell.
 * *is_good: false if out of memory. */
bool dsm__may_be_dealt(const dsm__deal *deal, bool *is_good);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_twin.h: every cut of a network into stages, or into several runs of layers of each. */
#ifndef DSM_TESTS_SEARCH_STAGE_TWIN_H
#define DSM_TESTS_SEARCH_STAGE_TWIN_H

#include "dsm/dsm.h"
#include "plan/plan_internal.h"

enum { STAGE_TWIN_RUNS_MAX = 6 };

typedef struct stage_twin {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_explore_options *options;
  const bool *is_cut;       /**< may a stage begin behind the layer? */
  dsm__decisions decisions; /**< all but where stages begin */
  size_t firsts[STAGE_TWIN_RUNS_MAX];
  double best; /**< cycles of the fastest step that fits; infinite: none does */
} stage_twin;

/** Predicts them all. */
void stage_twin_cut(stage_twin *twin);

#endif

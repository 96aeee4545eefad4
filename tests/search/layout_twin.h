/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout_twin.h: small networks whose held tensors have layouts, and all their mappings. */
#ifndef DSM_TESTS_SEARCH_LAYOUT_TWIN_H
#define DSM_TESTS_SEARCH_LAYOUT_TWIN_H

#include "dsm/dsm.h"
#include "search/problem.h"

/** Convolutions of few positions: chains, forks, concatenations and residuals; at the end perhaps a
 * layer that reads all of them. */
dsm_workload *layout_network(uint64_t *state);

/** A chip of few cores with model.layout_move "exact". */
dsm_system *layout_system(uint64_t *state, bool is_preferring);

typedef struct layout_optimum {
  double cycles;     /**< of the fastest mapping */
  size_t held;       /**< the most outputs that one of the fastest mappings holds */
  uint64_t mappings; /**< looked at to the end */
} layout_optimum;

/** The best of all held sets, factors and layouts of the problem under one parallelism. */
layout_optimum layout_twin_optimum(dsm__problem *problem, dsm_parallelism parallelism);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* divided.h: the fastest plan of a system and of those that divide one of its axes into two
 * (section 13). */
#ifndef DSM_SEARCH_DIVIDED_H
#define DSM_SEARCH_DIVIDED_H

#include "search/problem.h"

/** Are divisions of axes asked for? */
static inline bool dsm__are_divisions_asked(const dsm_explore_options *options) {
  return (options->optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DIVIDE)) != 0;
}

/** dsm_explore with divisions of axes. The plan owns the system that it has divided, names the
 * division among its overrides, and does not ask for divisions itself. */
DSM_NODISCARD dsm_status dsm__explore_divided(dsm_plan **plan, const dsm_workload *workload,
                                              const dsm_system *system,
                                              const dsm_explore_options *options, dsm__memo *memo,
                                              dsm_diags *diags);

#endif

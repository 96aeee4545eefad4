/* SPDX-License-Identifier: GPL-3.0-or-later */
/* aim.h: plans of least joules, joules times seconds, or dollars, and the fastest under a power
 * cap (docs/energy.md). */
#ifndef DSM_SEARCH_AIM_H
#define DSM_SEARCH_AIM_H

#include "search/problem.h"

/** dsm_explore where dsm__is_aimed says so; result.energy has the objective and its bound. */
DSM_NODISCARD dsm_status dsm__explore_aimed(dsm_plan **plan, const dsm_workload *workload,
                                            const dsm_system *system,
                                            const dsm_explore_options *options, dsm_diags *diags);

/** One search of the least price, and the price that no mapping is below (explore.c). */
DSM_NODISCARD dsm_status dsm__explore_weighed(dsm_plan **plan, double *bound,
                                              const dsm_workload *workload,
                                              const dsm_system *system,
                                              const dsm_explore_options *options,
                                              const dsm_weights *weights, dsm_diags *diags);

#endif

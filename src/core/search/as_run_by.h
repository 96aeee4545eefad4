/* SPDX-License-Identifier: GPL-3.0-or-later */
/* as_run_by.h: the fastest plan that a framework can run (section 13). */
#ifndef DSM_SEARCH_AS_RUN_BY_H
#define DSM_SEARCH_AS_RUN_BY_H

#include "search/problem.h"

/** dsm_explore of options that name a framework, for plans that take less than a limit. No plan
 * below the limit that the framework can run takes less than *bound_cycles. */
DSM_NODISCARD dsm_status dsm__explore_as_run(dsm_plan **plan, double *bound_cycles,
                                             const dsm_workload *workload, const dsm_system *system,
                                             const dsm_explore_options *options, dsm__memo *memo,
                                             double cost_limit, dsm_diags *diags);

/* ---- of explore.c ---- */

/** What is asked of each case. */
typedef struct dsm__case_question {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_explore_options *options;
  dsm__memo *memo;
  dsm__deadline *deadline;
  double cost_limit;
} dsm__case_question;

/** The fastest plan of a case, if it is below the limit; *bound_cycles as above, 0: none is known.
 * DSM_ERROR_INFEASIBLE, not reported: there is none. */
DSM_NODISCARD dsm_status dsm__explore_case(const dsm__case_question *of, dsm_plan **plan,
                                           double *bound_cycles);

/** A time that no mapping of the case is below, or the limit. */
DSM_NODISCARD dsm_status dsm__bound_case(const dsm__case_question *of, double *bound_cycles);

#endif

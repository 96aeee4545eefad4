/* SPDX-License-Identifier: GPL-3.0-or-later */
/* issue.h: the time that issuing all kernels of a pass of the network takes (section 6). */
#ifndef DSM_PLAN_ISSUE_H
#define DSM_PLAN_ISSUE_H

#include "dsm/plan.h"

/** Charges each pass of the network, which is predicted, what it is shorter than issuing its
 * kernels: as group `issue` of the passes of layers, in proportion to their kernels. */
void dsm__issue_charge(dsm_plan *plan, dsm_pipeline_plan *groups, const dsm_machine *machine);

/** What has been charged. */
double dsm__issue_charged(const dsm_plan *plan);

/** Cycles that issuing the kernels of a step takes in any mapping. */
double dsm__issue_least(const dsm_workload *workload, const dsm_machine *machine, dsm_mode mode);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_plan.h: the figures of a plan, and what they have in common. */
#ifndef DSM_REPORT_PLOT_PLAN_H
#define DSM_REPORT_PLOT_PLAN_H

#include "report/plot_maker.h"

/* Each makes its figure, whatever of it fails. */
void dsm__plot_loss(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_splits(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_roofline(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_memory(dsm__plot_maker *maker, const dsm_plan *plan);

/** The heading of all of them: what the plan is of, and its time and utilization. */
double dsm__plot_plan_heading(dsm__plot_maker *maker, const dsm_plan *plan, const char *what);

/** "forward", "backward", "weight update". */
const char *dsm__plot_pass_title(dsm_pass pass);

/** Passes that any layer of the plan has: all of training, forward of inference. */
size_t dsm__plot_pass_count(const dsm_plan *plan);

#endif

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

/** The heading of all of them: what the plan is of, its time and utilization, and what else there
 * is to say (NULL: nothing). */
double dsm__plot_plan_heading(dsm__plot_maker *maker, const dsm_plan *plan, const char *what,
                              const char *also);

/** "forward", "backward", "weight update". */
const char *dsm__plot_pass_title(dsm_pass pass);

/** The passes that any layer of a plan has, in order. */
typedef struct dsm__plot_passes {
  dsm_pass of[DSM_PASS_COUNT];
  size_t count; /**< 1 or more */
} dsm__plot_passes;

dsm__plot_passes dsm__plot_passes_of(const dsm_plan *plan);

/** Begins a line of data: the layer's number and the word of the pass. */
void dsm__plot_put_pass(dsm__text_buffer *data, size_t layer, dsm_pass pass);

/** " every ::A::B": which lines are those of a pass of layers first .. end - 1, where the lines are
 * sorted by pass, then layer. Reading them alone keeps gnuplot quick. */
const char *dsm__plot_every(dsm__plot_maker *maker, const dsm_plan *plan, dsm_pass pass,
                            size_t first, size_t end);

/** Defines of(pass) in the body: the layer's number in lines of that pass, no number in others. */
void dsm__plot_define_of(dsm__plot_maker *maker);

#endif

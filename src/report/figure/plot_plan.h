/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_plan.h: the figures of a plan, and what they have in common. */
#ifndef DSM_REPORT_FIGURE_PLOT_PLAN_H
#define DSM_REPORT_FIGURE_PLOT_PLAN_H

#include "report/figure/plot_maker.h"
#include "report/step_timeline.h"

/* Each makes its figure, whatever of it fails. */
void dsm__plot_loss(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_time(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_splits(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_roofline(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_memory(dsm__plot_maker *maker, const dsm_plan *plan);

/** The heading of all of them: what the plan is of, its time and utilization, and what else there
 * is to say (NULL: nothing). */
double dsm__plot_plan_heading(dsm__plot_maker *maker, const dsm_plan *plan, const char *what,
                              const char *also);

/** The passes that any layer of a plan has, in order. */
typedef struct dsm__plot_passes {
  dsm_pass of[DSM_PASS_COUNT];
  size_t count; /**< 1 or more */
} dsm__plot_passes;

dsm__plot_passes dsm__plot_passes_of(const dsm_plan *plan);

/** Which parts of a time a figure has. */
typedef struct dsm__used_parts {
  bool is_used[DSM__PART_COUNT];
} dsm__used_parts;

/** The column of a line of data with the first part; in the one before it are the cycles of all. */
enum { DSM__PART_COLUMN = 4 };

/* The entries of a legend, their number; the names of the columns of data, and a line's numbers. */
size_t dsm__plot_part_entries(const dsm__used_parts *used,
                              dsm__legend_entry entries[DSM__PART_COUNT]);
void dsm__plot_name_parts(dsm__text_buffer *data);
void dsm__plot_put_parts(dsm__text_buffer *data, const dsm__time_parts *parts,
                         dsm__used_parts *used);

/** Defines in the body the columns `parts` that are used, color(k) of column k, and low(k) and
 * high(k), the percentages of a line's cycles between which it lies. */
void dsm__plot_define_parts(dsm__plot_maker *maker, const dsm__used_parts *used);

double dsm__plot_ms_per_cycle(const dsm_plan *plan);

/** Above a panel over the time of a step: its forward passes and the way back, with a line between
 * them. */
#define DSM__WAYS_HEIGHT 18.0
void dsm__plot_ways(dsm__plot_maker *maker, const dsm__step_timeline *step, dsm__area area);

/** Begins a line of data: the layer's number and the word of the pass. */
void dsm__plot_put_pass(dsm__text_buffer *data, size_t layer, dsm_pass pass);

/** " every ::A::B": which lines are those of a pass of layers first .. end - 1, where the lines are
 * sorted by pass, then layer. Reading them alone keeps gnuplot quick. */
const char *dsm__plot_every(dsm__plot_maker *maker, const dsm_plan *plan, dsm_pass pass,
                            size_t first, size_t end);

/** Defines of(pass) in the body: the layer's number in lines of that pass, no number in others. */
void dsm__plot_define_of(dsm__plot_maker *maker);

#endif

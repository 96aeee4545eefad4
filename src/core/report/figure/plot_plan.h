/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_plan.h: the figures of a plan, and what they have in common. */
#ifndef DSM_REPORT_FIGURE_PLOT_PLAN_H
#define DSM_REPORT_FIGURE_PLOT_PLAN_H

#include "report/figure/plot_maker.h"
#include "report/roofline.h"
#include "report/step_timeline.h"

/* Each makes its figure, whatever of it fails. */
void dsm__plot_loss(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_time(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_splits(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_roofline(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_memory(dsm__plot_maker *maker, const dsm_plan *plan);
/* Of plans whose data come from storage. */
void dsm__plot_supply(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_mini_epochs(dsm__plot_maker *maker, const dsm_plan *plan);
void dsm__plot_io_roofline(dsm__plot_maker *maker, const dsm_plan *plan);

/** The heading of all of them: what the plan is of, its time and utilization, and what else there
 * is to say (NULL: nothing). In a report it is the note alone. */
void dsm__plot_plan_heading(dsm__plot_maker *maker, const dsm_plan *plan, const char *what,
                            const char *also);

/** The passes that any layer of a plan has, in order. */
typedef struct dsm__plot_passes {
  dsm_pass of[DSM_PASS_COUNT];
  size_t count; /**< 1 or more */
} dsm__plot_passes;

dsm__plot_passes dsm__plot_passes_of(const dsm_plan *plan);

/** Layers that a figure shows, in order. Where equal ones are shown once, an item is the first of
 * them. */
typedef struct dsm__plot_layers {
  const size_t *items;      /**< of the arena */
  const size_t *counts;     /**< of each item: layers that it stands for */
  const char *const *names; /**< of each item, with its count: "24 x encoder.0..23.qkv" */
  size_t count;
  const char *note; /**< what is left out; NULL: nothing */
} dsm__plot_layers;

/** All layers, where is_folded equal neighbours once; in a report the `most` that lose most time.
 * None, and the figure fails, if out of memory. */
dsm__plot_layers dsm__plot_layers_of(dsm__plot_maker *maker, const dsm_plan *plan, bool is_folded,
                                     size_t most);

/* ---- the parts of a time ---- */

/** Which parts of a time there ever are. */
typedef struct dsm__parts_used {
  bool is_used[DSM__PART_COUNT];
} dsm__parts_used;

/** Notes those of a time. */
void dsm__parts_use(dsm__parts_used *used, const dsm__time_parts *parts);
/** The parts of a time on top of each other in percent of it, over a width; `about` says of what.
 */
void dsm__parts_put(dsm__plot_maker *maker, dsm__panel_axis x, const dsm__time_parts *parts,
                    double total, const char *about);
/** A legend of the parts that there are, and one more entry unless that is NULL; where it ends. */
double dsm__parts_legend(dsm__plot_maker *maker, const dsm__parts_used *used,
                         const dsm__legend_entry *last);

/* ---- the time of a step ---- */

double dsm__plot_ms_per_cycle(const dsm_plan *plan);

/** Above a panel over the time of a step: its forward passes and the way back, with a line between
 * them. */
#define DSM__WAYS_HEIGHT 18.0
void dsm__plot_ways(dsm__plot_maker *maker, const dsm__step_timeline *step, dsm__area area);

/** "conv1 forward, 1.2 ms", "conv1 forward to conv9 forward (9 passes), 1.2 ms". */
const char *dsm__plot_column_text(dsm__plot_maker *maker, const dsm__step_timeline *step,
                                  const dsm__step_column *column);

/** What a figure of the time does not show; NULL if it shows all. */
const char *dsm__plot_joined_text(dsm__plot_maker *maker, size_t joined);

/* ---- layers side by side ---- */

/** Layers side by side, with their names below, in as many bands as they need, one above the other.
 */
typedef struct dsm__bands {
  const dsm__plot_layers *layers;
  size_t count;             /**< of bands */
  size_t layers_each;       /**< of a band; the last may have fewer */
  double left;              /**< where the first layer of a band begins */
  double pitch;             /**< from layer to layer, the same in all bands */
  const char *const *names; /**< of the layers, as they fit */
  double names_height;      /**< what the names below a band take, with a gap on both sides */
  bool is_dense;            /**< more than two bands: they should be low, for all to be on a page */
  size_t name_every; /**< names are shown of every so many layers: 1 unless a band has too many */
  bool is_upward;    /**< names are turned */
} dsm__bands;

/** Divides layers into bands between `left` and the page's right margin. No layer gets less than
 * `least_pitch` units, unless there are so many that the picture would not be a page any more. */
dsm__bands dsm__bands_layout(dsm__plot_maker *maker, const dsm__plot_layers *layers, double left,
                             double least_pitch);

/** The width of a layer's boxes, in the middle of its place. */
dsm__panel_axis dsm__bands_place(size_t layer);

/** A pass of a band. */
typedef struct dsm__band_pass {
  const dsm_pass *pass;
  dsm__area area; /**< as high as all that is shown of the pass */
  dsm__panel_axis x;
  size_t first; /**< of the layers that are shown, and the one after the last */
  size_t end;
  bool is_last; /**< of the band */
} dsm__band_pass;

/** Calls `put` for each pass of each band, below `top`: each takes pass_height, with a gap between.
 * The page ends below them. */
typedef void dsm__band_writer(void *figure, const dsm__band_pass *pass);
void dsm__bands_put(dsm__plot_maker *maker, const dsm__bands *bands, const dsm__plot_passes *passes,
                    double top, double pass_height, double gap, dsm__band_writer *put,
                    void *figure);

/** Puts the names of the layers below the last pass of a band, and nothing below others. */
void dsm__bands_names(dsm__plot_maker *maker, const dsm__bands *bands, const dsm__band_pass *pass);

/** Puts the name of a pass at the left of the page. */
void dsm__bands_title(dsm__plot_maker *maker, const dsm__band_pass *pass);

#endif

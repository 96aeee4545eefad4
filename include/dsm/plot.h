/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * plot.h: figures, as texts for gnuplot.
 *
 * A figure is a script with the marks that it draws. The library only makes this text; whoever
 * wants a picture has gnuplot (5.4 or later) read it. Where everything stands is computed here,
 * so that labels do not overlap, however many layers there are: the height of a picture grows, long
 * names are shortened in their middle, and some labels are left out where bars are narrower than
 * letters. The same figure has the same texts, byte for byte.
 *
 * A picture is 720 units wide; a unit is a pixel in SVG, two in PNG, and 1/108 inch in PDF,
 * which is then as wide as the text of a page (6.67 inches).
 */
#ifndef DSM_PLOT_H
#define DSM_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/answer.h"
#include "dsm/diag.h"
#include "dsm/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What gnuplot is to write. */
typedef enum dsm_plot_form {
  DSM_PLOT_SVG = 0,
  DSM_PLOT_PNG,
  DSM_PLOT_PDF,
  DSM_PLOT_FORM_COUNT
} dsm_plot_form;

/** "svg", "png" or "pdf", which is also the ending of the file's name. Never NULL. */
DSM_API const char *dsm_plot_form_name(dsm_plot_form form);

/** Figures of a plan. */
typedef enum dsm_plan_figure {
  DSM_PLAN_FIGURE_LOSS = 0, /**< where the time of each layer and pass goes (DSM, Fig. 13) */
  DSM_PLAN_FIGURE_TIME,     /**< the same over the time of the step, a column as wide as its pass */
  DSM_PLAN_FIGURE_SPLITS,   /**< parallelism and core split of each layer and pass (DSM, Fig. 12) */
  DSM_PLAN_FIGURE_ROOFLINE, /**< FLOP/s of a chip over the FLOP for each byte of memory traffic */
  DSM_PLAN_FIGURE_MEMORY,   /**< what a chip's memory holds over the step */
  DSM_PLAN_FIGURE_STORAGE,  /**< from here on of plans whose data come from storage: samples/s, and
                                 what the capacity tier delivers, over the repeating factor */
  DSM_PLAN_FIGURE_MINI_EPOCHS, /**< mini-epochs over time: loaded, and trained on */
  DSM_PLAN_FIGURE_IO_ROOFLINE, /**< FLOP/s over the FLOP for each byte of the data set */
  DSM_PLAN_FIGURE_COUNT
} dsm_plan_figure;

/** "loss", "time", "splits", "roofline", "memory", "storage", "mini_epochs" or "io_roofline". Never
 * NULL. */
DSM_API const char *dsm_plan_figure_name(dsm_plan_figure figure);
/** The same read back, exactly; false if the text is none of them. */
DSM_API bool dsm_plan_figure_parse(const char *text, dsm_plan_figure *figure);

/** A figure. Everything inside belongs to it. */
typedef struct dsm_plot {
  const char *title; /**< one line */
  double width;      /**< of the picture, in units */
  double height;
  const char *body; /**< the commands that draw */
  /** What they draw: boxes, points and curves, in the units of their axes, as lines of fields
   * separated by tabs; a line that begins with '#' says what a block of them is. "": the commands
   * say all. */
  const char *marks;
  struct dsm__arena *arena; /**< private */
} dsm_plot;

/**
 * A figure of a plan; equal neighbours among its layers are shown once, with their count, unless
 * is_unfolded. *plot belongs to the caller; it is NULL unless DSM_OK. DSM_ERROR_USAGE: a figure of
 * storage, of a plan whose workload has no data set or whose system no storage;
 * DSM_ERROR_OUT_OF_MEMORY. O(layers) texts, of bounded width.
 */
DSM_API DSM_NODISCARD dsm_status dsm_plot_plan(dsm_plot **plot, const dsm_plan *plan,
                                               dsm_plan_figure figure, bool is_unfolded,
                                               dsm_diags *diags);

/** The figures of another kind of answer by itself: of storage "storage", "mini_epochs" and
 * "io_roofline", of pim "breakdown" and "tasklets", of a front of partitions "front". NULL after
 * the last. */
DSM_API const char *dsm_answer_figure_name(const dsm_answer_kind *kind, size_t index);

/**
 * That figure of an answer. *plot belongs to the caller; it is NULL unless DSM_OK. DSM_ERROR_USAGE:
 * the answer has nothing to draw there, as io_roofline of a network without FLOP;
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_plot_answer(dsm_plot **plot, dsm_answer answer, size_t figure,
                                                 dsm_diags *diags);

/**
 * The script, with the marks in it: gnuplot makes NAME.FORM from it, or without a name (NULL)
 * writes the picture to its standard output. `name` should be plain: letters, digits, '.', '-',
 * '_'. malloc'ed, to be freed by the caller; NULL if out of memory.
 */
DSM_API char *dsm_plot_script(const dsm_plot *plot, const char *name, dsm_plot_form form);

/** Frees the figure; NULL is fine. */
DSM_API void dsm_plot_free(dsm_plot *plot);

#ifdef __cplusplus
}
#endif

#endif

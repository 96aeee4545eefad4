/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_bands.h: layers side by side, with their names below, in as many bands as they need, one
 * above the other.
 */
#ifndef DSM_REPORT_FIGURE_PLOT_BANDS_H
#define DSM_REPORT_FIGURE_PLOT_BANDS_H

#include "report/figure/plot_maker.h"

typedef struct dsm__bands {
  const dsm_plan *plan;
  size_t count;        /**< of bands */
  size_t layers_each;  /**< of a band; the last may have fewer */
  double left;         /**< where the first layer of a band begins */
  double pitch;        /**< from layer to layer, the same in all bands */
  double names_height; /**< what the names below a band take, with a gap on both sides */
  bool is_dense;       /**< more than two bands: they should be low, for all to be on a page */
  size_t name_every;   /**< names are shown of every so many layers: 1 unless a band has too many */
  bool is_upward;      /**< names are turned */
} dsm__bands;

/** Divides a plan's layers into bands between `left` and the page's right margin. No layer gets
 * less than `least_pitch` units, unless the plan has so many that the picture would not be a page
 * any more. */
dsm__bands dsm__bands_layout(dsm__plot_maker *maker, const dsm_plan *plan, double left,
                             double least_pitch);

size_t dsm__bands_first(const dsm__bands *bands, size_t band);
/** The layer after the last of a band. */
size_t dsm__bands_end(const dsm__bands *bands, size_t band);

/** Units from the left end to the right end of a band's layers. */
double dsm__bands_width(const dsm__bands *bands, size_t band);

/** Puts the names of a band's layers below `top`. */
void dsm__bands_names(dsm__plot_maker *maker, const dsm__bands *bands, size_t band, double top);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_places.h: labels for points, where there is room: beside the point, or further away with a
 * line to it, never over another label or point.
 */
#ifndef DSM_REPORT_FIGURE_PLOT_PLACES_H
#define DSM_REPORT_FIGURE_PLOT_PLACES_H

#include "report/figure/plot_maker.h"

/** What of an area is taken, in small squares. */
typedef struct dsm__places {
  dsm__area area;
  size_t columns;
  size_t rows;
  unsigned char *uses; /**< columns * rows, of the arena; bits of dsm__place_use */
} dsm__places;

/** What takes places. No label goes over any of it; the line to a label goes over points. */
typedef enum dsm__place_use { DSM__PLACE_POINT = 1, DSM__PLACE_LABEL = 2 } dsm__place_use;

/** Nothing of the area is taken; false if out of memory. */
bool dsm__places_init(dsm__places *places, dsm__area area, dsm__arena *arena);

/** What is outside of the area does not count. */
void dsm__places_take(dsm__places *places, dsm__area area, dsm__place_use use);

/** Where a text goes. */
typedef struct dsm__place_of_label {
  dsm__point at;   /**< its left end, in the middle of its height */
  dsm__point near; /**< what of it is nearest to its point */
  bool is_far;     /**< so that it needs a line to its point */
} dsm__place_of_label;

/** Finds room for a text near a point and takes it; false if there is none. */
bool dsm__places_find(dsm__places *places, dsm__place_of_label *place, dsm__point point,
                      const char *text, double size);

#endif

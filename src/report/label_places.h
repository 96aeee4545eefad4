/* SPDX-License-Identifier: GPL-3.0-or-later */
/* label_places.h: where the labels of points stand, so that none covers another. */
#ifndef DSM_REPORT_LABEL_PLACES_H
#define DSM_REPORT_LABEL_PLACES_H

#include <stdbool.h>

#include "report/plot_maker.h"

/** A point with a label. */
typedef struct dsm__labelled {
  dsm__point at;
  double width;    /**< of the label */
  bool is_placed;  /**< has the label a place? */
  dsm__area place; /**< then of the label */
  bool is_far;     /**< then: a line should lead to it */
} dsm__labelled;

/**
 * Gives labels places around their points, inside an area: none covers another one, a labelled
 * point or the border; of the places that are left, one that covers as few of the other points as
 * can be. In the order of the points; a label that finds no place has none.
 * O(labels * (labels + others)).
 */
void dsm__place_labels(dsm__labelled *points, size_t count, const dsm__point *others,
                       size_t other_count, dsm__area area, double height);

#endif

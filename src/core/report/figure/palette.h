/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * palette.h: the colours of figures and pages, the same everywhere, as "#RRGGBB".
 *
 * They are those of Okabe and Ito ("Color Universal Design", 2008), which people with any kind of
 * colour vision tell apart; what that palette of eight has no colour for has one of Paul Tol's
 * (SRON/EPS/TN/09-002), or a grey. The parts of a time stay at least 14 apart in CIELAB, also as
 * people without one of the three kinds of cones see them.
 */
#ifndef DSM_REPORT_FIGURE_PALETTE_H
#define DSM_REPORT_FIGURE_PALETTE_H

#include <stddef.h>

#include "dsm/mapping.h"
#include "dsm/model.h"

/* What is no data. */
#define DSM__COLOR_INK "#000000"
#define DSM__COLOR_STRONG "#444444" /**< lines that count, and sums */
#define DSM__COLOR_FAINT "#555555"  /**< texts of less weight */
#define DSM__COLOR_LEADER "#888888" /**< from a point to its label */
#define DSM__COLOR_GRID "#DDDDDD"

/** Parts of a time: those of dsm__loss, with each group of what does not overlap. */
typedef enum dsm__time_part {
  DSM__PART_BUSY = 0,
  DSM__PART_ARRAY,    /**< underuse of the arrays */
  DSM__PART_TRANSFER, /**< overlapped transfers that show */
  DSM__PART_AUXILIARY,
  DSM__PART_GROUPS, /**< the first of those not overlapped: DSM_GROUP_PARTIAL_SUM, and so on */
  DSM__PART_OVERHEAD = DSM__PART_GROUPS + DSM_GROUP_LINKS_END - 1, /**< both groups of kernels */
  DSM__PART_RECOMPUTE,                                             /**< forward passes again */
  DSM__PART_BUBBLE,
  DSM__PART_WAITING, /**< for data, of no pass */
  DSM__PART_COUNT
} dsm__time_part;

const char *dsm__color_of_part(dsm__time_part part);
/** What a legend calls it: "arrays underused". */
const char *dsm__part_phrase(dsm__time_part part);

/** Of data and model. */
const char *dsm__color_of_parallelism(dsm_parallelism parallelism);
enum { DSM__ROLE_COLORS = 8 };
/** Of parallelisms with other roles, by their place among those of a figure: the last colour is of
 * all from there on. */
const char *dsm__color_of_roles(size_t index);
const char *dsm__color_of_pass(dsm_pass pass);

enum { DSM__SERIES_COLORS = 8 };
/** For series that have no colours of their own; the eighth is followed by the first. */
const char *dsm__color_of_series(size_t index);

/** A light to dark blue for a number from 0 to 1, which is cut to it: for tables and heat maps. */
typedef struct dsm__shade {
  char color[8];
  const char *ink; /**< what text on it has */
} dsm__shade;
dsm__shade dsm__shade_of(double intensity);

#endif

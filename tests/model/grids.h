/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grids.h: chips along axes, for what is counted chip by chip. */
#ifndef DSM_TESTS_MODEL_GRIDS_H
#define DSM_TESTS_MODEL_GRIDS_H

#include "fixture.h"

/** Axes of length 1 and odd ones among them. */
#define GRID_COUNT 13
extern const grid grids[GRID_COUNT];

/** The longest side with chips on other axes, and the most chips. */
enum { SIDE_MAX = 5, CHIPS_MAX = SIDE_MAX * SIDE_MAX };

/** Do the chips along an axis share the features? By hand. */
bool is_model(dsm_parallelism parallelism, unsigned axis);

/** Chips that share features. */
int model_ways(const grid *sides, dsm_parallelism parallelism);

/** Place of a chip along an axis: x is counted first. */
int place_along(const grid *sides, int chip, unsigned axis);

double largest_of(const double axes[DSM_AXES_MAX]);
double sum_of(const double axes[DSM_AXES_MAX]);

#endif

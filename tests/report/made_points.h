/* SPDX-License-Identifier: GPL-3.0-or-later */
/* made_points.h: points of sweeps made by hand. */
#ifndef DSM_TESTS_REPORT_MADE_POINTS_H
#define DSM_TESTS_REPORT_MADE_POINTS_H

#include "dsm/dsm.h"

enum {
  MADE_POINTS_MAX = 160,
  MADE_POINTS_AXES = 5,
  MADE_POINTS_COLUMNS = 3 + MADE_POINTS_AXES + 5
};

/** Columns: point, status, reason, five axes, mode, utilization, step_seconds, samples_per_second,
 * memory_bytes. */
typedef struct made_points {
  const char *columns[MADE_POINTS_COLUMNS];
  dsm_cell cells[MADE_POINTS_MAX * MADE_POINTS_COLUMNS];
  dsm_point_table table;
} made_points;

/** An empty table with the axes workload, system, workload.minibatch, options.optimize and
 * system.core.scratchpad_MiB. */
void made_points_init(made_points *made);

/** Adds a point: what it is, and its samples per second; without any if that is not above 0. */
void made_points_add(made_points *made, const char *workload, const char *system, double minibatch,
                     const char *optimize, double scratchpad, double rate);

/** Every combination of two networks, two systems, three minibatches, three sets of optimizations
 * and four scratchpads. */
void made_points_product(made_points *made);

/** The points of a ladder whose first rung has another system, for two sets of parameters, at two
 * minibatches. */
void made_points_ladder(made_points *made);

#endif

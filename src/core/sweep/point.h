/* SPDX-License-Identifier: GPL-3.0-or-later */
/* point.h: what one point of a sweep is: inputs, overrides and options; whether there is one that
 * can be explored; and what its plan decides, in one short line. */
#ifndef DSM_SWEEP_POINT_H
#define DSM_SWEEP_POINT_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/override.h"
#include "dsm/plan.h"
#include "dsm/sweep.h"

typedef struct dsm__point_input {
  const dsm_sweep_input *input;
  dsm_override *overrides; /**< the sweep's, then those of axes */
  size_t override_count;
} dsm__point_input;

typedef struct dsm__sweep_point {
  dsm__point_input inputs[2];  /**< by dsm_description: the workload, the system */
  dsm_explore_options options; /**< its overrides are all those of inputs as PATH=VALUE */
  bool has_all;                /**< optimizations: all of its system */
  const dsm_plan *kept; /**< its mapping is the answer, none is explored; NULL: the best is */
} dsm__sweep_point;

/** What a column has at a place of the whole product, of which the last axis is the fastest. */
const dsm_axis_value *dsm__product_value(const dsm_sweep *sweep, uint64_t index, size_t column);

/** Sets up a point; arrays are in the arena. False if out of memory. */
bool dsm__point_init(dsm__sweep_point *point, const dsm_sweep *sweep, size_t index,
                     dsm__arena *arena);

/** DSM_ERROR_INVALID, with why the first one is not, if the workload or the system of every point
 * is invalid: there is nothing to explore. Looks at points until one is valid. `file` is the
 * finding's, or NULL. DSM_ERROR_OUT_OF_MEMORY. */
DSM_NODISCARD dsm_status dsm__sweep_check_points(const dsm_sweep *sweep, const char *file,
                                                 dsm_diags *diags);

/** What a plan decides of the step. */
dsm_point_step dsm__step_decisions(const dsm_plan *plan);

/**
 * Appends, joined by "; " and without what is zero:
 *   how many layers have which parallelism, such as "data 12, model_x_data_y 4"; where the passes
 *     of some layer differ in it, for each pass: "forward data 12, model 4; backward data 16; ...";
 *   "dysm 3 (x2 2, x8 1)": layers with a DySM factor above 1, and how many have which;
 *   "on chip 5": layers whose output is held;
 *   "preloaded 2": layers with preloaded weights, or a part of them;
 *   "pipelined 4", "hoisted 2", "sharded 16", "recomputed 12": layers that are;
 *   "micro-batches 4", "stages 2": of the step.
 * The buffer's `failed` tells if it is out of memory.
 */
void dsm__short_decisions(const dsm_plan *plan, dsm__text_buffer *text);

#endif

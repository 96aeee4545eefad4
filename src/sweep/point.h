/* SPDX-License-Identifier: GPL-3.0-or-later */
/* point.h: what one point of a sweep is: inputs, overrides and options. */
#ifndef DSM_SWEEP_POINT_H
#define DSM_SWEEP_POINT_H

#include "base/arena.h"
#include "dsm/override.h"
#include "dsm/sweep.h"

typedef struct dsm__sweep_point {
  const dsm_sweep_input *workload;
  const dsm_sweep_input *system;
  const dsm_override *workload_overrides; /**< the sweep's, then those of axes */
  size_t workload_override_count;
  const dsm_override *system_overrides;
  size_t system_override_count;
  dsm_explore_options options; /**< its overrides are all of the above as PATH=VALUE */
} dsm__sweep_point;

/** Sets up a point; arrays are in the arena. False if out of memory. */
bool dsm__point_init(dsm__sweep_point *point, const dsm_sweep *sweep, size_t index,
                     dsm__arena *arena);

#endif

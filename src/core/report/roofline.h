/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * roofline.h: how fast a pass of a layer runs on a chip, beside what its memory traffic allows (the
 * roofline model: S. Williams et al., CACM 52(4), 2009). A MAC is two FLOP. Memory is that of a
 * chip, at its usable bandwidth.
 */
#ifndef DSM_REPORT_ROOFLINE_H
#define DSM_REPORT_ROOFLINE_H

#include "base/arena.h"
#include "dsm/plan.h"

/** The roof of a chip. */
typedef struct dsm__roof {
  double peak_flops;       /**< FLOP/s, with the workload's elements */
  double bytes_per_second; /**< of its memory, usable */
} dsm__roof;

dsm__roof dsm__roof_of(const dsm_plan *plan);

/** A pass of a layer over the whole step, of a chip: the mean over all chips. */
typedef struct dsm__roofline_point {
  double macs;
  double flop;
  double memory_bytes; /**< read and written */
  double intensity;    /**< FLOP for each byte; infinite if there is no memory traffic */
  double flops;        /**< FLOP/s that it attains; higher is better */
  double roof_flops;   /**< FLOP/s that the roof allows at its intensity */
} dsm__roofline_point;

/** Of a pass that exists. In a pipeline a layer has chips of its own and its cycles are a share of
 * its group's: as means over all chips both FLOP/s and traffic are still right. */
dsm__roofline_point dsm__roofline_point_of(const dsm_plan *plan, size_t layer, dsm_pass pass);

/** How many layers are equal: how many the points of all passes of a layer stand for, in the first
 * of them, and 0 in the others. In the arena; NULL if out of memory. O(layers log layers). */
const size_t *dsm__roofline_equal_layers(const dsm_plan *plan, dsm__arena *arena);

#endif

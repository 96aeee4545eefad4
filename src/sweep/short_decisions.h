/* SPDX-License-Identifier: GPL-3.0-or-later */
/* short_decisions.h: what a plan decides, in one short line. */
#ifndef DSM_SWEEP_SHORT_DECISIONS_H
#define DSM_SWEEP_SHORT_DECISIONS_H

#include "base/text_buffer.h"
#include "dsm/plan.h"

/**
 * Appends, joined by "; " and without what is zero:
 *   how many layers have which parallelism, such as "data 12, model_x_data_y 4"; where the passes
 *     of some layer differ in it, for each pass: "forward data 12, model 4; backward data 16; ...";
 *   "dysm 3 (x2 2, x8 1)": layers with a DySM factor above 1, and how many have which;
 *   "on chip 5": layers whose output is held;
 *   "preloaded 2": layers with preloaded weights, or a part of them;
 *   "pipelined 4": layers in pipelines.
 * The buffer's `failed` tells if it is out of memory.
 */
void dsm__short_decisions(const dsm_plan *plan, dsm__text_buffer *text);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_trace.h: the schedule of a step's stages as a part of its trace. */
#ifndef DSM_REPORT_DATA_STAGE_TRACE_H
#define DSM_REPORT_DATA_STAGE_TRACE_H

#include "base/arena.h"
#include "base/json_write.h"
#include "dsm/plan.h"

/** Writes events: a process with a track for each stage, and on it a slice for each pass of each
 * micro-batch, then what the stage does once. Nothing without stages. False if out of memory. */
bool dsm__stage_trace_write(dsm__json_writer *writer, const dsm_plan *plan, dsm__arena *arena);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage.h: the part of the torus that a layer of a pipeline runs on (section 9). */
#ifndef DSM_PLAN_STAGE_H
#define DSM_PLAN_STAGE_H

#include "dsm/model.h"

/** A torus of its own; points into itself, so it must not be moved. */
typedef struct dsm__stage {
  dsm_system system;
  dsm_machine machine;
} dsm__stage;

/** Chips of the system along its last axis, which stages share, and beside that axis: the rows of a
 * torus and its columns. */
uint64_t dsm__stage_rows_max(const dsm_system *system);
uint64_t dsm__stage_columns_max(const dsm_system *system);

/** `rows` rows of `columns` chips, with the links of a system's torus, for a step of a mode. */
void dsm__stage_init(dsm__stage *stage, const dsm_system *system, dsm_mode mode, uint64_t columns,
                     uint64_t rows);

/** Can the stages of a group be `columns` chips wide: all columns of the torus, or, with
 * model.pipeline_columns and two axes, a divisor of them? */
bool dsm__stage_can_be_wide(const dsm_system *system, uint64_t columns);

/** Rows that stages so wide have together: the torus is cut into strips, which make one chain. */
uint64_t dsm__stage_rows_together(const dsm_system *system, uint64_t columns);

/** Rows that stages of the least width have together. */
uint64_t dsm__stage_rows_most(const dsm_system *system);

/** What the time of a group is made of: the slowest of its stages in each respect. */
typedef struct dsm__stage_times {
  double step[DSM_PASS_COUNT]; /**< a timestep of a pass, handing over included; 0: no such pass */
  double once; /**< reductions, and what first invocations take beyond steady ones */
} dsm__stage_times;

/** Takes the larger of each time. */
void dsm__stage_times_join(dsm__stage_times *slowest, const dsm__stage_times *other);

/** Cycles of a group of `stage_count` layers of T timesteps: sum over passes of the slowest step
 * times (T + stages - 1), plus the slowest `once`. */
double dsm__group_total(const dsm__stage_times *slowest, uint64_t timesteps, size_t stage_count);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/stage.h"

void dsm__stage_init(dsm__stage *stage, const dsm_system *system, uint64_t columns, uint64_t rows) {
  stage->system = *system;
  stage->system.system.chips_x = columns;
  stage->system.system.chips_y = rows;
  stage->machine = dsm_machine_derive(&stage->system);
}

bool dsm__stage_can_be_wide(const dsm_system *system, uint64_t columns) {
  const uint64_t chips_x = system->system.chips_x;
  return columns == chips_x ||
         (system->model.pipeline_columns && columns > 0 && chips_x % columns == 0);
}

/*
 * Source: section 9. Symbols: n*m/w, for a width w that divides m. Limits: w = m: n.
 */
uint64_t dsm__stage_rows_together(const dsm_system *system, uint64_t columns) {
  return system->system.chips_y * (system->system.chips_x / columns);
}

void dsm__stage_times_join(dsm__stage_times *slowest, const dsm__stage_times *other) {
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    slowest->step[p] = other->step[p] > slowest->step[p] ? other->step[p] : slowest->step[p];
  }
  slowest->once = other->once > slowest->once ? other->once : slowest->once;
}

/*
 * Source: section 9; DSM III-C (timestep pipelining). Symbols: sum over passes of max step *
 * (T + stages - 1) + max once. Limits: one stage: T steps of it.
 */
double dsm__group_total(const dsm__stage_times *slowest, uint64_t timesteps, size_t stage_count) {
  const double steps = (double)timesteps + (double)stage_count - 1;
  double total = slowest->once;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    total += slowest->step[p] * steps;
  }
  return total;
}

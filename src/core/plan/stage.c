/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/stage.h"

#include "model/links.h"

void dsm__stage_init(dsm__stage *stage, const dsm_system *system, dsm_mode mode, uint64_t columns,
                     uint64_t rows) {
  stage->system = *system;
  dsm_network *const network = &stage->system.system;
  if (columns != dsm__stage_columns_max(system)) { /* of two axes */
    dsm__axis_cut(&network->axes[0], columns);
  }
  dsm__axis_cut(&network->axes[network->axis_count - 1], rows);
  stage->machine = dsm_machine_for(&stage->system, mode);
}

uint64_t dsm__stage_rows_max(const dsm_system *system) {
  return system->system.axes[system->system.axis_count - 1].chips;
}

uint64_t dsm__stage_columns_max(const dsm_system *system) {
  uint64_t columns = 1;
  for (unsigned a = 0; a + 1 < system->system.axis_count; a++) {
    columns *= system->system.axes[a].chips;
  }
  return columns;
}

bool dsm__stage_can_be_wide(const dsm_system *system, uint64_t columns) {
  const uint64_t width = dsm__stage_columns_max(system);
  const bool can_be_cut = system->model.pipeline_columns && system->system.axis_count == 2;
  return columns == width || (can_be_cut && columns > 0 && width % columns == 0);
}

/*
 * Source: section 9. Symbols: n*m/w, for a width w that divides m. Limits: w = m: n.
 */
uint64_t dsm__stage_rows_together(const dsm_system *system, uint64_t columns) {
  return dsm__stage_rows_max(system) * (dsm__stage_columns_max(system) / columns);
}

uint64_t dsm__stage_rows_most(const dsm_system *system) {
  const uint64_t least = dsm__stage_can_be_wide(system, 1) ? 1 : dsm__stage_columns_max(system);
  return dsm__stage_rows_together(system, least);
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

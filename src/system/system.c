/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/system.h"

#include <string.h>

#include "base/arena.h"
#include "system/system_internal.h"

dsm_system *dsm__system_new(void) {
  return DSM__ARENA_OWNER(dsm_system);
}

void dsm_system_free(dsm_system *system) {
  if (system != NULL) {
    dsm__arena_free(system->arena);
  }
}

/* Peak FLOP/s of a chip: 2 * cores * MACs of a core * frequency. */
static double chip_peak_flops(const dsm_system *system) {
  const double core_macs =
      (double)system->array.rows * (double)system->array.columns * (double)system->pe.simd_macs;
  return 2 * (double)system->chip.cores * core_macs * system->core.frequency_GHz * 1e9;
}

double dsm_system_peak_flops(const dsm_system *system) {
  return chip_peak_flops(system) * (double)system->system.chips_x * (double)system->system.chips_y;
}

double dsm_system_machine_balance(const dsm_system *system) {
  const dsm_memory *const memory = &system->chip.memory;
  return chip_peak_flops(system) / (memory->bandwidth_GBps * 1e9 * memory->efficiency_ratio);
}

const char *dsm_system_note(const dsm_system *system, const char *path) {
  for (size_t i = 0; i < system->note_count; i++) {
    if (strcmp(system->note_paths[i], path) == 0) {
      return system->note_texts[i];
    }
  }
  return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "system/system_internal.h"

dsm_system *dsm__system_new(void) {
  static const char *const names[] = {"x", "y"};
  dsm_system *const system = DSM__ARENA_OWNER(dsm_system);
  for (unsigned a = 0; system != NULL && a < DSM__COUNT_OF(names); a++) {
    system->system.axes[a] = (dsm_network_axis){.name = names[a],
                                                .efficiency_ratio = 1,
                                                .chips_per_port = 1,
                                                .group_chips = 1,
                                                .oversubscription = 1,
                                                .global_links = 1};
    system->system.axis_count = a + 1;
  }
  return system;
}

DSM__ARENA_FREE(dsm_system, dsm_system_free);

/* Peak FLOP/s of a chip: as stated, or 2 * cores * MACs of a core * frequency. */
static double chip_peak_flops(const dsm_system *system) {
  if (system->chip.peak_TFLOPS > 0) {
    return system->chip.peak_TFLOPS * 1e12;
  }
  const double arrays = (double)system->array.rows * (double)system->array.columns *
                        (double)system->pe.simd_macs * (double)system->core.arrays;
  const double vector = system->core.vector_macs_per_cycle; /* computes in place of them */
  const double core_macs = arrays > vector ? arrays : vector;
  return 2 * (double)system->chip.cores * core_macs * system->core.frequency_GHz *
         DSM__HERTZ_PER_GHZ;
}

uint64_t dsm_system_chips(const dsm_system *system) {
  uint64_t chips = 1;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    chips *= system->system.axes[a].chips;
  }
  return chips;
}

/* Source: section 12; A: buffers, fragmentation and contexts take a share. Symbols: capacity_GB *
 * 10^9 * (1 - reserve_ratio). Limits: no reserve: the capacity. */
double dsm_system_usable_bytes(const dsm_system *system) {
  return dsm__bytes_of_GB(system->chip.memory.capacity_GB) *
         (1 - system->chip.memory.reserve_ratio);
}

double dsm_system_peak_flops(const dsm_system *system) {
  return chip_peak_flops(system) * (double)dsm_system_chips(system);
}

dsm__chips_text dsm__chips_text_of(const dsm_system *system, const char *by) {
  dsm__chips_text made = {""};
  size_t used = 0;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const int wrote = snprintf(made.text + used, sizeof made.text - used, "%s%" PRIu64,
                               a > 0 ? by : "", system->system.axes[a].chips);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
  const bool is_one = system->system.axis_count == 1 && system->system.axes[0].chips == 1;
  (void)snprintf(made.text + used, sizeof made.text - used, is_one ? " chip" : " chips");
  return made;
}

double dsm_system_machine_balance(const dsm_system *system) {
  const dsm_memory *const memory = &system->chip.memory;
  return chip_peak_flops(system) /
         (dsm__bytes_of_GB(memory->bandwidth_GBps) * memory->efficiency_ratio);
}

const char *dsm_system_note(const dsm_system *system, const char *path) {
  for (size_t i = 0; i < system->note_count; i++) {
    if (strcmp(system->note_paths[i], path) == 0) {
      return system->note_texts[i];
    }
  }
  return NULL;
}

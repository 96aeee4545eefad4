/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "drawn_energy.h"

#include "random_numbers.h"

void drawn_energy_set(dsm_system *system, uint64_t seed) {
  uint64_t state = seed + 1;
  dsm_energy *const energy = &system->technology.energy;
  double *const numbers[] = {&energy->vector_pJ,
                             &energy->scratchpad_pJ_per_byte,
                             &energy->shared_pJ_per_byte,
                             &energy->core_link_pJ_per_byte,
                             &energy->memory_pJ_per_byte,
                             &energy->link_pJ_per_byte[DSM_MEDIUM_BOARD],
                             &energy->link_pJ_per_byte[DSM_MEDIUM_CABLE],
                             &energy->link_pJ_per_byte[DSM_MEDIUM_OPTICS]};
  system->technology.is_stated = true;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    *numbers[i] = (double)(1 + random_below(&state, 32)) / 4;
  }
  for (int t = 0; t < DSM_ELEMENT_TYPE_COUNT; t++) {
    energy->mac_pJ[t] = (double)(1 + random_below(&state, 4)) / 4;
  }
  for (int a = 0; a < DSM_AXES_MAX; a++) {
    energy->medium[a] = (dsm_medium)random_below(&state, DSM_MEDIUM_COUNT);
  }
}

dsm_weights drawn_weights(double of_cycles, double of_pJ) {
  return (dsm_weights){.cycles = of_cycles, .joules = of_pJ * 1e12};
}

double drawn_price(const dsm_plan *plan, const dsm_weights *weights) {
  double joules = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      joules += dsm_joules_dynamic(&plan->layers[i].passes[p].energy);
    }
  }
  return weights->cycles * plan->result.step_cycles +
         weights->joules * joules / (double)dsm_system_chips(plan->system);
}

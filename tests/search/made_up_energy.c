/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "made_up_energy.h"

#include "random_numbers.h"

static uint64_t mix(uint64_t hash, uint64_t number) {
  uint64_t state = hash ^ number;
  return random_next(&state);
}

double made_up_joules(const void *energy, const dsm_layer *layer, const dsm_machine *machine,
                      uint64_t minibatch, uint64_t dysm_factor, dsm_pass pass,
                      dsm_parallelism parallelism) {
  const made_up_energy *const of = energy;
  const dsm_chip_share share = dsm_chip_share_derive(layer, machine, parallelism, minibatch);
  uint64_t hash = mix(of->seed, (uint64_t)pass);
  hash = mix(hash, layer->input_elements);
  hash = mix(hash, layer->weight_elements);
  hash = mix(hash, layer->stored_elements);
  hash = mix(hash, dysm_factor);
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    hash = mix(hash, share.chip.n[d]);
  }
  return 1 + (double)(hash % 1000);
}

double made_up_held_share(const dsm__holding *holding, dsm_pass pass) {
  const bool reads = pass != DSM_PASS_UPDATE;
  return 1 - (holding->is_output_held ? 0.25 : 0) - (reads && holding->is_input_held ? 0.25 : 0) -
         (reads && holding->is_shortcut_held ? 0.125 : 0);
}

double made_up_exchange_joules(const void *energy, const dsm_traffic *traffic) {
  const made_up_energy *const of = energy;
  double joules = 0;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    joules += traffic->bytes[l] * (double)(1 + mix(of->seed, (uint64_t)l) % 8) / 4;
  }
  return joules;
}

static double of_pass(const void *energy, const dsm__layer_setting *setting, dsm_pass pass,
                      dsm_parallelism parallelism) {
  return made_up_held_share(&setting->holding, pass) *
         made_up_joules(energy, setting->layer, setting->machine, setting->minibatch,
                        setting->dysm_factor, pass, parallelism);
}

dsm__energy made_up_energy_of(const made_up_energy *energy) {
  return (dsm__energy){of_pass, made_up_exchange_joules, energy};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* residency.c: what stays on chip, and what room it has (sections 7, 8 and 10). */
#include <math.h>

#include "base/checked.h"
#include "base/units.h"
#include "model/engine.h"

dsm_residency dsm_residency_none(const dsm_machine *machine) {
  return (dsm_residency){.scratchpad_bytes = machine->scratchpad_bytes,
                         .shared_bytes = machine->shared_memory_bytes,
                         .is_in_shared_memory = machine->has_shared_memory};
}

/*
 * Source: section 8; DSM III-B (dynamic spatial minibatching). Symbols: f a power of two that
 * divides Nmb with Nmb / f >= chips, layers without timesteps. Limits: f = 1 is always valid.
 */
bool dsm_dysm_factor_is_valid(const dsm_layer *layer, const dsm_machine *machine,
                              uint64_t minibatch, uint64_t factor) {
  if (factor == 1) {
    return true;
  }
  const bool is_power_of_two = factor != 0 && (factor & (factor - 1)) == 0;
  return is_power_of_two && layer->timesteps == 1 && minibatch % factor == 0 &&
         minibatch / factor >= machine->chip_count;
}

/* Source: section 7; DSM III-B2 (weights are reused over timesteps). Limits: T = 1: nothing to keep
 * it for. */
bool dsm_kernel_can_be_kept(const dsm_layer *layer, const dsm_machine *machine) {
  const bool is_operand = layer->is_product;
  return layer->timesteps > 1 && layer->lookup_elements == 0 &&
         (!is_operand || machine->system->model.resident_operands);
}

/* Source: section 7. Symbols: elements*mbc/nm*B, mbc = ceil(S/nd). Limits: one chip: all of it. */
double dsm_tensor_chip_bytes(uint64_t elements, const dsm_machine *machine, dsm_precision precision,
                             dsm_parallelism parallelism, uint64_t samples) {
  const uint64_t stored_ways = dsm__divided_ways(machine, parallelism, DSM_DIVIDED_STORED);
  const uint64_t chip_samples =
      dsm__ceil_div_u64(samples, dsm__divided_ways(machine, parallelism, DSM_DIVIDED_SAMPLES));
  return (double)elements * (double)chip_samples / (double)stored_ways * precision.element_bytes;
}

/*
 * Source: sections 7 and 10. Symbols: cores * (scratchpad - W - streaming_buffer); of a shared
 * memory capacity - W: what streams passes it. Limits: no streaming buffers, nothing preloaded: all
 * scratchpads of the chip.
 */
double dsm_held_limit_bytes(const dsm_machine *machine, double preloaded_bytes) {
  if (machine->has_shared_memory) {
    return machine->shared_memory_bytes - preloaded_bytes;
  }
  const double buffers = machine->system->core.streaming_buffer_KiB * DSM__BYTES_PER_KIB;
  return (double)machine->system->chip.cores *
         (machine->scratchpad_bytes - preloaded_bytes - buffers);
}

/*
 * Source: sections 7 and 10. Symbols: cap = max(scratchpad - W - held/cores, scratchpad/16).
 * Limits: nothing on chip: the whole scratchpad.
 */
double dsm_scratchpad_left_bytes(const dsm_machine *machine, double preloaded_bytes,
                                 double held_bytes) {
  if (machine->has_shared_memory) {
    return machine->scratchpad_bytes;
  }
  const double left = machine->scratchpad_bytes - preloaded_bytes -
                      held_bytes / (double)machine->system->chip.cores;
  const double least = machine->scratchpad_bytes / 16;
  return left > least ? left : least;
}

/*
 * Source: sections 7 and 10. Symbols: free = max(0, capacity - W - held). Limits: nothing held: the
 * shared memory.
 */
double dsm_shared_left_bytes(const dsm_machine *machine, double preloaded_bytes,
                             double held_bytes) {
  const double left = machine->shared_memory_bytes - preloaded_bytes - held_bytes;
  return left > 0 ? left : 0;
}

double dsm_kept_room_bytes(const dsm_machine *machine, const dsm_residency *residency) {
  return machine->has_shared_memory ? residency->shared_bytes : residency->scratchpad_bytes;
}

/*
 * Source: section 7. Symbols: kcore * (forward ? 1 : bptt_resident_copies) <= cap *
 * resident_weight_fraction; with a shared memory ker and free. Limits: no copies: only the forward
 * pass is limited.
 */
double dsm_resident_kernel_limit_bytes(const dsm_machine *machine, dsm_pass pass,
                                       double room_bytes) {
  const double room = room_bytes * machine->system->core.resident_weight_fraction;
  const double copies = pass == DSM_PASS_FORWARD ? 1 : machine->system->model.bptt_resident_copies;
  return copies > 0 ? room / copies : HUGE_VAL;
}

/*
 * Source: section 10. Symbols: scratchpad - streaming_buffer / 3: weights on chip need no buffer;
 * with a shared memory its capacity, but with model.tiling "blocked" nothing: how time falls with
 * what is on chip is known for the two orders of loops only. Limits: no streaming buffers: the
 * scratchpad.
 */
double dsm_preload_room_bytes(const dsm_machine *machine) {
  const dsm_assumptions *const model = &machine->system->model;
  if (machine->has_shared_memory) {
    return model->tiling == DSM_TILING_BLOCKED && machine->engine->has_splits
               ? 0
               : machine->shared_memory_bytes;
  }
  const double buffers = machine->system->core.streaming_buffer_KiB * DSM__BYTES_PER_KIB;
  const double room = machine->scratchpad_bytes - buffers / 3;
  return room > 0 ? room : 0;
}

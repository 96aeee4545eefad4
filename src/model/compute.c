/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compute.c: cycles of the PE arrays (section 4). */
#include "base/checked.h"
#include "model/equations.h"

double dsm__array_blocks(const dsm_machine *machine, dsm_pass pass, const dsm__core_work *core) {
  const bool is_backward = pass == DSM_PASS_BACKWARD;
  const uint64_t reduced = is_backward ? core->out : core->in;
  const uint64_t produced = is_backward ? core->in : core->out;
  const uint64_t produced_blocks = dsm__ceil_div_u64(produced, machine->production_chunk);
  const uint64_t reduced_blocks =
      machine->system->array.unroll_kernel_on_rows
          ? dsm__ceil_div_u64(reduced * core->kij, machine->reduction_chunk)
          : dsm__ceil_div_u64(reduced, machine->reduction_chunk) * core->kij;
  return (double)core->groups * (double)reduced_blocks * (double)produced_blocks;
}

double dsm__block_cycles(const dsm_machine *machine, double element_bytes,
                         const dsm__core_work *core) {
  const double stream = (double)core->ij * (double)core->mb;
  if (!machine->system->array.weights_from_scratchpad) {
    return stream;
  }
  const double block_bytes =
      (double)machine->reduction_chunk * (double)machine->production_chunk * element_bytes;
  const double load = block_bytes / machine->scratchpad_bytes_per_cycle;
  return stream > load ? stream : load;
}

double dsm__startup_cycles(const dsm_system *system, uint64_t model_ways) {
  return (double)model_ways * system->array.startup_cycles;
}

double dsm__block_change_cycles(const dsm_system *system, uint64_t model_ways, double blocks) {
  return (double)model_ways * blocks * system->array.block_cycles;
}

double dsm__whole_block_cycles(const dsm_system *system, double block_cycles) {
  return block_cycles / system->array.efficiency_ratio + system->array.block_cycles;
}

double dsm__primary_cycles(const dsm_machine *machine, uint64_t model_ways, double blocks,
                           double block_cycles) {
  return (double)model_ways * blocks * dsm__whole_block_cycles(machine->system, block_cycles) +
         dsm__startup_cycles(machine->system, model_ways);
}

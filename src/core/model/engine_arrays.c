/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine_arrays.c: arrays in which blocks of weights stay, one after the other (section 4). */
#include <math.h>

#include "base/checked.h"
#include "base/order.h"
#include "model/engine.h"

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

double dsm__shared_blocks(const dsm_machine *machine, dsm_pass pass, const dsm__core_work *core) {
  const bool is_backward = pass == DSM_PASS_BACKWARD;
  const uint64_t produced = is_backward ? core->in : core->out;
  const uint64_t columns = core->groups * dsm__ceil_div_u64(produced, machine->production_chunk);
  const uint64_t shared = dsm__ceil_div_u64(columns, machine->system->core.arrays);
  return dsm__array_blocks(machine, pass, core) / (double)columns * (double)shared;
}

double dsm__array_core_macs(const dsm_system *system, double array_rate) {
  const double arrays = (double)system->array.rows * (double)system->array.columns *
                        (double)system->pe.simd_macs * (double)system->core.arrays * array_rate;
  return dsm__larger(arrays, system->core.vector_macs_per_cycle);
}

double dsm__block_cycles(const dsm_machine *machine, double array_rate, double kernel_bytes,
                         double stream, double blocks_at_once) {
  const double used = stream / array_rate;
  if (!machine->system->array.weights_from_scratchpad) {
    return used;
  }
  const double block_bytes = (double)machine->reduction_chunk * (double)machine->production_chunk *
                             kernel_bytes * blocks_at_once;
  const double load = block_bytes / machine->scratchpad_bytes_per_cycle;
  return used > load ? used : load;
}

double dsm__startup_cycles(const dsm_machine *machine, uint64_t model_ways) {
  return (double)model_ways * machine->system->array.startup_cycles / machine->clock_ratio;
}

double dsm__block_change_cycles(const dsm_machine *machine, uint64_t model_ways, double blocks) {
  return (double)model_ways * blocks * machine->system->array.block_cycles / machine->clock_ratio;
}

double dsm__whole_block_cycles(const dsm_machine *machine, double block_cycles) {
  const dsm_array *const array = &machine->system->array;
  return (block_cycles / array->efficiency_ratio + array->block_cycles) / machine->clock_ratio;
}

double dsm__primary_cycles(const dsm_machine *machine, uint64_t model_ways, double blocks,
                           double block_cycles) {
  return (double)model_ways * blocks * dsm__whole_block_cycles(machine, block_cycles) +
         dsm__startup_cycles(machine, model_ways);
}

/* Blocks of weights that follow one another in each array. */
static inline dsm__primary of_arrays(const dsm_pass_work *work, dsm_computing computing,
                                     double blocks, double stream, double blocks_at_once) {
  const dsm_machine *const machine = work->machine;
  const uint64_t ways = work->share.turns;
  const double done = blocks * work->product_share;
  const double block_cycles = dsm__block_cycles(machine, work->precision.array_rate,
                                                work->tensor_bytes.kernel, stream, blocks_at_once);
  return (dsm__primary){
      .computing = computing,
      .cycles = dsm__primary_cycles(machine, ways, done, block_cycles),
      .blocks = done,
      .is_block_loading = block_cycles > stream / work->precision.array_rate,
  };
}

static dsm__primary of_array(const dsm_pass_work *work, const dsm__core_work *core) {
  return of_arrays(work, DSM_COMPUTING_ARRAY, dsm__array_blocks(work->machine, work->pass, core),
                   (double)core->ij * (double)core->mb, 1);
}

/* All arrays have other blocks, or all the same block for a part of what streams. */
static dsm__primary of_several_arrays(const dsm_pass_work *work, const dsm__core_work *core) {
  const double arrays = (double)work->machine->system->core.arrays;
  const double stream = (double)core->ij * (double)core->mb;
  const dsm__primary by_features =
      of_arrays(work, DSM_COMPUTING_FEATURES, dsm__shared_blocks(work->machine, work->pass, core),
                stream, arrays);
  const dsm__primary by_samples =
      of_arrays(work, DSM_COMPUTING_SAMPLES, dsm__array_blocks(work->machine, work->pass, core),
                ceil(stream / arrays), 1);
  return by_samples.cycles < by_features.cycles ? by_samples : by_features;
}

double dsm__vector_cycles(const dsm_machine *machine, uint64_t model_ways, double macs) {
  const double rate = machine->system->core.vector_macs_per_cycle * machine->clock_ratio;
  return rate > 0 ? (double)model_ways * macs / rate : HUGE_VAL;
}

/* The samples of a product of activations have other blocks each, one after the other. */
static dsm__core_work streamed_work(const dsm_pass_work *work, const dsm__core_work *core) {
  dsm__core_work streamed = *core;
  if (dsm__has_own_groups(work->layer)) {
    streamed.groups *= core->mb;
    streamed.mb = 1;
  }
  return streamed;
}

double dsm__primary_of_core(const dsm_pass_work *work, const dsm__core_work *core) {
  const dsm_machine *const machine = work->machine;
  if (machine->system->core.arrays > 1 || machine->system->core.vector_macs_per_cycle > 0) {
    return dsm__primary_derive(work, core).cycles;
  }
  const dsm__core_work streamed = streamed_work(work, core);
  const double stream = (double)streamed.ij * (double)streamed.mb;
  return dsm__primary_cycles(
      machine, work->share.turns,
      dsm__array_blocks(machine, work->pass, &streamed) * work->product_share,
      dsm__block_cycles(machine, work->precision.array_rate, work->tensor_bytes.kernel, stream, 1));
}

dsm__primary dsm__primary_derive(const dsm_pass_work *work, const dsm__core_work *core) {
  const dsm_core *const of = &work->machine->system->core;
  const dsm__core_work streamed = streamed_work(work, core);
  const double stream = (double)core->ij * (double)core->mb;
  const dsm__primary arrays =
      of->arrays > 1 ? of_several_arrays(work, &streamed) : of_array(work, &streamed);
  if (!(of->vector_macs_per_cycle > 0)) {
    return arrays;
  }
  const double macs = (double)core->groups * (double)core->in * (double)core->out *
                      (double)core->kij * stream * work->product_share;
  const double cycles = dsm__vector_cycles(work->machine, work->share.turns, macs);
  return cycles < arrays.cycles
             ? (dsm__primary){.computing = DSM_COMPUTING_VECTOR_UNIT, .cycles = cycles}
             : arrays;
}

/* ---- the row ---- */

static bool is_any(const dsm_system *system) {
  (void)system;
  return true;
}

static double cycles_of(const dsm_pass_work *work, const dsm_loops *split) {
  const dsm__core_work core = dsm__core_work_derive(&work->share, split);
  return dsm__primary_of_core(work, &core);
}

static dsm__primary primary_of(const dsm_pass_work *work, const dsm_loops *split) {
  const dsm__core_work core = dsm__core_work_derive(&work->share, split);
  return dsm__primary_derive(work, &core);
}

static dsm_computing computing(const dsm_pass_work *work, const dsm_loops *split) {
  return primary_of(work, split).computing;
}

double dsm__primary_starting(const dsm_pass_work *work, const dsm__primary *primary) {
  const dsm_machine *const machine = work->machine;
  const uint64_t ways = work->share.turns;
  return primary->blocks > 0 ? dsm__startup_cycles(machine, ways) +
                                   dsm__block_change_cycles(machine, ways, primary->blocks)
                             : 0;
}

static void add_resources(const dsm_pass_work *work, const dsm_loops *split, double primary_cycles,
                          double cycles[DSM_BOUND_COUNT]) {
  const dsm__primary primary = primary_of(work, split);
  const double begins = dsm__primary_starting(work, &primary);
  cycles[DSM_BOUND_STARTUP] += begins;
  cycles[primary.is_block_loading ? DSM_BOUND_SCRATCHPAD : DSM_BOUND_COMPUTE] +=
      primary_cycles - begins;
}

const dsm__engine dsm__engine_arrays = {
    .is_of = is_any,
    .has_splits = true,
    .core_macs = dsm__array_core_macs,
    .cycles = cycles_of,
    .computing = computing,
    .add_resources = add_resources,
};

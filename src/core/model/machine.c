/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine.c: a system's rates in the model's units, and what a group of transfers costs. */
#include <math.h>

#include "base/element_types.h"
#include "base/units.h"
#include "model/engine.h"

/* GB/s over GHz: 10^9 bytes a second over 10^9 cycles a second. */
static double bytes_per_cycle(double bandwidth_GBps, double frequency_GHz) {
  return bandwidth_GBps / frequency_GHz;
}

dsm_machine dsm_machine_derive(const dsm_system *system) {
  return dsm_machine_for(system, DSM_MODE_INFERENCE);
}

/* Source: section 4, a sustained clock. Symbols: a cycle is one of core.frequency_GHz; cores take
 * 1 / clock_ratio as many, what is no core as many as before. Limits: ratio 1: all at one clock. */
dsm_machine dsm_machine_for(const dsm_system *system, dsm_mode mode) {
  const double frequency_GHz = system->core.frequency_GHz;
  const double usable_memory_GBps =
      system->chip.memory.bandwidth_GBps * system->chip.memory.efficiency_ratio;
  dsm_machine machine = {
      .system = system,
      .scratchpad_bytes = system->core.scratchpad_MiB * DSM__BYTES_PER_MIB,
      .scratchpad_bytes_per_cycle =
          bytes_per_cycle(system->core.scratchpad_bandwidth_GBps, frequency_GHz),
      .overhead_cycles = dsm__cycles_of_us(system->core.operation_overhead_us, frequency_GHz),
      .issue_cycles = dsm__cycles_of_us(system->core.issue_us, frequency_GHz),
      .has_shared_memory = system->chip.shared_memory.capacity_MB > 0,
      .shared_memory_bytes = system->chip.shared_memory.capacity_MB * DSM__BYTES_PER_MB,
      .chip_count = dsm_system_chips(system),
      .parallelism_count = 1U << system->system.axis_count,
      .mode = mode,
      .clock_ratio = mode == DSM_MODE_TRAINING ? system->core.sustained_frequency_ratio : 1,
      .engine = dsm__engine_of(system),
      .reduction_chunk = system->array.rows,
      .production_chunk = system->array.columns * system->pe.simd_macs,
      .weights = {.cycles = 1},
  };
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    const bool is_there = a < system->system.axis_count;
    machine.link_bytes_per_cycle[DSM_LINK_AXIS + a] =
        is_there ? bytes_per_cycle(system->system.axes[a].bandwidth_GBps *
                                       system->system.axes[a].efficiency_ratio,
                                   frequency_GHz)
                 : HUGE_VAL;
  }
  machine.link_bytes_per_cycle[DSM_LINK_MEMORY] =
      bytes_per_cycle(usable_memory_GBps, frequency_GHz);
  const double auxiliary_ratio = system->chip.memory.auxiliary_efficiency_ratio;
  machine.link_bytes_per_cycle[DSM_LINK_AUXILIARY_MEMORY] =
      bytes_per_cycle(auxiliary_ratio > 0 ? system->chip.memory.bandwidth_GBps * auxiliary_ratio
                                          : usable_memory_GBps,
                      frequency_GHz);
  machine.auxiliary_link = auxiliary_ratio > 0 ? DSM_LINK_AUXILIARY_MEMORY : DSM_LINK_MEMORY;
  machine.core_links = dsm__core_links_derive(&system->chip);
  machine.link_bytes_per_cycle[DSM_LINK_RING] = HUGE_VAL;
  machine.link_bytes_per_cycle[DSM_LINK_CORES] = HUGE_VAL;
  machine.link_bytes_per_cycle[DSM_LINK_SHARED] =
      machine.has_shared_memory
          ? bytes_per_cycle(system->chip.shared_memory.bandwidth_GBps, frequency_GHz)
          : HUGE_VAL;
  machine.link_bytes_per_cycle[machine.core_links.link] =
      bytes_per_cycle(system->chip.core_link_bandwidth_GBps, frequency_GHz) * machine.clock_ratio;
  machine.peak_macs_per_cycle =
      (double)machine.chip_count * (double)system->chip.cores * dsm__core_macs_per_cycle(system, 1);
  if (system->technology.is_stated) {
    machine.energy = dsm__energy_rates_of(system, &machine.core_links);
  }
  return machine;
}

/*
 * Source: section 5 (weight update): momentum and weights read and written, the gradient read, in
 * single precision, 20; two more passes over weights and gradient for the norms of lars, 28; two
 * moments of adam, 28; in mixed precision with its clipping and copies 40. Momenta of another type
 * are read and written in it. Limits: no optimizer: 0.
 */
double dsm__optimizer_traffic_bytes(dsm_optimizer optimizer, dsm_element_type of_momenta) {
  static const struct {
    double bytes;
    double momenta;
  } rows[DSM_OPTIMIZER_COUNT] = {
      [DSM_OPTIMIZER_SGD] = {20, 1},
      [DSM_OPTIMIZER_LARS] = {28, 1},
      [DSM_OPTIMIZER_ADAM] = {28, 2},
      [DSM_OPTIMIZER_ADAM_MIXED] = {40, 2},
  };
  static const double single = 4;
  const double momentum =
      of_momenta == DSM_ELEMENT_TYPE_ANY ? single : dsm_element_type_bytes(of_momenta);
  return rows[optimizer].bytes - 2 * rows[optimizer].momenta * (single - momentum);
}

static dsm_element_type type_of_bytes(double bytes) {
  if (bytes <= 1) {
    return DSM_ELEMENT_TYPE_INT8;
  }
  return bytes <= 2 ? DSM_ELEMENT_TYPE_FP16 : DSM_ELEMENT_TYPE_FP32;
}

dsm_element_type dsm_workload_element_type(const dsm_workload *workload) {
  const dsm_element_type *const of = workload->types.of;
  const dsm_element_type stated[] = {of[DSM_USE_OPERANDS], workload->element_type,
                                     of[DSM_USE_ACTIVATIONS]};
  for (size_t i = 0; i < sizeof stated / sizeof stated[0]; i++) {
    if (stated[i] != DSM_ELEMENT_TYPE_ANY) {
      return stated[i];
    }
  }
  return type_of_bytes(workload->element_bytes);
}

dsm_element_type dsm_system_rate_type(const dsm_system *system, dsm_element_type type) {
  dsm_element_type rate = dsm__element_type_rows[type].rate;
  while (!(system->pe.rates[rate] > 0) && dsm__element_type_rows[rate].wider != rate) {
    rate = dsm__element_type_rows[rate].wider;
  }
  return rate;
}

double dsm__type_rate(const dsm_system *system, dsm_element_type type) {
  return system->pe.rates[dsm_system_rate_type(system, type)];
}

dsm_precision dsm_precision_of(const dsm_workload *workload, const dsm_system *system) {
  const double own = system->model.partial_sum_bytes;
  const bool is_stated = workload->element_type != DSM_ELEMENT_TYPE_ANY &&
                         !dsm__is_narrow(workload->element_type, workload->element_bytes);
  return (dsm_precision){
      .element_bytes = workload->element_bytes,
      .weight_bytes = workload->weight_bytes,
      .cache_bytes = workload->cache_bytes,
      .gradient_bytes = workload->gradient_bytes,
      .partial_sum_bytes = own > 0 ? own : workload->partial_sum_bytes,
      .update_bytes =
          dsm__optimizer_traffic_bytes(workload->optimizer, workload->types.of[DSM_USE_OPTIMIZER]),
      .normalization_group = (double)workload->normalization_group,
      .array_rate = is_stated ? dsm__type_rate(system, workload->element_type) : 0,
      .array_type = is_stated ? (uint64_t)workload->element_type : DSM_ELEMENT_TYPE_ANY,
  };
}

double dsm__stated_bytes(double stated, double element_bytes) {
  return stated > 0 ? stated : element_bytes;
}

double dsm__layer_weight_bytes(const dsm_layer *layer, double weight_bytes, double element_bytes) {
  return dsm__stated_bytes(layer->bytes.weights, dsm__stated_bytes(weight_bytes, element_bytes));
}

double dsm__layer_cache_bytes(const dsm_layer *layer, double cache_bytes, double element_bytes) {
  return dsm__stated_bytes(layer->bytes.cache, dsm__stated_bytes(cache_bytes, element_bytes));
}

static double kernel_bytes(const dsm_layer *layer, const dsm_precision *precision, dsm_mode mode) {
  const double usual = precision->element_bytes;
  if (!layer->is_product) {
    return dsm__layer_weight_bytes(layer, precision->weight_bytes, usual);
  }
  const bool is_cached = layer->cache_elements > 0 && mode == DSM_MODE_INFERENCE;
  return is_cached ? dsm__layer_cache_bytes(layer, precision->cache_bytes, usual)
                   : dsm__stated_bytes(layer->bytes.operand, usual);
}

/* What a product reads has the bytes of its operands' type, where that is narrower than what is
 * stored; what is stored narrower, and a cache, is widened on its way. What is made is stored. */
static void read_as_operands(dsm_tensor_bytes *bytes, const dsm_layer *layer,
                             const dsm_precision *precision, dsm_mode mode, dsm_pass pass) {
  const dsm_layer_casts *const casts = &layer->casts;
  const bool is_update = pass == DSM_PASS_UPDATE;
  const bool is_cached = layer->cache_elements > 0 && mode == DSM_MODE_INFERENCE;
  if (casts->operands != DSM_ELEMENT_TYPE_ANY) {
    const double operand = dsm_element_type_bytes(casts->operands);
    bytes->input = pass == DSM_PASS_BACKWARD ? bytes->input : fmin(bytes->input, operand);
    bytes->output = pass == DSM_PASS_FORWARD ? bytes->output : fmin(bytes->output, operand);
    bytes->kernel = is_cached ? bytes->kernel : fmin(bytes->kernel, operand);
  }
  if (is_update && (casts->are_gradients_typed || casts->operands != DSM_ELEMENT_TYPE_ANY)) {
    bytes->kernel = precision->gradient_bytes;
  }
}

dsm_tensor_bytes dsm__tensor_bytes_derive(const dsm_layer *layer, const dsm_precision *precision,
                                          dsm_mode mode, dsm_pass pass) {
  const double usual = precision->element_bytes;
  dsm_tensor_bytes bytes = {
      .input = dsm__stated_bytes(layer->bytes.input, usual),
      .output = dsm__stated_bytes(layer->bytes.output, usual),
      .kernel = kernel_bytes(layer, precision, mode),
      .shortcut = dsm__stated_bytes(layer->bytes.shortcut, usual),
  };
  bytes.stored_input = bytes.input;
  bytes.stored_output = bytes.output;
  read_as_operands(&bytes, layer, precision, mode, pass);
  const double made = pass == DSM_PASS_FORWARD    ? bytes.output
                      : pass == DSM_PASS_BACKWARD ? bytes.input
                                                  : bytes.kernel;
  bytes.sum = precision->partial_sum_bytes / made;
  return bytes;
}

dsm_element_type dsm__pass_element_type(const dsm_layer *layer, const dsm_precision *precision,
                                        dsm_mode mode, dsm_pass pass) {
  const dsm_tensor_bytes bytes = dsm__tensor_bytes_derive(layer, precision, mode, pass);
  double left = bytes.input;
  double right = bytes.kernel;
  if (layer->casts.operands != DSM_ELEMENT_TYPE_ANY) {
    return layer->casts.operands;
  }
  if (precision->array_type != DSM_ELEMENT_TYPE_ANY) {
    return (dsm_element_type)precision->array_type;
  }
  if (pass == DSM_PASS_BACKWARD) {
    left = layer->is_product ? fmax(left, bytes.output) : bytes.output;
  } else if (pass == DSM_PASS_UPDATE) {
    right = bytes.output;
  }
  return type_of_bytes(fmax(left, right));
}

double dsm__pass_array_rate(const dsm_layer *layer, const dsm_system *system,
                            const dsm_precision *precision, dsm_mode mode, dsm_pass pass) {
  return layer->casts.operands == DSM_ELEMENT_TYPE_ANY && precision->array_rate > 0
             ? precision->array_rate
             : dsm__type_rate(system, dsm__pass_element_type(layer, precision, mode, pass));
}

double dsm_link_cycles(const dsm_machine *machine, dsm_link link, double bytes) {
  return bytes / machine->link_bytes_per_cycle[link];
}

/* Cycles of what has the slowest link: memory is one, whatever moves at amem. */
static double slowest_cycles(const dsm_machine *machine, const dsm_traffic *traffic,
                             dsm_link *slowest) {
  double most = 0;
  double memory = 0;
  *slowest = DSM_LINK_AXIS;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    const bool is_memory = l == DSM_LINK_MEMORY || l == DSM_LINK_AUXILIARY_MEMORY;
    if (traffic->bytes[l] > 0) { /* of most links nothing */
      double cycles = dsm_link_cycles(machine, (dsm_link)l, traffic->bytes[l]);
      memory += is_memory ? cycles : 0;
      cycles = is_memory ? memory : cycles;
      *slowest = cycles > most ? (dsm_link)l : *slowest;
      most = cycles > most ? cycles : most;
    }
  }
  return most;
}

/* Resources that are links have the order of links. */
_Static_assert(DSM_BOUND_MEMORY - DSM_BOUND_AXIS == DSM_LINK_MEMORY &&
                   DSM_BOUND_RING - DSM_BOUND_AXIS == DSM_LINK_RING &&
                   DSM_BOUND_CORES - DSM_BOUND_AXIS == DSM_LINK_CORES &&
                   DSM_BOUND_SHARED - DSM_BOUND_AXIS == DSM_LINK_SHARED,
               "a bound for each link");

dsm_bound dsm_bound_of_link(dsm_link link) {
  return link == DSM_LINK_AUXILIARY_MEMORY ? DSM_BOUND_AUXILIARY_MEMORY
                                           : (dsm_bound)((unsigned)DSM_BOUND_AXIS + (unsigned)link);
}

double dsm_group_cycles(const dsm_machine *machine, const dsm_traffic *traffic) {
  dsm_link slowest;
  return slowest_cycles(machine, traffic, &slowest) + traffic->latency_cycles;
}

dsm_link dsm_group_slowest_link(const dsm_machine *machine, const dsm_traffic *traffic) {
  dsm_link slowest;
  (void)slowest_cycles(machine, traffic, &slowest);
  return slowest;
}

/* The peak of a core over that with elements of 16 bits. */
static double over_16_bits(const dsm_system *system, double array_rate) {
  return dsm__core_macs_per_cycle(system, array_rate) / dsm__core_macs_per_cycle(system, 1);
}

/*
 * Source: section 6; DSM V (utilization). Symbols: Nmb * macs * T / peak of the
 * element type, a matmul's backward twice
 * in place of the update it lacks. Limits: infinite peak: 0.
 */
double dsm_ideal_cycles(const dsm_layer *layer, const dsm_machine *machine, double array_rate,
                        dsm_pass pass, uint64_t minibatch) {
  const double macs = (double)layer->macs * dsm__visible_share(layer, &machine->system->model);
  return macs * (double)minibatch * (double)dsm_invocation_count(layer, pass) /
         (machine->peak_macs_per_cycle * over_16_bits(machine->system, array_rate));
}

double dsm_workload_peak_flops(const dsm_workload *workload, const dsm_system *system) {
  const double rate = dsm__type_rate(system, dsm_workload_element_type(workload));
  return dsm_system_peak_flops(system) * over_16_bits(system, rate);
}

uint64_t dsm_invocation_count(const dsm_layer *layer, dsm_pass pass) {
  const bool is_double = layer->is_product && pass == DSM_PASS_BACKWARD;
  return is_double ? 2 * layer->timesteps : layer->timesteps;
}

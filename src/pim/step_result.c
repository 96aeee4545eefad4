/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pim/step_result.h"

uint64_t dsm__pim_samples(const dsm_rl_workload *workload) {
  return workload->transitions * (workload->agents > 0 ? workload->agents : 1);
}

double dsm__pim_hertz(const dsm_pim_system *system) {
  static const double hertz_per_MHz = 1e6;
  return system->frequency_MHz * hertz_per_MHz;
}

double dsm__pim_core_memory_bytes(const dsm_pim_system *system) {
  static const double bytes_per_MiB = 1048576;
  return system->mram.capacity_MiB * bytes_per_MiB;
}

dsm_plan_result dsm__pim_step_result(const dsm_rl_workload *workload, const dsm_pim_system *system,
                                     const dsm_pim_cost *cost) {
  const double hertz = dsm__pim_hertz(system);
  const double table = dsm_pim_table_bytes(workload);
  const double cycles = cost->seconds * hertz;
  const double updates = (double)dsm__pim_samples(workload) * (double)workload->episodes;
  /* A record has no instructions of its updates. */
  const double ideal = cost->update.instructions > 0
                           ? updates * cost->update.instructions / (double)system->cores
                           : cost->utilization * cycles;
  return (dsm_plan_result){
      .step_cycles = cycles,
      .step_seconds = cost->seconds,
      .samples_per_second = (double)dsm__pim_samples(workload) / cost->seconds,
      .utilization = cost->utilization,
      .lower_bound_cycles = cycles,
      .ideal_cycles = ideal,
      .cycles = {.primary = cost->kernel_seconds * hertz,
                 .non_overlapped = (cost->seconds - cost->kernel_seconds) * hertz,
                 .total = cycles},
      .memory = {.weights_bytes = table,
                 .activations_bytes = cost->core_bytes - table,
                 .total_bytes = cost->core_bytes,
                 .capacity_bytes = dsm__pim_core_memory_bytes(system)}};
}

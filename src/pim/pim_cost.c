/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_cost.c: what a training takes with a choice (docs/pim.md, Equations 3 to 5). */
#include <math.h>

#include "base/units.h"
#include "pim/kernel.h"

static const double seconds_per_us = 1e-6;
static const double seconds_per_ms = 1e-3;

double dsm__pim_hertz(const dsm_pim_system *system) {
  return system->frequency_MHz * DSM__HERTZ_PER_MHZ;
}

/* ---- memory ---- */

double dsm__pim_core_memory_bytes(const dsm_pim_system *system) {
  return system->mram.capacity_MiB * DSM__BYTES_PER_MIB;
}

double dsm_pim_table_bytes(const dsm_rl_workload *workload) {
  return DSM_PIM_ELEMENT_BYTES * (double)workload->states * (double)workload->actions;
}

/* Transitions of a core that has most: of several agents all of one. */
static double core_transitions(const dsm_rl_workload *workload, double cores) {
  const double all = (double)workload->transitions;
  return workload->agents > 0 ? all : ceil(all / cores);
}

double dsm_pim_core_bytes(const dsm_rl_workload *workload, uint64_t cores) {
  return core_transitions(workload, (double)cores) * (double)workload->record_bytes +
         dsm_pim_table_bytes(workload);
}

uint64_t dsm_pim_fewest_cores(const dsm_rl_workload *workload, const dsm_pim_system *system) {
  const double room = dsm__pim_core_memory_bytes(system) - dsm_pim_table_bytes(workload);
  const double held = floor(room / (double)workload->record_bytes);
  if (held < 1 || (workload->agents > 0 && held < (double)workload->transitions)) {
    return 0;
  }
  return workload->agents > 0 ? 1 : (uint64_t)ceil((double)workload->transitions / held);
}

/* ---- Equation 3 ---- */

double dsm__pim_rounds(const dsm_rl_workload *workload) {
  return workload->agents > 0
             ? 1
             : (double)workload->episodes / (double)workload->synchronization_period;
}

/* So many agents follow each other on a core; all cores together have one table otherwise. */
static double waves_of(const dsm_rl_workload *workload, double cores) {
  return workload->agents > 0 ? ceil((double)workload->agents / cores) : 1;
}

double dsm__pim_busy_seconds(const dsm_pim_system *system, double updates, double launches,
                             double cycles) {
  return updates * cycles / dsm__pim_hertz(system) +
         launches * system->host.launch_ms * seconds_per_ms;
}

static double kernel_seconds(const dsm_rl_workload *workload, const dsm_pim_system *system,
                             double cores, double cycles) {
  const double waves = waves_of(workload, cores);
  const double updates = core_transitions(workload, cores) * (double)workload->episodes * waves;
  return dsm__pim_busy_seconds(system, updates, dsm__pim_rounds(workload) * waves, cycles);
}

/* ---- Equation 4 ---- */

/* Tables and data sets: each agent has its own, whichever core works on it. */
static double holders_of(const dsm_rl_workload *workload, double cores) {
  return workload->agents > 0 ? (double)workload->agents : cores;
}

static double to_cores_seconds(const dsm_rl_workload *workload, const dsm_pim_system *system,
                               dsm_pim_choice choice) {
  const dsm_pim_host *const host = &system->host;
  const double sets = workload->agents > 0 ? (double)workload->agents : 1;
  const double bytes = sets * (double)workload->transitions * (double)workload->record_bytes;
  const double rate = choice.transfers == DSM_PIM_SERIAL ? host->to_cores_serial_GBps
                                                         : host->to_cores_parallel_GBps;
  return holders_of(workload, (double)choice.cores) * (double)host->calls_per_core * host->call_us *
             seconds_per_us +
         bytes / dsm__bytes_of_GB(rate);
}

/* A table from each core to the host. */
static double tables_seconds(const dsm_rl_workload *workload, const dsm_pim_system *system,
                             dsm_pim_choice choice) {
  const dsm_pim_host *const host = &system->host;
  const double rate = choice.transfers == DSM_PIM_SERIAL ? host->from_cores_serial_GBps
                                                         : host->from_cores_parallel_GBps;
  return holders_of(workload, (double)choice.cores) * dsm_pim_table_bytes(workload) /
         dsm__bytes_of_GB(rate);
}

/* In each round all tables to the host, and their average to all cores. */
static double between_cores_seconds(const dsm_rl_workload *workload, const dsm_pim_system *system,
                                    dsm_pim_choice choice) {
  const double broadcast = (double)choice.cores * dsm_pim_table_bytes(workload) /
                           dsm__bytes_of_GB(system->host.broadcast_GBps);
  return workload->agents > 0
             ? 0
             : dsm__pim_rounds(workload) * (tables_seconds(workload, system, choice) + broadcast);
}

/* ---- Equation 5 ---- */

static dsm_pim_roofline roofline_of(const dsm_pim_system *system, const dsm_pim_update *update,
                                    double cores, double updates_per_second) {
  const double hertz = dsm__pim_hertz(system);
  dsm_pim_roofline made = {
      .peak_operations_per_second = cores * hertz,
      .bandwidth_bytes_per_second = cores * hertz / system->mram.cycles_per_byte,
      .intensity = update->instructions / update->bytes,
      .operations_per_second = update->instructions * updates_per_second,
  };
  const double slope = made.intensity * made.bandwidth_bytes_per_second;
  made.bound = slope < made.peak_operations_per_second ? DSM_PIM_MEMORY : DSM_PIM_COMPUTE;
  made.roof_operations_per_second = fmin(slope, made.peak_operations_per_second);
  return made;
}

static double watts_of(const dsm_pim_system *system, double cores) {
  return system->idle_power_W +
         (system->power_W - system->idle_power_W) * cores / (double)system->cores;
}

uint64_t dsm_pim_working_cores(const dsm_rl_workload *workload, uint64_t cores) {
  const uint64_t work = workload->agents > 0 ? workload->agents : workload->transitions;
  return work < cores ? work : cores;
}

void dsm_pim_predict(dsm_pim_cost *cost, const dsm_rl_workload *workload,
                     const dsm_pim_system *system, dsm_pim_choice choice) {
  const dsm_pim_choice asked = choice;
  choice.cores = dsm_pim_working_cores(workload, asked.cores);
  const double cores = (double)choice.cores;
  const double sets = workload->agents > 0 ? (double)workload->agents : 1;
  const double updates = sets * (double)workload->transitions * (double)workload->episodes;
  *cost = (dsm_pim_cost){.choice = asked};
  dsm_pim_update_cost(&cost->update, workload, system, choice.tasklets);
  cost->core_bytes = dsm_pim_core_bytes(workload, choice.cores);
  cost->is_feasible = cost->core_bytes <= dsm__pim_core_memory_bytes(system);
  cost->kernel_seconds = kernel_seconds(workload, system, cores, cost->update.cycles);
  cost->host_to_cores_seconds = to_cores_seconds(workload, system, choice);
  cost->cores_to_host_seconds = tables_seconds(workload, system, choice);
  cost->between_cores_seconds = between_cores_seconds(workload, system, choice);
  cost->seconds = cost->kernel_seconds + cost->host_to_cores_seconds + cost->cores_to_host_seconds +
                  cost->between_cores_seconds;
  cost->joules = watts_of(system, cores) * cost->seconds;
  cost->updates_per_second = updates / cost->seconds;
  cost->utilization = cost->updates_per_second * cost->update.instructions /
                      ((double)system->cores * system->frequency_MHz * DSM__HERTZ_PER_MHZ);
  cost->roofline = roofline_of(system, &cost->update, cores, updates / cost->kernel_seconds);
}

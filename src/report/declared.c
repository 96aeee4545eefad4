/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/declared.h"

#include "workload/workload_internal.h"

static void add_layer(dsm__declared *declared, const dsm_workload *workload,
                      const dsm_layer *layer) {
  dsm__declared *const sum = &declared[layer->spec_index];
  sum->parameters += layer->parameters;
  sum->forward_macs += layer->macs * layer->timesteps;
  sum->activation_bytes +=
      (double)dsm__sized_elements(workload, layer->stored_elements, layer->bytes.output) *
      (double)layer->timesteps * workload->element_bytes;
}

const dsm__declared *dsm__declared_derive(dsm__arena *arena, const dsm_workload *workload) {
  dsm__declared *const declared = dsm__arena_array(arena, workload->spec_count, sizeof *declared);
  if (declared == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    for (size_t p = 0; p < layer->part_count; p++) {
      add_layer(declared, workload, &layer->parts[p]);
    }
    if (layer->part_count == 0) {
      add_layer(declared, workload, layer);
    }
  }
  return declared;
}

const dsm_workload *dsm__described_workload(const dsm_described *item) {
  return item->plan != NULL ? item->plan->workload : item->workload;
}

const dsm_system *dsm__described_system(const dsm_described *item) {
  return item->plan != NULL ? item->plan->system : item->system;
}

const dsm_rl_workload *dsm__described_rl(const dsm_described *item) {
  return item->pim != NULL ? item->pim->workload : item->rl_workload;
}

const dsm_pim_system *dsm__described_pim(const dsm_described *item) {
  return item->pim != NULL ? item->pim->system : item->pim_system;
}

double dsm__pim_memory_bytes(const dsm_pim_system *system) {
  static const double bytes_per_MiB = 1048576;
  return (double)system->cores * system->mram.capacity_MiB * bytes_per_MiB;
}

double dsm__pim_peak(const dsm_pim_system *system) {
  static const double hertz_per_MHz = 1e6;
  return (double)system->cores * system->frequency_MHz * hertz_per_MHz;
}

dsm_description dsm__described_kind(const dsm_described *item) {
  const struct {
    const void *of;
    dsm_description kind;
  } kinds[] = {{item->sweep, DSM_DESCRIPTION_SWEEP},
               {item->server, DSM_DESCRIPTION_SERVER},
               {item->profile, DSM_DESCRIPTION_PROFILE},
               {item->chain, DSM_DESCRIPTION_STAGES},
               {item->rl_workload, DSM_DESCRIPTION_RL_WORKLOAD},
               {item->pim_system, DSM_DESCRIPTION_PIM_SYSTEM},
               {item->pim, DSM_DESCRIPTION_PIM},
               {item->plan, DSM_DESCRIPTION_PLAN},
               {item->workload, DSM_DESCRIPTION_WORKLOAD}};
  for (size_t k = 0; k < DSM__COUNT_OF(kinds); k++) {
    if (kinds[k].of != NULL) {
      return kinds[k].kind;
    }
  }
  return DSM_DESCRIPTION_SYSTEM;
}

const char *dsm__described_name(const dsm_described *item) {
  const dsm_workload *const workload = dsm__described_workload(item);
  if (item->sweep != NULL) {
    return item->sweep->name;
  }
  if (item->server != NULL) {
    return item->server->name;
  }
  if (item->profile != NULL) {
    return item->profile->name;
  }
  if (item->chain != NULL) {
    return item->chain->name;
  }
  if (item->pim_system != NULL) {
    return item->pim_system->name;
  }
  if (dsm__described_rl(item) != NULL) {
    return dsm__described_rl(item)->name;
  }
  return workload != NULL ? workload->name : dsm__described_system(item)->name;
}

uint64_t dsm__system_cores(const dsm_system *system) {
  return dsm_system_chips(system) * system->chip.cores;
}

double dsm__system_macs(const dsm_system *system) {
  return (double)dsm__system_cores(system) * (double)system->array.rows *
         (double)system->array.columns * (double)system->pe.simd_macs * (double)system->core.arrays;
}

double dsm__chip_memory_bytes(const dsm_system *system) {
  static const double bytes_per_GB = 1e9;
  return system->chip.memory.capacity_GB * bytes_per_GB;
}

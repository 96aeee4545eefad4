/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/declared.h"

#include "base/units.h"
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

/* Something with a name, which may be NULL. */
#define NAMED(of_kind, of)                                                                         \
  { DSM_DESCRIPTION_##of_kind, (of) == NULL ? NULL : (of)->name, NULL }
#define WITH_SOURCE(of_kind, of)                                                                   \
  {                                                                                                \
    DSM_DESCRIPTION_##of_kind, (of) == NULL ? NULL : (of)->name,                                   \
        (of) == NULL ? NULL : (of)->source                                                         \
  }

dsm__described_as dsm__described_as_what(const dsm_described *item) {
  const dsm__described_as all[] = {
      WITH_SOURCE(SWEEP, item->sweep),
      WITH_SOURCE(SERVER, item->server),
      NAMED(PROFILE, item->profile),
      WITH_SOURCE(STAGES, item->chain),
      WITH_SOURCE(RL_WORKLOAD, item->rl_workload),
      WITH_SOURCE(PIM_SYSTEM, item->pim_system),
      NAMED(PIM, item->pim == NULL ? NULL : item->pim->workload),
      NAMED(PLAN, item->plan == NULL ? NULL : item->plan->workload),
      {DSM_DESCRIPTION_TECHNOLOGY, item->technology == NULL ? NULL : item->technology->name,
       item->technology == NULL ? NULL : item->technology->holder->source},
      WITH_SOURCE(WORKLOAD, item->workload),
      WITH_SOURCE(SYSTEM, item->system),
  };
  size_t first = 0;
  while (first + 1 < DSM__COUNT_OF(all) && all[first].name == NULL) {
    first++;
  }
  return all[first];
}

uint64_t dsm__system_cores(const dsm_system *system) {
  return dsm_system_chips(system) * system->chip.cores;
}

double dsm__system_macs(const dsm_system *system) {
  if (system->chip.peak_TFLOPS > 0) {
    return dsm_system_peak_flops(system) / 2 / dsm__hertz(system->core.frequency_GHz);
  }
  return (double)dsm__system_cores(system) * (double)system->array.rows *
         (double)system->array.columns * (double)system->pe.simd_macs * (double)system->core.arrays;
}

double dsm__chip_memory_bytes(const dsm_system *system) {
  return dsm__bytes_of_GB(system->chip.memory.capacity_GB);
}

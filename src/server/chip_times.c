/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chip_times.c: layers on a chip, by the inference model. */
#include <math.h>
#include <stdio.h>

#include "base/diag_add.h"
#include "dsm/limits.h"
#include "search/layer_table.h"
#include "search/problem.h"
#include "server/instance_internal.h"

/* The least that a layer takes with any parallelism. */
static double least_cycles(const dsm__layer_table *table, size_t layer) {
  double least = HUGE_VAL;
  for (unsigned p = 0; p < table->inputs->machine->parallelism_count; p++) {
    least = fmin(least, *dsm__pass_cycles(table, table->distinct.class_of[layer], DSM_PASS_FORWARD,
                                          (dsm_parallelism)p, 0));
  }
  return least;
}

dsm_status dsm__chip_times(double *seconds, size_t stride, const dsm__request *request,
                           const dsm_device *device, dsm_diags *diags) {
  const dsm_system *const chip = device->chip;
  char where[DSM_NAME_BYTES_MAX + 40];
  (void)snprintf(where, sizeof where, "device \"%s\": ", device->name);
  if (!dsm__has_room_for_an_element(request->workload, chip, where, diags)) {
    return DSM_ERROR_INFEASIBLE;
  }
  dsm_workload workload = *request->workload; /* borrows all that it points to */
  workload.minibatch = request->batch;
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  /* Every parallelism; nothing on chip before or after, so that layers do not depend on others. */
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  const dsm_machine machine = dsm_machine_derive(chip);
  const dsm__search_inputs inputs = {.workload = &workload,
                                     .machine = &machine,
                                     .precision = dsm_precision_of(&workload, chip),
                                     .options = &options};
  const dsm__factors factors = dsm__factors_derive(&workload, &machine, &options);
  dsm__layer_table table;
  dsm__arena *const arena = dsm__arena_new();
  if (arena == NULL || !dsm__layer_table_fill(&table, &inputs, &factors, arena)) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  for (size_t i = 0; i < workload.layer_count; i++) {
    seconds[i * stride] = least_cycles(&table, i) / (chip->core.frequency_GHz * 1e9);
  }
  dsm__arena_free(arena);
  return DSM_OK;
}

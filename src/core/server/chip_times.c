/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chip_times.c: layers on a chip, by the inference model. */
#include <math.h>
#include <stdio.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "dsm/limits.h"
#include "model/equations.h"
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

/* As a device computes it: with the bytes an element and a parameter of its own, also of the layers
 * that state theirs. The rate of the arrays is by these bytes then, not by the workload's type. */
static bool workload_on(dsm_workload *made, const dsm__request *request, const dsm_device *device,
                        dsm__arena *arena) {
  *made = *request->workload; /* borrows all that it points to */
  made->minibatch = request->batch;
  if (!(device->weight_bytes > 0)) {
    return true;
  }
  dsm_layer *const layers = dsm__arena_array(arena, made->layer_count, sizeof *layers);
  for (size_t i = 0; layers != NULL && i < made->layer_count; i++) {
    layers[i] = made->layers[i];
    dsm_layer_bytes *const bytes = &layers[i].bytes;
    bytes->input *= request->element_ratio;
    bytes->output *= request->element_ratio;
    bytes->operand *= request->element_ratio;
    bytes->shortcut *= request->element_ratio;
    bytes->fork *= request->element_ratio;
    bytes->cache *= request->element_ratio;
    bytes->weights *= request->weight_ratio;
    layers[i].casts = (dsm_layer_casts){.operands = DSM_ELEMENT_TYPE_ANY};
  }
  made->layers = layers;
  made->weight_bytes =
      dsm__stated_bytes(made->weight_bytes, made->element_bytes) * request->weight_ratio;
  made->element_bytes *= request->element_ratio;
  made->cache_bytes *= request->element_ratio;
  made->element_type = device->element_bytes > 0 ? DSM_ELEMENT_TYPE_ANY : made->element_type;
  made->types = (dsm_types){{DSM_ELEMENT_TYPE_ANY}};
  return layers != NULL;
}

dsm_status dsm__chip_times(double *seconds, size_t stride, const dsm__request *request,
                           const dsm_device *device, dsm_diags *diags) {
  const dsm_system *const chip = device->chip;
  char where[DSM_NAME_BYTES_MAX + 40];
  (void)snprintf(where, sizeof where, "device \"%s\": ", device->name);
  dsm__arena *const arena = dsm__arena_new();
  dsm_workload workload;
  if (arena == NULL || !workload_on(&workload, request, device, arena)) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  if (!dsm__has_room_for_an_element(&workload, chip, where, diags)) {
    dsm__arena_free(arena);
    return DSM_ERROR_INFEASIBLE;
  }
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  /* Every parallelism; nothing on chip before or after, so that layers do not depend on others. */
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  const dsm_machine machine = dsm_machine_derive(chip);
  const dsm__search_inputs inputs = {.workload = &workload,
                                     .machine = &machine,
                                     .precision = dsm_precision_of(&workload, chip),
                                     .options = &options,
                                     .prices = dsm__prices_of_time()};
  const dsm__factors factors = dsm__factors_derive(&workload, &machine, &options);
  dsm__layer_table table;
  if (!dsm__layer_table_fill(&table, &inputs, &factors, arena)) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  for (size_t i = 0; i < workload.layer_count; i++) {
    seconds[i * stride] = least_cycles(&table, i) / dsm__hertz(chip->core.frequency_GHz);
  }
  dsm__arena_free(arena);
  return DSM_OK;
}

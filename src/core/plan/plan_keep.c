/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/legal.h"

#include "base/diag_add.h"
#include "plan/core_layouts.h"
#include "plan/plan_internal.h"
#include "plan/step_stages.h"

static dsm_status check_capacity(const dsm__candidate *candidate, dsm__place place,
                                 dsm__arena *arena, dsm_diags *diags) {
  const dsm_mode mode = candidate->options->mode;
  dsm_layer_memory *const memory =
      dsm__arena_array(arena, candidate->workload->layer_count, sizeof *memory);
  if (memory == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm__stage part;
  const dsm_stages *const stages = &candidate->decisions->stages;
  const dsm_machine *const machine = dsm__stage_machine(candidate->machine, stages, &part);
  dsm__mapping_memory_derive(candidate->workload, machine, mode, candidate->decisions, memory);
  const dsm_workload micro =
      dsm__micro_workload(candidate->workload, dsm__micro_batches(candidate->decisions));
  const dsm__memory_need need = dsm__memory_need_of(&micro, machine, mode, memory);
  if (need.total_bytes > need.capacity_bytes * (1 + DSM__CAPACITY_TOLERANCE)) {
    dsm__report_over_capacity(&need, "the plan needs", place, diags);
    return DSM_ERROR_INFEASIBLE;
  }
  return DSM_OK;
}

dsm_status dsm__plan_complete(dsm_plan **plan, const dsm__candidate *candidate,
                              dsm__layer_decision *layers, dsm__place place, dsm__arena *arena,
                              dsm_diags *diags) {
  if (!dsm__core_layouts_complete(candidate->workload, candidate->machine, candidate->options->mode,
                                  candidate->decisions, layers, false, arena)) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status = dsm__supply_check(candidate->workload, candidate->machine->system, diags);
  if (status == DSM_OK) {
    status = check_capacity(candidate, place, arena, diags);
  }
  return status == DSM_OK ? dsm__plan_make(plan, candidate->workload, candidate->machine->system,
                                           candidate->options, candidate->decisions, diags)
                          : status;
}

/* ---- other inputs ---- */

/* Where findings go, and whether there are any. */
typedef struct verdict {
  const dsm_workload *workload;
  dsm_diags *diags;
  bool is_illegal;
} verdict;

static void tell_violation(void *context, const dsm__plan_place *place, const char *hint,
                           const char *message) {
  static const dsm__place nowhere = {NULL, 0, 0, NULL};
  verdict *const judged = context;
  const bool is_of_layer = place->record != &dsm__pipeline_record &&
                           place->record != &dsm__step_stages_record &&
                           place->record != &dsm__plan_record;
  dsm__diags_add(judged->diags, DSM_SEVERITY_ERROR, nowhere, hint, "%s%s%s",
                 is_of_layer ? judged->workload->layers[place->index].name : "",
                 is_of_layer ? ": " : "", message);
  judged->is_illegal = true;
}

/* The plan's decisions, to be written; held outputs lie in no layout where the model has none. */
static dsm__layer_decision *decide(dsm__decisions *decisions, const dsm_plan *plan,
                                   const dsm_system *system, dsm__arena *arena) {
  dsm__layer_decision *const layers = dsm__arena_array(arena, plan->layer_count, sizeof *layers);
  if (layers == NULL || !dsm__decisions_of_plan(plan, arena, decisions)) {
    return NULL;
  }
  for (size_t i = 0; i < plan->layer_count; i++) {
    layers[i] = decisions->layers[i];
    if (!dsm__has_layouts(system)) {
      layers[i].layer.output_layout = (dsm_core_layout){0};
    }
  }
  decisions->layers = layers;
  return layers;
}

static dsm_status keep(dsm_plan **kept, const dsm_plan *plan, const dsm_workload *workload,
                       const dsm_system *system, dsm__arena *arena, dsm_diags *diags) {
  static const dsm__place nowhere = {NULL, 0, 0, NULL};
  const dsm_machine machine = dsm_machine_derive(system);
  dsm__decisions decisions;
  dsm__layer_decision *const layers = decide(&decisions, plan, system, arena);
  const dsm__candidate candidate = {.workload = workload,
                                    .machine = &machine,
                                    .options = &plan->options,
                                    .decisions = &decisions,
                                    .is_complete = true,
                                    .renaming = plan->renaming};
  verdict judged = {.workload = workload, .diags = diags};
  if (layers == NULL || !dsm__legality_check(&candidate, tell_violation, &judged, arena)) {
    return dsm__out_of_memory(diags);
  }
  return judged.is_illegal ? DSM_ERROR_INVALID
                           : dsm__plan_complete(kept, &candidate, layers, nowhere, arena, diags);
}

dsm_status dsm__plan_keep(dsm_plan **kept, const dsm_plan *plan, const dsm_workload *workload,
                          const dsm_system *system, dsm_diags *diags) {
  *kept = NULL;
  dsm__arena *const arena = dsm__arena_new();
  const dsm_status status =
      arena == NULL ? dsm__out_of_memory(diags) : keep(kept, plan, workload, system, arena, diags);
  dsm__arena_free(arena);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/evaluator.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "dsm/explore.h"
#include "sweep/input_cache.h"
#include "sweep/point.h"

/* As many findings of a description as are sorted to find the first. */
#define FINDINGS_MAX 20

struct dsm__evaluator {
  const dsm_sweep *sweep;
  dsm_diags *diags; /* of single points */
  dsm__input_cache inputs;
  dsm_explorer *explorer;
  dsm__arena *own; /* of the evaluator itself */

  /* Of the latest result. */
  dsm__arena *arena;
  dsm_plan *plan;
  const dsm__machine *machine; /* of a companion, which chose */
  void *chosen;
  dsm__text_buffer decisions;
  char *plan_text;
};

dsm__evaluator *dsm__evaluator_new(const dsm_sweep *sweep) {
  dsm__arena *const own = dsm__arena_new();
  dsm__evaluator *const evaluator = own == NULL ? NULL : dsm__arena_alloc(own, sizeof *evaluator);
  if (evaluator == NULL) {
    dsm__arena_free(own);
    return NULL;
  }
  evaluator->sweep = sweep;
  evaluator->own = own;
  evaluator->diags = dsm_diags_new(FINDINGS_MAX);
  evaluator->explorer = dsm_explorer_new();
  if (evaluator->diags == NULL || evaluator->explorer == NULL) {
    dsm__evaluator_free(evaluator);
    return NULL;
  }
  return evaluator;
}

/* Frees the latest result. */
static void forget(dsm__evaluator *evaluator) {
  dsm_plan_free(evaluator->plan);
  if (evaluator->machine != NULL) {
    evaluator->machine->discard(evaluator->chosen);
  }
  free(evaluator->plan_text);
  dsm__text_fini(&evaluator->decisions);
  dsm__arena_free(evaluator->arena);
  evaluator->plan = NULL;
  evaluator->machine = NULL;
  evaluator->chosen = NULL;
  evaluator->plan_text = NULL;
  evaluator->arena = NULL;
}

void dsm__evaluator_free(dsm__evaluator *evaluator) {
  if (evaluator == NULL) {
    return;
  }
  forget(evaluator);
  dsm__input_cache_fini(&evaluator->inputs);
  dsm_explorer_free(evaluator->explorer);
  dsm_diags_free(evaluator->diags);
  dsm__arena_free(evaluator->own);
}

/* ---- what was found ---- */

static dsm_point_layer row_of(const dsm_plan *plan, size_t layer, dsm_pass pass) {
  const dsm_layer_plan *const of = &plan->layers[layer];
  return (dsm_point_layer){
      .layer = layer,
      .name = of->name,
      .pass = pass,
      .pass_decisions = of->passes[pass].decisions,
      .decisions = of->decisions,
      .bound = of->passes[pass].bound,
      .cycles = of->passes[pass].cycles,
      .utilization = of->passes[pass].utilization,
  };
}

/* A row a layer and pass; false if out of memory. */
static bool list_layers(dsm__evaluator *evaluator, dsm_point_result *result) {
  const dsm_plan *const plan = evaluator->plan;
  dsm_point_layer *const layers =
      dsm__arena_array(evaluator->arena, plan->layer_count * DSM_PASS_COUNT, sizeof *layers);
  if (layers == NULL) {
    return false;
  }
  result->layers = layers;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (plan->layers[i].passes[p].exists) {
        layers[result->layer_count++] = row_of(plan, i, (dsm_pass)p);
      }
    }
  }
  return true;
}

/* As much of the plan as the sweep records; false if out of memory. */
static bool describe(dsm__evaluator *evaluator, dsm_point_result *result) {
  const dsm_plan *const plan = evaluator->plan;
  const dsm_record record = evaluator->sweep->record;
  result->mode = plan->options.mode;
  result->minibatch = plan->workload->minibatch;
  result->optimizations = plan->options.optimizations;
  result->parallelisms = plan->options.parallelisms;
  result->result = plan->result;
  result->step = dsm__step_decisions(plan);
  dsm__short_decisions(plan, &evaluator->decisions);
  result->decisions = evaluator->decisions.text;
  if (evaluator->decisions.failed ||
      (record >= DSM_RECORD_LAYERS && !list_layers(evaluator, result))) {
    return false;
  }
  if (record >= DSM_RECORD_PLANS) {
    evaluator->plan_text = dsm_plan_print(plan);
    result->plan = evaluator->plan_text;
  }
  return record < DSM_RECORD_PLANS || result->plan != NULL;
}

/* ---- finding it ---- */

static void refuse(dsm_point_result *result, dsm_point_status status, const char *reason) {
  result->status = status;
  result->reason = reason;
}

/* Explores a point whose inputs are valid; false if out of memory. */
static bool explore(dsm__evaluator *evaluator, const dsm__sweep_point *point,
                    const dsm_workload *workload, const dsm_system *system,
                    dsm_point_result *result) {
  dsm_explore_options options = point->options;
  if (point->has_all) {
    options.optimizations |= dsm_system_optimizations(system, options.mode);
  }
  dsm_diags_clear(evaluator->diags);
  const dsm_status status = dsm_explorer_explore(evaluator->explorer, &evaluator->plan, workload,
                                                 system, &options, evaluator->diags);
  if (status == DSM_OK && evaluator->plan->statistics.is_stopped) {
    result->reason =
        evaluator->plan->statistics.is_memory_met ? "the memory limit ended the search"
        : options.time_limit_seconds <= 0
            ? "the search ended after as much work as it may take"
            : dsm__arena_printf(evaluator->arena, "the time limit of %g s ended the search",
                                point->options.time_limit_seconds);
    return result->reason != NULL && describe(evaluator, result);
  }
  if (status == DSM_OK) {
    return describe(evaluator, result);
  }
  if (status == DSM_ERROR_OUT_OF_MEMORY) {
    return false;
  }
  refuse(result, status == DSM_ERROR_INFEASIBLE ? DSM_POINT_INFEASIBLE : DSM_POINT_INVALID,
         dsm__first_finding(evaluator->diags, NULL, evaluator->arena));
  return result->reason != NULL;
}

/* ---- machines of companions ---- */

/* What was chosen, in the columns of points; false if out of memory. */
static bool describe_chosen(dsm__evaluator *evaluator, dsm_point_result *result) {
  evaluator->machine->describe(evaluator->chosen, result, &evaluator->decisions);
  result->decisions = evaluator->decisions.text;
  if (!evaluator->decisions.failed && evaluator->sweep->record >= DSM_RECORD_PLANS) {
    evaluator->plan_text = evaluator->machine->print(evaluator->chosen);
    result->plan = evaluator->plan_text;
    return result->plan != NULL;
  }
  return !evaluator->decisions.failed;
}

/* Chooses for a point whose inputs are valid; false if out of memory. */
static bool choose(dsm__evaluator *evaluator, const dsm__machine *machine, const void *workload,
                   const void *system, dsm_point_result *result) {
  dsm_diags_clear(evaluator->diags);
  evaluator->machine = machine;
  const dsm_status status = machine->choose(&evaluator->chosen, workload, system, evaluator->diags);
  if (status == DSM_OK) {
    return describe_chosen(evaluator, result);
  }
  if (status == DSM_ERROR_OUT_OF_MEMORY) {
    return false;
  }
  refuse(result, DSM_POINT_INFEASIBLE,
         dsm__first_finding(evaluator->diags, NULL, evaluator->arena));
  return result->reason != NULL;
}

static bool evaluate(dsm__evaluator *evaluator, dsm_point_result *result) {
  dsm__sweep_point point;
  const dsm__read_input *read[] = {NULL, NULL};
  const char *reason = NULL;
  evaluator->arena = dsm__arena_new();
  if (evaluator->arena == NULL ||
      !dsm__point_init(&point, evaluator->sweep, result->point, evaluator->arena) ||
      !dsm__inputs_read(&evaluator->inputs, &point, read, &reason, evaluator->diags)) {
    return false;
  }
  if (reason != NULL) {
    refuse(result, DSM_POINT_INVALID, reason);
    return true;
  }
  const dsm__read_input *const workload = read[DSM_DESCRIPTION_WORKLOAD];
  const dsm__read_input *const system = read[DSM_DESCRIPTION_SYSTEM];
  return workload->machine == &dsm__network_machine
             ? explore(evaluator, &point, workload->of, system->of, result)
             : choose(evaluator, workload->machine, workload->of, system->of, result);
}

dsm_status dsm__evaluate(dsm__evaluator *evaluator, size_t point, dsm_point_result *result,
                         dsm_diags *diags) {
  forget(evaluator);
  *result = (dsm_point_result){.point = point};
  return evaluate(evaluator, result) ? DSM_OK : dsm__out_of_memory(diags);
}

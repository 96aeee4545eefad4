/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/evaluator.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "dsm/explore.h"
#include "plan/legal.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/step_energy.h"

/* As many findings of a description as are sorted to find the first. */
#define FINDINGS_MAX 20

struct dsm__evaluator {
  const dsm_sweep *sweep; /* or NULL */
  dsm_diags *diags;       /* of single questions */
  dsm__input_cache inputs;
  dsm_explorer *explorer;
  dsm__arena *arena; /* of the evaluator itself */

  /* The latest answer. */
  dsm_plan *plan;
  const dsm__machine *machine; /* of a companion, which chose */
  void *chosen;

  /* Of the latest point. */
  dsm__arena *of_point;
  dsm__text_buffer decisions;
  char *plan_text;
};

dsm__evaluator *dsm__evaluator_new(const dsm_sweep *sweep) {
  dsm__evaluator *const evaluator = DSM__ARENA_OWNER(dsm__evaluator);
  if (evaluator == NULL) {
    return NULL;
  }
  evaluator->sweep = sweep;
  evaluator->diags = dsm_diags_new(FINDINGS_MAX);
  evaluator->explorer = dsm_explorer_new();
  if (evaluator->diags == NULL || evaluator->explorer == NULL) {
    dsm__evaluator_free(evaluator);
    return NULL;
  }
  return evaluator;
}

static void forget_answer(dsm__evaluator *evaluator) {
  dsm_plan_free(evaluator->plan);
  if (evaluator->machine != NULL) {
    evaluator->machine->discard(evaluator->chosen);
  }
  evaluator->plan = NULL;
  evaluator->machine = NULL;
  evaluator->chosen = NULL;
}

static void forget_point(dsm__evaluator *evaluator) {
  free(evaluator->plan_text);
  dsm__text_fini(&evaluator->decisions);
  dsm__arena_free(evaluator->of_point);
  evaluator->plan_text = NULL;
  evaluator->of_point = NULL;
}

void dsm__evaluator_free(dsm__evaluator *evaluator) {
  if (evaluator == NULL) {
    return;
  }
  forget_answer(evaluator);
  forget_point(evaluator);
  dsm__input_cache_fini(&evaluator->inputs);
  dsm_explorer_free(evaluator->explorer);
  dsm_diags_free(evaluator->diags);
  dsm__arena_free(evaluator->arena);
}

/* ---- answers ---- */

/* Of inputs that are valid. */
static dsm_status find(dsm__evaluator *evaluator, const dsm__sweep_point *question,
                       const dsm__machine *machine, const void *workload, const void *system) {
  dsm_explore_options options = question->options;
  if (question->kept != NULL) {
    return dsm__plan_keep(&evaluator->plan, question->kept, workload, system, evaluator->diags);
  }
  if (machine != &dsm__network_machine) {
    if (dsm__is_aimed(&options)) {
      return dsm__refuse(evaluator->diags, DSM_ERROR_INVALID,
                         "expected the objective time and no power cap on cores in memory");
    }
    evaluator->machine = machine;
    return machine->choose(&evaluator->chosen, workload, system, evaluator->diags);
  }
  if (question->has_all) {
    options.optimizations =
        options.as_run_by == DSM_AS_RUN_BY_ANY
            ? options.optimizations | dsm_system_optimizations(system, options.mode)
            : dsm_as_run_by_optimizations(options.mode);
  }
  return dsm_explorer_explore(evaluator->explorer, &evaluator->plan, workload, system, &options,
                              evaluator->diags);
}

dsm__found dsm__evaluator_ask(dsm__evaluator *evaluator, const dsm__sweep_point *question) {
  const dsm__read_input *read[] = {NULL, NULL};
  forget_answer(evaluator);
  dsm__found found = dsm__inputs_read(&evaluator->inputs, question, read, evaluator->diags);
  if (found.status != DSM_OK) {
    return found;
  }
  dsm_diags_clear(evaluator->diags);
  found.status = find(evaluator, question, read[0]->machine, read[DSM_DESCRIPTION_WORKLOAD]->of,
                      read[DSM_DESCRIPTION_SYSTEM]->of);
  found.plan = evaluator->plan;
  if (found.status != DSM_OK && dsm_diags_count(evaluator->diags) > 0) {
    found.finding = dsm_diags_get(evaluator->diags, 0);
  }
  return found;
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
      dsm__arena_array(evaluator->of_point, plan->layer_count * DSM_PASS_COUNT, sizeof *layers);
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

/* What a plan is in the columns of points, and what ended its search before the end; false if out
 * of memory. */
static bool describe_plan(dsm__evaluator *evaluator, double time_limit_seconds,
                          dsm_point_result *result) {
  const dsm_plan *const plan = evaluator->plan;
  result->mode = plan->options.mode;
  result->minibatch = plan->workload->minibatch;
  result->optimizations = plan->options.optimizations;
  result->parallelisms = plan->options.parallelisms;
  result->result = plan->result;
  result->step = dsm__step_decisions(plan);
  dsm__short_decisions(plan, &evaluator->decisions);
  if (plan->statistics.is_stopped) {
    result->reason =
        plan->statistics.is_memory_met ? "the memory limit ended the search"
        : time_limit_seconds <= 0
            ? "the search ended after as much work as it may take"
            : dsm__arena_printf(evaluator->of_point, "the time limit of %g s ended the search",
                                time_limit_seconds);
  }
  return (result->reason != NULL || !plan->statistics.is_stopped) &&
         (evaluator->sweep->record < DSM_RECORD_LAYERS || list_layers(evaluator, result));
}

/* As much of the answer as the sweep records; false if out of memory. */
static bool describe(dsm__evaluator *evaluator, double time_limit_seconds,
                     dsm_point_result *result) {
  const dsm__machine *const machine = evaluator->machine;
  const bool has_plan = evaluator->sweep->record >= DSM_RECORD_PLANS;
  if (machine != NULL) {
    machine->describe(evaluator->chosen, result, &evaluator->decisions);
  } else if (!describe_plan(evaluator, time_limit_seconds, result)) {
    return false;
  }
  if (has_plan) {
    evaluator->plan_text =
        machine != NULL ? machine->print(evaluator->chosen) : dsm_plan_print(evaluator->plan);
  }
  result->decisions = evaluator->decisions.text;
  result->plan = evaluator->plan_text;
  return !evaluator->decisions.failed && (!has_plan || result->plan != NULL);
}

/* ---- points ---- */

/* The question that a point is; false if out of memory. */
static bool begin(dsm__evaluator *evaluator, size_t index, dsm__sweep_point *point) {
  forget_point(evaluator);
  evaluator->of_point = dsm__arena_new();
  return evaluator->of_point != NULL &&
         dsm__point_init(point, evaluator->sweep, index, evaluator->of_point);
}

static bool evaluate(dsm__evaluator *evaluator, dsm_point_result *result) {
  dsm__sweep_point point;
  if (!begin(evaluator, result->point, &point)) {
    return false;
  }
  const dsm__found found = dsm__evaluator_ask(evaluator, &point);
  if (found.status == DSM_OK) {
    return describe(evaluator, point.options.time_limit_seconds, result);
  }
  if (found.status == DSM_ERROR_OUT_OF_MEMORY) {
    return false;
  }
  result->status = found.status == DSM_ERROR_INFEASIBLE || evaluator->machine != NULL
                       ? DSM_POINT_INFEASIBLE
                       : DSM_POINT_INVALID;
  result->reason = dsm__finding_text(&found, evaluator->of_point);
  return result->reason != NULL;
}

dsm_status dsm__evaluate(dsm__evaluator *evaluator, size_t point, dsm_point_result *result,
                         dsm_diags *diags) {
  *result = (dsm_point_result){.point = point};
  return evaluate(evaluator, result) ? DSM_OK : dsm__out_of_memory(diags);
}

bool dsm__evaluator_check(dsm__evaluator *evaluator, size_t index, const char **reason) {
  dsm__sweep_point point;
  const dsm__read_input *read[] = {NULL, NULL};
  *reason = NULL;
  if (!begin(evaluator, index, &point)) {
    return false;
  }
  const dsm__found found = dsm__inputs_read(&evaluator->inputs, &point, read, evaluator->diags);
  if (found.status != DSM_OK) {
    *reason = found.finding == NULL ? NULL : dsm__finding_text(&found, evaluator->of_point);
    return *reason != NULL;
  }
  if (read[0]->machine == &dsm__network_machine &&
      dsm__option_parallelisms(&point.options, read[DSM_DESCRIPTION_SYSTEM]->of) == 0 &&
      !dsm__has_named_roles(&point.options)) {
    *reason = "expected options that leave a parallelism, found none";
  } else if (!evaluator->sweep->is_open && read[0]->machine == &dsm__network_machine &&
             dsm__is_aimed(&point.options) &&
             !dsm__energy_terms_of(read[DSM_DESCRIPTION_SYSTEM]->of).is_known) {
    *reason = dsm__aim_needs_technology;
  }
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* climb.c: explores a ladder rung by rung, each with one optimization more. */
#include "dsm/ladder.h"

#include "dsm/explore.h"

/* Explores the next rung. The last one is the question itself, so it must have an answer. */
static dsm_status climb(dsm_ladder *ladder, const char *name, dsm_explorer *explorer,
                        const dsm_ladder_request *request, const dsm_explore_options *options,
                        dsm_diags *diags) {
  const size_t rung = ladder->count;
  const bool is_last = options->optimizations == request->options->optimizations;
  const dsm_system *const system =
      rung == 0 && request->base != NULL ? request->base : request->system;
  dsm_plan **const plan = &ladder->plans[rung];
  dsm_status status =
      explorer == NULL
          ? dsm_explore(plan, request->workload, system, options, diags)
          : dsm_explorer_explore(explorer, plan, request->workload, system, options, diags);
  if (status == DSM_OK && request->report != NULL) {
    request->report(request->context, *plan);
  }
  if (status == DSM_ERROR_INFEASIBLE && !is_last) {
    dsm_diags_clear(diags);
    status = DSM_OK;
  }
  ladder->rungs[rung] = (dsm_ladder_rung){
      .name = name, .plan = *plan, .system = system->name, .optimizations = options->optimizations};
  ladder->count++;
  return status;
}

dsm_status dsm_ladder_explore(dsm_ladder *ladder, const dsm_ladder_request *request,
                              dsm_diags *diags) {
  *ladder = (dsm_ladder){.count = 0};
  /* Rungs have much in common, which an explorer keeps. Without memory for one each rung is
   * explored alone. */
  dsm_explorer *const explorer = dsm_explorer_new();
  dsm_optimization additions[DSM_OPTIMIZATION_COUNT];
  const size_t count = dsm_ladder_additions(request->options, additions);
  dsm_explore_options options = *request->options;
  for (size_t i = 0; i < count; i++) {
    options.optimizations &= ~DSM_OPTIMIZATION_BIT(additions[i]);
  }
  dsm_status status = climb(ladder, "none", explorer, request, &options, diags);
  for (size_t i = 0; i < count && status == DSM_OK; i++) {
    options.optimizations |= DSM_OPTIMIZATION_BIT(additions[i]);
    status = climb(ladder, dsm_optimization_name(additions[i]), explorer, request, &options, diags);
  }
  dsm_explorer_free(explorer);
  return status;
}

void dsm_ladder_fini(dsm_ladder *ladder) {
  for (size_t rung = 0; rung < ladder->count; rung++) {
    dsm_plan_free(ladder->plans[rung]);
  }
  *ladder = (dsm_ladder){.count = 0};
}

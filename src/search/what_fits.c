/* SPDX-License-Identifier: GPL-3.0-or-later */
/* what_fits.c: where no mapping fits a chip's memory, what would with more optimisations. */
#include "base/diag_add.h"
#include "dsm/explore.h"

static dsm_optimization_set bit_of(int optimization) {
  return DSM_OPTIMIZATION_BIT((dsm_optimization)optimization);
}

/* What is tried one after the other, each besides those before it: what searches fastest first. */
static const dsm_optimization_set tried[] = {
    DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SHARD) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_RECOMPUTE),
    DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE) |
        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES),
    DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_EXPERT) |
        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL),
};

/* Roles that a layer of a plan has along any axis. */
static dsm_role_set roles_of(const dsm_plan *plan, size_t layer) {
  const dsm_parallelism forward =
      plan->layers[layer].passes[DSM_PASS_FORWARD].decisions.parallelism;
  dsm_role_set roles = 0;
  for (unsigned a = 0; a < plan->system->system.axis_count; a++) {
    roles |= 1U << (unsigned)dsm_parallelism_role(forward, a);
  }
  return roles;
}

/* Those that some layer, or the whole plan, makes use of. */
static dsm_optimization_set used_by(const dsm_plan *plan) {
  dsm_optimization_set used = 0;
  used |= plan->micro_batches > 1 ? bit_of(DSM_OPTIMIZATION_ACCUMULATE) : 0;
  used |= plan->stages.count > 1 ? bit_of(DSM_OPTIMIZATION_STAGES) : 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_decisions *const decisions = &plan->layers[i].decisions;
    const dsm_role_set roles = roles_of(plan, i);
    used |= decisions->shard != DSM_SHARDING_NONE ? bit_of(DSM_OPTIMIZATION_SHARD) : 0;
    used |= decisions->is_recomputed ? bit_of(DSM_OPTIMIZATION_RECOMPUTE) : 0;
    for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
      used |= (dsm_strategy_of((dsm_optimization)o)->roles & roles) != 0 ? bit_of(o) : 0;
    }
  }
  return used;
}

dsm_status dsm_explore_what_fits(dsm_plan **plan, const dsm_workload *workload,
                                 const dsm_system *system, const dsm_explore_options *options,
                                 dsm_diags *diags) {
  dsm_explore_options wider = *options;
  dsm_status status = DSM_ERROR_INFEASIBLE;
  *plan = NULL;
  for (size_t t = 0; t < sizeof tried / sizeof *tried && status == DSM_ERROR_INFEASIBLE; t++) {
    const dsm_optimization_set more = tried[t] & dsm_mode_possible_optimizations(options->mode);
    if ((more & ~wider.optimizations) != 0) {
      wider.optimizations |= more;
      status = dsm_explore(plan, workload, system, &wider, NULL);
    }
  }
  if (status == DSM_OK) {
    (*plan)->options.optimizations = options->optimizations | used_by(*plan);
  }
  return status == DSM_ERROR_OUT_OF_MEMORY ? dsm__out_of_memory(diags) : status;
}

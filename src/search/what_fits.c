/* SPDX-License-Identifier: GPL-3.0-or-later */
/* what_fits.c: where no mapping fits a chip's memory, what would with more optimisations. */
#include "base/diag_add.h"
#include "dsm/explore.h"

/* What is tried one after the other, each besides those before it. Other roles save memory too, but
 * where nothing fits their search can take minutes. */
static const dsm_optimization_set tried[] = {
    DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SHARD) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_RECOMPUTE),
    DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE) |
        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES),
};

static dsm_optimization_set used_if(bool is_used, dsm_optimization optimization) {
  return is_used ? DSM_OPTIMIZATION_BIT(optimization) : 0;
}

/* Those of them that some layer, or the whole plan, makes use of. */
static dsm_optimization_set used_by(const dsm_plan *plan) {
  dsm_optimization_set used = used_if(plan->micro_batches > 1, DSM_OPTIMIZATION_ACCUMULATE) |
                              used_if(plan->stages.count > 1, DSM_OPTIMIZATION_STAGES);
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_decisions *const decisions = &plan->layers[i].decisions;
    used |= used_if(decisions->shard != DSM_SHARDING_NONE, DSM_OPTIMIZATION_SHARD) |
            used_if(decisions->is_recomputed, DSM_OPTIMIZATION_RECOMPUTE);
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

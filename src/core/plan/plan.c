/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/plan.h"

#include "base/arena.h"
#include "base/diag_add.h"
#include "model/axis_words.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/step_stages.h"

static const dsm__word invocation_kind_words[] = {
    [DSM_INVOCATION_FIRST].key = "first",     [DSM_INVOCATION_STEADY].key = "steady",
    [DSM_INVOCATION_WRITE].key = "write",     [DSM_INVOCATION_ACCUMULATE].key = "accumulate",
    [DSM_INVOCATION_HOISTED].key = "hoisted", [DSM_INVOCATION_RECOMPUTE].key = "recompute",
};
DSM__NAMED_WORDS(dsm__invocation_kind_words, "kind of invocation", invocation_kind_words,
                 DSM_INVOCATION_KIND_COUNT, dsm_invocation_kind, dsm_invocation_kind_name);

static const dsm__word shard_words[] = {
    [DSM_SHARDING_NONE].key = "none",
    [DSM_SHARDING_OPTIMIZER].key = "optimizer",
    [DSM_SHARDING_GRADIENTS].key = "gradients",
    [DSM_SHARDING_WEIGHTS].key = "weights",
};
DSM__NAMED_WORDS(dsm__sharding_words, "shard", shard_words, DSM_SHARDING_COUNT, dsm_sharding,
                 dsm_sharding_name);

dsm_parallelism_set dsm__parallelisms_on(const dsm_system *system, dsm_parallelism_set set) {
  const unsigned ways = 1U << system->system.axis_count;
  dsm_parallelism_set folded = 0;
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    const dsm_axis_set model = dsm_parallelism_model_axes((dsm_parallelism)p) % ways;
    folded |= (set & DSM_PARALLELISM_BIT(p)) != 0 ? DSM_PARALLELISM_BIT((ways - model) % ways) : 0;
  }
  return folded;
}

/* Those of a set whose roles may stand along their axes. */
static dsm_parallelism_set with_named_roles(const dsm_explore_options *options,
                                            const dsm_system *system, dsm_parallelism_set set) {
  for (unsigned p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    const bool is_good = dsm__are_roles_named(options, system, (dsm_parallelism)p);
    set &= is_good ? DSM_PARALLELISM_ALL : ~DSM_PARALLELISM_BIT(p);
  }
  return set;
}

dsm_parallelism_set dsm__option_parallelisms(const dsm_explore_options *options,
                                             const dsm_system *system) {
  const bool is_hybrid = options->optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  return with_named_roles(options, system,
                          dsm__parallelisms_on(system, options->parallelisms) &
                              (is_hybrid ? DSM_PARALLELISM_ALL : ~DSM_PARALLELISM_HYBRIDS));
}

dsm_parallelism_set dsm__allowed_parallelisms(const dsm_layer *layer,
                                              const dsm_explore_options *options,
                                              const dsm_system *system) {
  const dsm_parallelism_set possible = dsm_layer_parallelisms(layer);
  dsm_parallelism_set allowed = possible == DSM_PARALLELISM_ALL
                                    ? dsm__option_parallelisms(options, system)
                                    : with_named_roles(options, system, possible);
  for (unsigned p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    const dsm_parallelism_set bit = DSM_PARALLELISM_BIT(p);
    if ((allowed & bit) != 0 && !dsm_model_ways_fit(layer, system, (dsm_parallelism)p)) {
      allowed &= ~bit;
    }
  }
  if (allowed == 0 && dsm__has_named_roles(options)) {
    return options->as_run_by != DSM_AS_RUN_BY_ANY ||
                   dsm__can_have_named_roles(layer, options, system)
               ? 0
               : DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  }
  /* Like a matmul, an attention whose heads no allowed parallelism shares out uses data. */
  const bool has_heads = layer->operand_groups > 0;
  return allowed != 0 || !has_heads ? allowed : DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
}

static bool copy_overrides(dsm_plan *plan, const dsm_explore_options *options) {
  const char **const copies =
      dsm__arena_array(plan->arena, options->override_count, sizeof *copies);
  if (copies == NULL) {
    return false;
  }
  for (size_t i = 0; i < options->override_count; i++) {
    copies[i] = dsm__arena_strdup(plan->arena, options->overrides[i]);
    if (copies[i] == NULL) {
      return false;
    }
  }
  plan->options.overrides = copies;
  return true;
}

dsm_status dsm__plan_make(dsm_plan **plan, const dsm_workload *workload, const dsm_system *system,
                          const dsm_explore_options *options, const dsm__decisions *decisions,
                          dsm_diags *diags) {
  *plan = NULL;
  dsm_plan *const made = DSM__ARENA_OWNER(dsm_plan);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  made->workload = workload;
  made->system = system;
  made->options = *options;
  made->options.is_stopped = NULL; /* of one search alone */
  made->options.context = NULL;
  made->options.parallelisms = dsm__parallelisms_on(system, options->parallelisms);
  for (unsigned a = system->system.axis_count; a < DSM_AXES_MAX; a++) {
    made->options.roles[a] = 0;
  }
  made->micro_batches = dsm__micro_batches(decisions);
  made->stages = decisions->stages;
  made->layer_count = workload->layer_count;
  made->layers = dsm__arena_array(made->arena, made->layer_count, sizeof made->layers[0]);
  if (made->layers == NULL || !copy_overrides(made, options) ||
      !dsm__stages_keep(&made->stages, workload, system, made->arena) ||
      !dsm__system_words(system, made->arena, &made->renaming) ||
      !dsm__plan_predict_layers(made, decisions)) {
    dsm_plan_free(made);
    return dsm__out_of_memory(diags);
  }
  dsm__plan_predict_result(made);
  *plan = made;
  return DSM_OK;
}

void dsm_plan_free(dsm_plan *plan) {
  if (plan == NULL) {
    return;
  }
  dsm_workload_free(plan->owned_workload);
  dsm_system_free(plan->owned_system);
  dsm__arena_free(plan->arena);
}

/* ---- words ---- */

const char *dsm_plan_parallelism_name(const dsm_plan *plan, dsm_parallelism parallelism) {
  return dsm__word_key(dsm__words_in(plan->renaming, &dsm__parallelism_words), parallelism);
}

const char *dsm_plan_link_name(const dsm_plan *plan, dsm_link link) {
  return dsm__word_key(dsm__words_in(plan->renaming, &dsm__link_words), link);
}

const char *dsm_plan_bound_name(const dsm_plan *plan, dsm_bound bound) {
  return dsm__word_key(dsm__words_in(plan->renaming, &dsm__bound_words), bound);
}

const char *dsm_plan_transfer_name(const dsm_plan *plan, dsm_transfer transfer, unsigned axis) {
  return dsm__word_key(dsm__words_in(plan->renaming, &dsm__move_words),
                       dsm__move_of(transfer, axis));
}

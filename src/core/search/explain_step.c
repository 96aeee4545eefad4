/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_step.c: what the step would take if a layer kept more or less of its weights and outputs,
 * and without the micro-batches, stages, shards and recomputation that a plan uses.
 *
 * The first is the plan with one decision changed, as one who edits it would have it. The second is
 * a search of its own without the optimization, in which all may be decided otherwise. Both keep to
 * a chip's memory, which is what these decisions are for.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/keeping.h"
#include "plan/legal.h"
#include "search/explain_internal.h"

/* ---- one decision of the layer, all else as planned ---- */

static void count_violation(void *context, const dsm__plan_place *place, const char *hint,
                            const char *message) {
  (void)place;
  (void)hint;
  (void)message;
  ++*(size_t *)context;
}

/* Decisions of a plan that may be changed. */
typedef struct editing {
  const dsm__explaining *e;
  dsm__decisions decisions;
  dsm__layer_decision *layers; /* of these */
} editing;

/* Predicts the plan with what is decided. False if out of memory. */
static bool predict_edited(const editing *made, dsm_what_if *what_if) {
  const dsm__explaining *const e = made->e;
  const dsm_machine machine = dsm_machine_derive(e->plan->system);
  const dsm__candidate candidate = {.workload = e->plan->workload,
                                    .machine = &machine,
                                    .options = &e->plan->options,
                                    .decisions = &made->decisions,
                                    .is_complete = true};
  size_t violations = 0;
  dsm_plan *edited = NULL;
  if (!dsm__legality_check(&candidate, count_violation, &violations, e->problem->arena)) {
    return false;
  }
  if (violations > 0) {
    what_if->why_not = "the layer, as it is mapped, cannot have it";
    return true;
  }
  const dsm_status status = dsm__plan_complete(&edited, &candidate, made->layers,
                                               (dsm__place){.file = NULL}, e->problem->arena, NULL);
  what_if->network_cycles = status == DSM_OK ? edited->result.step_cycles : 0;
  what_if->why_not = status == DSM_OK ? NULL : "the step does not fit a chip's memory";
  dsm_plan_free(edited);
  return status != DSM_ERROR_OUT_OF_MEMORY;
}

static dsm_what_if *append(dsm_explanation *explanation, dsm_decision decision, uint64_t value,
                           bool is_chosen) {
  dsm_what_if *const what_if = &explanation->what_ifs[explanation->what_if_count++];
  *what_if = (dsm_what_if){.decision = decision, .value = value, .is_chosen = is_chosen};
  return what_if;
}

/* What runs again has the core split of the forward pass, behind those of the pass before which it
 * does. */
static void split_again(const dsm_layer_plan *planned, dsm__layer_decision *own) {
  const dsm_pass pass = dsm__recomputing_pass(planned->layer);
  if (!dsm__is_product_again(&planned->decisions) && pass < DSM_PASS_COUNT &&
      planned->passes[pass].invocation_count < DSM_INVOCATION_KINDS_MAX) {
    own->splits[pass][planned->passes[pass].invocation_count] = own->splits[DSM_PASS_FORWARD][0];
  }
}

enum { OPERATIONS = 2 }; /* value of what is recomputed: those of the layer alone */

/* Each value of a decision of a layer in the plan; the judge says which it cannot have. */
static bool add_values(editing *made, dsm_decision decision, dsm_explanation *explanation) {
  dsm__layer_decision *const own = &made->layers[made->e->layer_index];
  const dsm_layer_decisions planned = own->layer;
  const bool is_shard = decision == DSM_DECISION_SHARD;
  const unsigned again = planned.is_product_kept ? OPERATIONS : planned.is_recomputed;
  const unsigned chosen = is_shard ? (unsigned)planned.shard : again;
  const bool may_keep = dsm__may_keep_products(made->e->plan->options.recomputation);
  const unsigned end = is_shard ? DSM_SHARDING_COUNT : may_keep ? OPERATIONS + 1U : OPERATIONS;
  bool is_good = true;
  for (unsigned v = 0; v < end && is_good; v++) {
    own->layer.shard = is_shard ? (dsm_sharding)v : planned.shard;
    own->layer.is_recomputed = is_shard ? planned.is_recomputed : v > 0;
    own->layer.is_product_kept = is_shard ? planned.is_product_kept : v == OPERATIONS;
    own->layer.is_output_recomputed = planned.is_output_recomputed && (is_shard || v == 1);
    is_good = predict_edited(made, append(explanation, decision, v, v == chosen));
  }
  own->layer = planned;
  return is_good;
}

static bool add_edits(const dsm__explaining *e, dsm_explanation *explanation) {
  const dsm__search_inputs *const inputs = &e->problem->inputs;
  editing made = {.e = e};
  if (!dsm__decisions_of_plan(e->plan, e->problem->arena, &made.decisions) ||
      !DSM__RESERVE(e->problem->arena, made.layers, e->plan->layer_count)) {
    return false;
  }
  memcpy(made.layers, made.decisions.layers, e->plan->layer_count * sizeof *made.layers);
  made.decisions.layers = made.layers;
  const bool may_shard = dsm__may_choose(inputs->options, DSM__CHOICE_SHARD) &&
                         dsm__layer_may(e->plan->workload, e->layer_index, DSM__CHOICE_SHARD);
  if (may_shard && !add_values(&made, DSM_DECISION_SHARD, explanation)) {
    return false;
  }
  split_again(e->chosen, &made.layers[e->layer_index]);
  return !dsm__may_choose(inputs->options, DSM__CHOICE_RECOMPUTED) ||
         add_values(&made, DSM_DECISION_RECOMPUTED, explanation);
}

/* ---- without an optimization, all else at its best ---- */

static const struct {
  dsm_decision decision;
  dsm__choice choice;
  uint64_t without; /* the optimization, how many there are */
} step_rows[] = {
    {DSM_DECISION_MICRO_BATCHES, DSM__CHOICE_MICRO_BATCHES, 1},
    {DSM_DECISION_STAGES, DSM__CHOICE_STAGES, 1},
    {DSM_DECISION_SHARDED_LAYERS, DSM__CHOICE_SHARD, 0},
    {DSM_DECISION_RECOMPUTED_LAYERS, DSM__CHOICE_RECOMPUTED, 0},
};

/* False if out of memory. */
static bool explore_without(const dsm_plan *plan, dsm__choice choice, dsm_what_if *what_if) {
  dsm_explore_options options = plan->options;
  options.optimizations &= ~dsm__choice_strategies(choice);
  dsm_options_settle(&options);
  options.as_run_by = DSM_AS_RUN_BY_ANY;
  options.time_limit_seconds = 0;
  dsm_plan *found = NULL;
  bool is_stopped = false;
  const dsm_status status = dsm__explore_strictly(&found, plan->workload, plan->system, &options,
                                                  HUGE_VAL, DSM__WORK_MAX, &is_stopped);
  what_if->network_cycles = status == DSM_OK ? found->result.step_cycles : 0;
  what_if->why_not = status == DSM_OK ? NULL
                     : is_stopped
                         ? "no step without it was found by as much work as a search may take"
                         : "no step without it fits a chip's memory";
  dsm_plan_free(found);
  return status != DSM_ERROR_OUT_OF_MEMORY;
}

static bool add_searches(const dsm__explaining *e, dsm_explanation *explanation) {
  bool is_good = true;
  for (size_t r = 0; r < DSM__COUNT_OF(step_rows) && is_good; r++) {
    const dsm__choice choice = step_rows[r].choice;
    const uint64_t planned = dsm__choice_count(choice, e->plan);
    if (planned > 0) {
      append(explanation, step_rows[r].decision, planned, true)->network_cycles =
          e->plan->result.step_cycles;
      is_good = explore_without(
          e->plan, choice, append(explanation, step_rows[r].decision, step_rows[r].without, false));
    }
  }
  return is_good;
}

bool dsm__explain_keeping(const dsm__explaining *e, dsm_explanation *explanation) {
  enum { MOST = DSM_SHARDING_COUNT + 2 + 2 * DSM__COUNT_OF(step_rows) };
  explanation->what_ifs = calloc(MOST, sizeof explanation->what_ifs[0]);
  return explanation->what_ifs != NULL && add_edits(e, explanation) && add_searches(e, explanation);
}

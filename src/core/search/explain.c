/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain.c: what else a layer could have done.
 *
 * An alternative is scored as the plan's own pass is, with all else as planned, so that the two can
 * be compared line by line. What the network as a whole would do with it is another question, since
 * other layers may decide otherwise then: that is answered by the best mapping among those with the
 * alternative (through.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/order.h"
#include "plan/keeping.h"
#include "plan/pass_builder.h"
#include "plan/plan_internal.h"
#include "plan/role_rules.h"
#include "plan/step_stages.h"
#include "plan/tolerance.h"
#include "search/explain_internal.h"
#include "search/layer_search.h"
#include "search/roles/role_search.h"

/* A core split of the chosen parallelism, by its total. */
typedef struct ranked_split {
  double total;
  size_t index;
} ranked_split;

static int compare_ranked(const void *left, const void *right) {
  const ranked_split *const a = left;
  const ranked_split *const b = right;
  return dsm__order_then(dsm__order(a->total, b->total), dsm__order_whole(a->index, b->index));
}

static bool is_same_split(const dsm_loops *a, const dsm_loops *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

/* How the plan runs the layer, or would run it with another parallelism: then nothing is held. */
static dsm__layer_setting setting_of(const dsm__explaining *e, bool is_chosen_parallelism) {
  dsm__layer_setting setting =
      dsm__open_setting(&e->problem->inputs, e->chosen->layer, e->chosen->decisions.dysm_factor);
  setting.is_hoisted = e->chosen->decisions.is_hoisted;
  setting.is_recomputed = dsm__is_product_again(&e->chosen->decisions);
  setting.are_operations_again = e->chosen->decisions.is_product_kept;
  setting.shard = e->chosen->decisions.shard;
  setting.machine = e->machine;
  setting.reductions =
      setting.reductions != NULL && e->chosen->pipeline == DSM_NO_PIPELINE ? &e->shares : NULL;
  setting.preloaded_bytes = e->preloaded_bytes;
  if (is_chosen_parallelism) {
    setting.gathered_before = e->gathered_before;
    setting.summed_later = e->summed_later;
    setting.gathered_in_update = e->gathered_in_update;
    setting.holding = e->holding;
    setting.resident_fraction = e->chosen->decisions.weights_on_chip;
  }
  return setting;
}

/* May a pass have a parallelism beside those that the plan's layer has in the others? */
static bool goes_with_others(const dsm__explaining *e, dsm_pass pass, dsm_parallelism parallelism) {
  bool is_good = true;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const other = &e->chosen->passes[p];
    is_good = is_good && (p == (int)pass || !other->exists ||
                          dsm__roles_clash(e->chosen->layer, e->machine->system, parallelism,
                                           other->share.parallelism) == DSM_NO_AXIS);
  }
  return is_good;
}

/* Of a pass: the others are as the plan has them, where they may differ from it. */
static dsm__layer_decision decision_of(const dsm__explaining *e, dsm_pass pass,
                                       dsm_parallelism parallelism) {
  dsm__layer_decision decision = {.layer.dysm_factor = e->chosen->decisions.dysm_factor};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const one = &e->chosen->passes[p];
    decision.layouts.of[p] =
        one->exists
            ? one->share.parallelism
            : (p == DSM_PASS_BACKWARD ? e->chosen->error_parallelism
                                      : e->chosen->passes[DSM_PASS_FORWARD].share.parallelism);
  }
  if (!e->is_per_pass || e->chosen->pipeline != DSM_NO_PIPELINE ||
      !goes_with_others(e, pass, parallelism)) {
    decision.layouts = dsm_pass_layouts_uniform(parallelism);
  }
  decision.layouts.of[pass] = parallelism;
  return decision;
}

static dsm_alternative *append(dsm_explanation *explanation) {
  return &explanation->alternatives[explanation->alternative_count++];
}

/* The cost of a pass with splits; relayouts at the layer's boundaries are left out. */
static void predict_alternative(const dsm__explaining *e, const dsm__layer_decision *decision,
                                dsm_alternative *alternative) {
  const bool is_chosen_parallelism =
      e->chosen->passes[alternative->pass].share.parallelism == alternative->parallelism;
  dsm__layer_setting setting = setting_of(e, is_chosen_parallelism);
  dsm__pass_builder builder;
  dsm_pass_plan pass;
  setting.is_error_apart = dsm__is_error_apart(&decision->layouts);
  dsm__pass_predict_alone(&builder, &pass, &setting, alternative->pass, decision);
  alternative->cycles = pass.cycles;
  alternative->resources = pass.resources;
  alternative->bound = pass.bound;
  alternative->stream_link = dsm__pass_stream_link(&builder);
  memcpy(alternative->group_cycles, pass.group_cycles, sizeof pass.group_cycles);
}

static bool is_as_planned(const dsm_pass_plan *planned, const dsm__layer_decision *decision,
                          dsm_pass pass) {
  bool is_kernel_kept = false;
  for (unsigned i = 0; i < planned->invocation_count; i++) {
    is_kernel_kept = is_kernel_kept || planned->invocations[i].kind == DSM_INVOCATION_STEADY;
  }
  if (planned->share.parallelism != decision->layouts.of[pass] ||
      is_kernel_kept != decision->is_kernel_kept[pass]) {
    return false;
  }
  for (unsigned i = 0; i < planned->invocation_count; i++) {
    if (!is_same_split(&planned->invocations[i].split, &decision->splits[pass][i])) {
      return false;
    }
  }
  return true;
}

/* Preloaded weights were given room for the plan's own split. */
static void keep_planned_splits(const dsm_pass_plan *planned, dsm_pass pass,
                                dsm__layer_decision *decision) {
  decision->is_kernel_kept[pass] = false;
  for (unsigned i = 0; i < planned->invocation_count; i++) {
    decision->splits[pass][i] = planned->invocations[i].split;
    decision->is_kernel_kept[pass] =
        decision->is_kernel_kept[pass] || planned->invocations[i].kind == DSM_INVOCATION_STEADY;
  }
}

/* The best splits of a parallelism of a pass. */
static void list_parallelism(dsm__explaining *e, dsm_explanation *explanation, dsm_pass pass,
                             dsm_parallelism parallelism) {
  const dsm_pass_plan *const planned = &e->chosen->passes[pass];
  const dsm__layer_setting setting = setting_of(e, parallelism == planned->share.parallelism);
  const dsm__best_pass best = dsm__best_pass_find(
      &setting, pass, parallelism, dsm__may_choose(e->problem->inputs.options, DSM__CHOICE_KERNEL),
      &e->problem->table.splits);
  dsm__layer_decision decision = decision_of(e, pass, parallelism);
  decision.is_kernel_kept[pass] = best.is_kernel_kept;
  memcpy(decision.splits[pass], best.splits, sizeof best.splits);
  if (setting.resident_fraction > 0) {
    keep_planned_splits(planned, pass, &decision);
  }
  dsm_alternative *const alternative = append(explanation);
  *alternative = (dsm_alternative){
      .pass = pass,
      .parallelism = parallelism,
      .split = decision.splits[pass][0],
      .is_chosen = is_as_planned(planned, &decision, pass),
      .is_best_of_parallelism = true,
      .network_cycles = dsm__explain_network_cycles(e, pass, parallelism),
  };
  predict_alternative(e, &decision, alternative);
}

/* Every parallelism that is allowed, and the plan's own. */
static void list_parallelisms(dsm__explaining *e, dsm_explanation *explanation, dsm_pass pass) {
  const dsm_parallelism planned = e->chosen->passes[pass].share.parallelism;
  const dsm_parallelism_set allowed = dsm__allowed_parallelisms(
      e->chosen->layer, e->problem->inputs.options, e->problem->machine.system);
  for (unsigned p = 0; p < e->problem->machine.parallelism_count; p++) {
    if ((allowed & DSM_PARALLELISM_BIT(p)) != 0 || p == (unsigned)planned) {
      list_parallelism(e, explanation, pass, (dsm_parallelism)p);
    }
  }
  bool is_listed = !dsm_parallelism_has_roles(planned);
  for (size_t i = 0; i < e->role_count; i++) {
    const bool is_listed_before = i > 0 && e->roles[i].parallelism == e->roles[i - 1].parallelism;
    if (dsm_parallelism_has_roles(e->roles[i].parallelism) && !is_listed_before) {
      list_parallelism(e, explanation, pass, e->roles[i].parallelism);
      is_listed = is_listed || e->roles[i].parallelism == planned;
    }
  }
  if (!is_listed) {
    list_parallelism(e, explanation, pass, planned);
  }
}

/* The plan's own pass with another split of its first invocation. */
static void append_split(const dsm__explaining *e, dsm_explanation *explanation, dsm_pass pass,
                         const dsm_loops *split, bool is_chosen) {
  const dsm_pass_plan *const planned = &e->chosen->passes[pass];
  dsm__layer_decision decision = decision_of(e, pass, planned->share.parallelism);
  keep_planned_splits(planned, pass, &decision);
  decision.splits[pass][0] = *split;
  dsm_alternative *const alternative = append(explanation);
  *alternative = (dsm_alternative){.pass = pass,
                                   .parallelism = planned->share.parallelism,
                                   .split = *split,
                                   .is_chosen = is_chosen};
  predict_alternative(e, &decision, alternative);
}

/*
 * The splits after the best, of the plan's parallelism; and the plan's own if it is none of these
 * (a plan edited by hand).
 *
 * The best splits are known already; those that follow are listed by their totals, of which all are
 * scored, since this is done for one pass only.
 */
static bool list_splits(dsm__explaining *e, dsm_explanation *explanation, dsm_pass pass,
                        size_t count) {
  const dsm_pass_plan *const planned = &e->chosen->passes[pass];
  const dsm__core_splits *const splits = &e->problem->table.splits;
  const dsm__layer_setting setting = setting_of(e, true);
  const dsm__parts parts = dsm__pass_parts(&setting, pass, planned->share.parallelism, false);
  const dsm_pass_work work =
      dsm__part_work(&setting, pass, planned->share.parallelism, &parts.items[0]);
  /* With preloaded weights, only splits that take no more room for them. */
  const double room =
      setting.resident_fraction > 0
          ? dsm__capacity_limit(dsm_kept_kernel_bytes(&work, &planned->invocations[0].split))
          : HUGE_VAL;
  const dsm_loops best = setting.resident_fraction > 0
                             ? planned->invocations[0].split
                             : dsm__best_split_find(&work, splits, false).split;
  const dsm__parts_limit candidates = dsm__candidate_parts(splits, &work.share);
  bool is_listed = false; /* the plan's own way is already among the alternatives */
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const one = &explanation->alternatives[i];
    is_listed = is_listed || (one->pass == pass && one->is_chosen);
  }
  ranked_split *const ranked = malloc(splits->count * sizeof *ranked);
  if (ranked == NULL) {
    return false;
  }
  size_t ranked_count = 0;
  for (size_t i = 0; i < splits->count; i++) {
    if (dsm__is_within_parts(&candidates, &splits->items[i]) &&
        dsm_kept_kernel_bytes(&work, &splits->items[i]) <= room) {
      ranked[ranked_count++] =
          (ranked_split){dsm_invocation_score(&work, &splits->items[i]).total, i};
    }
  }
  qsort(ranked, ranked_count, sizeof ranked[0], compare_ranked);
  size_t listed = 0;
  for (size_t i = 0; i < ranked_count; i++) {
    const dsm_loops *const split = &splits->items[ranked[i].index];
    const bool is_chosen = !is_listed && is_same_split(split, &planned->invocations[0].split);
    if (is_chosen || (listed < count && !is_same_split(split, &best))) {
      append_split(e, explanation, pass, split, is_chosen);
      listed += is_chosen ? 0 : 1;
    }
  }
  free(ranked);
  return true;
}

static int compare_alternatives(const void *left, const void *right) {
  const dsm_alternative *const a = left;
  const dsm_alternative *const b = right;
  if (a->pass != b->pass) {
    return dsm__order_whole(a->pass, b->pass);
  }
  if (a->is_chosen != b->is_chosen) {
    return a->is_chosen ? -1 : 1;
  }
  int order = dsm__order_then(dsm__order(a->cycles.total, b->cycles.total),
                              dsm__order_whole(a->parallelism, b->parallelism));
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    order = dsm__order_then(order, dsm__order_whole(a->split.n[d], b->split.n[d]));
  }
  return order;
}

static bool is_preloading(const dsm__explaining *e) {
  bool is_it = false;
  for (size_t i = 0; i < e->plan->layer_count; i++) {
    is_it = is_it || e->plan->layers[i].decisions.weights_on_chip > 0;
  }
  return is_it;
}

/* The graph knows no preloaded weights. */
static double reference_of(const dsm__explaining *e) {
  if (!is_preloading(e) || e->is_layer_alone) {
    return e->reference_cycles;
  }
  double best = HUGE_VAL;
  for (size_t t = 0; t < e->through_count; t++) {
    for (size_t i = 0; i < e->throughs[t].way_count; i++) {
      best = fmin(best, e->throughs[t].ways[i].cycles);
    }
  }
  return best;
}

/* The graph counts what decisions change; what the plan pays beside that, in any case, is in its
 * step (where hidden sums count, with these in full), and so in all that is compared with it. */
static void add_uncounted(const dsm__explaining *e, dsm_explanation *made) {
  const bool is_own = !is_preloading(e);
  if (e->is_layer_alone) {
    return;
  }
  for (size_t i = 0; i < made->alternative_count; i++) {
    double *const cycles = &made->alternatives[i].network_cycles;
    *cycles += *cycles > 0 ? e->uncounted_cycles : 0;
  }
  for (size_t i = 0; i < made->what_if_count; i++) {
    double *const cycles = &made->what_ifs[i].network_cycles;
    *cycles += *cycles > 0 ? e->uncounted_cycles : 0;
  }
  made->reference_cycles =
      is_own ? e->compared_cycles : made->reference_cycles + e->uncounted_cycles;
}

/* Is it what is asked of other roles: the best split of roles beside data and model? */
static bool is_of_roles(const dsm_alternative *alternative) {
  return alternative->is_best_of_parallelism && dsm_parallelism_has_roles(alternative->parallelism);
}

/* Has the plan these roles in all passes of the layer? */
static bool is_of_plan(const dsm__explaining *e, dsm_parallelism parallelism) {
  const dsm_layer_plan *const layer = &e->plan->layers[e->layer_index];
  bool is_same = true;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &layer->passes[p];
    is_same = is_same && (!pass->exists || pass->decisions.parallelism == parallelism);
  }
  return is_same;
}

static bool add_step_with(const dsm__explaining *e, dsm_explanation *made,
                          dsm_parallelism parallelism) {
  static const double most = 2; /* times the step: beyond that a mapping is not looked for */
  const dsm__fixed_roles fixed = {.layer = e->layer_index, .parallelism = parallelism};
  double cycles = 0;
  if (!dsm__step_with_roles(e->step, &fixed, most * e->plan->result.step_cycles, &cycles)) {
    return false;
  }
  if (is_of_plan(e, parallelism)) { /* a search by itself may find none as good */
    const double step = e->plan->result.step_cycles;
    cycles = cycles > 0 && cycles < step ? cycles : step;
  }
  for (size_t i = 0; i < made->alternative_count; i++) {
    if (is_of_roles(&made->alternatives[i]) && made->alternatives[i].parallelism == parallelism) {
      made->alternatives[i].network_cycles = cycles;
    }
  }
  return true;
}

/*
 * What the step would take with the roles that are fastest in a pass, in all passes of the layer,
 * with as many stages and micro-batches as planned.
 *
 * Each is a search of its own, so that only a few are asked: those that come first in a pass. The
 * mapping found is the fastest of those with such roles, since these hold and pipeline nothing.
 */
static bool add_steps_with_roles(const dsm__explaining *e, dsm_explanation *made) {
  enum { ASKED = 3 };
  size_t asked[DSM_PASS_COUNT] = {0};
  bool is_good = true;
  for (size_t i = 0; i < made->alternative_count && is_good; i++) {
    const dsm_alternative *const alternative = &made->alternatives[i];
    if (!is_of_roles(alternative) || asked[alternative->pass] == ASKED) {
      continue;
    }
    asked[alternative->pass]++;
    bool is_known = false;
    for (size_t k = 0; k < i && !is_known; k++) {
      is_known = is_of_roles(&made->alternatives[k]) &&
                 made->alternatives[k].parallelism == alternative->parallelism &&
                 made->alternatives[k].network_cycles > 0;
    }
    is_good = is_known || add_step_with(e, made, alternative->parallelism);
  }
  return is_good;
}

static bool fill(dsm__explaining *e, dsm_explanation *made, size_t splits_per_pass) {
  const size_t all = e->problem->table.splits.count;
  const size_t shown = splits_per_pass < all ? splits_per_pass : all;
  const size_t most = DSM_PASS_COUNT * (DSM_PARALLELISM_COUNT + e->role_count + shown + 2);
  made->alternatives = calloc(most, sizeof made->alternatives[0]);
  if (made->alternatives == NULL) {
    return false;
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (e->chosen->passes[p].exists) {
      list_parallelisms(e, made, (dsm_pass)p);
      if (!list_splits(e, made, (dsm_pass)p, shown)) {
        return false;
      }
    }
  }
  qsort(made->alternatives, made->alternative_count, sizeof made->alternatives[0],
        compare_alternatives);
  made->reference_cycles = reference_of(e);
  made->has_hidden_sums = e->has_hidden_sums;
  made->is_layer_alone = e->is_layer_alone;
  const bool is_good = e->is_layer_alone
                           ? add_steps_with_roles(e, made) && dsm__explain_keeping(e, made)
                           : dsm__explain_what_ifs(e, made);
  if (!is_good) {
    return false;
  }
  add_uncounted(e, made);
  return true;
}

static bool is_divided(const dsm_plan *plan) {
  return plan->micro_batches > 1 || plan->stages.count > 1;
}

/* A problem of the whole step that is divided as the plan is. `options`: its own, which outlive
 * it. */
static dsm_status begin_step(dsm__problem *step, const dsm_plan *plan, dsm_explore_options *options,
                             dsm_diags *diags) {
  *options = plan->options;
  options->time_limit_seconds = 0;
  options->memory_limit_GB = HUGE_VAL;
  options->micro_batches = plan->micro_batches > 1 ? plan->micro_batches : 1;
  options->stages = plan->stages.count > 1 ? plan->stages.count : 1;
  options->interleave = plan->stages.count > 1 ? plan->stages.interleave : 0;
  options->recomputation = dsm__recomputation_of(plan, plan->options.recomputation);
  options->shard_level = dsm__shard_level_of(plan, plan->options.shard_level);
  options->as_run_by = DSM_AS_RUN_BY_ANY;
  return dsm__problem_init(step, plan->workload, plan->system, options, diags);
}

dsm_status dsm_explain(dsm_explanation **explanation, const dsm_plan *plan, size_t layer_index,
                       size_t splits_per_pass, dsm_diags *diags) {
  *explanation = NULL;
  dsm__problem problem;
  dsm_explore_options options = plan->options;
  options.time_limit_seconds = 0; /* what is explained has to be known to the end */
  options.memory_limit_GB = HUGE_VAL;
  options.stages = 1; /* the layer runs on a stage's chips, for a micro-batch */
  options.micro_batches = 1;
  options.interleave = 0;
  options.recomputation = dsm__recomputation_of(plan, plan->options.recomputation);
  options.shard_level = dsm__shard_level_of(plan, plan->options.shard_level);
  options.as_run_by = DSM_AS_RUN_BY_ANY; /* each layer by itself */
  dsm__stage part;
  const dsm_machine whole = dsm_machine_derive(plan->system);
  const dsm_workload micro = dsm__micro_workload(plan->workload, plan->micro_batches);
  dsm_status status = dsm__problem_init(
      &problem, &micro, dsm__stage_machine(&whole, &plan->stages, &part)->system, &options, diags);
  if (status != DSM_OK) {
    return status;
  }
  problem.inputs.micro_batches = plan->micro_batches > 1 ? plan->micro_batches : 0;
  dsm__problem whole_step = {.arena = NULL};
  dsm_explore_options step_options;
  status = is_divided(plan) ? begin_step(&whole_step, plan, &step_options, diags) : DSM_OK;
  if (status != DSM_OK) {
    dsm__problem_fini(&problem);
    return status;
  }
  dsm__explaining e = {.step = is_divided(plan) ? &whole_step : &problem,
                       .problem = &problem,
                       .plan = plan,
                       .layer_index = layer_index,
                       .chosen = &plan->layers[layer_index]};
  dsm__stage stage;
  dsm_explanation *const made = calloc(1, sizeof *made);
  if (made != NULL) {
    made->layer_index = layer_index;
  }
  if (made != NULL && dsm__explain_prepare(&e, &stage) && fill(&e, made, splits_per_pass)) {
    *explanation = made;
  } else {
    dsm_explanation_free(made);
    status = dsm__out_of_memory(diags);
  }
  dsm__problem_fini(&whole_step);
  dsm__problem_fini(&problem);
  return status;
}

void dsm_explanation_free(dsm_explanation *explanation) {
  if (explanation == NULL) {
    return;
  }
  for (size_t i = 0; i < explanation->what_if_count; i++) {
    free(explanation->what_ifs[i].also_held);
    free(explanation->what_ifs[i].not_held);
  }
  free(explanation->what_ifs);
  free(explanation->alternatives);
  free(explanation);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/roles/role_passes.h"

#include "plan/keeping.h"
#include "search/layer_search.h"
#include "search/roles/held_search.h"

bool dsm__role_factor_is_tried(const dsm__problem *problem, const dsm_layer *layer,
                               unsigned factor_index) {
  return problem->factors.is_uniform || problem->inputs.micro_batches > 1
             ? factor_index == 0
             : dsm__factor_is_allowed(&problem->factors, layer, factor_index) &&
                   !dsm__is_run_hoisted(layer, factor_index);
}

dsm__layer_setting dsm__role_setting(const dsm__problem *problem, size_t layer_index,
                                     unsigned factor_index, dsm__role_shares shares) {
  dsm__layer_setting setting = dsm__run_setting(
      &problem->inputs, &problem->inputs.workload->layers[layer_index], factor_index);
  setting.owner = (dsm__table_cut){.is_known = false}; /* charged later, in each case */
  setting.gathered_before = shares.both;
  setting.summed_later = shares.both;
  setting.gathered_in_update = shares.in_update;
  return setting;
}

/* How a layer runs that takes least. Where outputs may be held, as if all were that it reads and
 * makes, and nothing of them took room: neither time nor energy falls where less of that is so. */
static dsm__layer_setting least_setting(const dsm__problem *problem,
                                        const dsm__layer_setting *setting) {
  dsm__layer_setting least = *setting;
  if (dsm__held_roles_are_searched(problem)) {
    least.holding = (dsm__holding){.is_input_held = true,
                                   .is_output_held = true,
                                   .is_shortcut_held = true,
                                   .is_moving_free = true};
  }
  return least;
}

/* What a pass takes but for what is gathered of its weights. */
static dsm__memo_score find_pass(const dsm__problem *problem, const dsm__layer_setting *setting,
                                 dsm_pass pass, const dsm_pass_layouts *layouts) {
  const bool may_keep = dsm__may_choose(problem->inputs.options, DSM__CHOICE_KERNEL);
  if (problem->is_rough) {
    const dsm__layer_setting least = least_setting(problem, setting);
    return (dsm__memo_score){dsm__pass_floor(&least, pass, layouts->of[pass], may_keep), 0};
  }
  const dsm__best_pass best =
      dsm__least_pass_find(setting, pass, layouts->of[pass], may_keep, &problem->table.splits);
  return (dsm__memo_score){best.cycles, best.evaluations};
}

dsm__memo_role_key dsm__role_pass_key(const dsm__problem *problem,
                                      const dsm__layer_setting *setting, dsm_pass pass,
                                      dsm_parallelism parallelism, dsm__memo_asked asked) {
  const dsm_layer *const layers = problem->inputs.workload->layers;
  const dsm__distinct *const distinct = &problem->table.distinct;
  const size_t class_index = distinct->class_of[setting->layer - layers];
  return (dsm__memo_role_key){
      .layer = &layers[distinct->representative[class_index]],
      .minibatch = setting->minibatch,
      .micro_batches = setting->micro_batches,
      .dysm_factor = setting->dysm_factor,
      .parallelism = (uint32_t)parallelism,
      .gathered_before = setting->gathered_before,
      .summed_later = setting->summed_later,
      .gathered_in_update = setting->gathered_in_update,
      .pass = (uint8_t)pass,
      .is_recomputed = setting->is_recomputed,
      .is_error_apart = setting->is_error_apart,
      .asked = (uint8_t)asked,
      .is_input_held = setting->holding.is_input_held,
      .is_output_held = setting->holding.is_output_held,
      .is_shortcut_held = setting->holding.is_shortcut_held,
      .is_moving_free = setting->holding.is_moving_free,
      .held_bytes = setting->holding.held_bytes,
      .deferred_bytes = setting->holding.deferred_bytes,
  };
}

/* The same, from the memo where it is there. */
static dsm__memo_score recall_pass(const dsm__problem *problem, const dsm__layer_setting *setting,
                                   dsm_pass pass, const dsm_pass_layouts *layouts) {
  const dsm__memo_asked floor =
      dsm__held_roles_are_searched(problem) ? DSM__MEMO_HELD_FLOOR : DSM__MEMO_FLOOR;
  const dsm__memo_role_key key = dsm__role_pass_key(problem, setting, pass, layouts->of[pass],
                                                    problem->is_rough ? floor : DSM__MEMO_PASS);
  const dsm__memo_score *const known =
      problem->role_memo == NULL ? NULL : dsm__memo_role(problem->role_memo, &key);
  if (known != NULL) {
    return *known;
  }
  const dsm__memo_score found = find_pass(problem, setting, pass, layouts);
  if (problem->role_memo != NULL) {
    dsm__memo_put_role(problem->role_memo, &key, found);
  }
  return found;
}

double dsm__role_pass_cost(const dsm__problem *problem, const dsm__layer_setting *setting,
                           dsm_pass pass, const dsm_pass_layouts *layouts) {
  const dsm__memo_score score = recall_pass(problem, setting, pass, layouts);
  problem->found->evaluations += score.evaluations;
  const dsm__operations_again again = dsm__operations_made_again(setting, layouts->of[pass], pass);
  const dsm__cost cost = {.micro = dsm__counted_share(setting, pass) *
                                   (score.cycles +
                                    dsm__gathering_cycles(setting, layouts, pass, score.cycles) +
                                    again.cycles * again.count)};
  return dsm__price(&problem->inputs.prices, &cost);
}

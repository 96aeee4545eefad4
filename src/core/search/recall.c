/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recall.c: answers about passes, from the memo or found anew. The key of an answer is made of the
 * setting that it is found with, so that whoever asks need not know what an answer depends on; two
 * assertions hold the setting and its key together. */
#include "search/layer_table.h"

/* All of these are in a key, or in its context: a new field has to be as well. Reductions, and how
 * the owner of a tied layer cuts its weights, are of what moves once a step, and no part of an
 * answer; gathers are of roles, whose answers are not kept. */
_Static_assert(sizeof(void *) != 8 ||
                   sizeof(dsm__holding) == 4 * sizeof(bool) + 4 + 5 * sizeof(uint64_t),
               "all of the holding is in a key");
_Static_assert(sizeof(void *) != 8 || sizeof(dsm__layer_setting) == 13 * sizeof(uint64_t) +
                                                                        sizeof(dsm_precision) +
                                                                        sizeof(dsm__holding),
               "all of the setting is in a key");

/* The key of an answer; false if it is not to be kept. */
static bool make_key(const dsm__recalled_pass *of, dsm__memo_kind kind, dsm__memo_key *key) {
  const dsm__search_inputs *const inputs = of->table->inputs;
  const dsm__layer_setting *const setting = of->setting;
  const dsm__holding *const holding = &setting->holding;
  const dsm_network *const network = &setting->machine->system->system;
  const dsm_axis_set model = dsm_parallelism_model_axes(of->parallelism);
  if (of->table->shapes == NULL || holding->layouts != NULL || holding->held_bytes > 0 ||
      dsm_parallelism_has_roles(of->parallelism) || setting->micro_batches > 1) {
    return false;
  }
  *key = (dsm__memo_key){
      .context = inputs->memo_contexts[of->pass],
      .shape = of->table->shapes[of->class_index],
      .is_hoisted = setting->is_hoisted,
      .minibatch = setting->minibatch,
      .dysm_factor = setting->dysm_factor,
      .held_elements = holding->held_elements,
      .deferred_elements = holding->deferred_elements,
      .preloaded_bytes = setting->preloaded_bytes,
      .resident_fraction = setting->resident_fraction,
      .kind = (uint8_t)kind,
      .pass = (uint8_t)of->pass,
      .parallelism = (uint8_t)of->parallelism,
      .is_input_held = holding->is_input_held,
      .is_output_held = holding->is_output_held,
      .is_shortcut_held = holding->is_shortcut_held,
      .is_moving_free = holding->is_moving_free,
  };
  for (unsigned a = 0; a < network->axis_count; a++) {
    key->chips[a] = (uint32_t)network->axes[a].chips;
    /* Only rotation uses these links in a pass, and only along axes that share the features. */
    key->link_bytes_per_cycle[a] =
        dsm_axis_set_has(model, a)
            ? setting->machine->link_bytes_per_cycle[(unsigned)DSM_LINK_AXIS + a]
            : 0;
  }
  return true;
}

/* Once the time is over some candidates are enough to go on with something, and such an answer is
 * not kept: another exploration has time. */
dsm__best_pass dsm__recall_pass(const dsm__recalled_pass *of, bool are_splits_wanted) {
  enum { SOME = 64 }; /* candidates that are looked at once the time is over */
  const dsm__search_inputs *const inputs = of->table->inputs;
  const bool may_keep_kernel = dsm__may_choose(inputs->options, DSM__CHOICE_KERNEL);
  dsm__memo_key key;
  const bool is_kept =
      make_key(of, are_splits_wanted ? DSM__MEMO_BEST_PASS : DSM__MEMO_LEAST_PASS, &key);
  key.may_keep_kernel = may_keep_kernel;
  const dsm__best_pass *const known = is_kept ? dsm__memo_best_pass(inputs->memo, &key) : NULL;
  if (known != NULL) {
    return *known;
  }
  const bool is_over = dsm__deadline_is_over(inputs->deadline);
  dsm__core_splits splits = of->table->splits;
  splits.visits_max = is_over ? SOME : 0;
  const dsm__best_pass best =
      are_splits_wanted
          ? dsm__best_pass_find(of->setting, of->pass, of->parallelism, may_keep_kernel, &splits)
          : dsm__least_pass_find(of->setting, of->pass, of->parallelism, may_keep_kernel, &splits);
  if (is_kept && !is_over) {
    dsm__memo_put_best_pass(inputs->memo, &key, &best);
  }
  return best;
}

bool dsm__recall_score(const dsm__recalled_pass *of, dsm__memo_kind kind, dsm__memo_score *score) {
  dsm__memo_key key;
  const dsm__memo_score *const known =
      make_key(of, kind, &key) ? dsm__memo_score_of(of->table->inputs->memo, &key) : NULL;
  if (known != NULL) {
    *score = *known;
  }
  return known != NULL;
}

void dsm__keep_score(const dsm__recalled_pass *of, dsm__memo_kind kind, dsm__memo_score score) {
  dsm__memo_key key;
  if (make_key(of, kind, &key)) {
    dsm__memo_put_score(of->table->inputs->memo, &key, score);
  }
}

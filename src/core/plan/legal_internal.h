/* SPDX-License-Identifier: GPL-3.0-or-later */
/* legal_internal.h: shared by the judges of single rules. */
#ifndef DSM_PLAN_LEGAL_INTERNAL_H
#define DSM_PLAN_LEGAL_INTERNAL_H

#include "dsm/status.h"
#include "model/names.h"
#include "plan/core_splits.h"
#include "plan/holding.h"
#include "plan/legal.h"
#include "plan/role_flow.h"
#include "plan/stage.h"
#include "plan/strategy_rules.h"

/** A candidate being judged. */
typedef struct dsm__judge {
  const dsm__candidate *of;
  dsm__violation_function tell;
  void *context;
  dsm__arena *arena;
  dsm__core_splits splits;
  size_t *group_of;         /**< of each layer: index of its group, or DSM_NO_PIPELINE */
  bool *is_cut;             /**< of each layer: a segment ends with it (plan/segments.h) */
  size_t told_count;        /**< violations so far */
  dsm__role_step *steps[2]; /**< of forward and backward, where layers have roles; else NULL */
} dsm__judge;

/** Tells a violation. */
void dsm__judge_tell(dsm__judge *judge, dsm__plan_place place, const char *hint, const char *format,
                     ...) DSM_PRINTF(4, 5);

/* The place of a member of a layer's decisions, of a pass's, or of a pipeline group. */
#define DSM__LAYER_PLACE(index, member)                                                            \
  dsm__place_of(&dsm__decisions_record, offsetof(dsm_layer_decisions, member), index)
#define DSM__PASS_PLACE(index, member)                                                             \
  dsm__place_of(&dsm__pass_decisions_record, offsetof(dsm_pass_decisions, member), index)
#define DSM__GROUP_PLACE(index, member)                                                            \
  dsm__place_of(&dsm__pipeline_record, offsetof(dsm_pipeline_plan, member), index)

static inline dsm__plan_place dsm__place_of(const dsm__record_type *record, size_t offset,
                                            size_t index) {
  return (dsm__plan_place){
      .record = record, .key = dsm__record_key_at(record, offset), .index = index};
}

static inline const dsm_layer *dsm__judged_layer(const dsm__judge *judge, size_t index) {
  return &judge->of->workload->layers[index];
}

static inline const dsm__layer_decision *dsm__judged(const dsm__judge *judge, size_t index) {
  return &judge->of->decisions->layers[index];
}

static inline bool dsm__is_known(const dsm__judge *judge, size_t index) {
  return judge->of->is_known == NULL || judge->of->is_known[index];
}

/** Judges a choice that was made, given facts of its layer or step. False, and told, where it is
 * not allowed; `none` is what would stand there without it. */
bool dsm__judge_made(dsm__judge *judge, dsm__plan_place place, dsm__choice choice,
                     dsm__layer_fact_set facts, const char *none, const char *found);

/** The same of a choice of a layer, which need not have been made; `found` may be NULL: how it was
 * made. */
bool dsm__judge_choice(dsm__judge *judge, size_t index, dsm__choice choice,
                       dsm__layer_fact_set facts, const char *found);

/** The word of a parallelism in findings. */
static inline const char *dsm__judged_word(const dsm__judge *judge, dsm_parallelism parallelism) {
  if (dsm_parallelism_has_roles(parallelism)) {
    const dsm_axes_word word = dsm_system_parallelism_name(judge->of->machine->system, parallelism);
    const char *const kept = dsm__arena_strdup(judge->arena, word.text);
    return kept == NULL ? "roles" : kept;
  }
  return dsm__word_key(dsm__words_in(judge->of->renaming, &dsm__parallelism_words), parallelism);
}

/** The machine that a layer runs on: its stage's, which is then set up in *stage, or the whole. */
const dsm_machine *dsm__judged_machine(const dsm__judge *judge, size_t index, dsm__stage *stage);

/** How a layer runs. */
dsm__layer_setting dsm__judged_setting(const dsm__judge *judge, size_t index,
                                       const dsm_machine *machine);

/** The parallelisms and core splits of a layer. */
void dsm__judge_passes(dsm__judge *judge, size_t index);

/** The first pass that exists whose parallelism is not that of forward; DSM_PASS_COUNT: none. Of a
 * layer without a backward pass in training, the layout of its output's error counts as that. */
dsm_pass dsm__differing_pass(const dsm__judge *judge, size_t index);

/** Do micro-batches suit the roles? Of what does not, no more is to be judged. */
void dsm__judge_micro_batches(dsm__judge *judge);

/** Stages of the step; of what does not suit, no more is to be judged. */
void dsm__judge_stages(dsm__judge *judge);

/** Roles that go together; only of a mapping that is legal otherwise. False if out of memory. */
bool dsm__judge_roles(dsm__judge *judge);

/** Of a complete plan what options.as_run_by asks of all layers together. False if out of memory.
 */
bool dsm__judge_as_run(dsm__judge *judge);

/** Each pipeline group. */
void dsm__judge_pipelines(dsm__judge *judge);

/** What is held has the same layout for all its life. */
void dsm__judge_lives(dsm__judge *judge);

/** What decisions take together: preloaded weights, held tensors, kernels that stay. Only of a
 * mapping that is legal otherwise. False if out of memory. */
bool dsm__judge_room(dsm__judge *judge);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/legal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/number_text.h"
#include "plan/core_layouts.h"
#include "plan/keeping.h"
#include "plan/legal_internal.h"
#include "plan/recomputation.h"
#include "plan/segments.h"
#include "plan/step_stages.h"

void dsm__judge_tell(dsm__judge *judge, dsm__plan_place place, const char *hint, const char *format,
                     ...) {
  char message[1024];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(message, sizeof message, format, args);
  va_end(args);
  judge->told_count++;
  judge->tell(judge->context, &place, hint, message);
}

/* What held tensors a forward pass reads and leaves is no longer there when it runs again. */
static bool is_beside_held(const dsm__judge *judge, size_t index) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  const struct {
    const size_t *makers;
    size_t count;
  } read[] = {{layer->producers, layer->producer_count},
              {layer->operands, layer->operand_count},
              {layer->shortcuts, layer->shortcut_count}};
  bool is_held = dsm__judged(judge, index)->layer.is_output_held;
  for (size_t r = 0; r < DSM__COUNT_OF(read); r++) {
    for (size_t i = 0; i < read[r].count; i++) {
      const size_t maker = read[r].makers[i];
      is_held = is_held ||
                (maker != DSM_NETWORK_INPUT && dsm__judged(judge, maker)->layer.is_output_held);
    }
  }
  return is_held;
}

static dsm__layer_fact_set facts_of(const dsm__judge *judge, size_t index) {
  return dsm__layer_facts(judge->of->workload, index) |
         (judge->group_of[index] != DSM_NO_PIPELINE ? DSM__LAYER_FACT(GROUPED) : 0) |
         (dsm__differing_pass(judge, index) != DSM_PASS_COUNT ? DSM__LAYER_FACT(DIFFERING) : 0) |
         (is_beside_held(judge, index) ? DSM__LAYER_FACT(BESIDE_HELD) : 0);
}

static bool is_made(const dsm__judge *judge, size_t index, dsm__choice choice) {
  return choice == DSM__CHOICE_GROUP ? judge->group_of[index] != DSM_NO_PIPELINE
                                     : dsm__is_chosen(choice, &dsm__judged(judge, index)->layer);
}

/* As it is made, and what there is where it is not: in the words of the formats. */
static const char *found_text(const dsm__judge *judge, size_t index, const dsm__field *field,
                              char text[64]) {
  const dsm_layer_decisions *const made = &dsm__judged(judge, index)->layer;
  const double number = dsm__field_number(field, made);
  if (field->kind == DSM__FIELD_WORD) {
    (void)snprintf(text, 64, "\"%s\"", dsm__word_key(field->words, (size_t)number));
  } else {
    (void)snprintf(text, 64, field->kind == DSM__FIELD_REAL ? "%g" : "%.0f", number);
  }
  return field->kind == DSM__FIELD_FLAG ? "true" : text;
}

static const char *const not_made[DSM__FIELD_KIND_COUNT] = {[DSM__FIELD_COUNT] = "1",
                                                            [DSM__FIELD_FLAG] = "false",
                                                            [DSM__FIELD_REAL] = "0",
                                                            [DSM__FIELD_TEXT] = "null",
                                                            [DSM__FIELD_WORD] = "\"none\""};

bool dsm__judge_made(dsm__judge *judge, dsm__plan_place place, dsm__choice choice,
                     dsm__layer_fact_set facts, const char *none, const char *found) {
  static const dsm__layer_fact_set of_step =
      DSM__LAYER_FACT(STAGED) | DSM__LAYER_FACT(MICRO_BATCHES) | DSM__LAYER_FACT(ROLES);
  const bool is_of_step = (facts & of_step) != 0; /* which is told before a missing strategy */
  const bool may = is_of_step || dsm__may_choose(judge->of->options, choice);
  const char *const why = dsm__choice_why_not(choice, facts);
  if (may && why == NULL) {
    return true;
  }
  dsm__judge_tell(judge, place, NULL, "expected %s%s%s, found %s", none,
                  may ? why : " without the optimization ", may ? "" : dsm__choice_word(choice),
                  found);
  return false;
}

bool dsm__judge_choice(dsm__judge *judge, size_t index, dsm__choice choice,
                       dsm__layer_fact_set facts, const char *found) {
  const dsm__field *const field = dsm__choice_field(choice);
  const dsm__plan_place place = {
      .record = &dsm__decisions_record, .key = field->key, .index = index};
  char text[64];
  return !is_made(judge, index, choice) ||
         dsm__judge_made(judge, place, choice, facts, not_made[field->kind],
                         found != NULL ? found : found_text(judge, index, field, text));
}

/* Is a choice made, and may it be? */
static bool is_made_well(const dsm__judge *judge, size_t index, dsm__choice choice) {
  return is_made(judge, index, choice) && dsm__may_choose(judge->of->options, choice) &&
         dsm__choice_why_not(choice, facts_of(judge, index)) == NULL;
}

const dsm_machine *dsm__judged_machine(const dsm__judge *judge, size_t index, dsm__stage *stage) {
  const size_t g = judge->group_of[index];
  if (g == DSM_NO_PIPELINE) {
    return judge->of->machine;
  }
  const dsm__pipeline_decision *const group = &judge->of->decisions->pipelines[g];
  dsm__stage_init(stage, judge->of->machine->system, judge->of->machine->mode, group->columns,
                  group->rows[index - group->first_layer]);
  return &stage->machine;
}

dsm__layer_setting dsm__judged_setting(const dsm__judge *judge, size_t index,
                                       const dsm_machine *machine) {
  return (dsm__layer_setting){
      .layer = dsm__judged_layer(judge, index),
      .machine = machine,
      .precision = dsm_precision_of(judge->of->workload, judge->of->machine->system),
      .mode = judge->of->options->mode,
      .minibatch = judge->of->workload->minibatch / dsm__micro_batches(judge->of->decisions),
      .micro_batches = dsm__micro_batches(judge->of->decisions),
      .dysm_factor = dsm__judged(judge, index)->layer.dysm_factor,
      .is_hoisted = is_made_well(judge, index, DSM__CHOICE_HOISTED),
      .is_recomputed = is_made_well(judge, index, DSM__CHOICE_RECOMPUTED) &&
                       dsm__is_product_again(&dsm__judged(judge, index)->layer),
  };
}

/* ---- factors of dynamic spatial minibatching ---- */

static void judge_factor(dsm__judge *judge, size_t index) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  const uint64_t minibatch =
      judge->of->workload->minibatch / dsm__micro_batches(judge->of->decisions);
  const uint64_t factor = dsm__judged(judge, index)->layer.dysm_factor;
  const uint64_t chips = judge->of->machine->chip_count;
  if (factor != 1 && !dsm_dysm_factor_is_valid(layer, judge->of->machine, minibatch, factor)) {
    dsm__judge_tell(judge, DSM__LAYER_PLACE(index, dysm_factor), NULL,
                    "expected a power of two that divides the minibatch, %" PRIu64
                    ", into parts of at "
                    "least a sample for each of the %" PRIu64 " chip%s, found %" PRIu64,
                    minibatch, chips, dsm__plural((double)chips), factor);
  }
}

/* model.dysm_uniform: one factor for all convolutions, 1 for the other layers. */
static void judge_uniform_factors(dsm__judge *judge) {
  static const char hint[] = "the system's model.dysm_uniform is true";
  uint64_t common = 0; /* that of the first convolution */
  for (size_t i = 0; i < judge->of->workload->layer_count; i++) {
    const uint64_t factor = dsm__judged(judge, i)->layer.dysm_factor;
    const bool is_convolution = dsm__judged_layer(judge, i)->is_convolution;
    if (!dsm__is_known(judge, i)) {
      continue;
    }
    common = is_convolution && common == 0 ? factor : common;
    if (!is_convolution && factor != 1) {
      dsm__judge_tell(judge, DSM__LAYER_PLACE(i, dysm_factor), hint,
                      "expected 1 in a layer that is no convolution, found %" PRIu64, factor);
    } else if (is_convolution && factor != common) {
      dsm__judge_tell(judge, DSM__LAYER_PLACE(i, dysm_factor), hint,
                      "expected the factor of the first convolution, %" PRIu64 ", found %" PRIu64,
                      common, factor);
    }
  }
}

/* ---- what is on chip, each layer by itself ---- */

/* The layout of a held output; a part that is 0 is not known. */
static void judge_layout(dsm__judge *judge, size_t index) {
  const dsm__plan_place place = DSM__LAYER_PLACE(index, output_layout);
  const dsm__layer_decision *const decision = dsm__judged(judge, index);
  const dsm_core_layout *const layout = &decision->layer.output_layout;
  const uint64_t cores = judge->of->machine->system->chip.cores;
  if (layout->features == 0 || layout->ij == 0 || layout->mb == 0) {
    return;
  }
  if (!dsm__has_layouts(judge->of->machine->system)) {
    dsm__judge_tell(judge, place, NULL,
                    "expected none where model.layout_move is not \"exact\", found one");
  } else if (!decision->layer.is_output_held) {
    dsm__judge_tell(judge, place, NULL, "expected none of an output that is not held, found one");
  } else if (cores % layout->features != 0 || cores / layout->features % layout->ij != 0 ||
             cores / layout->features / layout->ij != layout->mb) {
    dsm__judge_tell(judge, place, NULL,
                    "expected parts that multiply to the %" PRIu64 " core%s, found %" PRIu64
                    " x %" PRIu64 " x %" PRIu64,
                    cores, dsm__plural((double)cores), layout->features, layout->ij, layout->mb);
  }
}

/* ---- what is made anew ---- */

static void judge_output(dsm__judge *judge, size_t index) {
  const dsm_layer_decisions *const own = &dsm__judged(judge, index)->layer;
  const bool may_go_on = judge->is_cut[index] && dsm__segment_may_go_on(judge->of->workload, index);
  const char *const why = !own->is_recomputed ? "in a layer whose forward pass does not run again"
                          : !may_go_on ? "but where a segment ends inside a repetition of a block"
                                       : NULL;
  if (own->is_output_recomputed && why != NULL) {
    dsm__judge_tell(judge, DSM__LAYER_PLACE(index, is_output_recomputed), NULL,
                    "expected false %s, found true", why);
  }
  const bool may_keep = dsm__may_keep_products(judge->of->options->recomputation);
  if (own->is_product_kept && (!own->is_recomputed || own->is_output_recomputed || !may_keep)) {
    dsm__judge_tell(judge, DSM__LAYER_PLACE(index, is_product_kept),
                    may_keep ? NULL : "the plan's options.recomputation decides",
                    "expected false %s, found true",
                    !own->is_recomputed ? "in a layer whose forward pass does not run again"
                    : !may_keep         ? "where recomputation is not of operations"
                                        : "where the output is made anew behind its segment");
  }
}

/* Of layers of one level. */
static void judge_shard(dsm__judge *judge, size_t index) {
  const dsm_shard_level level = judge->of->options->shard_level;
  const dsm__layer_decision *const own = dsm__judged(judge, index);
  if (level != DSM_SHARD_LEVEL_BEST && own->layer.shard != dsm__sharding_asked(level) &&
      dsm__has_shard_level(judge->of->workload, index, judge->of->machine, &own->layouts)) {
    dsm__judge_tell(judge, DSM__LAYER_PLACE(index, shard), "the plan's options.shard_level decides",
                    "expected \"%s\", found \"%s\"", dsm_shard_level_name(level),
                    dsm_sharding_name(own->layer.shard));
  }
}

/* ---- all of it ---- */

/* What a choice that may be made has to keep to besides. */
static void (*const judge_made[DSM__CHOICE_COUNT])(dsm__judge *judge, size_t index) = {
    [DSM__CHOICE_FACTOR] = judge_factor,
    [DSM__CHOICE_SHARD] = judge_shard,
    [DSM__CHOICE_RECOMPUTED] = judge_output,
    [DSM__CHOICE_OUTPUT] = judge_layout,
};

static void judge_layer(dsm__judge *judge, size_t index) {
  const dsm__layer_fact_set facts = facts_of(judge, index);
  for (int c = DSM__CHOICE_FACTOR; c < DSM__CHOICE_COUNT; c++) {
    if (dsm__judge_choice(judge, index, (dsm__choice)c, facts, NULL) && judge_made[c] != NULL) {
      judge_made[c](judge, index);
    }
  }
  dsm__judge_passes(judge, index);
}

static bool prepare(dsm__judge *judge) {
  const dsm__decisions *const decisions = judge->of->decisions;
  const size_t count = judge->of->workload->layer_count;
  judge->group_of = dsm__arena_array(judge->arena, count, sizeof judge->group_of[0]);
  if (judge->group_of == NULL ||
      !dsm__segments_find(judge->of->workload, judge->arena, &judge->is_cut) ||
      !dsm__core_splits_enumerate(&judge->splits, dsm_split_cores(judge->of->machine->system),
                                  judge->arena)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    judge->group_of[i] = DSM_NO_PIPELINE;
  }
  for (size_t g = 0; g < decisions->pipeline_count; g++) {
    for (size_t k = 0; k < decisions->pipelines[g].layer_count; k++) {
      judge->group_of[decisions->pipelines[g].first_layer + k] = g;
    }
  }
  return true;
}

bool dsm__legality_check(const dsm__candidate *candidate, dsm__violation_function tell,
                         void *context, dsm__arena *arena) {
  dsm__judge judge = {.of = candidate, .tell = tell, .context = context, .arena = arena};
  if (!prepare(&judge)) {
    return false;
  }
  dsm__judge_stages(&judge);
  if (judge.told_count > 0) {
    return true; /* on which chips layers run is not known */
  }
  dsm__stage part;
  dsm__candidate on_stage = *candidate;
  on_stage.machine = dsm__stage_machine(candidate->machine, &candidate->decisions->stages, &part);
  judge.of = &on_stage;
  dsm__judge_micro_batches(&judge);
  const bool is_cut_well = judge.told_count == 0;
  for (size_t i = 0; is_cut_well && i < candidate->workload->layer_count; i++) {
    if (dsm__is_known(&judge, i)) {
      judge_layer(&judge, i);
    }
  }
  if (judge.told_count == 0 && candidate->machine->system->model.dysm_uniform) {
    judge_uniform_factors(&judge);
  }
  dsm__judge_pipelines(&judge);
  if (!dsm__judge_roles(&judge)) {
    return false;
  }
  if (!dsm__judge_as_run(&judge)) {
    return false;
  }
  dsm__judge_lives(&judge);
  return !candidate->is_complete || judge.told_count > 0 || dsm__judge_room(&judge);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/strategy_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/holding.h"
#include "plan/keeping.h"
#include "plan/plan_record.h"

/* ---- choices ---- */

typedef struct choice_row {
  dsm_optimization strategy;
  dsm__layer_fact_set excluded_by;
  const char *key;
} choice_row;

#define CHOICE_ROW(choice, strategy, key, excluded_by)                                             \
  [DSM__CHOICE_##choice] = {DSM_OPTIMIZATION_##strategy, excluded_by, key},
static const choice_row choices[] = {DSM__CHOICES(CHOICE_ROW)};

#define FACT_WORDS(fact, words) [DSM__LAYER_FACT_##fact] = (words),
static const char *const fact_words[] = {DSM__LAYER_FACTS(FACT_WORDS)};

static const dsm_layer_spec *spec_of(const dsm_workload *workload, size_t layer_index) {
  return &workload->specs[workload->layers[layer_index].spec_index];
}

dsm__layer_fact_set dsm__layer_facts(const dsm_workload *workload, size_t layer_index) {
  const dsm_layer *const layer = &workload->layers[layer_index];
  const dsm_layer_spec *const spec = spec_of(workload, layer_index);
  const bool is_lstm = layer->gates > 0 && !spec->is_bidirectional;
  return (workload->is_list ? DSM__LAYER_FACT(LIST) : 0) |
         (layer->timesteps > 1 ? DSM__LAYER_FACT(TIMESTEPS) : 0) |
         (dsm__recomputing_pass(layer) == DSM_PASS_COUNT ? DSM__LAYER_FACT(NO_LATER_PASS) : 0) |
         (layer->weight_elements == 0 ? DSM__LAYER_FACT(NO_WEIGHTS) : 0) |
         (layer->lookup_elements > 0 ? DSM__LAYER_FACT(EMBEDDING) : 0) |
         (dsm__last_use(layer) == DSM_NEVER_USED ? DSM__LAYER_FACT(UNUSED) : 0) |
         (is_lstm ? 0 : DSM__LAYER_FACT(NO_LSTM)) |
         (spec->pipeline_choice == DSM_PIPELINE_NEVER ? DSM__LAYER_FACT(NEVER) : 0) |
         (layer->hoisted == NULL ? DSM__LAYER_FACT(NOT_HOISTABLE) : 0);
}

const char *dsm__choice_why_not(dsm__choice choice, dsm__layer_fact_set facts) {
  int fact = 0;
  while (fact < DSM__LAYER_FACT_COUNT &&
         ((choices[choice].excluded_by & facts) >> fact & 1U) == 0) {
    fact++;
  }
  return fact < DSM__LAYER_FACT_COUNT ? fact_words[fact] : NULL;
}

void dsm_strategy_exclusions(char *text, size_t size) {
  static const dsm__layer_fact_set decided =
      DSM__LAYER_FACT(GROUPED) | DSM__LAYER_FACT(DIFFERING) | DSM__LAYER_FACT(BESIDE_HELD) |
      DSM__LAYER_FACT(STAGED) | DSM__LAYER_FACT(MICRO_BATCHES) | DSM__LAYER_FACT(ROLES);
  const char *before = "";
  size_t used = 0;
  for (int f = 0; f < DSM__LAYER_FACT_COUNT; f++) {
    const dsm__layer_fact_set fact = decided & 1U << (unsigned)f;
    for (int c = 0; c < DSM__CHOICE_COUNT && used < size; c++) {
      if ((choices[c].excluded_by & fact) != 0) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", before,
                                 dsm__choice_word((dsm__choice)c));
        before = ", ";
      }
    }
    if (fact != 0 && used < size) {
      used += (size_t)snprintf(text + used, size - used, "%s", fact_words[f]);
      before = "; ";
    }
  }
}

bool dsm__layer_may(const dsm_workload *workload, size_t layer_index, dsm__choice choice) {
  return (dsm__layer_facts(workload, layer_index) & choices[choice].excluded_by) == 0;
}

dsm_optimization_set dsm__choice_strategies(dsm__choice choice) {
  return DSM_OPTIMIZATION_BIT(choices[choice].strategy);
}

const char *dsm__choice_word(dsm__choice choice) {
  return dsm_optimization_name(choices[choice].strategy);
}

bool dsm__may_choose(const dsm_explore_options *options, dsm__choice choice) {
  const dsm_optimization strategy = choices[choice].strategy;
  return (options->optimizations & DSM_OPTIMIZATION_BIT(strategy)) != 0 &&
         (dsm_strategy_of(strategy)->modes >> (unsigned)options->mode & 1U) != 0;
}

const dsm__field *dsm__choice_field(dsm__choice choice) {
  const void *record = NULL;
  return dsm__record_field(&dsm__decisions_record, choices[choice].key, &record);
}

uint64_t dsm__choice_value(dsm__choice choice, const dsm_layer_decisions *decisions) {
  return (uint64_t)dsm__field_number(dsm__choice_field(choice), decisions);
}

bool dsm__is_chosen(dsm__choice choice, const dsm_layer_decisions *decisions) {
  const dsm__field *const field = dsm__choice_field(choice);
  const dsm_layer_decisions none = dsm__layer_decisions_none();
  return !(fabs(dsm__field_number(field, decisions) - dsm__field_number(field, &none)) <= 0);
}

uint64_t dsm__choice_count(dsm__choice choice, const dsm_plan *plan) {
  uint64_t count = 0;
  for (size_t i = 0; choices[choice].key != NULL && i < plan->layer_count; i++) {
    count += dsm__is_chosen(choice, &plan->layers[i].decisions);
  }
  count += choice == DSM__CHOICE_MICRO_BATCHES && plan->micro_batches > 1 ? plan->micro_batches : 0;
  return count + (choice == DSM__CHOICE_STAGES ? plan->stages.count : 0);
}

/* ---- holding ---- */

const char *dsm__held_why_not(const dsm_workload *workload, size_t layer_index) {
  const size_t last = dsm__last_use(&workload->layers[layer_index]);
  if (last == DSM_NEVER_USED) {
    return "no layer uses it";
  }
  if (workload->layers[layer_index].timesteps > 1) {
    return "the layer has timesteps";
  }
  for (size_t k = layer_index + 1; k <= last; k++) {
    if (workload->layers[k].timesteps > 1) {
      return "a layer with timesteps runs before its last use";
    }
  }
  return NULL;
}

/* ---- pipelines ---- */

bool dsm__pipeline_is_same_declared(const dsm_workload *workload, size_t a, size_t b) {
  const dsm_layer_spec *const first = spec_of(workload, a);
  const dsm_layer_spec *const second = spec_of(workload, b);
  if (first->pipeline_choice != DSM_PIPELINE_NAMED ||
      second->pipeline_choice != DSM_PIPELINE_NAMED) {
    return first->pipeline_choice == second->pipeline_choice;
  }
  return strcmp(first->pipeline_group, second->pipeline_group) == 0;
}

bool dsm__pipeline_can_join(const dsm_workload *workload, size_t earlier) {
  const size_t later = earlier + 1;
  return later < workload->layer_count && dsm__layer_may(workload, earlier, DSM__CHOICE_GROUP) &&
         dsm__layer_may(workload, later, DSM__CHOICE_GROUP) &&
         workload->layers[earlier].timesteps == workload->layers[later].timesteps &&
         dsm__pipeline_is_same_declared(workload, earlier, later);
}

uint64_t dsm__pipeline_declared_length(const dsm_workload *workload, size_t index) {
  const bool is_named = spec_of(workload, index)->pipeline_choice == DSM_PIPELINE_NAMED;
  uint64_t count = 0;
  for (size_t i = 0; is_named && i < workload->layer_count; i++) {
    count += dsm__pipeline_is_same_declared(workload, i, index);
  }
  return count;
}

uint64_t dsm__pipeline_least_length(const dsm_workload *workload, size_t first) {
  if (first > 0 && dsm__pipeline_can_join(workload, first - 1)) {
    return 0;
  }
  const uint64_t declared = dsm__pipeline_declared_length(workload, first);
  const uint64_t least = declared > 0 ? declared : 2;
  uint64_t run = 1;
  for (size_t i = first; dsm__pipeline_can_join(workload, i); i++) {
    run++;
  }
  return run >= 2 && run >= least ? least : 0;
}

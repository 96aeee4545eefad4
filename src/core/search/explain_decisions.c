/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_decisions.c: what the network would do if a layer decided otherwise.
 *
 * For each value of each decision of the layer, the best way with that value among all ways of all
 * graphs is the best that any mapping does with it, since every mapping runs the layer in one of
 * these ways. A value that no way has is impossible, and the first rule that forbids it says why.
 * What else changes is read from the best mapping with the value: which outputs it holds that the
 * plan does not, and the other way round.
 */
#include <stdlib.h>

#include "base/words.h"
#include "search/explain_internal.h"

static const dsm__word decision_words[] = {
    [DSM_DECISION_OUTPUT_HELD].key = "output_on_chip",
    [DSM_DECISION_DYSM_FACTOR].key = "dysm_factor",
    [DSM_DECISION_PIPELINED].key = "pipelined",
    [DSM_DECISION_HOISTED].key = "hoisted",
    [DSM_DECISION_SHARD].key = "shard",
    [DSM_DECISION_RECOMPUTED].key = "recompute",
    [DSM_DECISION_MICRO_BATCHES].key = "micro_batches",
    [DSM_DECISION_STAGES].key = "stages",
    [DSM_DECISION_SHARDED_LAYERS].key = "sharded_layers",
    [DSM_DECISION_RECOMPUTED_LAYERS].key = "recomputed_layers",
};
DSM__NAMED_WORDS(dsm__decision_words, "decision", decision_words, DSM_DECISION_COUNT, dsm_decision,
                 dsm_decision_name);

double dsm__explain_network_cycles(const dsm__explaining *e, dsm_pass pass,
                                   dsm_parallelism parallelism) {
  double best = 0;
  for (size_t t = 0; t < e->through_count; t++) {
    for (size_t i = 0; i < e->throughs[t].way_count; i++) {
      const dsm__way *const way = &e->throughs[t].ways[i];
      if (way->layouts.of[pass] == parallelism && (!(best > 0) || way->cycles < best)) {
        best = way->cycles;
      }
    }
  }
  return best;
}

/*
 * Is a parallelism allowed to all layers that run while a layer's output is held?
 *
 * A held tensor has one parallelism as long as it lives, so that all layers from its own to its
 * last user have to be allowed it (section 7).
 */
static bool have_common_parallelism(const dsm__explaining *e) {
  const dsm_workload *const workload = e->plan->workload;
  const size_t last = dsm__last_use(&workload->layers[e->layer_index]);
  dsm_parallelism_set common = DSM_PARALLELISM_ALL;
  for (size_t i = e->layer_index; i <= last; i++) {
    common &= dsm__allowed_parallelisms(&workload->layers[i], e->problem->inputs.options,
                                        e->problem->machine.system);
  }
  return common != 0;
}

static bool is_any_cut(const dsm__explaining *e) {
  for (size_t t = 0; t < e->through_count; t++) {
    if (e->throughs[t].network->is_cut) {
      return true;
    }
  }
  return false;
}

static const char *why_not_held(const dsm__explaining *e) {
  const char *const reason = dsm__held_why_not(e->plan->workload, e->layer_index);
  if (reason != NULL) {
    return reason;
  }
  if (!have_common_parallelism(e)) {
    return "no parallelism is allowed to all layers up to its last use";
  }
  return is_any_cut(e) ? "it does not fit on chip, or is among the sets of tensors left out"
                       : "it does not fit on chip beside what runs meanwhile";
}

/* A decision of a layer: the choice that it is, and why there is no mapping with 0, and with more.
 * NULL: it is asked. */
static const struct {
  dsm__choice choice;
  const char *why_not[2];
} decisions[] = {
    [DSM_DECISION_OUTPUT_HELD] = {DSM__CHOICE_OUTPUT, {NULL, NULL}},
    [DSM_DECISION_DYSM_FACTOR] = {DSM__CHOICE_FACTOR, {NULL, "the layer cannot use this factor"}},
    [DSM_DECISION_PIPELINED] = {DSM__CHOICE_GROUP,
                                {"no mapping runs it alone",
                                 "no neighbour can be in a group with it, or there are too few "
                                 "rows of chips"}},
    [DSM_DECISION_HOISTED] = {DSM__CHOICE_HOISTED,
                              {"no mapping runs it by itself", "it does not fit the memory"}},
};
_Static_assert(sizeof decisions / sizeof *decisions == DSM__GRAPH_DECISION_COUNT,
               "a row for each decision");

/* ---- which values are asked about ---- */

enum { VALUES_MAX = DSM__FACTORS_MAX > 2 ? DSM__FACTORS_MAX : 2 };

/* Layers with timesteps have the factor 1 alone. */
static size_t values_of_factor(const dsm__explaining *e, uint64_t *values) {
  const dsm__factors *const factors = &e->problem->factors;
  const unsigned count = e->chosen->layer->timesteps == 1 ? factors->count : 1;
  for (unsigned f = 0; f < count; f++) {
    values[f] = dsm__factor_of(f);
  }
  return factors->count > 1 ? count : 0;
}

/* How many there are; of an output that cannot be held it is said why. */
static size_t values_of(const dsm__explaining *e, dsm__choice choice, uint64_t *values) {
  if (!dsm__may_choose(e->problem->inputs.options, choice)) {
    return 0;
  }
  if (choice == DSM__CHOICE_FACTOR) {
    return values_of_factor(e, values);
  }
  values[0] = 0;
  values[1] = 1;
  return choice == DSM__CHOICE_OUTPUT || dsm__layer_may(e->plan->workload, e->layer_index, choice)
             ? 2
             : 0;
}

/* ---- what changes with it ---- */

/* Layers for which a and not b. NULL if out of memory. */
static size_t *list_difference(const bool *a, const bool *b, size_t layer_count, size_t *count) {
  size_t *const list = malloc((layer_count + 1) * sizeof *list);
  *count = 0;
  for (size_t i = 0; list != NULL && i < layer_count; i++) {
    if (a[i] && !b[i]) {
      list[(*count)++] = i;
    }
  }
  return list;
}

/* What is held then and now. */
static bool compare_held(const dsm__explaining *e, const dsm__through *through, const dsm__way *way,
                         dsm_what_if *what_if) {
  const size_t count = e->plan->layer_count;
  bool *const held = calloc(2 * count, sizeof *held);
  if (held == NULL) {
    return false;
  }
  if (!dsm__through_held(through, way, held)) {
    free(held);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    held[count + i] = e->plan->layers[i].decisions.is_output_held;
  }
  what_if->also_held = list_difference(held, held + count, count, &what_if->also_held_count);
  what_if->not_held = list_difference(held + count, held, count, &what_if->not_held_count);
  free(held);
  return what_if->also_held != NULL && what_if->not_held != NULL;
}

/* Adds what happens with a value of a decision. */
static bool add(const dsm__explaining *e, dsm_explanation *explanation, dsm_decision decision,
                uint64_t value) {
  dsm_what_if *const what_if = &explanation->what_ifs[explanation->what_if_count++];
  *what_if = (dsm_what_if){
      .decision = decision,
      .value = value,
      .is_chosen = dsm__choice_value(decisions[decision].choice, &e->chosen->decisions) == value,
  };
  const dsm__way *best = NULL;
  const dsm__through *through = NULL;
  for (size_t t = 0; t < e->through_count; t++) {
    for (size_t i = 0; i < e->throughs[t].way_count; i++) {
      const dsm__way *const way = &e->throughs[t].ways[i];
      if (dsm__way_value(way, decision) == value && (best == NULL || way->cycles < best->cycles)) {
        best = way;
        through = &e->throughs[t];
      }
    }
  }
  if (best == NULL) {
    const char *const why_not = decisions[decision].why_not[value > 0];
    what_if->why_not = why_not != NULL ? why_not : why_not_held(e);
    return true;
  }
  what_if->network_cycles = best->cycles;
  return what_if->is_chosen || compare_held(e, through, best, what_if);
}

bool dsm__explain_what_ifs(const dsm__explaining *e, dsm_explanation *explanation) {
  explanation->what_ifs =
      calloc((size_t)DSM__GRAPH_DECISION_COUNT * VALUES_MAX, sizeof explanation->what_ifs[0]);
  if (explanation->what_ifs == NULL) {
    return false;
  }
  for (int d = 0; d < DSM__GRAPH_DECISION_COUNT; d++) {
    uint64_t values[VALUES_MAX];
    const size_t count = values_of(e, decisions[d].choice, values);
    for (size_t v = 0; v < count; v++) {
      if (!add(e, explanation, (dsm_decision)d, values[v])) {
        return false;
      }
    }
  }
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "what_ifs.h"

#include <check.h>
#include <math.h>

static const double tolerance = 1e-9;

dsm_explanation *explained(const dsm_plan *plan, size_t layer_index) {
  dsm_explanation *explanation = NULL;
  ck_assert_int_eq(dsm_explain(&explanation, plan, layer_index, 2, NULL), DSM_OK);
  ck_assert_uint_eq(explanation->layer_index, layer_index);
  return explanation;
}

const dsm_what_if *what_if_of(const dsm_explanation *explanation, dsm_decision decision,
                              uint64_t value) {
  for (size_t i = 0; i < explanation->what_if_count; i++) {
    const dsm_what_if *const one = &explanation->what_ifs[i];
    if (one->decision == decision && one->value == value) {
      return one;
    }
  }
  ck_abort_msg("%s %llu is not told", dsm_decision_name(decision), (unsigned long long)value);
  return NULL;
}

static bool is_listed(const size_t *list, size_t count, size_t index) {
  for (size_t i = 0; i < count; i++) {
    if (list[i] == index) {
      return true;
    }
  }
  return false;
}

/* The lists are what their names say, in order; and the layer's own change is among them. */
static void expect_lists(const dsm_what_if *one, const dsm_plan *plan, size_t layer_index,
                         const char *where) {
  for (size_t i = 0; i < one->also_held_count; i++) {
    ck_assert_msg(!plan->layers[one->also_held[i]].decisions.is_output_held, "%s", where);
    ck_assert_msg(i == 0 || one->also_held[i - 1] < one->also_held[i], "%s", where);
  }
  for (size_t i = 0; i < one->not_held_count; i++) {
    ck_assert_msg(plan->layers[one->not_held[i]].decisions.is_output_held, "%s", where);
    ck_assert_msg(i == 0 || one->not_held[i - 1] < one->not_held[i], "%s", where);
  }
  if (one->decision == DSM_DECISION_OUTPUT_HELD && !one->is_chosen && one->why_not == NULL) {
    ck_assert_msg(one->value == 1 ? is_listed(one->also_held, one->also_held_count, layer_index)
                                  : is_listed(one->not_held, one->not_held_count, layer_index),
                  "%s", where);
  }
}

static uint64_t decided(const dsm_layer_plan *layer, dsm_decision decision) {
  switch (decision) {
  case DSM_DECISION_OUTPUT_HELD:
    return layer->decisions.is_output_held;
  case DSM_DECISION_DYSM_FACTOR:
    return layer->decisions.dysm_factor;
  case DSM_DECISION_HOISTED:
    return layer->decisions.is_hoisted;
  case DSM_DECISION_PIPELINED:
  case DSM_DECISION_SHARD:
  case DSM_DECISION_RECOMPUTED:
  case DSM_DECISION_MICRO_BATCHES:
  case DSM_DECISION_STAGES:
  case DSM_DECISION_SHARDED_LAYERS:
  case DSM_DECISION_RECOMPUTED_LAYERS:
  case DSM_DECISION_COUNT:
    break;
  }
  return layer->pipeline != DSM_NO_PIPELINE;
}

/* Where the plan preloads weights, the comparison is without: its own decisions need not be best.
 */
static bool is_reference_own(const dsm_explanation *explanation, const dsm_plan *plan) {
  return explanation->reference_cycles <= plan->result.step_cycles &&
         explanation->reference_cycles >= plan->result.step_cycles;
}

static void expect_what_if(const dsm_explanation *explanation, const dsm_what_if *one,
                           const dsm_plan *plan, bool is_limited, const char *where) {
  const size_t layer_index = explanation->layer_index;
  const double step = explanation->reference_cycles;
  const bool is_chosen = one->value == decided(&plan->layers[layer_index], one->decision);
  ck_assert_msg(one->is_chosen == is_chosen, "%s", where);
  ck_assert_msg((one->why_not != NULL) == !(one->network_cycles > 0), "%s", where);
  if (is_chosen && is_reference_own(explanation, plan)) {
    ck_assert_msg(one->network_cycles <= step * (1 + tolerance), "%s: %.17g of %.17g", where,
                  one->network_cycles, step);
    ck_assert_msg(one->also_held_count == 0 && one->not_held_count == 0, "%s", where);
  }
  if (one->why_not == NULL && !is_limited) {
    ck_assert_msg(one->network_cycles >= step * (1 - tolerance), "%s: %.17g of %.17g", where,
                  one->network_cycles, step);
  }
  expect_lists(one, plan, layer_index, where);
}

static void expect_alternatives(const dsm_explanation *explanation, const dsm_plan *plan,
                                bool is_limited, const char *where) {
  const double step = explanation->reference_cycles;
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const one = &explanation->alternatives[i];
    const bool is_first = i == 0 || explanation->alternatives[i - 1].pass != one->pass;
    ck_assert_msg(one->is_chosen == is_first, "%s: %s", where, dsm_pass_name(one->pass));
    /* A split with less weights to preload may be taken though another is faster. */
    ck_assert_msg(!one->is_chosen || one->is_best_of_parallelism ||
                      !is_reference_own(explanation, plan),
                  "%s", where);
    if (one->is_best_of_parallelism && one->network_cycles > 0 && !is_limited) {
      ck_assert_msg(one->network_cycles >= step * (1 - tolerance), "%s", where);
    }
    if (one->is_chosen && is_reference_own(explanation, plan)) {
      ck_assert_msg(one->network_cycles > 0 && one->network_cycles <= step * (1 + tolerance),
                    "%s: %.17g of %.17g", where, one->network_cycles, step);
    }
  }
}

void expect_consistent(const dsm_explanation *explanation, const dsm_plan *plan, bool is_limited,
                       const char *where) {
  unsigned chosen[DSM_DECISION_COUNT] = {0};
  unsigned told[DSM_DECISION_COUNT] = {0};
  for (size_t i = 0; i < explanation->what_if_count; i++) {
    const dsm_what_if *const one = &explanation->what_ifs[i];
    const dsm_what_if *const before = i == 0 ? NULL : &explanation->what_ifs[i - 1];
    ck_assert_msg(before == NULL || before->decision < one->decision ||
                      (before->decision == one->decision && before->value < one->value),
                  "%s", where);
    expect_what_if(explanation, one, plan, is_limited, where);
    chosen[one->decision] += one->is_chosen ? 1 : 0;
    told[one->decision]++;
  }
  for (int d = 0; d < DSM_DECISION_COUNT; d++) {
    ck_assert_msg(chosen[d] == (told[d] > 0 ? 1 : 0), "%s: %s", where,
                  dsm_decision_name((dsm_decision)d));
  }
  expect_alternatives(explanation, plan, is_limited, where);
}

void expect_all_consistent(const dsm_plan *plan, bool is_limited, const char *where) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    dsm_explanation *const explanation = explained(plan, i);
    expect_consistent(explanation, plan, is_limited, where);
    dsm_explanation_free(explanation);
  }
}

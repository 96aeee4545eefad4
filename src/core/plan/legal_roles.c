/* SPDX-License-Identifier: GPL-3.0-or-later */
/* legal_roles.c: roles of layers that go together (section 11). */
#include <inttypes.h>
#include <stdio.h>

#include "model/axis_words.h"
#include "model/equations.h"
#include "plan/legal_internal.h"
#include "plan/role_flow.h"

static const char *const fault_words[] = {
    [DSM__ROLE_FAULT_NONE] = "nothing",
    [DSM__ROLE_FAULT_SIDES] = "it reads both what is inside and what is outside",
    [DSM__ROLE_FAULT_INSIDE] = "it reads what is inside, which only heads, row and row_scatter can",
    [DSM__ROLE_FAULT_EXPERTS] = "it reads what its experts keep, which only expert can",
    [DSM__ROLE_FAULT_SHORTCUT] =
        "what it adds or multiplies is not on the side of its output, inside or outside",
};
_Static_assert(DSM__COUNT_OF(fault_words) == DSM__ROLE_FAULT_COUNT, "words for each fault");

static void tell_fault(dsm__judge *judge, size_t index, dsm_pass pass, const dsm__role_step *step) {
  dsm__plan_place place = DSM__PASS_PLACE(index, parallelism);
  place.pass = pass;
  dsm__judge_tell(
      judge, place,
      "inside is what column and gather_column make, and heads of that; only heads, row "
      "and row_scatter read it; what layers of experts make for the same experts stays with them",
      "expected roles that agree with those of its inputs along %s, found \"%s\": %s",
      dsm__axis_name(&judge->of->machine->system->system, step->fault_axis),
      dsm__judged_word(judge, dsm__judged(judge, index)->layouts.of[pass]),
      fault_words[step->fault]);
}

/* Stages of pipelines are of data and model alone. */
static void judge_group(dsm__judge *judge, size_t index) {
  const dsm__layer_decision *const decision = dsm__judged(judge, index);
  bool has_roles = false;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    has_roles = has_roles || dsm_parallelism_has_roles(decision->layouts.of[p]);
  }
  (void)dsm__judge_choice(judge, index, DSM__CHOICE_GROUP, has_roles ? DSM__LAYER_FACT(ROLES) : 0,
                          "a group");
}

/* Of the first pass whose chips do not share the samples of a micro-batch evenly. */
static void judge_sharing(dsm__judge *judge, size_t index, uint64_t samples) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  dsm__plan_place place = DSM__PASS_PLACE(index, parallelism);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_parallelism own = dsm__judged(judge, index)->layouts.of[p];
    const uint64_t ways = dsm__sample_ways(judge->of->machine, own);
    place.pass = (dsm_pass)p;
    if (dsm_pass_exists(layer, judge->of->options->mode, place.pass) && samples % ways != 0) {
      dsm__judge_tell(judge, place, NULL,
                      "expected chips that share the %" PRIu64 " samples of a micro-batch evenly, "
                      "found %" PRIu64 " of them under \"%s\"",
                      samples, ways, dsm__judged_word(judge, own));
      return;
    }
  }
}

/* As many as were asked for, if any were. */
static bool are_as_asked(dsm__judge *judge, dsm__plan_place place, uint64_t micro_batches) {
  const uint64_t asked = judge->of->options->micro_batches;
  if (asked == 0 || asked == micro_batches) {
    return true;
  }
  dsm__judge_tell(judge, place, "the plan's options.micro_batches decides",
                  "expected %" PRIu64 ", found %" PRIu64, asked, micro_batches);
  return false;
}

/* The minibatch is cut evenly, and chips that share samples have equally many of each micro-batch;
 * groups have no micro-batches. */
void dsm__judge_micro_batches(dsm__judge *judge) {
  const dsm_workload *const workload = judge->of->workload;
  const uint64_t micro_batches = dsm__micro_batches(judge->of->decisions);
  const dsm__plan_place place =
      dsm__place_of(&dsm__plan_record, offsetof(dsm_plan, micro_batches), 0);
  char found[24];
  (void)snprintf(found, sizeof found, "%" PRIu64, micro_batches);
  const bool is_shared_evenly = judge->of->options->as_run_by != DSM_AS_RUN_BY_ANY;
  for (size_t i = 0; is_shared_evenly && micro_batches == 1 && i < workload->layer_count; i++) {
    judge_sharing(judge, i, workload->minibatch);
  }
  if (!are_as_asked(judge, place, micro_batches) || micro_batches == 1 ||
      !dsm__judge_made(judge, place, DSM__CHOICE_MICRO_BATCHES, 0, "1", found)) {
    return;
  }
  if (workload->minibatch % micro_batches != 0) {
    dsm__judge_tell(judge, place, NULL,
                    "expected a divisor of the minibatch, %" PRIu64 ", found %" PRIu64,
                    workload->minibatch, micro_batches);
    return;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    judge_sharing(judge, i, workload->minibatch / micro_batches);
    (void)dsm__judge_choice(judge, i, DSM__CHOICE_GROUP, DSM__LAYER_FACT(MICRO_BATCHES), "a group");
  }
}

bool dsm__judge_roles(dsm__judge *judge) {
  static const dsm_pass passes[] = {DSM_PASS_FORWARD, DSM_PASS_BACKWARD};
  const dsm_workload *const workload = judge->of->workload;
  if (judge->told_count > 0 || !dsm__has_roles(workload, judge->of->decisions)) {
    return true;
  }
  for (size_t p = 0; judge->told_count == 0 && p < DSM__COUNT_OF(passes); p++) {
    dsm__role_step *const steps =
        dsm__arena_array(judge->arena, workload->layer_count, sizeof *steps);
    judge->steps[p] = steps;
    if (steps == NULL ||
        !dsm__role_steps_derive(workload, judge->of->machine->system, judge->of->decisions,
                                passes[p], steps, judge->arena)) {
      return false;
    }
    /* The first: what later layers read depends on it. */
    for (size_t i = 0; i < workload->layer_count && judge->told_count == 0; i++) {
      if (steps[i].fault != DSM__ROLE_FAULT_NONE) {
        tell_fault(judge, i, passes[p], &steps[i]);
      }
    }
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    judge_group(judge, i);
  }
  return true;
}

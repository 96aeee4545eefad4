/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sequence.c: two identical networks, one after the other, take the sum of their times. */
#include <cJSON.h>
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "physics.h"

static const double ample_GB = 1e6;

static double largest(double a, double b) {
  return a > b ? a : b;
}

/* A case whose memory holds anything, without some optimizations. Sums of gradients that are fused
 * are once for both copies. */
static physics_case ample(const physics_case *one, dsm_optimization_set without) {
  physics_case made = *one;
  made.system.model.fused_reductions = false;
  made.system.chip.memory.capacity_GB = ample_GB;
  made.is_limited = false;
  made.options.optimizations &= ~without;
  return made;
}

/* Does a pipeline have layers of both copies? */
static bool is_piped_across(const dsm_plan *twice) {
  bool is = false;
  for (size_t g = 0; g < twice->pipeline_count; g++) {
    const dsm_pipeline_plan *const group = &twice->pipelines[g];
    const size_t half = twice->layer_count / 2;
    is = is || (group->first_layer < half && group->first_layer + group->layer_count > half);
  }
  return is;
}

/* ---- side by side: nothing connects them but the input ---- */

/* Two copies that share the scratchpads take at least twice the time of one; where the answer for
 * one is above its bound, at least twice the bound. */
static void check_shared(physics_log *log, const physics_case *both, const dsm_plan *once,
                         double found) {
  const double sum = 2 * once->result.step_cycles;
  const double bound = 2 * once->result.lower_bound_cycles;
  if (physics_is_close(bound, sum)) {
    physics_expect(log, both, "weights on chip", physics_at_most(sum, found), found, sum);
  } else {
    physics_expect(log, both, "weights on chip, bound", physics_at_most(bound, found), found,
                   bound);
    physics_excuse(log, both, "an answer above its bound", physics_at_most(sum, found), found, sum);
  }
}

static void check_repeat(physics_log *log, const physics_case *one, const dsm_plan *once,
                         bool is_shared) {
  physics_case both = *one;
  both.workload = copies_side_by_side(once);
  dsm_plan *const twice = physics_explore(&both, &both.system);
  ck_assert_ptr_nonnull(twice);
  const double sum = 2 * once->result.step_cycles;
  const double found = twice->result.step_cycles;
  if (is_shared) {
    check_shared(log, &both, once, found);
  } else if (is_piped_across(twice)) {
    physics_expect(log, &both, "a pipeline of both", physics_at_most(found, sum), found, sum);
  } else {
    physics_expect(log, &both, "twice", physics_is_close(found, sum), found, sum);
  }
  dsm_plan_free(twice);
  dsm_workload_free(both.workload);
}

void physics_repeat(physics_log *log, const physics_case *one) {
  const dsm_optimization_set preload = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD);
  const physics_case apart = ample(one, preload);
  dsm_plan *const once = physics_explore(&apart, &apart.system);
  ck_assert_ptr_nonnull(once);
  check_repeat(log, &apart, once, false);
  if ((one->options.optimizations & preload) != 0) {
    /* Both share the scratchpads, which one network has for itself. */
    const physics_case shared = ample(one, DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE));
    dsm_plan *const alone = physics_explore(&shared, &shared.system);
    ck_assert_ptr_nonnull(alone);
    check_repeat(log, &shared, alone, true);
    dsm_plan_free(alone);
  }
  physics_log_plan(log, &apart, once);
  dsm_plan_free(once);
}

/* ---- in a chain: the second reads what the first makes ---- */

/* The longest that a tensor takes to change its layout, forward and on the way back. */
static double relayout_cycles(const dsm_plan *once) {
  const dsm_machine machine = dsm_machine_for(once->system, once->options.mode);
  const dsm_layer *const last = &once->workload->layers[once->workload->layer_count - 1];
  const double bytes = (double)last->stored_elements * (double)last->timesteps *
                       (double)once->workload->minibatch * once->workload->element_bytes;
  double cycles = 0;
  for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(2); p++) {
    for (int q = 0; q < DSM_PARALLELISM_COUNT_OF(2); q++) {
      const dsm_parallelism_set both = DSM_PARALLELISM_BIT(p) | DSM_PARALLELISM_BIT(q);
      const dsm_traffic traffic =
          dsm_relayout_traffic(&machine, bytes, (dsm_parallelism)p, (dsm_parallelism)q);
      const bool may_be = (both & ~once->options.parallelisms) == 0;
      cycles = may_be ? largest(cycles, dsm_group_cycles(&machine, &traffic)) : cycles;
    }
  }
  return once->options.mode == DSM_MODE_TRAINING ? 2 * cycles : cycles;
}

/* The same plan, but for a tensor that is no longer held. */
static dsm_plan *released(const dsm_plan *plan, size_t layer) {
  char *const text = dsm_plan_print(plan);
  cJSON *const document = cJSON_Parse(text);
  cJSON *const item = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "layers"), (int)layer);
  ck_assert(cJSON_ReplaceItemInObject(item, "output_on_chip", cJSON_CreateFalse()));
  cJSON_DeleteItemFromObject(item, "output_layout");
  char *const edited = cJSON_PrintUnformatted(document);
  dsm_plan *made = NULL;
  ck_assert_int_eq(dsm_plan_parse(&made, edited, strlen(edited), "released", NULL, NULL), DSM_OK);
  cJSON_free(edited);
  cJSON_Delete(document);
  free(text);
  return made;
}

static double link_cycles(const dsm_pass_plan *pass, dsm_link link) {
  double cycles = 0;
  for (size_t t = 0; t < pass->transfer_count; t++) {
    cycles += pass->transfers[t].link == link ? pass->transfers[t].cycles : 0;
  }
  return cycles;
}

/* What a plan moves less than another, pass by pass, on the link that gains most. */
static double spared_cycles(const dsm_plan *plan, const dsm_plan *other) {
  double cycles = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      double most = 0;
      for (int l = 0; l < DSM_LINK_COUNT; l++) {
        most = largest(most, link_cycles(&other->layers[i].passes[p], (dsm_link)l) -
                                 link_cycles(&plan->layers[i].passes[p], (dsm_link)l));
      }
      cycles += most;
    }
  }
  return cycles;
}

/* Without the tensor between the copies the plan is one plan for each; holding it spares no more
 * than its traffic. */
static void check_released(physics_log *log, const physics_case *both, const dsm_plan *twice,
                           double sum) {
  dsm_plan *const without = released(twice, twice->layer_count / 2 - 1);
  const double found = without->result.step_cycles;
  const double spared = found - twice->result.step_cycles;
  const double limit = spared_cycles(twice, without);
  physics_expect(log, both, "nothing held between", physics_at_most(sum, found), found, sum);
  physics_expect(log, both, "held between",
                 physics_at_most(found, twice->result.step_cycles + limit), spared, limit);
  dsm_plan_free(without);
}

void physics_chain(physics_log *log, const physics_case *one) {
  physics_case alone = ample(one, DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD));
  physics_case both = alone;
  alone.workload = copies_in_a_chain(one->seed, one->options.mode, 1);
  both.workload = copies_in_a_chain(one->seed, one->options.mode, 2);
  if (one->seed % 3 == 0) {
    alone.options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
    both.options.parallelisms = alone.options.parallelisms;
  }
  dsm_plan *const once = physics_explore(&alone, &alone.system);
  dsm_plan *const twice = physics_explore(&both, &both.system);
  ck_assert(once != NULL && twice != NULL);
  const double sum = 2 * once->result.step_cycles;
  const double most = sum + relayout_cycles(once);
  const double found = twice->result.step_cycles;
  const bool is_held = twice->layers[twice->layer_count / 2 - 1].decisions.is_output_held;
  physics_expect(log, &both, "at most the sum and a relayout", physics_at_most(found, most), found,
                 most);
  if (is_held) {
    check_released(log, &both, twice, sum);
  } else if (!is_piped_across(twice)) {
    physics_expect(log, &both, "at least the sum", physics_at_most(sum, found), found, sum);
  }
  physics_log_plan(log, &both, twice);
  dsm_plan_free(once);
  dsm_plan_free(twice);
  dsm_workload_free(alone.workload);
  dsm_workload_free(both.workload);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* asked.c: who asks for less finds nothing better. */
#include <stdio.h>

#include "physics.h"
#include "random_numbers.h"

enum { TRIED = 3 };

/* What is asked for. */
typedef struct question {
  dsm_explore_options options;
  double capacity_share; /* of a chip's memory */
} question;

static dsm_optimization_set some_of(uint64_t *state, dsm_optimization_set set) {
  dsm_optimization_set some = 0;
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    some |= random_below(state, 4) > 0 ? set & DSM_OPTIMIZATION_BIT(o) : 0;
  }
  return some;
}

static bool has(const question *asked, dsm_optimization optimization) {
  return (asked->options.optimizations & DSM_OPTIMIZATION_BIT(optimization)) != 0;
}

/* A number that the search would choose itself; 0: left to it. */
static uint64_t number_for(uint64_t *state, uint64_t whole) {
  const uint64_t number = random_below(state, 4);
  return number > 0 && whole % number == 0 ? number : 0;
}

/* Fewer words, fewer parallelisms, numbers that are fixed, or less memory. */
static question less_than(uint64_t *state, const physics_case *one, const question *asked) {
  const dsm_network *const network = &one->system.system;
  question less = *asked;
  less.options.optimizations = some_of(state, asked->options.optimizations);
  if (random_below(state, 3) == 0) {
    less.options.parallelisms &=
        (dsm_parallelism_set)random_next(state) | DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  }
  if (has(&less, DSM_OPTIMIZATION_STAGES)) {
    less.options.stages = number_for(state, network->axes[0].chips);
  }
  if (has(&less, DSM_OPTIMIZATION_ACCUMULATE)) {
    less.options.micro_batches = number_for(state, one->workload->minibatch);
  }
  less.capacity_share = random_below(state, 3) == 0 ? 0.9 : 1;
  return less;
}

static dsm_plan *ask(const physics_case *one, const question *asked) {
  physics_case with = *one;
  with.options = asked->options;
  with.system.chip.memory.capacity_GB *= asked->capacity_share;
  return physics_explore(&with, &with.system);
}

/* The bound holds of all, and so does the answer. */
static void compare(physics_log *log, const physics_case *one, const dsm_plan *more,
                    const dsm_plan *less) {
  const double limit = less->result.step_cycles;
  const double bound = more->result.lower_bound_cycles;
  const double found = more->result.step_cycles;
  char where[64];
  (void)snprintf(where, sizeof where, "words %u of %u, stages %llu, micro-batches %llu",
                 less->options.optimizations, more->options.optimizations,
                 (unsigned long long)less->options.stages,
                 (unsigned long long)less->options.micro_batches);
  physics_expect(log, one, where, physics_at_most(bound, limit), bound, limit);
  physics_expect(log, one, where, physics_at_most(found, limit), found, limit);
}

/* Of any words and, of each of their subsets that is tried, of what it is asked for beside. Small
 * networks alone, as there are many explorations; with shared collectives and with sums that hide.
 */
void physics_asked_for(physics_log *log, const physics_case *one) {
  uint64_t state = one->seed * 16 + (uint64_t)one->set;
  physics_case with = *one;
  question asked = {one->options, 1};
  if (one->options.mode != DSM_MODE_TRAINING || one->workload->layer_count > 8) {
    return;
  }
  with.system.model.fused_reductions = one->seed % 4 == 0;
  with.system.model.overlapped_reduction = one->seed % 6 == 0;
  with.system.model.sharded_update = one->seed % 8 < 4;
  asked.options.optimizations = some_of(&state, dsm_mode_possible_optimizations(DSM_MODE_TRAINING));
  dsm_plan *const more = ask(&with, &asked);
  for (int i = 0; i < TRIED && more != NULL; i++) {
    const question less_asked = less_than(&state, &with, &asked);
    dsm_plan *const less = ask(&with, &less_asked);
    if (less != NULL) {
      physics_log_plan(log, &with, less);
      compare(log, &with, more, less);
    }
    dsm_plan_free(less);
  }
  dsm_plan_free(more);
}

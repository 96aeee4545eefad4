/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases.c: random networks on random systems, with what they are explored with. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "brute_force/instance.h"
#include "physics.h"
#include "random_numbers.h"
#include "refined_keys.h"
#include "search/random_network.h"

static bool chance(uint64_t *state, uint64_t percent) {
  return random_below(state, 100) < percent;
}

static double pick(uint64_t *state, const double *values, size_t count) {
  return values[random_below(state, count)];
}
#define PICK(state, values) pick(state, values, sizeof(values) / sizeof((values)[0]))

/* 2 to 4 layers of every type, with all auxiliary operations, on systems of any shape. */
static void make_small(physics_case *one) {
  instance *const text = malloc(sizeof *text);
  ck_assert_ptr_nonnull(text);
  instance_make_full(text, one->seed, INSTANCE_ALL);
  ck_assert_int_eq(dsm_workload_parse(&one->workload, text->workload_json,
                                      strlen(text->workload_json), "workload", NULL, 0, NULL),
                   DSM_OK);
  ck_assert_int_eq(dsm_system_parse(&one->given, text->system_json, strlen(text->system_json),
                                    "system", NULL, 0, NULL),
                   DSM_OK);
  free(text);
}

/* 5 to 14 layers with branches, concatenations and shortcuts, where holding pays. */
static void make_large(physics_case *one) {
  const random_case made = random_case_make(one->seed);
  one->workload = made.workload;
  one->given = made.system;
}

/* The systems of both kinds are varied in what theirs leave alone. */
static void vary_system(dsm_system *system, uint64_t *state) {
  static const double sides[] = {1, 1, 2, 2, 3, 4, 6};
  static const double cores[] = {1, 2, 4, 4, 6, 8};
  static const double bandwidths_GBps[] = {1, 4, 12, 40, 200};
  static const double crossings[] = {1, 2};
  if (chance(state, 40)) {
    system->system.chips_x = (uint64_t)PICK(state, sides);
    system->system.chips_y = (uint64_t)PICK(state, sides);
    system->chip.cores = (uint64_t)PICK(state, cores);
  }
  if (chance(state, 50)) {
    system->system.link_bandwidth_x_GBps = PICK(state, bandwidths_GBps);
    system->system.link_bandwidth_y_GBps = PICK(state, bandwidths_GBps);
    system->chip.core_link_bandwidth_GBps = PICK(state, bandwidths_GBps);
    system->model.reduce_ring_crossings = PICK(state, crossings);
  }
  system->model.exact_groups = chance(state, 30);
}

static dsm_explore_options options_of(uint64_t *state, dsm_mode mode) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = mode;
  const dsm_optimization_set some = (dsm_optimization_set)random_next(state);
  options.optimizations = dsm_mode_optimizations(mode);
  options.optimizations &= chance(state, 60) ? DSM_OPTIMIZATION_ALL : some;
  return options;
}

/* Less memory than what the fastest mapping needs, and in which something may still fit. */
static void limit_memory(physics_case *one, uint64_t *state) {
  static const double fractions[] = {0.6, 0.8, 0.9, 0.97};
  dsm_plan *const free_plan = physics_explore(one, &one->system);
  if (free_plan != NULL) {
    const double need_GB = free_plan->result.memory.total_bytes / 1e9;
    one->system.chip.memory.capacity_GB = need_GB * PICK(state, fractions);
    one->is_limited = true;
  }
  dsm_plan_free(free_plan);
}

physics_case physics_case_make(uint64_t seed, physics_set set, dsm_mode mode) {
  physics_case one = {.seed = seed, .set = set};
  uint64_t state = seed * 8 + (uint64_t)mode;
  if (seed % 2 == 0) {
    make_small(&one);
  } else {
    make_large(&one);
  }
  one.system = *one.given;
  vary_system(&one.system, &state);
  refined_keys_apply(&one.system, set, seed);
  one.options = options_of(&state, mode);
  if (chance(&state, 25)) {
    limit_memory(&one, &state);
  }
  return one;
}

void physics_case_free(physics_case *one) {
  dsm_workload_free(one->workload);
  dsm_system_free(one->given);
}

dsm_plan *physics_explore(const physics_case *one, const dsm_system *system) {
  dsm_plan *plan = NULL;
  const dsm_status status = dsm_explore(&plan, one->workload, system, &one->options, NULL);
  ck_assert_msg(status == DSM_OK || status == DSM_ERROR_INFEASIBLE, "%s", dsm_status_name(status));
  return plan;
}

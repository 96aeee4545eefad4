/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_network.c: the search over the network against complete enumeration, on random trellises:
 * with ample memory, with a limit that binds, and where nothing fits. Numbers are small integers,
 * so that ties are exact and frequent.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "random_numbers.h"
#include "search/network.h"
#include "plan/tolerance.h"
#include "search/trellis.h"
#include "suites.h"

enum { STAGES_MAX = 7, TRELLISES = 400 };

static void make_network(dsm__network *network, dsm__network_stage *stages, uint64_t *state) {
  network->stages = stages;
  network->stage_count = 1 + random_below(state, STAGES_MAX);
  const uint64_t spread = 1 + random_below(state, 30);
  for (size_t s = 0; s < network->stage_count; s++) {
    const bool is_data_only = random_below(state, 8) == 0;
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      stages[s].choices[p] = (dsm__choice){
          .cycles = is_data_only && p != 0 ? HUGE_VAL : 1 + (double)random_below(state, spread),
          .kept_bytes = (double)random_below(state, spread),
          .transient_bytes = (double)random_below(state, spread),
      };
    }
    stages[s].relayout_cycles[0] = 0;
    for (int change = 1; change < DSM__ROLE_CHANGES; change++) {
      stages[s].relayout_cycles[change] = (double)random_below(state, spread / 2 + 1);
    }
  }
}

typedef struct enumeration {
  double best_cycles;                /* of those that fit */
  double smallest_need;              /* of all */
  double least_cycles;               /* of all */
  dsm_parallelism first[STAGES_MAX]; /* lexicographically first of the best */
} enumeration;

/* Every sequence, in lexicographic order: the first that is strictly better is the first of equals
 * (the numbers are integers, so that equal means equal). */
static enumeration enumerate(const dsm__network *network) {
  enumeration found = {HUGE_VAL, HUGE_VAL, HUGE_VAL, {DSM_PARALLELISM_DATA}};
  size_t total = 1;
  for (size_t s = 0; s < network->stage_count; s++) {
    total *= DSM_PARALLELISM_COUNT;
  }
  for (size_t code = 0; code < total; code++) {
    dsm_parallelism sequence[STAGES_MAX];
    size_t rest = code;
    for (size_t s = network->stage_count; s-- > 0;) {
      sequence[s] = (dsm_parallelism)(rest % DSM_PARALLELISM_COUNT);
      rest /= DSM_PARALLELISM_COUNT;
    }
    const double cycles = dsm__sequence_cycles(network, sequence);
    const double bytes = dsm__sequence_bytes(network, sequence);
    if (isfinite(cycles)) {
      found.smallest_need = fmin(found.smallest_need, bytes);
      found.least_cycles = fmin(found.least_cycles, cycles);
    }
    if (bytes <= network->capacity_bytes && cycles < found.best_cycles) {
      found.best_cycles = cycles;
      memcpy(found.first, sequence, sizeof sequence);
    }
  }
  return found;
}

static void expect_optimum(const dsm__network *network, uint64_t seed) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_parallelism sequence[STAGES_MAX];
  dsm__network_answer answer;
  const enumeration expected = enumerate(network);
  ck_assert(dsm__network_search(network, arena, sequence, &answer));
  ck_assert_msg(answer.is_feasible == isfinite(expected.best_cycles), "seed %llu",
                (unsigned long long)seed);
  if (answer.is_feasible) {
    ck_assert_msg(fabs(answer.cycles - expected.best_cycles) < 1e-6,
                  "seed %llu: found %g, expected %g", (unsigned long long)seed, answer.cycles,
                  expected.best_cycles);
    ck_assert_msg(fabs(answer.lower_bound_cycles - expected.best_cycles) < 1e-6,
                  "seed %llu: bound %g, expected %g", (unsigned long long)seed,
                  answer.lower_bound_cycles, expected.best_cycles);
    for (size_t s = 0; s < network->stage_count; s++) {
      ck_assert_msg(sequence[s] == expected.first[s], "seed %llu: stage %zu",
                    (unsigned long long)seed, s);
    }
  } else {
    ck_assert_double_eq_tol(answer.smallest_need_bytes, expected.smallest_need, 1e-9);
    ck_assert_double_eq_tol(dsm__sequence_bytes(network, sequence), expected.smallest_need, 1e-9);
  }
  dsm__arena_free(arena);
}

START_TEST(test_ample_memory_gives_the_first_of_the_fastest) {
  for (uint64_t seed = 0; seed < TRELLISES; seed++) {
    uint64_t state = seed;
    dsm__network network;
    dsm__network_stage stages[STAGES_MAX];
    make_network(&network, stages, &state);
    network.capacity_bytes = HUGE_VAL;
    expect_optimum(&network, seed);
  }
}
END_TEST

START_TEST(test_limited_memory_gives_the_first_of_the_fastest_that_fit) {
  for (uint64_t seed = 0; seed < TRELLISES; seed++) {
    uint64_t state = 1000000 + seed;
    dsm__network network;
    dsm__network_stage stages[STAGES_MAX];
    make_network(&network, stages, &state);
    network.capacity_bytes = HUGE_VAL;
    const double smallest = enumerate(&network).smallest_need;
    /* From just too small over exactly enough to somewhat more. */
    network.capacity_bytes = smallest - 1 + (double)random_below(&state, 12);
    expect_optimum(&network, seed);
  }
}
END_TEST

START_TEST(test_through_is_the_cheapest_path_with_a_stage_fixed) {
  uint64_t state = 77;
  dsm__network network;
  dsm__network_stage stages[STAGES_MAX];
  double through[STAGES_MAX * DSM_PARALLELISM_COUNT];
  for (int i = 0; i < 50; i++) {
    dsm__arena *const arena = dsm__arena_new();
    make_network(&network, stages, &state);
    network.capacity_bytes = HUGE_VAL;
    ck_assert(dsm__network_through(&network, arena, through));
    for (size_t s = 0; s < network.stage_count; s++) {
      for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
        dsm__network_stage fixed[STAGES_MAX];
        memcpy(fixed, stages, sizeof fixed);
        for (int other = 0; other < DSM_PARALLELISM_COUNT; other++) {
          fixed[s].choices[other].cycles = other == p ? stages[s].choices[p].cycles : HUGE_VAL;
        }
        const dsm__network one = {fixed, network.stage_count, HUGE_VAL};
        const double expected = enumerate(&one).least_cycles;
        const double found = through[s * DSM_PARALLELISM_COUNT + (size_t)p];
        ck_assert(isfinite(expected) ? fabs(found - expected) < 1e-6 : !isfinite(found));
      }
    }
    dsm__arena_free(arena);
  }
}
END_TEST

/* 200 equal stages under a limit that binds: a knapsack with many equal partial sums. The answer
 * must come, exact or not, with a bound that is none above it. */
START_TEST(test_long_chain_under_a_limit_has_an_honest_bound) {
  enum { LONG = 200 };
  static dsm__network_stage stages[LONG];
  dsm_parallelism sequence[LONG];
  dsm__arena *const arena = dsm__arena_new();
  dsm__network_answer answer;
  uint64_t state = 5;
  for (int s = 0; s < LONG; s++) {
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      stages[s].choices[p] = (dsm__choice){
          .cycles = 1000 + (double)(100 * p) + (double)random_below(&state, 50),
          .kept_bytes = 1000 - (double)(200 * p) + (double)random_below(&state, 50),
          .transient_bytes = (double)random_below(&state, 100),
      };
    }
    for (int change = 1; change < DSM__ROLE_CHANGES; change++) {
      stages[s].relayout_cycles[change] = 10;
    }
  }
  const dsm__network network = {stages, LONG, 150000};
  ck_assert(dsm__network_search(&network, arena, sequence, &answer));
  ck_assert(answer.is_feasible);
  ck_assert_double_le(dsm__sequence_bytes(&network, sequence), network.capacity_bytes);
  ck_assert_double_le(answer.lower_bound_cycles, answer.cycles * (1 + 1e-9));
  ck_assert_double_ge(answer.lower_bound_cycles, answer.cycles * 0.99);
  dsm__arena_free(arena);
}
END_TEST

/* Thirds and sevenths sum differently from the front and from the back. With exactly the memory
 * that the best plan of a limit needs, the same plan must come again. */
START_TEST(test_a_limit_that_binds_exactly_still_admits_its_plan) {
  for (uint64_t seed = 0; seed < TRELLISES; seed++) {
    uint64_t state = 2000000 + seed;
    dsm__network network;
    dsm__network_stage stages[STAGES_MAX];
    dsm_parallelism sequence[STAGES_MAX];
    dsm__network_answer first;
    dsm__network_answer again;
    dsm__arena *const arena = dsm__arena_new();
    make_network(&network, stages, &state);
    for (size_t s = 0; s < network.stage_count; s++) {
      for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
        stages[s].choices[p].kept_bytes /= p % 2 == 0 ? 3 : 7;
        stages[s].choices[p].transient_bytes /= 7;
      }
    }
    network.capacity_bytes = HUGE_VAL;
    const double smallest = enumerate(&network).smallest_need;
    network.capacity_bytes = smallest + 0.5 * (double)random_below(&state, 6);
    network.capacity_bytes = dsm__capacity_limit(network.capacity_bytes);
    ck_assert(dsm__network_search(&network, arena, sequence, &first));
    ck_assert(first.is_feasible);
    network.capacity_bytes = dsm__capacity_limit(dsm__sequence_bytes(&network, sequence));
    ck_assert(dsm__network_search(&network, arena, sequence, &again));
    ck_assert_msg(again.is_feasible && again.cycles <= first.cycles * (1 + 1e-9), "seed %llu",
                  (unsigned long long)seed);
    ck_assert_double_le(dsm__sequence_bytes(&network, sequence), network.capacity_bytes);
    ck_assert_double_ge(again.lower_bound_cycles, again.cycles * (1 - 1e-9));
    dsm__arena_free(arena);
  }
}
END_TEST

/* Identical stages have one price at which all change their mind; the answer is exact all the same,
 * and more memory is never slower. */
START_TEST(test_identical_stages_under_a_limit_are_exact) {
  enum { SAME = 300 };
  static dsm__network_stage stages[SAME];
  dsm_parallelism sequence[SAME];
  double previous = HUGE_VAL;
  for (int s = 0; s < SAME; s++) {
    stages[s] = (dsm__network_stage){
        .choices = {{30, 1, 1}, {10, 5, 1}, {25, 2, 1}, {20, 3, 1}},
        .relayout_cycles = {0, 7, 7, 7},
    };
  }
  for (double capacity = SAME + 1; capacity < 5 * SAME; capacity += 97) {
    dsm__arena *const arena = dsm__arena_new();
    dsm__network_answer answer;
    const dsm__network network = {stages, SAME, capacity};
    ck_assert(dsm__network_search(&network, arena, sequence, &answer));
    ck_assert(answer.is_feasible);
    ck_assert_double_ge(answer.lower_bound_cycles, answer.cycles * (1 - 1e-9));
    ck_assert_double_le(answer.cycles, previous);
    previous = answer.cycles;
    dsm__arena_free(arena);
  }
}
END_TEST

Suite *suite_network(void) {
  Suite *const suite = suite_create("network");
  TCase *const tests = tcase_create("against enumeration");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_ample_memory_gives_the_first_of_the_fastest);
  tcase_add_test(tests, test_limited_memory_gives_the_first_of_the_fastest_that_fit);
  tcase_add_test(tests, test_through_is_the_cheapest_path_with_a_stage_fixed);
  tcase_add_test(tests, test_long_chain_under_a_limit_has_an_honest_bound);
  tcase_add_test(tests, test_a_limit_that_binds_exactly_still_admits_its_plan);
  tcase_add_test(tests, test_identical_stages_under_a_limit_are_exact);
  suite_add_tcase(suite, tests);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_objectives.c: what a search finds at other prices than those of time is the cheapest of all
 * mappings of small networks, of words and of roles, with energy from a made-up table; and where
 * energy has no price it changes nothing.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "how_many.h"
#include "made_up_energy.h"
#include "plan/legal.h"
#include "plan/tolerance.h"
#include "random_numbers.h"
#include "role_draw.h"
#include "role_twin.h"
#include "search/roles/role_search.h"
#include "search/roles/step_search.h"
#include "suites.h"

enum { ROLE_SEEDS = HOW_MANY(96, 24, 8), WORD_SEEDS = HOW_MANY(64, 16, 6) };

#define WORD(of) DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_##of)

/* Of time and energy; energy alone; mixes in which either decides. */
static const double objectives[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, 0.125}, {0.25, 4}};

static dsm__prices prices_of(const double *objective) {
  return (dsm__prices){.micro = objective[0], .once = objective[0], .joules = objective[1]};
}

static void set_objective(dsm__problem *problem, const dsm__prices *prices,
                          const dsm__energy *energy) {
  problem->inputs.prices = *prices;
  problem->inputs.energy = energy;
}

static const double ample_bytes = 1e12;

static void assert_close(double found, double expected, uint64_t seed, const char *what) {
  const bool is_none = !(expected < HUGE_VAL);
  ck_assert_msg(is_none ? !(found < HUGE_VAL) : fabs(found - expected) <= 1e-9 * expected,
                "seed %u: %s %.17g, the cheapest of all %.17g", (unsigned)seed, what, found,
                expected);
}

/* ---- roles ---- */

/* What counts of the twin's mappings. */
typedef struct weighed_energy {
  const made_up_energy *energy;
  double price;
} weighed_energy;

static double twin_pass(const void *context, const dsm_layer *layer, const dsm_machine *machine,
                        uint64_t minibatch, dsm_pass pass, dsm_parallelism parallelism) {
  const weighed_energy *const of = context;
  return of->price * made_up_joules(of->energy, layer, machine, minibatch, 1, pass, parallelism);
}

static double twin_exchange(const void *context, const dsm_traffic *traffic) {
  const weighed_energy *const of = context;
  return of->price * made_up_exchange_joules(of->energy, traffic);
}

static role_twin twin;

static double role_search_cost(const role_drawn *d, const dsm_explore_options *options,
                               const dsm__prices *prices, const dsm__energy *energy,
                               double capacity_bytes, uint64_t seed) {
  dsm__problem problem;
  dsm__graph_answer answer;
  dsm__decisions decisions;
  ck_assert_int_eq(dsm__problem_init(&problem, d->workload, d->system, options, NULL), DSM_OK);
  set_objective(&problem, prices, energy);
  problem.capacity_bytes = dsm__capacity_limit(capacity_bytes);
  ck_assert(dsm__step_search(&problem, HUGE_VAL, &answer, &decisions));
  const double cost = answer.is_feasible ? answer.cycles : HUGE_VAL;
  if (answer.is_feasible) {
    assert_close(answer.lower_bound_cycles, cost, seed, "bound");
  }
  dsm__problem_fini(&problem);
  return cost;
}

/* The words of roles that are drawn, on one axis with roles of update too. */
static dsm_optimization_set words_of(const role_drawn *d, uint64_t seed) {
  static const dsm_optimization_set groups[] = {
      WORD(HYBRID) | WORD(TENSOR), WORD(TENSOR), WORD(HYBRID) | WORD(SPATIAL),
      WORD(HYBRID) | WORD(TENSOR) | WORD(SPATIAL) | WORD(EXPERT)};
  const bool is_apart =
      d->mode == DSM_MODE_TRAINING && d->system->system.axis_count == 1 && seed % 2 == 0;
  return groups[seed / 2 % 4] | (is_apart ? WORD(PER_PASS) : 0);
}

/* The cheapest mapping with roles within a capacity, by enumeration and by the search. Whatever it
 * is, the fastest may be another one. */
static double compare_roles(const role_drawn *d, const double *objective, double capacity_bytes,
                            uint64_t seed) {
  const made_up_energy energy = {seed};
  const weighed_energy weighed = {&energy, objective[1]};
  const role_counted counted = {objective[0], twin_pass, twin_exchange, &weighed};
  const dsm__energy asked = made_up_energy_of(&energy);
  const dsm__prices prices = prices_of(objective);
  const dsm_optimization_set words = words_of(d, seed);
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = d->mode;
  options.optimizations = words;
  role_twin_init(&twin, d->workload, d->system, d->mode,
                 (role_space){.has_hybrid = (words & WORD(HYBRID)) != 0,
                              .has_tensor = (words & WORD(TENSOR)) != 0,
                              .has_spatial = (words & WORD(SPATIAL)) != 0,
                              .has_expert = (words & WORD(EXPERT)) != 0,
                              .has_per_pass = (words & WORD(PER_PASS)) != 0});
  twin.counted = &counted;
  twin.capacity_bytes = capacity_bytes;
  role_twin_search(&twin);
  assert_close(role_search_cost(d, &options, &prices, &asked, capacity_bytes, seed), twin.cycles,
               seed, "found");
  return twin.cycles;
}

START_TEST(test_the_cheapest_roles_are_found) {
  unsigned slower = 0;
  for (uint64_t seed = 0; seed < ROLE_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    const double *const objective = objectives[_i];
    compare_roles(&d, objective, ample_bytes, seed);
    const double bytes = role_twin_bytes(&twin, twin.best);
    const double ample = twin.cycles;
    const double within = compare_roles(&d, objective, 0.95 * bytes, seed);
    slower += within > ample * (1 + 1e-9) ? 1 : 0;
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(slower, ROLE_SEEDS / 8);
}
END_TEST

Suite *suite_objectives(void) {
  Suite *const suite = suite_create("objectives");
  TCase *const tests = tcase_create("enumeration");
  tcase_set_timeout(tests, 240);
  tcase_add_loop_test(tests, test_the_cheapest_roles_are_found, 0, DSM__COUNT_OF(objectives));
  suite_add_tcase(suite, tests);
  return suite;
}

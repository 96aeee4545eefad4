/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_objectives.c: what a search finds at other prices than those of time is the cheapest of all
 * mappings of small networks, of words and of roles, on systems whose energies are drawn; and where
 * energy has no weight it changes nothing.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawn_energy.h"
#include "how_many.h"
#include "plan/legal.h"
#include "plan/tolerance.h"
#include "random_numbers.h"
#include "role_draw.h"
#include "role_twin.h"
#include "search/roles/role_search.h"
#include "search/roles/step_search.h"
#include "suites.h"

enum { ROLE_SEEDS = HOW_MANY(96, 24, 8), WORD_SEEDS = HOW_MANY(40, 10, 4) };

#define WORD(of) DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_##of)

/* Of time and energy; energy alone; mixes in which either decides. */
static const double objectives[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, 0.125}, {0.25, 4}};

static const double ample_bytes = 1e12;

static void assert_close(double found, double expected, uint64_t seed, const char *what) {
  const bool is_none = !(expected < HUGE_VAL);
  ck_assert_msg(is_none ? !(found < HUGE_VAL) : fabs(found - expected) <= 1e-9 * expected,
                "seed %u: %s %.17g, the cheapest of all %.17g", (unsigned)seed, what, found,
                expected);
}

/* ---- roles ---- */

static role_twin twin;

static double role_search_cost(const role_drawn *d, const dsm_explore_options *options,
                               const dsm_weights *weights, double capacity_bytes, uint64_t seed) {
  dsm__problem problem;
  dsm__graph_answer answer;
  dsm__decisions decisions;
  ck_assert_int_eq(
      weights == NULL
          ? dsm__problem_init(&problem, d->workload, d->system, options, NULL)
          : dsm__problem_init_weighed(&problem, d->workload, d->system, options, weights, NULL),
      DSM_OK);
  problem.capacity_bytes = dsm__capacity_limit(capacity_bytes);
  ck_assert(dsm__step_search(&problem, HUGE_VAL, &answer, &decisions));
  const double cost = answer.is_feasible ? answer.cost : HUGE_VAL;
  if (answer.is_feasible) {
    assert_close(answer.lower_bound, cost, seed, "bound");
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

/* The cheapest mapping with roles within a capacity, by enumeration and by the search. Energy
 * without a weight changes nothing. */
static double compare_roles(const role_drawn *d, const double *objective, double capacity_bytes,
                            uint64_t seed) {
  const dsm_weights weights = drawn_weights(objective[0], objective[1]);
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
  role_twin_weigh(&twin, &weights);
  twin.capacity_bytes = capacity_bytes;
  role_twin_search(&twin);
  const double found = role_search_cost(d, &options, &weights, capacity_bytes, seed);
  assert_close(found, twin.cycles, seed, "found");
  if (!(objective[1] > 0)) { /* not even the last digit */
    const double plain = role_search_cost(d, &options, NULL, capacity_bytes, seed);
    ck_assert(found <= plain && found >= plain);
  }
  return twin.cycles;
}

START_TEST(test_the_cheapest_roles_are_found) {
  unsigned slower = 0;
  for (uint64_t seed = 0; seed < ROLE_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    drawn_energy_set(d.system, seed);
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

START_TEST(test_what_cannot_be_chosen_has_no_price) {
  const dsm__prices of_time = dsm__prices_of_time();
  const dsm__cost none = {.micro = HUGE_VAL, .once = 1, .joules = 2};
  const dsm__cost one = {.micro = 4, .once = 1, .latency = 8, .joules = 2};
  ck_assert_double_gt(dsm__price(&of_time, &none), 1e300);
  ck_assert_double_eq(dsm__price(&of_time, &one), 7);
}
END_TEST

/* ---- words ---- */

enum { WORD_LAYERS = 3, FACTORS = 3 /* of a minibatch of 12 at most */, MAPPINGS_MAX = 1 << 13 };

/* What a mapping of words takes. */
typedef struct taken {
  double price;
  double bytes;
  double seconds;
  double joules; /* of all chips, without static power */
} taken;

/* All mappings of data and model with what may be held, factors and parallelisms of passes. */
typedef struct enumeration {
  const dsm_workload *workload;
  const dsm_explore_options *options;
  dsm_weights weights;
  dsm_machine machine; /* that weighs */
  dsm__core_splits splits;
  dsm__arena *arena;
  dsm__layer_decision layers[WORD_LAYERS];
  taken mappings[MAPPINGS_MAX];
  size_t count;
  size_t held; /* of these, that hold something */
} enumeration;

static void count_violation(void *context, const dsm__plan_place *place, const char *hint,
                            const char *message) {
  (void)place;
  (void)hint;
  (void)message;
  ++*(unsigned *)context;
}

static bool is_legal(const enumeration *e, const dsm__decisions *decisions) {
  const dsm__candidate candidate = {.workload = e->workload,
                                    .machine = &e->machine,
                                    .options = e->options,
                                    .decisions = decisions,
                                    .is_complete = true};
  unsigned violations = 0;
  ck_assert(dsm__legality_check(&candidate, count_violation, &violations, e->arena));
  return violations == 0;
}

/* The best core splits of all passes. */
static void find_splits(enumeration *e, const dsm__decisions *decisions) {
  dsm__holding holdings[WORD_LAYERS];
  ck_assert(dsm__holdings_derive(e->workload, &e->machine, decisions, holdings, e->arena));
  for (size_t i = 0; i < e->workload->layer_count; i++) {
    const dsm__layer_setting setting = {
        .layer = &e->workload->layers[i],
        .machine = &e->machine,
        .precision = dsm_precision_of(e->workload, e->machine.system),
        .mode = e->options->mode,
        .minibatch = e->workload->minibatch,
        .dysm_factor = e->layers[i].layer.dysm_factor,
        .holding = holdings[i],
    };
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_parallelism parallelism = e->layers[i].layouts.of[p];
      if (dsm_pass_exists(setting.layer, setting.mode, (dsm_pass)p)) {
        const dsm__best_pass best =
            dsm__best_pass_find(&setting, (dsm_pass)p, parallelism, false, &e->splits);
        memcpy(e->layers[i].splits[p], best.splits, sizeof best.splits);
      }
    }
  }
}

/* What the layers take as they are decided. */
static taken take(enumeration *e) {
  const dsm__decisions decisions = {.layers = e->layers};
  find_splits(e, &decisions);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(
      dsm__plan_make(&plan, e->workload, e->machine.system, e->options, &decisions, NULL), DSM_OK);
  const taken of = {drawn_price(plan, &e->weights), plan->result.memory.total_bytes,
                    plan->result.step_cycles / plan->system->core.frequency_GHz / 1e9,
                    dsm_joules_dynamic(&plan->result.energy.parts)};
  dsm_plan_free(plan);
  return of;
}

static void try_layer(enumeration *e, size_t index) {
  const dsm__decisions decisions = {.layers = e->layers};
  const unsigned ways = e->machine.parallelism_count;
  if (index == e->workload->layer_count) {
    if (is_legal(e, &decisions)) {
      ck_assert_uint_lt(e->count, MAPPINGS_MAX);
      e->mappings[e->count++] = take(e);
      for (size_t i = 0; i < index; i++) {
        e->held += e->layers[i].layer.is_output_held ? 1 : 0;
      }
    }
    return;
  }
  const bool is_apart = (e->options->optimizations & WORD(PER_PASS)) != 0;
  for (unsigned n = 0; n < (is_apart ? ways * ways * ways : ways) * 2 * FACTORS; n++) {
    dsm__layer_decision *const layer = &e->layers[index];
    const unsigned roles = n / (2 * FACTORS);
    *layer = dsm__layer_decision_none();
    layer->layouts = dsm_pass_layouts_uniform((dsm_parallelism)(roles % ways));
    if (is_apart) {
      layer->layouts.of[DSM_PASS_BACKWARD] = (dsm_parallelism)(roles / ways % ways);
      layer->layouts.of[DSM_PASS_UPDATE] = (dsm_parallelism)(roles / ways / ways);
    }
    layer->layer.is_output_held = n % 2 != 0;
    layer->layer.dysm_factor = 1U << n / 2 % FACTORS;
    try_layer(e, index + 1);
  }
}

/* The cheapest that fits; infinite: none does. *bytes: what it needs. */
static double cheapest(const enumeration *e, double capacity_bytes, double *bytes) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < e->count; i++) {
    const taken *const of = &e->mappings[i];
    if (of->bytes <= dsm__capacity_limit(capacity_bytes) && of->price < least) {
      least = of->price;
      *bytes = of->bytes;
    }
  }
  return least;
}

/* The search finds the cheapest, and decisions that cost as much. */
static void compare_words(enumeration *e, double capacity_bytes, double *bytes, uint64_t seed) {
  const double least = cheapest(e, capacity_bytes, bytes);
  dsm__problem problem;
  dsm__solution solution;
  dsm__decisions decisions;
  ck_assert_int_eq(dsm__problem_init_weighed(&problem, e->workload, e->machine.system, e->options,
                                             &e->weights, NULL),
                   DSM_OK);
  problem.capacity_bytes = dsm__capacity_limit(capacity_bytes);
  ck_assert(dsm__problem_solve(&problem, &solution));
  assert_close(solution.answer.is_feasible ? solution.answer.cost : HUGE_VAL, least, seed, "found");
  if (solution.answer.is_feasible) {
    assert_close(solution.answer.lower_bound, least, seed, "bound");
    ck_assert(dsm__problem_decide(&problem, &solution.network, &solution.path, &decisions));
    memcpy(e->layers, decisions.layers, e->workload->layer_count * sizeof e->layers[0]);
    const taken of = take(e);
    assert_close(of.price, least, seed, "decided");
  }
  dsm__problem_fini(&problem);
}

static dsm_system *draw_tight_system(uint64_t *state, unsigned axis_count) {
  static const double scratchpads[] = {0.0004, 0.001, 0.002, 0.01};
  dsm_system *const system = role_draw_system(state, axis_count);
  system->core.scratchpad_MiB = scratchpads[random_below(state, 4)];
  system->core.streaming_buffer_KiB = 0.125;
  return system;
}

/* Two layers whose passes may differ, or three. */
START_TEST(test_the_cheapest_words_are_found) {
  static enumeration e;
  size_t held = 0;
  unsigned slower = 0;
  for (uint64_t seed = WORD_SEEDS * (uint64_t)_i; seed < WORD_SEEDS * (uint64_t)(_i + 1); seed++) {
    uint64_t state = seed;
    const bool is_apart = seed % 2 == 0;
    const unsigned axis_count = is_apart ? 1 : 1 + (unsigned)random_below(&state, 2);
    dsm_workload *const workload =
        role_draw_network(&state, is_apart || axis_count > 1 ? 2 : 3, NOTHING);
    dsm_system *const system = draw_tight_system(&state, axis_count);
    dsm_explore_options options;
    drawn_energy_set(system, seed);
    dsm_explore_options_init(&options);
    options.mode = is_apart || random_below(&state, 3) > 0 ? DSM_MODE_TRAINING : DSM_MODE_INFERENCE;
    options.optimizations =
        WORD(HYBRID) | WORD(REUSE) | WORD(DYSM) | (is_apart ? WORD(PER_PASS) : 0);
    memset(&e, 0, sizeof e);
    e.workload = workload;
    e.options = &options;
    e.machine = dsm_machine_derive(system);
    e.machine.is_weighed = true;
    e.arena = dsm__arena_new();
    ck_assert(dsm__core_splits_enumerate(&e.splits, dsm_split_cores(system), e.arena));
    for (size_t o = 0; o < DSM__COUNT_OF(objectives); o++) {
      double bytes = 0;
      double fewer = 0;
      e.weights = e.machine.weights = drawn_weights(objectives[o][0], objectives[o][1]);
      e.count = e.held = 0;
      try_layer(&e, 0);
      held += e.held;
      compare_words(&e, ample_bytes, &bytes, seed);
      compare_words(&e, 0.99 * bytes, &fewer, seed);
      slower += fewer > 0 ? 1 : 0;
    }
    dsm__arena_free(e.arena);
    dsm_workload_free(workload);
    dsm_system_free(system);
  }
  ck_assert_uint_gt(held, WORD_SEEDS);
  ck_assert_uint_gt(slower, WORD_SEEDS);
}
END_TEST

/* ---- what dsm_explore is asked for ---- */

/* A machine of which all that an hour costs is known. */
static void set_prices(dsm_system *system, uint64_t *state) {
  dsm_prices *const prices = &system->technology.prices;
  system->technology.energy.static_W = (double)random_below(state, 4) * 1e-3;
  system->area.die_mm2 = 100;
  prices->system_dollars = 0.001 * (double)(1 + random_below(state, 1000));
  prices->years = 3;
  prices->rate = 0.05;
  prices->availability = 0.9;
  prices->PUE = 1.25;
  prices->dollars_per_kWh = (double)random_below(state, 1000);
}

/* The least of all that were enumerated, by sums of its own. */
static double least_of(const enumeration *e, const dsm_explore_options *options) {
  const dsm_system *const system = e->machine.system;
  const double chips = (double)dsm_system_chips(system);
  const double static_watts = chips * system->technology.energy.static_W;
  const double kWh_dollars = system->technology.prices.dollars_per_kWh;
  dsm_machine_cost cost;
  double least = HUGE_VAL;
  ck_assert_int_eq(dsm_machine_cost_of(system, &cost, NULL), DSM_OK);
  const double idle_hour = cost.hour_dollars - cost.site_W / 1000 * kWh_dollars;
  for (size_t i = 0; i < e->count; i++) {
    const taken *const of = &e->mappings[i];
    const double joules = of->joules + static_watts * of->seconds;
    const double site = (of->joules + cost.system_static_W * of->seconds) * 1.25;
    const double dollars = of->seconds / 3600 * idle_hour + site / 3.6e6 * kWh_dollars;
    const double capped = options->power_cap_watts > 0
                              ? of->joules / (chips * options->power_cap_watts - static_watts)
                              : 0;
    const double value = options->aim == DSM_AIM_JOULES    ? joules
                         : options->aim == DSM_AIM_EDP     ? joules * of->seconds
                         : options->aim == DSM_AIM_DOLLARS ? dollars
                                                           : fmax(of->seconds, capped);
    least = of->bytes <= dsm_system_usable_bytes(system) ? fmin(least, value) : least;
  }
  return least;
}

/* What is found, and its bound. */
typedef struct found_aim {
  double value;
  double bound;
  double joules;
} found_aim;

static found_aim explore_aim(const enumeration *e, const dsm_explore_options *options) {
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, e->workload, e->machine.system, options, NULL), DSM_OK);
  dsm_diags *const diags = dsm_diags_new(2);
  ck_assert_msg(dsm_plan_validate(plan, diags) == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "");
  dsm_diags_free(diags);
  const found_aim found = {plan->result.energy.objective_value, plan->result.energy.objective_bound,
                           plan->result.energy.step_joules};
  dsm_plan_free(plan);
  return found;
}

/* Joules, edp and dollars are found; under a cap the best is between the bound and what is found, a
 * higher cap is no slower, and what takes least joules takes no more than any other. */
static void compare_aims(enumeration *e, dsm_explore_options *options, uint64_t seed,
                         unsigned *open) {
  double joules = 0;
  for (int aim = DSM_AIM_JOULES; aim < DSM_AIM_COUNT; aim++) {
    options->aim = (dsm_aim)aim;
    const double least = least_of(e, options);
    const found_aim found = explore_aim(e, options);
    assert_close(found.value, least, seed, dsm_aim_name(options->aim));
    assert_close(found.bound, least, seed, "bound");
    joules = aim == DSM_AIM_JOULES ? found.joules : joules;
    ck_assert_double_ge(found.joules, joules * (1 - 1e-9));
  }
  double before = HUGE_VAL;
  options->aim = DSM_AIM_TIME;
  for (int k = 0; k < 4; k++) {
    const double static_watts = e->machine.system->technology.energy.static_W;
    options->power_cap_watts = static_watts + 1e-4 * (double)(1U << 3 * k);
    const double least = least_of(e, options);
    const found_aim found = explore_aim(e, options);
    ck_assert_double_ge(found.value, least * (1 - 1e-9));
    ck_assert_double_le(found.bound, least * (1 + 1e-9));
    ck_assert_double_le(found.value, before * (1 + 1e-9));
    *open += found.value > least * (1 + 1e-9) ? 1 : 0;
    before = found.value;
  }
  options->power_cap_watts = 0;
}

START_TEST(test_what_is_asked_for_is_the_best_of_all) {
  static enumeration e;
  unsigned open = 0;
  for (uint64_t seed = 0; seed < WORD_SEEDS; seed++) {
    uint64_t state = seed;
    dsm_workload *const workload = role_draw_network(&state, 2, NOTHING);
    dsm_system *const system = draw_tight_system(&state, 1);
    dsm_explore_options options;
    system->chip.cores = 1; /* of which there is one core split */
    drawn_energy_set(system, seed);
    set_prices(system, &state);
    dsm_explore_options_init(&options);
    options.optimizations = WORD(HYBRID) | WORD(REUSE) | WORD(DYSM) | WORD(PER_PASS);
    memset(&e, 0, sizeof e);
    e.workload = workload;
    e.options = &options;
    e.machine = dsm_machine_derive(system);
    e.arena = dsm__arena_new();
    e.weights = drawn_weights(1, 0);
    ck_assert(dsm__core_splits_enumerate(&e.splits, dsm_split_cores(system), e.arena));
    try_layer(&e, 0);
    compare_aims(&e, &options, seed, &open);
    dsm__arena_free(e.arena);
    dsm_workload_free(workload);
    dsm_system_free(system);
  }
  ck_assert_uint_lt(open, WORD_SEEDS); /* of four times as many */
}
END_TEST

Suite *suite_objectives(void) {
  Suite *const suite = suite_create("objectives");
  TCase *const tests = tcase_create("enumeration");
  tcase_set_timeout(tests, 240);
  tcase_add_loop_test(tests, test_the_cheapest_roles_are_found, 0, DSM__COUNT_OF(objectives));
  tcase_add_loop_test(tests, test_the_cheapest_words_are_found, 0, 2);
  tcase_add_test(tests, test_what_cannot_be_chosen_has_no_price);
  tcase_add_test(tests, test_what_is_asked_for_is_the_best_of_all);
  suite_add_tcase(suite, tests);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_held_roles.c: outputs held on chip beside any roles. The search against all mappings of
 * small networks, each as it is judged and predicted; what a chip has of held tensors, by hand; and
 * edited plans.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawn_energy.h"
#include "given.h"
#include "how_many.h"
#include "plan/legal.h"
#include "plan/plan_internal.h"
#include "plan/role_flow.h"
#include "plan/tolerance.h"
#include "random_numbers.h"
#include "role_draw.h"
#include "role_twin.h"
#include "search/layer_search.h"
#include "search/roles/step_search.h"
#include "suites.h"

enum { SEEDS = HOW_MANY(60, 8, 2) };

#define ROLES                                                                                      \
  (DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR) | \
   DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_EXPERT))
#define HOLDING                                                                                    \
  (DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM))

/* ---- all mappings ---- */

/* All roles of all layers that go together, with all that may be held and all factors. */
typedef struct enumeration {
  role_twin *twin;
  const dsm_explore_options *options;
  dsm__core_splits splits;
  dsm__arena *arena;
  role_pair roles[ROLE_TWIN_LAYERS]; /* the same in all passes */
  dsm__layer_decision layers[ROLE_TWIN_LAYERS];
  dsm_weights weights;
  double cost; /* of the cheapest; infinite: none fits */
  dsm__layer_decision best[ROLE_TWIN_LAYERS];
  unsigned legal; /* that hold something beside roles other than data and model */
} enumeration;

static void count_violation(void *context, const dsm__plan_place *place, const char *hint,
                            const char *message) {
  (void)place;
  (void)hint;
  (void)message;
  ++*(unsigned *)context;
}

static dsm__candidate candidate_of(const enumeration *e, const dsm__decisions *decisions) {
  return (dsm__candidate){.workload = e->twin->workload,
                          .machine = &e->twin->machine,
                          .options = e->options,
                          .decisions = decisions,
                          .is_complete = true};
}

/* The best core splits, as the layers are run. */
static void find_splits(enumeration *e, const dsm__decisions *decisions,
                        const dsm__role_step *steps) {
  dsm__holding holdings[ROLE_TWIN_LAYERS];
  const dsm_workload *const workload = e->twin->workload;
  ck_assert(dsm__holdings_derive(workload, &e->twin->machine, decisions, holdings, e->arena));
  for (size_t i = 0; i < e->twin->count; i++) {
    const dsm__layer_setting setting = {
        .layer = &workload->layers[i],
        .machine = &e->twin->machine,
        .precision = dsm_precision_of(workload, e->twin->machine.system),
        .mode = e->options->mode,
        .minibatch = workload->minibatch,
        .dysm_factor = e->layers[i].layer.dysm_factor,
        .holding = holdings[i],
        .gathered_before = steps[i].gathered_before,
        .summed_later = steps[i].gathered_before,
    };
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (dsm_pass_exists(setting.layer, setting.mode, (dsm_pass)p)) {
        const dsm__best_pass best = dsm__best_pass_find(
            &setting, (dsm_pass)p, e->layers[i].layouts.of[p], false, &e->splits);
        memcpy(e->layers[i].splits[p], best.splits, sizeof best.splits);
      }
    }
  }
}

/* A mapping: if it is legal, what it takes. */
static void try_mapping(enumeration *e, const dsm__role_step *steps, bool has_roles) {
  const dsm__decisions decisions = {.layers = e->layers};
  const dsm__candidate candidate = candidate_of(e, &decisions);
  unsigned violations = 0;
  bool is_any_held = false;
  for (size_t i = 0; i < e->twin->count; i++) {
    memset(e->layers[i].splits, 0, sizeof e->layers[i].splits); /* not known, and not judged */
  }
  ck_assert(dsm__legality_check(&candidate, count_violation, &violations, e->arena));
  if (violations > 0) {
    return;
  }
  find_splits(e, &decisions, steps);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm__plan_make(&plan, e->twin->workload, e->twin->machine.system, e->options,
                                  &decisions, NULL),
                   DSM_OK);
  const double cost = drawn_price(plan, &e->weights);
  if (cost < e->cost && plan->result.memory.total_bytes <= plan->result.memory.capacity_bytes) {
    e->cost = cost;
    memcpy(e->best, e->layers, sizeof e->best);
  }
  for (size_t i = 0; i < e->twin->count; i++) {
    is_any_held = is_any_held || e->layers[i].layer.is_output_held;
  }
  e->legal += has_roles && is_any_held ? 1 : 0;
  dsm_plan_free(plan);
}

/* Are factors such as layers may have, and one for as long as an output is held? Two bits a layer.
 */
static bool is_worth_judging(const enumeration *e, unsigned held, unsigned factors) {
  const dsm_workload *const workload = e->twin->workload;
  bool is_good = true;
  for (size_t i = 0; i < e->twin->count && is_good; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    const size_t last = dsm__last_use(layer);
    is_good = dsm_dysm_factor_is_valid(layer, &e->twin->machine, workload->minibatch,
                                       1U << (factors >> 2 * i & 3U)) &&
              ((held >> i & 1U) == 0 || last != DSM_NEVER_USED);
    for (size_t k = i; is_good && (held >> i & 1U) != 0 && k <= last; k++) {
      is_good = (factors >> 2 * k & 3U) == (factors >> 2 * i & 3U);
    }
  }
  return is_good;
}

/* All that may be held with roles, and all factors: layers between which nothing is held may have
 * different ones. */
static void try_holdings(enumeration *e) {
  const size_t count = e->twin->count;
  const unsigned axis_count = e->twin->machine.system->system.axis_count;
  const dsm__decisions decisions = {.layers = e->layers};
  dsm__role_step steps[ROLE_TWIN_LAYERS];
  for (size_t i = 0; i < count; i++) {
    e->layers[i] = dsm__layer_decision_none();
    e->layers[i].layouts =
        dsm_pass_layouts_uniform(dsm_parallelism_of(&e->roles[i].both, axis_count));
  }
  const bool has_roles = dsm__has_roles(e->twin->workload, &decisions);
  e->arena = dsm__arena_new();
  ck_assert(dsm__role_steps_derive(e->twin->workload, e->twin->machine.system, &decisions,
                                   DSM_PASS_FORWARD, steps, e->arena));
  for (unsigned held = 0; held < 1U << count; held++) {
    for (unsigned factors = 0; factors < 1U << 2 * count; factors++) {
      if (is_worth_judging(e, held, factors)) {
        for (size_t i = 0; i < count; i++) {
          e->layers[i].layer.is_output_held = (held >> i & 1U) != 0;
          e->layers[i].layer.dysm_factor = 1U << (factors >> 2 * i & 3U);
        }
        try_mapping(e, steps, has_roles);
      }
    }
  }
  dsm__arena_free(e->arena);
}

static void try_roles(enumeration *e, size_t index) {
  role_twin *const twin = e->twin;
  const size_t count = twin->count;
  if (index == count) {
    try_holdings(e);
    return;
  }
  for (size_t o = 0; o < twin->option_count[index]; o++) {
    e->roles[index] = (role_pair){twin->options[index][o], twin->options[index][o]};
    twin->count = index + 1;
    const bool is_legal = role_twin_cycles(twin, e->roles) >= 0;
    twin->count = count;
    if (is_legal) {
      try_roles(e, index + 1);
    }
  }
}

/* ---- the best ---- */

/* Some of the groups of roles, so that there are not too many mappings. */
static dsm_optimization_set draw_groups(uint64_t *state, unsigned axis_count) {
  static const dsm_optimization groups[] = {DSM_OPTIMIZATION_SPATIAL, DSM_OPTIMIZATION_TENSOR};
  const dsm_optimization_set hybrid = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  if (axis_count == 1) {
    return ROLES;
  }
  return hybrid | DSM_OPTIMIZATION_BIT(groups[random_below(state, 2)]);
}

static dsm_system *draw_tight_system(uint64_t *state, unsigned axis_count) {
  static const double scratchpads[] = {0.0004, 0.001, 0.002, 0.01};
  dsm_system *const system = role_draw_system(state, axis_count);
  system->core.scratchpad_MiB = scratchpads[random_below(state, 4)];
  system->core.streaming_buffer_KiB = 0.125;
  system->model.layout_move =
      random_below(state, 3) == 0 ? DSM_LAYOUT_MOVE_ALWAYS : DSM_LAYOUT_MOVE_NONE;
  return system;
}

/* What the fastest plan takes, which is proven. */
static double explore_cycles(const enumeration *e) {
  dsm_plan *plan = NULL;
  dsm_diags *const diags = dsm_diags_new(2);
  ck_assert_int_eq(
      dsm_explore(&plan, e->twin->workload, e->twin->machine.system, e->options, diags), DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  const double cycles = plan->result.step_cycles;
  ck_assert_double_le(plan->result.lower_bound_cycles, e->cost * (1 + 1e-9));
  ck_assert_double_ge(plan->result.lower_bound_cycles, e->cost * (1 - 1e-9));
  dsm_diags_free(diags);
  dsm_plan_free(plan);
  return cycles;
}

/* What the cheapest costs, with data and model or with roles. */
static double search_cost(const enumeration *e) {
  dsm__problem problem;
  dsm__solution words;
  dsm__graph_answer roles;
  dsm__decisions decisions;
  ck_assert_int_eq(dsm__problem_init_weighed(&problem, e->twin->workload, e->twin->machine.system,
                                             e->options, &e->weights, NULL),
                   DSM_OK);
  ck_assert(dsm__problem_solve(&problem, &words));
  ck_assert(dsm__step_search(&problem, HUGE_VAL, &roles, &decisions));
  ck_assert(words.answer.is_feasible && roles.is_feasible);
  const double least = fmin(words.answer.cost, roles.cost);
  const double bound = fmin(words.answer.lower_bound, roles.lower_bound);
  ck_assert_double_ge(bound, least * (1 - 1e-9));
  dsm__problem_fini(&problem);
  return least;
}

static void compare_best(uint64_t seed, double price, unsigned *legal) {
  static role_twin twin;
  static enumeration e;
  uint64_t state = seed;
  const unsigned axis_count = seed % 4 == 3 ? 2 : 1;
  dsm_system *const system = draw_tight_system(&state, axis_count);
  const size_t count = axis_count == 1 ? 3 : 2;
  dsm_workload *const workload = role_draw_network(&state, count,
                                                   seed % 5 == 4                 ? EXPERTS
                                                   : seed % 5 == 2 && price <= 0 ? TIED
                                                                                 : NOTHING);
  dsm_explore_options options;
  drawn_energy_set(system, seed);
  dsm_explore_options_init(&options);
  options.mode = random_below(&state, 3) == 0 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING;
  options.optimizations = draw_groups(&state, axis_count) | HOLDING;
  const role_space space = {
      .has_hybrid = true,
      .has_tensor = (options.optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR)) != 0,
      .has_spatial = (options.optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL)) != 0,
      .has_expert = axis_count == 1,
  };
  role_twin_init(&twin, workload, system, options.mode, space);
  e = (enumeration){
      .twin = &twin, .options = &options, .weights = drawn_weights(1, price), .cost = HUGE_VAL};
  if (price > 0) {
    role_twin_weigh(&twin, &e.weights);
  }
  dsm__arena *const arena = dsm__arena_new();
  ck_assert(dsm__core_splits_enumerate(&e.splits, dsm_split_cores(system), arena));
  try_roles(&e, 0);
  *legal += e.legal;
  const double found = price > 0 ? search_cost(&e) : explore_cycles(&e);
  ck_assert_msg(fabs(found - e.cost) <= 1e-9 * e.cost,
                "seed %u: found %.17g, the best of all takes %.17g", (unsigned)seed, found, e.cost);
  dsm__arena_free(arena);
  dsm_workload_free(workload);
  dsm_system_free(system);
}

START_TEST(test_the_best_of_all_that_may_be_held_is_found) {
  unsigned legal = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    compare_best(seed, 0, &legal);
  }
  ck_assert_uint_gt(legal, 20 * SEEDS);
}
END_TEST

/* With a price of energy, of which held outputs save some. */
START_TEST(test_the_cheapest_of_all_that_may_be_held_is_found) {
  static const double prices[] = {0.125, 1, 16};
  unsigned legal = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    compare_best(seed, prices[seed % 3], &legal);
  }
  ck_assert_uint_gt(legal, 20 * SEEDS);
}
END_TEST

/* ---- one mapping ---- */

/* What is decided of three layers, one after the other, of 8 features of 5 x 2 positions each. */
typedef struct given_mapping {
  dsm_role roles[3];
  bool is_held[2];
  uint64_t factors[3];
  const char *scratchpad_MiB;
  const char *layout_move;
} given_mapping;

/* 6 samples on an axis of 2 chips of one core each. */
typedef struct given_case {
  dsm_workload *workload;
  dsm_system *system;
} given_case;

static given_case given_case_new(const given_mapping *of) {
  const dsm_override values[] = {
      {"system.chips_x", "2", NULL},
      {"system.chips_y", "1", NULL},
      {"chip.cores", "1", NULL},
      {"core.scratchpad_MiB", of->scratchpad_MiB != NULL ? of->scratchpad_MiB : "1", NULL},
      {"model.layout_move", of->layout_move != NULL ? of->layout_move : "\"none\"", NULL},
  };
  return (given_case){
      given_network("6",
                    "{'name': 'a', 'type': 'conv', 'in': 8, 'out': 8, 'feature': [5, 2], 'kernel': "
                    "[1, 1]}, {'name': 'b', 'type': 'conv', 'in': 8, 'out': 8, 'feature': [5, 2], "
                    "'kernel': [1, 1]}, {'name': 'c', 'type': 'conv', 'in': 8, 'out': 8, "
                    "'feature': [5, 2], 'kernel': [1, 1]}"),
      given_system(values, sizeof values / sizeof values[0])};
}

static void given_case_free(given_case *given) {
  dsm_workload_free(given->workload);
  dsm_system_free(given->system);
}

/* The plan of a mapping, whether it is legal or not. */
static dsm_plan *plan_of(const given_case *given, const given_mapping *of) {
  dsm__layer_decision layers[3];
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = ROLES | HOLDING;
  for (size_t i = 0; i < 3; i++) {
    const dsm_roles roles = {{of->roles[i], DSM_ROLE_DATA}};
    layers[i] = dsm__layer_decision_none();
    layers[i].layouts = dsm_pass_layouts_uniform(dsm_parallelism_of(&roles, 2));
    layers[i].layer.is_output_held = i < 2 && of->is_held[i];
    layers[i].layer.dysm_factor = of->factors[i] > 0 ? of->factors[i] : 1;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      for (int k = 0; k < DSM_INVOCATION_KINDS_MAX; k++) {
        layers[i].splits[p][k] = (dsm_loops){{1, 1, 1, 1, 1}};
      }
    }
  }
  const dsm__decisions decisions = {.layers = layers};
  dsm_plan *plan = NULL;
  ck_assert_int_eq(
      dsm__plan_make(&plan, given->workload, given->system, &options, &decisions, NULL), DSM_OK);
  return plan;
}

/* Reads the plan of a mapping: it is as it was printed (message NULL), or has this one finding. */
static void expect_read(given_mapping of, const char *message) {
  given_case given = given_case_new(&of);
  dsm_plan *const plan = plan_of(&given, &of);
  char *const text = dsm_plan_print(plan);
  dsm_diags *const diags = dsm_diags_new(4);
  dsm_plan *read = NULL;
  const dsm_status status = dsm_plan_parse(&read, text, strlen(text), NULL, NULL, diags);
  if (message == NULL) {
    ck_assert_msg(status == DSM_OK, "%s", status == DSM_OK ? "" : dsm_diags_get(diags, 0)->message);
    ck_assert_double_eq(read->result.step_cycles, plan->result.step_cycles);
    ck_assert_double_eq(read->layers[1].held_bytes, plan->layers[1].held_bytes);
  } else {
    ck_assert_int_eq(status, DSM_ERROR_INVALID);
    ck_assert_uint_eq(dsm_diags_count(diags), 1);
    ck_assert_str_eq(dsm_diags_get(diags, 0)->message, message);
  }
  dsm_plan_free(read);
  dsm_diags_free(diags);
  free(text);
  dsm_plan_free(plan);
  given_case_free(&given);
}

/* Of 80 elements of 2 bytes a sample, a chip has: D, 3 of 6 samples, 480 bytes; S, 3 of 5 rows,
 * 576; F, half of the features, 480; N, all, 960. Each for as long as it lives, whatever the layer
 * that runs lies like. */
START_TEST(test_bytes_that_are_held_follow_from_the_layout_of_each) {
  static const struct {
    dsm_role roles[3];
    double bytes[3]; /* while each layer runs */
  } cases[] = {
      {{DSM_ROLE_DATA, DSM_ROLE_DATA, DSM_ROLE_DATA}, {480, 960, 480}},
      {{DSM_ROLE_SPATIAL, DSM_ROLE_SPATIAL, DSM_ROLE_SPATIAL}, {576, 1152, 576}},
      {{DSM_ROLE_MODEL, DSM_ROLE_MODEL_OUT, DSM_ROLE_MODEL}, {480, 960, 480}},
      {{DSM_ROLE_WHOLE, DSM_ROLE_WHOLE, DSM_ROLE_WHOLE}, {960, 1920, 960}},
      {{DSM_ROLE_COLUMN, DSM_ROLE_ROW, DSM_ROLE_WHOLE}, {480, 480 + 960, 960}},
      {{DSM_ROLE_MODEL, DSM_ROLE_ROW, DSM_ROLE_COLUMN}, {480, 480 + 960, 960}},
      {{DSM_ROLE_GATHER_COLUMN, DSM_ROLE_ROW, DSM_ROLE_WHOLE}, {480, 480 + 960, 960}},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    given_mapping of = {.is_held = {true, true}};
    memcpy(of.roles, cases[c].roles, sizeof of.roles);
    given_case given = given_case_new(&of);
    dsm_plan *const plan = plan_of(&given, &of);
    for (size_t i = 0; i < 3; i++) {
      ck_assert_double_eq_tol(plan->layers[i].held_bytes, cases[c].bytes[i], 1e-9);
    }
    dsm_plan_free(plan);
    given_case_free(&given);
    expect_read(of, NULL);
  }
}
END_TEST

START_TEST(test_what_breaks_the_life_of_a_held_output_gets_one_message) {
  expect_read((given_mapping){.roles = {DSM_ROLE_DATA, DSM_ROLE_SPATIAL, DSM_ROLE_SPATIAL},
                              .is_held = {true, false}},
              "expected roles that leave the output along x as it was made up to its last use, "
              "found \"x=spatial,y=data\" of \"b\"");
  expect_read((given_mapping){.roles = {DSM_ROLE_SPATIAL, DSM_ROLE_GATHER_COLUMN, DSM_ROLE_ROW},
                              .is_held = {true, false}},
              "expected false for an output that is exchanged, found true, with "
              "\"x=gather_column,y=data\" of \"b\"");
  expect_read((given_mapping){.roles = {DSM_ROLE_COLUMN, DSM_ROLE_ROW_SCATTER, DSM_ROLE_SPATIAL},
                              .is_held = {false, true}},
              "expected false for an output that is exchanged, found true, with "
              "\"x=row_scatter,y=data\" of \"b\"");
  expect_read((given_mapping){.roles = {DSM_ROLE_COLUMN, DSM_ROLE_ROW, DSM_ROLE_WHOLE},
                              .is_held = {true, false},
                              .factors = {1, 2, 1}},
              "expected the DySM factor 1 up to the output's last use, found 2 of \"b\"");
  expect_read((given_mapping){.roles = {DSM_ROLE_SPATIAL, DSM_ROLE_SPATIAL, DSM_ROLE_SPATIAL},
                              .is_held = {true, false},
                              .scratchpad_MiB = "0.0080"},
              "expected held outputs that fit beside the streaming buffers, found 379 bytes of a "
              "chip too many while \"a\" runs");
  expect_read((given_mapping){.roles = {DSM_ROLE_SPATIAL, DSM_ROLE_SPATIAL, DSM_ROLE_SPATIAL},
                              .is_held = {true, false},
                              .layout_move = "\"exact\""},
              "expected only data and model up to the output's last use, found "
              "\"x=spatial,y=data\" of \"a\"");
}
END_TEST

Suite *suite_held_roles(void) {
  Suite *const suite = suite_create("held_roles");
  TCase *const rules = tcase_create("rules");
  tcase_add_test(rules, test_bytes_that_are_held_follow_from_the_layout_of_each);
  tcase_add_test(rules, test_what_breaks_the_life_of_a_held_output_gets_one_message);
  suite_add_tcase(suite, rules);
  TCase *const best = tcase_create("best");
  tcase_set_timeout(best, 600);
  tcase_add_test(best, test_the_best_of_all_that_may_be_held_is_found);
  tcase_add_test(best, test_the_cheapest_of_all_that_may_be_held_is_found);
  suite_add_tcase(suite, best);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_roles.c: the search over roles of axes against a brute force of its own rules
 * (role_twin.h), on small random networks and systems of one to three axes; and what holds of any
 * network: larger spaces are no slower, the order of independent layers does not matter, plans are
 * read back as they were written.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "given.h"
#include "how_many.h"
#include "plan/keeping.h"
#include "plan/plan_internal.h"
#include "random_numbers.h"
#include "role_draw.h"
#include "role_twin.h"
#include "search/overlapped.h"
#include "search/roles/role_options.h"
#include "search/roles/role_search.h"
#include "search/roles/step_search.h"
#include "suites.h"
#include "tied_twin.h"

enum {
  BEST_SEEDS = HOW_MANY(48, 16, 8),
  JUDGED_SEEDS = HOW_MANY(60, 20, 6),
  CONTEXT_SEEDS = HOW_MANY(48, 24, 16)
};

#define AMPLE 1e12

#define CONTEXT DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_CONTEXT)
#define FORMS (1U << DSM_ROLE_CONTEXT | 1U << DSM_ROLE_GATHER_CONTEXT)

static dsm_explore_options options_of(dsm_mode mode, dsm_optimization_set optimizations) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = mode;
  options.optimizations = optimizations;
  return options;
}

static role_space space_of(dsm_optimization_set optimizations) {
  return (role_space){
      .has_hybrid = (optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID)) != 0,
      .has_tensor = (optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR)) != 0,
      .has_spatial = (optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL)) != 0,
      .has_expert = (optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_EXPERT)) != 0,
      .has_per_pass = (optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS)) != 0,
      .contexts = (optimizations & CONTEXT) != 0 ? FORMS : 0,
  };
}

/* ---- a plan of the twin's decisions ---- */

static dsm_plan *plan_of(const role_twin *twin, const role_pair *roles,
                         const dsm_explore_options *options) {
  const unsigned axis_count = twin->machine.system->system.axis_count;
  dsm__layer_decision layers[ROLE_TWIN_LAYERS];
  for (size_t i = 0; i < twin->count; i++) {
    layers[i] = dsm__layer_decision_none();
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_roles *const of = p == DSM_PASS_UPDATE ? &roles[i].update : &roles[i].both;
      layers[i].layouts.of[p] = dsm_parallelism_of(of, axis_count);
      for (int k = 0; k < DSM_INVOCATION_KINDS_MAX; k++) {
        layers[i].splits[p][k] = role_twin_split(twin, i, (dsm_pass)p, of);
      }
    }
  }
  const dsm__decisions decisions = {.layers = layers};
  dsm_plan *plan = NULL;
  ck_assert_int_eq(
      dsm__plan_make(&plan, twin->workload, twin->machine.system, options, &decisions, NULL),
      DSM_OK);
  return plan;
}

static const char *words_of(const dsm_plan *plan) {
  static char text[2048];
  size_t length = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    length += (size_t)snprintf(text + length, sizeof text - length, "%s[",
                               plan->workload->layers[i].name);
    for (int p = 0; p < DSM_PASS_COUNT; p += 2) { /* forward and update */
      const dsm_parallelism parallelism = plan->layers[i].passes[p].decisions.parallelism;
      for (unsigned a = 0; a < plan->system->system.axis_count && plan->layers[i].passes[p].exists;
           a++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                   a == 0 ? (p == 0 ? "" : "; ") : ",",
                                   dsm_role_name(dsm_parallelism_role(parallelism, a)));
      }
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "] ");
  }
  return text;
}

static bool is_close(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(a, b);
}

/* The first finding; frees the findings. */
static const char *first_of(dsm_diags *diags) {
  static char text[1024];
  const dsm_diag *const first = dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0) : NULL;
  snprintf(text, sizeof text, "%zu findings: %s: %s", dsm_diags_count(diags),
           first != NULL ? first->path : "", first != NULL ? first->message : "");
  return text;
}

/* A plan is valid, and the same once it is printed and read. */
static void assert_read_back(const dsm_plan *plan, uint64_t seed) {
  dsm_diags *const diags = dsm_diags_new(4);
  ck_assert_msg(dsm_plan_validate(plan, diags) == DSM_OK, "seed %u: %s: %s", (unsigned)seed,
                words_of(plan), first_of(diags));
  char *const text = dsm_plan_print(plan);
  ck_assert_ptr_nonnull(text);
  dsm_plan *again = NULL;
  double recorded = 0;
  ck_assert_msg(dsm_plan_parse(&again, text, strlen(text), "plan", &recorded, diags) == DSM_OK,
                "seed %u: %s: %s", (unsigned)seed, words_of(plan), first_of(diags));
  ck_assert_double_eq(again->result.step_cycles, plan->result.step_cycles);
  ck_assert_double_eq(recorded, plan->result.step_cycles);
  ck_assert_double_eq(again->result.memory.total_bytes, plan->result.memory.total_bytes);
  dsm_plan_free(again);
  free(text);
  dsm_diags_free(diags);
}

/* ---- rules and sums ---- */

/* Mostly such that each layer goes with those before it, and its passes with one another. */
static void draw_roles(role_twin *twin, uint64_t *state, role_pair roles[ROLE_TWIN_LAYERS]) {
  const size_t count = twin->count;
  for (size_t i = 0; i < count; i++) {
    twin->count = i + 1;
    for (int k = 0; k < 20; k++) {
      roles[i].both = twin->options[i][random_below(state, twin->option_count[i])];
      roles[i].update = roles[i].both;
      if (twin->has_per_pass && twin->workload->layers[i].has_update &&
          !tied_twin_has_table(twin->workload, i) && random_below(state, 3) > 0) {
        roles[i].update = twin->options[i][random_below(state, twin->option_count[i])];
      }
      if (role_twin_cycles(twin, roles) >= 0) {
        break;
      }
    }
  }
  twin->count = count;
}

/* Chips of some axis share experts. */
static bool has_experts(const role_twin *twin, const role_pair *roles) {
  bool is_any = false;
  for (size_t i = 0; i < twin->count; i++) {
    for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
      is_any = is_any || roles[i].both.of[a] == DSM_ROLE_EXPERT;
    }
  }
  return is_any;
}

typedef struct tally {
  unsigned legal;
  unsigned with_experts; /* of these */
  unsigned apart;        /* with other roles in some update */
  unsigned clashing;     /* not legal, since passes do not go together */
} tally;

/* Of a mapping whose passes differ, whatever it takes. */
static void tally_passes(const role_twin *twin, const role_pair *roles, bool is_legal,
                         tally *counted) {
  bool is_apart = false;
  bool is_clashing = false;
  for (size_t i = 0; i < twin->count; i++) {
    const bool is_other = memcmp(&roles[i].both, &roles[i].update, sizeof roles[i].both) != 0;
    is_apart = is_apart || is_other;
    is_clashing = is_clashing ||
                  (is_other && !role_twin_may_differ(twin, i, &roles[i].both, &roles[i].update));
  }
  counted->apart += is_apart && is_legal ? 1 : 0;
  counted->clashing += is_clashing ? 1 : 0;
}

/* Any mapping: legal or not, and what it takes. */
static void compare_mappings(role_twin *twin, const dsm_explore_options *options, uint64_t *state,
                             uint64_t seed, tally *counted) {
  for (int k = 0; k < 60; k++) {
    role_pair roles[ROLE_TWIN_LAYERS];
    draw_roles(twin, state, roles);
    const double cycles = role_twin_cycles(twin, roles);
    dsm_plan *const plan = plan_of(twin, roles, options);
    dsm_diags *const diags = dsm_diags_new(4);
    const dsm_status status = dsm_plan_validate(plan, diags);
    ck_assert_msg((status == DSM_OK) == (cycles >= 0), "seed %u: %s: %g, %s", (unsigned)seed,
                  words_of(plan), cycles, first_of(diags));
    if (cycles >= 0) {
      ck_assert_msg(is_close(plan->result.step_cycles, cycles), "seed %u: %s: %.17g, twin %.17g",
                    (unsigned)seed, words_of(plan), plan->result.step_cycles, cycles);
      ck_assert_msg(is_close(plan->result.memory.total_bytes, role_twin_bytes(twin, roles)),
                    "seed %u: %s: %.17g bytes, twin %.17g", (unsigned)seed, words_of(plan),
                    plan->result.memory.total_bytes, role_twin_bytes(twin, roles));
      counted->legal++;
      counted->with_experts += has_experts(twin, roles) ? 1 : 0;
    } else {
      ck_assert_int_eq(status, DSM_ERROR_INVALID);
    }
    tally_passes(twin, roles, cycles >= 0, counted);
    dsm_diags_free(diags);
    dsm_plan_free(plan);
  }
}

static role_twin twin;

START_TEST(test_any_mapping_is_judged_and_scored_as_by_hand) {
  tally counted = {0, 0, 0, 0};
  for (uint64_t seed = 0; seed < JUDGED_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    uint64_t state = seed + 1000;
    const dsm_explore_options options = options_of(d.mode, ALL_ROLES);
    role_twin_init(&twin, d.workload, d.system, d.mode, space_of(ALL_ROLES));
    compare_mappings(&twin, &options, &state, seed, &counted);
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(counted.legal, 18 * JUDGED_SEEDS);
  ck_assert_uint_gt(counted.with_experts, JUDGED_SEEDS);
}
END_TEST

/* Update passes with roles of their own, of any that the layers can have. */
START_TEST(test_any_roles_of_update_are_judged_and_scored_as_by_hand) {
  const dsm_optimization_set optimizations =
      ALL_ROLES | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS);
  tally counted = {0, 0, 0, 0};
  for (uint64_t seed = 0; seed < JUDGED_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    uint64_t state = seed + 4000;
    const dsm_explore_options options = options_of(d.mode, optimizations);
    if (d.mode == DSM_MODE_TRAINING && d.system->system.axis_count < 3) {
      role_twin_init(&twin, d.workload, d.system, d.mode, space_of(optimizations));
      compare_mappings(&twin, &options, &state, seed, &counted);
    }
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(counted.apart, 6 * JUDGED_SEEDS);
  ck_assert_uint_gt(counted.clashing, JUDGED_SEEDS);
}
END_TEST

/* ---- edited plans ---- */

/* One role of a legal mapping is replaced: where that breaks a rule of what is inside and outside,
 * one finding says so. */
START_TEST(test_an_edited_plan_that_breaks_a_rule_gets_one_message) {
  unsigned broken = 0;
  for (uint64_t seed = 0; seed < 200; seed++) {
    role_drawn d = role_draw(seed);
    uint64_t state = seed + 2000;
    const dsm_explore_options options = options_of(d.mode, ALL_ROLES);
    role_pair roles[ROLE_TWIN_LAYERS];
    role_twin_init(&twin, d.workload, d.system, d.mode, space_of(ALL_ROLES));
    draw_roles(&twin, &state, roles);
    const bool was_legal = role_twin_cycles(&twin, roles) >= 0;
    const size_t edited = random_below(&state, twin.count);
    roles[edited].both = twin.options[edited][random_below(&state, twin.option_count[edited])];
    roles[edited].update = roles[edited].both;
    dsm_plan *const plan = plan_of(&twin, roles, &options);
    if (was_legal && role_twin_cycles(&twin, roles) < 0) {
      char *const text = dsm_plan_print(plan);
      dsm_diags *const diags = dsm_diags_new(10);
      dsm_plan *read = NULL;
      ck_assert_int_eq(dsm_plan_parse(&read, text, strlen(text), "edited", NULL, diags),
                       DSM_ERROR_INVALID);
      ck_assert_msg(dsm_diags_count(diags) == 1 &&
                        strstr(dsm_diags_get(diags, 0)->message, "expected roles that agree"),
                    "seed %u: %s: %s", (unsigned)seed, words_of(plan), first_of(diags));
      dsm_diags_free(diags);
      free(text);
      broken++;
    }
    dsm_plan_free(plan);
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(broken, 20);
}
END_TEST

/* On an axis of one chip every role is `data`: no rule is broken, and nothing moves. */
START_TEST(test_roles_of_an_axis_of_one_chip_change_nothing) {
  static const dsm_role others[] = {DSM_ROLE_SPATIAL, DSM_ROLE_COLUMN,        DSM_ROLE_ROW,
                                    DSM_ROLE_WHOLE,   DSM_ROLE_GATHER_COLUMN, DSM_ROLE_ROW_SCATTER};
  unsigned compared = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    role_drawn d = role_draw(seed);
    uint64_t state = seed + 3000;
    const dsm_explore_options options = options_of(d.mode, ALL_ROLES);
    role_pair roles[ROLE_TWIN_LAYERS];
    role_twin_init(&twin, d.workload, d.system, d.mode, space_of(ALL_ROLES));
    draw_roles(&twin, &state, roles);
    const double cycles = role_twin_cycles(&twin, roles);
    for (unsigned a = 0; a < d.system->system.axis_count && cycles >= 0; a++) {
      for (size_t i = 0; i < twin.count && d.system->system.axes[a].chips == 1; i++) {
        const dsm_role other = others[random_below(&state, 6)];
        roles[i].both.of[a] = role_twin_can(&d.workload->layers[i], other) ? other : DSM_ROLE_DATA;
        roles[i].update = roles[i].both;
        compared++;
      }
    }
    if (cycles >= 0) {
      dsm_plan *const plan = plan_of(&twin, roles, &options);
      dsm_diags *const diags = dsm_diags_new(10);
      ck_assert_msg(dsm_plan_validate(plan, diags) == DSM_OK, "seed %u: %s: %s", (unsigned)seed,
                    words_of(plan), first_of(diags));
      ck_assert_msg(is_close(plan->result.step_cycles, cycles), "seed %u: %s: %.17g, twin %.17g",
                    (unsigned)seed, words_of(plan), plan->result.step_cycles, cycles);
      dsm_diags_free(diags);
      dsm_plan_free(plan);
    }
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(compared, 50);
}
END_TEST

/* ---- the best of all ---- */

static double explore_cycles(const role_drawn *d, dsm_optimization_set optimizations,
                             uint64_t seed) {
  const dsm_explore_options options = options_of(d->mode, optimizations);
  dsm_plan *plan = NULL;
  dsm_diags *const diags = dsm_diags_new(4);
  const dsm_status status = dsm_explore(&plan, d->workload, d->system, &options, diags);
  ck_assert_msg(status == DSM_OK || status == DSM_ERROR_INFEASIBLE, "seed %u: %s", (unsigned)seed,
                first_of(diags));
  double cycles = HUGE_VAL;
  if (status == DSM_OK) {
    ck_assert_msg(dsm_diags_count(diags) == 0, "seed %u: %s", (unsigned)seed, first_of(diags));
    cycles = plan->result.step_cycles;
    ck_assert_msg(is_close(plan->result.lower_bound_cycles, cycles),
                  "seed %u: %s: %.17g, bound %.17g", (unsigned)seed, words_of(plan), cycles,
                  plan->result.lower_bound_cycles);
    assert_read_back(plan, seed);
  }
  dsm_diags_free(diags);
  dsm_plan_free(plan);
  return cycles;
}

/* The search of roles alone, as a plan predicts what it finds; infinite: nothing fits. With
 * `is_bounding_off` no option is left out of a graph as it is on no path within the limit. */
static double role_search_cycles(const role_drawn *d, const dsm_explore_options *options,
                                 bool is_bounding_off) {
  dsm__problem problem;
  double cycles = 0;
  ck_assert_int_eq(dsm__problem_init(&problem, d->workload, d->system, options, NULL), DSM_OK);
  problem.is_bounding_off = is_bounding_off;
  ck_assert(dsm__step_with_roles(&problem, NULL, HUGE_VAL, &cycles));
  dsm__problem_fini(&problem);
  return cycles > 0 ? cycles : HUGE_VAL;
}

/* With update passes of their own roles the other search has passes that differ otherwise too: it
 * may be faster, and is no slower. */
static double find_best(const role_drawn *d, dsm_optimization_set optimizations, uint64_t seed) {
  const dsm_explore_options options = options_of(d->mode, optimizations);
  const double cycles = explore_cycles(d, optimizations, seed);
  if (!space_of(optimizations).has_per_pass) {
    return cycles;
  }
  const double by_roles = role_search_cycles(d, &options, false);
  ck_assert_msg(cycles <= by_roles * (1 + 1e-9), "seed %u", (unsigned)seed);
  return by_roles;
}

static void compare_best(const role_drawn *d, dsm_optimization_set optimizations,
                         double capacity_bytes, uint64_t seed) {
  const double GB = 1e9;
  d->system->chip.memory.capacity_GB = capacity_bytes / GB;
  role_twin_init(&twin, d->workload, d->system, d->mode, space_of(optimizations));
  twin.capacity_bytes = capacity_bytes;
  role_twin_search(&twin);
  const double found = find_best(d, optimizations, seed);
  const dsm_explore_options options = options_of(d->mode, optimizations);
  if (twin.cycles < HUGE_VAL) {
    dsm_plan *const plan = plan_of(&twin, twin.best, &options);
    ck_assert_msg(is_close(plan->result.step_cycles, twin.cycles), "seed %u: %s: %.17g, twin %.17g",
                  (unsigned)seed, words_of(plan), plan->result.step_cycles, twin.cycles);
    ck_assert_msg(is_close(found, twin.cycles), "seed %u: %s: found %.17g, twin %.17g",
                  (unsigned)seed, words_of(plan), found, twin.cycles);
    dsm_plan_free(plan);
  } else {
    ck_assert_msg(found > 1e300, "seed %u: found %g", (unsigned)seed, found);
  }
}

START_TEST(test_the_best_of_all_is_found) {
  for (uint64_t seed = 0; seed < BEST_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    compare_best(&d, ALL_ROLES, AMPLE, seed);
    role_drawn_free(&d);
  }
}
END_TEST

/* The best of one group of roles alone. */
START_TEST(test_the_best_of_some_roles_is_found) {
  static const dsm_optimization_set groups[] = {DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR),
                                                DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL),
                                                DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) |
                                                    DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL),
                                                DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID), 0};
  for (uint64_t seed = 0; seed < BEST_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    compare_best(&d, groups[seed % 5], AMPLE, seed);
    role_drawn_free(&d);
  }
}
END_TEST

/* With less memory than the fastest mapping needs, down to less than any needs. */
START_TEST(test_the_best_that_fits_is_found) {
  unsigned slower = 0;
  unsigned none = 0;
  for (uint64_t seed = 0; seed < BEST_SEEDS / 2; seed++) {
    role_drawn d = role_draw(seed);
    compare_best(&d, ALL_ROLES, AMPLE, seed);
    const double ample_cycles = twin.cycles;
    double bytes = role_twin_bytes(&twin, twin.best);
    for (int k = 0; k < 3 && twin.cycles < HUGE_VAL; k++) {
      bytes *= k == 0 ? 0.999 : 0.8;
      compare_best(&d, ALL_ROLES, bytes, seed);
      slower += twin.cycles > ample_cycles * (1 + 1e-9) && twin.cycles < HUGE_VAL ? 1 : 0;
      none += twin.cycles < HUGE_VAL ? 0 : 1;
    }
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(slower, BEST_SEEDS / 6);
  ck_assert_uint_gt(none, 0);
}
END_TEST

/* Update passes with roles of their own, of all roles on one axis, and of those that cut no
 * features but `model` on two and three; with all the memory, and with less. */
START_TEST(test_the_best_roles_of_update_are_found) {
  const dsm_optimization_set per_pass = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS);
  const dsm_optimization_set few = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) |
                                   DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL);
  enum { LAYERS = 5 }; /* more take the twin too long */
  unsigned faster = 0;
  unsigned short_of = 0;
  for (uint64_t seed = 380; seed < 380 + 4 * BEST_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    if (d.workload->layer_count > LAYERS) {
      role_drawn_free(&d);
      continue;
    }
    const dsm_optimization_set roles = d.system->system.axis_count == 1 ? ALL_ROLES : few;
    d.mode = DSM_MODE_TRAINING;
    compare_best(&d, roles, AMPLE, seed);
    const double same = twin.cycles;
    compare_best(&d, roles | per_pass, AMPLE, seed);
    ck_assert_double_le(twin.cycles, same * (1 + 1e-9));
    faster += twin.cycles < same * (1 - 1e-6) ? 1 : 0;
    const double bytes = role_twin_bytes(&twin, twin.best);
    const double ample = twin.cycles;
    if (d.system->system.axis_count < 3) {
      compare_best(&d, roles | per_pass, bytes * (seed % 2 == 0 ? 0.999 : 0.9), seed);
    }
    short_of += twin.cycles < HUGE_VAL && twin.cycles > ample * (1 + 1e-6) ? 1 : 0;
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(faster, 0);
  ck_assert_uint_gt(short_of, BEST_SEEDS / 12);
}
END_TEST

/* Equal blocks, whose part of the graph is copied: three of two layers and a residual. */
START_TEST(test_the_best_of_equal_blocks_is_found) {
  static const char *const from[] = {"a", "c0", "c1"};
  for (uint64_t seed = 0; seed < 6; seed++) {
    uint64_t state = seed + 77;
    writer w = {.length = 0};
    const unsigned wide = 4 * (1 + (unsigned)random_below(&state, 6));
    WRITE(&w, "{'name': 'a', 'type': 'fc', 'in': 4, 'out': 8, 'positions': 2}");
    for (int b = 0; b < 3; b++) {
      WRITE(&w, ", {'name': 'b%d', 'type': 'fc', 'in': 8, 'out': %u, 'aux': [{'op': 'relu'}]}", b,
            wide);
      WRITE(&w, ", {'name': 'c%d', 'type': 'fc', 'in': %u, 'out': 8, ", b, wide);
      WRITE(&w, "'aux': [{'op': 'residual', 'from': '%s'}]}", from[b]);
    }
    WRITE(&w, ", {'name': 'z', 'type': 'fc', 'in': 8, 'out': 4}");
    role_drawn d = {.workload = given_network("8", w.text), .system = role_draw_system(&state, 1)};
    compare_best(&d, ALL_ROLES, AMPLE, seed);
    compare_best(&d, ALL_ROLES, 0.8 * role_twin_bytes(&twin, twin.best), seed);
    role_drawn_free(&d);
  }
}
END_TEST

/* What paths of the projection leave out is on no path that is as fast: networks that are too large
 * for the twin, with ample memory and with short, and with outputs that may be held. Graphs that
 * are larger may be searched less far. */
START_TEST(test_what_is_left_out_is_in_no_best_mapping) {
  static const special specials[] = {NOTHING, ATTENTION, EXPERTS, TIED};
  const dsm_optimization_set words = ALL_ROLES | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE);
  const dsm_optimization_set of_training = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS) |
                                           DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SHARD);
  unsigned fitting = 0;
  for (uint64_t seed = 0; seed < BEST_SEEDS; seed++) {
    static const double shares[] = {0.95, 0.8, 0.6};
    uint64_t state = seed + 4711;
    role_drawn d = {.mode = seed % 3 == 2 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING,
                    .workload = role_draw_network(&state, 7, specials[seed % 4]),
                    .system = role_draw_system(&state, 1 + (unsigned)random_below(&state, 3))};
    const bool is_training = d.mode == DSM_MODE_TRAINING;
    const dsm_explore_options options = options_of(d.mode, words | (is_training ? of_training : 0));
    dsm_plan *plan = NULL;
    dsm_diags *const diags = dsm_diags_new(4);
    const dsm_status status = dsm_explore(&plan, d.workload, d.system, &options, diags);
    ck_assert_msg(status == DSM_OK, "seed %u: %s", (unsigned)seed, first_of(diags));
    dsm_diags_free(diags);
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
      const double cycles = role_search_cycles(&d, &options, false);
      const double with_all = role_search_cycles(&d, &options, true);
      ck_assert_msg(cycles <= with_all * (1 + 1e-9), "seed %u: %.17g, with nothing left out %.17g",
                    (unsigned)seed, cycles, with_all);
      fitting += k > 0 && cycles < 1e300 ? 1 : 0;
      d.system->chip.memory.capacity_GB = shares[k] * plan->result.memory.total_bytes / 1e9;
    }
    dsm_plan_free(plan);
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(fitting, BEST_SEEDS / 4);
}
END_TEST

/* ---- larger spaces ---- */

/* What a search of steps says, whose graphs have at most so many edges each. */
static dsm__graph_answer answer_within(const role_drawn *d, size_t edges_max) {
  const dsm_explore_options options = options_of(d->mode, ALL_ROLES);
  dsm__problem problem;
  dsm__graph_answer answer;
  dsm__decisions decisions;
  ck_assert_int_eq(dsm__problem_init(&problem, d->workload, d->system, &options, NULL), DSM_OK);
  problem.role_edges_max = edges_max;
  ck_assert(dsm__step_search(&problem, HUGE_VAL, &answer, &decisions));
  dsm__problem_fini(&problem);
  return answer;
}

/* Of graphs that are too large the answer is a mapping all the same, and the bound one of all. */
START_TEST(test_a_graph_that_is_too_large_leaves_a_bound) {
  unsigned found = 0;
  unsigned open = 0;
  for (uint64_t seed = 0; seed < BEST_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    const dsm__graph_answer best = answer_within(&d, SIZE_MAX);
    for (size_t edges_max = 4; edges_max <= 256; edges_max *= 8) {
      const dsm__graph_answer some = answer_within(&d, edges_max);
      ck_assert_msg(some.lower_bound <= best.cost * (1 + 1e-9), "seed %u: %.17g of %.17g",
                    (unsigned)seed, some.lower_bound, best.cost);
      ck_assert(!some.is_feasible || some.cost >= best.cost * (1 - 1e-9));
      found += some.is_feasible ? 1 : 0;
      open += some.lower_bound < best.cost * (1 - 1e-9) ? 1 : 0;
    }
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(found, 0);
  ck_assert_uint_gt(open, 0);
}
END_TEST

START_TEST(test_larger_spaces_are_no_slower) {
  const dsm_optimization_set hybrid = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  const dsm_optimization_set tensor = hybrid | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR);
  unsigned faster = 0;
  for (uint64_t seed = 200; seed < 200 + 2 * BEST_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    const dsm_optimization_set mode = dsm_mode_optimizations(d.mode);
    const double none = explore_cycles(&d, 0, seed);
    const double by_hybrid = explore_cycles(&d, hybrid, seed);
    const double by_tensor = explore_cycles(&d, tensor, seed);
    const double by_all = explore_cycles(&d, ALL_ROLES, seed);
    const double paper = explore_cycles(&d, mode, seed);
    const double everything = explore_cycles(&d, mode | ALL_ROLES, seed);
    ck_assert_double_le(by_hybrid, none * (1 + 1e-9));
    ck_assert_double_le(by_tensor, by_hybrid * (1 + 1e-9));
    ck_assert_double_le(by_all, by_tensor * (1 + 1e-9));
    ck_assert_double_le(everything, fmin(by_all, paper) * (1 + 1e-9));
    faster += by_all < by_hybrid * (1 - 1e-3) ? 1 : 0;
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(faster, BEST_SEEDS / 2);
}
END_TEST

/* What hides more of its exchanges is no slower, whatever is chosen. */
START_TEST(test_a_larger_share_is_never_slower) {
  static const double shares[] = {0, 0.3, 0.6, 1};
  unsigned faster = 0;
  for (uint64_t seed = 300; seed < 300 + BEST_SEEDS; seed++) {
    role_drawn d = role_draw(seed);
    double before = HUGE_VAL;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
      d.system->model.overlapped_collectives = d.system->model.overlapped_dispatch = shares[i];
      const double cycles = explore_cycles(&d, ALL_ROLES, seed);
      ck_assert_double_le(cycles, before * (1 + 1e-9));
      faster += i > 0 && cycles < before * (1 - 1e-3) ? 1 : 0;
      before = cycles;
    }
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(faster, 0);
}
END_TEST

/* ---- order of layers ---- */

/* Branches of a layer that are joined again, listed in one order or another. */
START_TEST(test_order_of_independent_layers_does_not_matter) {
  static const char *const branches[] = {
      ", {'name': 'q', 'type': 'fc', 'in': 8, 'out': 16, 'inputs': ['a']}",
      ", {'name': 'k', 'type': 'fc', 'in': 8, 'out': 4, 'inputs': ['a'], 'aux': [{'op': 'relu'}]}",
      ", {'name': 'u', 'type': 'fc', 'in': 8, 'out': 8, 'inputs': ['a'], 'aux': [{'op': 'relu'}]}",
  };
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (uint64_t seed = 0; seed < BEST_SEEDS / 2; seed++) {
    double first = 0;
    for (int o = 0; o < 6; o++) {
      uint64_t state = seed;
      writer w = {.length = 0};
      WRITE(&w, "{'name': 'a', 'type': 'fc', 'in': 4, 'out': 8, 'positions': %u}",
            1 + (unsigned)random_below(&state, 4));
      for (int b = 0; b < 3; b++) {
        WRITE(&w, "%s", branches[orders[o][b]]);
      }
      WRITE(&w, ", {'name': 's', 'type': 'fc', 'in': 28, 'out': 8, 'inputs': ['q', 'k', 'u']%s}",
            random_below(&state, 2) == 0 ? ", 'aux': [{'op': 'residual', 'from': 'a'}]" : "");
      role_drawn d = {.workload = given_network("6", w.text),
                      .system = role_draw_system(&state, 1 + (unsigned)random_below(&state, 2))};
      /* Which of the layers adds its errors to those of others depends on the order. */
      d.system->model.exact_forks = false;
      /* Whose product hides a gather that layers share, too. */
      d.system->model.overlapped_collectives = 0;
      const double cycles = explore_cycles(&d, ALL_ROLES, seed);
      first = o == 0 ? cycles : first;
      ck_assert_msg(is_close(cycles, first), "seed %u, order %d: %.17g, %.17g", (unsigned)seed, o,
                    cycles, first);
      role_drawn_free(&d);
    }
  }
}
END_TEST

/* ---- context ---- */

/* An attention of one sample or two, on one axis or two. */
static role_drawn draw_attention(uint64_t seed) {
  uint64_t state = seed + 7000;
  const unsigned axis_count = 1 + (unsigned)random_below(&state, 2);
  role_drawn d = {.mode = seed % 4 == 0 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING};
  d.workload = role_draw_network(&state, axis_count == 1 ? 7 : 4, ATTENTION);
  d.workload->minibatch = 1 + seed % 2;
  d.system = role_draw_system(&state, axis_count);
  return d;
}

/* Does some layer have one of some roles? */
static bool has_any(const role_pair *roles, dsm_role_set any) {
  bool has = false;
  for (size_t i = 0; i < twin.count; i++) {
    for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
      has = has || (any >> roles[i].both.of[a] & 1U) != 0;
    }
  }
  return has;
}

START_TEST(test_mappings_with_context_are_judged_and_scored_as_by_hand) {
  tally counted = {0, 0, 0, 0};
  for (uint64_t seed = 0; seed < JUDGED_SEEDS; seed++) {
    role_drawn d = draw_attention(seed);
    uint64_t state = seed + 8000;
    const dsm_explore_options options = options_of(d.mode, ALL_ROLES | CONTEXT);
    role_twin_init(&twin, d.workload, d.system, d.mode, space_of(ALL_ROLES | CONTEXT));
    compare_mappings(&twin, &options, &state, seed, &counted);
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(counted.legal, 18 * JUDGED_SEEDS);
}
END_TEST

/* Of both forms, or where roles are named of one of them: the fastest that fits, and a bound that
 * it meets. Keys that turn are hidden, those that are gathered are not: of both the first wins. */
START_TEST(test_the_best_form_of_context_is_found) {
  static const dsm_role_set forms[] = {FORMS, 1U << DSM_ROLE_CONTEXT,
                                       1U << DSM_ROLE_GATHER_CONTEXT};
  unsigned with_context[3] = {0, 0, 0};
  unsigned gathered_of_both = 0;
  for (uint64_t seed = 0; seed < CONTEXT_SEEDS; seed++) {
    role_drawn d = draw_attention(seed);
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
      dsm_explore_options options =
          options_of(d.mode, DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL) | CONTEXT);
      role_space space = space_of(options.optimizations);
      space.contexts = forms[f];
      for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
        options.roles[a] =
            1U << DSM_ROLE_DATA | 1U << DSM_ROLE_MODEL | 1U << DSM_ROLE_SPATIAL | forms[f];
      }
      role_twin_init(&twin, d.workload, d.system, d.mode, space);
      role_twin_search(&twin);
      dsm_plan *plan = NULL;
      ck_assert_int_eq(dsm_explore(&plan, d.workload, d.system, &options, NULL), DSM_OK);
      ck_assert_msg(is_close(plan->result.step_cycles, twin.cycles) &&
                        is_close(plan->result.lower_bound_cycles, twin.cycles),
                    "seed %u, forms %u: %s: %.17g, twin %.17g", (unsigned)seed, (unsigned)f,
                    words_of(plan), plan->result.step_cycles, twin.cycles);
      assert_read_back(plan, seed);
      with_context[f] += has_any(twin.best, forms[f]) ? 1 : 0;
      gathered_of_both += f == 0 && has_any(twin.best, 1U << DSM_ROLE_GATHER_CONTEXT) ? 1 : 0;
      dsm_plan_free(plan);
    }
    role_drawn_free(&d);
  }
  ck_assert_uint_gt(with_context[0], 0);
  ck_assert_uint_gt(with_context[2], 0);
  ck_assert_uint_eq(gathered_of_both, 0);
}
END_TEST

Suite *suite_roles(void) {
  Suite *const suite = suite_create("roles");
  TCase *const rules = tcase_create("rules");
  tcase_set_timeout(rules, 240);
  tcase_add_test(rules, test_any_mapping_is_judged_and_scored_as_by_hand);
  tcase_add_test(rules, test_any_roles_of_update_are_judged_and_scored_as_by_hand);
  tcase_add_test(rules, test_an_edited_plan_that_breaks_a_rule_gets_one_message);
  tcase_add_test(rules, test_roles_of_an_axis_of_one_chip_change_nothing);
  suite_add_tcase(suite, rules);
  TCase *const best = tcase_create("best");
  tcase_set_timeout(best, 240);
  tcase_add_test(best, test_the_best_of_all_is_found);
  tcase_add_test(best, test_the_best_of_some_roles_is_found);
  tcase_add_test(best, test_the_best_that_fits_is_found);
  tcase_add_test(best, test_the_best_of_equal_blocks_is_found);
  tcase_add_test(best, test_what_is_left_out_is_in_no_best_mapping);
  tcase_add_test(best, test_a_graph_that_is_too_large_leaves_a_bound);
  tcase_add_test(best, test_larger_spaces_are_no_slower);
  tcase_add_test(best, test_a_larger_share_is_never_slower);
  tcase_add_test(best, test_order_of_independent_layers_does_not_matter);
  suite_add_tcase(suite, best);
  TCase *const updates = tcase_create("updates");
  tcase_set_timeout(updates, 240);
  tcase_add_test(updates, test_the_best_roles_of_update_are_found);
  suite_add_tcase(suite, updates);
  TCase *const context = tcase_create("context");
  tcase_set_timeout(context, 240);
  tcase_add_test(context, test_mappings_with_context_are_judged_and_scored_as_by_hand);
  tcase_add_test(context, test_the_best_form_of_context_is_found);
  suite_add_tcase(suite, context);
  return suite;
}

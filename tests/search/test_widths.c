/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_widths.c: how wide the stages of a pipeline are (section 9, model.pipeline_columns). The
 * search against complete enumeration of widths, rows, parallelisms and what keeps its weights, on
 * random runs of lstm layers and small systems. The twin asks the model for every stage's
 * invocations, and puts steps and groups together by itself.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bundled.h"
#include "given.h"
#include "how_many.h"
#include "plan/stage.h"
#include "random_numbers.h"
#include "search/layer_search.h"
#include "search/problem.h"
#include "suites.h"

enum { LAYERS_MAX = 3, COLUMNS_MAX = 6, ROWS_MAX = 3, TEXT_MAX = 1024 };
enum { FETCHING_SETS = 1 << DSM_PASS_COUNT };
enum { INSTANCES = HOW_MANY(300, 75, 10) };

typedef struct instance {
  dsm_workload *workload;
  dsm_system *system;
  dsm_explore_options options;
} instance;

static dsm_workload *random_run(uint64_t *state) {
  static const unsigned sizes[] = {8, 16, 24, 48};
  static const unsigned steps[] = {1, 3, 12, 40};
  static const char *const minibatches[] = {"3", "8", "32"};
  char text[TEXT_MAX];
  size_t length = 0;
  const size_t layers = 2 + random_below(state, LAYERS_MAX - 1);
  const unsigned timesteps = steps[random_below(state, 4)];
  unsigned in = sizes[random_below(state, 4)];
  for (size_t i = 0; i < layers; i++) {
    const unsigned out = sizes[random_below(state, 4)];
    length += (size_t)snprintf(text + length, sizeof text - length,
                               "%s{'name': 'l%zu', 'type': 'lstm', 'in': %u, 'out': %u, "
                               "'timesteps': %u}",
                               i == 0 ? "" : ",", i, in, out, timesteps);
    in = out;
  }
  return given_network(minibatches[random_below(state, 3)], text);
}

static instance make(uint64_t seed) {
  static const char *const sides[] = {"1", "2", "3", "4", "6"};
  static const char *const flags[] = {"false", "true"};
  static const char *const startups[] = {"0", "40", "1000"};
  static const char *const bandwidths[] = {"0.2", "4", "40"};
  uint64_t state = seed;
  instance made = {.workload = random_run(&state)};
  const dsm_override overrides[] = {
      {"system.chips_x", sides[random_below(&state, 5)], NULL},
      {"system.chips_y", sides[random_below(&state, ROWS_MAX)], NULL},
      {"system.link_bandwidth_x_GBps", bandwidths[random_below(&state, 3)], NULL},
      {"system.link_bandwidth_y_GBps", bandwidths[random_below(&state, 3)], NULL},
      {"array.startup_cycles", startups[random_below(&state, 3)], NULL},
      {"model.overlapped_hand_over", flags[random_below(&state, 2)], NULL},
      {"model.pipeline_columns", "true", NULL},
  };
  made.system = given_system(overrides, sizeof overrides / sizeof overrides[0]);
  made.options =
      bundled_options(random_below(&state, 4) == 0 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING);
  if (random_below(&state, 4) == 0) {
    made.options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE);
  }
  made.options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD);
  return made;
}

static void destroy(instance *made) {
  dsm_system_free(made->system);
  dsm_workload_free(made->workload);
}

/* ---- the twin ---- */

typedef struct twin {
  const dsm__problem *problem;
  const dsm__pipeline_group *group;
  uint64_t columns;
  /* By layer of the group, rows, parallelism and the passes that fetch weights all the same. */
  dsm__stage_times times[LAYERS_MAX][ROWS_MAX][DSM_PARALLELISM_COUNT_OF(2)][FETCHING_SETS];
} twin;

/* Bytes of the outputs of a timestep over as many links as the stage has columns. */
static double hand_over_of(const twin *t, const dsm_layer *layer) {
  const dsm_workload *const workload = t->problem->inputs.workload;
  const dsm_system *const system = t->problem->machine.system;
  const double bytes = (double)layer->stored_elements * (double)workload->minibatch *
                       workload->element_bytes / (double)t->columns;
  return bytes / (system->system.axes[1].bandwidth_GBps / system->core.frequency_GHz);
}

static dsm__stage_times stage_of(const twin *t, size_t k, uint64_t rows,
                                 dsm_parallelism parallelism, unsigned fetching) {
  const dsm__search_inputs *const inputs = &t->problem->inputs;
  const dsm_layer *const layer = &inputs->workload->layers[t->group->first_layer + k];
  const double hand_over = hand_over_of(t, layer);
  dsm_system own = *t->problem->machine.system;
  own.system.axes[0].chips = t->columns;
  own.system.axes[1].chips = rows;
  const dsm_machine machine = dsm_machine_derive(&own);
  dsm__layer_setting setting = dsm__open_setting(inputs, layer, 1);
  setting.machine = &machine;
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  dsm__stage_times times = {{0}, dsm__once_cycles(&setting, &layouts)};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (!dsm_pass_exists(layer, inputs->options->mode, (dsm_pass)p)) {
      continue;
    }
    const bool may_keep =
        dsm__may_choose(inputs->options, DSM__CHOICE_KERNEL) && (fetching >> p & 1U) == 0;
    const dsm__best_pass best = dsm__best_pass_find(&setting, (dsm_pass)p, parallelism, may_keep,
                                                    &t->problem->table.splits);
    const bool is_handing = (p == DSM_PASS_FORWARD && k + 1 < t->group->layer_count) ||
                            (p == DSM_PASS_BACKWARD && k > 0);
    const double h = is_handing ? hand_over : 0;
    times.step[p] =
        own.model.overlapped_hand_over ? fmax(best.later_cycles, h) : best.later_cycles + h;
    times.once += best.first_cycles - best.later_cycles;
  }
  return times;
}

static double total_of(const twin *t, const dsm__stage_times *slowest) {
  const double timesteps =
      (double)t->problem->inputs.workload->layers[t->group->first_layer].timesteps;
  double sum = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    sum += slowest->step[p];
  }
  return sum * (timesteps + (double)t->group->layer_count - 1) + slowest->once;
}

/* Improves the best by all ways to run the stages from k on with the rows that are left. A total
 * does not fall when a stage joins. */
static void enumerate(const twin *t, size_t k, uint64_t rows_left, const dsm__stage_times *slowest,
                      double *best) {
  if (total_of(t, slowest) >= *best) {
    return;
  }
  if (k == t->group->layer_count) {
    *best = total_of(t, slowest);
    return;
  }
  const uint64_t chips_y = t->problem->machine.system->system.axes[1].chips;
  for (uint64_t rows = 1; rows <= chips_y && rows <= rows_left; rows++) {
    for (unsigned way = 0; way < DSM_PARALLELISM_COUNT_OF(2) * FETCHING_SETS; way++) {
      const dsm__stage_times *const own =
          &t->times[k][rows - 1][way / FETCHING_SETS][way % FETCHING_SETS];
      dsm__stage_times next = {{0}, fmax(slowest->once, own->once)};
      for (int i = 0; i < DSM_PASS_COUNT; i++) {
        next.step[i] = fmax(slowest->step[i], own->step[i]);
      }
      enumerate(t, k + 1, rows_left - rows, &next, best);
    }
  }
}

/* The best of a group with stages of one width; infinite where its layers have no rows. */
static double best_of_width(const dsm__problem *problem, const dsm__pipeline_group *group,
                            uint64_t columns) {
  static const dsm__stage_times none;
  const dsm_network *const torus = &problem->machine.system->system;
  twin t = {.problem = problem, .group = group, .columns = columns};
  for (size_t k = 0; k < group->layer_count; k++) {
    for (uint64_t rows = 1; rows <= torus->axes[1].chips; rows++) {
      for (unsigned way = 0; way < DSM_PARALLELISM_COUNT_OF(2) * FETCHING_SETS; way++) {
        const unsigned p = way / FETCHING_SETS;
        const unsigned fetching = way % FETCHING_SETS;
        t.times[k][rows - 1][p][fetching] = stage_of(&t, k, rows, (dsm_parallelism)p, fetching);
      }
    }
  }
  double best = HUGE_VAL;
  enumerate(&t, 0, dsm_system_chips(problem->machine.system) / columns, &none, &best);
  return best;
}

/* Fails unless a group has the best of all widths, and of equals the widest. */
static void expect_best(const dsm__problem *problem, const dsm__pipeline_group *group,
                        uint64_t seed) {
  const uint64_t chips_x = problem->machine.system->system.axes[0].chips;
  double of_width[COLUMNS_MAX + 1];
  double best = HUGE_VAL;
  for (uint64_t columns = 1; columns <= chips_x; columns++) {
    of_width[columns] = chips_x % columns == 0 ? best_of_width(problem, group, columns) : HUGE_VAL;
    best = fmin(best, of_width[columns]);
  }
  uint64_t widest = chips_x;
  while (of_width[widest] > best * (1 + 1e-11)) {
    widest--;
  }
  ck_assert_msg(fabs(group->cycles - best) <= 1e-10 * best, "seed %u: %.17g, best %.17g",
                (unsigned)seed, group->cycles, best);
  ck_assert_msg(group->bound_cycles <= group->cycles && group->bound_cycles >= best * (1 - 1e-10),
                "seed %u: bound %.17g, best %.17g", (unsigned)seed, group->bound_cycles, best);
  ck_assert_msg(group->columns == widest, "seed %u: %u columns, of the widest best %u",
                (unsigned)seed, (unsigned)group->columns, (unsigned)widest);
}

/* The most that a stage keeps, and the most that lives while one runs, on the stages' own chips. */
static void expect_memory(const dsm__problem *problem, const dsm__pipeline_group *group) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  double kept = 0;
  double transient = 0;
  for (size_t k = 0; k < group->layer_count; k++) {
    dsm_system own = *problem->machine.system;
    own.system.axes[0].chips = group->columns;
    own.system.axes[1].chips = group->rows[k];
    const dsm_machine machine = dsm_machine_derive(&own);
    const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(group->parallelisms[k]);
    const dsm_layer_memory one =
        dsm_layer_memory_derive(&inputs->workload->layers[group->first_layer + k], &machine,
                                inputs->workload, inputs->options->mode, &layouts);
    kept = fmax(kept, one.weights_bytes + one.gradients_bytes + one.optimizer_bytes +
                          one.input_bytes + one.activations_bytes);
    transient = fmax(transient, one.transient_bytes);
  }
  ck_assert_double_eq(group->kept_bytes, kept);
  ck_assert_double_eq(group->transient_bytes, transient);
}

START_TEST(test_groups_have_the_best_width_rows_and_parallelisms) {
  unsigned narrow = 0;
  unsigned wide = 0;
  for (uint64_t seed = 0; seed < INSTANCES; seed++) {
    instance made = make(seed);
    dsm__problem problem;
    ck_assert_int_eq(dsm__problem_init(&problem, made.workload, made.system, &made.options, NULL),
                     DSM_OK);
    const uint64_t chips = problem.machine.chip_count;
    ck_assert_msg((problem.found->groups.count > 0) == (chips > 1), "seed %u", (unsigned)seed);
    for (size_t g = 0; g < problem.found->groups.count; g++) {
      const dsm__pipeline_group *const group = &problem.found->groups.items[g];
      expect_best(&problem, group, seed);
      expect_memory(&problem, group);
      narrow += group->columns < made.system->system.axes[0].chips;
      wide += group->columns == made.system->system.axes[0].chips;
    }
    dsm__problem_fini(&problem);
    destroy(&made);
  }
  ck_assert_uint_gt(narrow, INSTANCES / 10);
  ck_assert_uint_gt(wide, INSTANCES / 10);
}
END_TEST

/* ---- whole explorations ---- */

static dsm_plan *explore(const instance *made) {
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, made->workload, made->system, &made->options, NULL), DSM_OK);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  return plan;
}

START_TEST(test_keys_never_make_a_network_slower) {
  for (uint64_t seed = 0; seed < INSTANCES; seed++) {
    instance made = make(seed);
    double cycles[2][2];
    for (int columns = 0; columns < 2; columns++) {
      for (int overlap = 0; overlap < 2; overlap++) {
        made.system->model.pipeline_columns = columns == 1;
        made.system->model.overlapped_hand_over = overlap == 1;
        dsm_plan *const plan = explore(&made);
        cycles[columns][overlap] = plan->result.step_cycles;
        dsm_plan_free(plan);
      }
    }
    for (int i = 0; i < 2; i++) {
      ck_assert_msg(cycles[1][i] <= cycles[0][i] * (1 + 1e-11), "seed %u", (unsigned)seed);
      ck_assert_msg(cycles[i][1] <= cycles[i][0] * (1 + 1e-11), "seed %u", (unsigned)seed);
    }
    destroy(&made);
  }
}
END_TEST

START_TEST(test_bundled_network_is_never_slower_with_the_keys) {
  static const char *const systems[] = {"torus16", "torus64", "torus64_symmetric"};
  static const dsm_override keys[] = {{"model.pipeline_columns", "true", NULL},
                                      {"model.overlapped_hand_over", "true", NULL}};
  instance made = {.workload = bundled_workload("gnmt", "1024"),
                   .options = bundled_options(DSM_MODE_TRAINING)};
  double cycles[3];
  for (size_t count = 0; count < 3; count++) {
    made.system = bundled_system_with(systems[_i], keys, count);
    dsm_plan *const plan = explore(&made);
    cycles[count] = plan->result.step_cycles;
    dsm_plan_free(plan);
    dsm_system_free(made.system);
  }
  ck_assert_double_le(cycles[1], cycles[0] * (1 + 1e-11));
  ck_assert_double_le(cycles[2], cycles[1] * (1 + 1e-11));
  dsm_workload_free(made.workload);
}
END_TEST

/* One column of chips has no other width. */
START_TEST(test_on_one_column_the_key_changes_nothing) {
  for (uint64_t seed = 0; seed < INSTANCES; seed++) {
    instance made = make(seed);
    made.system->system.axes[0].chips = 1;
    dsm_plan *const with = explore(&made);
    made.system->model.pipeline_columns = false;
    dsm_plan *const without = explore(&made);
    made.system->model.pipeline_columns = true; /* as both say when they are printed */
    char *const one = dsm_plan_print(with);
    char *const other = dsm_plan_print(without);
    ck_assert_str_eq(one, other);
    ck_assert_uint_eq(with->statistics.evaluations, without->statistics.evaluations);
    free(one);
    free(other);
    dsm_plan_free(with);
    dsm_plan_free(without);
    destroy(&made);
  }
}
END_TEST

/* Every stage has a chip at least, and with narrow stages that is enough. */
START_TEST(test_narrow_stages_make_room_for_longer_groups) {
  static const char *const rows[] = {"1", "2"};
  static const size_t counts[] = {3, 3 + 2 + 1};
  const dsm_override overrides[] = {{"system.chips_x", "2", NULL},
                                    {"system.chips_y", rows[_i], NULL},
                                    {"model.pipeline_columns", "true", NULL}};
  const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  static const char run[] = "{'name': 'a', 'type': 'lstm', 'in': 8, 'out': 8, 'timesteps': 9},"
                            "{'name': 'b', 'type': 'lstm', 'in': 8, 'out': 8, 'timesteps': 9},"
                            "{'name': 'c', 'type': 'lstm', 'in': 8, 'out': 8, 'timesteps': 9},"
                            "{'name': 'd', 'type': 'lstm', 'in': 8, 'out': 8, 'timesteps': 9}";
  dsm_workload *const workload = given_network("8", run);
  dsm_system *const system = given_system(overrides, sizeof overrides / sizeof overrides[0]);
  dsm__problem problem;
  ck_assert_int_eq(dsm__problem_init(&problem, workload, system, &options, NULL), DSM_OK);
  ck_assert_uint_eq(problem.found->groups.count, counts[_i]);
  const dsm__pipeline_group *const longest = &problem.found->groups.items[_i == 0 ? 0 : 2];
  ck_assert_uint_eq(longest->layer_count, _i == 0 ? 2 : 4);
  ck_assert_uint_eq(longest->columns, 1);
  dsm__problem_fini(&problem);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* 20 pairs of layers, all different, on up to 1024 rows in 7 widths: twice as many stages as are
 * scored. All of the torus's width are. */
START_TEST(test_where_stages_are_too_many_the_widest_are_searched) {
  static const dsm_override tall[] = {{"system.chips_x", "64", NULL},
                                      {"system.chips_y", "1024", NULL},
                                      {"chip.cores", "1", NULL},
                                      {"model.overlapped_hand_over", "true", NULL}};
  enum { PAIRS = 20, BYTES = PAIRS * 256 };
  char text[BYTES];
  size_t length = 0;
  for (int i = 0; i < 2 * PAIRS; i++) {
    length += (size_t)snprintf(text + length, sizeof text - length,
                               "%s{'name': 'l%d', 'type': 'lstm', 'in': %d, 'out': %d, "
                               "'timesteps': 20, 'pipeline_group': 'g%d'}",
                               i == 0 ? "" : ",", i, 16 * (i + 1), 16 * (i + 2), i / 2);
  }
  instance made = {.workload = given_network("65536", text),
                   .system = given_system(tall, sizeof tall / sizeof tall[0]),
                   .options = bundled_options(DSM_MODE_INFERENCE)};
  made.options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE);
  double cycles[2];
  for (int i = 0; i < 2; i++) {
    made.system->model.pipeline_columns = i == 1;
    dsm__problem problem;
    ck_assert_int_eq(dsm__problem_init(&problem, made.workload, made.system, &made.options, NULL),
                     DSM_OK);
    ck_assert_uint_eq(problem.found->groups.count, PAIRS);
    ck_assert(problem.found->groups.is_complete == (i == 0));
    dsm__problem_fini(&problem);
    dsm_plan *const plan = explore(&made);
    cycles[i] = plan->result.step_cycles;
    ck_assert(i == 0 || plan->result.lower_bound_cycles < plan->result.step_cycles);
    dsm_plan_free(plan);
  }
  ck_assert_double_le(cycles[1], cycles[0] * (1 + 1e-11));
  destroy(&made);
}
END_TEST

Suite *suite_widths(void) {
  Suite *const suite = suite_create("widths");
  TCase *const tests = tcase_create("widths");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_groups_have_the_best_width_rows_and_parallelisms);
  tcase_add_test(tests, test_keys_never_make_a_network_slower);
  tcase_add_loop_test(tests, test_bundled_network_is_never_slower_with_the_keys, 0, 3);
  tcase_add_test(tests, test_on_one_column_the_key_changes_nothing);
  tcase_add_test(tests, test_where_stages_are_too_many_the_widest_are_searched);
  tcase_add_loop_test(tests, test_narrow_stages_make_room_for_longer_groups, 0, 2);
  suite_add_tcase(suite, tests);
  return suite;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of the format, defaults, and which parallelisms options leave to a layer. */
#include <string.h>

#include "dsm/dsm.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/role_rules.h"
#include "suites.h"

#define BIT(parallelism) DSM_PARALLELISM_BIT(DSM_PARALLELISM_##parallelism)

START_TEST(test_defaults_are_training_with_all_there_is) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  ck_assert_int_eq(options.mode, DSM_MODE_TRAINING);
  ck_assert_uint_eq(options.optimizations,
                    DSM_OPTIMIZATION_ALL & ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD));
  ck_assert_uint_eq(options.parallelisms, DSM_PARALLELISM_ALL);
  ck_assert_uint_eq(options.thread_count, 1);
  ck_assert_uint_eq(options.override_count, 0);
}
END_TEST

START_TEST(test_optimization_words_are_read_back) {
  dsm_optimization optimization = DSM_OPTIMIZATION_COUNT;
  ck_assert(dsm_optimization_parse(dsm_optimization_name((dsm_optimization)_i), &optimization));
  ck_assert_int_eq(optimization, _i);
}
END_TEST

START_TEST(test_optimizations_have_the_words_of_the_contract) {
  static const char *const words[DSM_OPTIMIZATION_COUNT] = {
      "hybrid", "reuse",  "dysm",       "pipeline", "per_pass",  "preload", "hoist",   "spatial",
      "tensor", "expert", "accumulate", "shard",    "recompute", "stages",  "context", "divide"};
  ck_assert_str_eq(dsm_optimization_name((dsm_optimization)_i), words[_i]);
}
END_TEST

START_TEST(test_other_words_are_no_optimization) {
  static const char *const words[] = {"", "Hybrid", "hybri", "hybrid ", "all", "none"};
  dsm_optimization optimization = DSM_OPTIMIZATION_HYBRID;
  ck_assert(!dsm_optimization_parse(words[_i], &optimization));
}
END_TEST

START_TEST(test_bounds_have_the_words_of_the_format) {
  static const char *const words[DSM_BOUND_COUNT] = {
      [DSM_BOUND_COMPUTE] = "compute",
      [DSM_BOUND_AXIS] = "link_x",
      [DSM_BOUND_AXIS + 1] = "link_y",
      [DSM_BOUND_AXIS + 2] = "link_z",
      [DSM_BOUND_MEMORY] = "memory",
      [DSM_BOUND_RING] = "ring",
      [DSM_BOUND_CORES] = "core_links",
      [DSM_BOUND_SHARED] = "shared_memory",
      [DSM_BOUND_AUXILIARY] = "auxiliary",
      [DSM_BOUND_STARTUP] = "startup",
      [DSM_BOUND_SCRATCHPAD] = "scratchpad",
      [DSM_BOUND_LATENCY] = "latency",
      [DSM_BOUND_AUXILIARY_MEMORY] = "auxiliary_memory",
      [DSM_BOUND_OVERHEAD] = "overhead",
      [DSM_BOUND_BUBBLE] = "bubble",
  };
  ck_assert_str_eq(dsm_bound_name((dsm_bound)_i), words[_i]);
}
END_TEST

START_TEST(test_invocations_have_the_words_of_the_format) {
  static const char *const words[DSM_INVOCATION_KIND_COUNT] = {
      [DSM_INVOCATION_FIRST] = "first",     [DSM_INVOCATION_STEADY] = "steady",
      [DSM_INVOCATION_WRITE] = "write",     [DSM_INVOCATION_ACCUMULATE] = "accumulate",
      [DSM_INVOCATION_HOISTED] = "hoisted", [DSM_INVOCATION_RECOMPUTE] = "recompute",
  };
  ck_assert_str_eq(dsm_invocation_kind_name((dsm_invocation_kind)_i), words[_i]);
}
END_TEST

START_TEST(test_mode_leaves_out_what_has_no_meaning_in_it) {
  ck_assert_uint_eq(dsm_mode_optimizations(DSM_MODE_TRAINING),
                    DSM_OPTIMIZATION_ALL & ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD));
  ck_assert_uint_eq(dsm_mode_optimizations(DSM_MODE_INFERENCE),
                    DSM_OPTIMIZATION_ALL & ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS));
  const dsm_optimization_set roles = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL) |
                                     DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR) |
                                     DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_EXPERT) |
                                     DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_CONTEXT) |
                                     DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DIVIDE);
  ck_assert_uint_eq(dsm_mode_possible_optimizations(DSM_MODE_TRAINING),
                    dsm_mode_optimizations(DSM_MODE_TRAINING) | roles |
                        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HOIST) |
                        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE) |
                        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SHARD) |
                        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_RECOMPUTE) |
                        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES));
  ck_assert_uint_eq(dsm_mode_possible_optimizations(DSM_MODE_INFERENCE),
                    dsm_mode_optimizations(DSM_MODE_INFERENCE) | roles);
}
END_TEST

/* Words, sets and rungs are those of the rows. */
START_TEST(test_rows_say_what_the_rest_says) {
  const dsm_optimization optimization = (dsm_optimization)_i;
  const dsm_strategy *const row = dsm_strategy_of(optimization);
  const dsm_optimization_set bit = DSM_OPTIMIZATION_BIT(_i);
  ck_assert_str_eq(row->word, dsm_optimization_name(optimization));
  ck_assert(row->help[0] != '\0' && row->modes != 0);
  ck_assert_int_eq(row->is_named_only, (DSM_OPTIMIZATION_ALL & bit) == 0);
  for (int m = 0; m < DSM_MODE_COUNT; m++) {
    const dsm_explore_options options = {.mode = (dsm_mode)m, .optimizations = bit};
    const bool is_there = (row->modes >> m & 1U) != 0;
    dsm_optimization rungs[DSM_OPTIMIZATION_COUNT] = {DSM_OPTIMIZATION_COUNT};
    ck_assert_int_eq((dsm_mode_possible_optimizations(options.mode) & bit) != 0, is_there);
    ck_assert_uint_eq(dsm_ladder_additions(&options, rungs), is_there ? 1 : 0);
    ck_assert_int_eq(rungs[0], is_there ? optimization : DSM_OPTIMIZATION_COUNT);
  }
}
END_TEST

/* model.search "all" adds what adds roles, and nothing else. */
START_TEST(test_all_of_a_system_has_the_roles_that_it_says) {
  const dsm_mode mode = (dsm_mode)_i;
  dsm_system system = {.model.search = DSM_ROLE_SEARCH_PAPER};
  ck_assert_uint_eq(dsm_system_optimizations(&system, mode), dsm_mode_optimizations(mode));
  system.model.search = DSM_ROLE_SEARCH_ALL;
  ck_assert_uint_eq(dsm_system_optimizations(&system, mode),
                    dsm_mode_optimizations(mode) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL) |
                        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR) |
                        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_EXPERT));
}
END_TEST

/* model.search_hoist adds hoist, in training. */
START_TEST(test_training_is_searched_with_hoist_where_the_system_says_so) {
  const dsm_system system = {.model = {.search = DSM_ROLE_SEARCH_PAPER, .search_hoist = true}};
  const dsm_optimization_set hoist = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HOIST);
  ck_assert_uint_eq(dsm_system_optimizations(&system, DSM_MODE_TRAINING),
                    dsm_mode_optimizations(DSM_MODE_TRAINING) | hoist);
  ck_assert_uint_eq(dsm_system_optimizations(&system, DSM_MODE_INFERENCE),
                    dsm_mode_optimizations(DSM_MODE_INFERENCE));
}
END_TEST

START_TEST(test_roles_beside_data_and_model_need_a_strategy) {
  const dsm_role role = (dsm_role)_i;
  const bool is_of_today = role == DSM_ROLE_DATA || role == DSM_ROLE_MODEL;
  const dsm_optimization needed = dsm__role_optimization(role);
  const dsm_explore_options options = {.optimizations = DSM_OPTIMIZATION_BIT(needed)};
  ck_assert_int_eq(needed == DSM_OPTIMIZATION_COUNT, is_of_today);
  ck_assert_int_eq(dsm__may_have_roles(&options), !is_of_today);
}
END_TEST

/* ---- which parallelisms are left ---- */

typedef struct allowed_case {
  dsm_optimization_set optimizations;
  dsm_parallelism_set parallelisms;
  dsm_parallelism_set left; /* to a layer that can use all */
} allowed_case;

static const allowed_case allowed[] = {
    {DSM_OPTIMIZATION_ALL, DSM_PARALLELISM_ALL, DSM_PARALLELISMS_OF(2)},
    {0, DSM_PARALLELISM_ALL, BIT(DATA) | BIT(MODEL)},
    {DSM_OPTIMIZATION_ALL, BIT(MODEL), BIT(MODEL)},
    {0, BIT(MODEL) | BIT(MODEL_X_DATA_Y), BIT(MODEL)},
    {0, BIT(MODEL_X_DATA_Y), 0},
    {DSM_OPTIMIZATION_ALL, BIT(MODEL_X_DATA_Y), BIT(MODEL_X_DATA_Y)},
};

static dsm_explore_options options_of(const allowed_case *each) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = each->optimizations;
  options.parallelisms = each->parallelisms;
  return options;
}

static const dsm_system two_axes = {.system = {.axis_count = 2}};

START_TEST(test_hybrid_parallelisms_need_the_optimization) {
  const dsm_explore_options options = options_of(&allowed[_i]);
  const dsm_layer fc = {.groups = 1};
  ck_assert_uint_eq(dsm__option_parallelisms(&options, &two_axes), allowed[_i].left);
  ck_assert_uint_eq(dsm__allowed_parallelisms(&fc, &options, &two_axes), allowed[_i].left);
}
END_TEST

/* On two axes what z shares makes no difference: (M, D, M) and (M, D, D) are (M, D). */
START_TEST(test_parallelisms_that_differ_on_missing_axes_are_one) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  ck_assert_uint_eq(dsm__option_parallelisms(&options, &two_axes),
                    BIT(DATA) | BIT(MODEL) | BIT(DATA_X_MODEL_Y) | BIT(MODEL_X_DATA_Y));
  ck_assert(dsm_parallelism_parse("model_x_data_y_data_z", &(dsm_parallelism){0}));
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_COUNT - 1);
  ck_assert_uint_eq(dsm__option_parallelisms(&options, &two_axes), BIT(MODEL_X_DATA_Y));
}
END_TEST

/* "matmul: data parallelism only, whatever the options say", groups likewise. */
START_TEST(test_matmul_and_groups_are_data_parallel_whatever_the_options_say) {
  const dsm_explore_options options = options_of(&allowed[_i]);
  const dsm_layer matmul = {.is_product = true, .groups = 1};
  const dsm_layer grouped = {.groups = 2};
  ck_assert_uint_eq(dsm__allowed_parallelisms(&matmul, &options, &two_axes), BIT(DATA));
  ck_assert_uint_eq(dsm__allowed_parallelisms(&grouped, &options, &two_axes), BIT(DATA));
}
END_TEST

/* ---- roles that are named ---- */

START_TEST(test_named_roles_are_of_any_axis_or_of_one) {
  dsm_role_set any = 0;
  dsm_role_set of_axes[DSM_AXES_MAX] = {0};
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  ck_assert(dsm_named_role_parse(&two_axes, "column", &any, of_axes));
  ck_assert(dsm_named_role_parse(&two_axes, "y=row", &any, of_axes));
  ck_assert(dsm_named_role_parse(NULL, "z=row", &any, of_axes));
  ck_assert(!dsm_named_role_parse(&two_axes, "z=row", &any, of_axes));
  ck_assert(!dsm_named_role_parse(&two_axes, "colum", &any, of_axes));
  ck_assert(!dsm_named_role_parse(&two_axes, "x=", &any, of_axes));
  ck_assert(dsm_options_allow(&options, BIT(DATA), any, of_axes));
  const dsm_role_set both = 1U << DSM_ROLE_DATA | 1U << DSM_ROLE_COLUMN;
  ck_assert_uint_eq(options.roles[0], both);
  ck_assert_uint_eq(options.roles[1], both | 1U << DSM_ROLE_ROW);
  ck_assert_uint_eq(dsm__option_parallelisms(&options, &two_axes), BIT(DATA));
  ck_assert_int_eq(dsm__role_without_optimization(&options), DSM_ROLE_COLUMN);
  options.optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR);
  ck_assert_int_eq(dsm__role_without_optimization(&options), DSM_ROLE_COUNT);
  ck_assert(!dsm_options_allow(&options, BIT(DATA_X_MODEL_Y), any, of_axes));
  memset(of_axes, 0, sizeof of_axes);
  ck_assert(dsm_options_allow(&options, BIT(DATA_X_MODEL_Y), 0, of_axes));
  ck_assert(!dsm__has_named_roles(&options));
}
END_TEST

/* A layer that can have a role that is named has it; another has data. */
START_TEST(test_layers_without_the_named_roles_have_data) {
  const dsm_explore_options options = {
      .optimizations = DSM_OPTIMIZATION_ALL | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR),
      .parallelisms = DSM_PARALLELISM_ALL,
      .roles = {1U << DSM_ROLE_COLUMN, 1U << DSM_ROLE_COLUMN}};
  const dsm_layer product = {.groups = 1, .kij = 1, .strides = 1, .timesteps = 1, .rows = 4};
  const dsm_layer lstm = {.groups = 1, .kij = 1, .strides = 1, .timesteps = 4, .gates = 4};
  ck_assert_uint_eq(dsm__allowed_parallelisms(&product, &options, &two_axes), 0);
  ck_assert_uint_eq(dsm__allowed_parallelisms(&lstm, &options, &two_axes), BIT(DATA));
}
END_TEST

Suite *suite_plan_options(void) {
  Suite *const suite = suite_create("plan_options");
  TCase *const tcase = tcase_create("options");
  tcase_add_test(tcase, test_defaults_are_training_with_all_there_is);
  tcase_add_loop_test(tcase, test_optimization_words_are_read_back, 0, DSM_OPTIMIZATION_COUNT);
  tcase_add_loop_test(tcase, test_optimizations_have_the_words_of_the_contract, 0,
                      DSM_OPTIMIZATION_COUNT);
  tcase_add_loop_test(tcase, test_other_words_are_no_optimization, 0, 6);
  tcase_add_loop_test(tcase, test_bounds_have_the_words_of_the_format, 0, DSM_BOUND_COUNT);
  tcase_add_loop_test(tcase, test_invocations_have_the_words_of_the_format, 0,
                      DSM_INVOCATION_KIND_COUNT);
  tcase_add_test(tcase, test_mode_leaves_out_what_has_no_meaning_in_it);
  tcase_add_loop_test(tcase, test_rows_say_what_the_rest_says, 0, DSM_OPTIMIZATION_COUNT);
  tcase_add_loop_test(tcase, test_all_of_a_system_has_the_roles_that_it_says, 0, DSM_MODE_COUNT);
  tcase_add_test(tcase, test_training_is_searched_with_hoist_where_the_system_says_so);
  tcase_add_loop_test(tcase, test_roles_beside_data_and_model_need_a_strategy, 0, DSM_ROLE_COUNT);
  tcase_add_loop_test(tcase, test_hybrid_parallelisms_need_the_optimization, 0, COUNT_OF(allowed));
  tcase_add_test(tcase, test_parallelisms_that_differ_on_missing_axes_are_one);
  tcase_add_loop_test(tcase, test_matmul_and_groups_are_data_parallel_whatever_the_options_say, 0,
                      COUNT_OF(allowed));
  tcase_add_test(tcase, test_named_roles_are_of_any_axis_or_of_one);
  tcase_add_test(tcase, test_layers_without_the_named_roles_have_data);
  suite_add_tcase(suite, tcase);
  return suite;
}

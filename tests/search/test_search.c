/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  SRunner *const runner = srunner_create(suite_core_splits());
  srunner_add_suite(runner, suite_distinct());
  srunner_add_suite(runner, suite_layer_search());
  srunner_add_suite(runner, suite_graph());
  srunner_add_suite(runner, suite_graph_large());
  srunner_add_suite(runner, suite_graph_runs());
  srunner_add_suite(runner, suite_row_allocation());
  srunner_add_suite(runner, suite_lives());
  srunner_add_suite(runner, suite_groups());
  srunner_add_suite(runner, suite_widths());
  srunner_add_suite(runner, suite_bounding());
  srunner_add_suite(runner, suite_layouts());
  srunner_add_suite(runner, suite_cut());
  srunner_add_suite(runner, suite_explore());
  srunner_add_suite(runner, suite_explorer());
  srunner_add_suite(runner, suite_explain());
  srunner_add_suite(runner, suite_residents());
  srunner_add_suite(runner, suite_limits());
  srunner_add_suite(runner, suite_micro_batches());
  srunner_add_suite(runner, suite_stages());
  srunner_add_suite(runner, suite_interleave());
  srunner_add_suite(runner, suite_zero_bubble());
  srunner_add_suite(runner, suite_going_on());
  srunner_add_suite(runner, suite_keeping());
  srunner_add_suite(runner, suite_as_run());
  srunner_add_suite(runner, suite_divided());
  srunner_add_suite(runner, suite_operations());
  srunner_add_suite(runner, suite_recomputation());
  srunner_add_suite(runner, suite_kept_activations());
  srunner_add_suite(runner, suite_short_memory());
  srunner_add_suite(runner, suite_stage_bounds());
  srunner_add_suite(runner, suite_objectives());
  srunner_add_suite(runner, suite_preload());
  srunner_add_suite(runner, suite_what_if());
  srunner_add_suite(runner, suite_axes());
  srunner_add_suite(runner, suite_fused());
  srunner_add_suite(runner, suite_roles());
  srunner_add_suite(runner, suite_role_floors());
  srunner_add_suite(runner, suite_held_roles());
#ifndef DSM_IS_BRIEF /* what bundled networks' numbers are like is the same in every build */
  srunner_add_suite(runner, suite_properties());
  srunner_add_suite(runner, suite_optimizations());
  srunner_add_suite(runner, suite_published());
#endif
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

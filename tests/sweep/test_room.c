/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  static Suite *(*const suites[])(void) = {
      suite_conditions,    suite_evaluator,    suite_point,      suite_point_means,
      suite_result_pack,   suite_run_local,    suite_select,     suite_short_decisions,
      suite_store,         suite_store_errors, suite_store_grow, suite_store_merge,
      suite_store_plan,    suite_store_reads,  suite_sweep_axes, suite_sweep_make,
      suite_sweep_product, suite_team,
  };
  SRunner *const runner = srunner_create(NULL);
  for (int i = 0; i < COUNT_OF(suites); i++) {
    srunner_add_suite(runner, suites[i]());
  }
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

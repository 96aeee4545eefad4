/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  static Suite *(*const suites[])(void) = {
      suite_description_json, suite_memory_need,     suite_plan_decisions, suite_plan_json,
      suite_axis_words,       suite_plan_json_write, suite_plan_legal,     suite_plan_options,
      suite_plan_pipeline,    suite_plan_refined,    suite_plan_validate,  suite_plan_layouts,
      suite_plan_invocations, suite_plan_reductions,
  };
  SRunner *const runner = srunner_create(NULL);
  for (int i = 0; i < COUNT_OF(suites); i++) {
    srunner_add_suite(runner, suites[i]());
  }
  srunner_run_all(runner, CK_ENV);
  const int failed_count = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

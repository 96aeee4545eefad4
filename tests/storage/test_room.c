/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  SRunner *const runner = srunner_create(suite_job());
  srunner_add_suite(runner, suite_timeline());
  srunner_add_suite(runner, suite_properties());
  srunner_add_suite(runner, suite_replay());
  srunner_add_suite(runner, suite_trace());
  srunner_add_suite(runner, suite_answers());
  srunner_add_suite(runner, suite_step());
  srunner_add_suite(runner, suite_answer_files());
  srunner_add_suite(runner, suite_published());
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

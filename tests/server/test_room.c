/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  SRunner *const runner = srunner_create(suite_server());
  srunner_add_suite(runner, suite_times());
  srunner_add_suite(runner, suite_instance());
  srunner_add_suite(runner, suite_balance());
  srunner_add_suite(runner, suite_profile());
  srunner_add_suite(runner, suite_batch_tables());
  srunner_add_suite(runner, suite_planner());
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

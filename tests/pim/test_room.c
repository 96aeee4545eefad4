/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  SRunner *const runner = srunner_create(suite_kernel());
  srunner_add_suite(runner, suite_published());
  srunner_add_suite(runner, suite_choice());
  srunner_add_suite(runner, suite_tasklets());
  srunner_add_suite(runner, suite_learning());
  srunner_add_suite(runner, suite_json());
  srunner_add_suite(runner, suite_reports());
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  SRunner *const runner = srunner_create(suite_steady());
  srunner_add_suite(runner, suite_serve());
  srunner_add_suite(runner, suite_chunks());
  srunner_add_suite(runner, suite_apart());
  srunner_add_suite(runner, suite_speculation());
  srunner_add_suite(runner, suite_lengths());
  srunner_add_suite(runner, suite_simulate());
  srunner_run_all(runner, CK_ENV);
  const int failed_count = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  static Suite *(*const suites[])(void) = {suite_equations, suite_machine};
  SRunner *const runner = srunner_create(NULL);
  for (int i = 0; i < COUNT_OF(suites); i++) {
    srunner_add_suite(runner, suites[i]());
  }
  srunner_run_all(runner, CK_ENV);
  const int failed_count = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

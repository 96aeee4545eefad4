/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  SRunner *const runner = srunner_create(suite_baselines());
  srunner_add_suite(runner, suite_dispatch());
  srunner_add_suite(runner, suite_dispatch_properties());
  srunner_add_suite(runner, suite_whole_requests());
  srunner_add_suite(runner, suite_lean());
  srunner_add_suite(runner, suite_device_bound());
  srunner_add_suite(runner, suite_stage_bound());
  srunner_add_suite(runner, suite_solve());
  srunner_add_suite(runner, suite_solve_properties());
  srunner_add_suite(runner, suite_join());
  srunner_add_suite(runner, suite_latency_limit());
  srunner_add_suite(runner, suite_questions());
  srunner_add_suite(runner, suite_routes());
  srunner_add_suite(runner, suite_precision());
  srunner_add_suite(runner, suite_batches());
  srunner_add_suite(runner, suite_batch_limit());
  srunner_add_suite(runner, suite_assignment());
  srunner_add_suite(runner, suite_capacity_bound());
  srunner_add_suite(runner, suite_unused_off());
  srunner_add_suite(runner, suite_front());
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

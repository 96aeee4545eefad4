/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  static Suite *(*const suites[])(void) = {
      suite_blocks,
      suite_bundled_workloads,
      suite_layer_json,
      suite_list,
      suite_lives,
      suite_name_index,
      suite_overrides,
      suite_positions,
      suite_quantities,
      suite_resolve,
      suite_resolve_limits,
      suite_resolve_uses,
      suite_latent,
      suite_scan,
      suite_siblings,
      suite_workload_json,
      suite_workload_json_write,
      suite_workload_names,
      suite_element_sizes,
      suite_phase,
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

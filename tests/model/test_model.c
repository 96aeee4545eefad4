/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  static Suite *(*const suites[])(void) = {
      suite_mapping,       suite_compute,        suite_attention,      suite_attention_kernel,
      suite_auxiliary,     suite_chip_bytes,     suite_memory_traffic, suite_core_link,
      suite_chip_link,     suite_rotation,       suite_collective,     suite_machine,
      suite_cost,          suite_energy,         suite_capacity,       suite_names,
      suite_residency,     suite_held_traffic,   suite_held_table,     suite_layout_move,
      suite_layouts,       suite_tiles,          suite_properties,     suite_auxiliary_traffic,
      suite_tiling,        suite_interconnect,   suite_overlap,        suite_hoist,
      suite_shared_memory, suite_shared_weights, suite_roles,          suite_roles_hand,
      suite_spatial,       suite_element_sizes,  suite_stage_link,     suite_tied_table,
      suite_pass_roles,    suite_shortcuts,
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

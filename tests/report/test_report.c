/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "subjects.h"
#include "suites.h"

int main(void) {
  static Suite *(*const suites[])(void) = {
      suite_check_report,
      suite_csv,
      suite_description,
      suite_dispatch_trace,
      suite_display,
      suite_elasticity_report,
      suite_explain_view,
      suite_explanation,
      suite_figures,
      suite_folding,
      suite_html,
      suite_ladder,
      suite_loss,
      suite_memory_timeline,
      suite_page,
      suite_palette,
      suite_partition_report,
      suite_plan_csv,
      suite_plan_decisions,
      suite_plan_table,
      suite_plot_maker,
      suite_plot_plan,
      suite_plot_points,
      suite_point_axes,
      suite_points_report,
      suite_roofline,
      suite_step_timeline,
      suite_step_trace,
      suite_table,
      suite_value_text,
      suite_validation,
      suite_web_page,
      suite_what_if,
      suite_xml,
  };
  SRunner *const runner = srunner_create(NULL);
  for (int i = 0; i < COUNT_OF(suites); i++) {
    srunner_add_suite(runner, suites[i]());
  }
  srunner_run_all(runner, CK_ENV);
  const int failed_count = srunner_ntests_failed(runner);
  srunner_free(runner);
  bundled_free();
  return failed_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

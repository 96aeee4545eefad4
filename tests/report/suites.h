/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the report room, one for each kind of report and each of its tools. */
#ifndef DSM_TESTS_REPORT_SUITES_H
#define DSM_TESTS_REPORT_SUITES_H

#include <check.h>

Suite *suite_check_report(void);
Suite *suite_csv(void);
Suite *suite_description(void);
Suite *suite_dispatch_trace(void);
Suite *suite_display(void);
Suite *suite_elasticity_report(void);
Suite *suite_explain_view(void);
Suite *suite_explanation(void);
Suite *suite_figures(void);
Suite *suite_folding(void);
Suite *suite_html(void);
Suite *suite_ladder(void);
Suite *suite_loss(void);
Suite *suite_memory_timeline(void);
Suite *suite_page(void);
Suite *suite_palette(void);
Suite *suite_partition_report(void);
Suite *suite_plan_csv(void);
Suite *suite_plan_decisions(void);
Suite *suite_plan_table(void);
Suite *suite_plot_maker(void);
Suite *suite_plot_plan(void);
Suite *suite_plot_points(void);
Suite *suite_point_axes(void);
Suite *suite_points_report(void);
Suite *suite_roofline(void);
Suite *suite_step_timeline(void);
Suite *suite_step_trace(void);
Suite *suite_table(void);
Suite *suite_value_text(void);
Suite *suite_validation(void);
Suite *suite_web_page(void);
Suite *suite_what_if(void);
Suite *suite_xml(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the plan room. */
#ifndef DSM_TESTS_PLAN_SUITES_H
#define DSM_TESTS_PLAN_SUITES_H

#include <check.h>

Suite *suite_description_json(void);
Suite *suite_memory_need(void);
Suite *suite_plan_decisions(void);
Suite *suite_plan_invocations(void);
Suite *suite_plan_json(void);
Suite *suite_plan_json_write(void);
Suite *suite_plan_layouts(void);
Suite *suite_plan_legal(void);
Suite *suite_axis_words(void);
Suite *suite_plan_options(void);
Suite *suite_plan_pipeline(void);
Suite *suite_plan_reductions(void);
Suite *suite_plan_refined(void);
Suite *suite_plan_validate(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

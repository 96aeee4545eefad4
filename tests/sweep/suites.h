/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the sweep room. */
#ifndef DSM_TESTS_SWEEP_SUITES_H
#define DSM_TESTS_SWEEP_SUITES_H

#include <check.h>

Suite *suite_conditions(void);
Suite *suite_evaluator(void);
Suite *suite_point(void);
Suite *suite_point_means(void);
Suite *suite_result_pack(void);
Suite *suite_run_local(void);
Suite *suite_select(void);
Suite *suite_short_decisions(void);
Suite *suite_store(void);
Suite *suite_store_errors(void);
Suite *suite_store_grow(void);
Suite *suite_store_merge(void);
Suite *suite_store_plan(void);
Suite *suite_store_reads(void);
Suite *suite_sweep_axes(void);
Suite *suite_sweep_make(void);
Suite *suite_sweep_product(void);
Suite *suite_team(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the remat room. */
#ifndef DSM_TESTS_REMAT_SUITES_H
#define DSM_TESTS_REMAT_SUITES_H

#include <check.h>

Suite *suite_block(void);
Suite *suite_pipeline(void);
Suite *suite_plan_chain(void);
Suite *suite_properties(void);
Suite *suite_published(void);
Suite *suite_run(void);
Suite *suite_solve(void);
Suite *suite_stages_json(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the server room. */
#ifndef DSM_TESTS_SERVER_SUITES_H
#define DSM_TESTS_SERVER_SUITES_H

#include <check.h>

Suite *suite_balance(void);
Suite *suite_instance(void);
Suite *suite_planner(void);
Suite *suite_profile(void);
Suite *suite_batch_tables(void);
Suite *suite_server(void);
Suite *suite_times(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

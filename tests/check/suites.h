/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the check room. */
#ifndef DSM_TESTS_CHECK_SUITES_H
#define DSM_TESTS_CHECK_SUITES_H

#include <check.h>

Suite *suite_baseline(void);
Suite *suite_compare(void);
Suite *suite_diff(void);
Suite *suite_drift(void);
Suite *suite_tolerance(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the elasticity room. */
#ifndef DSM_TESTS_ELASTICITY_SUITES_H
#define DSM_TESTS_ELASTICITY_SUITES_H

#include <check.h>

Suite *suite_elasticity(void);
Suite *suite_kept(void);
Suite *suite_sensitivity(void);
Suite *suite_slope(void);
Suite *suite_subjects(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

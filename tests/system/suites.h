/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the system room. */
#ifndef DSM_TESTS_SYSTEM_SUITES_H
#define DSM_TESTS_SYSTEM_SUITES_H

#include <check.h>

Suite *suite_bundled_systems(void);
Suite *suite_parameter_source(void);
Suite *suite_parameters(void);
Suite *suite_system_json(void);
Suite *suite_system_json_write(void);
Suite *suite_system_overrides(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

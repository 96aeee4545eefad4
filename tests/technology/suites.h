/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the technology room. */
#ifndef DSM_TESTS_TECHNOLOGY_SUITES_H
#define DSM_TESTS_TECHNOLOGY_SUITES_H

#include <check.h>

Suite *suite_equations(void);
Suite *suite_machine(void);

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

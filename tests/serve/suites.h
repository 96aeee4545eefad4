/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of serving. */
#ifndef DSM_TESTS_SERVE_SUITES_H
#define DSM_TESTS_SERVE_SUITES_H

#include <check.h>

Suite *suite_steady(void);
Suite *suite_serve(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_PIM_SUITES_H
#define DSM_TESTS_PIM_SUITES_H

#include <check.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

Suite *suite_kernel(void);
Suite *suite_published(void);
Suite *suite_choice(void);
Suite *suite_tasklets(void);
Suite *suite_learning(void);
Suite *suite_json(void);
Suite *suite_reports(void);

#endif

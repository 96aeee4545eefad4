/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the storage room. */
#ifndef DSM_TESTS_STORAGE_SUITES_H
#define DSM_TESTS_STORAGE_SUITES_H

#include <check.h>

Suite *suite_job(void);
Suite *suite_answers(void);
Suite *suite_published(void);
Suite *suite_properties(void);
Suite *suite_timeline(void);
Suite *suite_replay(void);
Suite *suite_trace(void);
Suite *suite_step(void);
Suite *suite_answer_files(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the partition room. */
#ifndef DSM_TESTS_PARTITION_SUITES_H
#define DSM_TESTS_PARTITION_SUITES_H

#include <check.h>

Suite *suite_baselines(void);
Suite *suite_dispatch(void);
Suite *suite_dispatch_properties(void);
Suite *suite_whole_requests(void);
Suite *suite_lean(void);
Suite *suite_solve(void);
Suite *suite_solve_properties(void);
Suite *suite_join(void);
Suite *suite_latency_limit(void);
Suite *suite_questions(void);
Suite *suite_routes(void);
Suite *suite_precision(void);
Suite *suite_batches(void);
Suite *suite_batch_limit(void);
Suite *suite_assignment(void);
Suite *suite_capacity_bound(void);
Suite *suite_device_bound(void);
Suite *suite_stage_bound(void);
Suite *suite_unused_off(void);
Suite *suite_front(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

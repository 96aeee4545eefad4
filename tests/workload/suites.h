/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the workload room. */
#ifndef DSM_TESTS_WORKLOAD_SUITES_H
#define DSM_TESTS_WORKLOAD_SUITES_H

#include <check.h>

Suite *suite_blocks(void);
Suite *suite_bundled_workloads(void);
Suite *suite_element_sizes(void);
Suite *suite_layer_json(void);
Suite *suite_list(void);
Suite *suite_lives(void);
Suite *suite_name_index(void);
Suite *suite_overrides(void);
Suite *suite_phase(void);
Suite *suite_positions(void);
Suite *suite_quantities(void);
Suite *suite_resolve(void);
Suite *suite_resolve_limits(void);
Suite *suite_resolve_uses(void);
Suite *suite_latent(void);
Suite *suite_scan(void);
Suite *suite_siblings(void);
Suite *suite_workload_json(void);
Suite *suite_workload_json_write(void);
Suite *suite_workload_names(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

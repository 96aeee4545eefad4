/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the base room, one for each source file. */
#ifndef DSM_TESTS_BASE_SUITES_H
#define DSM_TESTS_BASE_SUITES_H

#include <check.h>

Suite *suite_arena(void);
Suite *suite_cases(void);
Suite *suite_diag(void);
Suite *suite_digest(void);
Suite *suite_expression(void);
Suite *suite_file(void);
Suite *suite_folder(void);
Suite *suite_growing_list(void);
Suite *suite_json_compact(void);
Suite *suite_json_doc(void);
Suite *suite_json_locate(void);
Suite *suite_json_members(void);
Suite *suite_json_node(void);
Suite *suite_json_override(void);
Suite *suite_json_parameters(void);
Suite *suite_json_read(void);
Suite *suite_json_text(void);
Suite *suite_json_write(void);
Suite *suite_map(void);
Suite *suite_nearest(void);
Suite *suite_number_text(void);
Suite *suite_parallel(void);
Suite *suite_record(void);
Suite *suite_temporary(void);
Suite *suite_text_buffer(void);
Suite *suite_words(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif

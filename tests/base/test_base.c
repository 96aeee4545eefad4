/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "suites.h"

int main(void) {
  static Suite *(*const suites[])(void) = {
      suite_arena,       suite_cases,         suite_diag,
      suite_digest,      suite_expression,    suite_file,
      suite_folder,      suite_growing_list,  suite_json_compact,
      suite_json_doc,    suite_json_locate,   suite_json_members,
      suite_json_node,   suite_json_override, suite_json_parameters,
      suite_json_read,   suite_json_text,     suite_json_write,
      suite_map,         suite_nearest,       suite_number_text,
      suite_parallel,    suite_record,        suite_temporary,
      suite_text_buffer, suite_words,
  };
  SRunner *const runner = srunner_create(NULL);
  for (int i = 0; i < COUNT_OF(suites); i++)
    srunner_add_suite(runner, suites[i]());
  srunner_run_all(runner, CK_ENV);
  const int failed_count = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

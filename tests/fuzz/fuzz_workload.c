/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_workload.c: any bytes as a workload. */
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  const size_t line_count = fuzz_line_count(text, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_workload *workload = NULL;
  dsm_workload *silent = NULL;
  const dsm_status status = dsm_workload_parse(&workload, text, size, "w.json", NULL, 0, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (workload != NULL));
  fuzz_check_diags(diags, status, line_count);
  FUZZ_CHECK(dsm_workload_parse(&silent, text, size, "silent.json", NULL, 0, NULL) == status);
  dsm_workload_free(silent);
  dsm_diags *const detected_diags = fuzz_diags();
  dsm_description description = DSM_DESCRIPTION_COUNT;
  const dsm_status detected =
      dsm_description_detect(&description, text, size, "w.json", detected_diags);
  fuzz_check_diags(detected_diags, detected, line_count);
  FUZZ_CHECK(detected != DSM_OK || description < DSM_DESCRIPTION_COUNT);
  if (status == DSM_OK) {
    FUZZ_CHECK(detected == DSM_OK && description == DSM_DESCRIPTION_WORKLOAD);
    fuzz_check_workload(workload);
  }
  dsm_workload_free(workload);
  free(text);
  return 0;
}

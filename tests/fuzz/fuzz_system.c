/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_system.c: any bytes as a system. */
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_system *system = NULL;
  dsm_system *silent = NULL;
  const dsm_status status = dsm_system_parse(&system, text, size, "s.json", NULL, 0, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (system != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  FUZZ_CHECK(dsm_system_parse(&silent, text, size, "silent.json", NULL, 0, NULL) == status);
  dsm_system_free(silent);
  if (status == DSM_OK) {
    dsm_description description = DSM_DESCRIPTION_COUNT;
    FUZZ_CHECK(dsm_description_detect(&description, text, size, "s.json", NULL) == DSM_OK);
    FUZZ_CHECK(description == DSM_DESCRIPTION_SYSTEM);
    fuzz_check_system(system);
  }
  dsm_system_free(system);
  free(text);
  return 0;
}

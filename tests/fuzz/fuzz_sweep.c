/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_sweep.c: specifications of sweeps whose inputs are in memory. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_shelf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_sweep *sweep = NULL;
  const dsm_status status =
      dsm_sweep_make(&sweep, text, size, "s.json", "/nowhere", NULL, &fuzz_shelf, diags);
  fuzz_check_diags(diags, status, fuzz_line_count(text, size) + FUZZ_SHELF_LINES);
  FUZZ_CHECK((status == DSM_OK) == (sweep != NULL));
  if (sweep != NULL) {
    fuzz_check_sweep(sweep);
  }
  dsm_sweep_free(sweep);
  free(text);
  return 0;
}

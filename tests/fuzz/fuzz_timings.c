/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_timings.c: any bytes as a file of a profiler, alone and beside one that has sizes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_instance.h"

/* What was made is a profile. */
static void check_made(const char *text, size_t device_count) {
  dsm_instance *instance = NULL;
  FUZZ_CHECK(dsm_profile_parse(&instance, text, strlen(text), "made.json", NULL, NULL) == DSM_OK);
  fuzz_check_instance(instance, 0);
  FUZZ_CHECK(device_count == 0 || instance->device_count == device_count);
  dsm_instance_free(instance);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char sized[] =
      "layer,seconds,weights_bytes,output_bytes\na,1,2,3\nb,2,0,1\n/stem/Conv,1,1,1\n";
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const bytes = fuzz_copy(data, size);
  const dsm_profile_file files[] = {{"x", "f", bytes, size},
                                    {"y", "sized.csv", sized, sizeof sized - 1}};
  dsm_profile_import_options options;
  dsm_profile_import_options_init(&options);
  for (size_t count = 1; count <= 2; count++) {
    dsm_diags *const diags = fuzz_diags();
    char *text = NULL;
    char *strict = NULL;
    options.is_strict = false;
    const dsm_status status = dsm_profile_import(&text, files, count, &options, diags);
    FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
    FUZZ_CHECK((status == DSM_OK) == (text != NULL));
    fuzz_check_diags(diags, status, fuzz_line_count(bytes, size));
    if (text != NULL) {
      check_made(text, count);
    }
    options.is_strict = true;
    const dsm_status strictly = dsm_profile_import(&strict, files, count, &options, NULL);
    FUZZ_CHECK(strictly == DSM_ERROR_INVALID || (status == DSM_OK && strcmp(strict, text) == 0));
    free(text);
    free(strict);
  }
  free(bytes);
  return 0;
}

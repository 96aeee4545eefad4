/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_import.c: any bytes as a file of another program, of each format. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* What was made is a workload, or a part of a system. */
static void check_made(const char *text, size_t length, bool is_system) {
  dsm_workload *workload = NULL;
  FUZZ_CHECK(strlen(text) == length);
  if (is_system) {
    dsm_description kind = DSM_DESCRIPTION_COUNT;
    FUZZ_CHECK(dsm_description_detect(&kind, text, length, "made.json", NULL) == DSM_OK);
    FUZZ_CHECK(kind == DSM_DESCRIPTION_SYSTEM);
    return;
  }
  FUZZ_CHECK(dsm_workload_parse(&workload, text, length, "made.json", NULL, 0, NULL) == DSM_OK);
  fuzz_check_workload(workload);
  dsm_workload_free(workload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const bytes = fuzz_copy(data, size);
  const dsm_import_dimension sizes[] = {{"sequence", 16}, {"n", 3}};
  dsm_import_options options;
  dsm_import_options_init(&options);
  options.dimensions = sizes;
  options.dimension_count = 2;
  const dsm_import_format recognised = dsm_import_recognise(bytes, size, "f");
  FUZZ_CHECK(recognised <= DSM_IMPORT_FORMAT_COUNT);
  for (options.format = 0; options.format < DSM_IMPORT_FORMAT_COUNT; options.format++) {
    dsm_diags *const diags = fuzz_diags();
    char *text = NULL;
    char *strict = NULL;
    size_t length = 0;
    options.is_strict = false;
    const dsm_status status = dsm_import_text(&text, &length, bytes, size, "f", &options, diags);
    FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
    FUZZ_CHECK((status == DSM_OK) == (text != NULL));
    fuzz_check_diags(diags, status, fuzz_line_count(bytes, size));
    if (text != NULL) {
      check_made(text, length, dsm_import_format_is_system(options.format));
    }
    options.is_strict = true;
    const dsm_status strictly = dsm_import_text(&strict, &length, bytes, size, "f", &options, NULL);
    FUZZ_CHECK(strictly == DSM_ERROR_INVALID || (status == DSM_OK && strcmp(strict, text) == 0));
    free(text);
    free(strict);
  }
  free(bytes);
  return 0;
}

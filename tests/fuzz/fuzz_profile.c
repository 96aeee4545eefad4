/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_profile.c: any bytes as a profile of either format. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_instance.h"

/* What is written of an instance is read back, and written alike. */
static void check_written(const dsm_instance *instance) {
  char *text = NULL;
  char *again = NULL;
  dsm_instance *read = NULL;
  const dsm_status status = dsm_profile_text(&text, instance, NULL, NULL);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_USAGE);
  FUZZ_CHECK((status == DSM_OK) == (text != NULL));
  if (text != NULL) {
    FUZZ_CHECK(dsm_profile_parse(&read, text, strlen(text), "p.json", NULL, NULL) == DSM_OK);
    FUZZ_CHECK(dsm_profile_text(&again, read, NULL, NULL) == DSM_OK);
    FUZZ_CHECK(strcmp(text, again) == 0);
  }
  dsm_instance_free(read);
  free(again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  dsm_instance *instance = NULL;
  const dsm_status status = dsm_profile_parse(&instance, text, size, "p.json", &options, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (instance != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  for (options.task_count = 0; options.task_count < 4; options.task_count++) {
    dsm_instance *joined = NULL;
    const dsm_status one = dsm_profile_parse(&joined, text, size, "p.json", &options, NULL);
    /* The times of joined tasks may add up to too much. */
    FUZZ_CHECK(one == status || (options.task_count > 0 && one == DSM_ERROR_INVALID));
    FUZZ_CHECK((one == DSM_OK) == (joined != NULL));
    if (joined != NULL && instance != NULL) {
      fuzz_check_instance(joined, options.task_count);
      FUZZ_CHECK(options.task_count != 0 || joined->task_count == instance->task_count);
      check_written(joined);
    }
    dsm_instance_free(joined);
  }
  if (status == DSM_OK) {
    dsm_description description = DSM_DESCRIPTION_COUNT;
    FUZZ_CHECK(dsm_description_detect(&description, text, size, "p.json", NULL) == DSM_OK);
    FUZZ_CHECK(description == DSM_DESCRIPTION_PROFILE);
  }
  dsm_instance_free(instance);
  free(text);
  return 0;
}

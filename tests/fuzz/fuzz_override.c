/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_override.c: lines PATH=VALUE as overrides of a small workload and of a small system, and
 * what may follow those paths.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { OVERRIDES_MAX = 8 };

/* Cuts the text into overrides; a line without '=' is left out. Returns how many there are. */
static size_t split_lines(char *text, dsm_override overrides[OVERRIDES_MAX]) {
  size_t count = 0;
  for (char *line = text; line != NULL && count < OVERRIDES_MAX;) {
    char *const end = strchr(line, '\n');
    if (end != NULL) {
      *end = '\0';
    }
    char *const sign = strchr(line, '=');
    if (sign != NULL) {
      *sign = '\0';
      overrides[count++] = (dsm_override){.path = line, .value = sign + 1};
    }
    line = end == NULL ? NULL : end + 1;
  }
  return count;
}

static void override_workload(const dsm_override *overrides, size_t count) {
  dsm_workload *workload = NULL;
  dsm_diags *const diags = fuzz_diags();
  const dsm_status status = dsm_workload_parse(
      &workload, fuzz_workload_text, strlen(fuzz_workload_text), "w.json", overrides, count, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (workload != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(fuzz_workload_text, strlen(fuzz_workload_text)));
  if (workload != NULL) {
    fuzz_check_workload(workload);
  }
  dsm_workload_free(workload);
}

static void override_system(const dsm_override *overrides, size_t count) {
  dsm_system *system = NULL;
  dsm_diags *const diags = fuzz_diags();
  const dsm_status status = dsm_system_parse(&system, fuzz_system_text, strlen(fuzz_system_text),
                                             "s.json", overrides, count, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (system != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(fuzz_system_text, strlen(fuzz_system_text)));
  if (system != NULL) {
    fuzz_check_system(system);
  }
  dsm_system_free(system);
}

static void count_step(void *context, const char *name, bool leads_on) {
  (void)leads_on;
  size_t *const length = context;
  *length += strlen(name) + 1;
}

/* What may follow each path. A visit is of something: it is either good or does not happen. */
static void step_on(const dsm_override *overrides, size_t count) {
  static const dsm_description kinds[] = {DSM_DESCRIPTION_WORKLOAD, DSM_DESCRIPTION_SYSTEM};
  const char *const texts[] = {fuzz_workload_text, fuzz_system_text};
  for (size_t i = 0; i < 2 * count; i++) {
    size_t length = 0;
    const char *const text = texts[i % 2];
    const dsm_status status = dsm_path_steps(kinds[i % 2], text, strlen(text),
                                             overrides[i / 2].path, count_step, &length);
    FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
    FUZZ_CHECK((status == DSM_OK) == (length > 0));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_override overrides[OVERRIDES_MAX];
  const size_t count = split_lines(text, overrides);
  override_workload(overrides, count);
  override_system(overrides, count);
  step_on(overrides, count);
  free(text);
  return 0;
}

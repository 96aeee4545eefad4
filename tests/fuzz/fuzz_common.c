/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_common.c: copies, findings, texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "base/utf8.h"
#include "fuzz.h"

const char fuzz_workload_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"w\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"c1\", \"type\": \"conv\", \"in\": 3, \"out\": 8, \"feature\": [8, 8],\n"
    "    \"aux\": [ { \"op\": \"relu\" }, { \"op\": \"max_pool\", \"window\": [2, 2] } ] },\n"
    "  { \"name\": \"c.2\", \"type\": \"conv\", \"in\": 8, \"out\": 8, \"feature\": [4, 4],\n"
    "    \"aux\": [ { \"op\": \"residual\", \"from\": \"c1\" } ] },\n"
    "  { \"name\": \"f3\", \"type\": \"fc\", \"in\": 128, \"out\": 10 } ] }\n";

const char fuzz_system_text[] =
    "{ \"format\": \"dsm-system/1\", \"name\": \"s\",\n"
    "  \"core\": { \"frequency_GHz\": 1, \"scratchpad_MiB\": 0.0625,\n"
    "    \"scratchpad_bandwidth_GBps\": 64 },\n"
    "  \"chip\": { \"cores\": 4, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 64,\n"
    "    \"memory\": { \"capacity_GB\": 0.01, \"bandwidth_GBps\": 64 } },\n"
    "  \"system\": { \"topology\": \"torus_2d\", \"chips_x\": 2, \"chips_y\": 3,\n"
    "    \"link_bandwidth_x_GBps\": 20, \"link_bandwidth_y_GBps\": 10 } }\n";

void fuzz_fail(const char *property, const char *file, int line) {
  fprintf(stderr, "%s:%d: the property does not hold: %s\n", file, line, property);
  abort();
}

char *fuzz_copy(const uint8_t *data, size_t size) {
  char *const copy = malloc(size + 1);
  FUZZ_CHECK(copy != NULL);
  if (size > 0) {
    memcpy(copy, data, size);
  }
  copy[size] = '\0';
  return copy;
}

dsm_diags *fuzz_diags(void) {
  dsm_diags *const diags = dsm_diags_new(30);
  FUZZ_CHECK(diags != NULL);
  return diags;
}

size_t fuzz_line_count(const char *text, size_t length) {
  size_t count = 1;
  for (size_t i = 0; i < length; i++) {
    count += text[i] == '\n';
  }
  return count;
}

/* Is it UTF-8, without control characters other than those allowed? */
static bool is_clean(const char *text, bool has_controls, const char *allowed_controls) {
  const size_t length = strlen(text);
  for (size_t at = 0; at < length;) {
    const size_t size = dsm__utf8_length(text + at, length - at);
    const unsigned char first = (unsigned char)text[at];
    const bool is_control = first < 0x20 || first == 0x7F;
    if (size == 0 || (is_control && !has_controls && strchr(allowed_controls, text[at]) == NULL)) {
      return false;
    }
    at += size;
  }
  return true;
}

#define ENDS(field) (memchr(field, '\0', sizeof(field)) != NULL)

static void check_diag(const dsm_diag *diag, size_t line_count) {
  FUZZ_CHECK(diag->severity >= DSM_SEVERITY_ERROR && diag->severity < DSM_SEVERITY_COUNT);
  FUZZ_CHECK(ENDS(diag->file) && ENDS(diag->path) && ENDS(diag->message) && ENDS(diag->hint));
  FUZZ_CHECK(diag->message[0] != '\0');
  FUZZ_CHECK(is_clean(diag->file, false, "") && is_clean(diag->path, false, ""));
  FUZZ_CHECK(is_clean(diag->message, false, "") && is_clean(diag->hint, false, ""));
  FUZZ_CHECK(diag->line <= line_count);
  FUZZ_CHECK(diag->line > 0 || diag->column == 0);
  char whole[4096];
  char cut[20];
  const size_t length = dsm_diag_render(diag, false, whole, sizeof whole);
  FUZZ_CHECK(length == strlen(whole) && length < sizeof whole);
  FUZZ_CHECK(dsm_diag_render(diag, false, cut, sizeof cut) == length);
  FUZZ_CHECK(strncmp(whole, cut, sizeof cut - 1) == 0);
  FUZZ_CHECK(dsm_diag_render(diag, true, NULL, 0) > length);
}

void fuzz_check_diags(dsm_diags *diags, dsm_status status, size_t line_count) {
  size_t error_count = 0;
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    const dsm_diag *const diag = dsm_diags_get(diags, i);
    check_diag(diag, line_count);
    error_count += diag->severity == DSM_SEVERITY_ERROR;
  }
  FUZZ_CHECK((status == DSM_OK) == (error_count == 0));
  fuzz_check_text(as_json(DSM_ANSWER(findings, diags)));
  dsm_diags_free(diags);
}

void fuzz_check_text(char *text) {
  FUZZ_CHECK(text != NULL);
  FUZZ_CHECK(is_clean(text, true, ""));
  free(text);
}

void fuzz_check_table(char *text) {
  FUZZ_CHECK(text != NULL);
  FUZZ_CHECK(is_clean(text, false, "\n"));
  free(text);
}

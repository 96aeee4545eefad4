/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "shelf.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buffer.h"

static const char net_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"a net\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"c1\", \"type\": \"conv\", \"in\": 3, \"out\": 8, \"feature\": [8, 8] },\n"
    "  { \"name\": \"fc\", \"type\": \"fc\", \"in\": 512, \"out\": 16 } ] }\n";
static const char wide_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"wide\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"f0\", \"type\": \"fc\", \"in\": 64, \"out\": 64 } ] }\n";

#define SYSTEM(name, rest)                                                                         \
  "{ \"format\": \"dsm-system/1\", \"name\": \"" name "\",\n"                                      \
  "  \"core\": { \"frequency_GHz\": 1, \"scratchpad_MiB\": 0.0625,\n"                              \
  "    \"scratchpad_bandwidth_GBps\": 64 },\n"                                                     \
  "  \"chip\": { \"cores\": 4, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 64,\n"    \
  "    \"memory\": { \"capacity_GB\": 1, \"bandwidth_GBps\": 64 } },\n"                            \
  "  \"system\": { \"topology\": \"torus_2d\", \"chips_x\": 2, \"chips_y\": 2,\n"                  \
  "    \"link_bandwidth_x_GBps\": 20, \"link_bandwidth_y_GBps\": 10 }" rest " }\n"

static const char one_text[] = SYSTEM("one", "");
static const char two_text[] = SYSTEM("two", ", \"pe\": { \"simd_macs\": 4 }");

/* What a name means: by its last part, without ".json". */
static const char *text_of(const char *name, dsm_description kind) {
  static const struct {
    const char *name;
    dsm_description kind;
    const char *text;
  } all[] = {
      {"net", DSM_DESCRIPTION_WORKLOAD, net_text}, {"wide", DSM_DESCRIPTION_WORKLOAD, wide_text},
      {"one", DSM_DESCRIPTION_SYSTEM, one_text},   {"two", DSM_DESCRIPTION_SYSTEM, two_text},
      {"broken", DSM_DESCRIPTION_WORKLOAD, "{}"},  {"broken", DSM_DESCRIPTION_SYSTEM, "{}"}};
  if (strncmp(name, "other/", 6) == 0) {
    return wide_text;
  }
  const char *const slash = strrchr(name, '/');
  const char *const base = slash == NULL ? name : slash + 1;
  const char *const end = strstr(base, ".json");
  const size_t length = end == NULL ? strlen(base) : (size_t)(end - base);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (all[i].kind == kind && strlen(all[i].name) == length &&
        memcmp(all[i].name, base, length) == 0) {
      return all[i].text;
    }
  }
  return NULL;
}

static dsm_status read_shelf(void *context, const char *name, const char *folder,
                             dsm_description kind, char **text, size_t *length, char **file,
                             dsm_diags *diags) {
  (void)context;
  (void)folder;
  const char *const found = text_of(name, kind);
  if (found == NULL) {
    return dsm_file_read(text, length, "/nowhere/at/all", diags);
  }
  *text = strdup(found);
  *length = strlen(found);
  *file = strdup(name);
  return DSM_OK;
}

const dsm_sweep_source shelf = {.read = read_shelf};

static char *render(const dsm_diags *diags) {
  dsm__text_buffer text = {0};
  char line[2048];
  dsm__text_puts(&text, "");
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    (void)dsm_diag_render(dsm_diags_get(diags, i), false, line, sizeof line);
    dsm__text_printf(&text, "%s%s", i == 0 ? "" : "\n", line);
  }
  ck_assert(!text.failed);
  return text.text;
}

static dsm_status make(dsm_sweep **sweep, const char *text, const dsm_sweep_request *request,
                       char **findings) {
  dsm_diags *const diags = dsm_diags_new(50);
  ck_assert_ptr_nonnull(diags);
  const bool has_text = text != NULL;
  const dsm_status status =
      dsm_sweep_make(sweep, text, has_text ? strlen(text) : 0, has_text ? "dir/study.json" : NULL,
                     has_text ? "dir" : NULL, request, &shelf, diags);
  *findings = render(diags);
  dsm_diags_free(diags);
  ck_assert((status == DSM_OK) == (*sweep != NULL));
  return status;
}

dsm_sweep *sweep_of(const char *text, const dsm_sweep_request *request) {
  dsm_sweep *sweep = NULL;
  char *findings = NULL;
  const dsm_status status = make(&sweep, text, request, &findings);
  ck_assert_msg(status == DSM_OK, "%s", findings);
  ck_assert_str_eq(findings, "");
  free(findings);
  return sweep;
}

char *findings_of(const char *text, const dsm_sweep_request *request, dsm_status expected) {
  dsm_sweep *sweep = NULL;
  char *findings = NULL;
  const dsm_status status = make(&sweep, text, request, &findings);
  ck_assert_msg(status == expected, "%s: %s", dsm_status_name(status), findings);
  dsm_sweep_free(sweep);
  return findings;
}

void assert_refused(const char *text, const dsm_sweep_request *request, dsm_status status,
                    const char *finding) {
  char *const findings = findings_of(text, request, status);
  ck_assert_str_eq(findings, finding);
  free(findings);
}

const char *column_of(const dsm_sweep *sweep, const char *path) {
  static char text[65536];
  size_t used = 0;
  text[0] = '\0';
  for (size_t c = 0; c < sweep->column_count; c++) {
    for (size_t p = 0; p < sweep->point_count && strcmp(sweep->columns[c].path, path) == 0; p++) {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", p == 0 ? "" : ",",
                               dsm_sweep_value(sweep, p, c)->text);
    }
  }
  return text;
}

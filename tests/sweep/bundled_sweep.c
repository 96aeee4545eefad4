/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "bundled_sweep.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dsm_status read_bundled(void *context, const char *name, const char *folder,
                               dsm_description kind, char **text, size_t *length, char **file,
                               dsm_diags *diags) {
  char path[512];
  (void)context;
  (void)folder;
  snprintf(path, sizeof path, "%s/%s/%s.json", DSM_SOURCE_DIR,
           kind == DSM_DESCRIPTION_WORKLOAD ? "workloads" : "systems", name);
  *file = strdup(path);
  return dsm_file_read(text, length, path, diags);
}

dsm_sweep *bundled_sweep(const char *members, dsm_record record) {
  static const dsm_sweep_source source = {.read = read_bundled};
  const size_t size = strlen(members) + 64;
  char *const text = malloc(size);
  ck_assert_ptr_nonnull(text);
  snprintf(text, size, "{'format': 'dsm-sweep/1', %s}", members);
  for (char *c = text; *c != '\0'; c++) {
    *c = *c == '\'' ? '"' : *c;
  }
  const dsm_sweep_request request = {.record = &record};
  dsm_sweep *sweep = NULL;
  dsm_diags *const diags = dsm_diags_new(1);
  const dsm_status status =
      dsm_sweep_make(&sweep, text, strlen(text), "sweep.json", NULL, &request, &source, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "");
  dsm_diags_free(diags);
  free(text);
  return sweep;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/loaded.h"

#include <stdlib.h>

#include "cli/lookup.h"

static dsm_status parse(cli_loaded *loaded, const char *text, size_t length, dsm_diags *diags) {
  const char *const file = loaded->path;
  switch (loaded->kind) {
  case DSM_DESCRIPTION_WORKLOAD:
    return dsm_workload_parse(&loaded->workload, text, length, file, NULL, 0, diags);
  case DSM_DESCRIPTION_SYSTEM:
    return dsm_system_parse(&loaded->system, text, length, file, NULL, 0, diags);
  case DSM_DESCRIPTION_PLAN:
    return dsm_plan_parse(&loaded->plan, text, length, file, NULL, diags);
  case DSM_DESCRIPTION_COUNT:
    break;
  }
  return DSM_ERROR_INVALID;
}

cli_loaded cli_load_any(const char *name, dsm_diags *diags) {
  cli_loaded loaded = {0};
  char *text = NULL;
  size_t length = 0;
  loaded.status =
      cli_find_input(&loaded.path, name, CLI_BUNDLED_WORKLOADS | CLI_BUNDLED_SYSTEMS, diags);
  if (loaded.status == DSM_OK) {
    loaded.status = dsm_file_read(&text, &length, loaded.path, diags);
  }
  if (loaded.status == DSM_OK) {
    loaded.status = dsm_description_detect(&loaded.kind, text, length, loaded.path, diags);
    loaded.is_detected = loaded.status == DSM_OK;
  }
  if (loaded.status == DSM_OK) {
    loaded.status = parse(&loaded, text, length, diags);
  }
  free(text);
  return loaded;
}

void cli_loaded_fini(cli_loaded *loaded) {
  dsm_workload_free(loaded->workload);
  dsm_system_free(loaded->system);
  dsm_plan_free(loaded->plan);
  free(loaded->path);
  *loaded = (cli_loaded){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/input_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/parse/lookup.h"
#include "cli/parse/sweep_request.h"

/* A plan is edited, not overridden: its decisions may not fit other inputs. */
static dsm_status parse_plan(cli_loaded *loaded, const cli_overrides *overrides, const char *text,
                             size_t length, dsm_diags *diags) {
  if (overrides->workload_count + overrides->system_count > 0) {
    dsm_diag diag = {.message = "expected no --set for a plan: edit the plan, or explore again"};
    (void)snprintf(diag.file, sizeof diag.file, "%s", loaded->path);
    dsm_diags_append(diags, &diag);
    return DSM_ERROR_USAGE;
  }
  return dsm_plan_parse(&loaded->plan, text, length, loaded->path, &loaded->recorded_step_cycles,
                        diags);
}

/* --set of a sweep is for all points. */
static dsm_status parse_sweep(cli_loaded *loaded, const cli_arguments *arguments, const char *text,
                              size_t length, dsm_diags *diags) {
  const dsm_sweep_request request = {.sets = arguments->overrides.recorded,
                                     .set_count = arguments->overrides.recorded_count};
  return cli_parse_sweep(&loaded->sweep, arguments, text, length, loaded->path, &request, diags);
}

static dsm_status parse_profile(cli_loaded *loaded, const char *text, size_t length,
                                dsm_diags *diags) {
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  return dsm_profile_parse(&loaded->profile, text, length, loaded->path, &options, diags);
}

static dsm_status parse(cli_loaded *loaded, const cli_arguments *arguments, const char *text,
                        size_t length, dsm_diags *diags) {
  const cli_overrides *const overrides = &arguments->overrides;
  const char *const file = loaded->path;
  switch (loaded->kind) {
  case DSM_DESCRIPTION_WORKLOAD:
    return dsm_workload_parse(&loaded->workload, text, length, file, overrides->workload,
                              overrides->workload_count, diags);
  case DSM_DESCRIPTION_SYSTEM:
    return dsm_system_parse(&loaded->system, text, length, file, overrides->system,
                            overrides->system_count, diags);
  case DSM_DESCRIPTION_PLAN:
    return parse_plan(loaded, overrides, text, length, diags);
  case DSM_DESCRIPTION_SWEEP:
    return parse_sweep(loaded, arguments, text, length, diags);
  case DSM_DESCRIPTION_SERVER:
    return dsm_server_parse(&loaded->server, text, length, file, overrides->server,
                            overrides->server_count, diags);
  case DSM_DESCRIPTION_PROFILE:
    return parse_profile(loaded, text, length, diags);
  case DSM_DESCRIPTION_COUNT:
    break;
  }
  return DSM_ERROR_INVALID;
}

/* What a sweep wrote is no description, but its user may take it for one. */
static dsm_status refuse_database(const char *path, dsm_diags *diags) {
  dsm_diag diag = {.message = "expected a JSON description, found an SQLite database"};
  (void)snprintf(diag.file, sizeof diag.file, "%s", path);
  (void)snprintf(diag.hint, sizeof diag.hint, "that of a sweep is shown by: dsm sweep %.150s",
                 path);
  dsm_diags_append(diags, &diag);
  return DSM_ERROR_INVALID;
}

cli_loaded cli_load_any(const cli_arguments *arguments, const char *name, dsm_diags *diags) {
  cli_loaded loaded = {0};
  loaded.status = cli_find_input(&loaded.path, arguments, name, CLI_BUNDLED_ALL, diags);
  if (loaded.status == DSM_OK && dsm_store_is_database(loaded.path)) {
    loaded.status = refuse_database(loaded.path, diags);
  }
  if (loaded.status == DSM_OK) {
    loaded.status = dsm_file_read(&loaded.text, &loaded.length, loaded.path, diags);
  }
  if (loaded.status == DSM_OK) {
    loaded.status =
        dsm_description_detect(&loaded.kind, loaded.text, loaded.length, loaded.path, diags);
    loaded.is_detected = loaded.status == DSM_OK;
  }
  if (loaded.status == DSM_OK) {
    loaded.status = parse(&loaded, arguments, loaded.text, loaded.length, diags);
  }
  return loaded;
}

void cli_loaded_fini(cli_loaded *loaded) {
  dsm_workload_free(loaded->workload);
  dsm_system_free(loaded->system);
  dsm_plan_free(loaded->plan);
  dsm_sweep_free(loaded->sweep);
  dsm_server_free(loaded->server);
  dsm_instance_free(loaded->profile);
  free(loaded->path);
  free(loaded->text);
  *loaded = (cli_loaded){0};
}

dsm_status cli_load_workload(dsm_workload **workload, const cli_arguments *arguments,
                             const char *name, dsm_diags *diags) {
  char *path;
  dsm_status status = cli_find_input(&path, arguments, name, CLI_BUNDLED_WORKLOADS, diags);
  if (status == DSM_OK) {
    status = dsm_workload_load(workload, path, arguments->overrides.workload,
                               arguments->overrides.workload_count, diags);
  }
  if (status == DSM_ERROR_INVALID) {
    cli_note_hidden(path, name, CLI_BUNDLED_WORKLOADS, diags);
  }
  free(path);
  return status;
}

dsm_status cli_load_system(dsm_system **system, const cli_arguments *arguments, const char *name,
                           dsm_diags *diags) {
  char *path;
  dsm_status status = cli_find_input(&path, arguments, name, CLI_BUNDLED_SYSTEMS, diags);
  if (status == DSM_OK) {
    status = dsm_system_load(system, path, arguments->overrides.system,
                             arguments->overrides.system_count, diags);
  }
  if (status == DSM_ERROR_INVALID) {
    cli_note_hidden(path, name, CLI_BUNDLED_SYSTEMS, diags);
  }
  free(path);
  return status;
}

dsm_status cli_load_server(dsm_server **server, const cli_arguments *arguments, const char *name,
                           dsm_diags *diags) {
  char *path;
  dsm_status status = cli_find_input(&path, arguments, name, CLI_BUNDLED_SERVERS, diags);
  if (status == DSM_OK) {
    status = dsm_server_load(server, path, arguments->overrides.server,
                             arguments->overrides.server_count, diags);
  }
  if (status == DSM_ERROR_INVALID) {
    cli_note_hidden(path, name, CLI_BUNDLED_SERVERS, diags);
  }
  free(path);
  return status;
}

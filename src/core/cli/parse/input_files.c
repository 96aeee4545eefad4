/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/input_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/imports.h"
#include "cli/parse/lookup.h"
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/run/complain.h"

/* A plan is edited, not overridden: its decisions may not fit other inputs. */
static dsm_status parse_plan(cli_input_file *loaded, const cli_arguments *arguments,
                             dsm_diags *diags) {
  const cli_override_list *const of = arguments->overrides.of;
  if (of[DSM_DESCRIPTION_WORKLOAD].count + of[DSM_DESCRIPTION_SYSTEM].count > 0) {
    return cli_refuse(diags, DSM_ERROR_USAGE, loaded->path, NULL,
                      "expected no --set for a plan: edit the plan, or explore again");
  }
  return dsm_plan_parse(&loaded->plan, loaded->text, loaded->length, loaded->path,
                        &loaded->recorded, diags);
}

/* --set of a sweep is for all points. */
static dsm_status parse_sweep(cli_input_file *loaded, const cli_arguments *arguments,
                              dsm_diags *diags) {
  const cli_texts *const sets = &arguments->overrides.recorded;
  const dsm_sweep_request request = {.sets = sets->items, .set_count = sets->count};
  return cli_parse_sweep(&loaded->sweep, arguments, loaded->text, loaded->length, loaded->path,
                         &request, diags);
}

/* What the core does not know. */
static dsm_status parse_other(cli_input_file *loaded, const cli_arguments *arguments,
                              dsm_diags *diags) {
  const cli_companion_description *const row = cli_companion_description_of(loaded->kind);
  return row == NULL ? cli_refuse(diags, DSM_ERROR_INVALID, loaded->path, NULL,
                                  "this program was built without what reads a %s",
                                  dsm_description_name(loaded->kind))
                     : row->parse(loaded, arguments, diags);
}

static dsm_status parse_profile(cli_input_file *loaded, const cli_arguments *arguments,
                                const cli_override_list *overrides, dsm_diags *diags) {
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options = arguments->instance != NULL ? *arguments->instance : options;
  options.overrides = overrides->items;
  options.override_count = overrides->count;
  return dsm_profile_parse(&loaded->profile, loaded->text, loaded->length, loaded->path, &options,
                           diags);
}

static dsm_status parse(cli_input_file *loaded, const cli_arguments *arguments, dsm_diags *diags) {
  const cli_override_list *const overrides = &arguments->overrides.of[cli_set_root(loaded->kind)];
  const char *const text = loaded->text;
  const size_t length = loaded->length;
  switch ((int)loaded->kind) {
  case DSM_DESCRIPTION_WORKLOAD:
    return dsm_workload_parse(&loaded->workload, text, length, loaded->path, overrides->items,
                              overrides->count, diags);
  case DSM_DESCRIPTION_SYSTEM:
    return dsm_system_parse(&loaded->system, text, length, loaded->path, overrides->items,
                            overrides->count, diags);
  case DSM_DESCRIPTION_TECHNOLOGY:
    return dsm_technology_parse(&loaded->technology, text, length, loaded->path, overrides->items,
                                overrides->count, diags);
  case DSM_DESCRIPTION_SERVER:
    return dsm_server_parse(&loaded->server, text, length, loaded->path, overrides->items,
                            overrides->count, diags);
  case DSM_DESCRIPTION_PROFILE:
    return parse_profile(loaded, arguments, overrides, diags);
  case DSM_DESCRIPTION_STAGES:
    return dsm_remat_chain_parse(&loaded->chain, text, length, loaded->path, overrides->items,
                                 overrides->count, diags);
  case DSM_DESCRIPTION_PLAN:
    return parse_plan(loaded, arguments, diags);
  case DSM_DESCRIPTION_SWEEP:
    return parse_sweep(loaded, arguments, diags);
  default:
    return parse_other(loaded, arguments, diags);
  }
}

/* What a sweep wrote is no description, but its user may take it for one. */
static dsm_status refuse_database(const char *path, dsm_diags *diags) {
  char hint[256];
  (void)snprintf(hint, sizeof hint, "this shows the database of a sweep: dsm sweep %.150s", path);
  return cli_refuse(diags, DSM_ERROR_INVALID, path, hint,
                    "expected a JSON description, found an SQLite database");
}

/* Reads a description of any kind, and finds out of which. */
static dsm_status read_any(cli_input_file *loaded, const cli_arguments *arguments,
                           dsm_diags *diags) {
  dsm_status status =
      dsm_store_is_database(loaded->path)
          ? refuse_database(loaded->path, diags)
          : cli_read_description(&loaded->text, &loaded->length, loaded->path, arguments, diags);
  if (status == DSM_OK) {
    status =
        dsm_description_detect(&loaded->kind, loaded->text, loaded->length, loaded->path, diags);
    loaded->is_detected = status == DSM_OK;
  }
  return status;
}

cli_input_file cli_load(const cli_arguments *arguments, const char *name, dsm_description kind,
                        dsm_diags *diags) {
  const bool is_any = kind == DSM_DESCRIPTION_COUNT;
  const unsigned kinds = cli_bundled_kinds() & (is_any ? ~0U : 1U << kind);
  cli_input_file loaded = {.kind = is_any ? DSM_DESCRIPTION_WORKLOAD : kind};
  loaded.status = cli_find_input(&loaded.path, arguments, name, kinds, diags);
  if (loaded.status == DSM_OK) {
    loaded.status =
        is_any ? read_any(&loaded, arguments, diags)
        : kind == DSM_DESCRIPTION_WORKLOAD
            ? cli_read_description(&loaded.text, &loaded.length, loaded.path, arguments, diags)
            : dsm_file_read(&loaded.text, &loaded.length, loaded.path, diags);
  }
  if (loaded.status == DSM_OK) {
    loaded.status = parse(&loaded, arguments, diags);
  }
  if (loaded.status == DSM_ERROR_INVALID && !is_any) {
    cli_note_hidden(loaded.path, name, kinds, diags);
  }
  return loaded;
}

dsm_described cli_described(const cli_input_file *loaded, const char *file) {
  dsm_described described = {.file = file,
                             .workload = loaded->workload,
                             .system = loaded->system,
                             .plan = loaded->plan,
                             .sweep = loaded->sweep,
                             .server = loaded->server,
                             .technology = loaded->technology,
                             .profile = loaded->profile,
                             .chain = loaded->chain};
  if (loaded->other != NULL) {
    memcpy((char *)&described + cli_companion_description_of(loaded->kind)->place, &loaded->other,
           sizeof loaded->other);
  }
  return described;
}

void cli_input_file_fini(cli_input_file *loaded) {
  dsm_workload_free(loaded->workload);
  dsm_system_free(loaded->system);
  dsm_plan_free(loaded->plan);
  dsm_sweep_free(loaded->sweep);
  dsm_server_free(loaded->server);
  dsm_technology_free(loaded->technology);
  dsm_instance_free(loaded->profile);
  dsm_remat_chain_free(loaded->chain);
  if (loaded->other != NULL) {
    cli_companion_description_of(loaded->kind)->discard(loaded->other);
  }
  free(loaded->path);
  free(loaded->text);
  *loaded = (cli_input_file){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/input_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/lookup.h"
#include "cli/parse/named_inputs.h"
#include "cli/parse/paths.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"

static dsm_status parse_spec(dsm_sweep **sweep, cli_named_inputs *in, const char *text,
                             size_t length, const char *path, const dsm_sweep_request *request,
                             dsm_diags *diags) {
  const dsm_sweep_source source = {.read = cli_read_named, .context = in};
  char *const folder = cli_folder_of(path);
  const dsm_status status =
      folder == NULL ? cli_note_out_of_memory(diags)
                     : dsm_sweep_make(sweep, text, length, path, folder, request, &source, diags);
  free(folder);
  return status;
}

dsm_status cli_parse_sweep(dsm_sweep **sweep, const cli_arguments *arguments, const char *text,
                           size_t length, const char *path, const dsm_sweep_request *request,
                           dsm_diags *diags) {
  cli_named_inputs in = {.arguments = arguments, .is_stdin_read = strcmp(path, "-") == 0};
  return parse_spec(sweep, &in, text, length, path, request, diags);
}

/* ---- what the command line asks for ---- */

static dsm_sweep_request make_request(const cli_arguments *arguments) {
  const cli_sweep_arguments *const options = &arguments->sweep;
  dsm_sweep_request request = {.varies = options->varies.items,
                               .vary_count = options->varies.count,
                               .excludes = options->excludes.items,
                               .exclude_count = options->excludes.count,
                               .sets = arguments->overrides.recorded.items,
                               .set_count = arguments->overrides.recorded.count};
  request.mode = cli_is_given(arguments, "mode") ? &arguments->options.mode : NULL;
  request.parallelisms =
      cli_is_given(arguments, "parallelism") ? &arguments->options.parallelisms : NULL;
  request.roles = cli_is_given(arguments, "parallelism") ? arguments->options.roles : NULL;
  request.aim = cli_is_given(arguments, "objective") ? &arguments->options.aim : NULL;
  request.power_cap_watts =
      cli_is_given(arguments, "power-cap") ? &arguments->options.power_cap_watts : NULL;
  request.gap = cli_is_given(arguments, "gap") ? &arguments->options.gap : NULL;
  request.time_limit_seconds =
      cli_is_given(arguments, "time-limit") ? &arguments->options.time_limit_seconds : NULL;
  request.record = cli_is_given(arguments, "record") ? &options->record : NULL;
  return request;
}

/* The last part of a path without ".json": its start, and how long it is. */
static const char *stem_of(const char *path, size_t *length) {
  static const char suffix[] = ".json";
  const char *const name = cli_last_part(path);
  *length = strlen(name) - (cli_ends_in(name, suffix) ? sizeof suffix - 1 : 0);
  return name;
}

static char *join_stems(const char *const *names, size_t count) {
  size_t first_length;
  size_t second_length = 0;
  const char *const first = stem_of(names[0], &first_length);
  const char *const second = count < 2 ? "" : stem_of(names[1], &second_length);
  const size_t size = first_length + second_length + 2;
  char *const joined = calloc(size, 1);
  if (joined != NULL) {
    (void)snprintf(joined, size, "%.*s%s%.*s", (int)first_length, first, count < 2 ? "" : "-",
                   (int)second_length, second);
  }
  return joined;
}

static dsm_status make_stem(char **stem, const cli_arguments *arguments, dsm_diags *diags) {
  for (size_t i = 0; i < arguments->operand_count; i++) {
    if (strcmp(arguments->operands[i], "-") == 0) {
      return DSM_OK;
    }
  }
  *stem = join_stems((const char *const *)arguments->operands, arguments->operand_count);
  return *stem == NULL ? cli_note_out_of_memory(diags) : DSM_OK;
}

/* All configurations of a hub are called config.json: files are called after the network then. */
static dsm_status rename_stem(char **stem, const cli_arguments *arguments, const dsm_sweep *sweep,
                              dsm_diags *diags) {
  const dsm_sweep_input *const input = &sweep->workloads[0];
  if (*stem == NULL || strcmp(cli_last_part(arguments->operands[0]), "config.json") != 0) {
    return DSM_OK;
  }
  dsm_workload *workload = NULL;
  dsm_status status =
      dsm_workload_parse(&workload, input->text, input->length, input->file, NULL, 0, NULL);
  if (status == DSM_OK) {
    const char *const names[] = {workload->name, arguments->operands[1]};
    free(*stem);
    *stem = join_stems(names, 2);
    status = *stem == NULL ? cli_note_out_of_memory(diags) : DSM_OK;
  }
  dsm_workload_free(workload);
  return status == DSM_ERROR_INVALID ? DSM_OK : status; /* values that vary may mend it */
}

static dsm_status make_of_spec(dsm_sweep **sweep, const cli_arguments *arguments,
                               cli_named_inputs *in, const dsm_sweep_request *request,
                               dsm_diags *diags) {
  char *path;
  char *text = NULL;
  size_t length = 0;
  dsm_status status =
      cli_find_input(&path, arguments, arguments->operands[0], CLI_TAKES_SWEEP, diags);
  if (status == DSM_OK) {
    status = cli_read_once(in, path, &text, &length, diags);
  }
  if (status == DSM_OK) {
    status = parse_spec(sweep, in, text, length, path, request, diags);
  }
  free(text);
  free(path);
  return status;
}

dsm_status cli_make_sweep(dsm_sweep **sweep, char **stem, const cli_arguments *arguments,
                          dsm_diags *diags) {
  *sweep = NULL;
  *stem = NULL;
  cli_named_inputs in = {.arguments = arguments};
  dsm_sweep_request request = make_request(arguments);
  /* Those of the mode: each point takes of all what its mode has. */
  request.optimizations = arguments->has_optimizations ? &arguments->asked_optimizations : NULL;
  dsm_status status = make_stem(stem, arguments, diags);
  if (status == DSM_OK && arguments->operand_count == 1) {
    status = make_of_spec(sweep, arguments, &in, &request, diags);
  } else if (status == DSM_OK) {
    const dsm_sweep_source source = {.read = cli_read_named, .context = &in};
    const char *const workload = arguments->operands[0];
    const char *const system = arguments->operands[1];
    request.workloads = &workload;
    request.workload_count = 1;
    request.systems = &system;
    request.system_count = 1;
    status = dsm_sweep_make(sweep, NULL, 0, NULL, NULL, &request, &source, diags);
    if (status == DSM_OK) {
      status = rename_stem(stem, arguments, *sweep, diags);
    }
  }
  if (status != DSM_OK) {
    free(*stem);
    *stem = NULL;
  }
  return status;
}

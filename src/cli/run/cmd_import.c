/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_import.c: a file of another program as a workload, files of profilers as a profile. */
#include <stdlib.h>
#include <string.h>

#include "cli/parse/imports.h"
#include "cli/parse/input_files.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

static cli_exit put(const cli_arguments *arguments, const char *text, size_t length) {
  const char *const output = arguments->output;
  return output == NULL || strcmp(output, "-") == 0
             ? cli_put_stdout(text)
             : cli_put_file(arguments, "output", output, text, length);
}

static cli_exit import_network(const cli_arguments *arguments) {
  const char *const path = arguments->operands[0];
  dsm_import_options options = cli_import_options(arguments);
  char *bytes = NULL;
  char *text = NULL;
  size_t byte_count = 0;
  size_t length = 0;
  options.is_strict = arguments->is_strict;
  options.minibatch = arguments->import.minibatch;
  if (cli_is_given(arguments, "from")) {
    options.format = (dsm_import_format)arguments->import.format;
  }
  dsm_status status = cli_read_foreign(&bytes, &byte_count, path, arguments->diags);
  if (status == DSM_OK) {
    status = dsm_import_text(&text, &length, bytes, byte_count, path, &options, arguments->diags);
  }
  cli_print_findings(arguments);
  const cli_exit outcome = status == DSM_OK ? put(arguments, text, length) : cli_exit_of(status);
  free(bytes);
  free(text);
  return outcome;
}

/* ---- profiles ---- */

/* "DEVICE=FILE": what stands before the first '=' of a file, unless that is in a folder. */
static dsm_profile_file split_operand(char *operand) {
  char *const equals = strchr(operand, '=');
  if (equals == NULL || equals == operand ||
      memchr(operand, '/', (size_t)(equals - operand)) != NULL) {
    return (dsm_profile_file){.path = operand};
  }
  *equals = '\0';
  return (dsm_profile_file){.device = operand, .path = equals + 1};
}

static void free_files(dsm_profile_file *files, char **texts, size_t count) {
  for (size_t f = 0; texts != NULL && f < count; f++) {
    free(texts[f]);
  }
  free(texts);
  free(files);
}

/* All files are read, so that the problems of all are reported. */
static cli_exit read_files(dsm_profile_file *files, char **texts, const cli_arguments *arguments) {
  dsm_status status = DSM_OK;
  for (size_t f = 0; f < arguments->operand_count; f++) {
    files[f] = split_operand(arguments->operands[f]);
    const dsm_status one =
        dsm_file_read(&texts[f], &files[f].length, files[f].path, arguments->diags);
    files[f].bytes = texts[f];
    status = one == DSM_OK ? status : one;
  }
  return cli_exit_of(status);
}

static cli_exit write_profile(const cli_arguments *arguments, const dsm_profile_file *files,
                              const dsm_workload *workload) {
  const size_t asked = arguments->import.batch;
  const dsm_profile_import_options options = {
      .workload = workload, .batch = asked > 0 ? asked : 1, .is_strict = arguments->is_strict};
  char *text = NULL;
  const dsm_status status =
      dsm_profile_import(&text, files, arguments->operand_count, &options, arguments->diags);
  cli_print_findings(arguments);
  const cli_exit outcome =
      status == DSM_OK ? put(arguments, text, strlen(text)) : cli_exit_of(status);
  free(text);
  return outcome;
}

static cli_exit import_profile(const cli_arguments *arguments) {
  cli_input_file network = {.status = DSM_OK};
  const size_t count = arguments->operand_count;
  dsm_profile_file *const files = calloc(count, sizeof *files);
  char **const texts = calloc(count, sizeof *texts);
  if (files == NULL || texts == NULL) {
    free_files(files, texts, 0);
    return cli_out_of_memory();
  }
  cli_exit outcome = read_files(files, texts, arguments);
  if (arguments->workload != NULL) {
    network = cli_load(arguments, arguments->workload, DSM_DESCRIPTION_WORKLOAD, arguments->diags);
    outcome = cli_exit_max(outcome, cli_exit_of(network.status));
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = write_profile(arguments, files, network.workload);
  } else {
    cli_print_findings(arguments);
  }
  cli_input_file_fini(&network);
  free_files(files, texts, count);
  return outcome;
}

cli_exit cli_run_import(const cli_arguments *arguments) {
  if (cli_is_given(arguments, "to")) {
    return import_profile(arguments);
  }
  return arguments->operand_count == 1
             ? import_network(arguments)
             : cli_usage_error(arguments->command,
                               "expected FILE, found one more: '%s' (several are taken with --to "
                               "profile)",
                               arguments->operands[1]);
}

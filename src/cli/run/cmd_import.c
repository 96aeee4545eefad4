/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_import.c: a file of another program as a workload. */
#include <stdlib.h>
#include <string.h>

#include "cli/parse/imports.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

static cli_exit put(const cli_arguments *arguments, const char *text, size_t length) {
  const char *const output = arguments->output;
  return output == NULL || strcmp(output, "-") == 0
             ? cli_put_stdout(text)
             : cli_put_file(arguments, "output", output, text, length);
}

cli_exit cli_run_import(const cli_arguments *arguments) {
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/parse/lookup.h"
#include "cli/parse/plan_operand.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"

static cli_exit check_options(const cli_arguments *arguments) {
  if (!cli_is_given(arguments, "to")) {
    return cli_usage_error(arguments->command, "expected what the plan is for: --to TARGET");
  }
  if (arguments->output == NULL) {
    return cli_usage_error(arguments->command, "expected where the files go: -o FOLDER");
  }
  if (strcmp(arguments->output, "-") == 0) {
    return cli_usage_error(arguments->command,
                           "--output: an export is several files, which need a folder");
  }
  return CLI_EXIT_DONE;
}

/* What was made goes into the folder, and is freed. */
static cli_exit write_export(const cli_arguments *arguments, dsm_export *made, dsm_status status) {
  if (status == DSM_OK) {
    status = dsm_folder_write(arguments->output, made->files, made->file_count, arguments->diags);
  }
  cli_print_findings(arguments);
  dsm_export_free(made);
  return cli_exit_of(status);
}

static cli_exit export_plan(const cli_arguments *arguments, const cli_plan_operand *operand) {
  dsm_export *made = NULL;
  const dsm_status status =
      dsm_export_plan(&made, operand->plan, arguments->export_target, arguments->diags);
  return write_export(arguments, made, status);
}

static cli_exit export_partition(const cli_arguments *arguments) {
  dsm_diags *const diags = arguments->diags;
  char *path = NULL;
  dsm_answer partition = {.of = NULL};
  dsm_export *made = NULL;
  dsm_status status = cli_find_input(&path, arguments, arguments->operands[0], 0, diags);
  if (status == DSM_OK) {
    status = dsm_answer_load(&partition, &dsm_answer_partition, path, diags);
  }
  if (status == DSM_OK) {
    status = dsm_export_partition(&made, partition.of, diags);
  }
  const cli_exit outcome = write_export(arguments, made, status);
  dsm_answer_free(&partition);
  free(path);
  return outcome;
}

cli_exit cli_run_export(const cli_arguments *arguments) {
  const cli_exit checked = check_options(arguments);
  if (checked != CLI_EXIT_DONE) {
    return checked;
  }
  return arguments->export_target == DSM_EXPORT_STAGES ? export_partition(arguments)
                                                       : cli_use_plan(arguments, export_plan);
}

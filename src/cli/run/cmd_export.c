/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

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

static cli_exit export_plan(const cli_arguments *arguments, const cli_plan_operand *operand) {
  dsm_export *made;
  dsm_status status =
      dsm_export_plan(&made, operand->plan, arguments->export_target, arguments->diags);
  if (status == DSM_OK) {
    status = dsm_folder_write(arguments->output, made->files, made->file_count, arguments->diags);
  }
  cli_print_findings(arguments);
  dsm_export_free(made);
  return cli_exit_of(status);
}

cli_exit cli_run_export(const cli_arguments *arguments) {
  const cli_exit checked = check_options(arguments);
  return checked == CLI_EXIT_DONE ? cli_use_plan(arguments, export_plan) : checked;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/parse/plan_operand.h"
#include "cli/rows/command.h"
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

static cli_exit export_plan(const cli_arguments *arguments, const dsm_plan *plan) {
  dsm_diags *const diags = dsm_diags_new(1);
  if (diags == NULL) {
    return cli_out_of_memory();
  }
  dsm_export *made;
  dsm_status status = dsm_export_plan(&made, plan, arguments->export_target, diags);
  if (status == DSM_OK) {
    status = dsm_folder_write(arguments->output, made->files, made->file_count, diags);
  }
  cli_print_findings(arguments, diags);
  dsm_export_free(made);
  dsm_diags_free(diags);
  return cli_exit_of(status);
}

cli_exit cli_run_export(const cli_arguments *arguments) {
  cli_exit outcome = check_options(arguments);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  cli_plan_operand operand;
  outcome = cli_load_first_plan(&operand, arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = export_plan(arguments, operand.plan);
  }
  cli_plan_operand_fini(&operand);
  return outcome;
}

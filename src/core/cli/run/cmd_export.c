/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/parse/lookup.h"
#include "cli/parse/plan_operand.h"
#include "cli/rows/companion_command.h"
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

/* An answer of a companion, in a file. */
static cli_exit export_answer(const cli_arguments *arguments, const cli_companion *of) {
  char *path = NULL;
  dsm_export *made = NULL;
  dsm_status status = cli_find_input(&path, arguments, arguments->operands[0], 0, arguments->diags);
  if (status == DSM_OK) {
    status = of->make_export(&made, path, arguments->diags);
  }
  free(path);
  return write_export(arguments, made, status);
}

cli_exit cli_run_export(const cli_arguments *arguments) {
  const cli_exit checked = check_options(arguments);
  if (checked != CLI_EXIT_DONE) {
    return checked;
  }
  for (size_t c = 0; cli_companions[c] != NULL; c++) {
    const cli_companion *const of = cli_companions[c];
    if (of->make_export != NULL && of->target == arguments->export_target) {
      return export_answer(arguments, of);
    }
  }
  return cli_use_plan(arguments, export_plan);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/plan_operand.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"

/* Traces are the only form there is. */
CLI_TEXT_PRINTER(print_trace, dsm_report_step_trace(result))
CLI_TEXT_PRINTER(print_pim_trace, dsm_report_pim_trace(result))

static cli_exit put_trace(const cli_arguments *arguments, const cli_plan_operand *operand) {
  return operand->pim != NULL ? cli_put_text(arguments, print_pim_trace, operand->pim)
                              : cli_put_text(arguments, print_trace, operand->plan);
}

cli_exit cli_run_trace(const cli_arguments *arguments) {
  if (arguments->output == NULL && cli_is_terminal(arguments, stdout)) {
    return cli_usage_error(arguments->command,
                           "expected where the trace goes: -o FILE ('-' is the terminal)");
  }
  return cli_use_plan(arguments, put_trace);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/plan_operand.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

enum { SIDES = 2 };

static dsm_status derive(dsm_diff **diff, const cli_arguments *arguments,
                         const cli_plan_operand sides[SIDES]) {
  if ((sides[0].pim == NULL) != (sides[1].pim == NULL)) {
    return cli_refuse(arguments->diags, DSM_ERROR_INVALID, sides[1].name, NULL,
                      "expected a plan of the same kind of machine as %s, found one of another",
                      sides[0].name);
  }
  return sides[0].pim != NULL
             ? dsm_pim_diff_derive(diff, sides[0].pim, sides[1].pim, arguments->diags)
             : dsm_diff_derive(diff, sides[0].plan, sides[1].plan, arguments->diags);
}

static cli_exit put_diff(const cli_arguments *arguments, const cli_plan_operand sides[SIDES]) {
  dsm_diff *diff = NULL;
  const dsm_status status = derive(&diff, arguments, sides);
  cli_print_findings(arguments);
  if (status != DSM_OK) {
    return cli_exit_of(status);
  }
  for (int i = 0; i < SIDES; i++) {
    cli_note_recorded(arguments, sides[i].name, sides[i].answer);
  }
  const dsm_diffed of = {.a_file = sides[0].name,
                         .b_file = sides[1].name,
                         .diff = diff,
                         .row_limit = arguments->row_limit};
  const cli_exit outcome = cli_put_answer(arguments, DSM_ANSWER(diff, &of));
  dsm_diff_free(diff);
  return outcome;
}

cli_exit cli_run_diff(const cli_arguments *arguments) {
  cli_plan_operand sides[SIDES] = {0};
  cli_exit outcome = CLI_EXIT_DONE;
  for (int i = 0; i < SIDES; i++) {
    outcome = cli_exit_max(
        outcome, cli_exit_of(cli_load_plan(&sides[i], arguments, arguments->operands[i])));
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = put_diff(arguments, sides);
  } else {
    cli_print_findings(arguments);
  }
  for (int i = 0; i < SIDES; i++) {
    cli_plan_operand_fini(&sides[i]);
  }
  return outcome;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/parse/plan_operand.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

enum { SIDES = 2 };

/* Documents that are no plans, of one kind. */
static dsm_status compare(dsm_comparison **comparison, const cli_arguments *arguments,
                          const cli_plan_operand sides[SIDES]) {
  dsm_document of[SIDES];
  for (int i = 0; i < SIDES; i++) {
    if (sides[i].document == NULL) {
      return cli_refuse(arguments->diags, DSM_ERROR_INVALID, sides[i].name, NULL,
                        "expected a document of the same kind as %s, found a plan of a network",
                        sides[1 - i].name);
    }
    of[i] = (dsm_document){sides[i].document, strlen(sides[i].document), sides[i].name};
  }
  return dsm_answer_compare(comparison, sides[0].answer.kind, &of[0], &of[1], 0, arguments->diags);
}

static cli_exit put_diff(const cli_arguments *arguments, const cli_plan_operand sides[SIDES]) {
  const bool are_plans = sides[0].plan != NULL && sides[1].plan != NULL;
  dsm_diff *diff = NULL;
  dsm_comparison *comparison = NULL;
  const dsm_status status =
      are_plans ? dsm_diff_derive(&diff, sides[0].plan, sides[1].plan, arguments->diags)
                : compare(&comparison, arguments, sides);
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
                         .comparison = comparison,
                         .row_limit = arguments->row_limit};
  const cli_exit outcome = cli_put_answer(arguments, DSM_ANSWER(diff, &of));
  dsm_diff_free(diff);
  dsm_comparison_free(comparison);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/plan_operand.h"
#include "cli/rows/command.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

#define FINDINGS_MAX 100

enum { SIDES = 2 };

static char *print_diff(const void *result, cli_format format, dsm_table_style style) {
  const dsm_diffed *const of = result;
  switch (format) {
  case CLI_FORMAT_TABLE:
    return dsm_report_diff_table(of, style);
  case CLI_FORMAT_JSON:
    return dsm_report_diff_json(of);
  case CLI_FORMAT_CSV:
    return dsm_report_diff_csv(of);
  case CLI_FORMAT_JUNIT:
    break;
  }
  return NULL;
}

static cli_exit put_diff(const cli_arguments *arguments, const cli_plan_operand sides[SIDES],
                         dsm_diags *diags) {
  dsm_diff *diff = NULL;
  const dsm_status status = dsm_diff_derive(&diff, sides[0].plan, sides[1].plan, diags);
  cli_print_findings(arguments, diags);
  if (status != DSM_OK) {
    return cli_exit_of(status);
  }
  for (int i = 0; i < SIDES; i++) {
    cli_note_recorded_step(arguments, sides[i].name, sides[i].plan, sides[i].recorded_step_cycles);
  }
  const dsm_diffed of = {.a_file = sides[0].name,
                         .b_file = sides[1].name,
                         .diff = diff,
                         .row_limit = arguments->row_limit};
  const cli_exit outcome = cli_put_result(arguments, print_diff, &of);
  dsm_diff_free(diff);
  return outcome;
}

cli_exit cli_run_diff(const cli_arguments *arguments) {
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  if (diags == NULL) {
    return cli_out_of_memory();
  }
  cli_plan_operand sides[SIDES] = {0};
  cli_exit outcome = CLI_EXIT_DONE;
  for (int i = 0; i < SIDES; i++) {
    outcome = cli_exit_max(
        outcome, cli_exit_of(cli_load_plan(&sides[i], arguments, arguments->operands[i], diags)));
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = put_diff(arguments, sides, diags);
  } else {
    cli_print_findings(arguments, diags);
  }
  for (int i = 0; i < SIDES; i++) {
    cli_plan_operand_fini(&sides[i]);
  }
  dsm_diags_free(diags);
  return outcome;
}

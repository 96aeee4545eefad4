/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/explanation.h"
#include "cli/output.h"
#include "cli/plan_operand.h"

static cli_exit put_score(const cli_arguments *arguments, const dsm_plan *plan) {
  const cli_exit outcome = cli_check_explained_layer(arguments, plan->workload);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  return arguments->explain != NULL ? cli_put_explanation(arguments, plan)
                                    : cli_put_plan(arguments, plan);
}

/* The bound of the searched space, which no plan records. */
static cli_exit add_bound(const cli_arguments *arguments, dsm_plan *plan) {
  dsm_diags *const diags = dsm_diags_new(1);
  if (diags == NULL) {
    return cli_out_of_memory();
  }
  plan->options.thread_count = arguments->options.thread_count;
  const dsm_status status = dsm_plan_bound(plan, diags);
  cli_print_findings(arguments, diags);
  dsm_diags_free(diags);
  return cli_exit_of(status);
}

cli_exit cli_run_score(const cli_arguments *arguments) {
  cli_plan_operand operand;
  cli_exit outcome = cli_load_first_plan(&operand, arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = add_bound(arguments, operand.plan);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = put_score(arguments, operand.plan);
  }
  cli_plan_operand_fini(&operand);
  return outcome;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/plan_operand.h"
#include "cli/rows/command.h"
#include "cli/run/complain.h"
#include "cli/run/elasticity.h"
#include "cli/run/explanation.h"
#include "cli/run/output.h"

static cli_exit put_score(const cli_arguments *arguments, const dsm_plan *plan) {
  const cli_exit outcome = cli_check_explained_layer(arguments, plan->workload);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  return arguments->explain != NULL ? cli_put_explanation(arguments, plan)
                                    : cli_put_plan(arguments, plan);
}

static cli_exit score_elasticity(const cli_arguments *arguments, const dsm_plan *plan) {
  dsm_diags *const diags = dsm_diags_new(1);
  if (diags == NULL) {
    return cli_out_of_memory();
  }
  const cli_exit outcome = cli_put_kept_elasticity(arguments, plan, diags);
  dsm_diags_free(diags);
  return outcome;
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
  if (arguments->elasticity != NULL && arguments->explain != NULL) {
    return cli_usage_error(arguments->command, "--%s and --explain exclude each other",
                           arguments->elasticity);
  }
  cli_plan_operand operand;
  cli_exit outcome = cli_load_first_plan(&operand, arguments);
  if (outcome == CLI_EXIT_DONE && arguments->elasticity != NULL) {
    outcome = score_elasticity(arguments, operand.plan);
  } else if (outcome == CLI_EXIT_DONE) {
    outcome = add_bound(arguments, operand.plan);
    outcome = outcome == CLI_EXIT_DONE ? put_score(arguments, operand.plan) : outcome;
  }
  cli_plan_operand_fini(&operand);
  return outcome;
}

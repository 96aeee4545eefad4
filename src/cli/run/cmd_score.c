/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/plan_operand.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"

/* The bound of the searched space, which no plan records. */
static cli_exit add_bound(const cli_arguments *arguments, dsm_plan *plan) {
  plan->options.thread_count = arguments->options.thread_count;
  const dsm_status status = dsm_plan_bound(plan, arguments->diags);
  cli_print_findings(arguments);
  return cli_exit_of(status);
}

static cli_exit score(const cli_arguments *arguments, const cli_plan_operand *operand) {
  dsm_plan *const plan = operand->plan;
  if (arguments->elasticity != NULL) {
    return cli_put_kept_elasticity(arguments, plan);
  }
  cli_exit outcome = add_bound(arguments, plan);
  if (outcome == CLI_EXIT_DONE) {
    outcome = cli_check_explained_layer(arguments, plan->workload);
  }
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  return arguments->explain != NULL ? cli_put_explanation(arguments, plan)
                                    : cli_put_plan(arguments, plan);
}

cli_exit cli_run_score(const cli_arguments *arguments) {
  if (arguments->elasticity != NULL && arguments->explain != NULL) {
    return cli_usage_error(arguments->command, "--%s and --explain exclude each other",
                           arguments->elasticity);
  }
  const cli_exit outcome = cli_check_rows(arguments);
  return outcome == CLI_EXIT_DONE ? cli_use_plan(arguments, score) : outcome;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/plan_operand.h"
#include "cli/rows/companion_command.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"

/* The bound of the searched space, which no plan records. */
static cli_exit add_bound(const cli_arguments *arguments, dsm_plan *plan) {
  plan->options.thread_count = arguments->options.thread_count;
  return cli_tell(arguments, dsm_plan_bound(plan, arguments->diags));
}

/* An answer that is no plan of a network: what is asked of networks alone has no place. */
static cli_exit score_other(const cli_arguments *arguments, dsm_answer answer) {
  static const char *const of_networks[] = {"explain", "elasticity", "sensitivity",
                                            "top",     "summary",    NULL};
  const char *const given = cli_given_of(arguments, of_networks);
  return given == NULL
             ? cli_put_with_table(arguments, answer, DSM_FORM_JSON)
             : cli_usage_error(arguments->command,
                               "--%s goes with a plan of a network, but '%s' is %s", given,
                               arguments->operands[0], cli_companion_answer_of(answer.kind)->found);
}

static cli_exit score(const cli_arguments *arguments, const cli_plan_operand *operand) {
  if (operand->plan == NULL) {
    return score_other(arguments, operand->answer);
  }
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
  return arguments->explain != NULL
             ? cli_put_explanation(arguments, plan)
             : cli_put_with_table(arguments, DSM_ANSWER(plan, plan), DSM_FORM_JSON);
}

cli_exit cli_run_score(const cli_arguments *arguments) {
  return cli_use_plan(arguments, score);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/parse/plan_operand.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"

/* What a page shows beside the plan. */
typedef struct explored {
  const cli_plan_operand *operand;
  dsm_ladder ladder;
  const dsm_plan *best; /* the last rung: of the plan's own options; NULL: not explored */
  dsm_elasticity *elasticity;
} explored;

/* The ladder, and the best plan of the plan's own space, which tells the bound too. */
static dsm_status explore_again(explored *found, const cli_arguments *arguments) {
  dsm_plan *const plan = found->operand->plan;
  plan->options.thread_count = arguments->options.thread_count;
  const dsm_ladder_request request = {
      .workload = plan->workload, .system = plan->system, .options = &plan->options};
  const dsm_status status = cli_ladder_explore(&found->ladder, arguments, request);
  if (status == DSM_OK) {
    found->best = found->ladder.rungs[found->ladder.count - 1].plan;
    dsm_plan_set_bound(plan, found->best->result.lower_bound_cycles, arguments->diags);
  }
  return status;
}

static dsm_status vary(explored *found, dsm_diags *diags) {
  const dsm_plan *const plan = found->operand->plan;
  const dsm_elasticity_request request = {
      .options = plan->options, .choice = DSM_VARIATIONS_TENTH_BETTER, .kept = plan};
  return dsm_elasticity_derive(&found->elasticity, &request, diags);
}

/* The page of a plan, with what was explored beside it. */
static cli_exit put_page(const cli_arguments *arguments, const explored *found) {
  const cli_plan_operand *const operand = found->operand;
  const bool is_file = !operand->is_point && strcmp(operand->file, "-") != 0;
  const dsm_plan_page page = {.plan = operand->plan,
                              .file = is_file ? operand->file : NULL,
                              .point = operand->is_point ? operand->name : NULL,
                              .recorded_step_cycles = operand->answer.recorded,
                              .best = found->best,
                              .rungs = found->ladder.rungs,
                              .rung_count = found->ladder.count,
                              .elasticity = found->elasticity};
  return cli_put_form(arguments, DSM_ANSWER(plan_page, &page), DSM_FORM_PAGE);
}

static cli_exit report(const cli_arguments *arguments, const cli_plan_operand *operand) {
  if (operand->plan == NULL) {
    return cli_put_form(arguments, operand->answer, DSM_FORM_PAGE);
  }
  explored found = {.operand = operand};
  dsm_status status = explore_again(&found, arguments);
  if (status == DSM_OK) {
    status = vary(&found, arguments->diags);
  }
  cli_print_findings(arguments);
  const cli_exit outcome = status == DSM_OK ? put_page(arguments, &found) : cli_exit_of(status);
  dsm_elasticity_free(found.elasticity);
  dsm_ladder_fini(&found.ladder);
  return outcome;
}

cli_exit cli_run_report(const cli_arguments *arguments) {
  if (arguments->output == NULL && cli_is_terminal(arguments, stdout)) {
    return cli_usage_error(arguments->command,
                           "expected where the page goes: -o FILE ('-' is the terminal)");
  }
  return cli_use_plan(arguments, report);
}

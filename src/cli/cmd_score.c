/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "cli/command.h"
#include "cli/complain.h"
#include "cli/explanation.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "cli/plan_operand.h"

#define FINDINGS_MAX 100

static cli_exit put_score(const cli_arguments *arguments, const dsm_plan *plan) {
  const cli_exit outcome = cli_check_explained_layer(arguments, plan->workload);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  return arguments->explain != NULL ? cli_put_explanation(arguments, plan)
                                    : cli_put_plan(arguments, plan);
}

cli_exit cli_run_score(const cli_arguments *arguments) {
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  if (diags == NULL) {
    return cli_out_of_memory();
  }
  char *path;
  dsm_plan *plan = NULL;
  double recorded_step_cycles = 0;
  dsm_status status = cli_find_input(&path, arguments, arguments->operands[0], 0, diags);
  if (status == DSM_OK) {
    status = dsm_plan_load(&plan, path, &recorded_step_cycles, diags);
  }
  if (status == DSM_OK) {
    plan->options.thread_count = arguments->options.thread_count;
    status = dsm_plan_bound(plan, diags);
  }
  cli_print_findings(arguments, diags);
  cli_exit outcome = cli_exit_of(status);
  if (status == DSM_OK) {
    cli_note_recorded_step(arguments, "the plan", plan, recorded_step_cycles);
    outcome = put_score(arguments, plan);
  }
  dsm_plan_free(plan);
  free(path);
  dsm_diags_free(diags);
  return outcome;
}

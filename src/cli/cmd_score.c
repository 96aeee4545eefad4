/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/complain.h"
#include "cli/explanation.h"
#include "cli/lookup.h"
#include "cli/output.h"

#define FINDINGS_MAX 100

/* A recorded step that is not what the model says now: an edited plan, or another model. */
static void note_difference(const cli_arguments *arguments, const dsm_plan *plan,
                            double recorded_step_cycles) {
  static const double tolerance = 1e-9; /* of two implementations of the model */
  const double step_cycles = plan->result.step_cycles;
  const double change = step_cycles - recorded_step_cycles;
  if (recorded_step_cycles > 0 && fabs(change) > tolerance * recorded_step_cycles) {
    cli_note(arguments, "the plan records %.0f cycles a step, now it is %.0f (%+.1f %%)",
             recorded_step_cycles, step_cycles, 100 * change / recorded_step_cycles);
  }
}

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
    note_difference(arguments, plan, recorded_step_cycles);
    outcome = put_score(arguments, plan);
  }
  dsm_plan_free(plan);
  free(path);
  dsm_diags_free(diags);
  return outcome;
}

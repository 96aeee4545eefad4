/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/predicted.h"

#include <math.h>
#include <stdlib.h>

#include "cli/complain.h"
#include "cli/lookup.h"

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

cli_exit cli_predicted_load(cli_predicted *predicted, const cli_arguments *arguments) {
  *predicted = (cli_predicted){.path = NULL};
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  if (diags == NULL) {
    return cli_out_of_memory();
  }
  dsm_status status = cli_find_input(&predicted->path, arguments, arguments->operands[0], 0, diags);
  if (status == DSM_OK) {
    status =
        dsm_plan_load(&predicted->plan, predicted->path, &predicted->recorded_step_cycles, diags);
  }
  cli_print_findings(arguments, diags);
  dsm_diags_free(diags);
  if (status == DSM_OK) {
    note_difference(arguments, predicted->plan, predicted->recorded_step_cycles);
  }
  return cli_exit_of(status);
}

void cli_predicted_fini(cli_predicted *predicted) {
  dsm_plan_free(predicted->plan);
  free(predicted->path);
}

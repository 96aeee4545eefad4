/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/predicted.h"

#include <stdlib.h>

#include "cli/complain.h"
#include "cli/lookup.h"
#include "cli/plan_operand.h"

#define FINDINGS_MAX 100

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
    cli_note_recorded_step(arguments, "the plan", predicted->plan, predicted->recorded_step_cycles);
  }
  return cli_exit_of(status);
}

void cli_predicted_fini(cli_predicted *predicted) {
  dsm_plan_free(predicted->plan);
  free(predicted->path);
}

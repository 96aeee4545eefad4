/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_pim.c: tables of values on cores in memory. */
#include "cli/parse/input_files.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"

static cli_exit answer(const cli_arguments *arguments, const dsm_rl_workload *workload,
                       const dsm_pim_system *system) {
  const cli_pim_arguments *const asked = &arguments->pim;
  const dsm_pim_options options = {.cores = asked->cores,
                                   .core_count = asked->core_count,
                                   .tasklets = asked->tasklets,
                                   .tasklet_count = asked->tasklet_count,
                                   .transfers = (dsm_pim_transfers)asked->transfers,
                                   .objective = (dsm_pim_objective)asked->objective};
  dsm_pim_plan *plan = NULL;
  const double start = cli_seconds_now();
  const dsm_status status = dsm_pim(&plan, workload, system, &options, arguments->diags);
  cli_print_findings(arguments);
  cli_exit outcome = cli_exit_of(status);
  if (status == DSM_OK) {
    cli_say(arguments, "%s on %s: %.3f s", workload->name, system->name, cli_seconds_now() - start);
    outcome = cli_put_with_table(arguments, DSM_ANSWER(pim, plan), DSM_FORM_JSON);
  }
  dsm_pim_plan_free(plan);
  return outcome;
}

cli_exit cli_run_pim(const cli_arguments *arguments) {
  cli_input_file workload =
      cli_load(arguments, arguments->operands[0], DSM_DESCRIPTION_RL_WORKLOAD, arguments->diags);
  cli_input_file system =
      cli_load(arguments, arguments->operands[1], DSM_DESCRIPTION_PIM_SYSTEM, arguments->diags);
  cli_exit outcome = cli_exit_max(cli_exit_of(workload.status), cli_exit_of(system.status));
  cli_print_findings(arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = answer(arguments, workload.rl_workload, system.pim_system);
  }
  cli_input_file_fini(&workload);
  cli_input_file_fini(&system);
  return outcome;
}

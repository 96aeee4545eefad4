/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_pim.c: tables of values on cores in memory. */
#include <stdlib.h>

#define CLI_ROW_ARGUMENTS cli_pim_arguments
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"
#include "pim/command/pim_arguments.h"

static cli_exit answer(const cli_arguments *arguments, const cli_input_file *workload_file,
                       const cli_input_file *system_file) {
  const dsm_rl_workload *const workload = workload_file->other;
  const dsm_pim_system *const system = system_file->other;
  const cli_pim_arguments *const asked = arguments->own;
  const dsm_pim_options options = {.cores = asked->cores,
                                   .core_count = asked->core_count,
                                   .tasklets = asked->tasklets,
                                   .tasklet_count = asked->tasklet_count,
                                   .transfers = (dsm_pim_transfers)asked->transfers,
                                   .objective = (dsm_pim_objective)asked->objective};
  dsm_pim_plan *plan = NULL;
  const double start = cli_seconds_now();
  const dsm_status status = dsm_pim(&plan, workload, system, &options, arguments->diags);
  cli_exit outcome = cli_tell(arguments, status);
  if (status == DSM_OK) {
    cli_say(arguments, "%s on %s: %.3f s", workload->name, system->name, cli_seconds_now() - start);
    outcome = cli_put_with_table(arguments, DSM_ANSWER(pim, plan), DSM_FORM_JSON);
  }
  dsm_pim_plan_free(plan);
  return outcome;
}

static cli_exit run(const cli_arguments *arguments) {
  return cli_use_pair(arguments, DSM_DESCRIPTION_RL_WORKLOAD, DSM_DESCRIPTION_PIM_SYSTEM, answer);
}

/* ---- its answer ---- */

static double seconds_of(const void *of) {
  return ((const dsm_pim_plan *)of)->cost.seconds;
}

static bool is_in(const dsm_store *store) {
  return dsm_store_is_pim(store);
}

static dsm_status load_point(void **made, dsm_store *store, size_t point, double *seconds,
                             dsm_diags *diags) {
  dsm_pim_plan *plan = NULL;
  const dsm_status status = dsm_store_pim_plan(store, point, &plan, seconds, diags);
  *made = plan;
  return status;
}

static const cli_companion_answer own_answer = {
    .kind = &dsm_answer_pim,
    .commands = CLI_SCORE | CLI_CHECK | CLI_DIFF | CLI_PLOT | CLI_REPORT | CLI_TRACE,
    .expected = "a plan of a network",
    .found = "one of cores in memory",
    .hint = "these show it: dsm report, dsm plot, dsm score, dsm trace",
    .what = "a plan of cores in memory",
    .seconds = seconds_of,
    .is_in = is_in,
    .load_point = load_point};

/* ---- rows ---- */

static const char *transfers_word(size_t index) {
  return index < DSM_PIM_TRANSFERS_COUNT ? dsm_pim_transfers_name((dsm_pim_transfers)index) : NULL;
}

static const char *objective_word(size_t index) {
  return index < DSM_PIM_OBJECTIVE_COUNT ? dsm_pim_objective_name((dsm_pim_objective)index) : NULL;
}

static void init(void *arguments) {
  ((cli_pim_arguments *)arguments)->transfers = DSM_PIM_TRANSFERS_COUNT;
}

static void fini(void *arguments) {
  const cli_pim_arguments *const own = arguments;
  free(own->cores);
  free(own->tasklets);
}

static const cli_option options[] = {
    SET(0, "change a value of an input, such as workload.sampling=random or "
           "system.host.call_us=20. May be given several times"),
    {.name = "cores",
     .argument = "N,...",
     .help = "the number of cores, or several to choose from (default: any number)",
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_counts)},
    {.name = "tasklets",
     .argument = "T,...",
     .help = "the number of tasklets of each core, or several to choose from (default: any number)",
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_counts)},
    {.name = "transfers",
     .argument = "MODE",
     .help = "how the host moves data that differ from core to core: one core after the other "
             "(serial), or all at once (parallel); default: the better",
     WORD(transfers, transfers_word)},
    {.name = "objective",
     .argument = "OBJECTIVE",
     .help = "what to minimize: time (default) or energy; they are the same if the system states "
             "no idle_power_W",
     WORD(objective, objective_word)},
};

const cli_companion cli_companion_pim = {
    .command =
        {.name = "pim",
         .shares = CLI_SHOWS | CLI_WRITES_PLAN,
         .operands = "WORKLOAD SYSTEM",
         .takes = {CLI_TAKES_RL_WORKLOAD, CLI_TAKES_PIM_SYSTEM},
         .operand_min = 2,
         .operand_max = 2,
         .summary = "how many cores in memory are worth it, and where the time goes",
         .description =
             "Finds how many cores of SYSTEM, which sit in its memory chips, and how many "
             "tasklets of each train the table of values of WORKLOAD fastest ('dsm help "
             "rl-workload' and 'dsm help pim-system' show the keys). Shows the time of the kernel "
             "and of transfers from host to cores, from cores to host and between cores; the time "
             "of an update and its roof; the energy; and the time over cores and over tasklets. "
             "If the memories of the cores do not hold the data set, the exit code is 4, and the "
             "message says how many cores would do.",
         .examples =
             {"dsm pim frozen_lake upmem2524",
              "dsm pim taxi upmem2524 --tasklets 1 --transfers serial --cores 125,250,500,2000",
              "dsm pim frozen_lake upmem2524 --set workload.element_type=float32",
              "dsm pim frozen_lake_1000_agents upmem2524 --objective energy",
              "dsm pim frozen_lake upmem2524 -o training.json && dsm check training.json",
              "dsm init pim -o my_pim_system.json"},
         .run = run},
    .after = "check",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_size = sizeof(cli_pim_arguments),
    .init = init,
    .descriptions = cli_pim_descriptions,
    .description_count = CLI_PIM_DESCRIPTION_COUNT,
    .answer = &own_answer,
    .fini = fini,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/explored.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/parse/option_values.h"
#include "cli/run/complain.h"
#include "cli/run/interrupt.h"
#include "cli/run/terminal.h"

/* ---- workloads on systems ---- */

cli_exit cli_use_pair(const cli_arguments *given, dsm_description first, dsm_description second,
                      cli_pair_use *use) {
  cli_arguments arguments = *given;
  cli_input_file workload = cli_load(given, given->operands[0], first, given->diags);
  cli_input_file system = cli_load(given, given->operands[1], second, given->diags);
  cli_exit outcome = cli_exit_max(cli_exit_of(workload.status), cli_exit_of(system.status));
  cli_print_findings(given);
  if (outcome == CLI_EXIT_DONE && system.system != NULL) {
    outcome = cli_settle_options(&arguments, system.system);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = use(&arguments, &workload, &system);
  }
  cli_input_file_fini(&workload);
  cli_input_file_fini(&system);
  return outcome;
}

/* Who hears of plans, and since when one is searched for. */
typedef struct listener {
  const cli_arguments *arguments;
  const dsm_explore_options *options;
  double start;
} listener;

static void hear(void *context, const dsm_plan *plan) {
  listener *const of = context;
  const cli_arguments *const arguments = of->arguments;
  const dsm_search_statistics *const search = &plan->statistics;
  const double start = of->start;
  of->start = cli_seconds_now();
  cli_say(arguments,
          "%s on %s: %" PRIu64 " of %zu layer%s distinct, %" PRIu64 " mapping%s scored, %.3f s",
          plan->workload->name, plan->system->name, search->distinct_layers, plan->layer_count,
          plan->layer_count == 1 ? "" : "s", search->evaluations,
          search->evaluations == 1 ? "" : "s", of->start - start);
  const bool is_worked = of->options->time_limit_seconds <= 0 && !search->is_memory_met;
  if (search->is_stopped && !cli_is_interrupted() && is_worked) {
    cli_note(arguments, "the search ended after as much work as it may take: this is the best plan "
                        "that was found; --time-limit SECONDS lets it go on for so long");
  } else if (search->is_stopped && !cli_is_interrupted()) {
    char limit[64] = "memory limit, a quarter of the machine's,";
    if (!search->is_memory_met) {
      (void)snprintf(limit, sizeof limit, "time limit of %g s", of->options->time_limit_seconds);
    } else if (of->options->memory_limit_GB > 0) {
      (void)snprintf(limit, sizeof limit, "memory limit of %g GB", of->options->memory_limit_GB);
    }
    cli_note(arguments,
             "the %s ended the search: this is the best plan that was found, and another run may "
             "find another one",
             limit);
  }
}

dsm_status cli_explore(dsm_plan **plan, const cli_arguments *arguments,
                       const dsm_workload *workload, const dsm_system *system,
                       const dsm_explore_options *options) {
  listener of = {.arguments = arguments, .options = options, .start = cli_seconds_now()};
  const dsm_status status = dsm_explore(plan, workload, system, options, arguments->diags);
  if (status == DSM_OK) {
    hear(&of, *plan);
  }
  return status;
}

dsm_status cli_ladder_explore(dsm_ladder *ladder, const cli_arguments *arguments,
                              dsm_ladder_request request) {
  listener of = {.arguments = arguments, .options = request.options, .start = cli_seconds_now()};
  request.report = hear;
  request.context = &of;
  return dsm_ladder_explore(ladder, &request, arguments->diags);
}

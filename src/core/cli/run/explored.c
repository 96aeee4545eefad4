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

dsm_status cli_explore(dsm_plan **plan, const cli_arguments *arguments, dsm_explorer *explorer,
                       const dsm_workload *workload, const dsm_system *system,
                       const dsm_explore_options *options) {
  dsm_diags *const diags = arguments->diags;
  const double start = cli_seconds_now();
  const dsm_status status =
      explorer == NULL ? dsm_explore(plan, workload, system, options, diags)
                       : dsm_explorer_explore(explorer, plan, workload, system, options, diags);
  if (status == DSM_OK) {
    cli_say(arguments,
            "%s on %s: %" PRIu64 " of %zu layer%s distinct, %" PRIu64 " mapping%s scored, %.3f s",
            workload->name, system->name, (*plan)->statistics.distinct_layers, (*plan)->layer_count,
            (*plan)->layer_count == 1 ? "" : "s", (*plan)->statistics.evaluations,
            (*plan)->statistics.evaluations == 1 ? "" : "s", cli_seconds_now() - start);
    const dsm_search_statistics *const search = &(*plan)->statistics;
    const bool is_worked = options->time_limit_seconds <= 0 && !search->is_memory_met;
    if (search->is_stopped && !cli_is_interrupted() && is_worked) {
      cli_note(arguments,
               "the search ended after as much work as it may take: this is the best plan "
               "that was found; --time-limit SECONDS lets it go on for so long");
    } else if (search->is_stopped && !cli_is_interrupted()) {
      char limit[64] = "memory limit, a quarter of the machine's,";
      if (!search->is_memory_met) {
        (void)snprintf(limit, sizeof limit, "time limit of %g s", options->time_limit_seconds);
      } else if (options->memory_limit_GB > 0) {
        (void)snprintf(limit, sizeof limit, "memory limit of %g GB", options->memory_limit_GB);
      }
      cli_note(arguments,
               "the %s ended the search: this is the best plan that was found, and another run may "
               "find another one",
               limit);
    }
  }
  return status;
}

/* Explores the next rung, with an optimisation more. The last one is the question itself, and has
 * to have an answer. */
static dsm_status climb(cli_ladder *ladder, const char *name, const cli_arguments *arguments,
                        dsm_explorer *explorer, const cli_ladder_request *request,
                        const dsm_explore_options *options) {
  const size_t rung = ladder->count;
  const bool is_last = options->optimizations == request->options->optimizations;
  const dsm_system *const system =
      rung == 0 && request->base != NULL ? request->base : request->system;
  dsm_status status =
      cli_explore(&ladder->plans[rung], arguments, explorer, request->workload, system, options);
  if (status == DSM_ERROR_INFEASIBLE && !is_last) {
    dsm_diags_clear(arguments->diags);
    status = DSM_OK;
  }
  ladder->rungs[rung] = (dsm_ladder_rung){.name = name,
                                          .plan = ladder->plans[rung],
                                          .system = system->name,
                                          .optimizations = options->optimizations};
  ladder->count++;
  return status;
}

dsm_status cli_ladder_explore(cli_ladder *ladder, const cli_arguments *arguments,
                              const cli_ladder_request *request) {
  *ladder = (cli_ladder){.count = 0};
  /* Rungs have much in common. Without memory for that they are explored one by one. */
  dsm_explorer *const explorer = dsm_explorer_new();
  dsm_optimization additions[DSM_OPTIMIZATION_COUNT];
  const size_t count = dsm_ladder_additions(request->options, additions);
  dsm_explore_options options = *request->options;
  for (size_t i = 0; i < count; i++) {
    options.optimizations &= ~DSM_OPTIMIZATION_BIT(additions[i]);
  }
  dsm_status status = climb(ladder, "none", arguments, explorer, request, &options);
  for (size_t i = 0; i < count && status == DSM_OK; i++) {
    options.optimizations |= DSM_OPTIMIZATION_BIT(additions[i]);
    status =
        climb(ladder, dsm_optimization_name(additions[i]), arguments, explorer, request, &options);
  }
  dsm_explorer_free(explorer);
  return status;
}

void cli_ladder_fini(cli_ladder *ladder) {
  for (size_t rung = 0; rung < ladder->count; rung++) {
    dsm_plan_free(ladder->plans[rung]);
  }
  *ladder = (cli_ladder){.count = 0};
}

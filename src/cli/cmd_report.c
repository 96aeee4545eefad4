/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/complain.h"
#include "cli/explored.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "cli/same_file.h"
#include "cli/terminal.h"

#define FINDINGS_MAX 100

/* All that a page shows. */
typedef struct material {
  char *path;
  dsm_plan *plan;
  double recorded_step_cycles;
  dsm_plan *best;
  cli_ladder ladder;
} material;

static void material_fini(material *found) {
  cli_ladder_fini(&found->ladder);
  dsm_plan_free(found->best);
  dsm_plan_free(found->plan);
  free(found->path);
}

static dsm_status load(material *found, const cli_arguments *arguments, dsm_diags *diags) {
  const dsm_status status =
      cli_find_input(&found->path, arguments, arguments->operands[0], 0, diags);
  return status == DSM_OK
             ? dsm_plan_load(&found->plan, found->path, &found->recorded_step_cycles, diags)
             : status;
}

/* The best plan of the same space, which tells the bound too, and the ladder. */
static dsm_status explore_again(material *found, const cli_arguments *arguments, dsm_diags *diags) {
  dsm_plan *const plan = found->plan;
  plan->options.thread_count = arguments->options.thread_count;
  const cli_ladder_request request = {.workload = plan->workload,
                                      .system = plan->system,
                                      .options = &plan->options,
                                      .may_lack_rungs = true};
  dsm_status status = cli_explore(&found->best, arguments, NULL, plan->workload, plan->system,
                                  &plan->options, diags);
  if (status == DSM_OK) {
    plan->result.lower_bound_cycles =
        fmin(found->best->result.lower_bound_cycles, plan->result.step_cycles);
    status = cli_ladder_explore(&found->ladder, arguments, &request, diags);
  }
  return status;
}

static char *print_page(const void *result, cli_format format, dsm_table_style style) {
  const material *const found = result;
  const bool is_named = strcmp(found->path, "-") != 0;
  const dsm_plan_page page = {.plan = found->plan,
                              .file = is_named ? found->path : NULL,
                              .recorded_step_cycles = found->recorded_step_cycles,
                              .best = found->best,
                              .rungs = found->ladder.rungs,
                              .rung_count = found->ladder.count};
  (void)format;
  (void)style;
  return dsm_report_plan_page(&page);
}

static cli_exit put_page(const cli_arguments *arguments, const material *found) {
  if (arguments->output != NULL && cli_is_same_file(arguments->output, found->path)) {
    return cli_usage_error(arguments->command, "--output: '%s' is the plan itself",
                           arguments->output);
  }
  return cli_put_text(arguments, print_page, found);
}

cli_exit cli_run_report(const cli_arguments *arguments) {
  if (arguments->output == NULL && cli_is_terminal(arguments, stdout)) {
    return cli_usage_error(arguments->command,
                           "expected where the page goes: -o FILE.html ('-' is the terminal)");
  }
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  if (diags == NULL) {
    return cli_out_of_memory();
  }
  material found = {.path = NULL};
  dsm_status status = load(&found, arguments, diags);
  if (status == DSM_OK) {
    status = explore_again(&found, arguments, diags);
  }
  cli_print_findings(arguments, diags);
  const cli_exit outcome =
      status == DSM_OK ? put_page(arguments, &found) : cli_exit_of(status);
  material_fini(&found);
  dsm_diags_free(diags);
  return outcome;
}

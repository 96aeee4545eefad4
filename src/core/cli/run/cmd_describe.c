/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "cli/parse/input_files.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"

typedef struct described {
  dsm_described *items;
  size_t count;
} described;

/* Puts the phase that is asked for in place of a workload. */
static dsm_status derive_phase(const cli_arguments *arguments, cli_input_file *loaded) {
  if (loaded->status != DSM_OK || !cli_is_given(arguments, "phase")) {
    return loaded->status;
  }
  if (loaded->workload == NULL) {
    return cli_refuse(arguments->diags, DSM_ERROR_USAGE, loaded->path, NULL,
                      "expected a workload, of which --phase is");
  }
  dsm_workload *phase = NULL;
  const dsm_status status =
      dsm_workload_phase(&phase, loaded->workload, (dsm_phase)arguments->phase,
                         arguments->positions, arguments->context, arguments->diags);
  if (status == DSM_OK) {
    dsm_workload_free(loaded->workload);
    loaded->workload = phase;
  }
  return status;
}

/* Loads all files; those that cannot be described are reported and left out. */
static cli_exit load_all(const cli_arguments *arguments, cli_input_file *loaded, described *all) {
  cli_exit outcome = CLI_EXIT_DONE;
  for (size_t i = 0; i < arguments->operand_count; i++) {
    loaded[i] =
        cli_load(arguments, arguments->operands[i], DSM_DESCRIPTION_COUNT, arguments->diags);
    loaded[i].status = derive_phase(arguments, &loaded[i]);
    cli_print_findings(arguments);
    outcome = cli_exit_max(outcome, cli_exit_of(loaded[i].status));
    if (loaded[i].status == DSM_OK) {
      all->items[all->count++] = cli_described(&loaded[i], arguments->operands[i]);
    }
  }
  return outcome;
}

/* All files must be read, lest a network be missing unnoticed. */
static cli_exit show_elasticity(const cli_arguments *arguments, const cli_input_file *loaded,
                                cli_exit read) {
  if (read != CLI_EXIT_DONE) {
    return read;
  }
  const cli_exit checked = cli_check_elasticity(arguments, loaded, arguments->operand_count);
  return checked == CLI_EXIT_DONE ? cli_put_elasticity(arguments, loaded, arguments->operand_count)
                                  : checked;
}

/* Of one system alone, as JSON is one document. */
static cli_exit show_budget(const cli_arguments *arguments, const cli_input_file *loaded,
                            cli_exit read) {
  if (read != CLI_EXIT_DONE) {
    return read;
  }
  if (arguments->operand_count > 1 || loaded->system == NULL) {
    return cli_usage_error(arguments->command, "--budget: expected one system, found %s",
                           arguments->operand_count > 1 ? "several files"
                                                        : dsm_description_name(loaded->kind));
  }
  dsm_machine_budget budget = {.system = loaded->system};
  const dsm_status status = dsm_machine_cost_of(loaded->system, &budget.cost, arguments->diags);
  cli_print_findings(arguments);
  return status == DSM_OK ? cli_put_answer(arguments, DSM_ANSWER(budget, &budget))
                          : cli_exit_of(status);
}

/* Is the output one of the inputs? Then nothing is written. */
static bool is_refused(const cli_arguments *arguments, const cli_input_file *loaded) {
  bool is_usage_wrong = false;
  for (size_t i = 0; i < arguments->operand_count; i++) {
    is_usage_wrong = is_usage_wrong || loaded[i].status == DSM_ERROR_USAGE;
  }
  return arguments->output != NULL && is_usage_wrong;
}

static cli_exit show_formats(const cli_arguments *arguments) {
  if (arguments->operand_count > 0) {
    return cli_usage_error(arguments->command, "expected no FILE with --formats, found '%s'",
                           arguments->operands[0]);
  }
  return cli_put_form(arguments, DSM_ANSWER(formats, NULL), DSM_FORM_JSON);
}

cli_exit cli_run_describe(const cli_arguments *arguments) {
  cli_exit outcome = CLI_EXIT_DONE;
  if (arguments->formats != NULL) {
    return show_formats(arguments);
  }
  const size_t count = arguments->operand_count;
  cli_input_file *const loaded = calloc(count, sizeof *loaded);
  described all = {.items = calloc(count, sizeof *all.items)};
  if (loaded == NULL || all.items == NULL) {
    outcome = cli_out_of_memory();
    goto out;
  }
  outcome = load_all(arguments, loaded, &all);
  if (arguments->elasticity != NULL) {
    outcome = show_elasticity(arguments, loaded, outcome);
  } else if (arguments->is_budget) {
    outcome = show_budget(arguments, loaded, outcome);
  } else if (all.count > 0 && !is_refused(arguments, loaded)) {
    outcome = cli_exit_max(
        outcome, cli_put_answer(arguments, DSM_ANSWERS(description, all.items, all.count)));
  }
out:
  for (size_t i = 0; loaded != NULL && i < count; i++) {
    cli_input_file_fini(&loaded[i]);
  }
  free(loaded);
  free(all.items);
  return outcome;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/input_files.h"
#include "cli/parse/optimizations.h"
#include "cli/parse/question.h"
#include "cli/rows/command.h"
#include "cli/run/complain.h"
#include "cli/run/elasticity.h"
#include "cli/run/explanation.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"

#define FINDINGS_MAX 100

/* What an exploration starts from. */
typedef struct inputs {
  dsm_workload *workload;
  dsm_system *system;
  dsm_system *base; /* of a ladder's first rung; NULL: the same system */
} inputs;

static void free_inputs(inputs *in) {
  dsm_workload_free(in->workload);
  dsm_system_free(in->system);
  dsm_system_free(in->base);
  *in = (inputs){0};
}

static cli_exit load_base(inputs *in, const cli_arguments *arguments, dsm_diags *diags) {
  return arguments->ladder_base == NULL
             ? CLI_EXIT_DONE
             : cli_exit_of(cli_load_system(&in->base, arguments, arguments->ladder_base, diags));
}

/* Loads all inputs, so that the problems of all of them are reported, not only of the first. */
static cli_exit load_inputs(inputs *in, const cli_arguments *arguments, dsm_diags *diags) {
  cli_exit outcome =
      cli_exit_of(cli_load_workload(&in->workload, arguments, arguments->operands[0], diags));
  outcome = cli_exit_max(
      outcome, cli_exit_of(cli_load_system(&in->system, arguments, arguments->operands[1], diags)));
  return cli_exit_max(outcome, load_base(in, arguments, diags));
}

/* The option that asks for a comparison of several answers, or NULL. */
static const char *compared_by(const cli_arguments *arguments) {
  return arguments->is_ladder         ? "ladder"
         : arguments->explain != NULL ? "explain"
                                      : arguments->elasticity;
}

static cli_exit check_options(const cli_arguments *arguments) {
  if (arguments->is_ladder && arguments->explain != NULL) {
    return cli_usage_error(arguments->command, "--ladder and --explain exclude each other");
  }
  if (arguments->elasticity != NULL && (arguments->is_ladder || arguments->explain != NULL)) {
    return cli_usage_error(arguments->command, "--%s and %s exclude each other",
                           arguments->elasticity, arguments->is_ladder ? "--ladder" : "--explain");
  }
  if (compared_by(arguments) != NULL && arguments->options.time_limit_seconds > 0) {
    return cli_usage_error(arguments->command,
                           "--%s compares optimal answers, and --time-limit %.9g ends a search "
                           "before it (0: no limit)",
                           compared_by(arguments), arguments->options.time_limit_seconds);
  }
  if (!arguments->is_ladder && arguments->ladder_base != NULL) {
    return cli_usage_error(arguments->command, "--ladder-base needs --ladder");
  }
  dsm_optimization additions[DSM_OPTIMIZATION_COUNT];
  if (arguments->ladder_base != NULL && cli_ladder_additions(&arguments->options, additions) == 0) {
    return cli_usage_error(arguments->command,
                           "--ladder-base is of the first of several rungs: --optimize leaves one");
  }
  return cli_check_optimizations(arguments);
}

static cli_exit explore_once(const cli_arguments *arguments, const inputs *in, dsm_diags *diags) {
  cli_exit outcome = cli_check_explained_layer(arguments, in->workload);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  cli_note_idle_optimizations(arguments, in->workload, in->system);
  dsm_plan *plan = NULL;
  outcome = cli_exit_of(
      cli_explore(&plan, arguments, NULL, in->workload, in->system, &arguments->options, diags));
  cli_print_findings(arguments, diags);
  if (outcome == CLI_EXIT_DONE) {
    outcome = arguments->explain != NULL ? cli_put_explanation(arguments, plan)
                                         : cli_put_plan(arguments, plan);
  }
  dsm_plan_free(plan);
  return outcome;
}

/* ---- the ladder ---- */

static char *print_ladder(const void *result, cli_format format, dsm_table_style style) {
  const cli_ladder *const all = result;
  switch (format) {
  case CLI_FORMAT_TABLE:
    return dsm_report_ladder_table(all->rungs, all->count, style);
  case CLI_FORMAT_JSON:
    return dsm_report_ladder_json(all->rungs, all->count);
  case CLI_FORMAT_CSV:
    return dsm_report_ladder_csv(all->rungs, all->count);
  case CLI_FORMAT_JUNIT:
    break;
  }
  return NULL;
}

static cli_exit explore_ladder(const cli_arguments *arguments, const inputs *in, dsm_diags *diags) {
  const cli_ladder_request request = {.workload = in->workload,
                                      .system = in->system,
                                      .base = in->base,
                                      .options = &arguments->options};
  cli_note_idle_optimizations(arguments, in->workload, in->system);
  cli_ladder all;
  cli_exit outcome = cli_exit_of(cli_ladder_explore(&all, arguments, &request, diags));
  cli_print_findings(arguments, diags);
  if (outcome == CLI_EXIT_DONE) {
    outcome = cli_put_result(arguments, print_ladder, &all);
  }
  cli_ladder_fini(&all);
  return outcome;
}

static cli_exit explore_elasticity(const cli_arguments *arguments, const inputs *in,
                                   dsm_diags *diags) {
  const cli_loaded loaded[] = {{.workload = in->workload}, {.system = in->system}};
  cli_note_idle_optimizations(arguments, in->workload, in->system);
  return cli_put_elasticity(arguments, loaded, sizeof loaded / sizeof loaded[0], diags);
}

/* With inputs that are there, perhaps but for the ladder's base. */
static cli_exit explore_inputs(const cli_arguments *arguments, const inputs *in, dsm_diags *diags) {
  return arguments->is_ladder            ? explore_ladder(arguments, in, diags)
         : arguments->elasticity != NULL ? explore_elasticity(arguments, in, diags)
                                         : explore_once(arguments, in, diags);
}

static cli_exit explore_names(const cli_arguments *arguments, dsm_diags *diags) {
  cli_exit outcome = check_options(arguments);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  inputs in = {0};
  outcome = load_inputs(&in, arguments, diags);
  cli_print_findings(arguments, diags);
  dsm_diags_clear(diags);
  if (outcome == CLI_EXIT_DONE) {
    outcome = explore_inputs(arguments, &in, diags);
  }
  free_inputs(&in);
  return outcome;
}

/* The question of a plan, with what is given in place of its own inputs and options. */
static cli_exit explore_again(const cli_arguments *given, dsm_diags *diags) {
  cli_question question;
  cli_exit outcome = cli_load_question(&question, given);
  const cli_arguments *const arguments = &question.arguments;
  if (outcome == CLI_EXIT_DONE) {
    outcome = check_options(arguments);
  }
  inputs in = {0};
  if (outcome == CLI_EXIT_DONE) {
    outcome = load_base(&in, arguments, diags);
    cli_print_findings(arguments, diags);
    dsm_diags_clear(diags);
  }
  if (outcome == CLI_EXIT_DONE) {
    in.workload = question.baseline->workload;
    in.system = question.baseline->system;
    outcome = explore_inputs(arguments, &in, diags);
  }
  dsm_system_free(in.base);
  cli_question_fini(&question);
  return outcome;
}

cli_exit cli_run_explore(const cli_arguments *arguments) {
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  if (diags == NULL) {
    return cli_out_of_memory();
  }
  const cli_exit outcome = arguments->operand_count == 1 ? explore_again(arguments, diags)
                                                         : explore_names(arguments, diags);
  dsm_diags_free(diags);
  return outcome;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* question.c: what a plan is the answer to. */
#include "cli/parse/plan_operand.h"

#include <stdlib.h>
#include <string.h>

#include "cli/parse/lookup.h"
#include "cli/run/complain.h"

/* A plan as text, of a file or made of a point. */
typedef struct plan_text {
  char *path; /* as found; NULL: the operand is a point */
  char *text;
  size_t length;
  cli_override_list overrides;
} plan_text;

void cli_take_overrides(cli_override_list *taken, const cli_override_list *given) {
  static const char option[] = "--set ";
  static const size_t length = sizeof option - 1;
  for (size_t i = 0; i < given->count; i++) {
    const bool is_set = strncmp(given->items[i].origin, option, length) == 0;
    dsm_override *const to = &taken->items[taken->count++];
    *to = given->items[i];
    to->path = is_set ? to->origin + length : "workload.minibatch";
  }
}

static cli_exit complain_of_one(const cli_arguments *arguments) {
  const cli_command *const command = arguments->command;
  return cli_usage_error(command, "expected %s or %s, found only '%s'", command->operands,
                         command->other_form, arguments->operands[0]);
}

/* ---- the text ---- */

static cli_exit print_point(plan_text *of, const cli_arguments *arguments) {
  cli_plan_operand operand;
  cli_exit outcome = cli_load_first_plan(&operand, arguments);
  if (outcome == CLI_EXIT_DONE) {
    of->text = dsm_plan_print(operand.plan);
    of->length = of->text == NULL ? 0 : strlen(of->text);
    outcome = of->text == NULL ? cli_out_of_memory() : CLI_EXIT_DONE;
  }
  cli_plan_operand_fini(&operand);
  return outcome;
}

static cli_exit refuse_other(const plan_text *of, const cli_arguments *arguments) {
  dsm_description kind = DSM_DESCRIPTION_COUNT;
  const dsm_status status = dsm_description_detect(&kind, of->text, of->length, of->path, NULL);
  if (status == DSM_ERROR_OUT_OF_MEMORY) {
    return cli_out_of_memory();
  }
  return status == DSM_OK && kind == DSM_DESCRIPTION_PLAN ? CLI_EXIT_DONE
                                                          : complain_of_one(arguments);
}

/* A name that is found nowhere may be that of a network, of which the system is missing; one with a
 * slash or an ending is that of a file. */
static bool may_be_network(const char *name) {
  return strpbrk(name, "/.") == NULL;
}

static cli_exit read_file(plan_text *of, const cli_arguments *arguments) {
  dsm_diags *const diags = arguments->diags;
  dsm_status status = cli_find_input(&of->path, arguments, arguments->operands[0], 0, diags);
  if (status == DSM_ERROR_IO && may_be_network(arguments->operands[0])) {
    dsm_diags_clear(diags);
    return complain_of_one(arguments);
  }
  if (status == DSM_OK && dsm_store_is_database(of->path)) {
    return print_point(of, arguments);
  }
  if (status == DSM_OK) {
    status = dsm_file_read(&of->text, &of->length, of->path, diags);
  }
  return status == DSM_OK ? refuse_other(of, arguments) : cli_exit_of(status);
}

static cli_exit take_text(plan_text *of, const cli_arguments *arguments) {
  const cli_override_list *const workload = &arguments->overrides.of[DSM_DESCRIPTION_WORKLOAD];
  const cli_override_list *const system = &arguments->overrides.of[DSM_DESCRIPTION_SYSTEM];
  of->overrides.items = calloc(workload->count + system->count + 1, sizeof *of->overrides.items);
  if (of->overrides.items == NULL) {
    return cli_out_of_memory();
  }
  cli_take_overrides(&of->overrides, workload);
  cli_take_overrides(&of->overrides, system);
  return cli_is_point(arguments->operands[0]) ? print_point(of, arguments)
                                              : read_file(of, arguments);
}

/* ---- the options ---- */

/* Without --optimize those of the plan; where it has all of its system and mode, all now. */
static bool has_all(const cli_arguments *arguments, const dsm_baseline *baseline) {
  const dsm_explore_options *const recorded = &baseline->options;
  return arguments->has_optimizations
             ? arguments->wants_all
             : recorded->optimizations ==
                   dsm_system_optimizations(baseline->system, recorded->mode);
}

/* Both lists: those that the plan records were applied to its inputs before these. */
static bool join_overrides(cli_question *question, const dsm_explore_options *recorded,
                           dsm_explore_options *options) {
  const dsm_explore_options *const given = &question->arguments.options;
  question->overrides =
      calloc(recorded->override_count + given->override_count + 1, sizeof *question->overrides);
  if (question->overrides == NULL) {
    return false;
  }
  for (size_t i = 0; i < recorded->override_count; i++) {
    question->overrides[i] = recorded->overrides[i];
  }
  for (size_t i = 0; i < given->override_count; i++) {
    question->overrides[recorded->override_count + i] = given->overrides[i];
  }
  options->overrides = question->overrides;
  options->override_count = recorded->override_count + given->override_count;
  return true;
}

static cli_exit settle_options(cli_question *question) {
  const cli_arguments *const arguments = &question->arguments;
  const dsm_explore_options *const given = &arguments->options;
  const dsm_explore_options *const recorded = &question->baseline->options;
  dsm_explore_options options = *recorded;
  if (!join_overrides(question, recorded, &options)) {
    return cli_out_of_memory();
  }
  options.thread_count = given->thread_count;
  options.mode = cli_is_given(arguments, "mode") ? given->mode : options.mode;
  question->arguments.wants_all = has_all(arguments, question->baseline);
  options.optimizations =
      (question->arguments.wants_all
           ? dsm_system_optimizations(question->baseline->system, options.mode)
           : 0) |
      (dsm_mode_possible_optimizations(options.mode) &
       (arguments->has_optimizations ? arguments->asked_optimizations : recorded->optimizations));
  if (cli_is_given(arguments, "parallelism")) {
    options.parallelisms = given->parallelisms;
    memcpy(options.roles, given->roles, sizeof options.roles);
  }
  dsm_options_settle(&options);
  for (size_t i = 0; dsm_search_option_get(i) != NULL; i++) {
    const dsm_search_option *const row = dsm_search_option_get(i);
    if (row->reading != DSM_SEARCH_WORDS && cli_is_given(arguments, row->name)) {
      memcpy((char *)&options + row->place, (const char *)given + row->place,
             row->reading == DSM_SEARCH_WORD ? sizeof(unsigned) : sizeof(double));
    }
  }
  options.memory_limit_GB = given->memory_limit_GB; /* which no plan has */
  question->arguments.options = options;
  return CLI_EXIT_DONE;
}

/* ---- both ---- */

cli_exit cli_load_question(cli_question *question, const cli_arguments *arguments) {
  *question = (cli_question){.arguments = *arguments};
  plan_text of = {0};
  cli_exit outcome = take_text(&of, arguments);
  if (outcome == CLI_EXIT_DONE) {
    const char *const name = of.path == NULL ? arguments->operands[0] : of.path;
    outcome =
        cli_exit_of(dsm_question_parse(&question->baseline, of.text, of.length, name,
                                       of.overrides.items, of.overrides.count, arguments->diags));
  }
  cli_print_findings(arguments);
  free(of.path);
  free(of.text);
  free(of.overrides.items);
  return outcome == CLI_EXIT_DONE ? settle_options(question) : outcome;
}

void cli_question_fini(cli_question *question) {
  dsm_baseline_free(question->baseline);
  free(question->overrides);
  *question = (cli_question){0};
}

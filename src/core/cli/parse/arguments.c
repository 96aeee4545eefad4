/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/arguments.h"

#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/run/complain.h"
#include "dsm/suggest.h"

/* What getopt_long returns for row i of the option table is this plus i: above all characters. */
#define FIRST_CODE 256
/* Rows of a list that check and diff show without --all. */
#define ROWS_SHOWN 20

/* The options of a command, as getopt_long wants them. */
typedef struct getopt_tables {
  struct option longs[CLI_OPTIONS_MAX + 1];
  size_t long_count;
  char shorts[2 + 2 * CLI_OPTIONS_MAX + 1];
} getopt_tables;

static getopt_tables make_tables(const cli_command *command) {
  getopt_tables tables = {.shorts = ""};
  size_t used = 0;
  if (command->name == NULL) {
    tables.shorts[used++] = '+'; /* stop at the first operand */
  }
  tables.shorts[used++] = ':'; /* tell missing arguments from unknown options */
  for (size_t i = 0; i < cli_option_count && tables.long_count < CLI_OPTIONS_MAX; i++) {
    const cli_option *const option = &cli_options[i];
    if ((option->commands & command->bit) == 0) {
      continue;
    }
    const int has_argument = option->argument == NULL ? no_argument : required_argument;
    tables.longs[tables.long_count++] =
        (struct option){.name = option->name, .has_arg = has_argument, .val = FIRST_CODE + (int)i};
    if (option->letter != '\0') {
      tables.shorts[used++] = option->letter;
      if (has_argument == required_argument) {
        tables.shorts[used++] = ':';
      }
    }
  }
  return tables;
}

/* The option that a code of getopt_long (a letter, or FIRST_CODE and up) stands for, or NULL. */
static const cli_option *option_of(const cli_command *command, int code) {
  for (size_t i = 0; i < cli_option_count; i++) {
    const cli_option *const option = &cli_options[i];
    const bool is_letter = option->letter != '\0' && code == option->letter;
    if ((option->commands & command->bit) != 0 && (code == FIRST_CODE + (int)i || is_letter)) {
      return option;
    }
  }
  return NULL;
}

/* A long option that getopt_long did not like, as written: unknown, ambiguous, or with an argument
 * that it does not take. */
static cli_exit complain_of_long(const cli_command *command, const getopt_tables *tables,
                                 const char *written) {
  const char *const name = written + strspn(written, "-");
  const size_t length = strcspn(name, "=");
  const char *names[CLI_OPTIONS_MAX];
  size_t match_count = 0;
  const char *match = NULL;
  bool is_exact = false;
  bool has_plans = false; /* the command searches, so that words of frameworks mean something */
  for (size_t i = 0; i < tables->long_count; i++) {
    names[i] = tables->longs[i].name;
    has_plans = has_plans || strcmp(names[i], "optimize") == 0;
    if (strncmp(names[i], name, length) == 0) {
      match_count++;
      match = is_exact ? match : names[i];
      is_exact = is_exact || names[i][length] == '\0';
    }
  }
  const int shown = (int)(length < 100 ? length : 100);
  if (match_count > 1 && !is_exact) {
    return cli_usage_error(command, "option '--%.*s' is ambiguous", shown, name);
  }
  if (match_count > 0) {
    return cli_usage_error(command, "option '--%s' takes no argument", match);
  }
  char plain[101];
  memcpy(plain, name, (size_t)shown);
  plain[shown] = '\0';
  const char *const foreign = has_plans ? cli_foreign_hint(plain) : NULL;
  if (foreign != NULL) {
    return cli_usage_error(command, "unknown option '--%s' (%s)", plain, foreign);
  }
  const char *const nearest = dsm_suggest(plain, names, tables->long_count);
  return nearest == NULL ? cli_usage_error(command, "unknown option '--%s'", plain)
                         : cli_usage_error(command, "unknown option '--%s' (did you mean '--%s'?)",
                                           plain, nearest);
}

static cli_exit complain_of_option(const cli_command *command, const getopt_tables *tables,
                                   int result, const char *written) {
  const cli_option *const option = option_of(command, optopt);
  if (result == ':' && option != NULL) {
    return cli_usage_error(command, "option '--%s' needs an argument, %s", option->name,
                           option->argument);
  }
  if (optopt > 0 && optopt < FIRST_CODE) {
    return cli_usage_error(command, "unknown option '-%c'", optopt);
  }
  return complain_of_long(command, tables, written);
}

static cli_exit parse_options(cli_arguments *arguments, int argc, char *argv[]) {
  const cli_command *const command = arguments->command;
  const getopt_tables tables = make_tables(command);
  optind = 0; /* begin anew */
  opterr = 0;
  while (!arguments->wants_help && !arguments->wants_version) {
    const int result = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
    if (result == -1) {
      break;
    }
    const cli_option *const option = option_of(command, result);
    if (option == NULL) {
      return complain_of_option(command, &tables, result, argv[optind - 1]);
    }
    arguments->is_given[option - cli_options] = true;
    const cli_exit applied = cli_take_value(arguments, option, optarg);
    if (applied != CLI_EXIT_DONE) {
      return applied;
    }
  }
  arguments->operands = argv + optind;
  arguments->operand_count = (size_t)(argc - optind);
  return CLI_EXIT_DONE;
}

static cli_exit check_operands(const cli_arguments *arguments) {
  const cli_command *const command = arguments->command;
  const size_t count = arguments->operand_count;
  if (count > command->operand_max) {
    return cli_usage_error(command, "expected %s, found one more: '%s'", command->operands,
                           arguments->operands[command->operand_max]);
  }
  if (count == 0 && command->operand_min > 0 && arguments->formats == NULL) {
    return cli_usage_error(command, "expected %s", command->operands);
  }
  if (count > 0 && count < command->operand_min) {
    return cli_usage_error(command, "expected %s, found only '%s'", command->operands,
                           arguments->operands[0]);
  }
  size_t stdin_count = 0;
  for (size_t i = 0; i < count; i++) {
    stdin_count += strcmp(arguments->operands[i], "-") == 0 ? 1 : 0;
  }
  for (size_t i = 0; i < cli_option_count; i++) {
    const cli_option *const option = &cli_options[i];
    const bool is_input =
        option->reading == CLI_READ_TEXT && (option->takes & CLI_TAKES_ANY_DESCRIPTION) != 0;
    stdin_count += is_input && arguments->is_given[i] &&
                           strcmp(*(const char *const *)cli_value_of(arguments, option), "-") == 0
                       ? 1
                       : 0;
  }
  return stdin_count > 1 ? cli_usage_error(command, "standard input ('-') can be read only once")
                         : CLI_EXIT_DONE;
}

static cli_exit check_rules(const cli_arguments *arguments) {
  const cli_command *const command = arguments->command;
  for (size_t i = 0; i < cli_rule_count; i++) {
    const cli_rule *const rule = &cli_rules[i];
    const char *const option = cli_given_of(arguments, rule->options);
    const char *const given = cli_given_of(arguments, rule->others);
    if ((rule->commands & command->bit) == 0 || option == NULL) {
      continue;
    }
    const bool is_there = rule->others[0] == NULL ? arguments->operand_count != 1 : given != NULL;
    if (rule->is_need && !is_there) {
      return cli_usage_error(command, "--%s needs %s", option,
                             cli_rule_needs(rule, command->bit).text);
    }
    if (!rule->is_need && is_there) {
      return cli_usage_error(command, "--%s %s --%s%s%s", option, rule->text, given,
                             rule->value == NULL ? "" : rule->value,
                             rule->end == NULL ? "" : rule->end);
    }
  }
  return CLI_EXIT_DONE;
}

static bool has_own(const cli_arguments *arguments) {
  const cli_companion *const of = arguments->command->companion;
  return of != NULL && of->arguments_size > 0;
}

/* List number `index` of texts that an option of the command adds to; NULL after the last. */
static cli_texts *texts_of(cli_arguments *arguments, size_t index) {
  for (size_t i = 0; i < cli_option_count; i++) {
    const cli_option *const option = &cli_options[i];
    if (option->reading == CLI_READ_TEXTS && (option->commands & arguments->command->bit) != 0 &&
        index-- == 0) {
      return cli_place_of(arguments, option);
    }
  }
  return NULL;
}

/* Room for a value from each word of the command line. */
static bool make_room(cli_arguments *arguments, size_t count) {
  cli_overrides *const overrides = &arguments->overrides;
  overrides->texts = calloc(count, sizeof *overrides->texts);
  overrides->recorded.items = calloc(count, sizeof *overrides->recorded.items);
  bool is_made = overrides->texts != NULL && overrides->recorded.items != NULL;
  cli_texts *list;
  for (size_t i = 0; is_made && (list = texts_of(arguments, i)) != NULL; i++) {
    list->items = calloc(count, sizeof *list->items);
    is_made = list->items != NULL;
  }
  for (size_t kind = 0; kind < DSM_DESCRIPTION_COUNT && is_made; kind++) {
    overrides->of[kind].items = calloc(count, sizeof *overrides->of[kind].items);
    is_made = overrides->of[kind].items != NULL;
  }
  return is_made;
}

static bool make_own(cli_arguments *arguments) {
  const cli_companion *const of = arguments->command->companion;
  if (!has_own(arguments)) {
    return true;
  }
  arguments->own = calloc(1, of->arguments_size);
  if (arguments->own != NULL && of->init != NULL) {
    of->init(arguments->own);
  }
  return arguments->own != NULL;
}

/* What follows from several options. Which optimizations there are depends on the mode, which may
 * stand after --optimize. */
static void settle(cli_arguments *arguments) {
  dsm_explore_options *const options = &arguments->options;
  arguments->has_format = cli_is_given(arguments, "format");
  arguments->has_optimizations = cli_is_given(arguments, "optimize");
  arguments->row_limit = arguments->wants_all_rows ? 0 : ROWS_SHOWN;
  options->overrides = arguments->overrides.recorded.items;
  options->override_count = arguments->overrides.recorded.count;
  options->optimizations =
      dsm_mode_possible_optimizations(options->mode) & arguments->asked_optimizations;
}

cli_exit cli_arguments_parse(cli_arguments *arguments, const struct cli_program_kind *program,
                             const cli_command *command, int argc, char *argv[]) {
  *arguments = (cli_arguments){.command = command,
                               .program = program,
                               .wants_all = true,
                               .asked_optimizations = DSM_OPTIMIZATION_ALL,
                               .tolerance = DSM_TOLERANCE_DEFAULT,
                               .sweep = {.shard = {.count = 1}}};
  dsm_explore_options_init(&arguments->options);
  if (!make_own(arguments) || !make_room(arguments, (size_t)argc)) {
    return cli_out_of_memory();
  }
  cli_exit outcome = parse_options(arguments, argc, argv);
  settle(arguments);
  if (arguments->wants_help || arguments->wants_version || command->name == NULL) {
    return outcome;
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = check_operands(arguments);
  }
  return outcome == CLI_EXIT_DONE ? check_rules(arguments) : outcome;
}

bool cli_is_given(const cli_arguments *arguments, const char *option_name) {
  for (size_t i = 0; i < cli_option_count; i++) {
    if (arguments->is_given[i] && strcmp(cli_options[i].name, option_name) == 0) {
      return true;
    }
  }
  return false;
}

const char *cli_given_of(const cli_arguments *arguments, const char *const options[]) {
  size_t i = 0;
  while (options[i] != NULL && !cli_is_given(arguments, options[i])) {
    i++;
  }
  return options[i];
}

void cli_arguments_fini(cli_arguments *arguments) {
  cli_overrides *const overrides = &arguments->overrides;
  for (size_t i = 0; i < overrides->recorded.count; i++) {
    free(overrides->texts[i]);
  }
  free(overrides->texts);
  free(overrides->recorded.items);
  const bool has_places = arguments->own != NULL || !has_own(arguments);
  cli_texts *list;
  for (size_t i = 0; has_places && (list = texts_of(arguments, i)) != NULL; i++) {
    free(list->items);
  }
  for (size_t kind = 0; kind < DSM_DESCRIPTION_COUNT; kind++) {
    free(overrides->of[kind].items);
  }
  if (arguments->own != NULL && arguments->command->companion->fini != NULL) {
    arguments->command->companion->fini(arguments->own);
  }
  free(arguments->own);
  dsm_diags_free(arguments->diags);
  *arguments = (cli_arguments){0};
}

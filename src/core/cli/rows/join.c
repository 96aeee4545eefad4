/* SPDX-License-Identifier: GPL-3.0-or-later */
/* join.c: the rows of the core and of its companions, as one table each. */
#include <assert.h>
#include <string.h>

#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"

enum { COMMANDS_MAX = 32, RULES_MAX = 128 };

static cli_command commands[COMMANDS_MAX];
static cli_option options[CLI_OPTIONS_MAX];
static cli_rule rules[RULES_MAX];

const cli_command *const cli_commands = commands;
const cli_option *const cli_options = options;
const cli_rule *const cli_rules = rules;
size_t cli_command_count;
size_t cli_option_count;
size_t cli_rule_count;

static unsigned bit_of(size_t companion) {
  assert(companion < CLI_COMPANIONS_MAX);
  return (unsigned)CLI_FIRST_COMPANION << companion;
}

static void add_command(const cli_command *row) {
  assert(cli_command_count < COMMANDS_MAX);
  commands[cli_command_count++] = *row;
}

/* An option of a search is read as the library says. */
static void take_search_option(cli_option *row) {
  static const cli_reading readings[] = {[DSM_SEARCH_WORD] = CLI_READ_WORD,
                                         [DSM_SEARCH_COUNT] = CLI_READ_COUNT,
                                         [DSM_SEARCH_NUMBER] = CLI_READ_NUMBER,
                                         [DSM_SEARCH_RATIO] = CLI_READ_RATIO_BELOW};
  const dsm_search_option *const from = dsm_search_option_find(row->name);
  assert(from != NULL && from->reading != DSM_SEARCH_WORDS);
  row->reading = readings[from->reading];
  row->place = offsetof(cli_arguments, options) + from->place;
  row->min = from->least;
  row->max = from->most;
  row->word = from->word;
  row->takes = from->word != NULL ? 0 : row->takes;
}

static void add_option(const cli_option *row, unsigned bits) {
  assert(cli_option_count < CLI_OPTIONS_MAX);
  cli_option *const added = &options[cli_option_count++];
  *added = *row;
  added->commands |= bits;
  if (row->reading == CLI_READ_OF_SEARCH) {
    take_search_option(added);
  }
}

static void add_rule(const cli_rule *row, unsigned bits) {
  assert(cli_rule_count < RULES_MAX);
  rules[cli_rule_count] = *row;
  rules[cli_rule_count++].commands |= bits;
}

/* The command of the core that a companion follows; the last, where none is called so. */
static size_t find_command(const char *after) {
  size_t i = 0;
  while (i + 1 < cli_core_command_count && strcmp(after, cli_core_commands[i].name) != 0) {
    i++;
  }
  return i;
}

static void join_commands(void) {
  for (size_t i = 0; i < cli_core_command_count; i++) {
    add_command(&cli_core_commands[i]);
    for (size_t c = 0; cli_companions[c] != NULL; c++) {
      if (find_command(cli_companions[c]->after) == i) {
        add_command(&cli_companions[c]->command);
        commands[cli_command_count - 1].bit = bit_of(c);
        commands[cli_command_count - 1].companion = cli_companions[c];
      }
    }
  }
}

/* The companions that share what these commands of the core have, an option or a rule. */
static unsigned sharers_of(unsigned of) {
  unsigned bits = 0;
  for (size_t c = 0; cli_companions[c] != NULL; c++) {
    bits |= (of & cli_companions[c]->command.shares) != 0 ? bit_of(c) : 0;
  }
  return bits;
}

/* The first option of the core of that name; the last, where none is called so. */
static size_t find_option(const char *name) {
  size_t i = 0;
  while (i + 1 < cli_core_option_count && strcmp(name, cli_core_options[i].name) != 0) {
    i++;
  }
  return i;
}

/* Those of companions that are called `output`, or the others that stand before an option. */
static void add_own_options(size_t place, bool are_outputs) {
  for (size_t c = 0; cli_companions[c] != NULL; c++) {
    const char *const before = cli_companions[c]->before;
    const bool is_here = find_option(are_outputs      ? "output"
                                     : before == NULL ? "threads"
                                                      : before) == place;
    for (size_t i = 0; is_here && i < cli_companions[c]->option_count; i++) {
      const cli_option *const row = &cli_companions[c]->options[i];
      if ((strcmp(row->name, "output") == 0) == are_outputs) {
        add_option(row, bit_of(c) | sharers_of(row->commands));
      }
    }
  }
}

static void join_options(void) {
  for (size_t i = 0; i < cli_core_option_count; i++) {
    add_own_options(i, false);
    add_own_options(i, true);
    add_option(&cli_core_options[i], sharers_of(cli_core_options[i].commands));
  }
}

static void join_rules(void) {
  for (size_t i = 0; i < cli_core_rule_count; i++) {
    add_rule(&cli_core_rules[i], sharers_of(cli_core_rules[i].commands));
  }
  for (size_t c = 0; cli_companions[c] != NULL; c++) {
    for (size_t i = 0; i < cli_companions[c]->rule_count; i++) {
      add_rule(&cli_companions[c]->rules[i], bit_of(c));
    }
  }
}

void cli_join_rows(void) {
  if (cli_command_count == 0) {
    join_commands();
    join_options();
    join_rules();
  }
}

const cli_companion_answer *cli_companion_answer_of(const dsm_answer_kind *kind) {
  const cli_companion_answer *found = NULL;
  for (size_t c = 0; found == NULL && cli_companions[c] != NULL; c++) {
    const cli_companion_answer *const answer = cli_companions[c]->answer;
    found = answer != NULL && answer->kind == kind ? answer : NULL;
  }
  return found;
}

const cli_companion_answer *cli_companion_answer_in(const dsm_store *store) {
  const cli_companion_answer *found = NULL;
  for (size_t c = 0; found == NULL && cli_companions[c] != NULL; c++) {
    const cli_companion_answer *const answer = cli_companions[c]->answer;
    found = answer != NULL && answer->is_in != NULL && answer->is_in(store) ? answer : NULL;
  }
  return found;
}

unsigned cli_bundled_kinds(void) {
  unsigned kinds = CLI_TAKES_WORKLOAD | CLI_TAKES_SYSTEM | CLI_TAKES_TECHNOLOGY | CLI_TAKES_SWEEP |
                   CLI_TAKES_SERVER | CLI_TAKES_STAGES;
  for (dsm_description kind = 0; kind < DSM_DESCRIPTION_COUNT; kind++) {
    const cli_companion_description *const row = cli_companion_description_of(kind);
    kinds |= row != NULL && row->answer == NULL ? 1U << kind : 0;
  }
  return kinds;
}

const cli_companion_description *cli_companion_description_of(dsm_description kind) {
  for (size_t c = 0; cli_companions[c] != NULL; c++) {
    for (size_t i = 0; i < cli_companions[c]->description_count; i++) {
      if (cli_companions[c]->descriptions[i].kind == kind) {
        return &cli_companions[c]->descriptions[i];
      }
    }
  }
  return NULL;
}

/* Does a companion before that one have a figure of that name too? */
static bool is_figure_before(size_t companion, const char *word) {
  bool is_there = false;
  for (size_t c = 0; c < companion && !is_there; c++) {
    const cli_companion_answer *const answer = cli_companions[c]->answer;
    const char *name = word;
    for (size_t i = 0; answer != NULL && name != NULL && !is_there; i++) {
      name = dsm_answer_figure_name(answer->kind, i);
      is_there = name != NULL && strcmp(name, word) == 0;
    }
  }
  return is_there;
}

const char *cli_companion_figure(size_t index) {
  for (size_t c = 0; cli_companions[c] != NULL; c++) {
    const cli_companion_answer *const answer = cli_companions[c]->answer;
    for (size_t i = 0; answer != NULL && dsm_answer_figure_name(answer->kind, i) != NULL; i++) {
      const char *const word = dsm_answer_figure_name(answer->kind, i);
      if (!cli_is_word(cli_plan_figure_word, word) && !is_figure_before(c, word) && index-- == 0) {
        return word;
      }
    }
  }
  return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/rows/rows.h"

static void add(cli_help_text *help, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(cli_help_text *help, const char *format, ...) {
  const size_t used = strlen(help->text);
  va_list list;
  va_start(list, format);
  (void)vsnprintf(help->text + used, sizeof help->text - used, format, list);
  va_end(list);
}

static bool is_among(const char *const options[], const char *name) {
  size_t i = 0;
  while (options[i] != NULL && strcmp(options[i], name) != 0) {
    i++;
  }
  return options[i] != NULL;
}

/* Those of them that the commands take. */
static void add_options(cli_help_text *help, unsigned commands, const char *const options[],
                        const char *separator) {
  const char *before = "--";
  for (size_t i = 0; i < cli_option_count; i++) {
    const cli_option *const option = &cli_options[i];
    if ((option->commands & commands) != 0 && is_among(options, option->name)) {
      add(help, "%s%s", before, option->name);
      before = separator;
    }
  }
}

cli_help_text cli_rule_needs(const cli_rule *rule, unsigned commands) {
  cli_help_text needs = {{0}};
  add_options(&needs, commands, rule->others, " or --");
  add(&needs, "%s", rule->value == NULL ? "" : rule->value);
  return needs;
}

/* "with --ladder: " */
static void add_needs(cli_help_text *help, unsigned commands, const char *option) {
  for (size_t i = 0; i < cli_rule_count; i++) {
    const cli_rule *const rule = &cli_rules[i];
    if ((rule->commands & commands) != 0 && rule->is_need && is_among(rule->options, option)) {
      add(help, "with %s: ", cli_rule_needs(rule, commands).text);
    }
  }
}

/* " (not with --ladder, --explain)": a rule is read from both of its sides. */
static void add_exclusions(cli_help_text *help, unsigned commands, const char *option) {
  const char *before = " (not with ";
  for (size_t i = 0; i < cli_rule_count; i++) {
    const cli_rule *const rule = &cli_rules[i];
    const bool is_option = is_among(rule->options, option);
    if ((rule->commands & commands) != 0 && !rule->is_need &&
        (is_option || is_among(rule->others, option))) {
      add(help, "%s", before);
      add_options(help, commands, is_option ? rule->others : rule->options, ", --");
      add(help, "%s", is_option && rule->value != NULL ? rule->value : "");
      before = ", ";
    }
  }
  add(help, "%s", before[0] == ',' ? ")" : "");
}

cli_help_text cli_option_help(const cli_option *option, unsigned commands) {
  cli_help_text help = {{0}};
  add_needs(&help, commands, option->name);
  add(&help, "%s", option->help);
  add_exclusions(&help, commands, option->name);
  if (option->word_help != NULL) {
    const size_t used = strlen(help.text);
    option->word_help(help.text + used, sizeof help.text - used);
  }
  return help;
}

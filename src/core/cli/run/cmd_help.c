/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

#define PAGE_WIDTH 80
#define OPTION_COLUMN 26

void cli_print_wrapped(FILE *to, const char *text, size_t column, size_t indent) {
  bool is_line_empty = true;
  for (const char *word = text + strspn(text, " "); *word != '\0'; word += strspn(word, " ")) {
    const size_t length = strcspn(word, " ");
    if (!is_line_empty && column + 1 + length > PAGE_WIDTH) {
      (void)fprintf(to, "\n%*s", (int)indent, "");
      column = indent;
      is_line_empty = true;
    }
    (void)fprintf(to, "%s%.*s", is_line_empty ? "" : " ", (int)length, word);
    column += length + (is_line_empty ? 0 : 1);
    is_line_empty = false;
    word += length;
  }
  (void)fputc('\n', to);
}

/* The option's help with the words it takes. */
static void print_option_help(const cli_option *option, unsigned commands) {
  char text[sizeof(cli_help_text) + 1024];
  int used = snprintf(text, sizeof text, "%s", cli_option_help(option, commands).text);
  for (size_t i = 0; option->word != NULL && option->word(i) != NULL; i++) {
    if (used >= 0 && (size_t)used < sizeof text) {
      used += snprintf(text + used, sizeof text - (size_t)used, "%s%s",
                       i > 0             ? ", "
                       : option->is_list ? ". Words, separated by commas: "
                                         : ": ",
                       option->word(i));
    }
  }
  cli_print_wrapped(stdout, text, OPTION_COLUMN, OPTION_COLUMN);
}

static void print_options(unsigned command_bit) {
  (void)printf("\nOptions:\n");
  for (size_t i = 0; i < cli_option_count; i++) {
    const cli_option *const option = &cli_options[i];
    if ((option->commands & command_bit) == 0) {
      continue;
    }
    char head[64];
    char letter[8] = "    ";
    if (option->letter != '\0') {
      (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    int column = snprintf(head, sizeof head, "  %s--%s%s%s", letter, option->name,
                          option->argument == NULL ? "" : " ",
                          option->argument == NULL ? "" : option->argument);
    (void)printf("%s", head);
    if (column >= OPTION_COLUMN - 1) {
      (void)putchar('\n');
      column = 0;
    }
    (void)printf("%*s", OPTION_COLUMN - column, "");
    print_option_help(option, command_bit);
  }
}

static void print_commands(void) {
  (void)printf("\nCommands:\n");
  for (size_t i = 0; i < cli_command_count; i++) {
    (void)printf("  %-10s %s\n", cli_commands[i].name, cli_commands[i].summary);
  }
}

/* The examples are those of dsm; another program has its own name there. */
static void print_examples(const cli_command *command) {
  static const char usual[] = "dsm ";
  const size_t length = sizeof usual - 1;
  (void)printf("\nExamples:\n");
  for (size_t i = 0; i < CLI_EXAMPLES_MAX && command->examples[i] != NULL; i++) {
    const char *const example = command->examples[i];
    const bool is_usual = strncmp(example, usual, length) == 0;
    (void)printf("  %s%s%s\n", is_usual ? cli_program_name() : "", is_usual ? " " : "",
                 example + (is_usual ? length : 0));
  }
}

static void print_exit_codes(unsigned command_bit) {
  char text[512] = "Exit codes:";
  size_t used = strlen(text);
  const char *separator = " ";
  for (size_t i = 0; i < cli_exit_codes.count; i++) {
    const cli_manual_item *const item = &cli_exit_codes.items[i];
    if ((item->commands & command_bit) != 0 && used < sizeof text) {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", separator, item->head,
                               item->brief);
      separator = ", ";
    }
  }
  if (used < sizeof text) {
    (void)snprintf(text + used, sizeof text - used, ".");
  }
  (void)putchar('\n');
  cli_print_wrapped(stdout, text, 0, 0);
}

void cli_print_help(const cli_command *command) {
  const bool is_program = command->name == NULL;
  const char *const program = cli_program_name();
  (void)printf("Usage: %s %s%s%s%s\n", program, is_program ? "" : command->name,
               is_program ? "" : " ", command->operands,
               is_program ? " [ARGUMENT]..." : " [OPTION]...");
  if (command->other_form != NULL) {
    (void)printf("       %s %s %s [OPTION]...\n", program, command->name, command->other_form);
  }
  (void)putchar('\n');
  cli_print_wrapped(stdout, command->description, 0, 0);
  if (is_program) {
    print_commands();
  }
  print_options(command->bit);
  print_examples(command);
  if (is_program) {
    (void)putchar('\n');
    cli_print_wrapped(
        stdout,
        "'dsm help COMMAND' shows the options of a command, 'dsm help FORMAT' what a file "
        "of a format may hold: workload, system, server, sweep, plan.",
        0, 0);
  }
  print_exit_codes(command->bit);
}

void cli_print_version(void) {
  (void)printf("%s %s\n", cli_program_name(), dsm_version());
}

/* What a format may hold; the build made it of the format's schema. */
static cli_exit put_format(const cli_arguments *arguments, const char *text) {
  (void)arguments;
  return cli_put_stdout(text);
}

/* A sweep is a command and a format: both are shown. */
cli_exit cli_run_help(const cli_arguments *arguments) {
  if (arguments->operand_count == 0) {
    cli_print_help(&cli_program);
    return CLI_EXIT_DONE;
  }
  const char *const word = arguments->operands[0];
  const cli_command *const command = cli_command_find(word);
  const bool is_format = cli_is_word(cli_help_word, word);
  if (command == NULL && !is_format) {
    return cli_complain_of_topic(arguments, word);
  }
  if (command != NULL) {
    cli_print_help(command);
  }
  if (command != NULL && is_format) {
    (void)putchar('\n');
  }
  return is_format ? cli_put_installed(arguments, "help", word, "txt", put_format) : CLI_EXIT_DONE;
}

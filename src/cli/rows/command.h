/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.h: the sub-commands, as rows of one table. */
#ifndef DSM_CLI_ROWS_COMMAND_H
#define DSM_CLI_ROWS_COMMAND_H

#include <stddef.h>

#include "cli/parse/arguments.h"
#include "cli/rows/takes.h"

/* Bits for the options of each command (cli_option.commands). */
enum {
  CLI_PROGRAM = 1 << 0, /**< dsm itself */
  CLI_EXPLORE = 1 << 1,
  CLI_SCORE = 1 << 2,
  CLI_DESCRIBE = 1 << 3,
  CLI_VALIDATE = 1 << 4,
  CLI_HELP = 1 << 5,
  CLI_CHECK = 1 << 6,
  CLI_SWEEP = 1 << 7,
  CLI_PARTITION = 1 << 8,
  CLI_PLOT = 1 << 9,
  CLI_REPORT = 1 << 10,
  CLI_TRACE = 1 << 11,
  CLI_EXPORT = 1 << 12,
  CLI_DIFF = 1 << 13,
  CLI_INIT = 1 << 14,
  CLI_LIST = 1 << 15
};

#define CLI_EXAMPLES_MAX 6
#define CLI_TAKES_MAX 2

typedef struct cli_command {
  const char *name; /**< NULL: the program itself */
  unsigned bit;
  const char *operands;   /**< as shown in the help */
  const char *other_form; /**< options and operands that go together too; NULL: none */
  /** What each operand may be, CLI_TAKES_...; the last one that is not 0 is for those behind too.
   */
  unsigned takes[CLI_TAKES_MAX];
  const char *(*operand_word)(size_t index); /**< words that an operand may be, or NULL */
  size_t operand_min;
  size_t operand_max;
  const char *summary;                    /**< one line */
  const char *description;                /**< a paragraph */
  const char *examples[CLI_EXAMPLES_MAX]; /**< commands that work; unused ones are NULL */
  cli_exit (*run)(const cli_arguments *arguments);
} cli_command;

extern const cli_command cli_program;
extern const cli_command cli_commands[];
extern const size_t cli_command_count;

/** The command of that name, or NULL. */
const cli_command *cli_command_find(const char *name);

/** Says that there is no such command, with the nearest one. Returns CLI_EXIT_USAGE. */
cli_exit cli_command_unknown(const char *name);

/** The kinds of descriptions that `init` writes and `list` shows: number `index`, NULL after the
 * last. */
const char *cli_init_word(size_t index);

/** The formats that `help` is on: number `index`, NULL after the last. */
const char *cli_help_word(size_t index);

cli_exit cli_run_explore(const cli_arguments *arguments);
cli_exit cli_run_score(const cli_arguments *arguments);
cli_exit cli_run_describe(const cli_arguments *arguments);
cli_exit cli_run_validate(const cli_arguments *arguments);
cli_exit cli_run_check(const cli_arguments *arguments);
cli_exit cli_run_sweep(const cli_arguments *arguments);
cli_exit cli_run_partition(const cli_arguments *arguments);
cli_exit cli_run_plot(const cli_arguments *arguments);
cli_exit cli_run_report(const cli_arguments *arguments);
cli_exit cli_run_trace(const cli_arguments *arguments);
cli_exit cli_run_export(const cli_arguments *arguments);
cli_exit cli_run_diff(const cli_arguments *arguments);
cli_exit cli_run_list(const cli_arguments *arguments);
cli_exit cli_run_init(const cli_arguments *arguments);
cli_exit cli_run_help(const cli_arguments *arguments);

#endif

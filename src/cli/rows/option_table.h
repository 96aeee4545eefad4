/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * option_table.h: every option as a row of one table, which the parser, the help, and whatever else
 * lists options (man pages, completions) read.
 */
#ifndef DSM_CLI_ROWS_OPTION_TABLE_H
#define DSM_CLI_ROWS_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/parse/arguments.h"
#include "cli/rows/takes.h"

typedef struct cli_option cli_option;

struct cli_option {
  const char *name;     /**< without the dashes */
  char letter;          /**< short form; '\0': none */
  const char *argument; /**< as shown in the help; NULL: takes none */
  const char *help;
  unsigned commands;                 /**< bits of the commands that take it */
  const char *(*word)(size_t index); /**< the words it takes, NULL after the last; NULL: any text */
  unsigned takes;                    /**< CLI_TAKES_..., of one with an argument but no words */
  bool is_list;                      /**< takes several words, separated by commas */
  /** Takes over the value (NULL without an argument). If not CLI_EXIT_DONE, why was printed. */
  cli_exit (*apply)(cli_arguments *arguments, const cli_option *option, char *value);
};

extern const cli_option cli_options[];
extern const size_t cli_option_count;

#endif

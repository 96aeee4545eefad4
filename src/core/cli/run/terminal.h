/* SPDX-License-Identifier: GPL-3.0-or-later */
/* terminal.h: how wide and how colourful a table may be, and what time it is. */
#ifndef DSM_CLI_RUN_TERMINAL_H
#define DSM_CLI_RUN_TERMINAL_H

#include <stdio.h>

#include "cli/parse/arguments.h"

/** Is a stream (NULL: none) a terminal of the user? */
bool cli_is_terminal(const cli_arguments *arguments, FILE *stream);

/** Does a stream get colour? --color decides; else it must be a terminal that is not dumb, and
 * NO_COLOR must be unset or empty. */
bool cli_has_color(const cli_arguments *arguments, FILE *stream);

/** The style of a table on a stream, or in a file (NULL). Its width is $COLUMNS, else the
 * terminal's, else 100; which rows it has the options say. */
dsm_table_style cli_table_style(const cli_arguments *arguments, FILE *stream);

/** Seconds since some moment that stays the same. */
double cli_seconds_now(void);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* help.h: help and version, printed from the tables of commands and options. */
#ifndef DSM_CLI_RUN_HELP_H
#define DSM_CLI_RUN_HELP_H

#include "cli/rows/command.h"

/** Prints the help of a command, or of the program, to standard output. */
void cli_print_help(const cli_command *command);

void cli_print_version(void);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * complete.h: what could stand on a command line next. The completions of all shells ask the
 * program itself, by `dsm __complete WORD...`, so that they know what it knows.
 */
#ifndef DSM_CLI_PARSE_COMPLETE_H
#define DSM_CLI_PARSE_COMPLETE_H

#include <stddef.h>

#define CLI_COMPLETE_REQUEST "__complete"

/**
 * Prints, for the words behind `dsm` on a command line, of which the last is being written (and may
 * be empty), what that last one could become: a line each, whole, with a tab and a description
 * where there is one. What ends in one of / = . is not at its end yet. Then `:files` if any file
 * would do, `:folders` if any folder would.
 */
void cli_complete(size_t word_count, char *const words[]);

#endif

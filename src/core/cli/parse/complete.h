/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * complete.h: what could stand on a command line next. The completions of all shells ask the
 * program itself, by `dsm __complete WORD...`, so that they know what it knows.
 */
#ifndef DSM_CLI_PARSE_COMPLETE_H
#define DSM_CLI_PARSE_COMPLETE_H

#include "cli/rows/rows.h"

#define CLI_COMPLETE_REQUEST "__complete"

/**
 * Prints, for the words behind `dsm` on a command line, of which the last is being written (and may
 * be empty), what that last one could become: a line each, whole, with a tab and a description
 * where there is one. What ends in one of / = . is not at its end yet. Then `:files` if any file
 * would do, `:folders` if any folder would.
 */
void cli_complete(size_t word_count, char *const words[]);

/* ---- candidates beside the tables: files, names, paths, layers ---- */

#define CLI_OFFERED_OPERANDS_MAX 64

/** The word that is being written, and what stands before it. */
typedef struct cli_unfinished {
  const cli_command *command;
  const char *operands[CLI_OFFERED_OPERANDS_MAX]; /**< those before it */
  size_t operand_count;
  const char *lead; /**< what of the word is there already and stays, such as "--set="; */
  size_t lead_length;
  const char *rest; /**< what is to be completed */
} cli_unfinished;

/** Prints a candidate, lead and text and end, if the text begins with the rest. */
void cli_offer(const cli_unfinished *word, const char *text, const char *end,
               const char *description);

/** Names and files of what is taken: descriptions, databases, folders. */
void cli_offer_files(const cli_unfinished *word, unsigned takes);

/** Names of the layers of the first operand, a workload or a plan. */
void cli_offer_layers(const cli_unfinished *word);

/** Paths of --set, one step at a time; `is_axis`: also the other paths of an axis. */
void cli_offer_paths(const cli_unfinished *word, bool is_axis);

#endif

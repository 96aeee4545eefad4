/* SPDX-License-Identifier: GPL-3.0-or-later */
/* complain.h: everything that goes to standard error. */
#ifndef DSM_CLI_RUN_COMPLAIN_H
#define DSM_CLI_RUN_COMPLAIN_H

#include "cli/rows/rows.h"

/** The program's name, as users call it: what messages begin with. Once, before any message. */
void cli_name_program(const char *name);
const char *cli_program_name(void);

/** Prints `dsm COMMAND: message` and where to find help. Returns CLI_EXIT_USAGE. */
cli_exit cli_usage_error(const cli_command *command, const char *format, ...) DSM_PRINTF(2, 3);

/** " (did you mean 'word'?)" for the nearest of words[0 .. count), or "". */
typedef struct cli_hint {
  char text[192];
} cli_hint;
cli_hint cli_did_you_mean(const char *text, const char *const *words, size_t count);

/** The same of the words word(0), word(1), ... NULL. */
cli_hint cli_did_you_mean_word(const char *text, const char *(*word)(size_t index));

/** Prints `dsm: error: message`. Returns CLI_EXIT_OUTSIDE. */
cli_exit cli_outside_error(const char *format, ...) DSM_PRINTF(1, 2);

/** Prints "out of memory". Returns CLI_EXIT_OUTSIDE. */
cli_exit cli_out_of_memory(void);

/** At the end of a run: where it failed outside and no error was printed, there was no memory for
 * the list of findings. Says so. */
void cli_break_silence(cli_exit outcome);

/** Adds an error to the findings, in a file and with a hint (NULL: none); returns the status. */
dsm_status cli_refuse(dsm_diags *diags, dsm_status status, const char *file, const char *hint,
                      const char *format, ...) DSM_PRINTF(5, 6);

/** Adds it to the findings; DSM_ERROR_OUT_OF_MEMORY. */
DSM_NODISCARD dsm_status cli_note_out_of_memory(dsm_diags *diags);

/** With --verbose: prints `dsm: message`, on the progress of the work. */
void cli_say(const cli_arguments *arguments, const char *format, ...) DSM_PRINTF(2, 3);

/** Prints `note: message` unless the arguments ask for quiet. */
void cli_note(const cli_arguments *arguments, const char *format, ...) DSM_PRINTF(2, 3);

/** Prints all findings in order, and how many more there were; only errors if quiet. */
void cli_print_diags(const cli_arguments *arguments, const dsm_diags *diags);

/** Prints the command's findings so far, and forgets them. */
void cli_print_findings(const cli_arguments *arguments);

/** The same, and what a command that ends so returns. */
static inline cli_exit cli_tell(const cli_arguments *arguments, dsm_status status) {
  cli_print_findings(arguments);
  return cli_exit_of(status);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.h: where results go: standard output, or a file that is written whole or not at all. */
#ifndef DSM_CLI_RUN_OUTPUT_H
#define DSM_CLI_RUN_OUTPUT_H

#include <stdio.h>

#include "cli/rows/rows.h"

/** Writes a text to standard output. */
cli_exit cli_put_stdout(const char *text);

/** Writes a text to the output file, or else to standard output. */
cli_exit cli_put_text(const cli_arguments *arguments, const char *text);

/** Writes what an option asks for to a file, whole or not at all, but never over a database: those
 * hold results that took long. */
cli_exit cli_put_file(const cli_arguments *arguments, const char *option, const char *path,
                      const char *bytes, size_t length);

/** Prints the help of a command, or of the program, to standard output. */
void cli_print_help(const cli_command *command);

void cli_print_version(void);

/** Prints words, broken into lines of a page; the cursor is at `column`, further lines start at
 * `indent`. */
void cli_print_wrapped(FILE *to, const char *text, size_t column, size_t indent);

/** Writes a text that is installed with the program, FOLDER/WORD.ENDING, by `put`. */
cli_exit cli_put_installed(const cli_arguments *arguments, const char *folder, const char *word,
                           const char *ending,
                           cli_exit (*put)(const cli_arguments *arguments, const char *text));

/**
 * Sends an answer to the output file, or else to standard output. Without --format its form follows
 * the file's ending, else it is a table; --quiet leaves a table out that goes to standard output
 * and was not asked for.
 */
cli_exit cli_put_answer(const cli_arguments *arguments, dsm_answer answer);

/** The same of an answer that was made if the status says so, behind what was found. */
cli_exit cli_put_made(const cli_arguments *arguments, dsm_status status, dsm_answer answer);

/** cli_put_answer in one form, whatever the file is called. */
cli_exit cli_put_form(const cli_arguments *arguments, dsm_answer answer, dsm_form form);

/** As cli_put_answer, but with an output file and without --format standard output gets the table
 * as well, and a file of another ending has the form `otherwise`. */
cli_exit cli_put_with_table(const cli_arguments *arguments, dsm_answer answer, dsm_form otherwise);

/** Refuses an output file whose name asks for a form that the command's result does not have,
 * unless --format says which. */
cli_exit cli_check_output_form(const cli_arguments *arguments);

/** Is the form of the result given by the ending of the output file? */
bool cli_output_tells_format(const cli_arguments *arguments);

/**
 * Runs gnuplot with a script on its standard input; what it writes to its standard output becomes
 * *picture, malloc'ed, to be freed by the caller. On failure (it is not installed, complains, makes
 * nothing or what does not begin as `form` does, or takes too long) that was printed, and *picture
 * is NULL.
 */
cli_exit cli_gnuplot_run(const char *script, dsm_plot_form form, char **picture, size_t *length);

/** Has all that was written to standard output arrived? To be called last. */
cli_exit cli_finish_stdout(void);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.h: where results go: standard output, or a file that is written whole or not at all. */
#ifndef DSM_CLI_RUN_OUTPUT_H
#define DSM_CLI_RUN_OUTPUT_H

#include "cli/parse/arguments.h"

/** Writes a text to standard output. */
cli_exit cli_put_stdout(const char *text);

/** Writes what an option asks for to a file, whole or not at all, but never over a database: those
 * hold results that took long. */
cli_exit cli_put_file(const cli_arguments *arguments, const char *option, const char *path,
                      const char *bytes, size_t length);

/** Prints a result in a format; malloc'ed, NULL if out of memory. */
typedef char *cli_printer(const void *result, cli_format format, dsm_table_style style);

/**
 * Sends a result to the output file, or else to standard output. Without --format its form follows
 * the file's ending, else it is a table; --quiet leaves a table out that goes to standard output
 * and was not asked for.
 */
cli_exit cli_put_result(const cli_arguments *arguments, cli_printer *print, const void *result);

/** The same for a result of one form, which is text for programs. */
cli_exit cli_put_text(const cli_arguments *arguments, cli_printer *print, const void *result);

/** As cli_put_result, but with an output file and without --format standard output gets the table
 * as well, and a file of another ending has the form `otherwise`. */
cli_exit cli_put_with_table(const cli_arguments *arguments, cli_printer *print, const void *result,
                            cli_format otherwise);

/** The same for a plan: with an output file but no --format, the file gets JSON (or CSV if it ends
 * in .csv) and standard output the table. */
cli_exit cli_put_plan(const cli_arguments *arguments, const dsm_plan *plan);

/** Is the form of the result given by the ending of the output file? */
bool cli_output_tells_format(const cli_arguments *arguments);

/** Has all that was written to standard output arrived? To be called last. */
cli_exit cli_finish_stdout(void);

#endif

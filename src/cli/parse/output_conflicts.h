/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output_conflicts.h: the files that options name to be written must differ from each other and
 * from all that is read: what was there would be gone. */
#ifndef DSM_CLI_PARSE_OUTPUT_CONFLICTS_H
#define DSM_CLI_PARSE_OUTPUT_CONFLICTS_H

#include "cli/parse/arguments.h"

/** Do two names mean the same regular file, whether there is one already or not? */
bool cli_is_same_file(const char *first, const char *second);

/** Refuses two options that write the same file. */
cli_exit cli_check_written(const cli_arguments *arguments);

/** Is a file that is about to be read one that an option writes? Then DSM_ERROR_USAGE with a
 * finding that names the option. For all commands, where a name has been looked up. */
DSM_NODISCARD dsm_status cli_check_unwritten(const cli_arguments *arguments, const char *path,
                                             dsm_diags *diags);

#endif

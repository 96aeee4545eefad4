/* SPDX-License-Identifier: GPL-3.0-or-later */
/* paths.h: names of files. Those that options name to be written must differ from each other and
 * from all that is read: what was there would be gone. */
#ifndef DSM_CLI_PARSE_PATHS_H
#define DSM_CLI_PARSE_PATHS_H

#include "cli/parse/arguments.h"

/** Longer paths name nothing that can be opened. */
#define CLI_PATH_SIZE 4096

/** Does a name end so, with something before it? */
bool cli_ends_in(const char *name, const char *ending);

/** What is behind the last slash. */
const char *cli_last_part(const char *path);

/** The path of a file in a folder, malloc'ed; NULL if out of memory. */
char *cli_join_path(const char *folder, const char *name);

bool cli_is_folder(const char *path);

/** Do two names mean the same regular file, whether there is one already or not? */
bool cli_is_same_file(const char *first, const char *second);

/** Refuses two options that write the same file. */
cli_exit cli_check_output_conflicts(const cli_arguments *arguments);

/** Is a file that is about to be read one that an option writes? Then DSM_ERROR_USAGE with a
 * finding that names the option. For all commands, where a name has been looked up. */
DSM_NODISCARD dsm_status cli_check_is_no_output(const cli_arguments *arguments, const char *path,
                                                dsm_diags *diags);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imports.h: files of other programs, which become descriptions as soon as they are read. */
#ifndef DSM_CLI_PARSE_IMPORTS_H
#define DSM_CLI_PARSE_IMPORTS_H

#include "cli/parse/arguments.h"

/** dsm_file_read of a description, or of a file of another program, of which *text then is the
 * description. */
DSM_NODISCARD dsm_status cli_read_description(char **text, size_t *length, const char *path,
                                              const cli_arguments *arguments, dsm_diags *diags);

/** Puts the description that a file of another program is in place of its bytes; any other text
 * stays. On failure the text is freed. */
DSM_NODISCARD dsm_status cli_make_description(char **text, size_t *length, const char *path,
                                              const cli_arguments *arguments, dsm_diags *diags);

/** Reads a file that may be of another program, and as large as these are. */
DSM_NODISCARD dsm_status cli_read_foreign(char **bytes, size_t *length, const char *path,
                                          dsm_diags *diags);

#endif

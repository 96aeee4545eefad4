/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lookup.h: which file a name on the command line means. A name without a slash that is no file in
 * the current folder is looked for in the folders of $DSM_PATH (colon-separated), then among the
 * bundled descriptions (../share/dsm beside the program's folder), each with and without ".json".
 */
#ifndef DSM_CLI_PARSE_LOOKUP_H
#define DSM_CLI_PARSE_LOOKUP_H

#include "cli/parse/arguments.h"
#include "dsm/dsm.h"

/**
 * Finds the file of a name, also among the bundled descriptions of some kinds, bits CLI_TAKES_...
 * *path is malloc'ed, to be freed by the caller; NULL unless DSM_OK.
 * DSM_ERROR_IO with one finding, which says where it was looked for; DSM_ERROR_USAGE for a file
 * that an option is to write; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_NODISCARD dsm_status cli_find_input(char **path, const cli_arguments *arguments,
                                        const char *name, unsigned bundled, dsm_diags *diags);

/** cli_find_input, after looking, with and without ".json", in a folder; NULL: none. */
DSM_NODISCARD dsm_status cli_find_beside(char **path, const cli_arguments *arguments,
                                         const char *name, const char *folder, unsigned bundled,
                                         dsm_diags *diags);

/** Where `path`, found for a name, cannot be used: adds a note if a bundled description of one of
 * these kinds would have been found had it not been there. */
void cli_note_hidden(const char *path, const char *name, unsigned bundled, dsm_diags *diags);

/** Finds a file that is installed with the program, such as templates/workload.json; as
 * cli_find_input. */
DSM_NODISCARD dsm_status cli_find_installed(char **path, const char *folder, const char *name,
                                            dsm_diags *diags);

/** Takes a name as users write it, without ".json", and the folder that it was found in. */
typedef void cli_name_visitor(void *context, const char *name, const char *folder);

/** Visits what can be found by name, apart from files in the current folder: the descriptions in
 * the folders of $DSM_PATH, and the bundled ones of these kinds. */
void cli_visit_names(unsigned bundled, cli_name_visitor *visit, void *context);

#endif

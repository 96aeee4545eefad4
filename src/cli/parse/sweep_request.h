/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_request.h: a sweep from what a command line names. */
#ifndef DSM_CLI_PARSE_SWEEP_REQUEST_H
#define DSM_CLI_PARSE_SWEEP_REQUEST_H

#include "cli/parse/arguments.h"

/** Makes the sweep of a specification's text, which was read from `path`. `request` may be NULL.
 * Statuses as of dsm_sweep_make. */
DSM_NODISCARD dsm_status cli_parse_sweep(dsm_sweep **sweep, const cli_arguments *arguments,
                                         const char *text, size_t length, const char *path,
                                         const dsm_sweep_request *request, dsm_diags *diags);

/** Makes the sweep that the operands SPEC, or WORKLOAD SYSTEM, and the options ask for. *stem,
 * malloc'ed, is what its files are called after; NULL if standard input is involved. */
DSM_NODISCARD dsm_status cli_make_sweep(dsm_sweep **sweep, char **stem,
                                        const cli_arguments *arguments, dsm_diags *diags);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_results.h: what is shown of the results in a sweep's database. */
#ifndef DSM_CLI_RUN_SWEEP_RESULTS_H
#define DSM_CLI_RUN_SWEEP_RESULTS_H

#include "cli/parse/arguments.h"

/** Are the objectives of --by and --pareto some that the database has? To be asked before a long
 * run. */
DSM_NODISCARD dsm_status cli_check_objectives(const cli_arguments *arguments, dsm_store *store,
                                              dsm_diags *diags);

/**
 * Prints the results in a database that was opened from `path`: with a format (--format, or the
 * ending of the output file) its points, or the best or the Pareto front; else a summary, and the
 * best. Findings are printed.
 */
cli_exit cli_put_points(const cli_arguments *arguments, dsm_store *store, const char *path);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_view.h: what is shown of a sweep: its results, and how far it is. */
#ifndef DSM_CLI_RUN_SWEEP_VIEW_H
#define DSM_CLI_RUN_SWEEP_VIEW_H

#include "cli/run/status_line.h"

typedef struct cli_progress {
  cli_status_line line;
  const dsm_sweep *sweep;
  double best_step_seconds; /**< of this run; 0: none yet */
  size_t best_point;
} cli_progress;

void cli_progress_begin(cli_progress *progress, const cli_arguments *arguments,
                        const dsm_sweep *sweep);

/** Takes note of what dsm_sweep_run reports, and shows it if it is time to. */
void cli_progress_note(cli_progress *progress, const dsm_sweep_progress *at);

/** Takes the line away; with --verbose says what the run took. To be called before anything else is
 * written to standard error. */
void cli_progress_end(cli_progress *progress, const dsm_sweep_progress *at);

/* ---- results ---- */

/** Adds the columns of --define. */
DSM_NODISCARD dsm_status cli_define_columns(const cli_arguments *arguments, dsm_point_table *table);

/** Are the objectives of --by and --pareto some that the database has? To be asked before a long
 * run. */
DSM_NODISCARD dsm_status cli_check_objectives(const cli_arguments *arguments, dsm_store *store);

/**
 * Prints the results in a database that was opened from `path`: with a format (--format, or the
 * ending of the output file) its points, or the best or the Pareto front; else a summary, and the
 * best. Findings are printed.
 */
cli_exit cli_put_points(const cli_arguments *arguments, dsm_store *store, const char *path);

#endif

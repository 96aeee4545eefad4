/* SPDX-License-Identifier: GPL-3.0-or-later */
/* progress.h: how far a sweep is, on standard error: a line that is written again and again on a
 * terminal; elsewhere, with --verbose, a line now and then. */
#ifndef DSM_CLI_RUN_PROGRESS_H
#define DSM_CLI_RUN_PROGRESS_H

#include "cli/parse/arguments.h"

typedef struct cli_progress {
  const cli_arguments *arguments;
  const dsm_sweep *sweep;
  bool is_line;       /**< standard error is a terminal and may be written to */
  size_t line_length; /**< of the line that stands there now */
  double start_seconds;
  double shown_seconds;     /**< when it was last shown */
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

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* program.h: all of a program but its main: dsm and dsm-mpi differ in how they run a sweep. */
#ifndef DSM_CLI_RUN_PROGRAM_H
#define DSM_CLI_RUN_PROGRAM_H

#include "cli/run/exit_code.h"
#include "dsm/dsm.h"

/** Evaluates the points of a sweep, as dsm_sweep_run. */
typedef dsm_status cli_sweep_runner(dsm_store *store, const dsm_sweep *sweep,
                                    const dsm_sweep_run_options *options,
                                    dsm_sweep_progress *progress, dsm_diags *diags);

typedef struct cli_program_kind {
  const char *name;   /**< as users call it */
  bool is_for_sweeps; /**< it has no command but `sweep` */
  bool has_terminal;  /**< its standard output, if that is a terminal, is the user's */
  cli_sweep_runner *run_sweep;
} cli_program_kind;

/**
 * Makes sure that descriptors 0 to 2 are open, so that no file of ours gets one of these numbers
 * and what is printed ends in it. One that was closed can be neither read nor written afterwards,
 * as before. The first thing that a program does. False if they cannot be opened.
 */
bool cli_occupy_standard_descriptors(void);

/** Finds the command, runs it, and makes sure that its output has arrived. Returns the exit code.
 */
int cli_main(const cli_program_kind *kind, int argc, char *argv[]);

/** Where an exit code stands for SIGPIPE, ends the program by it, now that all is closed; else
 * returns the code. */
int cli_end(int outcome);

#endif

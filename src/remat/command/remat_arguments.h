/* SPDX-License-Identifier: GPL-3.0-or-later */
/* remat_arguments.h: what only `dsm remat` is told. */
#ifndef DSM_REMAT_COMMAND_REMAT_ARGUMENTS_H
#define DSM_REMAT_COMMAND_REMAT_ARGUMENTS_H

#include "cli/rows/rows.h"

/** What only `remat` takes. */
typedef struct cli_remat_arguments {
  dsm_remat_options options;
  double budget_ratio;    /**< of what keeping everything needs; 0: not given */
  size_t devices;         /**< 0: not given */
  size_t micro_batches;   /**< 0: not given */
  const char *chain_file; /**< NULL: not given */
} cli_remat_arguments;

cli_exit cli_run_remat(const cli_arguments *arguments);

#endif

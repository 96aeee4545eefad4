/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_arguments.h: what only `dsm storage` is told. */
#ifndef DSM_STORAGE_COMMAND_STORAGE_ARGUMENTS_H
#define DSM_STORAGE_COMMAND_STORAGE_ARGUMENTS_H

#include "cli/rows/rows.h"

/** What only `storage` takes. Numbers are 0 and texts NULL where they are not given. */
typedef struct cli_storage_arguments {
  dsm_storage_options options;
  double samples_per_second;
  double flop_per_second;
  double demand_GBps;
  size_t mini_epochs;
  size_t max_mini_epochs;
  size_t threshold;
  size_t window;
  const char *repeats;
  const char *times;
  const char *weights;
  const char *trace;
  unsigned
      rule; /**< number of a word of --adaptive, of a rule behind "none"; if --adaptive is given */
} cli_storage_arguments;

cli_exit cli_run_storage(const cli_arguments *arguments);

#endif

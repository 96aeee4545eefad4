/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_arguments.h: what only `dsm partition` is told. */
#ifndef DSM_PARTITION_COMMAND_PARTITION_ARGUMENTS_H
#define DSM_PARTITION_COMMAND_PARTITION_ARGUMENTS_H

#include "cli/rows/rows.h"

/** What only `partition` takes. */
typedef struct cli_partition_arguments {
  cli_texts pins;
  cli_texts groups;
  cli_texts batches;         /**< of devices */
  const char *profile;       /**< NULL: not given */
  const char *write_profile; /**< NULL: not given */
  dsm_partition_options options;
  dsm_front_options front; /**< but for `partition`; no objectives: no front is asked for */
  dsm_instance_options instance;
  bool is_simulation;
  dsm_dispatch_options dispatch; /**< but for its rule and for a trace */
  bool has_requests;             /**< of the simulation, given: then also its window */
  dsm_dispatch_rule rule;
  const char *mps;   /**< NULL: not given */
  const char *trace; /**< NULL: not given */
} cli_partition_arguments;

/** Takes over the settings of --simulate. */
cli_exit cli_apply_simulate(cli_arguments *arguments, const cli_option *option, char *value);

cli_exit cli_run_partition(const cli_arguments *arguments);

#endif

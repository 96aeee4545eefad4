/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_arguments.h: what only `dsm pim` is told. */
#ifndef DSM_PIM_COMMAND_PIM_ARGUMENTS_H
#define DSM_PIM_COMMAND_PIM_ARGUMENTS_H

#include "cli/rows/companion_command.h"

/** What only `pim` takes. */
typedef struct cli_pim_arguments {
  uint64_t *cores; /**< malloc'ed */
  size_t core_count;
  uint64_t *tasklets; /**< malloc'ed */
  size_t tasklet_count;
  unsigned transfers; /**< a dsm_pim_transfers */
  unsigned objective; /**< a dsm_pim_objective */
} cli_pim_arguments;

/** Kinds of descriptions that it knows. */
enum { CLI_PIM_DESCRIPTION_COUNT = 3 };
extern const cli_companion_description cli_pim_descriptions[CLI_PIM_DESCRIPTION_COUNT];

/** Takes over the counts of --cores and --tasklets. */
cli_exit cli_apply_counts(cli_arguments *arguments, const cli_option *option, char *value);

#endif

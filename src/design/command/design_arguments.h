/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_arguments.h: what only `dsm design` is told. */
#ifndef DSM_DESIGN_COMMAND_DESIGN_ARGUMENTS_H
#define DSM_DESIGN_COMMAND_DESIGN_ARGUMENTS_H

#include "cli/rows/rows.h"

/** What only `design` takes. */
typedef struct cli_design_arguments {
  cli_texts varies;
  cli_texts defines;
  cli_texts budgets;
  const char *minimize; /**< NULL: not given */
  const char *pareto;   /**< likewise */
  double gap;
  double time_limit_seconds; /**< 0: none */
  double memory_limit_GB;    /**< 0: none */
  size_t exploration_limit;  /**< 0: none */
  const char *database;      /**< NULL: none */
  const char *plans;         /**< a folder; NULL: none is written */
} cli_design_arguments;

cli_exit cli_run_design(const cli_arguments *arguments);

#endif

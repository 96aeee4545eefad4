/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explored.h: explorations for commands, one or a ladder of them. */
#ifndef DSM_CLI_RUN_EXPLORED_H
#define DSM_CLI_RUN_EXPLORED_H

#include "cli/parse/arguments.h"

/** dsm_explore, or dsm_explorer_explore if there is an explorer; with --verbose also says what it
 * did. */
DSM_NODISCARD dsm_status cli_explore(dsm_plan **plan, const cli_arguments *arguments,
                                     dsm_explorer *explorer, const dsm_workload *workload,
                                     const dsm_system *system, const dsm_explore_options *options,
                                     dsm_diags *diags);

/** Most rungs of a ladder. */
#define CLI_RUNGS_MAX (DSM_OPTIMIZATION_COUNT + 1)

/** Plans with ever more optimizations. All zero is an empty one. */
typedef struct cli_ladder {
  dsm_ladder_rung rungs[CLI_RUNGS_MAX];
  dsm_plan *plans[CLI_RUNGS_MAX];
  size_t count;
} cli_ladder;

/** What a ladder is explored from; all pointers are borrowed. */
typedef struct cli_ladder_request {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_system *base;             /**< of the first rung; NULL: the same system */
  const dsm_explore_options *options; /**< of the last rung */
  bool may_lack_rungs;                /**< one before the last that does not fit has no plan; else
                                           that is a failure */
} cli_ladder_request;

/** Explores all rungs, each with an optimization more, up to those of the options: the last rung is
 * the plan of the question itself. To be freed with cli_ladder_fini in any
 * case. */
DSM_NODISCARD dsm_status cli_ladder_explore(cli_ladder *ladder, const cli_arguments *arguments,
                                            const cli_ladder_request *request, dsm_diags *diags);

void cli_ladder_fini(cli_ladder *ladder);

#endif

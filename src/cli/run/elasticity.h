/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elasticity.h: how much each parameter of a system matters (`--elasticity`, and `--sensitivity`:
 * in small steps). */
#ifndef DSM_CLI_RUN_ELASTICITY_H
#define DSM_CLI_RUN_ELASTICITY_H

#include "cli/parse/arguments.h"
#include "cli/parse/input_files.h"

/** Can these descriptions be used, and no option be in vain? Else says so and returns
 * CLI_EXIT_USAGE. */
cli_exit cli_check_elasticity(const cli_arguments *arguments, const cli_loaded *loaded,
                              size_t count);

/** Shows it for each system, with the workloads, or with bundled ones where there is none. */
cli_exit cli_put_elasticity(const cli_arguments *arguments, const cli_loaded *loaded, size_t count,
                            dsm_diags *diags);

/** Shows it for a plan, whose mapping is kept. */
cli_exit cli_put_kept_elasticity(const cli_arguments *arguments, const dsm_plan *plan,
                                 dsm_diags *diags);

#endif

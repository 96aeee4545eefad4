/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explanation.h: `--explain LAYER`, of explore and score. */
#ifndef DSM_CLI_RUN_EXPLANATION_H
#define DSM_CLI_RUN_EXPLANATION_H

#include "cli/parse/arguments.h"

/** Is --explain absent, or the name of a layer, primary or as declared? Else says so, with the
 * nearest name, and returns CLI_EXIT_USAGE. */
cli_exit cli_check_explained_layer(const cli_arguments *arguments, const dsm_workload *workload);

/** Shows the alternatives of the layer (of both directions, where it is a bidirectional lstm). */
cli_exit cli_put_explanation(const cli_arguments *arguments, const dsm_plan *plan);

#endif

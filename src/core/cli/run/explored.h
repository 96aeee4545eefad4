/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explored.h: explorations for commands: one, a ladder of them, those that show how much each
 * parameter of a system matters (--elasticity, and --sensitivity: in small steps), and what a layer
 * could do otherwise (--explain). */
#ifndef DSM_CLI_RUN_EXPLORED_H
#define DSM_CLI_RUN_EXPLORED_H

#include "cli/parse/input_files.h"

/** What a command does with a workload and a machine, once its options are settled for these. */
typedef cli_exit cli_pair_use(const cli_arguments *arguments, const cli_input_file *workload,
                              const cli_input_file *system);

/** Loads the operands WORKLOAD and SYSTEM, of these kinds, and uses them. */
cli_exit cli_use_pair(const cli_arguments *arguments, dsm_description workload,
                      dsm_description system, cli_pair_use *use);

/** dsm_explore; with --verbose also says what it did. */
DSM_NODISCARD dsm_status cli_explore(dsm_plan **plan, const cli_arguments *arguments,
                                     const dsm_workload *workload, const dsm_system *system,
                                     const dsm_explore_options *options);

/** dsm_ladder_explore, likewise of each rung; its request has everything but who hears of them. */
DSM_NODISCARD dsm_status cli_ladder_explore(dsm_ladder *ladder, const cli_arguments *arguments,
                                            dsm_ladder_request request);

/* ---- which optimisations make sense ---- */

/** Does --optimize name nothing that the mode cannot have? Else says so and returns
 * CLI_EXIT_USAGE. */
cli_exit cli_check_optimizations(const cli_arguments *arguments);

/** Notes what --optimize names although it can change nothing in this network on this system. */
void cli_note_ineffective_optimizations(const cli_arguments *arguments,
                                        const dsm_workload *workload, const dsm_system *system);

/* ---- parameters ---- */

/** Can these descriptions be used, and no option be in vain? Else says so and returns
 * CLI_EXIT_USAGE. */
cli_exit cli_check_elasticity(const cli_arguments *arguments, const cli_input_file *loaded,
                              size_t count);

/** Shows it for each system, with the workloads, or with bundled ones where there is none. */
cli_exit cli_put_elasticity(const cli_arguments *arguments, const cli_input_file *loaded,
                            size_t count);

/** Shows it for a plan, whose mapping is kept. */
cli_exit cli_put_kept_elasticity(const cli_arguments *arguments, const dsm_plan *plan);

/* ---- layers ---- */

/** Is --explain absent, or the name of a layer, primary or as declared? Else says so, with the
 * nearest name, and returns CLI_EXIT_USAGE. */
cli_exit cli_check_explained_layer(const cli_arguments *arguments, const dsm_workload *workload);

/** Shows the alternatives of the layer (of both directions, where it is a bidirectional lstm). */
cli_exit cli_put_explanation(const cli_arguments *arguments, const dsm_plan *plan);

#endif

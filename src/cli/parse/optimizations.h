/* SPDX-License-Identifier: GPL-3.0-or-later */
/* optimizations.h: which optimisations make sense for what is explored. */
#ifndef DSM_CLI_PARSE_OPTIMIZATIONS_H
#define DSM_CLI_PARSE_OPTIMIZATIONS_H

#include "cli/parse/arguments.h"

/** Does --optimize name nothing that the mode cannot have? Else says so and returns
 * CLI_EXIT_USAGE. */
cli_exit cli_check_optimizations(const cli_arguments *arguments);

/** Notes what --optimize names although it can change nothing in this network on this system. */
void cli_note_idle_optimizations(const cli_arguments *arguments, const dsm_workload *workload,
                                 const dsm_system *system);

/** What the rungs of a ladder add, one after the other, up to the options' own optimizations; the
 * first rung adds nothing. Returns how many they are. */
size_t cli_ladder_additions(const dsm_explore_options *options,
                            dsm_optimization additions[DSM_OPTIMIZATION_COUNT]);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_options.h: the words and setters of what only `partition` takes. */
#ifndef DSM_CLI_PARSE_PARTITION_OPTIONS_H
#define DSM_CLI_PARSE_PARTITION_OPTIONS_H

#include "cli/rows/option_table.h"

/** What holds where nothing else is said. */
void cli_partition_arguments_init(cli_partition_arguments *arguments);

/** Word number `index`, NULL after the last. */
const char *cli_objective_word(size_t index);

/* Setters (cli_option.apply). */
cli_exit cli_apply_profile(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_objective(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_require(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_batch(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_tasks(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_time_limit(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_gap(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_count_activations(cli_arguments *arguments, const cli_option *option,
                                     char *value);
cli_exit cli_apply_keep_results(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_write_mps(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_simulate(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_trace(cli_arguments *arguments, const cli_option *option, char *value);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* option_values.h: the words and setters in the option table's rows. */
#ifndef DSM_CLI_PARSE_OPTION_VALUES_H
#define DSM_CLI_PARSE_OPTION_VALUES_H

#include "cli/rows/command.h"
#include "cli/rows/option_table.h"

/* Word number `index`, NULL after the last. */
const char *cli_mode_word(size_t index);
const char *cli_optimization_word(size_t index);
const char *cli_parallelism_word(size_t index);
const char *cli_format_word(size_t index);
const char *cli_check_format_word(size_t index);
const char *cli_color_word(size_t index);
const char *cli_record_word(size_t index);
const char *cli_export_target_word(size_t index);

/** Finds a text among the option's words; prints what is wrong and returns false if it is none. */
bool cli_find_word(const cli_arguments *arguments, const cli_option *option, const char *text,
                   size_t *index);

/** Reads a list of the option's words, separated by commas, into a set of bits; prints what is
 * wrong and returns false if one is none. */
bool cli_find_words(const cli_arguments *arguments, const cli_option *option, const char *text,
                    unsigned *set);

/** What a path of --set may begin with in that command: number `index`, NULL after the last. */
const char *cli_set_root(const cli_command *command, size_t index);

/* Setters (cli_option.apply). */
cli_exit cli_apply_mode(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_minibatch(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_optimize(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_ladder(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_ladder_base(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_parallelism(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_explain(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_elasticity(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_tolerance(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_strict(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_all(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_workload(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_system(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_set(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_vary(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_exclude(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_record(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_to(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_database(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_shard(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_merge(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_best(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_by(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_pareto(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_threads(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_format(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_output(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_force(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_quiet(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_verbose(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_color(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_help(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_version(cli_arguments *arguments, const cli_option *option, char *value);

#endif

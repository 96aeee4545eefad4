/* SPDX-License-Identifier: GPL-3.0-or-later */
/* option_values.h: the words in the option table's rows, and how values become arguments. */
#ifndef DSM_CLI_PARSE_OPTION_VALUES_H
#define DSM_CLI_PARSE_OPTION_VALUES_H

#include "cli/rows/rows.h"

/** Least and most of a number; requests a second are at most so many. */
#define CLI_NUMBER_MIN 1e-9
#define CLI_RATE_MAX 1e12

/** Where the value of an option goes, and where it is. */
void *cli_place_of(cli_arguments *arguments, const cli_option *option);
const void *cli_value_of(const cli_arguments *arguments, const cli_option *option);

/** Takes over the value of an option (NULL without an argument) as its row says. If not
 * CLI_EXIT_DONE, why was printed. */
cli_exit cli_take_value(cli_arguments *arguments, const cli_option *option, char *value);

/** Reads a whole decimal token (digits only) in min..max; false, *value untouched, if it is not. */
bool cli_parse_size(const char *text, size_t min, size_t max, size_t *value);

/** What may follow a number; of several those that end in another stand before it. */
typedef struct cli_unit {
  const char *name; /**< "": the last */
  double worth;     /**< 0: a part of something */
} cli_unit;

/** The unit of an amount; NULL if it is no number above 0, and of the unit's worth no more than
 * `most`. */
const cli_unit *cli_read_amount(const char *text, const cli_unit *units, double most,
                                double *amount);

/** What a path of --set may begin with in that command, as bits CLI_TAKES_... */
unsigned cli_set_roots(const cli_command *command);

/** The kind whose name begins the paths of --set for descriptions of a kind: a workload is one for
 * whichever machine it is. */
dsm_description cli_set_root(dsm_description kind);

/** The root, of those, that a path begins with, dot included; DSM_DESCRIPTION_COUNT: none. */
dsm_description cli_find_root(unsigned roots, const char *path);

/* Word number `index`, NULL after the last. */
const char *cli_optimization_word(size_t index);
const char *cli_parallelism_word(size_t index);
const char *cli_phase_word(size_t index);
const char *cli_format_word(size_t index);
const char *cli_check_format_word(size_t index);
const char *cli_formats_word(size_t index);
const char *cli_color_word(size_t index);
const char *cli_record_word(size_t index);
const char *cli_plan_figure_word(size_t index);
const char *cli_figure_word(size_t index);
const char *cli_log_axis_word(size_t index); /**< its number is that of DSM_PLOT_AXIS_'s bit */

/** What the words of optimizations mean, and which of them "all" is (cli_option.word_help). */
void cli_optimization_help(char *text, size_t size);

/* Readers of their own (cli_option.apply). */
cli_exit cli_apply_minibatch(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_optimize(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_parallelism(cli_arguments *arguments, const cli_option *option, char *value);

/** What depends on the system, now that it is there: all optimizations of it, and parallelisms that
 * were given with names of its axes. */
cli_exit cli_settle_options(cli_arguments *arguments, const dsm_system *system);
cli_exit cli_apply_elasticity(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_set(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_shard(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_format(cli_arguments *arguments, const cli_option *option, char *value);

#endif

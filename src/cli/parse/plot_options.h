/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_options.h: words and setters of the options that only `plot` takes. */
#ifndef DSM_CLI_PARSE_PLOT_OPTIONS_H
#define DSM_CLI_PARSE_PLOT_OPTIONS_H

#include "cli/rows/option_table.h"

/** Word number `index` of all figures, NULL after the last. */
const char *cli_figure_word(size_t index);

cli_exit cli_apply_figure(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_plot_x(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_plot_y(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_plot_series(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_plot_value(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_plot_pareto(cli_arguments *arguments, const cli_option *option, char *value);
/** Axes that can be logarithmic. */
const char *cli_log_axis_word(size_t index);

cli_exit cli_apply_log(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_where(cli_arguments *arguments, const cli_option *option, char *value);
cli_exit cli_apply_script(cli_arguments *arguments, const cli_option *option, char *value);

#endif

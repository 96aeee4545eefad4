/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/plot_options.h"

#include "cli/parse/option_values.h"
#include "cli/run/complain.h"

const char *cli_figure_word(size_t index) {
  if (index < DSM_PLAN_FIGURE_COUNT) {
    return dsm_plan_figure_name((dsm_plan_figure)index);
  }
  const size_t other = index - DSM_PLAN_FIGURE_COUNT;
  return other < DSM_POINTS_FIGURE_COUNT ? dsm_points_figure_name((dsm_points_figure)other) : NULL;
}

cli_exit cli_apply_figure(cli_arguments *arguments, const cli_option *option, char *value) {
  size_t index;
  if (!cli_find_word(arguments, option, value, &index)) {
    return CLI_EXIT_USAGE;
  }
  arguments->plot.figure = cli_figure_word(index);
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_script(cli_arguments *arguments, const cli_option *option, char *value) {
  if (value[0] == '\0') {
    return cli_usage_error(arguments->command, "--%s: expected the name of a folder, found ''",
                           option->name);
  }
  arguments->plot.script = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_plot_x(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->plot.view.x = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_plot_y(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->plot.view.y = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_plot_series(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->plot.view.series = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_plot_value(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->plot.view.value = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_plot_pareto(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->plot.view.pareto = value;
  return CLI_EXIT_DONE;
}

const char *cli_log_axis_word(size_t index) {
  static const char *const words[] = {"x", "y"};
  return index < sizeof words / sizeof *words ? words[index] : NULL;
}

/* Bit i of the set is DSM_PLOT_AXIS_ of word i. */
cli_exit cli_apply_log(cli_arguments *arguments, const cli_option *option, char *value) {
  return cli_find_words(arguments, option, value, &arguments->plot.view.log_axes) ? CLI_EXIT_DONE
                                                                                  : CLI_EXIT_USAGE;
}

cli_exit cli_apply_where(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  cli_texts *const wheres = &arguments->plot.wheres;
  wheres->items[wheres->count++] = value;
  return CLI_EXIT_DONE;
}

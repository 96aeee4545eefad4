/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/plot_options.h"

#include "cli/complain.h"
#include "cli/option_values.h"

const char *cli_figure_word(size_t index) {
  return index < DSM_PLAN_FIGURE_COUNT ? dsm_plan_figure_name((dsm_plan_figure)index) : NULL;
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

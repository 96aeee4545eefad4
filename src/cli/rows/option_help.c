/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/rows/rows.h"

cli_help_text cli_option_help(const cli_option *option) {
  cli_help_text help;
  const size_t used = (size_t)snprintf(help.text, sizeof help.text, "%s", option->help);
  if (option->word_help != NULL && used < sizeof help.text) {
    option->word_help(help.text + used, sizeof help.text - used);
  }
  return help;
}

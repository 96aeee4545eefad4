/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/rows/rows.h"

cli_help_text cli_option_help(const cli_option *option) {
  cli_help_text help;
  const char *separator = ". ";
  size_t used = (size_t)snprintf(help.text, sizeof help.text, "%s", option->help);
  for (size_t i = 0; option->word_help != NULL && option->word(i) != NULL; i++) {
    const char *title = "";
    const char *const meaning = option->word_help(i, &title);
    if (meaning == NULL || used >= sizeof help.text) {
      continue;
    }
    used += (size_t)snprintf(help.text + used, sizeof help.text - used, "%s%s%s: %s",
                             title[0] != '\0' ? ". " : separator, title, option->word(i), meaning);
    separator = "; ";
  }
  return help;
}

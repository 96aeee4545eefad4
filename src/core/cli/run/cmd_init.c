/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_init.c: a commented description to start from. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <sys/stat.h>

#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

static cli_exit put(const cli_arguments *arguments, const char *text) {
  const char *const output = arguments->output;
  const bool is_file = output != NULL && strcmp(output, "-") != 0;
  struct stat info;
  /* Whatever is there, also a link to nothing, stays unless --force is given. */
  if (is_file && !arguments->is_forced && lstat(output, &info) == 0) {
    return cli_usage_error(arguments->command,
                           "--output: '%s' is there already, and is replaced only with --force",
                           output);
  }
  return cli_put_text(arguments, text);
}

cli_exit cli_run_init(const cli_arguments *arguments) {
  const char *const kind = arguments->operands[0];
  return cli_is_word(cli_template_word, kind)
             ? cli_put_installed(arguments, "templates",
                                 strcmp(kind, "pim") == 0 ? "pim-system" : kind, "json", put)
             : cli_complain_of_kind(arguments, kind);
}

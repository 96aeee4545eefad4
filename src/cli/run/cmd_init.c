/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_init.c: a commented description to start from. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse/lookup.h"
#include "cli/rows/command.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

static const char *const kind_words[] = {"workload", "system", "server", "sweep"};
enum { KIND_COUNT = sizeof kind_words / sizeof kind_words[0], NAME_SIZE = 64 };

const char *cli_init_word(size_t index) {
  return index < KIND_COUNT ? kind_words[index] : NULL;
}

static bool is_known(const char *word) {
  for (size_t i = 0; i < KIND_COUNT; i++) {
    if (strcmp(kind_words[i], word) == 0) {
      return true;
    }
  }
  return false;
}

/* Whatever is there, also a link to nothing, stays unless --force is given. */
static bool is_free(const cli_arguments *arguments, const char *path) {
  struct stat info;
  return arguments->is_forced || lstat(path, &info) != 0;
}

static cli_exit put(const cli_arguments *arguments, const char *text) {
  const char *const output = arguments->output;
  if (output == NULL || strcmp(output, "-") == 0) {
    return cli_put_stdout(text);
  }
  if (!is_free(arguments, output)) {
    return cli_usage_error(arguments->command,
                           "--output: '%s' is there already, and is replaced only with --force",
                           output);
  }
  return cli_put_file(arguments, "output", output, text, strlen(text));
}

cli_exit cli_run_init(const cli_arguments *arguments) {
  const char *const kind = arguments->operands[0];
  if (!is_known(kind)) {
    return cli_usage_error(arguments->command,
                           "expected workload, system, server or sweep, found '%s'%s", kind,
                           cli_did_you_mean(kind, kind_words, KIND_COUNT).text);
  }
  dsm_diags *const diags = dsm_diags_new(1);
  char *path = NULL;
  char *text = NULL;
  size_t length = 0;
  char name[NAME_SIZE];
  (void)snprintf(name, sizeof name, "%s.json", kind);
  dsm_status status = cli_find_installed(&path, "templates", name, diags);
  if (status == DSM_OK) {
    status = dsm_file_read(&text, &length, path, diags);
  }
  cli_print_findings(arguments, diags);
  const cli_exit outcome = status == DSM_OK ? put(arguments, text) : cli_exit_of(status);
  free(text);
  free(path);
  dsm_diags_free(diags);
  return outcome;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/named_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/parse/imports.h"
#include "cli/parse/lookup.h"
#include "cli/parse/option_values.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"

dsm_status cli_read_once(cli_named_inputs *in, const char *path, char **text, size_t *length,
                         dsm_diags *diags) {
  const bool is_stdin = strcmp(path, "-") == 0;
  if (is_stdin && in->is_stdin_read) {
    return cli_refuse(diags, DSM_ERROR_USAGE, NULL, NULL,
                      "standard input ('-') can be read only once");
  }
  in->is_stdin_read = in->is_stdin_read || is_stdin;
  return dsm_file_read(text, length, path, diags);
}

/* A workload may be a file of another program, and as large as these are. */
static dsm_status read_workload(cli_named_inputs *in, const char *path, char **text, size_t *length,
                                dsm_diags *diags) {
  if (strcmp(path, "-") != 0) {
    return cli_read_description(text, length, path, in->arguments, diags);
  }
  const dsm_status status = cli_read_once(in, path, text, length, diags);
  return status == DSM_OK ? cli_make_description(text, length, path, in->arguments, diags) : status;
}

unsigned cli_kinds_alike(dsm_description kind) {
  unsigned kinds = 1U << kind;
  for (dsm_description other = 0; other < DSM_DESCRIPTION_COUNT; other++) {
    kinds |= cli_set_root(other) == kind ? cli_bundled_kinds() & 1U << other : 0;
  }
  return kinds;
}

dsm_status cli_read_named(void *context, const char *name, const char *folder, dsm_description kind,
                          char **text, size_t *length, char **file, dsm_diags *diags) {
  cli_named_inputs *const in = context;
  dsm_status status =
      cli_find_beside(file, in->arguments, name, folder, cli_kinds_alike(kind), diags);
  if (status == DSM_OK) {
    status = kind == DSM_DESCRIPTION_WORKLOAD ? read_workload(in, *file, text, length, diags)
                                              : cli_read_once(in, *file, text, length, diags);
  }
  if (status != DSM_OK) {
    free(*file);
    *file = NULL;
  }
  return status;
}

char *cli_folder_of(const char *path) {
  const char *const slash = strrchr(path, '/');
  if (slash == NULL) {
    return strdup(".");
  }
  return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/imports.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/rows/companion_command.h"
#include "cli/run/complain.h"

/* Only a regular file tells how large it is before all of it is in memory. */
dsm_status cli_read_foreign(char **bytes, size_t *length, const char *path, dsm_diags *diags) {
  struct stat info;
  const bool is_large = stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
                        (uintmax_t)info.st_size > DSM_FILE_BYTES_MAX;
  return dsm_file_read_within(bytes, length, path,
                              is_large ? DSM_IMPORT_BYTES_MAX : DSM_FILE_BYTES_MAX, diags);
}

/* What is no file of another program is as large as a description at most. */
static dsm_status check_size(size_t length, const char *path, dsm_diags *diags) {
  return length <= DSM_FILE_BYTES_MAX
             ? DSM_OK
             : cli_refuse(diags, DSM_ERROR_INVALID, path, NULL,
                          "expected at most %zu bytes, found more", DSM_FILE_BYTES_MAX);
}

dsm_status cli_make_description(char **text, size_t *length, const char *path,
                                const cli_arguments *arguments, dsm_diags *diags) {
  char *const bytes = *text;
  dsm_status status = DSM_OK;
  for (size_t c = 0; status == DSM_OK && *text == bytes && cli_companions[c] != NULL; c++) {
    if (cli_companions[c]->convert != NULL) {
      status = cli_companions[c]->convert(text, length, path, arguments, diags);
    }
  }
  if (status == DSM_OK && *text == bytes) {
    status = check_size(*length, path, diags);
  }
  if (*text != bytes || status != DSM_OK) {
    free(bytes);
  }
  if (status != DSM_OK) {
    *text = NULL;
    *length = 0;
  }
  return status;
}

dsm_status cli_read_description(char **text, size_t *length, const char *path,
                                const cli_arguments *arguments, dsm_diags *diags) {
  const dsm_status status = cli_read_foreign(text, length, path, diags);
  return status == DSM_OK ? cli_make_description(text, length, path, arguments, diags) : status;
}

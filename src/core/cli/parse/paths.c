/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse/option_values.h"
#include "cli/run/complain.h"

bool cli_ends_in(const char *name, const char *ending) {
  const size_t length = strlen(name);
  const size_t ending_length = strlen(ending);
  return length > ending_length && strcmp(name + length - ending_length, ending) == 0;
}

const char *cli_last_part(const char *path) {
  const char *const slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

char *cli_join_path(const char *folder, const char *name) {
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') {
    length--;
  }
  const size_t size = length + strlen(name) + 2;
  char *const path = calloc(size, 1);
  if (path != NULL) {
    (void)snprintf(path, size, "%.*s%s%s", (int)length, folder,
                   folder[length - 1] == '/' ? "" : "/", name);
  }
  return path;
}

bool cli_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The folder that a file would be in; false if it is none. */
static bool find_folder(const char *path, struct stat *folder) {
  char name[CLI_PATH_SIZE];
  const size_t length = (size_t)(cli_last_part(path) - path);
  if (length >= sizeof name) {
    return false;
  }
  memcpy(name, path, length);
  (void)snprintf(name + length, sizeof name - length, ".");
  return stat(name, folder) == 0;
}

bool cli_is_same_file(const char *first, const char *second) {
  struct stat one;
  struct stat other;
  const bool is_one_there = stat(first, &one) == 0;
  const bool is_other_there = stat(second, &other) == 0;
  if (is_one_there != is_other_there) {
    return false;
  }
  if (is_one_there && (!S_ISREG(one.st_mode) || !S_ISREG(other.st_mode))) {
    return false;
  }
  if (!is_one_there && (strcmp(cli_last_part(first), cli_last_part(second)) != 0 ||
                        !find_folder(first, &one) || !find_folder(second, &other))) {
    return false;
  }
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* A file that an option names to be written. */
typedef struct written {
  const char *option;
  const char *file; /* NULL: none */
} written;

enum { WRITTEN_MAX = 8 };

static size_t list_written(const cli_arguments *arguments, written list[WRITTEN_MAX]) {
  const bool is_stdout = arguments->output != NULL && strcmp(arguments->output, "-") == 0;
  size_t count = 0;
  list[count++] = (written){"output", is_stdout ? NULL : arguments->output};
  for (size_t i = 0; i < cli_option_count && count < WRITTEN_MAX; i++) {
    const cli_option *const option = &cli_options[i];
    if (option->reading == CLI_READ_FILE && arguments->is_given[i]) {
      list[count++] =
          (written){option->name, *(const char *const *)cli_value_of(arguments, option)};
    }
  }
  return count;
}

cli_exit cli_check_output_conflicts(const cli_arguments *arguments) {
  written list[WRITTEN_MAX];
  const size_t count = list_written(arguments, list);
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < i; j++) {
      if (list[i].file != NULL && list[j].file != NULL &&
          cli_is_same_file(list[i].file, list[j].file)) {
        return cli_usage_error(arguments->command, "--%s and --%s name the same file, '%s'",
                               list[j].option, list[i].option, list[i].file);
      }
    }
  }
  return CLI_EXIT_DONE;
}

dsm_status cli_check_is_no_output(const cli_arguments *arguments, const char *path,
                                  dsm_diags *diags) {
  written list[WRITTEN_MAX];
  const size_t count = list_written(arguments, list);
  for (size_t i = 0; i < count && strcmp(path, "-") != 0; i++) {
    if (list[i].file != NULL && cli_is_same_file(list[i].file, path)) {
      return cli_refuse(diags, DSM_ERROR_USAGE, path, NULL,
                        "expected another file for --%s: this one is an input", list[i].option);
    }
  }
  return DSM_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * standalone_driver.c: runs a fuzz target on files, and on the files of folders, with any compiler.
 *
 *     replay_workload FILE_OR_FOLDER...
 *
 * AFL++ runs the same program: afl-fuzz -i corpus/workload -o found -- replay_workload @@
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

/* The whole file, exactly as long as it is, so that a sanitizer sees reads behind its end. */
static bool read_whole(const char *path, uint8_t **data, size_t *size) {
  FILE *const file = fopen(path, "rb");
  if (file == NULL) {
    return false;
  }
  struct stat info;
  const bool is_known = stat(path, &info) == 0 && info.st_size >= 0;
  *size = is_known ? (size_t)info.st_size : 0;
  *data = is_known ? malloc(*size > 0 ? *size : 1) : NULL;
  const bool is_read = *data != NULL && fread(*data, 1, *size, file) == *size;
  if (fclose(file) != 0 || !is_read) {
    free(*data);
    *data = NULL;
    return false;
  }
  return true;
}

static bool run_file(const char *path) {
  uint8_t *data = NULL;
  size_t size = 0;
  if (!read_whole(path, &data, &size)) {
    fprintf(stderr, "cannot read %s\n", path);
    return false;
  }
  printf("%s (%zu bytes)\n", path, size);
  (void)fflush(stdout); /* if the target aborts, this names the input */
  (void)LLVMFuzzerTestOneInput(data, size);
  free(data);
  return true;
}

static int is_no_dot_file(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

/* In the order of names; the number of files, or -1 if one could not be read. */
static long run_folder(const char *path) {
  struct dirent **entries = NULL;
  const int count = scandir(path, &entries, is_no_dot_file, alphasort);
  if (count < 0) {
    return -1;
  }
  bool are_read = true;
  for (int i = 0; i < count; i++) {
    char file[4096];
    const int length = snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
    are_read = length > 0 && (size_t)length < sizeof file && run_file(file) && are_read;
    free(entries[i]);
  }
  free(entries);
  return are_read ? count : -1;
}

int main(int argc, char *argv[]) {
  long total = 0;
  for (int i = 1; i < argc; i++) {
    struct stat info;
    const bool is_folder = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
    const long count = is_folder ? run_folder(argv[i]) : run_file(argv[i]) ? 1 : -1;
    if (count <= 0) {
      fprintf(stderr, "%s: nothing was read\n", argv[i]);
      return EXIT_FAILURE;
    }
    total += count;
  }
  printf("%ld inputs\n", total);
  return total > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

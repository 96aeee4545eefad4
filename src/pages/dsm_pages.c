/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dsm_pages.c: writes the man pages of dsm and of each of its commands into a folder. Run by the
 * build, so that the pages say what the program of the same build does.
 */
#include <stdbool.h>
#include <stdio.h>

#include "cli/manual.h"
#include "pages/roff.h"

enum { PATH_SIZE = 4096, NAME_SIZE = 64, DONE = 0, FAILED = 1 };

static bool write_page(const char *folder, const pages_subject *subject) {
  char path[PATH_SIZE];
  const int length = snprintf(path, sizeof path, "%s/%s.1", folder, subject->name);
  FILE *const out = length > 0 && length < PATH_SIZE ? fopen(path, "w") : NULL;
  if (out != NULL) {
    pages_write(out, subject, DSM_DATE, DSM_VERSION);
    const bool is_written = ferror(out) == 0;
    if (fclose(out) == 0 && is_written) {
      return true;
    }
  }
  (void)fprintf(stderr, "dsm_pages: cannot write %s\n", path);
  return false;
}

int main(int argc, char *argv[]) {
  if (argc != 2) {
    (void)fprintf(stderr, "usage: dsm_pages FOLDER\n");
    return FAILED;
  }
  const pages_subject program = {.name = "dsm", .call = "dsm", .command = &cli_program};
  const pages_subject on_ranks = {
      .name = "dsm-mpi", .call = "dsm-mpi", .command = &cli_mpi_program};
  bool is_written = write_page(argv[1], &program) && write_page(argv[1], &on_ranks);
  for (size_t i = 0; i < cli_command_count && is_written; i++) {
    char name[NAME_SIZE];
    char call[NAME_SIZE];
    (void)snprintf(name, sizeof name, "dsm-%s", cli_commands[i].name);
    (void)snprintf(call, sizeof call, "dsm %s", cli_commands[i].name);
    const pages_subject subject = {.name = name, .call = call, .command = &cli_commands[i]};
    is_written = write_page(argv[1], &subject);
  }
  return is_written ? DONE : FAILED;
}

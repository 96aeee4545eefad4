/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dsm_pages.c: writes the man pages of dsm and of each of its commands into a folder. Run by the
 * build, so that the pages say what the program of the same build does. With --check it says what
 * the tables lack for pages and completions.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/manual.h"
#include "cli/option_table.h"
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

/* What completions need: what each operand and each argument may be. */
static bool are_tables_whole(void) {
  bool are_whole = true;
  for (size_t i = 0; i < cli_command_count; i++) {
    const cli_command *const command = &cli_commands[i];
    if (command->operand_max > 0 && command->takes[0] == 0 && command->operand_word == NULL) {
      (void)fprintf(stderr, "commands.c: %s: .takes does not say what its operands may be\n",
                    command->name);
      are_whole = false;
    }
    if (command->examples[0] == NULL) {
      (void)fprintf(stderr, "commands.c: %s has no example\n", command->name);
      are_whole = false;
    }
  }
  for (size_t i = 0; i < cli_option_count; i++) {
    const cli_option *const option = &cli_options[i];
    const bool is_listed = option->takes != 0 || option->word != NULL;
    if ((option->argument != NULL) != is_listed) {
      (void)fprintf(stderr, "option_table.c: --%s: .takes does not fit its argument\n",
                    option->name);
      are_whole = false;
    }
  }
  return are_whole;
}

int main(int argc, char *argv[]) {
  if (argc != 2) {
    (void)fprintf(stderr, "usage: dsm_pages FOLDER | --check\n");
    return FAILED;
  }
  if (strcmp(argv[1], "--check") == 0) {
    return are_tables_whole() ? DONE : FAILED;
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dsm_pages.c: writes the man pages of dsm, of each of its commands and of each file format into a
 * folder, and what dsm help says of formats. Run by the build, so that the pages say what the
 * program of the same build does. With --check it says what the tables lack for pages and
 * completions.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/rows/rows.h"
#include "dsm/file.h"
#include "pages/pages.h"

enum { PATH_SIZE = 4096, NAME_SIZE = 64, DONE = 0, FAILED = 1 };

/* Opens FOLDER/NAME.ENDING. */
static FILE *open_page(const char *folder, const char *name, const char *ending) {
  char path[PATH_SIZE];
  const int length = snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
  return length > 0 && length < PATH_SIZE ? fopen(path, "w") : NULL;
}

/* Has all arrived? */
static bool close_page(FILE *out, const char *folder, const char *name) {
  const bool is_written = out != NULL && ferror(out) == 0;
  if (out != NULL && fclose(out) == 0 && is_written) {
    return true;
  }
  (void)fprintf(stderr, "dsm_pages: cannot write %s in %s\n", name, folder);
  return false;
}

static bool write_page(const char *folder, const pages_subject *subject) {
  FILE *const out = open_page(folder, subject->name, "1");
  if (out != NULL) {
    pages_write(out, subject, DSM_DATE, DSM_VERSION);
  }
  return close_page(out, folder, subject->name);
}

static bool write_command_pages(const char *folder) {
  const pages_subject program = {.name = "dsm", .call = "dsm", .command = &cli_program};
  const pages_subject on_ranks = {
      .name = "dsm-mpi", .call = "dsm-mpi", .command = &cli_mpi_program};
  bool is_written = write_page(folder, &program) && write_page(folder, &on_ranks);
  for (size_t i = 0; i < cli_command_count && is_written; i++) {
    char name[NAME_SIZE];
    char call[NAME_SIZE];
    (void)snprintf(name, sizeof name, "dsm-%s", cli_commands[i].name);
    (void)snprintf(call, sizeof call, "dsm %s", cli_commands[i].name);
    const pages_subject subject = {.name = name, .call = call, .command = &cli_commands[i]};
    is_written = write_page(folder, &subject);
  }
  return is_written;
}

/* ---- formats ---- */

static bool write_format(const char *const folders[3], const pages_format *format) {
  char name[NAME_SIZE];
  (void)snprintf(name, sizeof name, "dsm-%s", format->name);
  FILE *const page = open_page(folders[1], name, "5");
  if (page != NULL) {
    pages_write_format(page, format, DSM_DATE, DSM_VERSION);
  }
  FILE *const help = open_page(folders[2], format->name, "txt");
  if (help != NULL) {
    pages_write_format_help(help, format);
  }
  const bool is_page = close_page(page, folders[1], name);
  return close_page(help, folders[2], format->name) && is_page;
}

/* Reads a schema and, where there is one, the template that dsm init writes. */
static bool write_format_of(const char *const folders[3], const char *source, const char *name) {
  char path[PATH_SIZE];
  char *schema = NULL;
  char *example = NULL;
  size_t length = 0;
  size_t example_length = 0;
  dsm__json_doc *doc = NULL;
  (void)snprintf(path, sizeof path, "%s/schemas/dsm-%s-1.schema.json", source, name);
  bool is_written = dsm_file_read(&schema, &length, path, NULL) == DSM_OK &&
                    dsm__json_doc_parse(&doc, schema, length, path, NULL, 0, NULL) == DSM_OK;
  if (is_written) {
    const dsm__json_node root = dsm__json_root(doc);
    (void)snprintf(path, sizeof path, "%s/templates/%s.json", source, name);
    const bool has_example = dsm_file_read(&example, &example_length, path, NULL) == DSM_OK;
    const pages_format format = {
        .name = name, .example = has_example ? example : NULL, .schema = &root};
    is_written = write_format(folders, &format);
  } else {
    (void)fprintf(stderr, "dsm_pages: cannot read %s\n", path);
  }
  dsm__json_doc_free(doc);
  free(schema);
  free(example);
  return is_written;
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
  cli_join_rows();
  if (argc == 2 && strcmp(argv[1], "--check") == 0) {
    return are_tables_whole() ? DONE : FAILED;
  }
  if (argc != 5) {
    (void)fprintf(stderr, "usage: dsm_pages MAN1 MAN5 HELP SOURCE | --check\n");
    return FAILED;
  }
  const char *const folders[3] = {argv[1], argv[2], argv[3]};
  bool is_written = write_command_pages(folders[0]);
  for (size_t i = 0; cli_help_word(i) != NULL && is_written; i++) {
    is_written = write_format_of(folders, argv[4], cli_help_word(i));
  }
  return is_written ? DONE : FAILED;
}
